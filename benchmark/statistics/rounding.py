"""Percentages as the tables print them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from benchmark.statistics.sampling import InvalidSample


def percent(k: float | Fraction, n: int) -> Decimal | None:
    """`k` of `n` in percent with two decimals, halves rounded up: 88 of 200 is `44.00`, 1 of 32 (3.125) is `3.13`.

    The quotient is taken exactly and rounded once, in decimal; a binary float is never formatted. A `k` that is not
    whole (repeats averaged) is first taken to the nearest fraction with a denominator up to a million. Means and gaps
    of a table are computed *from its rounded cells*, as its reader would: `mean_percent(cells)`, and plain subtraction
    for a gap (78.95 - 42.58 = 36.37). None when n is 0.

    Raises:
        InvalidSample: k is negative or exceeds n.
    """
    exact = k if isinstance(k, Fraction) else Fraction(k).limit_denominator(1_000_000)
    if n < 0 or not 0 <= exact <= n:
        raise InvalidSample(f"{k} of {n} is not a share; k must lie between 0 and n")
    return _half_up(exact * 100 / n) if n else None


def mean_percent(cells: Sequence[Decimal | None]) -> Decimal | None:
    """Unweighted mean of rounded cells, two decimals, halves rounded up; None when there are none or one is None."""
    known = [cell for cell in cells if cell is not None]
    if not known or len(known) < len(cells):
        return None
    return _half_up(sum((Fraction(cell) for cell in known), Fraction(0)) / len(known))


def _half_up(value: Fraction) -> Decimal:
    return Decimal(math.floor(value * 100 + Fraction(1, 2))).scaleb(-2)
