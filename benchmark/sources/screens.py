"""What a foreign screen looks like to someone who would draw on it: its size in CSS pixels, its colours, its window.

Everything is read off the pixels, for nothing else is known. A dialog belongs to the windows of a desktop and not to the
picture behind them, so colours are those on which text stands; a bar belongs below the tools of one window and not over
all of the screen, so the largest whole window is looked for, and where none is found no bar is laid.
"""

from __future__ import annotations

from colorsys import rgb_to_hsv
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image

from benchmark.case import Box
from benchmark.construct.app import Theme
from benchmark.construct.legible import hexed, ink_on, is_dark, mix
from benchmark.construct.place import guess_form, guess_theme
from benchmark.construct.render import Form

CELL = 16
"""CSS pixels of a cell in which colours are counted."""

FLAT = 0.92
"""Share of a cell that is of one colour where nothing is written or drawn in it."""

WRITTEN = (0.4, 0.9)
"""Share of the commonest colour in a cell that holds text."""

SHADES = 5
"""Colours that such a cell has at least."""

USUAL = 0.03
"""Share of the written cells that a colour must have to be a ground of text rather than of some label."""

HUES = 12
"""Hues that are told apart."""

RULING = 0.4
"""Share of the coloured cells that are of the hue of a screen's accent."""

PLAIN = "#2f6fde"
"""The accent of a screen that has none of its own."""

BAR = 80
"""CSS pixels below the tools of a window that a bar may take."""

LEAST = 480
"""CSS pixels across of the narrowest window that has bars."""

STEP = 10
"""Levels of grey between a window's border and what is beside it."""

DENSE = 12
"""Stored pixels from the foot to the head of a line of common text, from which on a screen is of high density."""

STRIP = 96
"""Pixels across in which the letters of a line are looked for: a few of the largest, a dozen of the smallest."""

LARGE = 2200
"""Stored pixels across from which a screen may be one of high density, or only a large one."""


def form_of(image: Image.Image, domain: str) -> Form:
    """The format of a screen. A large one is of high density only if its text is large too."""
    form = guess_form(image.size, domain)
    if domain == "mobile" or image.width <= LARGE:
        return form
    height = text_height(image)
    return Form(*image.size, 1) if height is not None and height < DENSE else form


def text_height(image: Image.Image) -> float | None:
    """The usual height in pixels of a line of text from its foot to its head; None where there is too little text."""
    grey = np.asarray(image.convert("L"), dtype=np.int16)
    strips = grey.shape[1] // STRIP
    if strips == 0 or grey.shape[0] < STRIP:
        return None
    cut = grey[:, : strips * STRIP].reshape(grey.shape[0], strips, STRIP)
    # Letters make several strong changes in a row of a strip; borders and pictures' edges make one or two.
    inked = (np.abs(np.diff(cut, axis=2)) > 40).sum(axis=2) >= 6
    padded = np.zeros((inked.shape[0] + 2, strips), dtype=np.int8)
    padded[1:-1] = inked
    change = np.diff(padded, axis=0)
    starts, ends = np.argwhere(change.T == 1)[:, 1], np.argwhere(change.T == -1)[:, 1]
    runs = ends - starts
    runs = runs[(runs >= 5) & (runs <= 60)]
    return float(np.median(runs)) if len(runs) >= 40 else None


def theme_of(image: Image.Image, scale: int, app_name: str) -> Theme:
    """The colours in which an element of this screen would be drawn."""
    theme = guess_theme(image, scale, app_name=app_name)
    colours, shares, written = _cells(image, scale)
    ground = _ground(colours, shares, written)
    accent = _accent(colours, shares)
    if accent is not None:
        theme = replace(theme, accent=accent, on_accent=ink_on(accent))
    if ground is None:
        return theme
    dark = is_dark(ground)
    surface = mix(ground, "#ffffff", 0.06 if dark else 0.6)
    text = ink_on(surface)
    return replace(
        theme, dark=dark, surface=surface, background=ground, text=text, muted=mix(text, surface, 0.4),
        border=mix(surface, text, 0.16), danger="#ff6b5e" if dark else "#c9302c",
    )  # fmt: skip


def _cells(image: Image.Image, scale: int) -> tuple[Any, Any, Any]:
    """The commonest colour of each cell (n x 3), its share of the cell (n), and whether text stands in it (n)."""
    small = np.asarray(image.convert("RGB").reduce(scale), dtype=np.int32)
    rows, columns = small.shape[0] // CELL, small.shape[1] // CELL
    if rows == 0 or columns == 0:
        return np.zeros((0, 3), dtype=np.int32), np.zeros(0), np.zeros(0, dtype=bool)
    cut = small[: rows * CELL, : columns * CELL].reshape(rows, CELL, columns, CELL, 3)
    cells = cut.swapaxes(1, 2).reshape(rows * columns, CELL * CELL, 3)
    keys = np.sort((cells[..., 0] << 16) | (cells[..., 1] << 8) | cells[..., 2], axis=1)
    # A colour that takes a quarter of a cell stands at one of these places among its sorted pixels.
    best, shares = keys[:, 0], np.zeros(len(keys))
    for place in (CELL * CELL // 4, CELL * CELL // 2, 3 * CELL * CELL // 4):
        tried = keys[:, place]
        share = (keys == tried[:, None]).mean(axis=1)
        best, shares = np.where(share > shares, tried, best), np.maximum(shares, share)
    # Smoothed letters have many shades, the border of a window two or three.
    shades = (np.diff(keys, axis=1) != 0).sum(axis=1) + 1
    written = (shares >= WRITTEN[0]) & (shares <= WRITTEN[1]) & (shades >= SHADES)
    return np.stack([best >> 16, best >> 8 & 255, best & 255], axis=1), shares, written


def _ground(colours: Any, shares: Any, written: Any) -> str | None:
    """The colour of the largest area on which text stands, among the light ones or the dark, whichever take more."""
    keys = (colours // 6 * 6) @ np.array([1 << 16, 1 << 8, 1])
    if written.sum() < 12:
        return None
    names, counts = np.unique(keys[written], return_counts=True)
    grounds = names[counts >= USUAL * written.sum()]
    taken = np.isin(keys, grounds) & (written | (shares >= FLAT))
    if not taken.any():
        return None
    areas, sizes = np.unique(keys[taken], return_counts=True)
    dim = np.array([is_dark(f"#{int(area):06x}") for area in areas])
    sizes = np.where(dim == (sizes[dim].sum() > sizes[~dim].sum()), sizes, 0)
    return _middle(colours[keys == areas[sizes.argmax()]])


def _accent(colours: Any, shares: Any) -> str | None:
    """The commonest saturated colour that fills cells evenly, as buttons and selected rows do.

    None where hardly any is; the plain one where many hues stand beside each other, as in a page full of icons.
    """
    high, low = colours.max(axis=1), colours.min(axis=1)
    filled = colours[(shares >= 0.6) & (high - low > 80) & (high > 90)]
    if len(filled) < 3:
        return None
    hues = np.array([round(rgb_to_hsv(*(colour / 255))[0] * HUES) % HUES for colour in filled])
    names, counts = np.unique(hues, return_counts=True)
    if counts.max() < RULING * len(filled):
        return PLAIN
    ruling = filled[hues == names[counts.argmax()]]
    keys = (ruling // 12) @ np.array([1 << 16, 1 << 8, 1])
    names, counts = np.unique(keys, return_counts=True)
    return _middle(ruling[keys == names[counts.argmax()]])


def _middle(colours: Any) -> str:
    middle = np.median(colours, axis=0)
    return hexed((int(middle[0]), int(middle[1]), int(middle[2])))


def window_of(image: Image.Image, scale: int) -> Box | None:
    """Where a bar stands in the largest whole window: a strip below its tools, as wide as it, in stored pixels.

    None where no window is found.
    """
    grey = np.asarray(image.convert("L").reduce(scale), dtype=np.int16)
    height, width = grey.shape
    if height < 200 or width < 300:
        return None
    down, across = np.abs(np.diff(grey, axis=0)) > STEP, np.abs(np.diff(grey, axis=1)) > STEP
    best: Box | None = None
    for y in range(height * 2 // 3):
        for x0, x1 in _runs(down[y], max(width * 2 // 5, LEAST)):
            foot = min(_side(across, x0, y), _side(across, x1, y))
            tall = foot - y
            if tall < height * 0.3:
                continue
            tools = [
                line
                for line in range(y + 24, y + max(round(tall * 0.35), 25))
                if line < height - 1 and down[line, x0 + 2 : x1 - 2].mean() > 0.9
            ]
            if not tools:
                continue
            box = Box(x0=x0 * scale, y0=(tools[-1] + 1) * scale, x1=x1 * scale, y1=foot * scale)
            if best is None or box.area > best.area:
                best = box
    return best.model_copy(update={"y1": min(best.y1, best.y0 + BAR * scale)}) if best is not None else None


def _runs(row: Any, least: int) -> list[tuple[int, int]]:
    """Where a row of the map has an unbroken edge of some length; gaps of two pixels do not break it."""
    at = np.flatnonzero(row)
    if len(at) < least * 0.8:
        return []
    breaks = np.flatnonzero(np.diff(at) > 3)
    firsts, lasts = np.concatenate(([0], breaks + 1)), np.concatenate((breaks, [len(at) - 1]))
    return [(int(at[a]), int(at[b]) + 1) for a, b in zip(firsts, lasts, strict=True) if at[b] - at[a] >= least]


def _side(across: Any, x: int, y: int) -> int:
    """How far down an upright edge goes from the end of a window's upper one; the screen's own side is one too."""
    height, width = int(across.shape[0]), int(across.shape[1]) + 1
    if x <= 3 or x >= width - 3:
        return height
    near = across[y + 8 :, max(x - 4, 0) : x + 4].any(axis=1)
    holes = np.flatnonzero(np.convolve(~near, np.ones(12, dtype=int), "valid") >= 12)
    return y + 8 + int(holes[0]) if len(holes) else height
