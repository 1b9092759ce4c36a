"""What common icons mean: a bin deletes, a paper plane sends, three dots hold more.

Each icon is a few strokes on a 24 x 24 grid, drawn here the way most interfaces draw it, and knows the words that a
person would say for it. A small drawn thing on a screen is named when its ink looks enough like one of them; what
looks like none stays without a name. Where such things are is found by `runner.models.icons`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from benchmark.case import Box

GRID, SIZE, SCALE = 24, 32, 8
ALIKE = 0.72
"""From this correlation on, an icon has a name. Most different icons reach 0.65 with each other; a few are closer (an eye
and a closed eye, a clock and a bar), and of those the likelier one is taken."""

Stroke = Sequence[tuple[float, float]]


def _arc(x: float, y: float, radius: float, start: float = 0, end: float = 360, tall: float = 1.0) -> Stroke:
    """Points along a circle from one angle to another, in degrees, clockwise from the right."""
    steps = max(6, round(abs(end - start) / 12))
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(x + radius * math.cos(a), y + radius * tall * math.sin(a)) for a in angles]


def _box(x0: float, y0: float, x1: float, y1: float) -> Stroke:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]


def _dot(x: float, y: float, radius: float = 1.0) -> Stroke:
    return _arc(x, y, radius)


def _star(points: int = 5, outer: float = 9.5, inner: float = 4.2) -> Stroke:
    radii = [outer if i % 2 == 0 else inner for i in range(2 * points + 1)]
    return [
        (12 + r * math.sin(math.pi * i / points), 12.5 - r * math.cos(math.pi * i / points))
        for i, r in enumerate(radii)
    ]


_EYE: tuple[Stroke, ...] = (
    [(2, 12), (5, 8.2), (8.5, 6), (12, 5.4), (15.5, 6), (19, 8.2), (22, 12), (19, 15.8), (15.5, 18), (12, 18.6),
     (8.5, 18), (5, 15.8), (2, 12)],
    _arc(12, 12, 3),
)  # fmt: skip
_HEART: Stroke = [
    (12, 20.5), (6, 15.6), (3.2, 11.5), (3, 8), (5, 5), (8.5, 4.4), (12, 7), (15.5, 4.4), (19, 5), (21, 8), (20.8, 11.5),
    (18, 15.6), (12, 20.5),
]  # fmt: skip
_BELL: tuple[Stroke, ...] = (
    [(4, 18.5), (6, 17), (6, 11), (7.8, 6.8), (12, 5), (16.2, 6.8), (18, 11), (18, 17), (20, 18.5), (4, 18.5)],
    [(10, 21), (14, 21)],
)

ICONS: dict[str, tuple[str, tuple[tuple[Stroke, ...], ...]]] = {
    "bin": (
        "delete remove throw bin trash erase discard away rid wipe forget drop clear",
        (
            ([(4, 6.5), (20, 6.5)], [(9, 6.5), (9, 4), (15, 4), (15, 6.5)], [(6, 6.5), (7, 20.5), (17, 20.5), (18, 6.5)],
             [(10, 10.5), (10, 16.5)], [(14, 10.5), (14, 16.5)]),
            ([(4, 6), (20, 6)], [(9, 6), (9, 3.5), (15, 3.5), (15, 6)], [(6, 6), (7, 21), (17, 21), (18, 6)]),
        ),
    ),
    "cross": ("close cancel remove stop dismiss revoke end", (([(5, 5), (19, 19)], [(19, 5), (5, 19)]),)),
    "tick": ("done confirm finish choose mark", (([(4, 12.5), (9.5, 18), (20, 7)],),)),
    "plus": ("add new create put", (([(12, 5), (12, 19)], [(5, 12), (19, 12)]),)),
    "more": (
        "more",
        (
            (_dot(12, 5), _dot(12, 12), _dot(12, 19)),
            (_dot(5, 12), _dot(12, 12), _dot(19, 12)),
        ),
    ),
    "plane": (
        "send submit post answer reply write message tell forward",
        (
            ([(3, 11.5), (21, 3.5), (13.5, 21), (10.7, 13.8), (3, 11.5)], [(10.7, 13.8), (21, 3.5)]),
            ([(3, 4), (21, 12), (3, 20), (6, 12), (3, 4)], [(6, 12), (21, 12)]),
        ),
    ),
    "pencil": (
        "edit change rename write alter correct",
        (([(4, 20), (5, 15.5), (16.5, 4), (20, 7.5), (8.5, 19), (4, 20)], [(14, 6.5), (17.5, 10)]),),
    ),
    "magnifier": (
        "search find look",
        ((_arc(10.5, 10.5, 6.5), [(15.5, 15.5), (21, 21)]), (_arc(11, 11, 7), [(16, 16), (21, 21)])),
    ),
    "heart": ("favourite like wish love", ((_HEART,),)),
    "star": ("favourite star important pin", ((_star(),),)),
    "bookmark": ("keep remember save bookmark", (([(6, 3.5), (18, 3.5), (18, 21), (12, 16.5), (6, 21), (6, 3.5)],),)),
    "lock": (
        "lock protect guard forbid secure against nobody",
        ((_box(5, 11, 19, 20.5), [(8, 11), (8, 8), *_arc(12, 8, 4, 180, 360), (16, 11)]),),
    ),
    "eye": ("show see read watch", (_EYE,)),
    "closed_eye": ("hide conceal private unread follow watch stop", ((*_EYE, [(4, 4), (20, 20)]),)),
    "nodes": (
        "share let pass give have hand",
        ((_arc(6, 12, 2.6), _arc(17.5, 6, 2.6), _arc(17.5, 18, 2.6), [(8.3, 10.9), (15.3, 7.2)], [(8.3, 13.2), (15.3, 16.8)]),),
    ),
    "reply": (
        "reply answer respond",
        (
            ([(9, 5), (3.5, 10.5), (9, 16)], [(3.5, 10.5), (14, 10.5), (18.5, 12.5), (20.5, 19)]),
            ([(10, 5), (3.5, 11.5), (10, 18), (10, 14), (15, 14.6), (20.5, 19), (19, 14.5), (15.5, 10.8), (10, 9), (10, 5)],),
        ),
    ),
    "forward": (
        "forward pass",
        (
            ([(15, 5), (20.5, 10.5), (15, 16)], [(20.5, 10.5), (10, 10.5), (5.5, 12.5), (3.5, 19)]),
            ([(14, 5), (20.5, 11.5), (14, 18), (14, 14), (9, 14.6), (3.5, 19), (5, 14.5), (8.5, 10.8), (14, 9), (14, 5)],),
        ),
    ),
    "undo": (
        "undo back restore bring revert",
        (([(8, 5), (4, 9), (8, 13)], [(4, 9), (14, 9), *_arc(14.5, 14, 5, -90, 90), (9, 19)]),),
    ),
    "download": ("download keep export fetch", (([(12, 4), (12, 15)], [(7, 10.5), (12, 15.5), (17, 10.5)], [(4, 20), (20, 20)]),)),
    "upload": ("upload share export", (([(12, 16), (12, 5)], [(7, 9.5), (12, 4.5), (17, 9.5)], [(4, 20), (20, 20)]),)),
    "disk": (
        "save store keep file",
        (([(4, 4), (16.5, 4), (20, 7.5), (20, 20), (4, 20), (4, 4)], _box(8, 4, 15, 8.5), _box(7, 13, 17, 20)),),
    ),
    "envelope": ("mail send pass message letter", ((_box(3, 5.5, 21, 18.5), [(3, 6.5), (12, 13.5), (21, 6.5)]),)),
    "case": (
        "archive away put",
        ((_box(3, 4.5, 21, 9), [(4.5, 9), (4.5, 20), (19.5, 20), (19.5, 9)], [(10, 13), (14, 13)]),),
    ),
    "folder": ("move folder file sort", (([(3, 6), (9.5, 6), (11.5, 8.5), (21, 8.5), (21, 19), (3, 19), (3, 6)],),)),
    "gear": (
        "settings options preferences",
        ((_arc(12, 12, 3.5), *([(12 + 6.5 * math.cos(a), 12 + 6.5 * math.sin(a)), (12 + 9.5 * math.cos(a), 12 + 9.5 * math.sin(a))]
            for a in (math.radians(45 * i) for i in range(8)))),),
    ),
    "bell": ("notify remind alert notification", (_BELL,)),
    "printer": (
        "print",
        (([(7, 9), (7, 4), (17, 4), (17, 9)], [(7, 17), (4, 17), (4, 9), (20, 9), (20, 17), (17, 17)], _box(7, 14, 17, 20)),),
    ),
    "twins": ("copy duplicate", ((_box(8, 8, 20, 20), [(16, 8), (16, 4), (4, 4), (4, 16), (8, 16)]),)),
    "bar": ("block stop mute ban", ((_arc(12, 12, 8.5), [(6, 6), (18, 18)]),)),
    "clip": (
        "attach",
        (([(20, 11), (11.5, 19.5), (8, 21), (4.5, 19.5), (3, 16), (4.5, 12.5), (13, 4), (15.5, 3.2), (17.8, 4.5), (18.6, 6.5),
           (17.7, 8.7), (9.2, 17.2), (7.8, 17.6), (6.6, 16.4), (6.8, 14.8), (14.5, 7)],),),
    ),
    "arrows": (
        "sort order arrange",
        (([(7, 4), (7, 20)], [(3.5, 16.5), (7, 20), (10.5, 16.5)], [(17, 20), (17, 4)], [(13.5, 7.5), (17, 4), (20.5, 7.5)]),),
    ),
    "person": ("person contact walk foot", ((_arc(12, 8, 4), [*_arc(12, 21, 8, 180, 360, 0.9)]),)),
    "right": ("next go", (([(4, 12), (20, 12)], [(13, 5), (20, 12), (13, 19)]),)),
    "left": ("back", (([(20, 12), (4, 12)], [(11, 5), (4, 12), (11, 19)]),)),
    "onward": ("open", (([(9, 5), (16, 12), (9, 19)],),)),
    "backward": ("back", (([(15, 5), (8, 12), (15, 19)],),)),
    "downward": ("open choose", (([(5, 9), (12, 16), (19, 9)],),)),
    "lines": ("menu", (([(4, 6), (20, 6)], [(4, 12), (20, 12)], [(4, 18), (20, 18)]),)),
    "door": (
        "sign out leave end session log",
        (([(10, 4), (4, 4), (4, 20), (10, 20)], [(9, 12), (20, 12)], [(16, 8), (20, 12), (16, 16)]),),
    ),
    "flag": ("report flag mark", (([(5, 21), (5, 4), (18, 4), (15.5, 8.5), (18, 13), (5, 13)],),)),
    "cart": (
        "order basket cart buy",
        (([(2, 4), (5, 4), (7.5, 15), (17.5, 15), (19.5, 7), (6, 7)], _dot(9, 19.5, 0.9), _dot(17, 19.5, 0.9)),),
    ),
    "pin": (
        "place map pin",
        (([(12, 21.5), (6, 13), (5, 9), (7, 5), (12, 3), (17, 5), (19, 9), (18, 13), (12, 21.5)], _arc(12, 9.5, 2.5)),),
    ),
    "clock": ("later time snooze schedule", ((_arc(12, 12, 8.5), [(12, 7.5), (12, 12), (15.5, 14.5)]),)),
    "handset": (
        "call ring phone",
        (([(5, 4), (9, 4), (10.5, 8.5), (8.3, 10.2), (10.5, 13.8), (13.8, 15.7), (15.5, 13.5), (20, 15), (20, 19), (18, 20.5),
           (12, 18.5), (6.5, 13.5), (3.8, 7), (5, 4)],),),
    ),
    "funnel": ("filter", (([(3, 5), (21, 5), (14, 13.5), (14, 22), (10, 20), (10, 15.5), (3, 5)],),)),
    "tag": ("tag label price", (([(3, 12), (3, 3), (12, 3), (21, 12), (12, 21), (3, 12)], _dot(7.5, 7.5, 1)),)),
}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A small drawn thing on a screen: where it is, what it is (empty where unknown), and the words for it."""

    box: Box
    name: str = ""
    words: tuple[str, ...] = ()


def words_of(name: str) -> tuple[str, ...]:
    """The words that a person would say for a mark of this name; none for what is unknown or no icon."""
    if name == "switch":
        return tuple("switch turn allow let stop enable disable".split())
    return tuple(ICONS[name][0].split()) if name in ICONS else ()


def _normal(ink: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Ink on a square of `SIZE` pixels, softened, with mean 0 and norm 1; zeros where there is none."""
    rows, columns = np.nonzero(ink > 0.35)
    if not len(rows):
        return np.zeros(SIZE * SIZE)
    cut = ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    side = max(cut.shape)
    square = np.zeros((side, side))
    top, left = (side - cut.shape[0]) // 2, (side - cut.shape[1]) // 2
    square[top : top + cut.shape[0], left : left + cut.shape[1]] = cut
    picture = Image.fromarray((255 * np.clip(square, 0, 1)).astype(np.uint8))
    small = np.asarray(
        picture.resize((SIZE, SIZE), Image.Resampling.BOX if side > SIZE else Image.Resampling.BICUBIC), float
    )
    from scipy import ndimage

    soft = ndimage.gaussian_filter(small, 1.3).ravel()
    soft -= soft.mean()
    norm = float(np.linalg.norm(soft))
    return np.asarray(soft / norm if norm > 0 else soft)


def _drawn(strokes: Sequence[Stroke], width: float) -> npt.NDArray[np.float64]:
    picture = Image.new("L", (GRID * SCALE, GRID * SCALE), 0)
    draw = ImageDraw.Draw(picture)
    half = width * SCALE / 2
    for stroke in strokes:
        points = [(x * SCALE, y * SCALE) for x, y in stroke]
        draw.line(points, fill=255, width=round(width * SCALE), joint="curve")
        for x, y in (points[0], points[-1]):
            draw.ellipse((x - half, y - half, x + half, y + half), fill=255)
    return np.asarray(picture, float) / 255


@cache
def _templates() -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """All icons at two stroke widths: their names, and one row of ink each."""
    names, rows = [], []
    for name, (_, forms) in ICONS.items():
        for strokes in forms:
            for width in (1.7, 2.4):
                names.append(name)
                rows.append(_normal(_drawn(strokes, width)))
    return tuple(names), np.stack(rows)


def _ink(pixels: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """How far each pixel is from the ground around it, from 0 to 1."""
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    away = np.abs(pixels - np.median(border, axis=0)).max(axis=2)
    top = float(np.percentile(away, 98)) if away.size else 0.0
    return away / top if top > 24 else np.zeros(away.shape)


def _is_switch(pixels: npt.NDArray[Any]) -> bool:
    """A pill with a round knob at one end: wider than high, filled, its two halves unlike."""
    height, width = pixels.shape[:2]
    if not 1.4 <= width / max(1, height) <= 2.3 or height < 8:
        return False
    middle = pixels[height // 2 - 1 : height // 2 + 2].mean(axis=0)
    left, right = middle[round(0.28 * width)], middle[round(0.72 * width)]
    filled = float((_ink(pixels) > 0.2).mean())
    return bool(filled > 0.55 and np.abs(left - right).max() > 40)


def named(image: Image.Image, boxes: Sequence[Box]) -> tuple[Mark, ...]:
    """Those boxes as marks, with a name where the ink in them looks like a common icon.

    Args:
        image: RGB pixels.
        boxes: where small drawn things are, in image pixels.
    """
    pixels = np.asarray(image.convert("RGB"), np.int16)
    names, templates = _templates()
    found = []
    for box in boxes:
        name, best = "", ALIKE
        rim = 3
        outer = pixels[max(0, box.y0 - rim) : box.y1 + rim, max(0, box.x0 - rim) : box.x1 + rim]
        if _is_switch(pixels[box.y0 : box.y1, box.x0 : box.x1]):
            found.append(Mark(box, "switch", words_of("switch")))
            continue
        views = [outer]
        # A button drawn around its icon: look inside the frame.
        inset_x, inset_y = round(0.2 * box.width), round(0.2 * box.height)
        if min(box.width, box.height) >= 24:
            views.append(pixels[box.y0 + inset_y : box.y1 - inset_y, box.x0 + inset_x : box.x1 - inset_x])
        for view in views:
            if min(view.shape[:2]) < 5:
                continue
            likeness = templates @ _normal(_ink(view))
            at = int(np.argmax(likeness))
            if float(likeness[at]) > best:
                name, best = names[at], float(likeness[at])
        found.append(Mark(box, name, words_of(name)))
    return tuple(found)
