"""`mma import`: makes a suite of images and records of your own, in the layout of docs/bring_your_own.md.

  mma import FOLDER                     into suites/<name of the folder>
  mma import FOLDER --into DIRECTORY    into a directory of your choice
  mma import FOLDER --seed 7            other payloads (short form only)

Lines in the short form are recordings into which payloads are laid; lines in the Case schema are taken as they are.
"""

from __future__ import annotations

import re
from pathlib import Path

from rich.console import Console


class ImportUsageError(ValueError):
    """A command line that `mma import` cannot follow, in one line with the way out."""


def wishes_of(arguments: list[str]) -> tuple[Path, Path | None, int]:
    """The folder, the directory of the suite, and the seed.

    Raises:
        ImportUsageError: no folder, two of them, or an option that does not exist.
    """
    folder: Path | None = None
    into: Path | None = None
    seed = 0
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        flag, given, value = word.partition("=")
        if flag in {"--into", "--seed"}:
            if not given:
                if not rest:
                    raise ImportUsageError(f"{flag} needs a value")
                value = rest.pop(0)
            if flag == "--into":
                into = Path(value)
            elif re.fullmatch(r"\d{1,9}", value):
                seed = int(value)
            else:
                raise ImportUsageError(f"--seed {value}: give a whole number")
        elif word.startswith("-"):
            raise ImportUsageError(f"mma import has no option {word}; there are --into DIRECTORY and --seed N")
        elif folder is not None:
            raise ImportUsageError(f"mma import takes one folder, not also {word}")
        else:
            folder = Path(word)
    if folder is None:
        raise ImportUsageError("mma import FOLDER: name the folder with your images and records")
    return folder, into, seed


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print("usage: mma import FOLDER [--into DIRECTORY] [--seed N]\n\n" + str(__doc__))
        return 0
    folder, into, seed = wishes_of(arguments)
    from benchmark.sources import bring
    from benchmark.sources.safety import Unusable, opened_root
    from benchmark.sources.suite import FromSource
    from runner.commands.build import say
    from runner.display import TerminalDisplay

    try:
        root = opened_root(folder)
    except Unusable as error:
        raise ImportUsageError(str(error)) from None
    name = re.sub(r"[^a-z0-9_.-]+", "-", root.name.casefold()).strip("-.") or "own"
    target = into or Path("suites") / name
    with TerminalDisplay() as display:
        if bring.holds_cases(root):
            info, findings = bring.make(root, target, name, display.stage("importing"))
        else:
            suite = FromSource("plain", str(root), name=name, path=str(target), seed=seed, keep="all")
            info, findings = suite.finish(display.stage("injecting")), suite.findings()
    console = Console(highlight=False)
    for line in findings:
        say(console, f"finding    {line}")
    counts = ", ".join(f"{domain} {count}" for domain, count in info.counts.items())
    say(console, f"suite      {target}: {sum(info.counts.values())} cases ({counts})")
    say(console, f"next       mma gallery suite=stored suite.path={target}")
    say(console, f"           mma run suite=stored suite.path={target}")
    return 1 if findings else 0
