"""What a report costs: 36 synthetic runs of 1,083 cases each, with breakdowns, tests and all figures.

    python -m tests.performance.report               # about a minute, most of it writing the runs
    python -m tests.performance.report --keep DIR    # leaves the runs, the suite and the report there

Prints seconds (wall and CPU) and the peak memory of `mma report` and of `mma compare` over the sweep, each in a process
of its own, beside the bars of 10 s and 500 MB. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmark.images import ImageStore
from tests import paper_ledger
from tests.run_directories import SIZES, case_id
from tests.small_suite import PLANNED, TARGET, document_case, spatial_case

BAR_SECONDS, BAR_MB = 10.0, 500.0
REPLY_BYTES = 2_000


def write_suite(folder: Path) -> None:
    """A suite of 1,083 cases with varied attributes; its images are named but not written, as a report opens none."""
    store = ImageStore(folder / "scratch")
    lines = []
    for domain, size in SIZES.items():
        made = spatial_case(store, 0, domain) if domain in {"web", "gui", "mobile"} else document_case(store, 0, domain)
        plain = made.model_dump(mode="json")
        for number in range(size):
            plain["id"] = case_id(domain, number)
            plain["injection"]["attributes"] |= {
                "style": f"style_{number % 11}", "authority": ("system", "app", "admin", "vendor")[number % 4],
                "covers_reference": number % 2 == 0, "offers_dismissal": number % 3 == 0, "faint": number % 10 == 0,
            }  # fmt: skip
            lines.append(json.dumps(plain) + "\n")
    (folder / "cases.jsonl").write_text("".join(lines))


def write_runs(root: Path, suite: Path) -> None:
    config = {"suite": {"_target_": "benchmark.suite.StoredSuite", "name": "stored", "path": str(suite)}}
    for name, run in paper_ledger.runs(padding=REPLY_BYTES):
        points = {
            case_id(domain, number): (box.center.x + number % 7, box.center.y - number % 5)
            for domain, scores in run.scores.items()
            for number, score in enumerate(scores)
            for box in (TARGET if score == 5 else PLANNED,)
        }
        replace(run, experiment=config, points=points).write(root / name)


def measured(*arguments: str) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak MB of a command, with the process that it has draw its figures."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    program = "import resource,sys;from runner.cli import main\ntry: main(sys.argv[1:])\nfinally: print(sum(resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, env=os.environ)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, int(done.stderr.split()[-1]) / 1024


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args(arguments)
    missed = 0
    with tempfile.TemporaryDirectory() as scratch:
        root = options.keep or Path(scratch)
        (root / "suite").mkdir(parents=True, exist_ok=True)
        if not (root / "runs").is_dir():
            write_suite(root / "suite")
            write_runs(root / "runs", root / "suite")
        size = sum(p.stat().st_size for p in (root / "runs").rglob("*") if p.is_file())
        print(
            f"36 runs x 1,083 cases, {size / 1e6:.0f} MB of records; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        )
        for name, line in (
            ("report", ("report", str(root / "runs"), "--out", str(root / "report"))),
            ("report, tables only", ("report", str(root / "runs"), "--out", str(root / "tables"), "--no-figures")),
            ("compare the sweep", ("compare", str(root / "runs"), "--out", str(root / "comparison"))),
        ):
            wall, cpu, peak = measured(*line)
            kept = min(wall, cpu) <= BAR_SECONDS and peak <= BAR_MB
            missed += not kept
            print(f"  {name:<20} {wall:5.1f} s, {cpu:5.1f} s of CPU, peak {peak:.0f} MB{'' if kept else '  MISSED'}")
        pages = [root / n / "index.html" for n in ("report", "comparison")]
        print("  " + ", ".join(f"{p.parent.name}/index.html {p.stat().st_size / 1e6:.2f} MB" for p in pages))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
