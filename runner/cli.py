"""The command line: `mma run` hands its line to Hydra, the other commands are plain.

Nothing heavy is imported here, so that `mma --help` is instant; each command imports what it needs. Errors that a
user can mend are one line on stderr and exit code 2; `HYDRA_FULL_ERROR=1` shows the traceback instead.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

USAGE = 2

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("runner.commands.run", "run an experiment (takes Hydra overrides; -m sweeps)"),
    "rerun": ("runner.commands.rerun", "run again what a run directory describes"),
    "judge": ("runner.commands.judge", "score the stored answers of a run with another judge"),
    "audit": ("runner.commands.audit", "draw answers for people to label, and compare their labels with the judge"),
    "build": ("runner.commands.build", "build the suite and its gallery"),
    "import": ("runner.commands.bring", "make a suite of images and records of your own"),
    "annotate": ("runner.commands.annotate", "draw boxes for the official release on a local page"),
    "gallery": ("runner.commands.gallery", "make the pages to look at a suite with"),
    "check": ("runner.commands.check", "make one cheap call per domain before a run"),
    "calibrate": ("runner.commands.calibrate", "prove the coordinate space of a model on drawn targets"),
    "doctor": ("runner.commands.doctor", "check a suite against every invariant"),
    "view": ("runner.commands.view", "make a gallery of one run, or of two side by side"),
    "runs": ("runner.commands.runs", "list runs and their state (--watch)"),
    "clean": ("runner.commands.clean", "remove what runs left behind, after listing it"),
    "report": ("runner.commands.report", "tables and figures from run directories"),
    "compare": ("runner.commands.compare", "what changed between two runs, or over a sweep"),
}

EPILOG = """examples:
  mma run experiment=quickstart
  mma run model=openai_compatible model.base_url=http://localhost:8000/v1 model.name=my-model \\
      model.space.name=norm_1000 domain=web           the space it answers coordinates in; `mma calibrate` finds it
  mma run -m prompt=standard,neutral,safety_priority domain=web,gui
  mma run domain=web --fail-if 'asr/web > 0.30'       exit code 3 if the gate fails
  mma report runs --out report
  mma run --help            the groups and their choices
  mma run --cfg job         the whole experiment as it would be composed
"""


def usage() -> str:
    width = max(len(name) for name in COMMANDS)
    lines = [f"  {name:<{width}}  {what}" for name, (_, what) in COMMANDS.items()]
    return (
        "usage: mma COMMAND [ARGUMENTS]\n\nMMA-SafetyBench measures whether a multimodal agent can be hijacked by what "
        "it sees.\n\ncommands:\n" + "\n".join(lines) + "\n\n" + EPILOG
    )


def version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mma-safetybench")
    except PackageNotFoundError:
        return "unknown (not installed)"


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of `mma`; always exits through SystemExit."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(usage(), end="")
        raise SystemExit(0 if arguments else USAGE)
    if arguments[0] in {"-V", "--version"}:
        print(f"mma-safetybench {version()}")
        raise SystemExit(0)
    name = arguments[0]
    if name not in COMMANDS:
        from difflib import get_close_matches

        close = get_close_matches(name, COMMANDS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        print(f"mma: there is no command {name!r}{hint} `mma --help` lists them", file=sys.stderr)
        raise SystemExit(USAGE)
    # Records are many, long-lived and without cycles: looking for some at every 700 is lost time.
    gc.set_threshold(50_000, 20, 50)
    command: Callable[[list[str]], int] = import_module(COMMANDS[name][0]).main
    raise SystemExit(guarded(command, arguments[1:]))


def guarded(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Runs a command; what a user can mend becomes one line and exit code 2."""
    try:
        return command(arguments)
    except KeyboardInterrupt:
        print("mma: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`mma runs | head`); say nothing, as other tools do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, OSError, KeyError) as error:
        if os.environ.get("HYDRA_FULL_ERROR") == "1":
            raise
        message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        print(f"mma: {' '.join(message.split())}", file=sys.stderr)
        return USAGE


if __name__ == "__main__":
    main()
