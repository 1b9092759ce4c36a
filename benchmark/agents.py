"""Scripted agents, for trying environment and defenses out without a model.

The oracle knows the goal's script and plays it by clicking, past whatever stands in the way; the victim presses the
malicious control as soon as it sees it and then goes on like the oracle; the wanderer does anything that can be done.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from PIL import Image

from benchmark.case import Accepted, Action, Point
from benchmark.construct.app import Event
from benchmark.construct.render import Screen
from benchmark.environment import TrajectoryError, resolve, to_action
from benchmark.episode import Ending, Environment

_NOTHING = Image.new("RGB", (1, 1))


class Player(Protocol):
    """What chooses the next action of an environment."""

    def act(self, environment: Environment) -> Action: ...


def episode(environment: Environment, player: Player, limit: int = 50) -> Ending:
    """Plays until the agent is done or the limit is reached."""
    while not environment.ended and environment.steps < limit:
        environment.act(player.act(environment))
    return environment.ending()


@dataclass
class Oracle:
    """Plays the goal's script, and gets past the payload by a way that the reference accepts where it has to.

    Lines of the script that have nothing left to do are left out.
    """

    done: int | None = None

    def act(self, environment: Environment) -> Action:
        script = environment.goal.script
        if self.done is None:
            self.done = environment.case.injection.step if environment.start == "injection" else 0
        while self.done < len(script) and not environment.completed:
            event = script[self.done].event
            if environment.app.step(environment.state, event) == environment.state and not environment.present:
                self.done += 1
                continue
            shown = Screen(_NOTHING, environment.elements())
            blocked = environment.present and environment.overlay is not None and environment.overlay.modal
            action = None if blocked else clicked(shown, event)
            if action is None:
                way = next(ways_past(environment), None)
                if way is None:
                    return Action(type="done")
                return way
            taken = environment.present and environment.overlay is not None and environment.overlay.passed(None, action)
            self.done += not taken  # what gets past the payload does not reach the app and is done once more
            return action
        return Action(type="done")


@dataclass
class Victim:
    """Presses the malicious control wherever it is to be seen, and does the task otherwise."""

    oracle: Oracle = field(default_factory=Oracle)

    def act(self, environment: Environment) -> Action:
        target = next((e for e in environment.elements() if e.id == "pl-target"), None)
        if environment.present and target is not None:
            return Action(type="click", point=target.box.center)
        return self.oracle.act(environment)


ODD = ("animation: transform url(http inline-block", "a\ud800b", "nul \x00 bell \x07 tab \t line \n end", "\u202egnp", "]]>")
"""Texts that have broken pages or files elsewhere."""


@dataclass
class Wanderer:
    """Does anything that can be done, by chance: real elements, empty places, keys, texts, and nonsense."""

    rng: random.Random

    def act(self, environment: Environment) -> Action:
        width, height = environment.app.form.size
        elements = environment.elements()
        roll = self.rng.random()
        texts = (*environment.goal.texts, "", "plain words", "<b>&amp;</b>", "\u00e4\u4e2d\U0001f600", "x" * 400, *ODD)
        if elements and roll < 0.65:
            element = self.rng.choice(elements)
            if element.role == "field" and self.rng.random() < 0.6:
                return Action(type="type", point=element.box.center, text=self.rng.choice(texts))
            kind = self.rng.choice(
                ("click", "click", "click", "click", "double_click", "right_click", "long_press", "hover")
            )
            return Action(type=kind, point=element.box.center)  # type: ignore[arg-type]
        if roll < 0.72:
            return Action(type="type", text=self.rng.choice(texts))
        if roll < 0.80:
            keys = self.rng.choice((("Enter",), ("Escape",), ("Tab",), ("ctrl", "s"), ("nonsense",), ()))
            return Action(type="press" if len(keys) < 2 else "hotkey", keys=keys)
        if roll < 0.87:
            way = self.rng.choice(("up", "down", "left", "right", None))
            return Action(type=self.rng.choice(("scroll", "swipe")), direction=way)  # type: ignore[arg-type]
        if roll < 0.91:
            return Action(type=self.rng.choice(("back", "home", "wait")))
        if roll < 0.95 and len(elements) > 1:
            first, second = self.rng.sample(elements, 2)
            return Action(type="drag", point=first.box.center, end=second.box.center)
        far = self.rng.choice((1, 1, 10**6))
        return Action(
            type="click", point=Point(x=self.rng.uniform(-9, width * far), y=self.rng.uniform(-9, height * far))
        )


def clicked(shown: Screen, event: Event) -> Action | None:
    """The pixel action of an event; None where something lies over its element."""
    try:
        action, _ = to_action(shown, event)
    except TrajectoryError:
        return None
    return action if resolve(shown, action) is not None else None


def example(row: Accepted) -> Action:
    """An action that a row of the reference accepts, in the middle of its box."""
    point = row.box.center if row.box is not None else None
    return Action(type=row.actions[0], point=point, keys=row.keys, direction=row.direction)


def ways_past(environment: Environment) -> Iterator[Action]:
    """The dismissal and the escapes that the case's reference accepts and that work on the screen as it is."""
    shown = Screen(_NOTHING, environment.elements())
    if environment.overlay is None or environment.case.reference.kind != "boxes":
        return
    for row in environment.case.reference.accepted:
        if row.why in {"dismissal", "escape"}:
            action = example(row)
            hit = shown.hit(action.point) if action.point is not None else None
            if environment.overlay.passed(hit.id if hit is not None else None, action):
                yield action
