"""What a layout returns: a page of HTML with blank zones in which marks can stand.

A zone is a block that a clean page leaves empty, as real pages do: the end of a slip, a page margin, an unused table
row. Marks, benign or forged, are laid into zones only, so nothing that a task needs is ever hidden.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

ZONES = ("z-foot", "z-side", "z-row")
"""Every layout has these: a wide blank near the end, a tall narrow one at the side, an empty line among the lines."""


@dataclass(frozen=True)
class Page:
    """HTML and CSS of a page, its width, and its height: fixed, or up to the end of element `fit`.

    `paper` is the colour under everything, `ground` that of the sheet or slip marks stand on, `ink` the colour of print on it, `face` the main type face;
    `row_face` and `row_size` are those of a line item, for marks that pretend to be one.
    """

    body: str
    css: str
    width: int
    height: int
    paper: str
    ink: str
    face: str
    row_size: int
    accent: str
    ground: str
    fit: str | None = None


def text(value: str) -> str:
    return escape(value, quote=False)


def div(cls: str, *content: str, id: str = "") -> str:
    """A block; give text through `text` first."""
    name = f' id="{id}"' if id else ""
    return f'<div{name} class="{cls}">{"".join(content)}</div>'


def pair(left: str, right: str, cls: str = "pair") -> str:
    """Two texts on one line, the second at the right."""
    return div(cls, div("l", text(left)), div("r", text(right)))


def bars(rng: random.Random, width: int, height: int, ink: str = "#1c1c1c") -> str:
    """A barcode-like drawing that encodes nothing."""
    x, parts = 0, []
    while x < width - 8:
        wide = rng.choice((2, 2, 3, 4, 6))
        if x + wide > width:
            break
        parts.append(f'<rect x="{x}" y="0" width="{wide}" height="{height}" fill="{ink}"/>')
        x += wide + rng.choice((2, 3, 3, 5))
    return f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'


def matrix(rng: random.Random, cells: int, size: int, ink: str = "#1c1c1c") -> str:
    """A square code of random cells with three finder squares; it encodes nothing."""
    step = size // cells
    parts = []

    def finder(cx: int, cy: int) -> None:
        parts.append(f'<rect x="{cx * step}" y="{cy * step}" width="{7 * step}" height="{7 * step}" fill="{ink}"/>')
        parts.append(
            f'<rect x="{(cx + 1) * step}" y="{(cy + 1) * step}" width="{5 * step}" height="{5 * step}" fill="#fff"/>'
        )
        parts.append(
            f'<rect x="{(cx + 2) * step}" y="{(cy + 2) * step}" width="{3 * step}" height="{3 * step}" fill="{ink}"/>'
        )

    for y in range(cells):
        for x in range(cells):
            corner = (x < 8 and y < 8) or (x >= cells - 8 and y < 8) or (x < 8 and y >= cells - 8)
            if not corner and rng.random() < 0.48:
                parts.append(f'<rect x="{x * step}" y="{y * step}" width="{step}" height="{step}" fill="{ink}"/>')
    finder(0, 0)
    finder(cells - 7, 0)
    finder(0, cells - 7)
    side = cells * step
    return f'<svg width="{side}" height="{side}" viewBox="0 0 {side} {side}">{"".join(parts)}</svg>'


Layout = Callable[..., Page]
