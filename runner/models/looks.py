"""What a screen holds besides text: icons with their meaning, empty fields, and the panels that text stands on.

Looked for once per image where a folder keeps what was found, as for readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark.case import Box
from benchmark.images import read_rgb
from runner.models.fields import fields
from runner.models.iconography import Mark, named, words_of
from runner.models.icons import icons
from runner.models.panels import panels
from runner.reading import Line
from runner.reading.kept import Kept

LOOK_VERSION = "1"
"""Raised whenever the same pixels and lines yield other marks or panels."""

Look = tuple[tuple[Mark, ...], tuple[Box, ...]]


def look(path: Path, lines: Sequence[Line]) -> Look:
    """The marks on an image, and for each line the panel it stands on."""
    image = read_rgb(path)
    empty = tuple(Mark(box, "field") for box in fields(image, lines))
    return named(image, icons(image, lines)) + empty, panels(image, lines)


def _stored(found: Look) -> Any:
    marks, patches = found
    return {"marks": [[*_corners(m.box), m.name] for m in marks], "panels": [_corners(box) for box in patches]}


def _corners(box: Box) -> list[int]:
    return [box.x0, box.y0, box.x1, box.y1]


def _box(corners: Sequence[int]) -> Box:
    x0, y0, x1, y1 = corners
    return Box(x0=x0, y0=y0, x1=x1, y1=y1)


def _load(stored: Any) -> Look:
    marks = tuple(Mark(_box(corners), name, words_of(name)) for *corners, name in stored["marks"])
    return marks, tuple(_box(corners) for corners in stored["panels"])


class Looks:
    """Looks at images, each once.

    Args:
        cache: folder of what was found; None keeps nothing.
        reading: the fingerprint of the reader whose lines these looks go with.
    """

    def __init__(self, cache: Path | None, reading: str) -> None:
        self._kept = None if cache is None else Kept(cache, f"looks {LOOK_VERSION}\n{reading}", _load)

    def at(self, path: Path, pixels: str, lines: Sequence[Line]) -> Look:
        """What the image holds; `pixels` is the hash of its pixels, `lines` what was read on it."""
        if self._kept is None:
            return look(path, lines)
        found = self._kept.get(pixels)
        if found is None or len(found[1]) != len(lines):
            found = look(path, lines)
            self._kept.put(pixels, _stored(found))
        return found
