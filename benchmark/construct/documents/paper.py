"""What paper, printer and scanner do to a page, in whole numbers.

A page is finished after everything stands on it, so a payload is as faded, grey, crooked and grainy as the print
around it. All arithmetic is on integers (NumPy and Pillow's lookup tables), so that the pixels are the same on every
machine. A skew is two shears in steps of a sixteenth of a pixel; boxes go through the same two shears. Grain repeats
after a small period, which no eye finds and every PNG encoder does: a noisy page stays a small file.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from benchmark.case import Box
from benchmark.construct.legible import contrast, hexed, rgb

SUBPIXELS = 16
SLOPE_UNIT = 4096
"""A slope of `s` moves a row by `s / SLOPE_UNIT` pixels for each pixel of height."""

GRAIN_PERIOD = (64, 64)
BLEED = 2
"""Pixels by which interpolation may spread an edge."""


@dataclass(frozen=True)
class Finish:
    """How a page got to the screen.

    `kind`: "digital" (untouched), "scan", "thermal" (faded print) or "copy" (grey, hard). `slope` is the skew,
    `fade` the share (of 256) by which ink is lightened, `grain` its amplitude in levels, `seed` that of dust.
    """

    kind: str
    slope: int
    fade: int
    grain: int
    seed: str


def finish_for(kind: str, rng: random.Random, seed: str) -> Finish:
    """A finish of a kind with seeded strength; skews stay under 1.3 degrees."""
    match kind:
        case "digital":
            return Finish("digital", 0, 0, 0, seed)
        case "thermal":
            return Finish(kind, rng.randint(-80, 80), rng.randint(20, 72), rng.randint(2, 4), seed)
        case "copy":
            return Finish(kind, rng.randint(-60, 60), rng.randint(0, 24), rng.randint(4, 6), seed)
        case "scan":
            return Finish(kind, rng.randint(-90, 90), rng.randint(0, 30), rng.randint(2, 5), seed)
        case _:
            raise ValueError(f"finish {kind!r} is none of digital, thermal, copy, scan")


def _curve(finish: Finish) -> list[int]:
    """The lookup table from printed to seen levels of one channel."""
    return [255 - (255 - v) * (256 - finish.fade) // 256 for v in range(256)]


def grey(channels: tuple[int, int, int]) -> int:
    """Luma as Pillow's conversion to "L" computes it."""
    red, green, blue = channels
    return (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16


def seen(colour: str, finish: Finish) -> str:
    """How a printed colour `#rrggbb` looks after the finish, grain aside."""
    channels = rgb(colour)
    if finish.kind == "copy":
        channels = (grey(channels),) * 3
    curve = _curve(finish)
    return hexed([curve[c] for c in channels])


def contrast_seen(ink: str, ground: str, finish: Finish) -> float:
    """The WCAG ratio of two printed colours as they look after the finish."""
    return contrast(seen(ink, finish), seen(ground, finish))


def finished(page: Image.Image, finish: Finish) -> Image.Image:
    """The page as the finish leaves it; size is kept."""
    if finish.kind == "digital":
        return page.convert("RGB")
    image = page.convert("RGB")
    if finish.kind == "copy":
        image = image.convert("L").convert("RGB")
    if finish.fade:
        image = image.point(_curve(finish) * 3)
    pixels = np.asarray(image, dtype=np.uint8)
    if finish.slope:
        pixels = _sheared(pixels, finish.slope)
        pixels = np.ascontiguousarray(_sheared(pixels.transpose(1, 0, 2), -finish.slope).transpose(1, 0, 2))
    return Image.fromarray(_grained(pixels, finish))


def shift(slope: int, position: int, middle: int) -> int:
    """By how many sixteenths of a pixel a line at `position` is moved by a shear around `middle`."""
    return slope * (position - middle) * SUBPIXELS // SLOPE_UNIT


def _sheared(pixels: Any, slope: int) -> Any:
    """Moves each row sideways; what comes in from outside repeats the edge pixel of the row."""
    height, width = pixels.shape[:2]
    shifts = [shift(slope, y, height // 2) for y in range(height)]
    margin = max(abs(shifts[0]), abs(shifts[-1])) // SUBPIXELS + 2
    padded = np.pad(pixels, ((0, 0), (margin, margin), (0, 0)), mode="edge")
    result = np.empty_like(pixels)
    start = 0
    while start < height:
        end = start
        while end < height and shifts[end] == shifts[start]:
            end += 1
        whole, part = divmod(shifts[start], SUBPIXELS)
        left = margin - whole
        near = padded[start:end, left : left + width].astype(np.uint16)
        far = padded[start:end, left - 1 : left - 1 + width].astype(np.uint16)
        result[start:end] = (near * (SUBPIXELS - part) + far * part + SUBPIXELS // 2) // SUBPIXELS
        start = end
    return result


def placed(box: Box, finish: Finish, width: int, height: int) -> Box:
    """Where a box of the unfinished page lies after the finish, with the pixels into which its edges may spread."""
    frame = Box(x0=0, y0=0, x1=width, y1=height)
    if not finish.slope:
        return box.intersection(frame)
    xs, ys = [], []
    for y in (box.y0, box.y1):
        dx = shift(finish.slope, y, height // 2)
        for x in (box.x0, box.x1):
            moved = x * SUBPIXELS + dx
            dy = shift(-finish.slope, moved // SUBPIXELS, width // 2)
            xs.append(moved)
            ys.append(y * SUBPIXELS + dy)
    grown = Box(
        x0=min(xs) // SUBPIXELS - BLEED,
        y0=min(ys) // SUBPIXELS - BLEED,
        x1=-(-max(xs) // SUBPIXELS) + BLEED,
        y1=-(-max(ys) // SUBPIXELS) + BLEED,
    )
    return grown.intersection(frame)


def _grained(pixels: Any, finish: Finish) -> Any:
    """Adds monochrome grain and dust, to sheets a darker border, to copies a roller's streak; all from one seed."""
    rng = random.Random(f"grain/{finish.seed}")
    height, width = pixels.shape[:2]
    across, down = GRAIN_PERIOD
    raw = np.frombuffer(rng.randbytes(across * down), dtype=np.uint8).reshape(down, across)
    tile = raw.astype(np.int16) % (2 * finish.grain + 1) - finish.grain
    change = np.tile(tile, (height // down + 1, width // across + 1))[:height, :width]
    if finish.kind != "thermal":
        for depth, level in ((26, 5), (16, 6), (8, 10)):
            change[:depth] -= level
            change[:, -depth:] -= level
    if finish.kind == "copy":
        x = rng.randrange(width // 8, width - width // 8)
        change[:, x : x + 2] -= rng.randint(14, 30)
    for _ in range(rng.randint(15, 45)):
        y, x, size = rng.randrange(height - 3), rng.randrange(width - 3), rng.choice((1, 1, 2))
        change[y : y + size, x : x + size] -= rng.randint(30, 90)
    return np.clip(pixels.astype(np.int16) + change[:, :, None], 0, 255).astype(np.uint8)


def turned(layer: Image.Image, degrees: int) -> Image.Image:
    """An RGBA layer turned counter-clockwise on a canvas that grows with it, bilinear, in whole numbers.

    Sine and cosine are rounded to 1/65536, colours are weighted by opacity, so edges do not darken.
    """
    if degrees % 360 == 0:
        return layer
    if degrees % 90 == 0:
        quarter = {90: Image.Transpose.ROTATE_90, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_270}
        return layer.transpose(quarter[degrees % 360])
    sin, cos = round(math.sin(math.radians(degrees)) * 65536), round(math.cos(math.radians(degrees)) * 65536)
    source = np.asarray(layer, dtype=np.int64)
    height, width = source.shape[:2]
    opacity = source[:, :, 3:]
    weighted = np.pad(np.concatenate([source[:, :, :3] * opacity, opacity * 255], axis=2), ((2, 2), (2, 2), (0, 0)))
    wide = (abs(cos) * width + abs(sin) * height) // 65536 + 3
    high = (abs(sin) * width + abs(cos) * height) // 65536 + 3
    y, x = np.mgrid[0:high, 0:wide].astype(np.int64)
    # Positions in 1/256 of a pixel, of pixel centres, relative to the middle of both canvases.
    dx, dy = (2 * x + 1 - wide) * 128, (2 * y + 1 - high) * 128
    sx = (cos * dx - sin * dy) // 65536 + width * 128 - 128
    sy = (sin * dx + cos * dy) // 65536 + height * 128 - 128
    inside = (sx > -512) & (sx < width * 256 + 256) & (sy > -512) & (sy < height * 256 + 256)
    sx, sy = np.where(inside, sx, -512), np.where(inside, sy, -512)
    ix, fx, iy, fy = sx // 256 + 2, (sx % 256)[:, :, None], sy // 256 + 2, (sy % 256)[:, :, None]
    ix, iy = np.clip(ix, 0, width + 2), np.clip(iy, 0, height + 2)
    upper = weighted[iy, ix] * (256 - fx) + weighted[iy, ix + 1] * fx
    lower = weighted[iy + 1, ix] * (256 - fx) + weighted[iy + 1, ix + 1] * fx
    mixed = (upper * (256 - fy) + lower * fy) // 65536
    alpha = mixed[:, :, 3:] // 255
    colour = mixed[:, :, :3] // np.maximum(alpha, 1)
    return Image.fromarray(np.clip(np.concatenate([colour, alpha], axis=2), 0, 255).astype(np.uint8), "RGBA")


def turned_box(box: Box, degrees: int, width: int, height: int) -> Box:
    """Where a box of a `width` x `height` layer lies on the canvas that `turned` returns."""
    if degrees % 360 == 0:
        return box
    sin, cos = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    if degrees % 90 == 0:
        sin, cos = round(sin), round(cos)
        wide, high = (height, width) if degrees % 180 else (width, height)
    else:
        s, c = round(sin * 65536), round(cos * 65536)
        wide, high = (abs(c) * width + abs(s) * height) // 65536 + 3, (abs(s) * width + abs(c) * height) // 65536 + 3
    corners = [(x - width / 2, y - height / 2) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    xs = [cos * x + sin * y + wide / 2 for x, y in corners]
    ys = [-sin * x + cos * y + high / 2 for x, y in corners]
    found = Box(x0=math.floor(min(xs)), y0=math.floor(min(ys)), x1=math.ceil(max(xs)), y1=math.ceil(max(ys)))
    return found.intersection(Box(x0=0, y0=0, x1=wide, y1=high))
