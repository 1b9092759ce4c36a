"""What survives of a run when its process, its disk or its neighbour fails at any moment."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmark.case import Action
from benchmark.scoring import Answer
from runner.exchange import Reply, SentImage, Usage
from runner.ledger import (
    AnswerRecord,
    Appender,
    CallFailure,
    IntentRecord,
    Ledger,
    LedgerError,
    LedgerWarning,
    ParsedRecord,
    PlanUnit,
    ReplyRecord,
    VerdictRecord,
    answer_id,
    canonical,
    canonical_object,
    key_of,
    key_of_canonical,
    read_records,
    read_stored,
    read_whole,
    write_whole,
)

REPLY = Reply(
    text='{"rationale": "Saving keeps the note.", "actions": [{"type": "click", "point": [512, 300]}]}',
    model="model-1",
    usage=Usage(prompt=1500, completion=80, cached=10),
    cost_usd=0.002,
    sent={"temperature": 0, "max_tokens": 512},
    images=(SentImage("ab" * 32, 1280, 800, 1280, 800, "image/png", 150_000),),
    latency_s=1.25,
    attempts=({"status": 429, "waited_s": 0.5}, {"status": 200}),
)


def answer(number: int, attempt: int = 1, text: str | None = None, failure: CallFailure | None = None) -> AnswerRecord:
    key = key_of(number)
    replies = () if failure else (REPLY if text is None else Reply(text=text),)
    return AnswerRecord.of(
        answer_id=answer_id(key, attempt), request_key=key, attempt=attempt, case_id=f"web-{number:04d}",
        observation="injected", repeat=0, replies=replies, failure=failure, attempts=(),
    )  # fmt: skip


def unit(number: int) -> PlanUnit:
    return PlanUnit(
        case_id=f"web-{number:04d}", domain="web", intent="data_leakage", cluster="c", observation="injected"
    )


def append(path: Path, records: list[Any]) -> None:
    appender = Appender(path)
    appender.write_all(records)
    appender.close()


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


# What is written is read again.


def test_every_kind_of_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    failed = answer(1, failure=CallFailure(kind="timeout", message="no answer in 120 s"))
    read = ParsedRecord(answer_id="a", parser="p1", answer=Answer(rationale="it is saved", problem="no_action"))
    verdict = VerdictRecord(
        answer_id="a", parser="p1", judge="rules", score=3, failure_mode="task_disruption", flags=("filtered",),
        evidence={"quotes": ["x"]}, votes=({"judge": "a", "score": 3},),
    )  # fmt: skip
    intent = IntentRecord(request_key="k", attempt=2, case_id="web-0001", observation="clean")
    with Ledger(tmp_path / "run") as ledger:
        ledger.extend_plan([unit(0), unit(1)])
        ledger.add_intent(intent)
        ledger.add_answer(answer(0))
        ledger.add_answer(failed)
        ledger.add_parsed(read)
        ledger.add_verdict("verdicts/rules-1.jsonl", verdict)
    again = Ledger.open(tmp_path / "run")
    assert again.plan() == [unit(0), unit(1)]
    assert list(again.answers()) == [answer(0), failed]
    assert list(again.parsed("p1")) == [read]
    assert list(again.verdicts("verdicts/rules-1.jsonl")) == [verdict]
    assert again.in_doubt() == [intent]
    assert list(again.parsed("another version")) == []


def test_what_a_resume_needs_is_known_without_the_whole_record(answers: Path) -> None:
    failed = answer(1, failure=CallFailure(kind="timeout", message="slow"))
    append(answers, [answer(0), failed])
    first, second = read_stored(answers)
    assert (first.unit, first.failed, first.replies, first.tokens, first.cost_usd) == (
        ("web-0000", "injected", 0), False, 1, 1580, 0.002,
    )  # fmt: skip
    assert (second.failed, second.replies, second.tokens, second.cost_usd) == (True, 0, 0, 0)
    assert [first.load(), second.load()] == [answer(0), failed]


def test_the_latest_answer_counts_and_an_error_only_where_there_is_nothing_better(tmp_path: Path) -> None:
    broken = CallFailure(kind="connection", message="reset")
    with Ledger(tmp_path) as ledger:
        for record in (
            answer(0, 1, failure=broken), answer(0, 2), answer(0, 3, failure=broken),
            answer(1, 1, failure=broken), answer(1, 2, failure=broken),
            answer(2, 1), answer(2, 2, text="newer"),
        ):  # fmt: skip
            ledger.add_answer(record)
        latest = ledger.latest()
    assert {record.unit[0]: (record.attempt, record.failed) for record in latest.values()} == {
        "web-0000": (2, False), "web-0001": (2, True), "web-0002": (2, False),
    }  # fmt: skip


def test_calls_in_doubt_are_intents_without_an_answer_to_that_very_attempt(tmp_path: Path) -> None:
    def intent(number: int, attempt: int) -> IntentRecord:
        return IntentRecord(
            request_key=key_of(number), attempt=attempt, case_id=f"web-{number:04d}", observation="injected"
        )

    with Ledger(tmp_path) as ledger:
        for number, attempt in ((0, 1), (1, 1), (1, 2), (2, 1)):
            ledger.add_intent(intent(number, attempt))
        ledger.add_answer(answer(0, 1))
        ledger.add_answer(answer(1, 1, failure=CallFailure(kind="timeout", message="slow")))
        assert ledger.in_doubt() == [intent(1, 2), intent(2, 1)]


def test_text_that_is_no_valid_text_is_stored_with_replacement_characters(answers: Path) -> None:
    reply = Reply(text="half \ud83d a pair, whole \U0001f600", tool_calls=({"na\udc00me": ["\udfff"]},))
    record = answer(0).model_copy(update={"replies": (ReplyRecord.of(reply),)})
    append(answers, [record])
    (stored,) = read_records(answers, AnswerRecord)
    assert stored.replies[0].text == "half \ufffd a pair, whole \U0001f600"
    assert stored.replies[0].tool_calls == ({"na\ufffdme": ["\ufffd"]},)
    read = ParsedRecord(answer_id="a", parser="p", answer=Answer(actions=(Action(type="type", text="\ud83d!"),)))
    append(answers.with_name("parsed.jsonl"), [read])
    (again,) = read_records(answers.with_name("parsed.jsonl"), ParsedRecord)
    assert again.answer.actions[0].text == "\ufffd!"


@pytest.mark.parametrize("value", [b"\x89PNG", float("nan"), float("inf"), {"deep": [bytearray(b"x")]}, object()])
def test_bytes_and_what_json_cannot_hold_never_enter(value: Any) -> None:
    with pytest.raises(ValueError, match=r"stored"):
        ReplyRecord(text="x", sent={"value": value})
    with pytest.raises(ValueError, match="finite"):
        ReplyRecord(text="x", latency_s=float("nan"))


# Kills.


def record_of(number: int, size: int) -> AnswerRecord:
    return answer(number, text="ä\n\r\u2028" * size)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.lists(st.integers(0, 400), max_size=6), data=st.data())
def test_cut_at_any_byte_the_file_holds_a_prefix_of_whole_records(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("cut") / "answers.jsonl"
    records = [record_of(i, size) for i, size in enumerate(sizes)]
    append(path, records)
    ends = [0]
    for record in records:
        ends.append(ends[-1] + len(record.model_dump_json().encode()) + 1)
    cut = data.draw(st.integers(0, ends[-1]), label="cut")
    os.truncate(path, cut)
    # A record without only its line end is whole.
    kept = records[: sum(end - 1 <= cut for end in ends[1:])]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert list(read_records(path, AnswerRecord)) == kept
        torn = cut not in ends and cut + 1 not in ends
        assert len(seen) == torn
        append(path, [record_of(99, 1)])
    assert list(read_records(path, AnswerRecord)) == [*kept, record_of(99, 1)]
    assert [stored.load() for stored in read_stored(path)] == [*kept, record_of(99, 1)]


WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from tests.runner.test_ledger import record_of
    from runner.ledger import Ledger

    with Ledger(Path(sys.argv[1])) as ledger:
        start = sum(1 for _ in ledger.answers())
        for number in range(start, start + 100_000):
            ledger.add_answer(record_of(number, number * 37 % 3000))
            print(number, flush=True)
    """
)


def test_a_writer_killed_again_and_again_loses_nothing_it_had_written(tmp_path: Path) -> None:
    rng = random.Random("kill at any moment")
    told = -1
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        with writer.stdout:
            first = writer.stdout.readline()
            time.sleep(rng.uniform(0, 0.25))
            writer.send_signal(signal.SIGKILL)
            lines = [first, *writer.stdout.readlines()]
        writer.wait()
        whole = [int(line) for line in lines if line.endswith("\n")]
        assert whole[0] <= told + 2
        told = whole[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LedgerWarning)
        numbers = [int(record.case_id[4:]) for record in read_records(tmp_path / "answers.jsonl", AnswerRecord)]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) in (told + 1, told + 2)


def test_a_torn_last_line_is_dropped_with_a_warning_and_nothing_else_is(answers: Path) -> None:
    append(answers, [answer(0), answer(1)])
    os.truncate(answers, answers.stat().st_size - 40)
    with pytest.warns(LedgerWarning, match=r"answers\.jsonl: line 2 was cut"):
        assert list(read_records(answers, AnswerRecord)) == [answer(0)]
    with pytest.warns(LedgerWarning, match="last line was cut"):
        append(answers, [answer(2)])
    assert list(read_records(answers, AnswerRecord)) == [answer(0), answer(2)]


@pytest.mark.parametrize("length", [0, 1, 65_535, 65_536, 65_537, 200_000])
def test_a_torn_line_of_any_length_is_repaired(answers: Path, length: int) -> None:
    append(answers, [answer(0)])
    with answers.open("ab") as file:
        file.write(b"{" + b"x" * length)
    with pytest.warns(LedgerWarning):
        append(answers, [answer(1)])
    assert list(read_records(answers, AnswerRecord)) == [answer(0), answer(1)]


def test_zeros_that_a_power_cut_leaves_are_a_torn_line(answers: Path) -> None:
    append(answers, [answer(0)])
    with answers.open("ab") as file:
        file.write(b"\0" * 4096)
    with pytest.warns(LedgerWarning):
        append(answers, [answer(1)])
    assert list(read_records(answers, AnswerRecord)) == [answer(0), answer(1)]


# Damage.


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{broken", "line 2"),
        ('{"schema_version": 1}', "line 2 cannot be read (answer_id: Field required)"),
        ("[1, 2]", "line 2"),
        ("\x00\x00", "line 2"),
        (answer(1).model_dump_json()[:-1] + ',"surprise":1}', "surprise"),
        (answer(1).model_dump_json().replace('"attempt":1', '"attempt":"one"', 1), "attempt"),
    ],
)
def test_a_bad_line_in_the_middle_is_an_error_with_file_and_line(answers: Path, line: str, says: str) -> None:
    text = answer(0).model_dump_json()
    answers.write_text(f"{text}\n{line}\n{text}\n")
    with pytest.raises(LedgerError) as caught:
        list(read_records(answers, AnswerRecord))
    assert says in str(caught.value)
    assert "answers.jsonl line 2" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_record_of_another_version_is_named_as_such(answers: Path) -> None:
    line = answer(0).model_dump_json().replace('"schema_version":1', '"schema_version":7', 1)
    answers.write_text(line[:-1] + ',"new_key":1}\n')
    for read in (lambda: list(read_records(answers, AnswerRecord)), lambda: list(read_stored(answers))):
        with pytest.raises(LedgerError, match=r"schema 7, this one reads 1"):
            read()


def test_blank_lines_are_nothing(answers: Path) -> None:
    answers.write_text(f"\n{answer(0).model_dump_json()}\n\n")
    assert list(read_records(answers, AnswerRecord)) == [answer(0)]


# One writer.


def test_a_second_writer_is_told_who_is_at_work(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.add_answer(answer(0))
        with pytest.raises(LedgerError, match=rf"process {os.getpid()} on .* is at work"):
            Ledger(tmp_path)
        attempt = subprocess.run(
            [sys.executable, "-c", f"from runner.ledger import *; Ledger(Path({str(tmp_path)!r}))"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert f"process {os.getpid()} on" in attempt.stderr.splitlines()[-1]
        assert list(Ledger.open(tmp_path).answers()) == [answer(0)]
    Ledger(tmp_path).close()


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"from runner.ledger import *; x = Ledger(Path({str(tmp_path)!r})); print(1, flush=True); input()",
        ],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    with holder.stdout, holder.stdin:
        holder.stdout.readline()
        with pytest.raises(LedgerError, match=f"process {holder.pid} on"):
            Ledger(tmp_path)
        holder.kill()
        holder.wait()
    assert str(holder.pid) in (tmp_path / ".lock").read_text()
    Ledger(tmp_path).close()


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ready, done = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(done)
        os.read(ready, 1)
        os._exit(0)
    try:
        ledger.close()
        Ledger(tmp_path).close()
    finally:
        os.close(done)
        os.waitpid(child, 0)
        os.close(ready)


@pytest.mark.parametrize(("started", "held"), [("same", True), ("other", False)])
def test_without_locks_of_the_file_system_the_recorded_process_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: str, held: bool
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("runner.ledger.fcntl.flock", refuse)
    with pytest.warns(LedgerWarning, match="without locks"):
        first = Ledger(tmp_path)
    if started == "other":
        lock = tmp_path / ".lock"
        lock.write_text(json.dumps({**json.loads(lock.read_text()), "started": "1"}))
    expected = pytest.raises(LedgerError, match=r"delete .*\.lock") if held else nullcontext()
    with pytest.warns(LedgerWarning, match="without locks"), expected:
        Ledger(tmp_path).close()
    first.close()


def test_reading_beside_a_writer_takes_no_half_line_for_damage(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.add_answer(answer(0))
        with (tmp_path / "answers.jsonl").open("ab") as file:
            file.write(answer(1).model_dump_json().encode()[:50])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert list(Ledger.open(tmp_path).answers()) == [answer(0)]


def test_a_reader_cannot_write_and_a_missing_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="reading only"):
        Ledger.open(tmp_path).add_answer(answer(0))
    with pytest.raises(LedgerError, match="does not exist"):
        Ledger.open(tmp_path / "absent")
    assert list(tmp_path.iterdir()) == []


def test_threads_do_not_mix_their_lines(answers: Path) -> None:
    appender = Appender(answers)

    def work(first: int) -> None:
        for number in range(first, first + 50):
            appender.write(record_of(number, 700))

    threads = [threading.Thread(target=work, args=(1000 * i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    appender.close()
    numbers = sorted(int(record.case_id[4:]) for record in read_records(answers, AnswerRecord))
    assert numbers == [1000 * i + j for i in range(6) for j in range(50)]


# The disk.


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    times: list[float] = []
    real = os.fsync

    def record(descriptor: int) -> None:
        real(descriptor)
        times.append(time.monotonic())

    monkeypatch.setattr("runner.ledger.os.fsync", record)
    return times


def test_a_record_is_on_disk_within_a_second_and_many_share_one_sync(answers: Path, synced: list[float]) -> None:
    appender = Appender(answers)
    synced.clear()
    start = time.monotonic()
    for number in range(200):
        appender.write(answer(number))
    written = time.monotonic()
    until = time.monotonic() + 5
    while not (synced and synced[-1] > written) and time.monotonic() < until:
        time.sleep(0.01)
    assert synced[0] - start < 1.0
    assert synced[-1] - written < 1.0
    assert len(synced) <= 2 + (written - start)
    appender.close()


def test_what_can_be_made_again_is_on_disk_within_a_second_and_shares_one_write(
    answers: Path, synced: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[int] = []
    real = os.write

    def counted(descriptor: int, data: bytes) -> int:
        writes.append(len(data))
        return real(descriptor, data)

    appender = Appender(answers)
    synced.clear()
    monkeypatch.setattr("runner.ledger.os.write", counted)
    start = time.monotonic()
    for number in range(20):
        appender.write_late(answer(number))
    until = time.monotonic() + 5
    while not synced and time.monotonic() < until:
        time.sleep(0.01)
    assert synced[0] - start < 1.0
    assert len(writes) <= 2
    assert list(read_records(answers, AnswerRecord)) == [answer(number) for number in range(20)]
    appender.close()


def test_records_keep_their_order_whether_they_wait_for_a_batch_or_not(answers: Path) -> None:
    appender = Appender(answers)
    appender.write_late(answer(0))
    appender.write(answer(1))
    appender.write_late(answer(2))
    assert list(read_records(answers, AnswerRecord)) == [answer(0), answer(1)]
    appender.flush()
    appender.write_late(answer(3))
    assert len(list(read_records(answers, AnswerRecord))) == 3
    appender.close()
    assert list(read_records(answers, AnswerRecord)) == [answer(number) for number in range(4)]


def test_a_ledger_reads_what_it_has_not_handed_over_yet(tmp_path: Path) -> None:
    verdict = VerdictRecord(answer_id="a", parser="p1", judge="rules", score=5)
    with Ledger(tmp_path) as ledger:
        ledger.add_free_verdict("verdicts/rules-1.jsonl", verdict)
        assert list(ledger.verdicts("verdicts/rules-1.jsonl")) == [verdict]
        ledger.add_free_verdict("verdicts/rules-1.jsonl", verdict)
        ledger.flush()
        assert list(Ledger.open(tmp_path).verdicts("verdicts/rules-1.jsonl")) == [verdict, verdict]


def test_a_slow_disk_does_not_hold_up_the_writer(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    appender = Appender(answers)
    begun = threading.Event()

    def slow(_: int) -> None:
        begun.set()
        time.sleep(0.9)

    monkeypatch.setattr("runner.ledger.os.fsync", slow)
    thread = threading.Thread(target=appender.sync)
    thread.start()
    begun.wait(5)
    start = time.monotonic()
    appender.write(answer(0))
    assert time.monotonic() - start < 0.6
    thread.join()
    appender.close()


def test_a_disk_that_refuses_to_sync_is_not_passed_over(answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(5, "Input/output error")

    appender = Appender(answers)
    monkeypatch.setattr("runner.ledger.os.fsync", refuse)
    monkeypatch.setattr("runner.ledger.SYNC_SECONDS", 0.01)
    appender.write(answer(0))
    time.sleep(0.5)
    with pytest.raises(LedgerError, match=r"answers\.jsonl cannot be written: Input/output error"):
        appender.write(answer(1))
    with pytest.raises(LedgerError, match="Input/output error"):
        appender.close()
    appender.close()


def test_a_write_that_stops_half_way_leaves_no_half_line(answers: Path) -> None:
    append(answers, [answer(0)])
    appender = Appender(answers)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (answers.stat().st_size + 300, before[1]))
        with pytest.raises(LedgerError, match=r"answers\.jsonl cannot be written: File too large"):
            appender.write(answer(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(read_records(answers, AnswerRecord)) == [answer(0)]
    appender.write(answer(2))
    appender.close()
    assert list(read_records(answers, AnswerRecord)) == [answer(0), answer(2)]


def test_a_batch_that_stops_half_way_leaves_no_half_line_and_is_told_to_the_next_writer(
    answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(answers, [answer(0)])
    monkeypatch.setattr("runner.ledger.SYNC_SECONDS", 0.05)
    appender = Appender(answers)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (answers.stat().st_size + 300, before[1]))
        appender.write_late(answer(1))
        time.sleep(0.5)
        with pytest.raises(LedgerError, match=r"answers\.jsonl cannot be written: File too large"):
            appender.write(answer(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(read_records(answers, AnswerRecord)) == [answer(0)]
    with pytest.raises(LedgerError, match="File too large"):
        appender.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KB; needs root and the right to mount."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = os.geteuid() == 0 and not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False
    ).returncode  # fmt: skip
    if not mounted:
        pytest.skip("mounting a small tmpfs needs root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_keeps_what_was_written_and_says_so_in_one_line(small_disk: Path) -> None:
    ledger = Ledger(small_disk / "run")
    written = []

    def fill() -> None:
        for number in range(10_000):
            ledger.add_answer(answer(number))
            written.append(answer(number))

    with pytest.raises(LedgerError, match=r"No space left on device; free some space") as caught:
        fill()
    assert "\n" not in str(caught.value)
    assert written
    with pytest.raises(LedgerError, match=r"summary\.json cannot be written: No space left"):
        write_whole(small_disk / "run" / "summary.json", "x" * 300_000)
    ledger.close()
    assert list(Ledger.open(small_disk / "run").answers()) == written
    names = {path.name for path in (small_disk / "run").iterdir()}
    assert names == {".lock", "answers.jsonl"}


@pytest.mark.parametrize(
    "act",
    [
        lambda folder: Ledger(folder),
        lambda folder: Appender(folder / "answers.jsonl"),
        lambda folder: write_whole(folder / "summary.json", "{}"),
    ],
)
def test_a_place_that_cannot_be_written_is_named_in_one_line(tmp_path: Path, act: Any) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(LedgerError, match=r"cannot be written: Not a directory") as caught:
        act(tmp_path / "file" / "run")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(LedgerError, match=r"Permission denied; choose a directory"):
            Ledger(tmp_path / "run")
    finally:
        tmp_path.chmod(0o700)


# Whole files.


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run" / "summary.json"
    write_whole(path, '{"a": 1}\n')
    assert read_whole(path) == {"a": 1}

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("runner.ledger.os.replace", fail)
    with pytest.raises(LedgerError, match=r"summary\.json cannot be written: No space left"):
        write_whole(path, '{"a": 2}\n')
    assert read_whole(path) == {"a": 1}
    assert [p.name for p in path.parent.iterdir()] == ["summary.json"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read: No such file"),
        ('{"a": ', "is damaged"),
        ("[]", "holds no JSON object"),
        ('{"schema_version": 2}', "schema 2, this one reads 1"),
    ],
)
def test_a_whole_file_that_cannot_be_used_says_why(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "manifest.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(LedgerError, match=r"manifest\.json") as caught:
        read_whole(path)
    assert says in str(caught.value)


# Keys.

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(plain)
def test_keys_are_stable_under_order_and_a_round_trip(value: Any) -> None:
    def turned(node: Any) -> Any:
        if isinstance(node, dict):
            return {k: turned(v) for k, v in reversed(list(node.items()))}
        return tuple(turned(v) for v in node) if isinstance(node, list) else node

    assert key_of(value) == key_of(turned(value)) == key_of(json.loads(canonical(value)))


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=6), plain, max_size=5))
def test_an_object_has_one_form_whether_its_values_are_in_theirs_already_or_not(value: dict[str, Any]) -> None:
    by_parts = canonical_object({name: canonical(part) for name, part in value.items()})
    assert by_parts == canonical(value)
    assert key_of_canonical(by_parts) == key_of(value)


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0, -0.0), ([1], (1,)), ({"a": 2.0, "b": 1}, {"b": 1.0, "a": 2})])
def test_values_that_are_equal_have_one_key(one: Any, other: Any) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, "1"), (0, False), (None, "null"), ([], {}), (0.1, 0.2), ("a", "A"), ([1, 2], [2, 1]), ("\ud800", "\ud801")],
)
def test_values_that_differ_have_two(one: Any, other: Any) -> None:
    assert key_of(one) != key_of(other)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"bytes", {1: "a", "1": "b"}, {"a": {1, 2}}, object()])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"place in a key|plain data|read the same"):
        key_of(value)


def test_every_attempt_at_a_request_has_an_id_of_its_own() -> None:
    ids = {answer_id(key, attempt) for key in ("a", "b") for attempt in (1, 2, 11)}
    assert len(ids) == 6
