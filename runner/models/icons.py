"""Where icons, switches and swatches are: small drawn things on a screen that are no text.

Found by their edges alone; what an icon means is not known. Lengths follow the usual letter height of the screen, so
that a phone at three-fold density is read like a desktop.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from PIL import Image

from benchmark.case import Box
from runner.reading.lines import Line

EDGE = 26
LEAST, THIN, MOST = 0.7, 0.15, 3.6


def is_sign(text: str) -> bool:
    """Whether what was read is rather a drawn thing: one letter, or two characters that are neither letter nor figure."""
    if len(text) == 1:
        return not text.isdigit()
    return len(text) == 2 and not re.search(r"[A-Za-z0-9]", text)


def icons(image: Image.Image, lines: Sequence[Line]) -> tuple[Box, ...]:
    """Boxes of small drawn things, in image pixels, top to bottom.

    Args:
        image: RGB pixels.
        lines: what was read on it; their places are left out.
    """
    from scipy import ndimage

    if not lines:
        return ()
    heights = sorted(line.height_px for line in lines)
    usual = max(8.0, heights[len(heights) // 2])
    grey = np.asarray(image.convert("L"), np.int16)
    edges = np.zeros(grey.shape, bool)
    edges[:, 1:] |= np.abs(np.diff(grey, axis=1)) > EDGE
    edges[1:, :] |= np.abs(np.diff(grey, axis=0)) > EDGE
    for line in lines:
        edges[max(0, line.box.y0 - 2) : line.box.y1 + 2, max(0, line.box.x0 - 2) : line.box.x1 + 2] = False
    reach = max(1, round(usual / 5))
    # A square of ones, one axis after the other: the same pixels at a tenth of the cost.
    joined = edges.astype(np.uint8)
    for axis in (0, 1):
        joined = ndimage.maximum_filter1d(joined, 2 * reach + 1, axis=axis, mode="constant")
    labels, _ = ndimage.label(joined)
    found = []
    for rows, columns in ndimage.find_objects(labels):
        box = Box(x0=columns.start + reach, y0=rows.start + reach, x1=columns.stop - reach, y1=rows.stop - reach) if (
            columns.stop - columns.start > 2 * reach and rows.stop - rows.start > 2 * reach
        ) else None  # fmt: skip
        if box is None:
            continue
        width, height = box.width / usual, box.height / usual
        if max(width, height) >= LEAST and min(width, height) >= THIN and max(width, height) <= MOST:
            found.append(box)
    # A cross, three dots or a pair of arrows are read as letters or signs; alone they are icons all the same.
    found += [line.box for line in lines if is_sign(line.text.strip())]
    return tuple(sorted(found, key=lambda b: (b.y0, b.x0)))
