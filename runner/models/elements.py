"""Where a task's next step is served best: every line and icon of a screen is weighed, and the best one is clicked.

What speaks for an element is stated once, in `signs`: words that it shares with the task and that no step has dealt
with, a kind of doing that the task asks for, an icon whose meaning fits, the row it stands in, whether a form has just
been filled, whether an empty field waits, and against it that it stands on a panel which demands something of its own.
`WEIGHTS` says how much each counts. They were fitted on 376 spatial cases that are not the public suite's: 216 of an
earlier build and 160 of the desktop of a private one (what keeps the task on the clean screen, anything but the target
on the injected one). Of the desktop's goals left out of the fit they find the step in .35 of the cases, of those in it
in .42.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.case import Box
from runner.models.iconography import Mark
from runner.models.screen import URGENT, Command, Seen, alike, apart, commands, is_control, wide
from runner.models.words import COMMITS, RETREATS, content, kinds, stem
from runner.reading.lines import Line

OPENS = re.compile(r"\b(open|pick|that is|this is|there it is|one\b|right|look at|mark|choose|find)", re.IGNORECASE)
_COMMITTING = frozenset(stem(c) for c in COMMITS)
_ENTERED = re.compile(r'\(type "(.*)"\)\s*$')


@dataclass(frozen=True)
class Element:
    """A line or an icon that could be clicked."""

    box: Box
    line: Line | None = None
    mark: Mark | None = None


@dataclass(frozen=True)
class Demand:
    """A panel and what its text is like: the salience of its strongest command, and shares from 0 to 1."""

    box: Box
    salience: float
    urgent: float
    own: float
    size: float


@dataclass(frozen=True)
class Situation:
    """What is known before any element is weighed."""

    seen: Seen
    task: frozenset[str]
    doing: frozenset[int]
    done: frozenset[str]
    last: frozenset[str]
    typed: frozenset[str]
    just_typed: bool
    just_opened: bool
    late: bool
    looking: bool
    spread: Mapping[str, int]
    usual: float
    median_contrast: float
    common: tuple[int, int, int]
    bright: frozenset[int]
    names: Mapping[str, int]
    strong: Mapping[int, float]
    demands: tuple[Demand, ...]


def foreground(lines: Sequence[Line]) -> list[Line]:
    """The lines that a dialog leaves bright: where most of a screen is dimmed, those that are not."""
    if len(lines) < 8:
        return list(lines)
    ranked = sorted(line.contrast for line in lines)
    median = ranked[len(ranked) // 2]
    bright = [line for line in lines if line.contrast >= 2.2 * median]
    return bright if median < 5.5 and 2 <= len(bright) <= 0.45 * len(lines) else list(lines)


def _said(step: str) -> str:
    """What was said in an earlier step, without the kind of action in brackets."""
    return re.sub(r"\s*\([a-z_]+[^()]*\)\s*$", "", step)


def situation(seen: Seen) -> Situation:
    lines = [line for line in seen.lines if re.search(r"[^\W_]", line.text)]
    told = [_said(step) for step in seen.history]
    entered = [text.group(1) for step in seen.history if (text := _ENTERED.search(step))]
    just_typed = bool(seen.history and _ENTERED.search(seen.history[-1]))
    last = content(told[-1]) if told else []
    task = content(seen.task)
    found = commands(seen)
    heights = sorted(line.height_px for line in lines) or [12.0]
    contrasts = sorted(line.contrast for line in lines) or [1.0]
    return Situation(
        seen=seen,
        task=frozenset(task),
        doing=frozenset(kinds(task) | kinds(last)),
        done=frozenset(content(" ".join(told))),
        last=frozenset(last),
        typed=frozenset(w for text in entered for w in content(text)),
        just_typed=just_typed,
        just_opened=bool(told and OPENS.search(told[-1])),
        late=len(seen.history) >= 2,
        looking=just_typed and bool(re.search(r"look|search|find", " ".join(told[-2:]), re.IGNORECASE)),
        spread=Counter(w for line in lines for w in set(content(line.text))),
        usual=heights[len(heights) // 2],
        median_contrast=contrasts[len(contrasts) // 2],
        common=Counter(line.ground for line in lines).most_common(1)[0][0] if lines else (255, 255, 255),
        bright=frozenset(id(line) for line in foreground(lines)),
        names=Counter(mark.name for mark in seen.marks),
        strong={id(c.control): c.salience for c in found},
        demands=demands(seen, found),
    )


def demands(seen: Seen, found: Sequence[Command]) -> tuple[Demand, ...]:
    """The panels of a screen with what they demand, smallest first; what fills half the screen is no panel."""
    asked = set(content(seen.task)) | set(content(" ".join(seen.history)))
    on: dict[Box, list[Line]] = {}
    for line, panel in zip(seen.lines, seen.panels, strict=False):
        on.setdefault(panel, []).append(line)
    weighed = []
    for panel, lines in on.items():
        size = panel.width * panel.height / (seen.width * seen.height)
        if size > 0.5:
            continue
        inside = [c.salience for c in found if max(apart(c.control.box, panel)) == 0]
        text = " ".join(line.text for line in lines)
        words = set(content(text))
        urgent = len(set(re.findall(r"[a-z]+", text.casefold())) & URGENT)
        weighed.append(
            Demand(panel, max(inside, default=0.0), min(1.0, urgent / 3), len(words & asked) / max(1, len(words)), size)
        )
    return tuple(sorted(weighed, key=lambda d: d.size))


def _rarity(now: Situation, words: Sequence[str], fresh: bool) -> float:
    """How much of the task these words name; rare words of the screen count more."""
    shared = {w for w in words if w in now.task}
    if fresh:
        shared -= now.done | now.typed
    return sum(1.0 / max(1, now.spread.get(w, 1)) for w in shared)


def _row(now: Situation, box: Box) -> list[Line]:
    """The lines left of a place and on its height, as in a row of a list or a card."""
    middle = (box.y0 + box.y1) / 2
    return [
        line
        for line in now.seen.lines
        if line.box.x0 < box.x0 and line.box.y0 - 1.5 * now.usual < middle < line.box.y1 + 1.5 * now.usual
    ]


def signs(now: Situation, element: Element) -> dict[str, float]:
    """What speaks for and against an element, each from about 0 to 2."""
    found = _line_signs(now, element.line) if element.line is not None else {}
    if element.mark is not None:
        found = _mark_signs(now, element.mark)
    top = element.box.y1 < 0.13 * now.seen.height
    found["on top"] = 1.0 if top else 0.0
    demand = next((d for d in now.demands if max(apart(element.box, d.box)) == 0 and d.salience > 0), None)
    if demand is not None:
        found["demand"] = demand.salience
        found["demand, urgent"] = demand.salience * demand.urgent
        found["demand, own"] = demand.salience * demand.own
        found["demand, small"] = demand.salience * (demand.size < 0.2)
    return found


def _line_signs(now: Situation, line: Line) -> dict[str, float]:
    words = content(line.text)
    text = line.text.strip()
    each = max(1, len(set(words)))
    shared = [w for w in set(words) if w in now.task]
    short = wide(line) <= 4
    label = is_control(line) and short
    acting = 1.0 if label and kinds(words) & now.doing else 0.0
    commit = 1.0 if label and words and words[0] in _COMMITTING else 0.0
    lonely = sum(alike(line.ground, other.ground, 12) for other in now.seen.lines) <= 2
    filled = 1.0 if label and lonely and not alike(line.ground, now.common, 24) else 0.0
    named = min(_rarity(now, words, False), 2.0)
    # What a button names besides its verb, and neither task nor history know.
    unknown = [w for w in set(words[1:]) if w not in now.task and w not in now.done and w not in now.typed]
    foreign = len(unknown) / each if label else 0.0
    stage = "typed" if now.just_typed and not now.looking else "late" if now.late and not now.looking else "early"
    return {
        f"named, {stage}": named,
        f"share, {stage}": len(shared) / each,
        f"fresh, {stage}": min(_rarity(now, words, True), 1.5),
        "acting": acting,
        f"commit, {stage}": commit,
        f"filled, {stage}": filled,
        "commit, after a choice": commit * (now.late and not now.just_opened and not now.just_typed),
        "acting, after opening": acting * now.just_opened,
        "filled and acting": filled * max(acting, commit),
        "filled and foreign": filled * (1.0 - acting) * (not shared),
        "foreign": foreign,
        "foreign, filled": foreign * filled,
        f"foreign, {stage}": foreign * commit,
        "commands": now.strong.get(id(line), 0.0),
        "commands, foreign": now.strong.get(id(line), 0.0) * (1.0 - acting) * (not shared),
        "commands, first": 1.0 if now.strong and now.strong.get(id(line)) == max(now.strong.values()) else 0.0,
        "retreat": 1.0 if RETREATS.match(text) else 0.0,
        "just said": len(set(words) & now.last) / each,
        "already typed": len(set(words) & now.typed) / each,
        "start": 1.0 if now.late and label and re.match(r"(new|write|compose|add new|create|search|filter)\b", text, re.I) else 0.0,
        "heading": min(1.0, max(0.0, line.height_px / now.usual - 1.35)),
        "long": min(4.0, max(0.0, wide(line) - 5.0)) / 4,
        "question": 1.0 if text.endswith("?") else 0.0,
        "capitals": 1.0 if text.isupper() and len(text) > 3 else 0.0,
        "faint": 1.0 if line.contrast < 0.62 * now.median_contrast else 0.0,
        "dimmed": 0.0 if id(line) in now.bright else 1.0,
        "cursor": 1.0 if re.search(r"\S\s?[|I]$", text) and len(set(words) & now.typed) / each > 0.5 else 0.0,
        "control": 1.0 if label else 0.0,
        f"line, {stage}": 1.0,
    }  # fmt: skip


def _mark_signs(now: Situation, mark: Mark) -> dict[str, float]:
    words = [stem(w) for w in mark.words]
    stage = "typed" if now.just_typed and not now.looking else "late" if now.late and not now.looking else "early"
    if mark.name == "field":
        alone = 1.0 if now.names["field"] == 1 else 0.0
        return {f"field, {stage}": 1.0, "field, alone": alone, "field, after opening": alone * now.just_opened}
    row = _row(now, mark.box)
    of_row = min(1.5, max((_rarity(now, content(line.text), False) for line in row), default=0.0))
    several = now.names[mark.name] > 1
    meant = set(words) & (now.task | now.last)
    alike_kind = kinds(words) & now.doing
    known = bool(mark.name)
    sending = mark.name in {"plane", "disk", "tick", "right"}
    row_marks = [
        m for m in now.seen.marks if abs(m.box.center.y - mark.box.center.y) < now.usual and m.box.x0 > mark.box.x1
    ]
    return {
        f"icon, {stage}": 1.0,
        "icon, unknown": 0.0 if known else 1.0,
        f"icon meant, {stage}": 1.0 if meant else 0.0,
        f"icon kind, {stage}": 1.0 if alike_kind else 0.0,
        "icon row, alone": 0.0 if several else of_row,
        "icon row, several": of_row if several else 0.0,
        "icon row, several, meant": of_row if several and (meant or alike_kind) else 0.0,
        f"icon {mark.name}": 1.0 if mark.name in {"tick", "plus", "bin", "cross"} else 0.0,
        f"icon {mark.name}, meant": 1.0 if meant and mark.name in {"tick", "plus", "bin", "cross"} else 0.0,
        "icon several": 1.0 if several else 0.0,
        "icon row and meant": of_row * (1.0 if meant or alike_kind else 0.0),
        f"icon sends, {stage}": 1.0 if sending else 0.0,
        f"icon more, {stage}": 1.0 if mark.name == "more" else 0.0,
        "switch": 1.0 if mark.name == "switch" else 0.0,
        "switch row": of_row if mark.name == "switch" else 0.0,
        "icon goes": 1.0 if mark.name in {"left", "backward", "cross", "lines", "onward", "downward", "magnifier"} else 0.0,
        "icon opened": 1.0 if now.just_opened and known else 0.0,
        "icon last": 1.0 if not row_marks else 0.0,
        "icon far": 1.0 if mark.box.center.x > 0.75 * now.seen.width else 0.0,
        "icon small": 1.0 if max(mark.box.width, mark.box.height) < 0.9 * now.usual else 0.0,
    }  # fmt: skip


def elements(seen: Seen) -> list[Element]:
    """All that could be clicked."""
    found = [Element(line.box, line=line) for line in seen.lines if re.search(r"[^\W_]", line.text)]
    return found + [Element(mark.box, mark=mark) for mark in seen.marks]


def best_element(seen: Seen) -> tuple[Box | None, float]:
    """The box of the line or icon that serves the task's next step best, with its score."""
    now = situation(seen)
    best: Box | None = None
    top = -1e9
    for element in elements(seen):
        score = sum(WEIGHTS.get(name, 0.0) * value for name, value in signs(now, element).items())
        if score > top:
            best, top = element.box, score
    return best, top


WEIGHTS: dict[str, float] = {
    "acting": 0.36,
    "acting, after opening": -0.08,
    "already typed": 0.54,
    "capitals": -1.16,
    "commands": -1.59,
    "commands, first": -0.23,
    "commands, foreign": -0.24,
    "commit, after a choice": -0.27,
    "commit, early": 0.31,
    "commit, late": 1.16,
    "commit, typed": 3.06,
    "control": 0.77,
    "cursor": -0.54,
    "demand": 0.18,
    "demand, own": 0.23,
    "demand, small": -1.06,
    "demand, urgent": 0.68,
    "dimmed": 0.33,
    "faint": -0.32,
    "field, after opening": -1.81,
    "field, alone": 2.88,
    "field, early": 1.38,
    "field, late": 1.52,
    "field, typed": -0.22,
    "filled and acting": 1.65,
    "filled and foreign": 0.16,
    "filled, early": -0.05,
    "filled, late": 1.82,
    "filled, typed": 0.37,
    "foreign": -1.31,
    "foreign, early": -0.55,
    "foreign, filled": -1.63,
    "foreign, late": -2.16,
    "foreign, typed": -2.29,
    "fresh, early": -0.16,
    "fresh, late": 1.36,
    "fresh, typed": -0.16,
    "heading": -1.68,
    "icon bin": 0.13,
    "icon bin, meant": 1.22,
    "icon cross": 1.63,
    "icon far": 1.21,
    "icon goes": -1.05,
    "icon kind, early": -0.35,
    "icon kind, late": -0.62,
    "icon kind, typed": 1.09,
    "icon meant, early": 1.48,
    "icon meant, late": 2.86,
    "icon meant, typed": -0.13,
    "icon more, early": 1.00,
    "icon more, late": 0.31,
    "icon more, typed": -0.43,
    "icon opened": 0.54,
    "icon plus": -0.87,
    "icon plus, meant": -0.67,
    "icon row and meant": 0.21,
    "icon row, alone": 0.95,
    "icon row, several": 2.51,
    "icon row, several, meant": -0.05,
    "icon sends, early": 0.09,
    "icon sends, late": 0.80,
    "icon sends, typed": 4.85,
    "icon several": -1.59,
    "icon small": -1.19,
    "icon tick": -1.01,
    "icon tick, meant": -0.99,
    "icon, early": -0.07,
    "icon, late": 0.08,
    "icon, unknown": -0.87,
    "line, early": -1.31,
    "line, late": -1.59,
    "line, typed": 0.24,
    "long": -0.70,
    "named, early": 1.82,
    "named, typed": -0.35,
    "on top": -0.62,
    "question": 1.08,
    "retreat": 1.85,
    "share, early": 0.09,
    "share, late": 0.25,
    "share, typed": -0.21,
    "start": -0.11,
    "switch": -0.20,
    "switch row": 1.70,
}
