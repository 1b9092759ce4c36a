"""What executors carry out: units of work, each one victim call or one judge call on one case.

`Work` is picklable and holds no secret: plain configuration and paths. What belongs to one process (where cases are
read, the journal, the limiter, models that are open) stays behind and is given anew by `placed` where it arrives.
Wherever it runs, `open` makes the model and the harness there, with keys from that process's environment, and `do`
makes the call and hands the record to the journal before it returns, so that a finished call is never lost with the
process that waits for it. An intent is journalled when the limiter lets a call go: from then on it may be billed.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from benchmark.case import SPATIAL_DOMAINS, Case, ImageRef, Observation
from benchmark.images import ImageError
from benchmark.scoring import Answer
from runner.exchange import AgentError, Harness, Model, Prompt, Reply, Sandbox, SentImage
from runner.harness.parse import parse
from runner.ledger import AnswerRecord, CallFailure, IntentRecord, VerdictRecord, answer_id
from runner.limits import CallError, Claim, Limiter, Refused, Ticket, process_limiter


class Journal(Protocol):
    """Where the records of a unit go before its call returns: the ledger of the run, or a spool on a worker's node."""

    def add_intent(self, record: IntentRecord) -> None: ...
    def add_answer(self, record: AnswerRecord) -> None: ...
    def add_verdict(self, file: str, record: VerdictRecord) -> None: ...


Kind = Literal["answer", "verdict"]
KINDS: tuple[Kind, ...] = ("answer", "verdict")


@dataclass(frozen=True)
class Unit:
    """One call to make: which case, and under which request key; `attempt` counts earlier sessions' tries.

    `kind` says who is called: the victim, or a judge on a stored answer. Executors bound each kind by itself.
    """

    case_id: str
    observation: Observation
    repeat: int
    key: str
    attempt: int = 1
    kind: Kind = "answer"


@dataclass(frozen=True)
class Outcome:
    """What became of a unit. `stop` is set when no further call of the run can do better, and says why."""

    unit: Unit
    record: AnswerRecord
    stop: str | None = None


def intent(unit: Unit) -> IntentRecord:
    """The line that says that a unit's call goes out."""
    return IntentRecord(
        request_key=unit.key,
        attempt=unit.attempt,
        case_id=unit.case_id,
        observation=unit.observation,
        repeat=unit.repeat,
    )


def _once(do: Callable[[], None]) -> Callable[[], None]:
    """`do` at the first call, nothing at later ones: retries of a call are in doubt together."""
    left = [do]

    def call() -> None:
        if left:
            left.pop()()

    return call


def instantiate(config: Mapping[str, Any], **extra: Any) -> Any:
    """The object that a group's choice names with `_target_`, from plain data; nested data stays plain."""
    from importlib import import_module

    arguments = {k: v for k, v in config.items() if k != "_target_"}
    module, _, name = str(config["_target_"]).rpartition(".")
    if module.split(".")[0] not in {"runner", "benchmark"} and not module:
        raise ValueError(f"_target_={config['_target_']!r} is not a class by its full name")
    try:
        factory = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"_target_={config['_target_']!r} cannot be loaded: {error}") from None
    return factory(**arguments, **extra)


_let_go: ContextVar[Callable[[], None] | None] = ContextVar("_let_go", default=None)
"""What the unit at work in this task wants to be told when the limiter lets its call go."""


class _Announcing:
    """A limiter that tells the unit at work when its call may go out; all else is the limiter's own."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._limiter, name)

    async def acquire(self, claim: Claim) -> Ticket | Refused:
        answer = await self._limiter.acquire(claim)
        tell = _let_go.get()
        if tell is not None and isinstance(answer, Ticket):
            tell()
        return answer


def make_model(config: Mapping[str, Any], account: str = "", limiter: Limiter | None = None) -> Model:
    """The victim or judge model of a configuration; keys are read when it opens. Without a limiter, this process's."""
    announcing = cast(Limiter, _Announcing(limiter if limiter is not None else process_limiter()))
    model: Model = instantiate(config, limiter=announcing, account=account)
    return model


def make_harness(experiment: Mapping[str, Any], images: Path) -> Harness:
    harness: Harness = instantiate(
        experiment["harness"], domains=experiment["domains"], prompt=experiment["prompt"], images=images
    )
    return harness


def make_sandbox(experiment: Mapping[str, Any], account: str = "") -> Sandbox:
    sandbox: Sandbox = instantiate(experiment["sandbox"], account=account)
    return sandbox


def pinned(experiment: Mapping[str, Any]) -> Mapping[str, Any]:
    """The experiment with the digest of its agent's image in it, so that no other image can take its place.

    Raises:
        ValueError: the sandbox cannot run this agent, as it says.
    """
    digest = make_sandbox(experiment).pin(make_harness(experiment, Path()).agent())
    return experiment if digest is None else {**experiment, "harness": {**experiment["harness"], "digest": digest}}


def as_stored(image: ImageRef) -> SentImage:
    """An image that went out as it is stored."""
    return SentImage(image.hash, image.width, image.height, image.width, image.height, "image/png", 0)


def parsed(record: AnswerRecord, case: Case, model: Model) -> Answer:
    """The answer of a stored record, read anew."""
    reply = record.reply
    assert reply is not None
    current = case.image(record.observation)
    sent_image: SentImage | None = None
    if current is not None:
        recorded = next((i for i in reply.images if i["hash"] == current.hash), None)
        sent_image = SentImage(**recorded) if recorded is not None else as_stored(current)
    return parse(
        reply.text,
        reply.tool_calls,
        spatial=case.domain in SPATIAL_DOMAINS,
        space=model.profile.space,
        sent=sent_image,
        filtered=reply.filtered,
    )


@dataclass
class Work:
    """The victim side of a run. Of a pickled one, `experiment`, `suite_folder` and `account` arrive, nothing else."""

    experiment: Mapping[str, Any]
    suite_folder: Path
    cases: Callable[[str], Case]
    account: str
    journal: Journal
    limiter: Limiter | None = None
    _model: Any = field(default=None, repr=False)
    _harness: Any = field(default=None, repr=False)
    _sandbox: Any = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("experiment", "suite_folder", "account")}

    def placed(self, cases: Callable[[str], Case], journal: Journal, limiter: Limiter, suite_folder: Path) -> Work:
        """This work in another process, with what that process has for it."""
        return replace(
            self, cases=cases, journal=journal, limiter=limiter, suite_folder=suite_folder, _model=None, _harness=None
        )

    def window(self, kind: Kind) -> int:
        """How many units are worth having in hand: what the endpoint may have in flight, and a few to follow."""
        limits = self.experiment["model" if kind == "answer" else "judge"].get("limits", {})
        return int(limits.get("max_in_flight", 0)) + 4

    @property
    def model(self) -> Model:
        if self._model is None:
            self._model = make_model(self.experiment["model"], self.account, self.limiter)
        model: Model = self._model
        return model

    @property
    def harness(self) -> Harness:
        if self._harness is None:
            self._harness = make_harness(self.experiment, self.suite_folder)
        harness: Harness = self._harness
        return harness

    @property
    def sandbox(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = make_sandbox(self.experiment, self.account)
        sandbox: Sandbox = self._sandbox
        return sandbox

    async def open(self) -> None:
        await self.sandbox.open(self.harness.agent())
        opening = getattr(self.model, "open", None)
        if opening is not None:
            await opening()

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()
            self._model = None
        if self._sandbox is not None:
            await self._sandbox.close()
            self._sandbox = None

    async def do(self, unit: Unit) -> Outcome:
        """Makes the call of a unit and journals its record; failures are records too, never exceptions."""
        case = self.cases(unit.case_id)
        _let_go.set(_once(lambda: self.journal.add_intent(intent(unit))))
        replies: list[Reply] = []
        failure: CallFailure | None = None
        stop: str | None = None
        attempts: tuple[Mapping[str, Any], ...] = ()
        waited = 0.0

        async def ask(prompt: Prompt) -> Reply:
            reply = await self._complete(prompt, case, unit, len(replies))
            replies.append(reply)
            return reply

        try:
            replies[:] = await self.harness.run(case, unit.observation, self.model.profile, ask, self.sandbox)
        except CallError as error:
            attempts, waited = error.attempts, error.waited_s
            if error.kind == "filtered":
                replies.append(Reply(text="", filtered=True, finish_reason="content_filter", attempts=attempts))
            else:
                failure = CallFailure(kind=error.kind, message=error.message)
                stop = str(error) if error.ends_run else None
        except AgentError as error:
            failure = CallFailure(kind=error.kind, message=error.message)
            stop = f"{error.kind}: {error.message}" if error.ends_run else None
        except ImageError as error:
            failure = CallFailure(kind="asset", message=str(error))
        except Exception as error:  # one case's accident must not end the others; its trace is kept
            trace = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(trace.filename).name}:{trace.lineno}"
            failure = CallFailure(kind="internal", message=f"{type(error).__name__} at {where}: {error}"[:500])
        return self.settled(unit, replies, failure, attempts, waited, stop)

    def settled(
        self,
        unit: Unit,
        replies: Sequence[Reply] = (),
        failure: CallFailure | None = None,
        attempts: Sequence[Mapping[str, Any]] = (),
        waited_s: float = 0.0,
        stop: str | None = None,
    ) -> Outcome:
        """The outcome of a unit, on record."""
        record = AnswerRecord.of(
            answer_id=answer_id(unit.key, unit.attempt),
            request_key=unit.key,
            attempt=unit.attempt,
            case_id=unit.case_id,
            observation=unit.observation,
            repeat=unit.repeat,
            replies=replies,
            failure=failure,
            attempts=attempts,
            waited_s=waited_s,
        )
        self.journal.add_answer(record)
        return Outcome(unit, record, stop)

    async def _complete(self, prompt: Prompt, case: Case, unit: Unit, turn: int) -> Reply:
        """One reply; one cut at the token limit without an action is asked for once more with twice the cap."""
        key = f"{self.account}:{unit.key[:24]}:{unit.attempt}:{turn}"
        reply = await self.model.ask(prompt, key)
        if prompt.schema is None:  # an agent's own question; what a cut reply to it is worth is for the agent to say
            return reply
        if reply.finish_reason != "length" or self._acts(reply, case):
            return reply
        again = await self.model.ask(prompt, f"{key}:longer", cap=2)
        if again.finish_reason == "length" and not self._acts(again, case):
            raise CallError(
                "truncated",
                "the reply was cut at the token limit before it named an action, also with twice the limit; "
                "raise model.params.max_tokens",
                attempts=(*reply.attempts, *again.attempts),
            )
        return again

    def _acts(self, reply: Reply, case: Case) -> bool:
        answer = parse(
            reply.text,
            reply.tool_calls,
            spatial=case.spatial,
            space=self.model.profile.space,
            sent=as_stored(case.injected),
        )
        return bool(answer.actions)
