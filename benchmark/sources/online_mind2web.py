"""Online-Mind2Web: runs on live sites as `<task>/result.json` with screenshots `trajectory/<K>_*.png`.

Screenshot K shows the page after K actions, 0 the page at the start. An agent may take several actions before it looks
again; those are one step, decided on the last screenshot before them. Actions before the first screenshot are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from benchmark.case import Action, Point
from benchmark.sources.actions import merged, pressed, scrolled
from benchmark.sources.records import Fields, Malformed, cleaned, finite, json_of, one_line, text_of
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Shot, Trajectory, Turn

LICENCE = "MIT"
SHOT = re.compile(r"^(\d{1,5})(?:_[^/]*)?\.(?:png|jpe?g|webp)$", re.IGNORECASE)
PLACE = r"\(\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)"
POINTED = re.compile(rf"^(click|double[ -]click|right[ -]click|hover|move) (?:at )?{PLACE}$", re.IGNORECASE)
DRAGGED = re.compile(rf"^drag (?:from )?{PLACE} to {PLACE}$", re.IGNORECASE)
SCROLLED = re.compile(r"^scroll \(delta_x=(-?\d+(?:\.\d+)?), delta_y=(-?\d+(?:\.\d+)?)\)$", re.IGNORECASE)
NAMED = re.compile(r"-> *(click|type|select|hover|enter)\b(?:: *(.*))?$", re.IGNORECASE | re.DOTALL)


def read(root: Path) -> Iterator[Trajectory | Finding]:
    """Every run below the root."""
    met = False
    for path in files(root, "result.json"):
        if path.name == "result.json":
            met = True
            yield _run(root, path)
    if not met:
        yield Finding(".", 0, "no recorded run (<task>/result.json) was found")


def _run(root: Path, path: Path) -> Trajectory | Finding:
    shown = path.relative_to(root).as_posix()
    try:
        value = Fields(json_of(text_of(inside(root, shown))))
        task, name = one_line(value.text("task")), value.name("task_id")
        said = [_text(part, "field 'action_history'") for part in value.items("action_history")]
        thoughts = value.items("thoughts") if value.has("thoughts") else []
        shots = _shots(root, path.parent)
        if not shots:
            raise Malformed("there are no screenshots trajectory/<K>_*.png beside it")
        actions = [action_of(text) for text in said]
        turns = []
        numbers = [*(n for n in shots if n < len(actions)), len(actions)]
        for first, last in pairwise(numbers):
            thought = thoughts[first] if first < len(thoughts) and isinstance(thoughts[first], str) else ""
            turns.append(Turn(Shot(shots[first]), merged(actions[first:last]), says=one_line(thought, 240)))
        if not turns:
            raise Malformed("no action has a screenshot before it")
    except Unusable as error:
        return Finding(shown, 1, str(error))
    notes = ("actions before the first screenshot are left out",) if numbers[0] else ()
    return Trajectory("web", f"{path.parent.name}/{name}", _site(said), shown, 1, task, tuple(turns), notes=notes)


def _shots(root: Path, folder: Path) -> dict[int, Path]:
    """The screenshots of a run by the number of actions that led to them, in order."""
    found: dict[int, Path] = {}
    for path in files(root, ".png", ".jpg", ".jpeg", ".webp", under=folder / "trajectory"):
        match = SHOT.match(path.name)
        if match is not None:
            found.setdefault(int(match[1]), inside(root, path.relative_to(root).as_posix()))
    return dict(sorted(found.items()))


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{what} should hold texts only")
    return cleaned(value).strip()


def _site(said: list[str]) -> str:
    """The site a run begins on, where its first action opens one."""
    match = re.match(r"^navigate to https?://(?:www\.)?([^/\s]+)", said[0] if said else "", re.IGNORECASE)
    return match[1].casefold()[:60] if match is not None else "web"


def action_of(text: str) -> Action:
    """An action as the recordings write it, e.g. `Click at (963, 72)` or `[button] Search -> CLICK`.

    Raises:
        Malformed: it is none.
    """
    low = text.casefold()
    if match := POINTED.match(text):
        kind = match[1].casefold().replace("-", " ")
        at = Point(x=finite(float(match[2]), "x"), y=finite(float(match[3]), "y"))
        match kind:
            case "double click":
                return Action(type="double_click", point=at)
            case "right click":
                return Action(type="right_click", point=at)
            case "hover" | "move":
                return Action(type="hover", point=at)
        return Action(type="click", point=at)
    if match := DRAGGED.match(text):
        x0, y0, x1, y1 = (finite(float(part), "a place") for part in match.groups())
        return Action(type="drag", point=Point(x=x0, y=y0), end=Point(x=x1, y=y1))
    if match := SCROLLED.match(text):
        across, down = float(match[1]), float(match[2])
        return scrolled(across, across=True) if across and not down else scrolled(-down)
    if low.startswith("type "):
        return Action(type="type", text=_typed(text[5:]))
    if low.startswith("press "):
        return pressed([text[6:].strip()])
    if low.startswith("navigate to "):
        return Action(type="open", text=one_line(text[12:], 200))
    if low == "navigate back":
        return Action(type="back")
    if low.startswith("select picker "):
        return Action(type="select")
    if low.startswith(("wait", "navigate ", "switch ", "close ", "new tab")):
        return Action(type="wait")
    if match := NAMED.search(text):
        return _named(match[1].casefold(), (match[2] or "").strip())
    raise Malformed(f"the action {text[:60]!r} is not known")


def _named(operation: str, value: str) -> Action:
    """An operation on an element that is named and not placed."""
    match operation:
        case "type":
            return Action(type="type", text=_typed(value))
        case "enter":
            return Action(type="press", keys=("Enter",))
        case "select":
            return Action(type="select", text=one_line(value, 200) or None)
        case "hover":
            return Action(type="hover")
    return Action(type="click")


def _typed(text: str) -> str:
    bare = text.strip()
    bare = bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] == '"' else bare
    if not bare:
        raise Malformed("the action enters no text")
    return bare
