"""Writing by hand: a single-stroke alphabet drawn with a round pen.

No registered font looks written, so letters are strokes of our own: points on a grid whose base line is 0, small
letters 6 and capitals 10 units high, joined by curves and drawn as overlapping dots on a fourfold canvas. Size, tilt
and wavering come from a seed, and all positions are rounded to whole sub-pixels before anything is drawn.
"""

from __future__ import annotations

import math
import random
from functools import lru_cache

from PIL import Image, ImageDraw

from benchmark.case import Box
from benchmark.construct.legible import rgb

GLYPHS: dict[str, str] = {
    "a": "5|5 5,3 6,1 5,0 3,1 0,3 0,5 2/5 6,5 1,6 0", "b": "5|0 10,0 0/0 3,2 6,4 6,5 3,4 0,2 0,0 2",
    "c": "5|5 5,3 6,1 5,0 3,1 0,3 0,5 1", "d": "5|5 4,3 6,1 5,0 3,1 0,3 0,5 2/5 10,5 0",
    "e": "5|0 3,5 3/5 3,5 5,3 6,1 5,0 3,1 0,3 0,5 1", "f": "4|5 9,3 10,2 8,2 0/0 6,4 6",
    "g": "5|5 5,3 6,1 5,0 3,1 1,3 1,5 3/5 6,5 -2,3 -4,0 -3", "h": "5|0 10,0 0/0 3,2 6,4 6,5 4,5 0",
    "i": "1|1 6,1 0/1 8.6,1 9", "j": "3|2 6,2 -2,1 -4,-1 -3/2 8.6,2 9", "k": "5|0 10,0 0/4 6,0 2/1 3,5 0",
    "l": "2|1 10,1 1,2 0", "m": "8|0 6,0 0/0 4,2 6,4 5,4 0/4 4,6 6,8 5,8 0", "n": "5|0 6,0 0/0 4,2 6,4 6,5 4,5 0",
    "o": "5|3 6,1 5,0 3,1 0,3 0,5 2,5 4,3 6", "p": "5|0 6,0 -4/0 3,2 6,4 6,5 3,4 0,2 0,0 2",
    "q": "5|5 5,3 6,1 5,0 3,1 1,3 1,5 3/5 6,5 -4,6 -3", "r": "3|0 6,0 0/0 3,2 6,3.6 6", "s": "4|4 5,2 6,0 5,1 3.4,3 2.8,4 1,2 0,0 1",
    "t": "4|2 9,2 1,3 0,4 .6/0 6,4 6", "u": "5|0 6,0 2,1 0,3 0,5 2/5 6,5 0", "v": "5|0 6,2.5 0/2.5 0,5 6",
    "w": "8|0 6,2 0/2 0,4 5/4 5,6 0/6 0,8 6", "x": "5|0 6,5 0/5 6,0 0", "y": "5|0 6,2.6 1/5 6,2 -2,0 -4", "z": "5|0 6,5 6/5 6,0 0/0 0,5 0",
    "A": "7|0 0,3.5 10/3.5 10,7 0/1.4 4,5.6 4", "B": "6|0 10,0 0/0 10,4 10,5 8,4 5.6,0 5.2/0 5.2,5 5,6 2,4 0,0 0",
    "C": "7|7 8,5 10,2 9.6,0 6,0 3,2 0,5 0,7 2", "D": "7|0 10,0 0/0 10,4 10,7 7,7 3,4 0,0 0", "E": "6|0 10,0 0/0 10,6 10/0 5,4 5/0 0,6 0",
    "F": "6|0 10,0 0/0 10,6 10/0 5,4 5", "G": "7|7 8,5 10,2 9.6,0 6,0 3,2 0,5 0,7 3/7 4,4 4/7 4,7 0", "H": "7|0 10,0 0/7 10,7 0/0 5,7 5",
    "I": "1|1 10,1 0", "J": "5|4 10,4 2,2 0,0 2", "K": "6|0 10,0 0/6 10,0 4/2 5.6,6 0", "L": "5|0 10,0 0/0 0,5 0",
    "M": "8|0 0,0 10/0 10,4 3/4 3,8 10/8 10,8 0", "N": "7|0 0,0 10/0 10,7 0/7 0,7 10", "O": "8|4 10,1 8.4,0 5,1 1.6,4 0,7 1.6,8 5,7 8.4,4 10",
    "P": "6|0 10,0 0/0 10,4 10,6 8,4 5,0 5", "Q": "8|4 10,1 8.4,0 5,1 1.6,4 0,7 1.6,8 5,7 8.4,4 10/5 2,8 -1",
    "R": "6|0 10,0 0/0 10,4 10,6 8,4 5,0 5/2 5,6 0", "S": "6|6 9,3 10,0 8,1 6,5 4,6 2,3 0,0 1", "T": "7|3.5 10,3.5 0/0 10,7 10",
    "U": "7|0 10,0 3,2 0,5 0,7 3,7 10", "V": "7|0 10,3.5 0/3.5 0,7 10", "W": "10|0 10,2.5 0/2.5 0,5 8/5 8,7.5 0/7.5 0,10 10",
    "X": "7|0 10,7 0/7 10,0 0", "Y": "6|0 10,3 5/6 10,3 5/3 5,3 0", "Z": "6|0 10,6 10/6 10,0 0/0 0,6 0",
    "0": "6|3 10,1 8,0 5,1 2,3 0,5 2,6 5,5 8,3 10", "1": "3|0 8,2 10/2 10,2 0", "2": "5|0 8,2 10,4 9.4,5 7,3 4,0 0/0 0,5 0",
    "3": "5|0 9,3 10,5 8,4 6,2 5.2/2 5.2,5 4,5 1,3 0,0 1", "4": "6|4 10,0 3/0 3,6 3/4 10,4 0", "5": "5|5 10,1 10/1 10,.6 6/.6 6,3 6.4,5 4,4 1,2 0,0 1",
    "6": "5|5 9,2 9,0 5,0 2,2 0,4 .4,5 3,4 5,2 5,0 3", "7": "5|0 10,5 10/5 10,2 0", "8": "5|2.5 5.4,.6 7.6,2.5 10,4.4 7.6,2.5 5.4,0 2.4,2.5 0,5 2.4,2.5 5.4",
    "9": "5|5 7,3 5,1 6,0 8,2 10,4 10,5 7/5 7,4 3,2 0", ".": "1|.5 0,.8 .2", ",": "1|1 .6,0 -2", ":": "1|.5 0,.7 .2/.5 5,.7 5.2",
    ";": "1|1 .6,0 -2/.8 5,1 5.2", "!": "1|1 10,1 3/1 .3,1 0", "?": "4|0 8,2 10,4 8,3 5.6,2 3/2 .3,2 0", "-": "3|0 4,3 4", "_": "5|0 -1,5 -1",
    "@": "9|6 6,4 6.4,3 4.6,4 3,6 3.6,6.4 6/6.4 6,6.6 3.4,8 3,9 5,8.6 8,6 10,2 9,0 5,2 1,6 0,8 .8", "/": "4|0 -1,4 10",
    "(": "2|2 11,0 7,0 3,2 -1", ")": "2|0 11,2 7,2 3,0 -1", "'": "1|.6 10,.4 8", '"': "2|0 10,0 8/2 10,2 8", "+": "5|2.5 7,2.5 2/0 4.5,5 4.5",
    "&": "7|7 3,4 0,1 0,0 2,4 7,4 9,3 10,2 9,2 7,7 0", "#": "6|2 9,1 0/5 9,4 0/0 6,6 6/0 3,6 3", "=": "5|0 5,5 5/0 2.6,5 2.6", ">": "4|0 7,4 4/4 4,0 1",
}  # fmt: skip

FINE = 4
GAP = 1.9
"""Space between letters, in grid units."""


@lru_cache(maxsize=256)
def _strokes(letter: str) -> tuple[float, tuple[tuple[tuple[float, float], ...], ...]]:
    width, _, drawn = GLYPHS[letter].partition("|")
    return float(width), tuple(
        tuple((float(x), float(y)) for x, y in (pair.split() for pair in stroke.split(",")))
        for stroke in drawn.split("/")
    )


def known(words: str) -> bool:
    """Whether every character of a text can be written."""
    return all(c == " " or c in GLYPHS for c in words)


def _curve(points: tuple[tuple[float, float], ...], steps: int) -> list[tuple[float, float]]:
    """Points along a Catmull-Rom curve through all of `points`."""
    if len(points) == 2:
        (ax, ay), (bx, by) = points
        return [(ax + (bx - ax) * k / steps, ay + (by - ay) * k / steps) for k in range(steps + 1)]
    path = []
    whole = (points[0], *points, points[-1])
    for p, q, r, s in zip(whole, whole[1:], whole[2:], whole[3:], strict=False):
        for k in range(steps):
            t = k / steps
            path.append(
                tuple(
                    0.5 * (2 * q[i] + (r[i] - p[i]) * t + (2 * p[i] - 5 * q[i] + 4 * r[i] - s[i]) * t * t
                    + (3 * q[i] - p[i] - 3 * r[i] + s[i]) * t * t * t)
                    for i in (0, 1)
                )
            )  # fmt: skip
    return [(x, y) for x, y in path] + [points[-1]]


def advance(words: str, unit: float) -> float:
    """How wide a line gets, in pixels, at `unit` pixels a grid unit."""
    return math.fsum((3.2 if c == " " else _strokes(c)[0] + GAP) * unit for c in words)


def wrapped(words: str, unit: float, width: int) -> list[str]:
    lines, line = [], ""
    for word in words.split():
        longer = f"{line} {word}".strip()
        if line and advance(longer, unit) > width:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line] if line else lines


def written(lines: list[str], unit: float, colour: str, rng: random.Random) -> tuple[Image.Image, list[Box]]:
    """Lines of handwriting as an RGBA layer, with the box of each line.

    Args:
        lines: what to write; every character must be `known`.
        unit: pixels a grid unit; capitals are ten units high, lines seventeen apart.
        colour: of the ink, `#rrggbb`.
        rng: of the wavering.
    """
    lead = 17 * unit
    wide = int(max(advance(line, unit) for line in lines) + 14 * unit)
    high = int(lead * len(lines) + 8 * unit)
    mask = Image.new("L", (wide * FINE, high * FINE), 0)
    radius = max(3, round(unit * FINE * 0.42))
    dot = Image.new("L", (2 * radius + 1, 2 * radius + 1), 0)
    ImageDraw.Draw(dot).ellipse((0, 0, 2 * radius, 2 * radius), fill=255)
    slant = rng.choice((0.08, 0.14, 0.2))
    boxes = []
    for number, line in enumerate(lines):
        base = (13 * unit + number * lead) * FINE
        drift = rng.uniform(-0.012, 0.012)
        x = 3 * unit * FINE + rng.randint(0, 6)
        left = x
        for letter in line:
            if letter == " ":
                x += 3.2 * unit * FINE
                continue
            width, strokes = _strokes(letter)
            lift, grow = rng.uniform(-0.25, 0.25), rng.uniform(0.94, 1.06)
            for stroke in strokes:
                for px, py in _curve(stroke, max(8, round(unit * 7))):
                    y = (py + lift) * grow
                    at_x = x + (px * grow + y * slant) * unit * FINE
                    at_y = base - y * unit * FINE + (x - left) * drift
                    mask.paste(255, (int(at_x) - radius, int(at_y) - radius), dot)
            x += (width + GAP) * unit * FINE
        top = max(int(base / FINE - 12 * unit), 0)
        boxes.append(
            Box(
                x0=max(int(left / FINE - unit), 0),
                y0=top,
                x1=min(int(x / FINE + 2 * unit), wide),
                y1=min(int(base / FINE + 5 * unit), high),
            )
        )
    ink = Image.new("RGBA", (wide, high), (*rgb(colour), 0))
    ink.putalpha(mask.reduce(FINE))
    return ink, boxes
