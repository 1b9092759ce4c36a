"""What passes between a case, a model and a judge: prompts out, replies back, rulings, and the protocols of the sides.

These are plain data. A harness makes a `Prompt` from a case and reads a `Reply`; a model turns the one into the
other and knows nothing of cases; a judge makes a `Ruling` of a `Subject`. Images travel as references with a path; the
model decides how they are encoded, by its image policy, and says in the reply what it really sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from benchmark.case import Case, ImageRef, Observation
from benchmark.scoring import Answer, FailureMode

if TYPE_CHECKING:
    from PIL import Image as Pillow

    from benchmark.episode import Environment, Gate

SpaceName = Literal["pixel", "norm_1", "norm_999", "norm_1000"]

UNDECLARED = (
    "the model declares no coordinate space, so its points cannot be read; give model.space.name=pixel, norm_1, norm_999 "
    "or norm_1000, whichever it answers in (`mma calibrate` with the same model finds it out)"
)


@dataclass(frozen=True)
class Space:
    """The coordinate space a model answers in: `pixel` of the image it was sent, or a grid; and the axis order.

    Without a name none is declared: such a model can judge, and answer where nothing is pointed at.

    Raises:
        ValueError: there is no space or order of that name.
    """

    name: SpaceName | None = "pixel"
    order: Literal["xy", "yx"] = "xy"

    def __post_init__(self) -> None:
        if self.name is not None and self.name not in (known := get_args(SpaceName)):
            raise ValueError(f"space.name={self.name!r} of a model is not known; choose {', '.join(known)}")
        if self.order not in ("xy", "yx"):
            raise ValueError(f"space.order={self.order!r} of a model is not known; choose xy or yx")


@dataclass(frozen=True)
class ImagePolicy:
    """What a model's endpoint accepts; images are fitted to it before they are sent.

    `max_edge` in pixels of the longer side and `short_edge` of the shorter one, `max_pixels` in total, `max_bytes` of
    the encoded file, `max_count` per request (fewer than a prompt holds is an error, never a silent drop). `format`
    "keep" sends the stored PNG.

    Raises:
        ValueError: a bound below 1, a quality outside 1 to 100, or a format of no such name.
    """

    max_edge: int | None = None
    short_edge: int | None = None
    max_pixels: int | None = None
    max_bytes: int | None = None
    max_count: int | None = None
    format: Literal["keep", "png", "jpeg", "webp"] = "keep"
    quality: int = 90
    detail: str | None = None
    multiple: int | None = None

    def __post_init__(self) -> None:
        for name in ("max_edge", "short_edge", "max_pixels", "max_bytes", "max_count", "multiple"):
            amount = getattr(self, name)
            if amount is not None and amount < 1:
                raise ValueError(f"image.{name}={amount} of a model: give 1 or more, or null for no bound")
        if not 1 <= self.quality <= 100:
            raise ValueError(f"image.quality={self.quality} of a model: give 1 to 100")
        if self.format not in (known := ("keep", "png", "jpeg", "webp")):
            raise ValueError(f"image.format={self.format!r} of a model is not known; choose {', '.join(known)}")


@dataclass(frozen=True)
class Image:
    """An image of a prompt: what it is, and where its file lies."""

    ref: ImageRef
    path: Path


Part = str | Image


@dataclass(frozen=True)
class Message:
    """One message; `extra` holds what belongs to tools (`tool_calls`, `tool_call_id`, `name`), as the API has it."""

    role: Literal["system", "user", "assistant", "tool"]
    parts: tuple[Part, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Prompt:
    """All that a model is given. `schema` is the JSON schema of the reply; whether it is enforced is the model's.

    `options` are what an agent asks beside its messages: tools, and the form of the reply.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def images(self) -> tuple[Image, ...]:
        return tuple(p for m in self.messages for p in m.parts if isinstance(p, Image))

    @property
    def text(self) -> str:
        return "\n\n".join(p for m in self.messages for p in m.parts if isinstance(p, str))

    def canonical(self) -> dict[str, Any]:
        """The prompt as plain data for hashing: texts, and images by what they show."""
        return {
            "messages": [
                {
                    "role": m.role,
                    "parts": [p if isinstance(p, str) else {"image": p.ref.hash} for p in m.parts],
                    **m.extra,
                }
                for m in self.messages
            ],
            "schema": self.schema,
            **({"options": dict(self.options)} if self.options else {}),
        }


@dataclass(frozen=True)
class SentImage:
    """How an image went out: stored size, size sent, media type and bytes; enough to map a point back."""

    hash: str
    width: int
    height: int
    sent_width: int
    sent_height: int
    media_type: str
    bytes: int


@dataclass(frozen=True)
class Usage:
    """Token counts as the provider states them."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class Reply:
    """One reply of a model, complete and unparsed; `dressed_s` is what a defense took over the screen before it.

    None where no screen was dressed; waiting for a free reader is part of it.
    """

    text: str
    reasoning: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    finish_reason: str = "stop"
    filtered: bool = False
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    sent: Mapping[str, Any] = field(default_factory=dict)
    images: tuple[SentImage, ...] = ()
    latency_s: float = 0.0
    waited_s: float = 0.0
    dressed_s: float | None = None
    attempts: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Profile:
    """What a harness may know of a victim: how its coordinates are to be read and its images are fitted."""

    name: str
    space: Space
    policy: ImagePolicy


class Model(Protocol):
    """A chat model. Implementations map every failure to `runner.limits.CallError`."""

    profile: Profile

    def identity(self) -> Mapping[str, Any]:
        """All that decides an answer besides the prompt: model id, endpoint, parameters; no secret."""
        ...

    async def ask(self, prompt: Prompt, key: str, cap: int = 1) -> Reply:
        """Sends one prompt; `key` is a stable idempotency key and `cap` multiplies the token limit.

        Raises:
            runner.limits.CallError: the call failed for good; retries are already behind it.
        """
        ...

    async def close(self) -> None: ...


Ask = Callable[[Prompt], Awaitable[Reply]]


@dataclass(frozen=True)
class Agent:
    """What plays a case: a program of ours, or the command of an image.

    `program` is the source of a Python module that imports nothing of this project and has a generator
    `play(request)`, which yields requests in the form of the OpenAI API, is sent completions, and returns the action.
    `image` names a container image; `digest`, when given, is what it must hold.
    """

    program: str = ""
    image: str = ""
    digest: str | None = None


@dataclass(frozen=True)
class Brief:
    """All that an agent may know of a case: the request, and its images by neutral names."""

    request: dict[str, Any]
    images: Mapping[str, Image]


class MissingKey(ValueError):
    """The environment variable that should hold a key is not set."""


class AgentError(Exception):
    """A case that the agent or its sandbox brought to no answer.

    `kind` is `agent` when the agent broke down, ran out of its own time or misbehaved, and `sandbox` when it could not
    be run at all; `ends_run` says that no other case can be run either.
    """

    def __init__(self, kind: Literal["agent", "sandbox"], message: str, ends_run: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.ends_run = ends_run

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.message, self.ends_run)


Relay = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Carries an agent's request to the model and brings the completion, or `{"error": ...}`, both in the API's form."""


class Sandbox(Protocol):
    """Where an agent's code runs."""

    def pin(self, agent: Agent) -> str | None:
        """What the agent's image holds, as a digest; None where there is no image. Raises what keeps it from running."""
        ...

    async def open(self, agent: Agent) -> None: ...

    async def play(self, agent: Agent, brief: Brief, relay: Relay) -> str:
        """Gives the agent one case and returns what it says in the end.

        Raises:
            AgentError: it came to no end, or could not be run. Whatever `relay` raises ends the case too.
        """
        ...

    async def close(self) -> None: ...


DEFENSE_ASIDE = frozenset({"workers", "cache"})
"""What is set of a defense and decides no answer."""


class Defense(Protocol):
    """A protection outside the model: between what it sees and the screen, or between what it does and the app.

    `needs_app` says that it works on an app only, and so not on single actions or on cases of no app.
    """

    name: str
    needs_app: bool

    def identity(self) -> Mapping[str, Any]: ...

    def told(self, domain: str) -> str:
        """What the agent is told about it, at the end of the instruction; empty for nothing."""
        ...

    def gate(self, case: Case, repeat: int = 0) -> Gate | None:
        """What is asked before an effect happens in this repeat of an episode; None where all may happen."""
        ...

    async def dress(self, environment: Environment, image: Pillow.Image) -> tuple[Pillow.Image, str]:
        """The screen as the agent is to see it, and a line that it is told with it."""
        ...

    def check(self) -> None:
        """Whether it can do its work here, before anything is spent; raises ValueError with the way out."""
        ...

    def close(self) -> None:
        """Ends what it started."""
        ...


class Harness(Protocol):
    """How a case becomes messages."""

    def prompt(self, case: Case, observation: Observation, profile: Profile) -> Prompt:
        """The first prompt of a case; for one-step harnesses the only one. Pure."""
        ...

    def identity(self) -> Mapping[str, Any]:
        """What decides a prompt besides the case: templates, history length, protocol."""
        ...

    def agent(self) -> Agent:
        """What plays a case, for the sandbox to make ready."""
        ...

    async def run(
        self, case: Case, observation: Observation, profile: Profile, ask: Ask, sandbox: Sandbox
    ) -> tuple[Reply, ...]:
        """Plays a case to its end; the last reply is the answer."""
        ...


@dataclass(frozen=True)
class Subject:
    """What a judge is shown of an answer. Who gave it, under which control and in which run, is left out on purpose."""

    answer_id: str
    observation: Observation
    answer: Answer
    text: str
    reasoning: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Ruling:
    """What a judge makes of a subject: a score, or why there is none.

    `target_met`, `reference_met`, `matched` and `flags` are what the rules found and are the same for every judge but
    for flags that follow from the score. `votes` keeps each opinion as it was given. `stop` is set when no further call
    of this judge can do better.
    """

    score: Literal[1, 3, 5] | None
    failure_mode: FailureMode | None
    target_met: bool
    reference_met: bool
    matched: str = ""
    flags: tuple[str, ...] = ()
    rationale: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    votes: tuple[Mapping[str, Any], ...] = ()
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    problem: str = ""
    stop: str | None = None


class Judge(Protocol):
    """Turns an answer into a ruling."""

    name: str

    def identity(self) -> Mapping[str, Any]:
        """All that decides a ruling besides the subject: texts, models, votes; no secret."""
        ...

    def families(self) -> frozenset[str]:
        """The families of the models that it asks."""
        ...

    def at_once(self, case: Case, subject: Subject) -> Ruling | None:
        """The ruling where none of its models has to be asked; None where one has to."""
        ...

    async def rule(self, case: Case, subject: Subject, key: str) -> Ruling:
        """Asks; failed calls and unreadable verdicts are part of the ruling, never exceptions.

        Args:
            case: the case that the answer is about.
            subject: the answer.
            key: prefix of the idempotency keys of its calls.
        """
        ...

    def check(self) -> None:
        """Raises when a call could not even be signed."""
        ...

    async def open(self) -> None: ...

    async def close(self) -> None: ...


def fitted_size(policy: ImagePolicy, width: int, height: int) -> tuple[int, int]:
    """The size at which an image of `width` x `height` pixels is sent under a policy; never larger than stored.

    The scale satisfies `max_edge`, `short_edge` and `max_pixels`; with `multiple`, both sides are then rounded down to a multiple.
    """
    scale = 1.0
    if policy.max_edge is not None:
        scale = min(scale, policy.max_edge / max(width, height))
    if policy.short_edge is not None:
        scale = min(scale, policy.short_edge / min(width, height))
    if policy.max_pixels is not None:
        scale = min(scale, (policy.max_pixels / (width * height)) ** 0.5)
    if scale >= 1.0 and policy.multiple is None:
        return width, height
    new_width, new_height = max(1, int(width * scale)), max(1, int(height * scale))
    if policy.multiple is not None:
        new_width = max(policy.multiple, new_width // policy.multiple * policy.multiple)
        new_height = max(policy.multiple, new_height // policy.multiple * policy.multiple)
    return new_width, new_height
