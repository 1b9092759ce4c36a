"""What a worker journals until the run's ledger holds it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from runner.ledger import AnswerRecord, IntentRecord, Ledger, VerdictRecord, answer_id
from runner.spool import SEGMENT, Spool, drain


def answer(number: int, attempt: int = 1) -> AnswerRecord:
    key = f"key-{number}"
    return AnswerRecord(
        answer_id=answer_id(key, attempt), request_key=key, attempt=attempt, case_id=f"web-{number:04d}",
        observation="injected", repeat=0,
    )  # fmt: skip


def intent(number: int, attempt: int = 1) -> IntentRecord:
    return IntentRecord(
        request_key=f"key-{number}", attempt=attempt, case_id=f"web-{number:04d}", observation="injected"
    )


def verdict(number: int) -> VerdictRecord:
    return VerdictRecord(answer_id=answer_id(f"key-{number}", 1), parser="p1", judge="j", score=1)


def stored(root: Path) -> int:
    return sum(1 for path in root.rglob("answers.jsonl") for _ in path.open())


def test_what_is_merged_goes_and_what_is_not_stays(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool", "w1")
    spool.add_intent(intent(3 * SEGMENT))
    for number in range(3 * SEGMENT):
        spool.add_intent(intent(number))
        spool.add_answer(answer(number))
    spool.forget(2 * SEGMENT)
    assert stored(tmp_path) == 3 * SEGMENT  # the first intent has no answer yet: its segment is all there is of it
    spool.add_answer(answer(3 * SEGMENT))
    spool.forget(2 * SEGMENT)
    assert stored(tmp_path) == SEGMENT + 1
    spool.close(drop=True)
    assert list(tmp_path.iterdir()) == []


def test_leftovers_are_merged_once_with_their_intents_and_verdicts(tmp_path: Path) -> None:
    root = tmp_path / "spool"
    for name in ("w1", "w2"):
        spool = Spool(root, name)
        spool.add_answer(answer(1))
        spool.add_verdict("verdicts/j-1.jsonl", verdict(1))
        spool.add_intent(intent(2 if name == "w1" else 3))
        spool.close(drop=False)
    with Ledger(tmp_path / "run") as ledger:
        ledger.add_answer(answer(0))
        assert drain(root, ledger) == 1
        assert [a.case_id for a in ledger.answers()] == ["web-0000", "web-0001"]
        assert len(list(ledger.verdicts("verdicts/j-1.jsonl"))) == 1
        assert sorted(i.case_id for i in ledger.in_doubt()) == ["web-0002", "web-0003"]
        assert not root.exists()
        assert drain(root, ledger) == 0


LIVES = """
import sys, time
from pathlib import Path
from runner.spool import Spool
from tests.runner.test_spool import answer
spool = Spool(Path(sys.argv[1]), "alive")
spool.add_answer(answer(5))
print("ready", flush=True)
time.sleep(0.5)
spool.add_answer(answer(6))
print("done", flush=True)
time.sleep(60)
"""


def test_a_worker_that_lives_is_waited_for_and_a_killed_ones_torn_line_costs_only_itself(tmp_path: Path) -> None:
    root = tmp_path / "spool"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(
        [sys.executable, "-c", LIVES, str(root)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        with Ledger(tmp_path / "run") as ledger:
            assert drain(root, ledger) == 0  # it lives: what it writes is its own
            assert process.stdout.readline() == "done\n"
            process.send_signal(signal.SIGKILL)
            started = time.monotonic()
            (folder,) = root.iterdir()
            with (folder / "answers.jsonl").open("a") as file:
                file.write('{"torn": ')
            assert drain(root, ledger, patience_s=20) == 2
            assert time.monotonic() - started < 20
            assert sorted(a.case_id for a in ledger.answers()) == ["web-0005", "web-0006"]
    finally:
        process.kill()
        process.wait()
