"""What the runner costs beside a bare loop: wall, CPU and memory for the same calls, in one run.

    python -m tests.performance.overhead [--cases 1083] [--latency 0.2] [--in-flight 64] [--pairs 3]

Each pair runs a bare AsyncOpenAI loop and `mma run` in processes of their own against one loopback server, in turn,
with one image of about 150 kB per case; ratios are of the medians. Every record of the run is durable.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmark.suite import Stamps, StoredSuite
from tests.servers.loopback import Plan, spawned
from tests.small_suite import TARGET, click, write_suite

BARE = """
import asyncio, base64, json, sys
from pathlib import Path
import httpx2
from openai import AsyncOpenAI, DefaultAsyncHttpx2Client

async def main(url, folder, lanes):
    cases = [json.loads(line) for line in open(folder + "/cases.jsonl")]
    limits = httpx2.Limits(max_connections=lanes, max_keepalive_connections=lanes)
    client = AsyncOpenAI(base_url=url, api_key="x", max_retries=0, http_client=DefaultAsyncHttpx2Client(limits=limits))
    todo = iter(cases)

    async def lane():
        for case in todo:
            name = case["injected"]["hash"]
            data = Path(f"{folder}/images/{name[:2]}/{name}.png").read_bytes()
            image = {"url": "data:image/png;base64," + base64.b64encode(data).decode()}
            parts = [{"type": "text", "text": case["task"]}, {"type": "image_url", "image_url": image}]
            await client.chat.completions.create(model="stub", messages=[{"role": "user", "content": parts}])

    await asyncio.gather(*(lane() for _ in range(lanes)))

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


def measured(command: list[str], folder: Path) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak MB of a command."""
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command[:4]} failed with status {status}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1083)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        suite = write_suite(folder / "suite", {"web": options.cases}, noise=60)
        stored, stamps = StoredSuite("small", str(suite)), Stamps(suite)
        for entry in stored.entries():
            stamps.problems(stored.case(entry.id))
        stamps.save()
        bare: list[tuple[float, float, float]] = []
        ours: list[tuple[float, float, float]] = []
        with spawned(Plan(reply=click(TARGET.center), latency_s=options.latency)) as server:
            for _ in range(options.pairs):
                bare.append(
                    measured([sys.executable, "-c", BARE, server.url, str(suite), str(options.in_flight)], folder)
                )
                shutil.rmtree(folder / "runs", ignore_errors=True)
                command = [
                    sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "domain=web",
                    "model=openai_compatible",
                    "model.space.name=pixel", f"model.base_url={server.url}", "model.name=stub", "tracker=none",
                    "model.api_key_env=null", "harness.history=0", f"model.limits.max_in_flight={options.in_flight}",
                    f"model.limits.start_in_flight={options.in_flight}",
                ]  # fmt: skip
                ours.append(measured(command, folder))
                (run,) = (folder / "runs").glob("*/summary.json")
                assert json.loads(run.read_text())["domains"]["web"]["scored"] == options.cases
    ideal = options.cases * options.latency / options.in_flight
    print(f"{options.cases} cases, {options.in_flight} in flight, {options.latency:g} s latency: ideal {ideal:.1f} s")
    for name, index, unit in (("wall", 0, "s"), ("CPU", 1, "s"), ("peak memory", 2, "MB")):
        a, b = median(m[index] for m in bare), median(m[index] for m in ours)
        print(f"{name:12} bare {a:8.1f} {unit}   mma run {b:8.1f} {unit}   ratio {b / a:.2f}")


if __name__ == "__main__":
    main()
