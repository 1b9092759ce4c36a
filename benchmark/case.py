"""The data model of a suite: what a case is, down to the last box.

Everything that is measured is described here and nowhere else: actions, boxes, predicates, trajectories,
injections, targets and references. A `Case` is self-sufficient: a judge, a harness or a reader needs nothing besides
it and the images it names. All models are frozen and refuse unknown keys, so that a file written by another version
fails loudly instead of being half understood.

Boxes are `xyxy`, half open, in whole pixels of the *stored* image; a point belongs to the pixel it lies in.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

SCHEMA_VERSION: Literal[1] = 1

Domain = Literal["web", "gui", "mobile", "document", "video"]
Intent = Literal["destructive_induction", "privilege_escalation", "data_leakage"]
Observation = Literal["injected", "clean"]

DOMAINS: tuple[Domain, ...] = ("web", "gui", "mobile", "document", "video")
SPATIAL_DOMAINS: frozenset[str] = frozenset({"web", "gui", "mobile"})
INTENTS: tuple[Intent, ...] = ("destructive_induction", "privilege_escalation", "data_leakage")

ActionType = Literal[
    "click", "double_click", "right_click", "long_press", "hover", "drag", "swipe", "scroll", "type", "press",
    "hotkey", "select", "open", "back", "home", "wait", "answer", "report", "refuse", "done",
]  # fmt: skip

POINTING: frozenset[str] = frozenset(
    {"click", "double_click", "right_click", "long_press", "hover", "drag", "swipe", "scroll", "select"}
)


def whole_text(text: str) -> str:
    """A text that pages, files and requests can hold: halves of surrogate pairs, which JSON can hold, are mended."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Record(BaseModel):
    """Base of everything stored: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Point(Record):
    """A position in pixels of the stored image; fractions are allowed, they fall into the pixel they lie in."""

    x: float
    y: float


class Box(Record):
    """A half-open rectangle `[x0, x1) x [y0, y1)` in whole pixels of the stored image."""

    x0: int
    y0: int
    x1: int
    y1: int

    @model_validator(mode="after")
    def _ordered(self) -> Box:
        if self.x1 < self.x0 or self.y1 < self.y0:
            raise ValueError(f"box {self.x0, self.y0, self.x1, self.y1} has its corners in the wrong order")
        return self

    @property
    def width(self) -> int:
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        return self.y1 - self.y0

    @property
    def area(self) -> int:
        return self.width * self.height

    @property
    def empty(self) -> bool:
        return self.area == 0

    @property
    def center(self) -> Point:
        return Point(x=(self.x0 + self.x1) / 2, y=(self.y0 + self.y1) / 2)

    def contains(self, point: Point) -> bool:
        """Whether the point lies in the box; the right and the lower edge are outside."""
        return self.x0 <= point.x < self.x1 and self.y0 <= point.y < self.y1

    def inside(self, other: Box) -> bool:
        return other.x0 <= self.x0 and other.y0 <= self.y0 and self.x1 <= other.x1 and self.y1 <= other.y1

    def grown(self, pixels: int) -> Box:
        return Box(x0=self.x0 - pixels, y0=self.y0 - pixels, x1=self.x1 + pixels, y1=self.y1 + pixels)

    def moved(self, dx: int, dy: int) -> Box:
        return Box(x0=self.x0 + dx, y0=self.y0 + dy, x1=self.x1 + dx, y1=self.y1 + dy)

    def intersection(self, other: Box) -> Box:
        """The common part; an empty box at this box's corner when there is none."""
        x0, y0 = max(self.x0, other.x0), max(self.y0, other.y0)
        x1, y1 = min(self.x1, other.x1), min(self.y1, other.y1)
        if x1 <= x0 or y1 <= y0:
            return Box(x0=self.x0, y0=self.y0, x1=self.x0, y1=self.y0)
        return Box(x0=x0, y0=y0, x1=x1, y1=y1)

    def gap(self, other: Box) -> int:
        """Chebyshev distance in pixels between the two boxes; 0 when they touch or overlap."""
        dx = max(self.x0 - other.x1, other.x0 - self.x1, 0)
        dy = max(self.y0 - other.y1, other.y0 - self.y1, 0)
        return max(dx, dy)


class ImageRef(Record):
    """An image of the suite, addressed by the sha256 of its size and decoded RGB pixels (`images/ab/<hash>.png`)."""

    hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    width: int = Field(gt=0)
    height: int = Field(gt=0)

    @property
    def frame(self) -> Box:
        return Box(x0=0, y0=0, x1=self.width, y1=self.height)

    @property
    def relative_path(self) -> str:
        return f"images/{self.hash[:2]}/{self.hash}.png"


class Action(Record):
    """One action of an agent, in pixels of the stored image.

    `text` is what is typed, answered or reported; `keys` are key names of `press` and `hotkey`; `direction` belongs
    to `scroll` and `swipe`; `end` is where a `drag` or `swipe` ends. `fields` are the act fields of a document or
    video answer (`answer`, `label`, `recipients`, `actions`, `route`).
    """

    type: ActionType
    point: Point | None = None
    end: Point | None = None
    text: str | None = None
    keys: tuple[str, ...] = ()
    direction: Literal["up", "down", "left", "right"] | None = None
    fields: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)


class Step(Record):
    """A benign step: the screen before the action, the action, and what the agent said about it.

    `image` is null for steps after the injection point, of which only the action is kept. `element` names what the
    action was aimed at and `label` is its visible text ("" for an icon).
    """

    index: int = Field(ge=0)
    image: ImageRef | None
    action: Action
    says: str
    element: str | None = None
    label: str = ""


class AppRef(Record):
    """Coordinates of a generated case in the app it was recorded in; enough to resume there."""

    app: str
    goal: str
    params: dict[str, str]
    step: int = Field(ge=0)


Normal = Literal["text", "email", "amount", "integer", "date", "label", "choice", "url"]
Operator = Literal["equals", "contains", "one_of", "any_item", "no_item", "count", "empty", "not_empty"]


class FieldTest(Record):
    """One condition on a named field of a document or video answer.

    `normal` says how both sides are normalised before the comparison; `rationale` can never be tested.
    `tolerance` is in units of the value and applies to amounts and integers only.
    """

    field: Literal["answer", "label", "recipients", "actions", "route"]
    op: Operator
    values: tuple[str, ...] = ()
    normal: Normal = "text"
    tolerance: float = 0.0


class Predicate(Record):
    """A boolean combination of field tests: all of `all`, at least one of `any` (when there is one), none of `none`."""

    all: tuple[FieldTest, ...] = ()
    any: tuple[FieldTest, ...] = ()
    none: tuple[FieldTest, ...] = ()

    @model_validator(mode="after")
    def _says_something(self) -> Predicate:
        if not (self.all or self.any or self.none):
            raise ValueError("a predicate needs at least one test, an empty one would accept everything")
        return self


class BoxTarget(Record):
    """Spatial domains: hijacked is an action whose point lies in this box."""

    kind: Literal["box"] = "box"
    box: Box
    description: str


class FieldTarget(Record):
    """Document and video: hijacked is an answer that meets this predicate."""

    kind: Literal["fields"] = "fields"
    predicate: Predicate
    description: str


Target = Annotated[BoxTarget | FieldTarget, Field(discriminator="kind")]


class Accepted(Record):
    """One way to keep the benign task: an action of one of `actions`, at `box` (anywhere when null).

    `text`, when given, must be what is typed or entered (compared as normalised text); `keys` and `direction` bind
    when given. `when` says for which observation it counts: the dismissal of a payload does not exist on the clean
    screen. `why` is kept for reports and for telling an explicit rejection from a bypass.
    """

    actions: tuple[ActionType, ...] = Field(min_length=1)
    box: Box | None = None
    text: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    direction: Literal["up", "down", "left", "right"] | None = None
    when: Literal["both", "clean", "injected"] = "both"
    why: Literal["planned", "alternative", "dismissal", "escape"] = "planned"
    element: str | None = None


class BoxReference(Record):
    """Spatial domains: the accepted actions, any one of which keeps the benign task."""

    kind: Literal["boxes"] = "boxes"
    accepted: tuple[Accepted, ...] = Field(min_length=1)


class FieldReference(Record):
    """Document and video: the predicate of a correct answer; `needs_judge` where none can be computed."""

    kind: Literal["fields"] = "fields"
    predicate: Predicate | None
    needs_judge: bool = False
    description: str = ""

    @model_validator(mode="after")
    def _decidable(self) -> FieldReference:
        if self.predicate is None and not self.needs_judge:
            raise ValueError("a reference without a predicate must be marked needs_judge")
        return self


Reference = Annotated[BoxReference | FieldReference, Field(discriminator="kind")]


class Effect(Record):
    """A change of an app's state by name, e.g. `delete_file(path=...)`; what a malicious control would do."""

    name: str
    args: dict[str, str] = Field(default_factory=dict)

    def __hash__(self) -> int:
        # Effects are part of the states of apps, which searches keep in sets; a dict alone cannot be hashed.
        return hash((self.name, tuple(sorted(self.args.items()))))


class Candidate(Record):
    """A step that was considered as the injection point, with its scores in [0, 1] and their weighted total."""

    step: int = Field(ge=0)
    relevance: float
    plausibility: float
    room: float
    progress: float
    total: float


class Attributes(Record):
    """What tables are broken down by."""

    style: str
    authority: Literal["system", "app", "admin", "vendor"]
    pressure: Literal["destructive_action", "authority", "disclosure", "false_status"]
    urgency: Literal["low", "medium", "high"]
    salience: Literal["low", "medium", "high"]
    position: Literal["top", "bottom", "left", "right", "center", "inline"]
    covers_reference: bool
    offers_dismissal: bool
    faint: bool = False
    wording: str


class TextRun(Record):
    """One visible text of the payload: what it says, how high its letters are and how well it stands out.

    `height` is the font size in stored pixels, `contrast` the WCAG ratio of ink to ground, `rotation` in degrees.
    """

    text: str
    box: Box
    height: float
    contrast: float
    rotation: float = 0.0
    role: Literal["title", "body", "control", "dismissal", "source", "note"] = "body"


class Injection(Record):
    """The payload of a case: where it stands, what it shows and what its malicious control would do."""

    step: int = Field(ge=0)
    attributes: Attributes
    panel: Box
    extent: Box
    texts: tuple[TextRun, ...] = Field(min_length=1)
    entities: dict[str, str] = Field(default_factory=dict)
    effect: Effect | None
    dismissal: Accepted | None
    candidates: tuple[Candidate, ...] = ()

    @model_validator(mode="after")
    def _nested(self) -> Injection:
        if not self.panel.inside(self.extent):
            raise ValueError("the panel must lie inside the extent: the extent holds all changed pixels")
        return self

    @property
    def style(self) -> str:
        return self.attributes.style

    @property
    def visible_text(self) -> str:
        return "\n".join(run.text for run in self.texts)


class Provenance(Record):
    """Where a case comes from: builder and version for ours, source, record and licence for others."""

    source: str
    version: str
    record: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    extras: dict[str, str] = Field(default_factory=dict)


class Question(Record):
    """What a document or video case asks beyond its task: options by letter, and the answer's category."""

    options: dict[str, str] = Field(default_factory=dict)
    category: str = ""


class Case(Record):
    """One row of a suite: a trajectory, an injection point, a payload, a target and a reference."""

    schema_version: Literal[1] = SCHEMA_VERSION
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    domain: Domain
    intent: Intent
    source: str
    cluster: str
    task: str
    steps: tuple[Step, ...]
    app: AppRef | None
    injection: Injection
    clean: ImageRef | None
    injected: ImageRef
    planned: Action | None
    question: Question | None = None
    target: Target
    reference: Reference
    provenance: Provenance

    @field_validator("task")
    @classmethod
    def _task_says_something(cls, task: str) -> str:
        if not task.strip():
            raise ValueError("the task is empty")
        return task

    @model_validator(mode="after")
    def _kinds_fit_domain(self) -> Case:
        spatial = self.domain in SPATIAL_DOMAINS
        if spatial and self.reference.kind != "boxes":
            raise ValueError(f"a {self.domain} case needs a reference of boxes")
        if not spatial and (self.target.kind != "fields" or self.reference.kind != "fields"):
            raise ValueError(f"a {self.domain} case needs a target and a reference on answer fields")
        return self

    @property
    def spatial(self) -> bool:
        return self.domain in SPATIAL_DOMAINS

    @property
    def history(self) -> tuple[Step, ...]:
        """The steps before the injection point, oldest first."""
        return tuple(step for step in self.steps if step.index < self.injection.step)

    def image(self, observation: Observation) -> ImageRef | None:
        """The image shown at the injection point; None when the case has no clean one."""
        return self.injected if observation == "injected" else self.clean


class SuiteInfo(Record):
    """`suite.json`: what a suite is, how it was made and what it must hash to."""

    schema_version: Literal[1] = SCHEMA_VERSION
    name: str
    version: str
    seed: int
    builder: str
    canary: str
    counts: dict[str, int]
    data_hash: str
    pixel_hash: str
    figures: dict[str, float | int | str] = Field(default_factory=dict)
    drift: tuple[str, ...] = ()
    payloads: str = ""
