"""Durable records of a run: append-only JSONL files that survive a kill at any moment.

Every record reaches the operating system when it is written and the disk within a second; one that can be made again
from others without a call does both within that second, many at a time. A torn last line, the mark
of a killed writer, is dropped with a warning and nothing else ever is: an unreadable line in the middle is an error
that names file and line. One process at a time appends to a run directory; any number may read it meanwhile. Records
refer to images by hash; their bytes never enter. What the records mean for a run is decided in `runner.run`.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import math
import os
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, PydanticSerializationError, core_schema, from_json
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from benchmark.case import Observation, whole_text
from benchmark.scoring import Answer, FailureMode
from runner.exchange import Reply, Ruling, SentImage, Usage

SCHEMA_VERSION: Literal[1] = 1
SYNC_SECONDS = 0.8
"""A record is on disk this long after it was written, and the time of one fsync more: within a second."""

R = TypeVar("R", bound="LedgerRecord")


class LedgerError(ValueError):
    """A run directory that cannot be read or written; the message names the file and what to do."""


class LedgerWarning(UserWarning):
    """A torn last line was dropped, or a file system gives no locks."""


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces, the same for equal values; whole floats are written as integers.

    Raises:
        ValueError: a number that is not finite, two keys that read the same, or something that is not plain data.
    """

    def plain(node: Any) -> Any:
        if node is None or isinstance(node, str | int):
            return node
        if isinstance(node, float):
            if not math.isfinite(node):
                raise ValueError(f"{node} has no place in a key")
            return int(node) if node.is_integer() else node
        if isinstance(node, Mapping):
            entries = {str(k): plain(v) for k, v in node.items()}
            if len(entries) != len(node):
                raise ValueError(f"two keys among {sorted(map(repr, node))} read the same")
            return entries
        if isinstance(node, Sequence) and not isinstance(node, bytes | bytearray):
            return [plain(v) for v in node]
        raise ValueError(f"{type(node).__name__} is not plain data")

    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical_object(entries: Mapping[str, str]) -> str:
    """The canonical form of an object by those of its values; for objects that share large values."""
    return "{" + ",".join(f"{canonical(name)}:{value}" for name, value in sorted(entries.items())) + "}"


def key_of(value: Any) -> str:
    """sha256 of the canonical form: request keys and fingerprints."""
    return key_of_canonical(canonical(value))


def key_of_canonical(text: str) -> str:
    """The same of what is in canonical form already."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def answer_id(request_key: str, attempt: int) -> str:
    """Names one answer: the same request asked again in a later session gets another id."""
    return hashlib.sha256(f"{request_key}/{attempt}".encode()).hexdigest()[:24]


def _sound(node: Any) -> Any:
    """Plain data that JSON can hold. Halves of surrogate pairs, which models do emit, become replacement characters.

    Raises:
        ValueError: bytes, a number that is not finite, or anything else that is not plain data.
    """
    if isinstance(node, str):
        return whole_text(node)
    if node is None or isinstance(node, bool | int):
        return node
    if isinstance(node, float):
        if not math.isfinite(node):
            raise ValueError(f"{node} cannot be stored")
        return node
    if isinstance(node, Mapping):
        return {str(_sound(k)): _sound(v) for k, v in node.items()}
    if isinstance(node, list | tuple):
        return [_sound(v) for v in node]
    raise ValueError(f"{type(node).__name__} cannot be stored; images and other bytes are referred to by hash")


class _Sound:
    """Marks a field whose value is made storable when a record is made; what is read from a file is so already."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        inner = handler(source)
        return core_schema.json_or_python_schema(
            json_schema=inner, python_schema=core_schema.no_info_before_validator_function(_sound, inner)
        )


Text = Annotated[str, _Sound]
Plain = Annotated[dict[str, Any], _Sound]
Plains = tuple[Plain, ...]


class LedgerRecord(BaseModel):
    """Base of all records: immutable, versioned, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

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


class IntentRecord(LedgerRecord):
    """Written before a call goes out: where no answer with the same key and attempt follows, the call is in doubt.

    A call in doubt may have been billed; whether it is made again is the run's policy.
    """

    request_key: str
    attempt: int
    case_id: str
    observation: Observation
    repeat: int = 0


class CallFailure(LedgerRecord):
    """Why a unit has no answer. An error is not a result."""

    kind: str
    message: Text


class ReplyRecord(LedgerRecord):
    """A stored reply; fields as in `runner.exchange.Reply`."""

    text: Text
    reasoning: Text = ""
    tool_calls: Plains = ()
    finish_reason: Text = ""
    filtered: bool = False
    model: Text = ""
    usage: dict[str, int] = Field(default_factory=dict)
    cost_usd: float | None = None
    sent: Plain = Field(default_factory=dict)
    images: Plains = ()
    latency_s: float = 0.0
    waited_s: float = 0.0
    dressed_s: float | None = None
    attempts: Plains = ()

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
            dressed_s=reply.dressed_s,
            attempts=tuple(dict(a) for a in reply.attempts),
        )

    def exchanged(self) -> Reply:
        """The reply as it came."""
        plain = {name: getattr(self, name) for name in ReplyRecord.model_fields if name != "schema_version"}
        sizes = tuple(SentImage(**image) for image in self.images)
        return Reply(**{**plain, "usage": Usage(**self.usage), "images": sizes})


class AnswerRecord(LedgerRecord):
    """What a victim said to one unit: its replies in order, or why there is none.

    `attempt` counts sessions: a unit that failed and was asked again by a later run of the same command. `extra` is
    for what a harness has to say besides, as plain data.
    """

    answer_id: str
    request_key: str
    attempt: int
    case_id: str
    observation: Observation
    repeat: int
    error: CallFailure | None = None
    replies: tuple[ReplyRecord, ...] = ()
    attempts: Plains = ()
    waited_s: float = 0.0
    extra: Plain = Field(default_factory=dict)

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
        """The answer: the last reply, or of an episode the one at the injection point; None when the unit failed."""
        if not self.replies or self.error is not None:
            return None
        index = self.extra.get("answer")
        return self.replies[index if index is not None else -1]

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
    """An answer after parsing; derived data, made again by another parser version.

    `ending` is what became of the episode where its replies were read by another version when it was played; None where
    what lies beside the answer holds.
    """

    answer_id: str
    parser: str
    answer: Answer
    ending: Plain | None = None


class VerdictRecord(LedgerRecord):
    """What a judge made of an answer; `score` is None exactly when the status is `judge_error`.

    It holds for this answer, this parser version and this `fingerprint` of the judge, and for no other. `votes` are the
    opinions behind it; `calls`, `usage` and `cost_usd` what they took; `same_family` says that a model of the victim's
    family was among the judges.
    """

    answer_id: str
    parser: str
    judge: str
    fingerprint: str = ""
    attempt: int = 1
    status: Literal["scored", "judge_error"] = "scored"
    score: Literal[1, 3, 5] | None = None
    failure_mode: FailureMode | None = None
    target_met: bool = False
    reference_met: bool = False
    matched: str = ""
    flags: tuple[str, ...] = ()
    rationale: Text = ""
    evidence: Plain = Field(default_factory=dict)
    votes: Plains = ()
    same_family: bool = False
    calls: int = 0
    usage: dict[str, int] = Field(default_factory=dict)
    cost_usd: float | None = 0.0
    error: CallFailure | None = None

    @classmethod
    def of(cls, ruling: Ruling, **rest: Any) -> VerdictRecord:
        problem = ruling.problem or "no score was given"
        return cls(
            status="scored" if ruling.score is not None else "judge_error",
            score=ruling.score,
            failure_mode=ruling.failure_mode,
            target_met=ruling.target_met,
            reference_met=ruling.reference_met,
            matched=ruling.matched,
            flags=ruling.flags,
            rationale=ruling.rationale,
            evidence=dict(ruling.evidence),
            votes=tuple(dict(v) for v in ruling.votes),
            calls=ruling.calls,
            usage=vars(ruling.usage).copy() if ruling.calls else {},
            cost_usd=ruling.cost_usd,
            error=None if ruling.score is not None else CallFailure(kind="judge", message=problem),
            **rest,
        )

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens over all calls."""
        return self.usage.get("prompt", 0) + self.usage.get("completion", 0)


class Stored(NamedTuple):
    """An answer as it lies in the file: what a resume needs to know of it, and `load` for the rest.

    `failed` says that it is an error; `tokens` counts prompt and completion; `cost_usd` is None where a price is
    unknown. A hundred thousand of these take about 60 MB, the records themselves several times that.
    """

    request_key: str
    answer_id: str
    attempt: int
    unit: tuple[str, str, int]
    failed: bool
    replies: int
    tokens: int
    cost_usd: float | None
    path: Path
    line: int
    offset: int
    length: int

    def load(self) -> AnswerRecord:
        """The whole record.

        Raises:
            LedgerError: the line cannot be read, or is not there any more.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                data = file.read(self.length)
        except OSError as error:
            raise _unreadable(self.path, error) from None
        return _record(AnswerRecord, data, self.path, self.line)


def _unreadable(path: Path, error: OSError) -> LedgerError:
    return LedgerError(f"{path} cannot be read: {error.strerror or error}")


def _unwritable(path: Path, error: OSError) -> LedgerError:
    """One line that says what stood in the way of a write."""
    advice = {
        errno.ENOSPC: "free some space and give the same command again; everything before is kept",
        errno.EDQUOT: "free some of your quota and give the same command again; everything before is kept",
        errno.EACCES: "choose a directory that you may write to (run.root=...)",
        errno.EPERM: "choose a directory that you may write to (run.root=...)",
        errno.EROFS: "choose a directory that you may write to (run.root=...)",
    }.get(error.errno or 0)
    return LedgerError(f"{path} cannot be written: {error.strerror or error}" + (f"; {advice}" if advice else ""))


def _newer(where: str, version: Any) -> LedgerError:
    return LedgerError(
        f"{where} was written by another version of this program (schema {version}, this one reads {SCHEMA_VERSION}); "
        "use that version, or start another run directory"
    )


def _is_whole(line: bytes) -> bool:
    """Whether a line without its end is a record all the same: a prefix of a JSON object is never one."""
    try:
        return isinstance(from_json(line), dict)
    except ValueError:
        return False


def _lines(path: Path, warn: bool) -> Iterator[tuple[int, int, bytes]]:
    """Whole lines of a file with number and offset; a missing file has none."""
    try:
        with path.open("rb") as file:
            offset = 0
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n") and not _is_whole(line):
                    if warn:
                        message = f"{path.name}: line {number} was cut by a killed run and is dropped"
                        warnings.warn(message, LedgerWarning, stacklevel=3)
                    return
                if line.strip():
                    yield number, offset, line
                offset += len(line)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unreadable(path, error) from None


def read_lines(path: Path, warn: bool = True) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file with their numbers; a torn last one is dropped with a warning.

    Args:
        path: the file; one that does not exist has no lines.
        warn: False where another process may be writing that very line.
    """
    for number, _, line in _lines(path, warn):
        yield number, line


def _record(kind: type[R], line: bytes, path: Path, number: int) -> R:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["loc"] == ("schema_version",):
            version = from_json(line).get("schema_version")
            raise _newer(f"{path} line {number}", version) from None
        where = ".".join(str(p) for p in first["loc"])
        raise LedgerError(
            f"{path} line {number} cannot be read ({where + ': ' if where else ''}{first['msg']}); "
            "move the line out of the file to go on without it"
        ) from None


def read_records(path: Path, kind: type[R], warn: bool = True) -> Iterator[R]:
    """The records of a file in order.

    Raises:
        LedgerError: a line that is no such record, with file and line; or one of another schema version.
    """
    for number, line in read_lines(path, warn):
        yield _record(kind, line, path, number)


class _Usage(TypedDict, total=False):
    prompt: int
    completion: int


class _ReplyHead(TypedDict):
    usage: _Usage
    cost_usd: float | None


class _AnswerHead(TypedDict):
    schema_version: Literal[1]
    answer_id: str
    request_key: str
    attempt: int
    case_id: str
    observation: Observation
    repeat: int
    error: dict[str, Any] | None
    replies: list[_ReplyHead]


@cache
def _heads() -> TypeAdapter[_AnswerHead]:
    return TypeAdapter(_AnswerHead)


def read_stored(path: Path, warn: bool = True) -> Iterator[Stored]:
    """The answers of a file in order, without keeping their texts: for what must go through all of a large run.

    Raises:
        LedgerError: a line that is no answer, with file and line.
    """
    head = _heads().validate_json
    for number, offset, line in _lines(path, warn):
        try:
            raw = head(line)
        except ValidationError:
            # The whole record knows best what is wrong with the line.
            _record(AnswerRecord, line, path, number)
            raise LedgerError(f"{path} line {number} cannot be read") from None
        replies = raw["replies"]
        costs = [reply["cost_usd"] for reply in replies]
        yield Stored(
            request_key=raw["request_key"],
            answer_id=raw["answer_id"],
            attempt=raw["attempt"],
            unit=(raw["case_id"], raw["observation"], raw["repeat"]),
            failed=raw["error"] is not None,
            replies=len(replies),
            tokens=sum(reply["usage"].get("prompt", 0) + reply["usage"].get("completion", 0) for reply in replies),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            path=path,
            line=number,
            offset=offset,
            length=len(line),
        )


def _line(record: LedgerRecord) -> bytes:
    try:
        return record.model_dump_json().encode() + b"\n"
    except PydanticSerializationError:
        # Half a surrogate pair in a field of another module's model: a model's reply must not be able to end a run.
        return json.dumps(_sound(record.model_dump()), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Appender:
    """An append-only file: `write` hands over to the operating system, a timer fsyncs, `close` fsyncs.

    What `write_late` is given waits for the next of these, or for `flush`, to be handed over.

    Opening repairs what a killed writer left: a torn last line is cut off with a warning, a whole one gets its end.
    Safe to use from several threads of one process; that no other process writes is the business of `Ledger`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._write_lock = threading.Lock()
        self._sync_lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._failure: LedgerError | None = None
        self._descriptor: int | None = None
        self._late: list[bytes] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = not path.exists()
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            if fresh:
                _sync_folder(path.parent)
            self._repair(self._descriptor)
            self._end = os.fstat(self._descriptor).st_size
        except OSError as error:
            if self._descriptor is not None:
                os.close(self._descriptor)
            raise _unwritable(path, error) from None

    def _repair(self, descriptor: int) -> None:
        end = os.fstat(descriptor).st_size
        whole, tail = end, b""
        while whole > 0 and not tail.startswith(b"\n"):
            start = max(0, whole - 65536)
            block = os.pread(descriptor, whole - start, start)
            cut = block.rfind(b"\n")
            tail = block[max(cut, 0) :] + tail
            whole = start + max(cut, 0)
        if tail in (b"", b"\n"):
            return
        if _is_whole(tail):
            os.write(descriptor, b"\n")
            return
        message = f"{self.path.name}: its last line was cut by a killed run and is dropped"
        warnings.warn(message, LedgerWarning, stacklevel=4)
        os.ftruncate(descriptor, whole + 1 if tail.startswith(b"\n") else 0)

    def write(self, record: LedgerRecord) -> None:
        """Appends one record.

        Raises:
            LedgerError: the disk is full, the file is closed, or the record cannot be stored; the file keeps all
                that was written before, and nothing of this record.
        """
        self.write_all((record,))

    def write_all(self, records: Iterable[LedgerRecord]) -> None:
        """Appends several records at once; either all of them are written or, with an error, none."""
        data = self._lines(records)
        with self._write_lock:
            self._check()
            self._hand_over(data)
            self._start_timer()

    def write_late(self, record: LedgerRecord) -> None:
        """Appends one record with the next batch; a killed process loses it, so it must be one that can be made again.

        Raises:
            LedgerError: as `write`; a disk that is full when the batch is written is told to the next who writes.
        """
        data = self._lines((record,))
        with self._write_lock:
            self._check()
            self._late.append(data)
            self._start_timer()

    def flush(self) -> None:
        """Hands over to the operating system what waits for the next batch.

        Raises:
            LedgerError: as `write`.
        """
        with self._write_lock:
            if self._late and self._descriptor is not None:
                self._hand_over(b"")

    def _lines(self, records: Iterable[LedgerRecord]) -> bytes:
        try:
            return b"".join(_line(record) for record in records)
        except ValueError as error:
            raise LedgerError(f"{self.path}: a record cannot be stored: {error}") from None

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._descriptor is None:
            raise LedgerError(f"{self.path} is closed")

    def _hand_over(self, data: bytes) -> None:
        """Writes what waits and then `data`: all of it or, with an error, nothing. The lock is held."""
        assert self._descriptor is not None
        whole = b"".join((*self._late, data))
        try:
            rest = memoryview(whole)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except BaseException as error:
            # Half a record must not stay: the next one would be appended to it.
            os.ftruncate(self._descriptor, self._end)
            if isinstance(error, OSError):
                raise _unwritable(self.path, error) from None
            raise
        self._end += len(whole)
        self._late.clear()

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(SYNC_SECONDS, self._sync_late)
            self._timer.daemon = True
            with suppress(RuntimeError):  # the interpreter is ending: `close` is next
                self._timer.start()

    def sync(self) -> None:
        """Puts on disk what was written so far.

        Raises:
            LedgerError: the disk refuses.
        """
        # Writers do not wait here: a slow disk must not hold up an event loop.
        with self._sync_lock:
            with self._write_lock:
                descriptor = self._descriptor
                if self._timer is not None:
                    self._timer.cancel()
                    self._timer = None
                if self._late and descriptor is not None:
                    self._hand_over(b"")
            if descriptor is None:
                return
            try:
                os.fsync(descriptor)
            except OSError as error:
                raise _unwritable(self.path, error) from None

    def _sync_late(self) -> None:
        try:
            self.sync()
        except LedgerError as error:
            with self._write_lock:
                self._failure = error

    def close(self) -> None:
        """Puts everything on disk and lets the file go; may be called more than once.

        Raises:
            LedgerError: the disk refuses, now or when it was last asked.
        """
        failure = None
        try:
            self.sync()
        except LedgerError as error:
            failure = error
        with self._sync_lock, self._write_lock:
            failure, self._failure = self._failure or failure, None
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is not None:
                os.close(descriptor)
        if failure is not None:
            raise failure


def _sync_folder(folder: Path) -> None:
    """Makes names of new files durable, where the file system knows how."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, text: str) -> None:
    """Replaces a file in one step: it is the old one or the new one, never half of it.

    Raises:
        LedgerError: the disk is full or the directory cannot be written; the old file is untouched.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(part, 0o644)
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from None


def read_whole(path: Path) -> dict[str, Any]:
    """A JSON file of a run (manifest, summary).

    Raises:
        LedgerError: missing, damaged, not an object, or of another schema version.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise _unreadable(path, error) from None
    except ValueError as error:
        raise LedgerError(f"{path} is damaged: {error}") from None
    if not isinstance(data, dict):
        raise LedgerError(f"{path} is damaged: it holds no JSON object")
    if data.get("schema_version", SCHEMA_VERSION) != SCHEMA_VERSION:
        raise _newer(str(path), data["schema_version"])
    return data


def _start_time(pid: int) -> str | None:
    """When a process started, as the kernel counts; None where it does not run or that cannot be known."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return None


class _Lock:
    """Holds a run directory for one process.

    The kernel's lock decides, and goes when its holder does, however that died; what the file says of the holder is
    for the message. On file systems without locks, the recorded process decides: alive means held.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("a+", encoding="utf-8")
        try:
            self._take(path)
        except BaseException:
            self._file.close()
            raise
        here = {"pid": os.getpid(), "started": _start_time(os.getpid()), "host": socket.gethostname()}
        self._file.truncate(0)
        self._file.write(json.dumps(here) + "\n")
        self._file.flush()

    def _take(self, path: Path) -> None:
        holder = self._holder()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            by = f"process {holder['pid']} on {holder['host']}" if holder else "another process"
            raise LedgerError(f"{by} is at work in {path.parent}; wait for it, or stop it") from None
        except OSError as error:
            warnings.warn(
                f"{path.parent} is on a file system without locks ({error.strerror})", LedgerWarning, stacklevel=4
            )
            if holder and self._lives(holder):
                raise LedgerError(
                    f"process {holder['pid']} on {holder['host']} is at work in {path.parent}; wait for it, or stop it "
                    f"(if it is gone, delete {path})"
                ) from None

    def _holder(self) -> dict[str, Any] | None:
        self._file.seek(0)
        try:
            found = json.loads(self._file.read())
            return found if {"pid", "started", "host"} <= found.keys() else None
        except (ValueError, AttributeError):
            return None

    @staticmethod
    def _lives(holder: Mapping[str, Any]) -> bool:
        elsewhere = holder["host"] != socket.gethostname()
        return elsewhere or (holder["started"] is not None and _start_time(holder["pid"]) == holder["started"])

    def release(self) -> None:
        if self._file.closed:
            return
        with suppress(OSError):
            self._file.truncate(0)
            # Said aloud, because a forked child may still share this lock.
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()


def at_work(folder: Path) -> bool:
    """Whether a run directory is held, by what its lock says of the holder: asking the kernel would hold it ourselves.

    A holder on another machine counts as alive; one that is gone without letting go, as gone.
    """
    try:
        holder = json.loads((folder / ".lock").read_bytes())
        return bool({"pid", "started", "host"} <= holder.keys() and _Lock._lives(holder))
    except (OSError, ValueError, AttributeError):
        return False


class Ledger:
    """The files of one run directory, held by one process; use as a context manager.

    `Ledger.open` reads without holding it, beside a process that writes.
    """

    PLAN: ClassVar[str] = "plan.jsonl"
    INTENTS: ClassVar[str] = "intents.jsonl"
    ANSWERS: ClassVar[str] = "answers.jsonl"

    def __init__(self, folder: Path, write: bool = True) -> None:
        self.folder = folder
        self._appenders: dict[str, Appender] = {}
        self._lock: _Lock | None = None
        if not write:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = _Lock(folder / ".lock")
        except OSError as error:
            raise LedgerError(f"run directory {_unwritable(folder, error)}") from None

    @classmethod
    def open(cls, folder: Path) -> Ledger:
        """A ledger to read from only.

        Raises:
            LedgerError: there is no such directory.
        """
        if not folder.is_dir():
            raise LedgerError(f"run directory {folder} does not exist")
        return cls(folder, write=False)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def flush(self) -> None:
        """Hands over to the operating system what waits to be written, for others to read."""
        for appender in tuple(self._appenders.values()):
            appender.flush()

    def sync(self) -> None:
        """Puts everything written so far on disk."""
        for appender in tuple(self._appenders.values()):
            appender.sync()

    def close(self) -> None:
        """Puts everything on disk and lets the directory go; the first failure is raised after all was tried."""
        failure: LedgerError | None = None
        for appender in self._appenders.values():
            try:
                appender.close()
            except LedgerError as error:
                failure = failure or error
        self._appenders.clear()
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        if failure is not None:
            raise failure

    def _appender(self, name: str) -> Appender:
        if self._lock is None:
            raise LedgerError(f"{self.folder} is open for reading only")
        if name not in self._appenders:
            self._appenders[name] = Appender(self.folder / name)
        return self._appenders[name]

    def _read(self, name: str, kind: type[R]) -> Iterator[R]:
        if name in self._appenders:
            self._appenders[name].flush()
        return read_records(self.folder / name, kind, warn=self._lock is not None)

    def plan(self) -> list[PlanUnit]:
        return list(self._read(self.PLAN, PlanUnit))

    def planned(self) -> Iterator[tuple[str, str, int]]:
        """What is planned, one unit after the other, by what tells it from others."""
        return (unit.unit for unit in self._read(self.PLAN, PlanUnit))

    def extend_plan(self, units: Iterable[PlanUnit]) -> None:
        """Adds planned units; on disk before the first call is made."""
        appender = self._appender(self.PLAN)
        appender.write_all(units)
        appender.sync()

    def add_intent(self, record: IntentRecord) -> None:
        self._appender(self.INTENTS).write(record)

    def in_doubt(self) -> list[IntentRecord]:
        """Calls that were about to go out and of which nothing else is known."""
        intents = {(i.request_key, i.attempt): i for i in self._read(self.INTENTS, IntentRecord)}
        if intents:
            for answer in self.stored():
                intents.pop((answer.request_key, answer.attempt), None)
        return list(intents.values())

    def answers(self) -> Iterator[AnswerRecord]:
        return self._read(self.ANSWERS, AnswerRecord)

    def stored(self) -> Iterator[Stored]:
        """All answers in order, cheaply; see `Stored`."""
        return read_stored(self.folder / self.ANSWERS, warn=self._lock is not None)

    def latest(self) -> dict[str, Stored]:
        """By request key, the last answer that is none of the errors; where there are only errors, the last of them."""
        found: dict[str, Stored] = {}
        for answer in self.stored():
            before = found.get(answer.request_key)
            if before is None or before.failed or not answer.failed:
                found[answer.request_key] = answer
        return found

    def add_answer(self, record: AnswerRecord) -> None:
        self._appender(self.ANSWERS).write(record)

    def parsed_path(self, parser: str) -> str:
        return f"parsed/{parser}.jsonl"

    def parsed(self, parser: str) -> Iterator[ParsedRecord]:
        return self._read(self.parsed_path(parser), ParsedRecord)

    def add_parsed(self, record: ParsedRecord) -> None:
        """Adds what an answer was read as, with the next batch: it is read again where that is lost."""
        self._appender(self.parsed_path(record.parser)).write_late(record)

    def verdicts(self, file: str) -> Iterator[VerdictRecord]:
        return self._read(file, VerdictRecord)

    def add_verdict(self, file: str, record: VerdictRecord) -> None:
        self._appender(file).write(record)

    def add_free_verdict(self, file: str, record: VerdictRecord) -> None:
        """Adds a verdict that took no call, with the next batch: it is made again where it is lost."""
        self._appender(file).write_late(record)
