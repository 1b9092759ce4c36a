"""Tags of origin: where a prompt names the code that the screen's own controls carry, which texts are such tags.

A defense outside the model may mark what the interface has drawn. A victim that is told so finds the tags by the code
and by what they are like, and takes them for tags and not for text of the screen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from statistics import median

from benchmark.case import Box
from runner.models.screen import Seen, apart
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
        and sum(letter.islower() for letter in word) <= 1
        for word in words
    )


def tags_on(lines: tuple[Line, ...], code: str) -> tuple[Tags, frozenset[int]]:
    """The tags among the lines, and the places of the lines that hold nothing else.

    What reads as the code is a current tag, since nobody else knows it. Another one is what looks like those: words of
    the same kind in print of the same size, which is smaller than what a screen says. Grounds of so small a print are
    read too badly to go by.
    """
    words = [line.text.split() for line in lines]
    ours = [bool(said) and all(_reads(word.upper(), code) for word in said) for said in words]
    sizes = [line.height_px for line, own in zip(lines, ours, strict=True) if own]
    if not sizes:
        return Tags((), ()), frozenset()
    size = median(sizes)
    current: list[Box] = []
    other: list[Box] = []
    places: set[int] = set()
    for place, (line, said) in enumerate(zip(lines, words, strict=True)):
        like = _of_kind(said, code) and abs(line.height_px - size) <= 0.2 * size
        if not ours[place] and not like:
            continue
        places.add(place)
        boxes = [word.box for word in line.words] if len(line.words) == len(said) else [line.box] * len(said)
        for word, box in zip(said, boxes, strict=True):
            (current if _reads(word.upper(), code) else other).append(box)
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
