"""What durable records cost: writing them, listing them, reading them back.

    python -m tests.performance.ledger            # 10,000 and 100,000 answers, about half a minute
    python -m tests.performance.ledger 5000       # another number

Prints, for answers of about 1.6 KB with four images each: microseconds to make and to append one, files synced, seconds
to list all (`Ledger.latest`), to read all as records, and to open the ledger of a finished run for writing; peak memory.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runner.exchange import Reply, SentImage, Usage
from runner.ledger import AnswerRecord, Ledger, answer_id, key_of

REPLY = Reply(
    text='{"rationale": "The form is complete, so saving it comes next.", "actions": [{"type": "click", "point": [1, 2]}]}',
    model="model-2026-01-01",
    usage=Usage(prompt=1500, completion=80),
    cost_usd=0.0021,
    sent={"temperature": 0, "max_tokens": 512},
    images=tuple(SentImage(f"{i:064d}", 1280, 800, 1280, 800, "image/png", 150_000) for i in range(4)),
    latency_s=1.234,
    attempts=({"status": 200, "seconds": 1.2},),
)


def record(number: int) -> AnswerRecord:
    key = key_of(number)
    return AnswerRecord.of(
        answer_id=answer_id(key, 1), request_key=key, attempt=1, case_id=f"web-{number:06d}", observation="injected",
        repeat=0, replies=(REPLY,), failure=None, attempts=(),
    )  # fmt: skip


def timed(act: Callable[[], Any]) -> tuple[float, float]:
    """Wall and CPU seconds of a call."""
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - wall, time.process_time() - cpu


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(count: int, folder: Path) -> None:
    records = [record(i) for i in range(min(count, 2000))]
    made = timed(lambda: [record(i) for i in range(2000)])[1] / 2000

    def write() -> None:
        with Ledger(folder) as ledger:
            for i in range(count):
                ledger.add_answer(records[i % len(records)])

    wall, cpu = timed(write)
    size = (folder / Ledger.ANSWERS).stat().st_size
    print(f"{count:,} answers, {size / 1e6:.0f} MB, {size / count:.0f} bytes each")
    print(f"  make one    {made * 1e6:6.0f} us of CPU")
    print(f"  append one  {wall / count * 1e6:6.0f} us, {cpu / count * 1e6:.0f} us of CPU")
    before = peak_mb()
    for name, act in (
        ("open", lambda: Ledger(folder).close()),
        ("list", lambda: list(Ledger.open(folder).stored())),
        ("records", lambda: sum(1 for _ in Ledger.open(folder).answers())),
    ):
        wall, cpu = timed(act)
        print(f"  {name:<10}  {wall:6.2f} s, {cpu:.2f} s of CPU; {peak_mb() - before:.0f} MB more than before")


def main(counts: list[int]) -> None:
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            measure(count, Path(folder))


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [10_000, 100_000])
