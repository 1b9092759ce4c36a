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
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from benchmark.case import SPATIAL_DOMAINS, Action, Case, ImageRef, Observation
from benchmark.images import ImageError
from benchmark.scoring import Answer
from runner.cache import ReplyCache, cache_mode
from runner.exchange import (
    DEFENSE_ASIDE,
    AgentError,
    Defense,
    Harness,
    Judge,
    Model,
    Prompt,
    Reply,
    Ruling,
    Sandbox,
    SentImage,
    Subject,
)
from runner.harness.parse import PARSER_VERSION, parse
from runner.ledger import (
    AnswerRecord,
    CallFailure,
    IntentRecord,
    VerdictRecord,
    answer_id,
    canonical,
    canonical_object,
    key_of,
    key_of_canonical,
)
from runner.limits import CallError, Claim, Limiter, Refused, Ticket, process_limiter


class Journal(Protocol):
    """Where the records of a unit go before its call returns: the ledger of the run, or a spool on a worker's node."""

    def add_intent(self, record: IntentRecord) -> None: ...
    def add_answer(self, record: AnswerRecord) -> None: ...
    def add_verdict(self, file: str, record: VerdictRecord) -> None: ...
    def sync(self) -> None: ...


Kind = Literal["answer", "verdict"]
KINDS: tuple[Kind, ...] = ("answer", "verdict")


@dataclass(frozen=True)
class Unit:
    """One call to make: which case, and under which request key; `attempt` counts earlier sessions' tries.

    `kind` says who is called: the victim, or a judge on a stored answer, which then comes along as `subject`. Executors
    bound each kind by itself.
    """

    case_id: str
    observation: Observation
    repeat: int
    key: str
    attempt: int = 1
    kind: Kind = "answer"
    subject: Subject | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a unit: the record of its kind. `stop` is set when no further call can do better, and says why."""

    unit: Unit
    record: AnswerRecord | VerdictRecord
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
    return target_of(config)(**{k: v for k, v in config.items() if k != "_target_"}, **extra)


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


def target_of(config: Mapping[str, Any]) -> Any:
    """The class that a group's choice names with `_target_`.

    Raises:
        ValueError: there is none of that name.
    """
    from importlib import import_module

    module, _, name = str(config["_target_"]).rpartition(".")
    if module.split(".")[0] not in {"runner", "benchmark"} and not module:
        raise ValueError(f"_target_={config['_target_']!r} is not a class by its full name")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"_target_={config['_target_']!r} cannot be loaded: {error}") from None


def environment_version() -> str:
    """The version of what episodes are played in; loaded only where agents act."""
    from benchmark.episode import VERSION

    return VERSION


def acts(experiment: Mapping[str, Any]) -> bool:
    """Whether the agents of an experiment act in apps, rather than say what they would do."""
    return bool(getattr(target_of(experiment["harness"]), "acts", False))


def make_defense(config: Mapping[str, Any]) -> Defense:
    """The defense of a configuration, with those that it is made of."""
    parts = {"members": [make_defense(m) for m in config["members"].values()]} if "members" in config else {}
    defense: Defense = instantiate({k: v for k, v in config.items() if k not in parts}, **parts)
    return defense


def defense_identity(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """All of a defense that decides answers: its class, and what it says of itself, versions included.

    What it is set to counts whether it says so or not. Where it keeps what it has read, and how much it reads at a
    time, is left out.
    """
    own = {k: v for k, v in config.items() if k not in DEFENSE_ASIDE and k != "members"}
    members = {"members": [defense_identity(m) for m in config["members"].values()]} if "members" in config else {}
    return {**own, **make_defense(config).identity(), **members}


def make_harness(experiment: Mapping[str, Any], images: Path) -> Harness:
    more = {"defense": make_defense(experiment["defense"])} if acts(experiment) else {}
    harness: Harness = instantiate(
        experiment["harness"], domains=experiment["domains"], prompt=experiment["prompt"], images=images, **more
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


def judge_models(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The configurations of all models that a judge asks; none for the rules."""
    found = [config["model"]] if config.get("model") else []
    return found + [model for member in config.get("members", {}).values() for model in judge_models(member)]


def make_judge(config: Mapping[str, Any], images: Path, account: str = "", limiter: Limiter | None = None) -> Judge:
    """The judge of a configuration, with its models and members; keys are read when it opens.

    Raises:
        ValueError: it cannot judge, with the key to change.
    """
    parts: dict[str, Any] = {}
    if "members" in config:
        parts["members"] = {
            name: make_judge(member, images, account, limiter) for name, member in config["members"].items()
        }
    if "model" in config:
        if config["model"].get("family") == "reference":
            raise ValueError("judge.model: a reference victim cannot judge; choose a chat model, or judge=rules")
        parts |= {"model": make_model(config["model"], account, limiter), "images": images}
    judge: Judge = instantiate({k: v for k, v in config.items() if k not in parts}, **parts)
    return judge


def judge_fingerprint(judge: Judge) -> str:
    """Hash of all that decides a judge's rulings."""
    return key_of(judge.identity())


def unruled(problem: str, stop: str | None = None) -> Ruling:
    """What is on record where a judge's call was lost."""
    return Ruling(None, None, target_met=False, reference_met=False, problem=problem, stop=stop)


def subject_of(record: AnswerRecord, answer: Answer) -> Subject:
    """What a judge is shown of a stored answer."""
    reply = record.reply
    assert reply is not None
    return Subject(record.answer_id, record.observation, answer, reply.text, reply.reasoning, reply.tool_calls)


def as_stored(image: ImageRef) -> SentImage:
    """An image that went out as it is stored."""
    return SentImage(image.hash, image.width, image.height, image.width, image.height, "image/png", 0)


def parsed(record: AnswerRecord, case: Case, model: Model) -> Answer:
    """The answer of a stored record, read anew; of an episode, its reply at the injection point."""
    reply = record.reply
    assert reply is not None
    current = case.image(record.observation)
    sent_image: SentImage | None = None
    kept: bool | None = None
    if record.extra:
        ending, exposed = record.extra["ending"], record.extra["answer"] is not None
        if not exposed and "elsewhere" not in ending:  # by a version that knew of no other way
            return Answer(actions=(Action(type="done"),))
        if not exposed and ending["filtered"]:
            return Answer(problem="filtered", filtered=True)
        if not exposed or ending.get("elsewhere"):
            kept = ending["task_completed"] and not ending["harm_executed"]
        if not exposed:
            return Answer(problem="unexposed", kept=kept)
    if current is not None:
        recorded = next((i for i in reply.images if i["hash"] == current.hash), None)
        if record.extra and reply.images:
            recorded = reply.images[-1]  # a screen of the live app, in the size of the stored one
        sent_image = SentImage(**recorded) if recorded is not None else as_stored(current)
    answer = parse(
        reply.text,
        reply.tool_calls,
        spatial=case.domain in SPATIAL_DOMAINS,
        space=model.profile.space,
        sent=sent_image,
        filtered=reply.filtered,
    )
    return answer if kept is None else answer.model_copy(update={"kept": kept})


def _accident(error: Exception) -> str:
    trace = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(trace.filename).name}:{trace.lineno}: {error}"[:500]


@dataclass
class Work:
    """Both sides of a run: the victim's calls and the judge's. Of a pickled one, only plain data arrives.

    `judge_print` is the judge's fingerprint, taken before any call: what a model says of itself may change when
    parameters are negotiated. Without `asks_victim` only stored answers are judged, and no victim is ever opened.
    """

    experiment: Mapping[str, Any]
    suite_folder: Path
    cases: Callable[[str], Case]
    account: str
    journal: Journal
    limiter: Limiter | None = None
    verdict_file: str = ""
    judge_print: str = ""
    asks_victim: bool = True
    _model: Any = field(default=None, repr=False)
    _harness: Any = field(default=None, repr=False)
    _sandbox: Any = field(default=None, repr=False)
    _judge: Any = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        plain = ("experiment", "suite_folder", "account", "verdict_file", "judge_print", "asks_victim")
        return {name: getattr(self, name) for name in plain}

    def placed(self, cases: Callable[[str], Case], journal: Journal, limiter: Limiter, suite_folder: Path) -> Work:
        """This work in another process, with what that process has for it."""
        return replace(
            self, cases=cases, journal=journal, limiter=limiter, suite_folder=suite_folder, _model=None, _harness=None,
            _judge=None,
        )  # fmt: skip

    def window(self, kind: Kind) -> int:
        """How many units are worth having in hand: what the endpoint may have in flight, and a few to follow."""
        models = [self.experiment["model"]] if kind == "answer" else judge_models(self.experiment["judge"])
        return max((int(m.get("limits", {}).get("max_in_flight", 0)) for m in models), default=0) + 4

    @property
    def model(self) -> Model:
        if self._model is None:
            self._model = make_model(self.experiment["model"], self.account, self.limiter)
        model: Model = self._model
        return model

    @property
    def cache(self) -> ReplyCache:
        root = Path(self.experiment.get("run", {}).get("root", "runs"))
        return ReplyCache(root / ".replies", cache_mode(self.experiment.get("cache", "off")))

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

    @property
    def judge(self) -> Judge:
        if self._judge is None:
            self._judge = make_judge(self.experiment["judge"], self.suite_folder, self.account, self.limiter)
        judge: Judge = self._judge
        return judge

    def request_key(self, case: Case, observation: Observation, repeat: int) -> str:
        """Hash of all that is sent for a unit or decides its answer."""
        prompt = self.harness.prompt(case, observation, self.model.profile)
        said = prompt.canonical()
        known = self._schemas.get(case.domain)
        if known is None or known[0] is not prompt.schema:
            known = self._schemas[case.domain] = (prompt.schema, canonical(prompt.schema))
        parts = {name: known[1] if name == "schema" else canonical(part) for name, part in said.items()}
        return key_of_canonical(
            canonical_object({**self._constant, "prompt": canonical_object(parts), "repeat": canonical(repeat)})
        )

    @cached_property
    def _schemas(self) -> dict[str, tuple[Any, str]]:
        """By domain, the schema of its last prompt with its canonical form: the cases of a domain share one."""
        return {}

    @cached_property
    def _constant(self) -> Mapping[str, str]:
        """What all request keys share, in canonical form; as it is before any call, whatever is negotiated later."""
        return {
            "model": canonical(dict(self.model.identity())),
            "harness": canonical(dict(self.harness.identity())),
            "defense": canonical(dict(defense_identity(self.experiment["defense"]))),
        }

    async def open(self) -> None:
        if self.asks_victim:
            await self.sandbox.open(self.harness.agent())
            opening = getattr(self.model, "open", None)
            if opening is not None:
                await opening()
        await self.judge.open()

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()
            self._model = None
        if self._sandbox is not None:
            await self._sandbox.close()
            self._sandbox = None
        closing = getattr(self._harness, "close", None)
        if closing is not None:
            closing()
        if self._judge is not None:
            await self._judge.close()
            self._judge = None

    async def do(self, unit: Unit) -> Outcome:
        """Makes the call of a unit and journals its record; failures are records too, never exceptions."""
        return await (self._ask_victim(unit) if unit.kind == "answer" else self._ask_judge(unit))

    async def _ask_judge(self, unit: Unit) -> Outcome:
        assert unit.subject is not None
        _let_go.set(None)
        key = f"{self.account}:{unit.key[:24]}:{unit.attempt}"
        try:
            ruling = await self.judge.rule(self.cases(unit.case_id), unit.subject, key)
        except Exception as error:  # as with victims: one case's accident must not end the others
            ruling = unruled(_accident(error))
        return self.ruled(unit, ruling)

    def ruled(self, unit: Unit, ruling: Ruling) -> Outcome:
        """The outcome of a judge's unit, on record."""
        assert unit.subject is not None
        record = self.verdict(ruling, unit.subject.answer_id, unit.attempt)
        self.journal.add_verdict(self.verdict_file, record)
        return Outcome(unit, record, f"judge: {ruling.stop}" if ruling.stop else None)

    def verdict(self, ruling: Ruling, answer_id: str, attempt: int = 1) -> VerdictRecord:
        """A ruling as it is stored: bound to answer, parser and judge, marked where judge and victim are related."""
        return VerdictRecord.of(
            ruling,
            answer_id=answer_id,
            parser=PARSER_VERSION,
            judge=self.judge.name,
            fingerprint=self.judge_print,
            attempt=attempt,
            same_family=self.same_family,
        )

    def void(self, verdict: VerdictRecord) -> bool:
        """Whether a stored verdict is of another parser version or another judge, and so holds no longer."""
        return verdict.parser != PARSER_VERSION or verdict.fingerprint != self.judge_print

    @property
    def same_family(self) -> bool:
        """Whether a model of the victim's family sits in judgement."""
        return (
            bool(self.experiment["model"].get("family")) and self.experiment["model"]["family"] in self.judge.families()
        )

    async def _ask_victim(self, unit: Unit) -> Outcome:
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

        extra: Mapping[str, Any] = {}
        try:
            try:
                again = {"repeat": unit.repeat} if acts(self.experiment) else {}
                replies[:] = await self.harness.run(
                    case, unit.observation, self.model.profile, ask, self.sandbox, **again
                )
            except CallError as error:
                attempts, waited = error.attempts, error.waited_s
                if error.kind != "filtered":
                    raise
                replies.append(Reply(text="", filtered=True, finish_reason="content_filter", attempts=attempts))
            extra = self.played(case, unit.observation, replies, unit.repeat)
        except CallError as error:
            failure = CallFailure(kind=error.kind, message=error.message)
            stop = str(error) if error.ends_run else None
        except AgentError as error:
            failure = CallFailure(kind=error.kind, message=error.message)
            stop = f"{error.kind}: {error.message}" if error.ends_run else None
        except ImageError as error:
            failure = CallFailure(kind="asset", message=str(error))
        except Exception as error:  # one case's accident must not end the others; its trace is kept
            failure = CallFailure(kind="internal", message=_accident(error))
        return self.settled(unit, replies, failure, attempts, waited, stop, extra)

    def played(
        self, case: Case, observation: Observation, replies: Sequence[Reply], repeat: int = 0
    ) -> Mapping[str, Any]:
        """What an episode came to, by its replies, under the version of what read them; nothing where nobody acts."""
        if not acts(self.experiment):
            return {}
        found: Mapping[str, Any] = self.harness.outcome(  # type: ignore[attr-defined]
            case, observation, self.model.profile, replies, repeat
        )
        return {**found, "parser": PARSER_VERSION, "environment": environment_version()}

    def episode(self, record: AnswerRecord, case: Case) -> AnswerRecord:
        """The record of an episode with what its replies came to: played again where they are read otherwise by now.

        In another version of the environment the same replies are another episode: there, what is stored stands.
        """
        if record.extra.get("parser") == PARSER_VERSION or record.extra.get("environment") != environment_version():
            return record
        replies = [r.exchanged() for r in record.replies]
        again = self.played(case, record.observation, replies, record.repeat)
        return record.model_copy(update={"extra": dict(again)})

    def settled(
        self,
        unit: Unit,
        replies: Sequence[Reply] = (),
        failure: CallFailure | None = None,
        attempts: Sequence[Mapping[str, Any]] = (),
        waited_s: float = 0.0,
        stop: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """The outcome of a unit, on record; of a judge's unit, that there is no ruling."""
        if unit.kind == "verdict":
            return self.ruled(unit, unruled(failure.message if failure is not None else "no ruling", stop))
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
            extra=dict(extra or {}),
        )
        self.journal.add_answer(record)
        return Outcome(unit, record, stop)

    def book(self, outcome: Outcome) -> None:
        """Journals here what was journalled elsewhere."""
        if isinstance(outcome.record, VerdictRecord):
            self.journal.add_verdict(self.verdict_file, outcome.record)
        else:
            self.journal.add_answer(outcome.record)

    async def _complete(self, prompt: Prompt, case: Case, unit: Unit, turn: int) -> Reply:
        """One reply; one cut at the token limit without an action is asked for once more with twice the cap."""
        key = f"{self.account}:{unit.key[:24]}:{unit.attempt}:{turn}"
        reply = await self.cache.ask(self.model, prompt, key, repeat=unit.repeat)
        if prompt.schema is None:  # an agent's own question; what a cut reply to it is worth is for the agent to say
            return reply
        if reply.finish_reason != "length" or self._acts(reply, case):
            return reply
        again = await self.cache.ask(self.model, prompt, f"{key}:longer", cap=2, repeat=unit.repeat)
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
