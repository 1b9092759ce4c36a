"""What judging costs: calls streamed beside the victims, and stored answers judged anew.

    python -m tests.performance.judging [--cases 1083] [--victim 0.4] [--judge 0.3] [--in-flight 32]

Three runs against loopback servers with fixed latencies: victims alone (judged by the rules), the judge alone (on the
answers of that run), and both together, one judge call per case. Then the stored answers are judged by the rules once
more. Exits with 1 when streaming takes more than 1.6 times the longer of the two alone, or rejudging over 5 s.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.servers.judging import verdict
from tests.servers.loopback import Plan, spawned
from tests.small_suite import PLANNED, click, write_suite

STREAMING_BAR = 1.6
REJUDGE_BAR_S = 5.0


def mma(folder: Path, *arguments: str) -> tuple[float, float]:
    """Wall and CPU seconds of a command."""
    started = time.monotonic()
    command = [sys.executable, "-m", "runner.cli", *arguments, "tracker=none"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{arguments[:2]} failed with status {status}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1083)
    parser.add_argument("--victim", type=float, default=0.4, help="seconds of a victim's reply")
    parser.add_argument("--judge", type=float, default=0.3, help="seconds of a judge's reply")
    parser.add_argument("--in-flight", type=int, default=32, help="calls of each kind at once")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as scratch,
        spawned(Plan(reply=click(PLANNED.center), latency_s=options.victim)) as victims,
        spawned(Plan(reply=verdict(1), latency_s=options.judge)) as judges,
    ):
        folder = Path(scratch)
        suite = write_suite(folder / "suite", {"web": options.cases})

        def limits(where: str) -> list[str]:
            at_once = options.in_flight
            return [
                f"{where}.limits.max_in_flight={at_once}",
                f"{where}.limits.start_in_flight={at_once}",
                f"{where}.api_key_env=null",
            ]

        judge = [
            "judge=rubric",
            "model@judge.model=openai_compatible",
            f"judge.model.base_url={judges.url}",
            "judge.model.name=j",
        ]
        judge += limits("judge.model")

        def victim(name: str) -> list[str]:
            base = [
                "run",
                "suite=stored",
                f"suite.path={suite}",
                "domain=web",
                "model=openai_compatible",
                "model.space.name=pixel",
                f"run.dir={name}",
            ]
            return [*base, f"model.base_url={victims.url}", "model.name=v", "harness.history=0", *limits("model")]

        mma(folder, *victim("warm"), "limit=8")
        rounds = []
        for n in range(options.rounds):
            alone, _ = mma(folder, *victim(f"alone-{n}"))
            judging, _ = mma(folder, "judge", f"alone-{n}", *judge)
            together, _ = mma(folder, *victim(f"together-{n}"), *judge)
            rejudge, cpu = mma(folder, "judge", f"together-{n}", "judge=rules")
            rounds.append((alone, judging, together, rejudge, cpu))
            summary = json.loads((folder / f"together-{n}" / "summary.json").read_text())
            assert summary["domains"]["web"]["scored"] == summary["judge_calls"] == options.cases
            again = next((folder / f"together-{n}" / "verdicts").glob("rules-*.summary.json"))
            assert json.loads(again.read_text())["domains"]["web"]["scored"] == options.cases
    # What else the machine does can only add to a time, so the least of the rounds is nearest to the truth.
    alone, judging, together, rejudge, cpu = (min(r[i] for r in rounds) for i in range(5))
    ratio = together / max(alone, judging)
    print(f"{options.cases} cases, {options.in_flight} in flight of each kind")
    print(
        f"victims alone {alone:6.1f} s   judge alone {judging:6.1f} s   both {together:6.1f} s   ratio {ratio:.2f} (bar {STREAMING_BAR})"
    )
    print(
        f"rejudging {options.cases} stored answers with the rules: {rejudge:.1f} s, CPU {cpu:.1f} s (bar {REJUDGE_BAR_S:.0f} s)"
    )
    return int(ratio > STREAMING_BAR or rejudge > REJUDGE_BAR_S)


if __name__ == "__main__":
    sys.exit(main())
