"""Durable records of a run: append-only JSONL files that survive a kill at any moment.

Every record is flushed when it is written and fsynced within a second. A torn last line, the mark of a killed writer,
is dropped with a warning and nothing else ever is: an unreadable line in the middle is an error that names file and
line. One process at a time appends to a run directory. Records refer to images by hash; their bytes never enter.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchmark.case import Observation
from benchmark.scoring import Answer, FailureMode
from runner.exchange import Reply

SCHEMA_VERSION: Literal[1] = 1
SYNC_SECONDS = 1.0

R = TypeVar("R", bound="LedgerRecord")


class LedgerError(ValueError):
    """A run directory that cannot be read or written; the message names the file and what to do."""


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces, the same for equal values; whole floats are written as integers.

    Raises:
        ValueError: a number that is not finite, or something that is not plain data.
    """

    def plain(node: Any) -> Any:
        if isinstance(node, bool) or node is None or isinstance(node, str | int):
            return node
        if isinstance(node, float):
            if not math.isfinite(node):
                raise ValueError(f"{node} has no place in a key")
            return int(node) if node.is_integer() else node
        if isinstance(node, Mapping):
            return {str(k): plain(v) for k, v in node.items()}
        if isinstance(node, Sequence) and not isinstance(node, bytes | bytearray):
            return [plain(v) for v in node]
        raise ValueError(f"{type(node).__name__} is not plain data")

    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def key_of(value: Any) -> str:
    """sha256 of the canonical form: request keys and fingerprints."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def answer_id(request_key: str, attempt: int) -> str:
    return hashlib.sha256(f"{request_key}/{attempt}".encode()).hexdigest()[:24]


class LedgerRecord(BaseModel):
    """Base of all records: immutable, versioned, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = SCHEMA_VERSION


class PlanUnit(LedgerRecord):
    """One planned call: the denominator."""

    case_id: str
    domain: str
    intent: str
    cluster: str
    observation: Observation
    repeat: int = 0

    @property
    def unit(self) -> tuple[str, str, int]:
        return self.case_id, self.observation, self.repeat


class CallFailure(LedgerRecord):
    """Why a unit has no answer. An error is not a result."""

    kind: str
    message: str


class ReplyRecord(LedgerRecord):
    """A stored reply; fields as in `runner.exchange.Reply`."""

    text: str
    reasoning: str = ""
    tool_calls: tuple[dict[str, Any], ...] = ()
    finish_reason: str = ""
    filtered: bool = False
    model: str = ""
    usage: dict[str, int] = Field(default_factory=dict)
    cost_usd: float | None = None
    sent: dict[str, Any] = Field(default_factory=dict)
    images: tuple[dict[str, Any], ...] = ()
    latency_s: float = 0.0
    waited_s: float = 0.0
    attempts: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, reply: Reply) -> ReplyRecord:
        return cls(
            text=reply.text,
            reasoning=reply.reasoning,
            tool_calls=tuple(dict(c) for c in reply.tool_calls),
            finish_reason=reply.finish_reason,
            filtered=reply.filtered,
            model=reply.model,
            usage=vars(reply.usage).copy(),
            cost_usd=reply.cost_usd,
            sent=dict(reply.sent),
            images=tuple(vars(i).copy() for i in reply.images),
            latency_s=reply.latency_s,
            waited_s=reply.waited_s,
            attempts=tuple(dict(a) for a in reply.attempts),
        )


class AnswerRecord(LedgerRecord):
    """What a victim said to one unit: its replies in order, or why there is none.

    `attempt` counts sessions: a unit that failed and was asked again by a later run of the same command.
    """

    answer_id: str
    request_key: str
    attempt: int
    case_id: str
    observation: Observation
    repeat: int
    replies: tuple[ReplyRecord, ...] = ()
    error: CallFailure | None = None
    attempts: tuple[dict[str, Any], ...] = ()
    waited_s: float = 0.0

    @classmethod
    def of(
        cls,
        *,
        replies: Sequence[Reply],
        failure: CallFailure | None,
        attempts: Sequence[Mapping[str, Any]],
        **rest: Any,
    ) -> AnswerRecord:
        return cls(
            replies=tuple(ReplyRecord.of(r) for r in replies),
            error=failure,
            attempts=tuple(dict(a) for a in attempts),
            **rest,
        )

    @property
    def unit(self) -> tuple[str, str, int]:
        return self.case_id, self.observation, self.repeat

    @property
    def reply(self) -> ReplyRecord | None:
        """The last reply, which is the answer; None when the unit failed."""
        return self.replies[-1] if self.replies and self.error is None else None

    @property
    def tokens(self) -> tuple[int, int]:
        """Prompt and completion tokens over all replies."""
        return (
            sum(r.usage.get("prompt", 0) for r in self.replies),
            sum(r.usage.get("completion", 0) for r in self.replies),
        )

    @property
    def cost_usd(self) -> float | None:
        costs = [r.cost_usd for r in self.replies]
        return None if any(c is None for c in costs) else sum(c for c in costs if c is not None)


class ParsedRecord(LedgerRecord):
    """An answer after parsing; derived data, made again by another parser version."""

    answer_id: str
    parser: str
    answer: Answer


class VerdictRecord(LedgerRecord):
    """What a judge made of an answer; `score` is None exactly when the status is `judge_error`."""

    answer_id: str
    parser: str
    judge: str
    status: Literal["scored", "judge_error"] = "scored"
    score: Literal[1, 3, 5] | None = None
    failure_mode: FailureMode | None = None
    target_met: bool = False
    reference_met: bool = False
    matched: str = ""
    flags: tuple[str, ...] = ()
    rationale: str = ""
    evidence: dict[str, Any] = Field(default_factory=dict)
    votes: tuple[dict[str, Any], ...] = ()
    usage: dict[str, int] = Field(default_factory=dict)
    cost_usd: float | None = 0.0
    error: CallFailure | None = None


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file with their numbers; a torn last one is dropped with a warning."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                warnings.warn(f"{path.name}: line {number} was cut by a killed run and is dropped", stacklevel=2)
                return
            if line.strip():
                yield number, line


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a file in order.

    Raises:
        LedgerError: a line that is no such record, with file and line.
    """
    for number, line in read_lines(path):
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(p) for p in first["loc"])
            raise LedgerError(
                f"{path} line {number} cannot be read ({where + ': ' if where else ''}{first['msg']}); "
                "move the line out of the file to go on without it"
            ) from None


class Appender:
    """An append-only file: `write` flushes, a timer fsyncs within a second, `close` fsyncs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab")
            if self._file.tell() and not _ends_with_newline(path):
                # What a killed writer left half done would otherwise grow together with the next record.
                whole = path.read_bytes().rfind(b"\n") + 1
                self._file.truncate(whole)
        except OSError as error:
            raise LedgerError(f"{path} cannot be written: {error.strerror or error}") from None

    def write(self, record: LedgerRecord) -> None:
        """Appends one record.

        Raises:
            LedgerError: the disk is full or the file is gone; nothing that was written before is lost.
        """
        line = record.model_dump_json(exclude_defaults=False).encode() + b"\n"
        with self._lock:
            try:
                self._file.write(line)
                self._file.flush()
            except OSError as error:
                raise LedgerError(f"{self.path} cannot be written: {error.strerror or error}") from None
            if self._timer is None:
                self._timer = threading.Timer(SYNC_SECONDS, self.sync)
                self._timer.daemon = True
                self._timer.start()

    def sync(self) -> None:
        with self._lock:
            self._timer = None
            if not self._file.closed:
                os.fsync(self._file.fileno())

    def close(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if not self._file.closed:
                os.fsync(self._file.fileno())
                self._file.close()


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def write_whole(path: Path, text: str) -> None:
    """Replaces a file in one step: it is the old one or the new one, never half of it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise LedgerError(f"{path} cannot be written: {error.strerror or error}") from None


class Ledger:
    """The files of one run directory, held by one process; use as a context manager."""

    PLAN: ClassVar[str] = "plan.jsonl"
    ANSWERS: ClassVar[str] = "answers.jsonl"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._held = (folder / ".lock").open("a+")
        except OSError as error:
            raise LedgerError(f"run directory {folder} cannot be written: {error.strerror or error}") from None
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._held.close()
            raise LedgerError(f"another process is at work in {folder}; wait for it, or stop it") from None
        self._appenders: dict[str, Appender] = {}

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        for appender in self._appenders.values():
            appender.close()
        self._held.close()

    def _appender(self, name: str) -> Appender:
        if name not in self._appenders:
            self._appenders[name] = Appender(self.folder / name)
        return self._appenders[name]

    def plan(self) -> list[PlanUnit]:
        return list(read_records(self.folder / self.PLAN, PlanUnit))

    def extend_plan(self, units: Sequence[PlanUnit]) -> None:
        """Adds planned units; on disk before the first call is made."""
        appender = self._appender(self.PLAN)
        for unit in units:
            appender.write(unit)
        appender.sync()

    def answers(self) -> Iterator[AnswerRecord]:
        return read_records(self.folder / self.ANSWERS, AnswerRecord)

    def add_answer(self, record: AnswerRecord) -> None:
        self._appender(self.ANSWERS).write(record)

    def parsed_path(self, parser: str) -> str:
        return f"parsed/{parser}.jsonl"

    def parsed(self, parser: str) -> Iterator[ParsedRecord]:
        return read_records(self.folder / self.parsed_path(parser), ParsedRecord)

    def add_parsed(self, record: ParsedRecord) -> None:
        self._appender(self.parsed_path(record.parser)).write(record)

    def verdicts(self, file: str) -> Iterator[VerdictRecord]:
        return read_records(self.folder / file, VerdictRecord)

    def add_verdict(self, file: str, record: VerdictRecord) -> None:
        self._appender(file).write(record)
