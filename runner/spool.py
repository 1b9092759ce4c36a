"""What a worker has journalled and the run's ledger does not hold yet.

A worker writes each record here before its call returns, in a folder of its own on its node; the driver merges it into
the run's ledger, puts it on disk, and says so; then the worker drops it. What a killed worker or driver leaves is
merged by the next session. A spool is a row of small ledgers, so that it has their locks and their repairs, and so
that what is merged can go while the worker goes on.
"""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from runner.ledger import (
    AnswerRecord,
    IntentRecord,
    Ledger,
    LedgerError,
    VerdictRecord,
    read_records,
)

SEGMENT = 256
"""Records in one ledger of a spool."""


@dataclass(frozen=True)
class Salvage:
    """What one ledger of a spool holds."""

    intents: tuple[IntentRecord, ...]
    answers: tuple[AnswerRecord, ...]
    verdicts: tuple[tuple[str, VerdictRecord], ...]


@dataclass
class _Segment:
    ledger: Ledger
    last: int
    pending: set[tuple[str, int]] = field(default_factory=set)


class Spool:
    """The journal of one worker for one run; `name` is the worker's, and no other's."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self._name = name
        self._made = 0
        self._written = 0
        self._segments: deque[_Segment] = deque()

    def _current(self) -> _Segment:
        if not self._segments or self._written >= self._segments[-1].last:
            self._made += 1
            ledger = Ledger(self.root / f"{self._name}-{self._made:06d}")
            self._segments.append(_Segment(ledger, self._written + SEGMENT))
        return self._segments[-1]

    def add_intent(self, record: IntentRecord) -> None:
        segment = self._current()
        segment.ledger.add_intent(record)
        segment.pending.add((record.request_key, record.attempt))

    def add_answer(self, record: AnswerRecord) -> None:
        self._current().ledger.add_answer(record)
        self._written += 1
        for segment in self._segments:
            segment.pending.discard((record.request_key, record.attempt))

    def add_verdict(self, file: str, record: VerdictRecord) -> None:
        self._current().ledger.add_verdict(file, record)
        self._written += 1

    def sync(self) -> None:
        for segment in self._segments:
            segment.ledger.sync()

    def forget(self, merged: int) -> None:
        """Drops what the driver has on disk: the first `merged` records that were written here."""
        while self._segments and self._segments[0].last <= merged and not self._segments[0].pending:
            self._drop(self._segments.popleft())

    def close(self, drop: bool) -> None:
        """Lets the files go: for good once all of them are merged, else for the next session to merge."""
        while self._segments:
            segment = self._segments.popleft()
            if drop:
                self._drop(segment)
            else:
                segment.ledger.close()
        if drop:
            with suppress(OSError):
                self.root.rmdir()

    def _drop(self, segment: _Segment) -> None:
        with suppress(LedgerError):
            segment.ledger.close()
        shutil.rmtree(segment.ledger.folder, ignore_errors=True)


def read(ledger: Ledger) -> Salvage:
    """All that a ledger of a spool holds."""
    folder = ledger.folder
    verdicts = [
        (f"verdicts/{path.name}", record)
        for path in sorted((folder / "verdicts").glob("*.jsonl"))
        for record in read_records(path, VerdictRecord)
    ]
    intents = read_records(folder / Ledger.INTENTS, IntentRecord)
    return Salvage(tuple(intents), tuple(ledger.answers()), tuple(verdicts))


def leftovers(root: Path, patience_s: float = 0.0, only: str = "") -> Iterator[Ledger]:
    """The ledgers under `root` whose worker is gone, held; those of workers that live on are passed over.

    `only` takes those whose name begins with it.

    A worker outlives its killed driver for a moment and finishes what it can: it is given `patience_s` seconds.
    """
    until = time.monotonic() + patience_s
    for folder in sorted(p for p in root.glob(f"{only}*") if p.is_dir()):
        while True:
            try:
                ledger = Ledger(folder)
            except LedgerError:
                if time.monotonic() >= until:
                    break
                time.sleep(0.1)
                continue
            with ledger:
                yield ledger
            break


class Merging:
    """Takes salvaged records into a run's ledger, each answer once."""

    def __init__(self, into: Ledger) -> None:
        self._into = into
        self._answers = {stored.answer_id for stored in into.stored()}
        self._verdicts: dict[str, set[tuple[str, str, int]]] = {}

    def take(self, salvage: Salvage) -> int:
        """Adds what is new and puts it on disk; returns the number of answers that were."""
        new = [a for a in salvage.answers if a.answer_id not in self._answers]
        for intent in salvage.intents:
            self._into.add_intent(intent)
        for answer in new:
            self._into.add_answer(answer)
            self._answers.add(answer.answer_id)
        for file, verdict in salvage.verdicts:
            if file not in self._verdicts:
                self._verdicts[file] = {(v.answer_id, v.parser, v.attempt) for v in self._into.verdicts(file)}
            known = (verdict.answer_id, verdict.parser, verdict.attempt)
            if known not in self._verdicts[file]:
                self._into.add_verdict(file, verdict)
                self._verdicts[file].add(known)
        self._into.sync()
        return len(new)


def drain(root: Path, into: Ledger, patience_s: float = 0.0, waiting: Callable[[], None] = lambda: None) -> int:
    """Merges what dead workers left under `root` and removes it; returns how many answers were new.

    Raises:
        LedgerError: a record cannot be read, or the ledger cannot be written; nothing is removed then.
    """
    if not root.is_dir():
        return 0
    waiting()
    found, merging = 0, Merging(into)
    for ledger in leftovers(root, patience_s):
        found += merging.take(read(ledger))
        shutil.rmtree(ledger.folder, ignore_errors=True)
    with suppress(OSError):
        root.rmdir()
    return found
