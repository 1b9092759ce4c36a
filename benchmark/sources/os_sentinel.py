"""OS-Sentinel (MobileRisk): phone trajectories with a screenshot and an accessibility dump before each action.

`tap(5)` means the fifth node of the dump that has bounds, so a dump gives every tap its box; a tap without one has no
place and its step can only be history. Nodes are counted from 0 in the order of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from benchmark.case import Action, Box
from benchmark.sources.actions import DIRECTIONS, phone_call, pressed
from benchmark.sources.records import Fields, Malformed, box_of, cleaned, json_of, one_line, text_of
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Shot, Trajectory, Turn

LICENCE = "Apache-2.0"
BOUNDS = re.compile(r"^\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]$")


def read(root: Path) -> Iterator[Trajectory | Finding]:
    """Every trajectory below the root; lists of tasks alone are said once."""
    met = False
    for path in files(root, ".json"):
        if path.name == "trajectory.json":
            met = True
            yield _trajectory(root, path)
    if not met:
        yield Finding(".", 0, "no trajectory.json was found; tasks without one say what was asked but show no screen")


def _trajectory(root: Path, path: Path) -> Trajectory | Finding:
    shown = path.relative_to(root).as_posix()
    try:
        value = Fields(json_of(text_of(inside(root, shown))))
        task = one_line(value.text("query"))
        app = one_line(value.maybe("application"), 60) or "phone"
        meta = value.object("meta") if value.has("meta") else Fields({})
        kinds = meta.value.get("type")
        risk = (
            " ".join(k for k in kinds if isinstance(k, str))
            if isinstance(kinds, list)
            else kinds
            if isinstance(kinds, str)
            else ""
        )
        turns = [
            _turn(root, path.parent, Fields(step, "a step"), number)
            for number, step in enumerate(value.items("trajectory"), 1)
        ]
        turns = [turn for turn in turns if turn.action.type != "wait"]
        if not turns:
            raise Malformed("field 'trajectory' holds no action")
    except Unusable as error:
        return Finding(shown, 1, str(error))
    return Trajectory(
        "mobile", path.parent.relative_to(root).as_posix(), app, shown, 1, task, tuple(turns), one_line(risk, 120)
    )


def _turn(root: Path, folder: Path, step: Fields, number: int) -> Turn:
    observation = step.any("observation")
    name = (
        observation if isinstance(observation, str) else Fields(observation, "field 'observation'").text("screenshot")
    )
    name = name.replace("\\", "/")
    image = inside(root, name if "/" in name else f"images/{name}", folder)
    said = step.any("action")
    calls = said if isinstance(said, list) else [said]
    if not calls:
        raise Malformed(f"step {number} holds no action")
    kind, args = _called(calls[0])
    box = (
        _node(root, folder, image.stem, args[0])
        if kind in {"tap", "long-tap", "replace-text"} and args and isinstance(args[0], int)
        else None
    )
    return Turn(Shot(image), _action(kind, args, box), box)


def _called(value: Any) -> tuple[str, list[Any]]:
    if isinstance(value, str):
        return phone_call(value)
    call = Fields(value, "an action")
    inner = call.value.get("parameters")
    args = list(inner.values()) if isinstance(inner, dict) else inner if isinstance(inner, list) else []
    return call.text("name").casefold().replace("_", "-"), args


def _action(kind: str, args: Sequence[Any], box: Box | None) -> Action:
    at = box.center if box is not None else None
    text = next((a for a in args if isinstance(a, str)), "")
    match kind:
        case "tap":
            return Action(type="click", point=at)
        case "long-tap":
            return Action(type="long_press", point=at)
        case "replace-text" | "input-text" | "type":
            return Action(type="type", point=at, text=cleaned(text))
        case "swipe" | "scroll":
            direction = DIRECTIONS.get(text.casefold())
            if direction is None:
                raise Malformed(f"the swipe names no direction: {text[:40]!r}")
            return Action(type="swipe", direction=direction)
        case "button":
            word = text.casefold()
            return Action(type="back") if word == "back" else Action(type="home") if word == "home" else pressed([text])
        case "enter":
            return Action(type="press", keys=("Enter",))
        case "no-op" | "wait":
            return Action(type="wait")
        case "refuse":
            return Action(type="refuse", text=one_line(text, 200) or None)
        case "complete" | "answer" | "finish":
            return Action(type="done", text=one_line(text, 200) or None)
        case _:
            raise Malformed(f"the action {kind[:40]!r} is not known")


def _node(root: Path, folder: Path, stem: str, number: int) -> Box | None:
    """The box of a node by its number; None where there is no dump."""
    if not (folder / "xmls" / f"{stem}.xml").exists():
        return None
    path = inside(root, f"xmls/{stem}.xml", folder)
    text = text_of(path)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Malformed(f"{path.name} declares entities; a screen's dump has none")
    try:
        nodes = [n for n in ElementTree.fromstring(text).iter() if n.get("bounds")]
    except (ElementTree.ParseError, RecursionError, ValueError) as error:
        raise Malformed(f"{path.name} is no XML: {error}") from None
    if not 0 <= number < len(nodes):
        raise Malformed(f"the action taps node {number}, {path.name} has {len(nodes)}")
    match = BOUNDS.match(nodes[number].get("bounds", ""))
    if match is None:
        raise Malformed(f"node {number} of {path.name} has bounds {nodes[number].get('bounds', '')[:40]!r}")
    x0, y0, x1, y1 = (float(part) for part in match.groups())
    return box_of(x0, y0, x1, y1, f"node {number} of {path.name}")
