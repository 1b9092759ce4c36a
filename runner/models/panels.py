"""Which panel a piece of text stands on: the connected patch of one colour behind it.

Dialogs, cards and drawers are patches of their own colour on a screen. Their extent tells a victim what belongs
together: a demand, its buttons and the icons beside them lie on one patch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from benchmark.case import Box
from runner.reading.lines import Line

STEP = 4
NEAR = 5


def panels(image: Image.Image, lines: Sequence[Line]) -> tuple[Box, ...]:
    """For each line the box of the patch it stands on, in image pixels; its own box where none is found.

    Args:
        image: RGB pixels.
        lines: what was read on it.
    """
    from scipy import ndimage

    pixels = np.asarray(image.convert("RGB"), np.int16)[::STEP, ::STEP]
    height, width = pixels.shape[:2]
    patches: dict[tuple[int, int, int], tuple[np.ndarray[tuple[int, ...], np.dtype[np.int32]], list[Box]]] = {}
    found = []
    for line in lines:
        if line.ground not in patches:
            alike = np.abs(pixels - np.asarray(line.ground, np.int16)).max(axis=2) <= NEAR
            # Letters and icons make holes and islands; a patch is one through gaps of a sampled pixel.
            labels, _ = ndimage.label(ndimage.binary_closing(alike, np.ones((3, 3), bool), border_value=0) | alike)
            boxes = [
                Box(x0=c.start * STEP, y0=r.start * STEP, x1=c.stop * STEP, y1=r.stop * STEP)
                for r, c in ndimage.find_objects(labels)
            ]
            patches[line.ground] = labels, boxes
        labels, boxes = patches[line.ground]
        rim = 2
        x0, x1 = max(0, line.box.x0 // STEP - rim), min(width, line.box.x1 // STEP + rim + 1)
        y0, y1 = max(0, line.box.y0 // STEP - rim), min(height, line.box.y1 // STEP + rim + 1)
        around = labels[y0:y1, x0:x1]
        present = around[around > 0]
        found.append(boxes[int(np.bincount(present).argmax()) - 1] if present.size else line.box)
    return tuple(found)
