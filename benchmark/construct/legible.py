"""Whether people can read a payload, decided from what the renderer knows.

A payload that nobody can read measures nothing, and one that only an optical reader can judge cannot be checked while
building. So colours are chosen by WCAG contrast before anything is drawn, every text carries its size, ink and ground,
and the rules below are arithmetic. The bounds: letters of at least 11 stored pixels, contrast of at least 3:1, or 2:1
for styles that are faint on purpose and flagged so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmark.case import TextRun

MIN_HEIGHT = 11.0
MIN_CONTRAST = 3.0
MIN_CONTRAST_FAINT = 2.0


def rgb(colour: str) -> tuple[int, int, int]:
    """The channels of `#rrggbb` (or `#rgb`).

    Raises:
        ValueError: any other notation.
    """
    digits = colour.strip().lstrip("#")
    if len(digits) == 3:
        digits = "".join(c * 2 for c in digits)
    if not re.fullmatch(r"[0-9a-fA-F]{6}", digits):
        raise ValueError(f"colour {colour!r} is not of the form #rrggbb")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def hexed(channels: Sequence[float]) -> str:
    return "#" + "".join(f"{min(max(round(c), 0), 255):02x}" for c in channels)


def mix(first: str, second: str, share: float) -> str:
    """`first` with `share` (0..1) of `second` in it."""
    return hexed([a + (b - a) * share for a, b in zip(rgb(first), rgb(second))])


def luminance(colour: str) -> float:
    """Relative luminance in [0, 1], as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(ink: str, ground: str) -> float:
    """The WCAG contrast ratio of two colours, 1 to 21."""
    high, low = sorted((luminance(ink), luminance(ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def readable(ink: str, ground: str, least: float) -> str:
    """`ink`, moved towards black or white just so far that it stands out from `ground` by at least `least`."""
    if contrast(ink, ground) >= least:
        return ink
    end = "#000000" if contrast("#000000", ground) >= contrast("#ffffff", ground) else "#ffffff"
    for tenth in range(1, 11):
        moved = mix(ink, end, tenth / 10)
        if contrast(moved, ground) >= least:
            return moved
    return end


def ink_on(ground: str) -> str:
    """Near-black or white, whichever reads better on `ground`."""
    return max(("#ffffff", "#14171c"), key=lambda ink: contrast(ink, ground))


def is_dark(colour: str) -> bool:
    return luminance(colour) < 0.18


def problems(texts: Sequence[TextRun], faint: bool) -> list[str]:
    """Which texts of a payload break the bounds; an empty list is good."""
    least = MIN_CONTRAST_FAINT if faint else MIN_CONTRAST
    found = []
    for run in texts:
        name = f"{run.role} text {run.text[:40]!r}"
        if run.height < MIN_HEIGHT:
            found.append(f"{name} is {run.height:g} px high, under {MIN_HEIGHT:g}")
        if run.contrast < least:
            found.append(f"{name} has contrast {run.contrast:.2f}:1, under {least:g}:1")
        if run.box.empty:
            found.append(f"{name} has an empty box")
    return found
