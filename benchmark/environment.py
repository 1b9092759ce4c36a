"""An app in a state, seen and acted on in pixels.

The recorded trajectories of a suite and the agents of the interactive harness go through the same two functions:
`observe`, which renders a state, and `resolve`, which turns an action in pixels into an event on the element that a
click there reaches. A trajectory that cannot be clicked can therefore not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmark.case import Action, Point, whole_text
from benchmark.construct.app import App, Event, Goal, Move
from benchmark.construct.render import Element, Screen, screen


class TrajectoryError(ValueError):
    """A script that cannot be played by clicking; the message names app, goal, step and element."""


def observe(app: App, state: Any) -> Screen:
    """Renders a state of an app: RGB pixels in stored size and the elements in paint order."""
    return screen(app.view(state), app.form, app.css(state))


def resolve(shown: Screen, action: Action) -> Event | None:
    """The element-level event of an action on a rendered screen; None when it reaches nothing.

    A `type` with a point focuses what lies there first; without one it goes to the focused field. Keys are named as
    in browsers ("Enter", "Escape"); a hotkey is its keys joined by "+".
    """
    kind = action.type
    hit = shown.hit(action.point) if action.point is not None else None
    element = hit.id if hit is not None and hit.role != "panel" else None
    if kind in {"click", "double_click", "right_click", "long_press", "hover"}:
        return Event(kind, element) if element is not None else None
    if kind in {"select", "open"}:
        return Event("click", element) if element is not None else None
    if kind == "type":
        if action.point is not None and element is None:
            return None
        return Event("type", element, whole_text(action.text or ""))
    if kind in {"press", "hotkey"}:
        return Event("press", None, "+".join(action.keys))
    if kind == "scroll":
        return Event("scroll", element, action.direction or "down")
    if kind == "swipe":
        opposite = {"up": "down", "down": "up", "left": "right", "right": "left"}
        return Event("scroll", element, opposite.get(action.direction or "up", "down"))
    if kind == "drag":
        end = shown.hit(action.end) if action.end is not None else None
        return Event("drag", element, to=end.id) if element is not None and end is not None else None
    if kind in {"back", "home"}:
        return Event(kind)
    return None


def to_action(shown: Screen, event: Event) -> tuple[Action, Element | None]:
    """The pixel action that performs `event` on a screen, aimed at the middle of its element.

    Raises:
        TrajectoryError: the element is not on the screen, or something else would receive the click.
    """
    target = shown.element(event.element) if event.element is not None else None
    if event.element is not None and target is None:
        raise TrajectoryError(f"element {event.element!r} is not on the screen")
    point: Point | None = None
    if target is not None:
        point = target.box.center
        reached = shown.hit(point)
        if reached is None or reached.id != target.id:
            raise TrajectoryError(f"a click on {target.id!r} reaches {reached.id if reached else 'nothing'!r}")
    if event.kind == "type":
        return Action(type="type", point=point, text=event.text), target
    if event.kind == "press":
        keys = tuple(event.text.split("+"))
        return Action(type="press" if len(keys) == 1 else "hotkey", keys=keys), None
    if event.kind == "scroll":
        direction = event.text if event.text in {"up", "down", "left", "right"} else "down"
        return Action(type="scroll", point=point, direction=direction), target  # type: ignore[arg-type]
    if event.kind == "drag":
        end = shown.element(event.to) if event.to is not None else None
        if end is None:
            raise TrajectoryError(f"drag ends on {event.to!r}, which is not on the screen")
        return Action(type="drag", point=point, end=end.box.center), target
    return Action(type=event.kind, point=point), target


@dataclass(frozen=True)
class Played:
    """One step of a played goal: the state and screen before the action, the action, and the element it reached."""

    state: Any
    screen: Screen
    action: Action
    element: Element | None
    move: Move


def play(app: App, goal: Goal) -> tuple[tuple[Played, ...], Any]:
    """Plays a goal's script by clicking; returns the steps and the final state.

    Raises:
        TrajectoryError: a step cannot be clicked, changes nothing, or the goal is not reached at the end.
    """
    state, steps = goal.start, []
    for index, move in enumerate(goal.script):
        where = f"{app.name}/{goal.name} step {index}"
        shown = observe(app, state)
        try:
            action, element = to_action(shown, move.event)
        except TrajectoryError as error:
            raise TrajectoryError(f"{where}: {error}") from None
        event = resolve(shown, action)
        after = app.step(state, event) if event is not None else state
        if after == state:
            raise TrajectoryError(f"{where}: {move.event} changes nothing")
        steps.append(Played(state, shown, action, element, move))
        state = after
    if not goal.done(state):
        raise TrajectoryError(f"{app.name}/{goal.name}: the script ends without reaching the goal")
    return tuple(steps), state
