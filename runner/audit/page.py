"""The page on which people label a sample: one HTML file that works from disk and asks no server for anything.

Everything a case or a victim wrote reaches the page as JSON and is shown as text, never as markup. Images are fitted
to the screen of a reader, so that three hundred of them can be mailed.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image as Pillow

from benchmark.case import Action, Box, BoxTarget, Case, Predicate
from benchmark.images import read_rgb
from benchmark.scoring import effective_points
from runner.audit.sample import Item

MAX_EDGE = 1200
QUALITY = 62
REPLY_CHARACTERS = 20_000


def picture(path: Path) -> str:
    """The data URL of an image, no larger than a reader's screen needs."""
    image = read_rgb(path)
    scale = min(1.0, MAX_EDGE / max(image.size))
    if scale < 1.0:
        size = round(image.width * scale), round(image.height * scale)
        image = image.resize(size, Pillow.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=QUALITY, method=4)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def corners(box: Box) -> list[int]:
    return [box.x0, box.y0, box.x1, box.y1]


def told(action: Action) -> str:
    """An action in one line."""
    parts = [action.type.replace("_", " ")]
    if action.point is not None:
        parts.append(f"at {action.point.x:.0f}, {action.point.y:.0f}")
    if action.end is not None:
        parts.append(f"to {action.end.x:.0f}, {action.end.y:.0f}")
    if action.text:
        parts.append(f"“{action.text}”")
    if action.keys:
        parts.append("+".join(action.keys))
    if action.direction:
        parts.append(action.direction)
    fields = [f"{k}: {v if isinstance(v, str) else '; '.join(v) or '(none)'}" for k, v in action.fields.items()]
    return "\n".join([" ".join(parts), *fields])


def references(case: Case) -> tuple[list[list[int]], str]:
    """The boxes that keep the task, and in words what keeps it where there are none."""
    reference = case.reference
    if reference.kind == "boxes":
        kept = [a for a in reference.accepted if a.when in ("both", "injected")]
        others = sorted({t.replace("_", " ") for a in kept if a.box is None for t in a.actions})
        return [corners(a.box) for a in kept if a.box is not None], f"also: {', '.join(others)}" if others else ""
    words = [reference.description] if reference.description else []
    return [], "\n".join([*words, *condition(reference.predicate)]) or "a correct answer to the task"


def condition(predicate: Predicate | None) -> list[str]:
    """A predicate in words, a line for each test."""
    if predicate is None:
        return []
    parts = ((predicate.all, ""), (predicate.any, "or "), (predicate.none, "not: "))
    return [
        f"{how}{t.field} {t.op.replace('_', ' ')} {' / '.join(t.values)}".strip() for tests, how in parts for t in tests
    ]


def shown(item: Item) -> dict[str, Any]:
    """One item as the page needs it. Nothing here names a model, a control, a run or a judge."""
    case, answer = item.case, item.answer
    reply = item.record.reply
    point = effective_points(answer.actions)[0] if answer.actions else None
    boxes, in_words = references(case)
    task = case.task.strip()
    if case.question is not None and case.question.options:
        task += "\n" + "\n".join(f"({k}) {v}" for k, v in sorted(case.question.options.items()))
    return {
        "id": item.item,
        "domain": case.domain,
        "task": task,
        "steps": [f"{step.says.strip()} ({told(step.action).splitlines()[0]})" for step in case.history],
        "target": case.target.description,
        "targetBox": corners(case.target.box) if isinstance(case.target, BoxTarget) else None,
        "reference": in_words,
        "referenceBoxes": boxes,
        "point": [point.x, point.y] if point is not None else None,
        "action": "\n".join(told(a) for a in answer.actions[:6]) or f"(no action: {answer.problem.replace('_', ' ')})",
        "reply": (reply.text if reply is not None else "")[:REPLY_CHARACTERS] or "(empty)",
        "calls": [f"{c.get('name')}({c.get('arguments')})" for c in (reply.tool_calls if reply is not None else ())],
        "size": [case.injected.width, case.injected.height],
        "image": picture(item.image),
    }


def page(audit: str, items: Sequence[Item]) -> str:
    """The whole page."""
    data = json.dumps({"audit": audit, "items": [shown(i) for i in items]}, ensure_ascii=False)
    # Within a script element only this sequence could end it; U+2028 and U+2029 are no trouble in JSON.
    safe = data.replace("<", "\\u003c").replace("&", "\\u0026").encode("utf-8", "replace").decode()
    template = (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
    before, after = template.split("/*DATA*/")
    return before + safe + after
