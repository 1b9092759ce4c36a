"""AITZ (Android in the Zoo): phone episodes, a JSON list of steps beside their screenshots.

Touches are fractions (y, x), with -1 for none; elements are `[y, x, height, width]` in pixels of the screenshot, and the
smallest one under a touch is taken as what it meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmark.case import Action, Box, Point
from benchmark.sources.records import Fields, Malformed, box_of, cleaned, json_items, json_of, numbers, one_line, record
from benchmark.sources.safety import Unusable, files, inside, measured
from benchmark.sources.trajectory import Finding, Shot, Trajectory, Turn

LICENCE = "Apache-2.0"
TYPE, TOUCH, BACK, HOME, ENTER, COMPLETE, IMPOSSIBLE = 3, 4, 5, 6, 7, 10, 11
STILL = 0.04
"""A touch that moves less than this share of the screen is a tap, a longer one a swipe."""


def read(root: Path) -> Iterator[Trajectory | Finding]:
    """Every episode below the root."""
    for path in files(root, ".json"):
        yield _episode(root, path)


def _episode(root: Path, path: Path) -> Trajectory | Finding:
    shown = path.relative_to(root).as_posix()
    at, task, name, turns = 1, "", path.stem, []
    try:
        for line, value in json_items(inside(root, shown)):
            at = line
            step = record(value)
            task = task or one_line(step.text("instruction"))
            turns.append(_turn(root, path, step))
        if not turns:
            raise Malformed("the episode holds no step")
    except Unusable as error:
        return Finding(shown, at, str(error))
    group = name.split("-")[0].casefold()
    return Trajectory("mobile", name, group, shown, 1, task, tuple(turns))


def _turn(root: Path, path: Path, step: Fields) -> Turn:
    image = inside(root, step.text("image_path").replace("\\", "/").rsplit("/", 1)[-1], path.parent)
    width, height = measured(image)
    kind = round(step.number("result_action_type"))
    says = one_line(step.maybe("coat_action_desc"), 200)
    box: Box | None = None
    label = ""
    if kind == TOUCH:
        y, x = numbers(_inner(step, "result_touch_yx"), 2, "field 'result_touch_yx'")
        end_y, end_x = numbers(_inner(step, "result_lift_yx"), 2, "field 'result_lift_yx'")
        if not (0 <= x <= 1 and 0 <= y <= 1):
            raise Malformed("field 'result_touch_yx' is no pair of fractions")
        point = Point(x=x * width, y=y * height)
        if max(abs(end_x - x), abs(end_y - y)) > STILL and end_x >= 0:
            across = abs(end_x - x) > abs(end_y - y)
            forward = end_x > x if across else end_y > y
            action = Action(
                type="swipe",
                point=point,
                direction=("right" if forward else "left") if across else ("down" if forward else "up"),
            )
        else:
            action = Action(type="click", point=point)
            box, label = _element(step, point)
    elif kind == TYPE:
        action = Action(type="type", text=cleaned(step.text("result_action_text")))
    elif kind in {BACK, HOME, ENTER, COMPLETE, IMPOSSIBLE}:
        action = {
            BACK: Action(type="back"), HOME: Action(type="home"), ENTER: Action(type="press", keys=("Enter",)),
            COMPLETE: Action(type="done"), IMPOSSIBLE: Action(type="refuse"),
        }[kind]  # fmt: skip
    else:
        raise Malformed(f"field 'result_action_type' is {kind}, which is not known")
    return Turn(Shot(image), action, box, says=says, label=label)


def _inner(step: Fields, name: str) -> object:
    """A field that holds JSON as a text, or the value itself."""
    value = step.any(name)
    return json_of(value) if isinstance(value, str) else value


def _element(step: Fields, point: Point) -> tuple[Box | None, str]:
    places = _inner(step, "ui_positions") if step.has("ui_positions") else []
    texts = _inner(step, "ui_text") if step.has("ui_text") else []
    if not isinstance(places, list) or not isinstance(texts, list):
        raise Malformed("field 'ui_positions' should hold a list")
    found: list[tuple[int, Box, str]] = []
    for number, place in enumerate(places):
        y, x, height, width = numbers(place, 4, "field 'ui_positions'")
        if height <= 0 or width <= 0:
            continue
        box = box_of(x, y, x + width, y + height, "field 'ui_positions'")
        if box.contains(point):
            label = texts[number] if number < len(texts) and isinstance(texts[number], str) else ""
            found.append((box.area, box, one_line(label, 80)))
    best = min(found, key=lambda row: row[0], default=None)
    return (best[1], best[2]) if best is not None else (None, "")
