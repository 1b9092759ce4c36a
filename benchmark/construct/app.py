"""What an app is: a typed state, a pure view of it, and what an event does to it.

An app is a small state machine. `view` turns a state into HTML in which every element that can be acted on carries an
id and a role; `apply` turns a state and an element-level event into the next state; named goals give a user's words, a
start state and a script of events. Everything pixel-level (rendering, hit-testing, typing into the focused field) is
done once, for all apps, by `benchmark.environment`. No app knows about payloads; what an app does know is its
manifest of effects and, for each goal, what is at stake in it: what could be lost, opened up or disclosed.
"""

from __future__ import annotations

import html
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeVar

from benchmark.case import Domain, Effect
from benchmark.construct.render import FORMS, Form

S = TypeVar("S", bound="State")

_ROLE_TAG = re.compile(r'<[a-z]+\s[^>]*?data-role="([^"]*)"[^>]*>')
_ID = re.compile(r'\sid="([^"]*)"')

EventKind = Literal[
    "click", "double_click", "right_click", "long_press", "hover", "type", "press", "scroll", "back", "home", "drag"
]


@dataclass(frozen=True)
class Event:
    """An action at element level.

    `text` is what is typed, the key that is pressed ("Enter", "Escape", ...), or the direction scrolled; `to` is the
    element on which a drag ends.
    """

    kind: EventKind
    element: str | None = None
    text: str = ""
    to: str | None = None


@dataclass(frozen=True)
class EffectSpec:
    """An entry of an app's manifest: a change it can make, the names of its arguments and what kind of change it is.

    `kind` is what a permission system would ask about. `describe` is a sentence with `{argument}` slots.
    """

    name: str
    args: tuple[str, ...]
    kind: Literal["delete", "reset", "change", "grant", "send", "publish", "pay", "create", "view"]
    describe: str


@dataclass(frozen=True)
class Stake:
    """What an attacker could want from a state: an effect of the manifest and how people call its object.

    `noun` is the object in words ("the draft 'Spring rota'", "your saved cards"), short enough for a dialog;
    `action` is an imperative for it ("Delete the draft"), at most five words.
    """

    kind: Literal["loss", "access", "disclosure"]
    effect: Effect
    noun: str
    action: str


@dataclass(frozen=True)
class Theme:
    """How an app looks, so that something drawn beside it can look native. Lengths are CSS pixels, colours #rrggbb."""

    app_name: str
    dark: bool
    accent: str
    on_accent: str
    surface: str
    background: str
    text: str
    muted: str
    border: str
    danger: str
    radius: int
    font: str
    size: int
    platform: str


@dataclass(frozen=True)
class State:
    """What every state has; apps add their own frozen fields.

    `fields` holds the text of every field the user has typed into, `effects` what has been changed so far, in order.
    """

    screen: str = "home"
    focus: str | None = None
    scroll: int = 0
    fields: tuple[tuple[str, str], ...] = ()
    effects: tuple[Effect, ...] = field(default=(), compare=True)

    def text(self, field_id: str, default: str = "") -> str:
        return dict(self.fields).get(field_id, default)


@dataclass(frozen=True)
class Move:
    """A line of a goal's script: the event, and what an agent would say while doing it (one short sentence)."""

    event: Event
    says: str


@dataclass(frozen=True)
class Goal:
    """A task with its parameters filled in.

    `instruction` is in a user's words and does not describe the interface. `entities` names what the task is about
    (file, person, amount, ...), for payloads that speak of the task at hand; `texts` are the texts the task has the
    agent enter. `sensitive` marks tasks with private data or consequential actions.
    """

    name: str
    params: dict[str, str]
    instruction: str
    start: Any
    script: tuple[Move, ...]
    done: Callable[[Any], bool]
    entities: dict[str, str]
    texts: tuple[str, ...] = ()
    sensitive: bool = True


@dataclass(frozen=True)
class GoalTemplate:
    """A named, parameterised goal: `sample` draws parameters from seeded tables, `make` fills the goal with them."""

    name: str
    sample: Callable[[random.Random], dict[str, str]]
    make: Callable[[Mapping[str, str]], Goal]


class App(ABC):
    """An app of a domain. Subclasses are stateless: one instance serves all cases."""

    name: ClassVar[str]
    title: ClassVar[str]
    domain: ClassVar[Domain]
    manifest: ClassVar[tuple[EffectSpec, ...]]

    @property
    def form(self) -> Form:
        return FORMS[self.domain]

    @property
    @abstractmethod
    def goals(self) -> tuple[GoalTemplate, ...]:
        """The named goals of this app, in a fixed order (new ones are added at the end)."""

    @abstractmethod
    def view(self, state: Any) -> str:
        """The HTML body of a state: pure, deterministic, obeying `render.lint`."""

    @abstractmethod
    def apply(self, state: Any, event: Event) -> Any:
        """The next state; an event that means nothing here returns the state unchanged and never raises."""

    @abstractmethod
    def perform(self, state: Any, effect: Effect) -> Any:
        """Makes an effect of the manifest happen and records it (see `recorded`); unknown arguments change nothing else."""

    @abstractmethod
    def stakes(self, state: Any, goal: Goal) -> tuple[Stake, ...]:
        """What could be lost, opened up or disclosed in this state of this goal; at least one of each kind."""

    @abstractmethod
    def theme(self, state: Any) -> Theme:
        """Colours, radius, type and name, as `view` draws them in this state."""

    def css(self, state: Any) -> str:
        """Style sheet of the app's views."""
        return ""

    def scroll_range(self, state: Any) -> int:
        """How far the current screen scrolls, in CSS pixels; 0 where it does not."""
        return 0

    def goal(self, name: str, params: Mapping[str, str]) -> Goal:
        """The goal `name` with `params`; raises KeyError for a name this app does not have."""
        for template in self.goals:
            if template.name == name:
                return template.make(params)
        raise KeyError(f"app {self.name} has no goal {name!r}; it has {', '.join(g.name for g in self.goals)}")

    def step(self, state: Any, event: Event) -> Any:
        """What an event does, with what holds in every app: focus on click, typing into the focus, scrolling.

        A `type` event replaces the text of its field (the focused one when it names none).
        """
        roles = roles_of(self, state)
        if event.element is not None and event.element not in roles:
            return state
        if event.kind == "click":
            focus = event.element if event.element and roles[event.element] == "field" else None
            return self.apply(replace(state, focus=focus), event)
        if event.kind == "type":
            target = event.element or state.focus
            if target is None or roles.get(target) != "field":
                return state
            fields = tuple(sorted({**dict(state.fields), target: event.text}.items()))
            return self.apply(replace(state, focus=target, fields=fields), replace(event, element=target))
        if event.kind == "scroll":
            delta = {"down": 300, "up": -300}.get(event.text, 0)
            moved = min(max(state.scroll + delta, 0), self.scroll_range(state))
            return self.apply(replace(state, scroll=moved), event)
        return self.apply(state, event)


@lru_cache(maxsize=2048)
def roles_of(app: App, state: Any) -> Mapping[str, str]:
    """The role of each element in a state's view, in document order.

    Kept, since a search asks for the same states over and over, and read without a parser, which would take most of a
    search's time; attribute values are escaped, so a tag ends at its first `>`.
    """
    roles = {}
    for tag in _ROLE_TAG.finditer(app.view(state)):
        id = _ID.search(tag[0])
        if id is not None:
            roles[id[1]] = tag[1]
    return roles


def recorded(state: S, effect: Effect, **changes: Any) -> S:
    """`state` with `changes` made and `effect` noted as having happened."""
    return replace(state, effects=(*state.effects, effect), **changes)


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 day`, `3 days`; `many` is the plural where it is not formed with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def esc(text: object) -> str:
    """Text made safe to stand in HTML."""
    return html.escape(str(text), quote=True)


def field_html(
    id: str, state: State, *, style: str, placeholder: str = "", muted: str = "#8a8f98", accent: str = "#2563eb"
) -> str:
    """A text field as a div (the engine's own inputs have no trustworthy box): value or placeholder, caret on focus.

    `style` must not set `display` to an inline value.
    """
    value = state.text(id)
    focused = state.focus == id
    outline_css = f";border-color:{accent}" if focused else ""
    caret = f'<span style="color:{accent}">|</span>' if focused else ""
    shown = esc(value) if value else ("" if focused else f'<span style="color:{muted}">{esc(placeholder)}</span>')
    return f'<div id="{id}" data-role="field" data-name="{esc(placeholder)}" style="{style}{outline_css}">{shown}{caret}</div>'
