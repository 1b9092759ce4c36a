"""Where empty text fields are: long frames of one ground with nothing in them, but perhaps a cursor.

A field with words in it is found by its words; one that waits for its first letter has none, and only its frame tells
of it. Lengths follow the usual letter height of the screen, as for icons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from benchmark.case import Box
from runner.reading.lines import Line

STEP = 7
"""From this difference of neighbouring pixels on, in any channel, there is an edge: frames are often faint."""

CURSOR = re.compile(r"[|Il1!\]\[]{1,2}")


def _runs(row: npt.NDArray[np.bool_], least: int) -> list[tuple[int, int]]:
    """First and last column of each stretch of at least `least` edges."""
    ends = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
    return [(int(a), int(b) - 1) for a, b in zip(ends[::2], ends[1::2], strict=True) if b - a >= least]


def _upright(edges: npt.NDArray[np.bool_], rows: slice, x: int, reach: int) -> bool:
    """Whether an edge stands upright near a column over most of these rows."""
    near = edges[rows, max(0, x - reach) : x + reach + 1]
    return bool(near.size and near.mean(axis=0).max() >= 0.6)


def _bare(pixels: npt.NDArray[Any]) -> bool:
    """Whether an area is of one colour but for a cursor's worth of pixels."""
    away = np.abs(pixels - np.median(pixels, axis=(0, 1))).max(axis=2) > 12
    return bool(away.mean() < 0.015)


def fields(image: Image.Image, lines: Sequence[Line]) -> tuple[Box, ...]:
    """Boxes of empty text fields, in image pixels, top to bottom.

    Args:
        image: RGB pixels.
        lines: what was read on it.
    """
    if not lines:
        return ()
    heights = sorted(line.height_px for line in lines)
    usual = max(8.0, heights[len(heights) // 2])
    pixels = np.asarray(image.convert("RGB"), np.int16)
    across = np.abs(np.diff(pixels, axis=0)).max(axis=2) > STEP
    upright = np.abs(np.diff(pixels, axis=1)).max(axis=2) > STEP
    least, reach = round(7 * usual), round(1.2 * usual)
    long_rows = np.flatnonzero(across.sum(axis=1) >= least)
    runs = [(int(y), x0, x1) for y in long_rows for x0, x1 in _runs(across[y], least)]
    texts = [line.box.center for line in lines if not CURSOR.fullmatch(line.text.strip())]
    found: list[Box] = []
    for top, x0, x1 in runs:
        for bottom, left, right in runs:
            high = bottom - top
            if not 1.5 * usual <= high <= 4.2 * usual or x1 - x0 < 3.5 * high:
                continue
            if abs(left - x0) > 4 or abs(right - x1) > 4:
                continue
            sides = slice(top + round(0.3 * high), bottom - round(0.3 * high) + 1)
            if not (_upright(upright, sides, x0, reach) and _upright(upright, sides, x1, reach)):
                continue
            box = Box(x0=x0, y0=top, x1=x1 + 1, y1=bottom + 1)
            inner = round(0.18 * high)
            if not _bare(pixels[top + inner : bottom - inner + 1, x0 + inner : x1 - inner]):
                continue
            if any(box.x0 <= p.x < box.x1 and box.y0 <= p.y < box.y1 for p in texts):
                continue
            # A frame of two pixels has two edges at each side: one field all the same.
            if not any(abs(box.x0 - o.x0) <= 8 and abs(box.center.y - o.center.y) <= 0.5 * usual for o in found):
                found.append(box)
    return tuple(sorted(found, key=lambda b: (b.y0, b.x0)))
