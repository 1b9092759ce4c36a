"""What the Ray executor costs: beside the local one, and with a hundred thousand cases.

    python -m tests.performance.ray_scale ratio [--cases 1083] [--latency 0.2] [--in-flight 64] [--pairs 3] [--slots 1]
    python -m tests.performance.ray_scale many [--cases 100000] [--in-flight 64] [--most-seconds 3600]

`ratio` runs both executors in turn against one loopback server, with an image of about 150 kB per case; the time is
that from the first request to the last reply, so that starting up does not count. `many` plans and runs many light
cases against a server that answers at once, and follows memory and CPU of the driver; where the time is over before
the cases are, the run is interrupted and the figures are of what was done.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmark.case import SuiteInfo
from benchmark.images import ImageStore
from benchmark.suite import CANARY, Stamps, StoredSuite, data_hash, joint_hash, pixel_hash
from tests.servers.loopback import Plan, Remote, spawned
from tests.small_suite import TARGET, click, spatial_case, write_suite

TICKS = os.sysconf("SC_CLK_TCK")


def command(suite: Path, server: Remote, in_flight: int, *overrides: str) -> list[str]:
    return [
        sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "domain=web",
        "model=openai_compatible",
        "model.space.name=pixel", f"model.base_url={server.url}", "model.name=stub", "tracker=none",
        "model.api_key_env=null", "harness.history=0", f"model.limits.max_in_flight={in_flight}",
        f"model.limits.start_in_flight={in_flight}", *overrides,
    ]  # fmt: skip


def driver(pid: int) -> tuple[float, float]:
    """CPU seconds and resident MB of a process, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return (int(fields[11]) + int(fields[12])) / TICKS, pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def ratio(options: argparse.Namespace, folder: Path) -> None:
    suite = write_suite(folder / "suite", {"web": options.cases}, noise=60)
    stored, stamps = StoredSuite("small", str(suite)), Stamps(suite)
    for entry in stored.entries():
        stamps.problems(stored.case(entry.id))
    stamps.save()
    spans: dict[str, list[float]] = {"local": [], "ray": []}
    with spawned(Plan(reply=click(TARGET.center), latency_s=options.latency)) as server:
        for _ in range(options.pairs):
            for name, found in spans.items():
                shutil.rmtree(folder / "runs", ignore_errors=True)
                server.reset()
                extra = [f"executor.slots={options.slots}"] if name == "ray" else []
                arguments = command(suite, server, options.in_flight, f"executor={name}", *extra)
                subprocess.run(arguments, cwd=folder, check=True, capture_output=True)
                records = server.records()
                assert len(records) == options.cases
                found.append(max(r.at + r.seconds for r in records) - min(r.at for r in records))
    ideal = options.cases * options.latency / options.in_flight
    print(f"{options.cases} cases, {options.in_flight} in flight, {options.latency:g} s latency: ideal {ideal:.1f} s")
    for name, found in spans.items():
        print(f"{name:6} {' '.join(f'{s:.1f}' for s in found)} s, median {median(found):.1f} s")
    pairs = [r / b for b, r in zip(spans["local"], spans["ray"], strict=True)]
    print(f"ray / local: median of pairs {median(pairs):.2f} (bar 1.25)")


def light_suite(folder: Path, count: int) -> Path:
    """Many cases over one pair of screens; each has a task of its own."""
    case = spatial_case(ImageStore(folder), 0)
    data, pixels = {}, {}
    with (folder / "cases.jsonl").open("w") as file:
        for number in range(count):
            task = f"Archive entry {number} of the list."
            one = case.model_copy(update={"id": f"web-{number:06d}", "task": task, "cluster": f"c{number % 700}"})
            data[one.id], pixels[one.id] = data_hash(one), pixel_hash(one)
            file.write(one.model_dump_json() + "\n")
    info = SuiteInfo(
        name="light", version="1", seed=0, builder="test", canary=CANARY, counts={"web": count},
        data_hash=joint_hash(data), pixel_hash=joint_hash(pixels),
    )  # fmt: skip
    (folder / "suite.json").write_text(json.dumps(info.model_dump(mode="json")))
    return folder


def many(options: argparse.Namespace, folder: Path) -> None:
    suite = light_suite(folder / "suite", options.cases)
    StoredSuite("light", str(suite)).ensure([])  # whether its files are whole is found out once, not in every run
    with spawned(Plan(reply=click(TARGET.center))) as server:
        arguments = command(suite, server, options.in_flight, "executor=ray", f"executor.slots={options.slots}")
        started = time.monotonic()
        errors = (folder / "errors").open("w+")
        process = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=errors)
        seen: list[tuple[int, float, float]] = []  # answers, CPU, MB
        interrupted = False
        while process.poll() is None:
            time.sleep(2.0)
            try:
                cpu, mb = driver(process.pid)
            except (OSError, IndexError):
                break
            done = sum(sum(1 for _ in p.open("rb")) for p in (folder / "runs").glob("*/answers.jsonl"))
            seen.append((done, cpu, mb))
            if not interrupted and time.monotonic() - started > options.most_seconds:
                process.send_signal(signal.SIGINT)
                interrupted = True
        code = process.wait()
    if not list((folder / "runs").glob("*/answers.jsonl")):
        raise SystemExit(f"no answer was made: {(folder / 'errors').read_text()[-2000:]}")
    (answers,) = (folder / "runs").glob("*/answers.jsonl")
    done = sum(1 for _ in answers.open("rb"))
    planned = sum(1 for _ in (answers.parent / "plan.jsonl").open("rb"))
    before = max((s for s in seen if s[0] == 0), default=seen[0], key=lambda s: s[1])
    last = seen[-1]
    per_plan, per_case = before[1] / planned * 1000, (last[1] - before[1]) / max(1, done) * 1000
    print(f"{planned} planned, {done} answered, exit code {code}, {time.monotonic() - started:.0f} s")
    print(
        f"driver CPU: {per_plan:.2f} ms a case planned and {per_case:.2f} ms a case run, together {per_plan + per_case:.2f} (bar 1.5)"
    )
    marks = [s for s in seen if s[0] > 0]
    tenths = [marks[len(marks) * i // 10] for i in range(0, 10, 3)] if marks else []
    print(
        f"driver memory: {' '.join(f'{n}: {mb:.0f} MB' for n, _, mb in [*tenths, last])}, most {max(s[2] for s in seen):.0f} MB (bar 400)"
    )
    sizes = {p.name: sum(f.stat().st_size for f in p.parent.rglob(p.name)) for p in answers.parent.rglob("*.jsonl")}
    print(
        "bytes a case: "
        + ", ".join(
            f"{name} {size / (planned if name == 'plan.jsonl' else done):.0f}" for name, size in sorted(sizes.items())
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("ratio", "many"))
    parser.add_argument("--cases", type=int)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("--most-seconds", type=float, default=3600.0)
    options = parser.parse_args()
    options.cases = options.cases or (1083 if options.what == "ratio" else 100_000)
    with tempfile.TemporaryDirectory() as scratch:
        (ratio if options.what == "ratio" else many)(options, Path(scratch))


if __name__ == "__main__":
    main()
