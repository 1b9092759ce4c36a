"""`mma annotate`: a local page to draw the boxes that the official release lacks for web and mobile.

  mma annotate suite.root=FOLDER                    draws into boxes.json
  mma annotate suite.root=FOLDER --out FILE         into a file of your choice; what it holds is kept
  mma annotate suite.root=FOLDER --no-browser       prints the address only

Then: mma run suite=official suite.root=FOLDER suite.boxes=boxes.json
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console


class AnnotateUsageError(ValueError):
    """A command line that `mma annotate` cannot follow, in one line with the way out."""


def wishes_of(arguments: list[str]) -> tuple[Path, bool, list[str]]:
    """The file of boxes, whether a browser is opened, and the overrides.

    Raises:
        AnnotateUsageError: an option that does not exist or has no value.
    """
    out, browser, overrides = Path("boxes.json"), True, []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        flag, given, value = word.partition("=")
        if flag == "--out":
            if not given and not rest:
                raise AnnotateUsageError("--out needs a file")
            out = Path(value if given else rest.pop(0))
        elif word == "--no-browser":
            browser = False
        elif word.startswith("-"):
            raise AnnotateUsageError(f"mma annotate has no option {word}; there are --out FILE and --no-browser")
        else:
            overrides.append(word)
    if not any(o.startswith("suite=") for o in overrides):
        overrides.insert(0, "suite=official")
    return out, browser, overrides


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print("usage: mma annotate suite.root=FOLDER [--out FILE] [--no-browser]\n\n" + str(__doc__))
        return 0
    out, browser, overrides = wishes_of(arguments)
    import webbrowser

    from benchmark.images import ImageStore
    from benchmark.sources.official import OfficialSuite
    from runner.annotate.server import Boxes, server
    from runner.commands.compose import experiment_of
    from runner.display import TerminalDisplay
    from runner.run import make_suite, selection

    experiment = experiment_of(overrides)
    suite = make_suite(experiment)
    if not isinstance(suite, OfficialSuite):
        raise AnnotateUsageError("mma annotate draws boxes for suite=official; other suites have theirs")
    with TerminalDisplay() as display:
        suite.finish(display.stage(suite.stage))
    cases = [suite.case(e.id) for e in selection(experiment, suite) if e.domain in {"web", "mobile"}]
    if not cases:
        raise AnnotateUsageError("this selection holds no web or mobile case, and only these lack boxes")
    boxes = Boxes(out)
    made, address = server(cases, ImageStore(suite.folder), boxes)
    console = Console(highlight=False)
    console.print(f"{len(cases)} cases, {len(boxes.held)} with boxes in {out}", markup=False, soft_wrap=True)
    console.print(f"{address}\nCtrl-C ends; every box is saved as it is drawn", markup=False, soft_wrap=True)
    if browser:
        webbrowser.open(address)
    try:
        made.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        pass
    finally:
        made.server_close()
    console.print(f"{len(boxes.held)} cases have boxes: suite.boxes={out}", markup=False, soft_wrap=True)
    return 0
