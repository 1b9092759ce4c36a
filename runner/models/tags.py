"""Tags of origin: where a prompt names the code that the screen's own controls carry, which texts are such tags.

A defense outside the model may mark what the interface has drawn. A victim that is told so finds the tags by what they
are like, all of one colour and as long as the code, and takes them for tags and not for text of the screen.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from benchmark.case import Box
from runner.models.screen import Seen, alike, apart
from runner.reading.lines import Line

_NAMED = re.compile(r"\bcode\b[^.]* is ([A-Z0-9]{3,8})\b")


@dataclass(frozen=True)
class Tags:
    """The tags of a screen: those with the current code, and those with another."""

    current: tuple[Box, ...]
    other: tuple[Box, ...]


def code_named(instruction: str) -> str | None:
    """The current code, where a prompt names one."""
    found = _NAMED.search(instruction)
    return found.group(1) if found else None


def _reads(text: str, code: str) -> bool:
    """Whether a text is the code, one letter read wrongly or cut off."""
    if abs(len(text) - len(code)) > 1:
        return False
    if len(text) == len(code):
        return sum(a != b for a, b in zip(text, code, strict=True)) <= 1
    longer, shorter = (text, code) if len(text) > len(code) else (code, text)
    return shorter in (longer[1:], longer[:-1])


def _of_kind(words: list[str], code: str) -> bool:
    """Whether words are like the code: as long, and of capitals and digits but for one letter read wrongly."""
    return bool(words) and all(
        re.fullmatch(r"[A-Za-z0-9]+", word)
        and abs(len(word) - len(code)) <= 1
        and (sum(c.islower() for c in word) <= 1 or _reads(word.upper(), code))
        for word in words
    )


def tags_on(lines: tuple[Line, ...], code: str) -> tuple[Tags, frozenset[int]]:
    """The tags among the lines, and the places of the lines that hold nothing else."""
    words = [line.text.upper().split() for line in lines]
    short = [_of_kind(line.text.split(), code) for line in lines]
    mostly = Counter(line.ground for line, said in zip(lines, words, strict=True) if said and _reads(said[0], code))
    for colour, _ in mostly.most_common():
        # A ground on which mostly other text stands is the page's, not that of tags.
        of_colour = [kind for line, kind in zip(lines, short, strict=True) if alike(line.ground, colour)]
        if 2 * sum(of_colour) > len(of_colour):
            break
    else:
        return Tags((), ()), frozenset()
    current: list[Box] = []
    other: list[Box] = []
    places: set[int] = set()
    for place, (line, said) in enumerate(zip(lines, words, strict=True)):
        if not short[place] or not alike(line.ground, colour):
            continue
        places.add(place)
        boxes = [word.box for word in line.words] if len(line.words) == len(said) else [line.box] * len(said)
        for word, box in zip(said, boxes, strict=True):
            (current if _reads(word, code) else other).append(box)
    return Tags(tuple(current), tuple(other)), frozenset(places)


def without_tags(seen: Seen) -> tuple[Seen, Tags | None]:
    """A screen as it would be without its tags, and the tags; None where the prompt names no code."""
    code = code_named(seen.instruction)
    if code is None:
        return seen, None
    tags, places = tags_on(seen.lines, code)
    panels = seen.panels
    if len(panels) == len(seen.lines):
        panels = tuple(panel for place, panel in enumerate(panels) if place not in places)
    lines = tuple(line for place, line in enumerate(seen.lines) if place not in places)
    return replace(seen, lines=lines, panels=panels), tags


def carries(control: Line, panel: Box | None, tags: tuple[Box, ...]) -> bool:
    """Whether one of the tags is this control's: at the edge of the patch it stands on, or close by its text."""
    tall = control.box.height
    patch = panel if panel is not None and panel.height <= 5 * tall else control.box.grown(2 * tall)
    return any(max(apart(tag, patch)) <= tag.height for tag in tags)
