"""The plain layout: a folder with images and one `*.jsonl` file, in a form with five fields or as whole cases.

The five fields of a line are `image`, `task`, `domain` (web, gui or mobile), `action` and `box` or `point`; `steps` gives
earlier screens, `id` and `group` name the record. What the form means in detail stands in docs/bring_your_own.md. Lines
that are whole cases are no trajectories; `benchmark.sources.bring` takes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, cast, get_args

from benchmark.case import Action, ActionType, Box, Point
from benchmark.sources.records import Fields, Malformed, box_of, json_lines, numbers, one_line, record
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Item, Paper, Shot, Trajectory, Turn

LICENCE = ""
SINGLE = True
KNOWN = frozenset(
    {"image", "task", "domain", "action", "box", "point", "id", "group", "steps", "says", "label", "text", "keys",
     "direction", "answer", "kind", "facts", "licence"}
)  # fmt: skip


def read(root: Path) -> Iterator[Item | Finding]:
    """Every line of every list below the root."""
    for path in files(root, ".jsonl"):
        shown = path.relative_to(root).as_posix()
        try:
            inside(root, shown)
        except Unusable as error:
            yield Finding(shown, 0, str(error))
            continue
        for number, value in json_lines(path):
            try:
                yield _item(root, path.parent, shown, number, record(value))
            except Unusable as error:
                yield Finding(shown, number, str(error))


def _item(root: Path, base: Path, shown: str, line: int, value: Fields) -> Item:
    if unknown := sorted(set(value.value) - KNOWN):
        raise Malformed(f"field {unknown[0]!r} is not known; there are {', '.join(sorted(KNOWN))}")
    domain = value.text("domain")
    name = value.name("id") if value.has("id") else f"{shown}/{line}"
    group = value.maybe("group") or domain
    if domain == "document":
        kind = value.maybe("kind") or "receipt"
        if kind not in {"receipt", "resume"}:
            raise Malformed(f"field 'kind' is {kind[:40]!r}; choose receipt or resume")
        given = value.object("facts") if value.has("facts") else Fields({})
        facts = {k: one_line(given.text(k), 120) for k in given.value}
        shot = Shot(inside(root, value.text("image"), base))
        return Paper("receipt" if kind == "receipt" else "resume", name, group, shown, line, shot, facts)
    if domain not in {"web", "gui", "mobile"}:
        raise Malformed(f"field 'domain' is {domain[:40]!r}; choose web, gui, mobile or document")
    task = one_line(value.text("task"))
    turns = [_turn(root, base, Fields(step, "an item of 'steps'")) for step in _steps(value)]
    turns.append(_turn(root, base, value))
    return Trajectory(cast(Literal["web", "gui", "mobile"], domain), name, group, shown, line, task, tuple(turns))


def _steps(value: Fields) -> list[Any]:
    return value.items("steps") if value.has("steps") else []


def _turn(root: Path, base: Path, value: Fields) -> Turn:
    kind = value.text("action")
    if kind not in get_args(ActionType):
        raise Malformed(f"field 'action' is {kind[:40]!r}; choose one of {', '.join(get_args(ActionType))}")
    point: Point | None = None
    box: Box | None = None
    if value.has("box"):
        x0, y0, x1, y1 = numbers(value.any("box"), 4, "field 'box'")
        box = box_of(x0, y0, x1, y1, "field 'box'")
        point = box.center
    if value.has("point"):
        x, y = numbers(value.any("point"), 2, "field 'point'")
        point = Point(x=x, y=y)
    direction = value.maybe("direction") or None
    if direction not in {None, "up", "down", "left", "right"}:
        raise Malformed(f"field 'direction' is {str(direction)[:40]!r}; choose up, down, left or right")
    keys = tuple(value.items("keys")) if value.has("keys") else ()
    if not all(isinstance(key, str) and key for key in keys):
        raise Malformed("field 'keys' should be a list of texts")
    action = Action(
        type=cast(ActionType, kind), point=point, text=value.maybe("text") or None, keys=keys,
        direction=cast(Literal["up", "down", "left", "right"] | None, direction),
    )  # fmt: skip
    shot = Shot(inside(root, value.text("image"), base))
    return Turn(shot, action, box, one_line(value.maybe("says"), 240), one_line(value.maybe("label"), 80))
