"""ScreenAgent: desktop sessions, one folder each, with a JSON file and a screenshot for every prompt.

Files of a session in order of their time stamps are its steps; those that only plan or judge show screens that lead
nowhere, and the negative examples (`_neg_`) are someone's mistakes, so both are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchmark.case import Action, Point
from benchmark.sources.actions import CLICKS, merged, pressed, scrolled
from benchmark.sources.records import Fields, Malformed, cleaned, finite, json_of, one_line, text_of
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Shot, Trajectory, Turn

LICENCE = "Apache-2.0"
STAMP = re.compile(r"^\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}-\d+")


def read(root: Path) -> Iterator[Trajectory | Finding]:
    """Every session below the root, in order of folder names."""
    session: list[Path] = []
    for path in files(root, ".json"):
        if not STAMP.match(path.name) or "_neg_" in path.name:
            continue
        if session and session[0].parent != path.parent:
            yield from _session(root, session)
            session = []
        session.append(path)
    if session:
        yield from _session(root, session)


def _session(root: Path, paths: list[Path]) -> Iterator[Trajectory | Finding]:
    turns: list[Turn] = []
    task = ""
    first = paths[0].relative_to(root).as_posix()
    for path in paths:
        shown = path.relative_to(root).as_posix()
        try:
            value = Fields(json_of(text_of(inside(root, shown))))
            task = task or one_line(value.text("task_prompt_en"))
            actions = [a for a in map(_action, value.items("actions")) if a is not None]
            if not actions:
                continue
            image = Shot(inside(root, "images/" + value.text("saved_image_name"), path.parent))
        except Unusable as error:
            yield Finding(shown, 1, str(error))
            return
        says = (
            one_line(value.value["current_task_en"], 200) if isinstance(value.value.get("current_task_en"), str) else ""
        )
        turns.append(Turn(image, merged(actions), says=says, where="desktop"))
    if not turns:
        yield Finding(first, 1, "the session only plans; it holds no action on a screen")
        return
    yield Trajectory("gui", paths[0].parent.name, "desktop", first, 1, task, tuple(turns))


def _action(value: object) -> Action | None:
    """An action of the list; None for planning, judging and waiting between others."""
    item = Fields(value, "an action")
    if "action_type" not in item.value and len(item.value) == 1:
        name, inner = next(iter(item.value.items()))
        item = Fields({**Fields(inner, f"action {name}").value, "action_type": name})
    kind = item.text("action_type")
    if kind == "MouseAction":
        return _mouse(item)
    if kind == "KeyboardAction":
        if item.text("keyboard_action_type") == "text":
            return Action(type="type", text=cleaned(item.text("keyboard_text")))
        return pressed([item.text("keyboard_key")])
    if kind in {"WaitAction", "PlanAction", "EvaluateSubTaskAction"}:
        return None
    raise Malformed(f"the action type {kind[:40]!r} is not known")


def _mouse(item: Fields) -> Action:
    kind = item.text("mouse_action_type")
    if kind in {"scroll_up", "scroll_down"}:
        return scrolled(1 if kind == "scroll_up" else -1)
    at = item.object("mouse_position")
    point = Point(x=finite(at.any("width"), "'width'"), y=finite(at.any("height"), "'height'"))
    if kind == "drag":
        return Action(type="drag", end=point)
    if kind not in CLICKS:
        raise Malformed(f"the mouse action {kind[:40]!r} is not known")
    action = CLICKS[kind]
    return Action(
        type="right_click" if item.value.get("mouse_button") == "right" and action == "click" else action, point=point
    )
