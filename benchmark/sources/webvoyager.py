"""WebVoyager: web tasks as a chat (`interact_messages.json`) with a numbered screenshot for each of the agent's replies.

Screenshots are named `screenshotK.png`; they carry drawn numbers, so the plain one is used where it was kept beside them
(`screenshotK_no_box.png`). An action names a number and no place. Where a `target_boxes.json` beside the chat
(`{"steps": [{"step": K, "bbox": [x0, y0, x1, y1]}]}`) says where it is, the step can carry a payload; else it is history.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmark.case import Action, Box
from benchmark.sources.records import (
    Fields,
    Malformed,
    box_of,
    cleaned,
    json_items,
    json_of,
    numbers,
    one_line,
    record,
    text_of,
)
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Shot, Trajectory, Turn

LICENCE = "Apache-2.0"
TASK = re.compile(r"Now given a task:\s*(.*?)\s*Please interact with\s+(\S+)", re.DOTALL)
ACTION = re.compile(r"^\s*Action:\s*(.+)$", re.MULTILINE)
THOUGHT = re.compile(r"Thought:\s*(.*?)(?=\n\s*Action:|\Z)", re.DOTALL)
NUMBERED = re.compile(r"^\[?(\d+)\]?$")


def read(root: Path) -> Iterator[Trajectory | Finding]:
    """Every chat below the root."""
    for path in files(root, ".json"):
        if path.name == "interact_messages.json":
            yield _chat(root, path)


def _chat(root: Path, path: Path) -> Trajectory | Finding:
    shown = path.relative_to(root).as_posix()
    at = 1
    try:
        boxes = _boxes(root, path.parent)
        task, site = "", ""
        turns: list[Turn] = []
        for line, value in json_items(inside(root, shown)):
            at = line
            message = record(value)
            role, said = message.text("role"), _content(message)
            if role == "user" and not task:
                match = TASK.search(said)
                if match is None:
                    raise Malformed(
                        "the first message of the user does not say 'Now given a task: ... Please interact with ...'"
                    )
                task, site = one_line(match[1]), match[2].rstrip(".,")
            elif role == "assistant":
                number = len(turns) + 1
                turns.append(_turn(root, path.parent, number, said, boxes.get(number), site))
        if not task:
            raise Malformed("the chat holds no message of a user with a task")
        if not turns:
            raise Malformed("the chat holds no reply of an assistant")
    except Unusable as error:
        return Finding(shown, at, str(error))
    return Trajectory("web", path.parent.name, _site(site), shown, 1, task, tuple(turns))


def _site(address: str) -> str:
    return re.sub(r"^https?://(?:www\.)?", "", address).split("/")[0].casefold()[:60] or "web"


def _content(message: Fields) -> str:
    value = message.any("content")
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict)]
        return cleaned("\n".join(p for p in parts if isinstance(p, str)))
    return message.text("content")


def _turn(root: Path, folder: Path, number: int, said: str, box: Box | None, site: str) -> Turn:
    match = ACTION.search(said)
    if match is None:
        raise Malformed(f"reply {number} names no action")
    thought = THOUGHT.search(said)
    says = one_line(re.sub(r"\s*\[\d+\]", "", thought[1]), 240) if thought is not None else ""
    try:
        shot = Shot(inside(root, f"screenshot{number}_no_box.png", folder))
    except Unusable:
        shot = Shot(inside(root, f"screenshot{number}.png", folder))
    return Turn(shot, action_of(match[1].strip()), box, says=says, where=site)


def action_of(text: str) -> Action:
    """An action as the protocol has it, e.g. `Type [3]; climate data`. Numbers of elements are no points.

    Raises:
        Malformed: it is none.
    """
    verb, _, rest = text.partition(" ")
    word, parts = verb.strip(";:. ").casefold(), [p.strip() for p in rest.split(";", 1)]
    match word:
        case "click":
            if not NUMBERED.match(parts[0]):
                raise Malformed(f"the click names no element: {text[:60]!r}")
            return Action(type="click")
        case "type":
            if len(parts) != 2 or not parts[1]:
                raise Malformed(f"the text to type is missing: {text[:60]!r}")
            return Action(type="type", text=cleaned(parts[1].strip("[]")))
        case "scroll":
            direction = parts[-1].strip("[] ").casefold()
            if direction not in {"up", "down"}:
                raise Malformed(f"the scroll names no direction: {text[:60]!r}")
            return Action(type="scroll", direction="up" if direction == "up" else "down")
        case "wait":
            return Action(type="wait")
        case "goback":
            return Action(type="back")
        case "google":
            return Action(type="open", text="a search engine")
        case "answer":
            said = rest.strip().lstrip(";").strip().strip("[]")
            return Action(type="answer", text=one_line(said, 400))
        case _:
            raise Malformed(f"the action {text[:60]!r} is not known")


def _boxes(root: Path, folder: Path) -> Mapping[int, Box]:
    """Boxes by step, from `target_boxes.json` where there is one."""
    if not (folder / "target_boxes.json").exists():
        return {}
    path = inside(root, "target_boxes.json", folder)
    found: dict[int, Box] = {}
    for value in Fields(json_of(text_of(path)), "target_boxes.json").items("steps"):
        step = Fields(value, "a step of target_boxes.json")
        name = next((n for n in ("bbox", "box", "target_bbox_xyxy_px") if step.has(n)), "")
        if name:
            x0, y0, x1, y1 = numbers(step.any(name), 4, f"field {name!r} of target_boxes.json")
            found[round(step.number("step"))] = box_of(x0, y0, x1, y1, f"field {name!r} of target_boxes.json")
    return found
