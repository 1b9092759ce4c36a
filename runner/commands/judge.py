"""`mma judge RUN judge=...`: parses and scores the stored answers of a run with another judge, without a victim call.

Its verdicts go to a file of their own and its figures beside them, so that any number of judges can look at one run;
`--primary` makes this judge the one that the run is known by. The same command again asks only for what is missing.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="mma judge",
        description="Parses and scores the stored answers of a run with another judge, without a victim call.",
        epilog="example: mma judge runs/gpt-5-standard-injected-1a2b3c4d judge=rubric model@judge.model=gpt_5",
    )
    parser.add_argument("run", type=Path, help="a run directory")
    parser.add_argument("overrides", nargs="*", metavar="OVERRIDE", help="judge=..., tracker=..., budget.usd=...")
    parser.add_argument("--primary", action="store_true", help="make this judge's verdicts those of summary.json")
    options = parser.parse_intermixed_args(arguments)

    from runner.commands.compose import experiment_of
    from runner.config import ConfigError
    from runner.display import TerminalDisplay
    from runner.report.table import show_result
    from runner.run import rejudge

    known = ("judge", "tracker", "executor", "budget", "model@judge", "+judge@judge", "hydra")
    for override in options.overrides:
        key = override.lstrip("~").split("=")[0]
        if key.lstrip("+").split(".")[0] not in {k.lstrip("+") for k in known}:
            raise ConfigError(
                f"{key} does not change how stored answers are judged; give judge=..., tracker=..., executor=... or budget.*"
            )
    judging = experiment_of(list(options.overrides))
    with TerminalDisplay() as display:
        result = rejudge(options.run, judging, display, options.primary)
    show_result(result)
    return result.exit_code
