"""`mma build`: makes the whole suite. Takes the suite's overrides as `mma run` does: `mma build suite.seed=7`."""

from __future__ import annotations

import resource
import time
from pathlib import Path

from rich.console import Console

from runner.commands.compose import experiment_of


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print(
            "usage: mma build [suite=generated] [suite.seed=N] [suite.sizes.web=N] [suite.workers=N] ...\n\n"
            + str(__doc__)
        )
        return 0
    from benchmark.construct.build import GeneratedSuite
    from runner.display import TerminalDisplay
    from runner.run import make_suite

    started = time.monotonic()
    suite = make_suite(experiment_of(arguments))
    if not isinstance(suite, GeneratedSuite):
        raise ValueError("mma build makes a generated suite; the suite chosen is read from disk as it is")
    with TerminalDisplay() as display:
        info = suite.finish(display.building)
    size = sum(p.stat().st_size for p in Path(suite.folder).rglob("*") if p.is_file())
    peak = max(resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    console = Console(highlight=False)
    console.print(f"suite      {suite.folder}", markup=False)
    console.print(f"cases      {', '.join(f'{d} {n}' for d, n in info.counts.items())}")
    console.print(f"data       {info.data_hash}\npixels     {info.pixel_hash}")
    console.print(
        f"took       {time.monotonic() - started:.0f} s, {size / 1e6:.0f} MB on disk, {peak:.0f} MB peak in one process"
    )
    return 0
