"""Lines and blocks: what a reading says, and how lines that belong together are put together.

Everything here is plain data and pure functions on it. A `Line` is one run of text as it stands on the screen; a
`Block` is what a person would call one thing: a paragraph, a heading, the label of a button. How the lines were found
is the engine's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmark.case import Box

Colour = tuple[int, int, int]

# Shares of the font size, rounded, of the sans-serif fonts that screens use.
CAPITAL = 0.73
SMALL = 0.55
DESCENT = 0.20
TALL_LETTERS = frozenset("bdfhijklt")
LOW_LETTERS = frozenset("gjpqy")
LOW_SIGNS = frozenset("Q,;()[]{}|/\\@$_")


@dataclass(frozen=True)
class Word:
    """What stands between two spaces of a line, and its box in image pixels."""

    text: str
    box: Box


@dataclass(frozen=True)
class Line:
    """One run of text. `box` is tight around the ink, in image pixels; `confidence` lies in [0, 1].

    `height_px` estimates the font size in image pixels; `ink` and `ground` are the estimated RGB colours of the
    letters and of what lies behind them. `words` are in order; together they are the text.
    """

    text: str
    box: Box
    confidence: float
    height_px: float
    ink: Colour
    ground: Colour
    words: tuple[Word, ...] = ()

    @cached_property
    def contrast(self) -> float:
        """Contrast of ink to ground as WCAG defines it, from 1 to 21."""
        return contrast(self.ink, self.ground)

    def find(self, phrase: str) -> Box | None:
        """The box of the first place where the words of `phrase` follow each other in this line, case aside.

        Labels that stand close together, as in a menu bar, are read as one line; this finds one of them again.
        """
        wanted = [_bare(word) for word in phrase.split()]
        said = [_bare(word.text) for word in self.words]
        for start in range(len(said) - len(wanted) + 1):
            if wanted and said[start : start + len(wanted)] == wanted:
                return around(word.box for word in self.words[start : start + len(wanted)])
        return None


@dataclass(frozen=True)
class Block:
    """Lines that form one thing, top to bottom, and the box around them."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @cached_property
    def box(self) -> Box:
        return around(line.box for line in self.lines)

    @property
    def height_px(self) -> float:
        """Font size of the block: that of its median line."""
        heights = sorted(line.height_px for line in self.lines)
        return heights[len(heights) // 2]

    @property
    def contrast(self) -> float:
        """Contrast of the block's best legible line."""
        return max(line.contrast for line in self.lines)


def _bare(word: str) -> str:
    return word.casefold().strip(".,:;!?()[]\"'") or word


def _linear(level: int) -> float:
    share = level / 255
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)


def luminance(colour: Colour) -> float:
    """Relative luminance of an sRGB colour, 0 for black to 1 for white."""
    red, green, blue = (_linear(level) for level in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """WCAG contrast ratio of two colours, whichever is lighter: from 1 (equal) to 21 (black on white)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def around(boxes: Iterable[Box]) -> Box:
    """The smallest box that holds all of `boxes`, of which there must be one."""
    every = tuple(boxes)
    return Box(
        x0=min(b.x0 for b in every),
        y0=min(b.y0 for b in every),
        x1=max(b.x1 for b in every),
        y1=max(b.y1 for b in every),
    )


def letter_height(text: str, ink_height: float) -> float:
    """Font size of a line from the height of its ink.

    "some" is only as high as its small letters and "Type" reaches from capital to descender: which letters a line has
    decides what share of its font size its ink spans.
    """
    rises = any(c.isupper() or c.isdigit() or c in TALL_LETTERS or not c.isalpha() for c in text)
    falls = any(c in LOW_LETTERS or c in LOW_SIGNS for c in text)
    share = (CAPITAL if rises else SMALL) + (DESCENT if falls else 0.0)
    return ink_height / share


def reading_order(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Lines from top to bottom, those at the same height from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda item: (item.box.y0 + item.box.y1, item.box.x0)):
        middle = (line.box.y0 + line.box.y1) / 2
        if rows and rows[-1][0].box.y0 <= middle < rows[-1][0].box.y1:
            rows[-1].append(line)
        else:
            rows.append([line])
    return tuple(line for row in rows for line in sorted(row, key=lambda item: item.box.x0))


def _continues(above: Line, below: Line) -> bool:
    """Whether `below` is the next line of the paragraph that `above` belongs to."""
    size = max(above.height_px, below.height_px)
    if size > 1.25 * min(above.height_px, below.height_px):
        return False
    # Baselines of one paragraph are 1.1 to 1.8 font sizes apart; ink boxes vary by a descender, hence the slack.
    step = below.box.y1 - above.box.y1
    if not 0.7 * size <= step <= 1.75 * size or below.box.y0 - above.box.y1 > 1.1 * size:
        return False
    if _far(above.ink, below.ink) or _far(above.ground, below.ground):
        return False
    left = abs(above.box.x0 - below.box.x0) <= 0.6 * size
    centred = abs((above.box.x0 + above.box.x1) - (below.box.x0 + below.box.x1)) / 2 <= 0.6 * size
    return left or centred


def _far(one: Colour, other: Colour) -> bool:
    return max(abs(a - b) for a, b in zip(one, other)) > 72


def group(lines: Sequence[Line]) -> tuple[Block, ...]:
    """Puts lines together into blocks, in reading order.

    A line joins the block above it when it has the same left edge or centre, about the same size and colours, and
    follows at the distance of a line; a block takes one line at a time, the nearest.
    """
    blocks: list[list[Line]] = []
    for line in reading_order(lines):
        fitting = [block for block in blocks if _continues(block[-1], line)]
        if fitting:
            nearest = min(fitting, key=lambda block: (line.box.gap(block[-1].box), abs(line.box.x0 - block[-1].box.x0)))
            nearest.append(line)
        else:
            blocks.append([line])
    return tuple(Block(tuple(block)) for block in blocks)


def dump(lines: Sequence[Line]) -> list[Any]:
    """Lines as plain JSON data; `load` is its inverse."""
    return [
        [
            line.text,
            _corners(line.box),
            line.confidence,
            line.height_px,
            list(line.ink),
            list(line.ground),
            [[word.text, _corners(word.box)] for word in line.words],
        ]
        for line in lines
    ]


def load(data: Sequence[Any]) -> tuple[Line, ...]:
    """Lines from what `dump` made.

    Raises:
        ValueError, TypeError: the data is something else.
    """
    return tuple(
        Line(
            text=str(text),
            box=_box(box),
            confidence=float(confidence),
            height_px=float(height),
            ink=_colour(ink),
            ground=_colour(ground),
            words=tuple(Word(str(word), _box(place)) for word, place in words),
        )
        for text, box, confidence, height, ink, ground, words in data
    )


def _corners(box: Box) -> list[int]:
    return [box.x0, box.y0, box.x1, box.y1]


def _box(corners: Sequence[int]) -> Box:
    x0, y0, x1, y1 = corners
    return Box(x0=x0, y0=y0, x1=x1, y1=y1)


def _colour(levels: Sequence[int]) -> Colour:
    red, green, blue = levels
    return int(red), int(green), int(blue)
