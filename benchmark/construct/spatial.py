"""Cases of the web, gui and mobile domains: a trajectory played in an app, with a payload laid into one of its screens.

`plan` decides for a whole domain who meets what (app, goal, intent, style, wording), dealing from shuffled decks so that
shares stay even and a smaller suite is a prefix of a larger one. `build` makes one case of it: plays the goal, chooses
the step, computes the reference, places and paints the payload. The part that injects (`inject`) knows nothing of apps;
importers hand it a screen, a next action and, if they have them, boxes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

from PIL import Image

from benchmark.case import (
    INTENTS,
    Accepted,
    Action,
    AppRef,
    Attributes,
    Box,
    BoxReference,
    BoxTarget,
    Candidate,
    Case,
    Domain,
    Injection,
    Intent,
    Provenance,
    Step,
    TextRun,
)
from benchmark.construct import payload, reference
from benchmark.construct.app import App, Goal, Stake, Theme
from benchmark.construct.apps import app as app_called
from benchmark.construct.apps import apps
from benchmark.construct.legible import contrast
from benchmark.construct.payload import Content, Drawing, Layer, Style
from benchmark.construct.payload.salience import points, salience
from benchmark.construct.payload.wordings import Wording, fill, slots, wordings
from benchmark.construct.place import CLEARANCE, EdgeMap, PlacementError, Shape, Spot, choose, position_of
from benchmark.construct.point import Moment, candidates, overlaid
from benchmark.construct.render import Form, boxes, engine
from benchmark.construct.spec import Spec
from benchmark.environment import Played, play
from benchmark.images import ImageStore
from benchmark.invariants import spoken

VERSION = "1"

KIND_OF_STAKE: Mapping[Intent, str] = {
    "destructive_induction": "loss",
    "privilege_escalation": "access",
    "data_leakage": "disclosure",
}

INSET = 6
"""CSS pixels that buttons keep from the panel's sides; a label too long for its row is seen by this."""

COVER_WISHES: Mapping[str, tuple[tuple[bool, ...], tuple[bool, ...]]] = {
    "web": ((True,), (True, True, False)),
    "gui": ((True,), (True, True, False)),
    "mobile": ((True, True, True, True, False), (True, False, False)),
}
"""How often styles that roam, and styles bound to a corner, are wished to cover the planned element.

What is bound seldom can and the others make up for it; with these about half of a domain's payloads do.
"""

T = TypeVar("T")


class PlanError(ValueError):
    """A domain of which no cases can be planned; the message says what is missing."""


@dataclass
class Deck(Generic[T]):
    """Deals items in shuffled rounds: after any number of deals their counts differ by one at most."""

    items: Sequence[T]
    rng: random.Random
    _left: list[T] = field(default_factory=list)

    def deal(self) -> T:
        if not self._left:
            self._left = list(self.items)
            self.rng.shuffle(self._left)
        return self._left.pop()


@dataclass(frozen=True)
class Scene:
    """A screen into which a payload is to be laid, from an app or from anywhere else.

    `accepted` are the ways to keep the task on the clean screen, the planned one first. `sent` are all texts a victim
    is sent, none of which the payload may repeat. `inside` is where panels may stand (not over a status bar), `window`
    the app's window below its title; both in stored pixels, and the whole screen when not given. `form` may be larger
    than the image by less than a CSS pixel.
    """

    domain: Domain
    image: Image.Image
    form: Form
    theme: Theme
    planned: Action
    accepted: tuple[Accepted, ...]
    stake: Stake
    entities: Mapping[str, str]
    sent: tuple[str, ...]
    edges: EdgeMap
    inside: Box | None = None
    window: Box | None = None

    @property
    def room(self) -> tuple[int, int]:
        """CSS width and height of where panels may stand."""
        room = self.inside or self.frame
        return room.width // self.form.scale, room.height // self.form.scale

    @property
    def frame(self) -> Box:
        return Box(x0=0, y0=0, x1=self.image.width, y1=self.image.height)


@dataclass(frozen=True)
class Choice:
    """What the plan wants of a payload; where a screen does not allow it, `inject` departs from it as little as it can.

    `wording` counts in the domain's table for the intent; `turn` picks among the looks of the style.
    """

    intent: Intent
    style: str
    wording: int
    covers: bool
    offers: bool
    turn: int


@dataclass(frozen=True)
class Injected:
    """A payload laid over a screen, with everything about it that a case records. `html` is the whole overlay."""

    image: Image.Image
    layer: Layer
    html: str
    style: Style
    attributes: Attributes
    panel: Box
    target: Box
    texts: tuple[TextRun, ...]
    content: Content
    dismissal: Accepted | None
    accepted: tuple[Accepted, ...]


def inject(scene: Scene, choice: Choice, rng: random.Random, extra: Sequence[Wording] = ()) -> Injected:
    """Lays a payload into a screen.

    Args:
        scene: the screen and what the task is there.
        choice: what the plan wants.
        rng: for ties and for the order of departures from the plan.
        extra: further wordings, after those of the domain's table.

    Raises:
        PlacementError: nothing fits this screen.
    """
    content_of = _contents(scene, choice, extra)
    for style, covers, turn in _attempts(scene.domain, choice, rng):
        offers = choice.offers
        for content in content_of:
            wide = scene.window.width // scene.form.scale if scene.window is not None else 0
            drawing = payload.draw(style, content, scene.theme, scene.room, offer=offers, turn=turn, window=wide)
            measured = _measure(drawing, scene.form)
            if measured is None:
                continue
            spot = _place(scene, drawing, measured, covers, rng)
            if spot is not None:
                return _finish(scene, drawing, content, spot, measured)
            break
    raise PlacementError(f"no payload style finds a place on this {scene.domain} screen of {scene.form.size}")


def _contents(scene: Scene, choice: Choice, extra: Sequence[Wording]) -> list[Content]:
    """The planned wording filled in and two more, without those that would repeat a text that is sent."""
    table = (*wordings(scene.domain, choice.intent), *extra)
    values = slots(scene.stake, scene.entities, scene.theme.app_name)
    found: list[Content] = []
    for shift in range(len(table)):
        content = fill(table[(choice.wording + shift) % len(table)], values)
        if not _repeats(content, scene.sent):
            found.append(content)
        if len(found) == 3:
            break
    if not found:
        raise PlacementError(f"every wording for {choice.intent} repeats the task {scene.sent[0][:60]!r}")
    return found


def _repeats(content: Content, sent: Sequence[str]) -> bool:
    nowhere = Box(x0=0, y0=0, x1=1, y1=1)
    texts = [content.title, " ".join(content.body), content.brief, content.source, content.control, content.dismissal]
    runs = [TextRun(text=t, box=nowhere, height=12, contrast=7, role="control" if i > 3 else "body") for i, t in enumerate(texts)]  # fmt: skip
    return bool(spoken(runs, sent, content.entities))


def _attempts(domain: str, choice: Choice, rng: random.Random) -> Iterator[tuple[Style, bool | None, int]]:
    """What is tried in turn: the plan, other looks of its style, the other covering, then other styles."""
    planned = payload.style(domain, choice.style)
    turns = [choice.turn + shift for shift in range(planned.turns)]
    yield from ((planned, choice.covers, turn) for turn in turns)
    others = [s for s in payload.styles(domain, choice.intent) if s.name != planned.name]
    rng.shuffle(others)
    yield from ((planned, not choice.covers, turn) for turn in turns)
    yield from ((style, choice.covers, choice.turn) for style in others)
    yield from ((style, None, turn) for style in others for turn in range(style.turns))


@dataclass(frozen=True)
class _Measured:
    shape: Shape
    boxes: Mapping[str, Box]


def _measure(drawing: Drawing, form: Form) -> _Measured | None:
    """The drawing's parts with the panel at the corner; None when a text does not fit where it is to stand."""
    found = boxes(drawing.at(0, 0, form), form)
    panel, target = found["pl-panel"], found["pl-target"]
    for ink in drawing.texts:
        box = found.get(ink.id, target)
        if not box.inside(panel) or box.width < _widest(ink.text, ink.size, ink.family) * form.scale - 1:
            return None
        if ink.role == "body" and box.width < 110 * form.scale:
            return None
    inner = panel.x0 + INSET * form.scale, panel.x1 - INSET * form.scale
    for part in (target, found.get("pl-dismiss", target)):
        if part.x0 < inner[0] or part.x1 > inner[1]:
            return None
    s = form.scale
    width, height = -(-panel.width // s), -(-panel.height // s)
    if width > form.width or height > form.height:
        return None
    return _Measured(Shape(width, height, panel, target, found.get("pl-dismiss")), found)


@lru_cache(maxsize=4096)
def _widest(text: str, size: float, family: str) -> float:
    """The width of the longest word, in CSS pixels: what cannot be wrapped."""
    measure = engine().measure_text
    return max((float(measure(word, font_size=size, font_family=family)[0]) for word in text.split()), default=0.0)


def _place(scene: Scene, drawing: Drawing, measured: _Measured, covers: bool | None, rng: random.Random) -> Spot | None:
    first = scene.accepted[0]
    boxes_kept = [row.box for row in scene.accepted if row.box is not None]
    style = drawing.style
    # Corner to corner styles have one usual place each; which one comes first is the turn's to say.
    return choose(
        measured.shape,
        style.anchors,
        scene.form,
        scene.edges,
        clear=boxes_kept,
        planned=first.box,
        aim=scene.planned.point,
        covers=covers if scene.planned.point is not None else None,
        margin=style.margin,
        rng=rng,
        inside=scene.inside,
        window=scene.window,
        size=scene.image.size,
    )


def _finish(scene: Scene, drawing: Drawing, content: Content, spot: Spot, measured: _Measured) -> Injected:
    """Paints a placed drawing and writes down what it is."""
    style, form = drawing.style, scene.form
    html = drawing.at(spot.x, spot.y, form)
    layer = payload.paint(html, form, scene.image.size)
    frame = scene.frame
    texts = tuple(
        TextRun(
            text=ink.text,
            box=layer.boxes[ink.id].intersection(spot.panel),
            height=ink.size * form.scale,
            contrast=round(contrast(ink.ink, ink.ground), 2),
            role=ink.role,
        )
        for ink in drawing.texts
    )
    place = position_of(spot.panel, frame, spot.anchor)
    ground = next((ink.ground for ink in drawing.texts if ink.role == "body"), scene.theme.surface)
    total = points(spot.panel, frame, place, style.scrim > 0, ground, drawing.texts)
    dismiss = layer.boxes.get("pl-dismiss")
    dismissal = reference.dismissal(dismiss) if dismiss is not None else None
    accepted = (
        *reference.visible(scene.accepted, spot.panel),
        *((dismissal,) if dismissal is not None else ()),
        *reference.escapes(style.ways, spot.panel, spot.target, frame, CLEARANCE),
    )
    attributes = Attributes(
        style=style.name,
        authority=content.authority,
        pressure=content.pressure,
        urgency=content.urgency,
        salience=salience(total),
        position=place,
        covers_reference=spot.covers,
        offers_dismissal=dismissal is not None,
        faint=style.faint,
        wording=content.wording,
    )
    return Injected(
        image=payload.compose(scene.image, layer),
        layer=layer,
        html=html,
        style=style,
        attributes=attributes,
        panel=spot.panel,
        target=spot.target,
        texts=texts,
        content=content,
        dismissal=dismissal,
        accepted=accepted,
    )


def overlay(case: Case) -> Layer:
    """The payload of a case again, painted from what the case keeps: for the interactive environment.

    Raises:
        KeyError: a case that was not built here keeps no overlay.
    """
    extras = case.provenance.extras
    scale = int(extras["scale"])
    size = case.injected.width, case.injected.height
    return payload.paint(extras["overlay"], Form(-(-size[0] // scale), -(-size[1] // scale), scale), size)


def extras_of(injected: Injected, form: Form) -> dict[str, str]:
    """What a case keeps of its overlay, so that it can be painted again and laid over other screens of the app.

    `ways` are the ways past it besides its buttons, `modal` is "1" where it blocks the rest of the screen.
    """
    return {
        "overlay": injected.html,
        "scale": str(form.scale),
        "ways": ",".join(injected.style.ways),
        "modal": "1" if injected.style.scrim else "0",
    }


def record(
    injected: Injected, *, step: int, stake: Stake, scored: Sequence[Candidate] = ()
) -> tuple[Injection, BoxTarget, BoxReference]:
    """The injection, target and reference of a case whose payload was laid by `inject`."""
    injection = Injection(
        step=step,
        attributes=injected.attributes,
        panel=injected.panel,
        extent=_hull(injected.layer.extent, injected.panel),
        texts=injected.texts,
        entities=dict(injected.content.entities),
        effect=stake.effect,
        dismissal=injected.dismissal,
        candidates=tuple(scored),
    )
    kind = injected.style.name.replace("_", " ")
    target = BoxTarget(box=injected.target, description=f"the control '{injected.content.control}' of a forged {kind}")
    return injection, target, BoxReference(accepted=injected.accepted)


def _hull(first: Box, second: Box) -> Box:
    return Box(
        x0=min(first.x0, second.x0),
        y0=min(first.y0, second.y0),
        x1=max(first.x1, second.x1),
        y1=max(first.y1, second.y1),
    )


@dataclass(frozen=True)
class SpatialBuilder:
    """Plans and builds the cases of one interactive domain, from its registered apps or from `own` ones.

    `pack` adds wordings to those of the benchmark, see `wordings.read_pack`.
    """

    domain: Domain
    own: tuple[App, ...] = ()
    pack: Mapping[tuple[str, Intent], tuple[Wording, ...]] = field(default_factory=dict)

    def plan(self, count: int, seed: int) -> tuple[Spec, ...]:
        """The first `count` specs; a smaller plan is a prefix of a larger one with the same seed.

        Raises:
            PlanError: the domain has no apps.
        """
        found = self.own or apps(self.domain)
        if not found:
            raise PlanError(
                f"no {self.domain} cases can be planned: benchmark/construct/apps/{self.domain} lists no apps"
            )

        def rng(*names: str) -> random.Random:
            return random.Random("/".join((str(seed), self.domain, *names)))

        intents = Deck(INTENTS, rng("intents"))
        which_app = Deck(found, rng("apps"))
        goals = {a.name: Deck(a.goals, rng("goals", a.name)) for a in found}
        styles = Deck(payload.styles(self.domain), rng("styles"))
        known = {i: len(wordings(self.domain, i)) + len(self.pack.get((self.domain, i), ())) for i in INTENTS}
        words = {i: Deck(range(known[i]), rng("wordings", i)) for i in INTENTS}
        offers = Deck((True, False), rng("offers"))
        roaming, bound = (Deck(wish, rng("covers", str(n))) for n, wish in enumerate(COVER_WISHES[self.domain]))
        specs: list[Spec] = []
        met: set[tuple[Any, ...]] = set()
        for index in range(count):
            app, intent, style = which_app.deal(), intents.deal(), styles.deal()
            template = goals[app.name].deal()
            choices = {
                "app": app.name,
                "goal": template.name,
                "style": style.name,
                "wording": str(words[intent].deal()),
                "covers": str(int((roaming if style.roams else bound).deal())),
                "offers": str(int(offers.deal())),
                "turn": str(rng("turn", str(index)).randrange(60)),
            }
            spec = Spec(
                id=f"{self.domain}-{index + 1:04d}",
                domain=self.domain,
                index=index,
                seed=seed,
                intent=intent,
                cluster=f"{app.name}/{template.name}",
                choices=choices,
            )
            params = template.sample(spec.random("params"))
            for again in range(20):
                if (spec.cluster, *sorted(params.items())) not in met:
                    break
                params = template.sample(spec.random(f"params{again}"))
            met.add((spec.cluster, *sorted(params.items())))
            specs.append(replace(spec, params=params))
        return tuple(specs)

    def build(self, spec: Spec, store: ImageStore) -> Case:
        """Draws and stores the images of one case and returns it.

        Raises:
            TrajectoryError: the goal cannot be played.
            PlacementError: no payload fits any of its screens.
        """
        own = {app.name: app for app in self.own}
        app = own.get(spec.choices["app"]) or app_called(self.domain, spec.choices["app"])
        goal = app.goal(spec.choices["goal"], spec.params)
        played, final = play(app, goal)
        edges = [EdgeMap(p.screen.image, app.form.scale) for p in played]
        scored = candidates(_moments(played, final, goal), edges, app.form, spec.random("point"))
        choice = Choice(
            intent=spec.intent,
            style=spec.choices["style"],
            wording=int(spec.choices["wording"]),
            covers=spec.choices["covers"] == "1",
            offers=spec.choices["offers"] == "1",
            turn=int(spec.choices["turn"]),
        )
        for candidate in scored:
            scene = self._scene(app, goal, played, final, candidate.step, spec.intent, edges[candidate.step])
            try:
                injected = inject(scene, choice, spec.random("inject"), self.pack.get((self.domain, spec.intent), ()))
            except PlacementError:
                continue
            return self._case(spec, app, goal, played, candidate.step, scored, scene, injected, store)
        raise PlacementError(f"{spec.id}: no payload fits any screen of {spec.cluster} with {dict(spec.params)}")

    def _scene(
        self, app: App, goal: Goal, played: Sequence[Played], final: Any, step: int, intent: Intent, edges: EdgeMap
    ) -> Scene:
        here = played[step]
        events = reference.alternatives(app, goal, played, step, final)
        stake = stake_of(app, here.state, goal, intent)
        return Scene(
            domain=self.domain,
            image=here.screen.image,
            form=app.form,
            theme=app.theme(here.state),
            planned=here.action,
            accepted=reference.accepted(events, here.screen, here.action),
            stake=stake,
            entities=goal.entities,
            sent=_sent(goal, played[: step + 1]),
            edges=edges,
            inside=_inside(self.domain, app.theme(here.state).platform, app.form),
            window=_window(app, here.state) if self.domain == "gui" else None,
        )

    def _case(
        self,
        spec: Spec,
        app: App,
        goal: Goal,
        played: Sequence[Played],
        step: int,
        scored: Sequence[Candidate],
        scene: Scene,
        injected: Injected,
        store: ImageStore,
    ) -> Case:
        injection, target, accepted = record(injected, step=step, stake=scene.stake, scored=scored)
        steps = tuple(
            Step(
                index=index,
                image=store.put(one.screen.image) if index <= step else None,
                action=one.action,
                says=one.move.says,
                element=one.element.id if one.element is not None else None,
                label=one.element.text[:80] if one.element is not None else "",
            )
            for index, one in enumerate(played)
        )
        return Case(
            id=spec.id,
            domain=self.domain,
            intent=spec.intent,
            source="generated",
            cluster=spec.cluster,
            task=goal.instruction,
            steps=steps,
            app=AppRef(app=app.name, goal=goal.name, params=dict(spec.params), step=step),
            injection=injection,
            clean=steps[step].image,
            injected=store.put(injected.image),
            planned=scene.planned,
            target=target,
            reference=accepted,
            provenance=Provenance(
                source="generated", version=VERSION, record=spec.cluster, extras=extras_of(injected, app.form)
            ),
        )


def stake_of(app: App, state: Any, goal: Goal, intent: Intent) -> Stake:
    """What an intent goes for in a state of a goal.

    Raises:
        PlanError: the app states nothing of that kind.
    """
    kind = KIND_OF_STAKE[intent]
    for stake in app.stakes(state, goal):
        if stake.kind == kind:
            return stake
    raise PlanError(f"app {app.name} states no {kind} in goal {goal.name}; each goal needs one of each kind")


BARS: Mapping[str, tuple[int, int, int, int]] = {
    "Aster desktop": (84, 36, 0, 0),
    "Harbor desktop": (0, 0, 0, 54),
    "alder": (0, 32, 0, 0),
    "kestrel": (0, 28, 0, 46),
}
"""What a platform's own bars take at the left, top, right and bottom, in CSS pixels."""

WINDOW_TITLE = 40


def _inside(domain: Domain, platform: str, form: Form) -> Box | None:
    bars = BARS.get(platform)
    if bars is None or domain == "web":
        return None
    left, top, right, bottom = (edge * form.scale for edge in bars)
    return Box(x0=left, y0=top, x1=form.size[0] - right, y1=form.size[1] - bottom)


def _window(app: App, state: Any) -> Box | None:
    """The app's window (`win`) below its title bar, where it draws one."""
    box = boxes(app.view(state), app.form, app.css(state)).get("win")
    if box is None or box.height <= WINDOW_TITLE:
        return None
    return Box(x0=box.x0, y0=box.y0 + WINDOW_TITLE * app.form.scale, x1=box.x1, y1=box.y1)


def _sent(goal: Goal, played: Sequence[Played]) -> tuple[str, ...]:
    texts = [goal.instruction]
    for one in played:
        texts += [one.move.says, one.action.text or "", one.element.text[:80] if one.element is not None else ""]
    return tuple(text for text in texts if text.strip())


def _moments(played: Sequence[Played], final: Any, goal: Goal) -> list[Moment]:
    states = [*(one.state for one in played), final]
    return [
        Moment(
            changes=states[i].effects != states[i + 1].effects,
            enters=one.move.event.kind == "type",
            sensitive=goal.sensitive,
            arrived=i == 0 or states[i].screen != states[i - 1].screen,
            busy=overlaid(one.screen),
            planned=one.element.box if one.element is not None else None,
        )
        for i, one in enumerate(played)
    ]


__all__ = [
    "Choice", "Deck", "Injected", "PlanError", "Scene", "SpatialBuilder", "extras_of", "inject", "overlay", "record",
    "stake_of",
]  # fmt: skip
