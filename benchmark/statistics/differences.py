"""Two conditions on the same cases: the difference, its interval and test, a table of tests, and what n can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from benchmark.statistics.rates import Part, combine, design_effect_of, jackknife_variance
from benchmark.statistics.sampling import (
    RESAMPLES,
    Array,
    InvalidSample,
    Labels,
    Values,
    by_domain,
    cluster_sums,
    codes_of,
    count_clusters,
    generator,
    sum_by,
    t_quantile,
    with_gaps,
)

EXACT_SUPPORT = 2**16
SIGN_DRAWS = 100_000


@dataclass(frozen=True)
class Difference:
    """Mean of a minus mean of b over complete pairs, with interval and two-sided p-value.

    `left_out` counts pairs with a missing side. `exact` says whether the permutation distribution was counted or
    drawn. `discordance` is the mean squared difference within a pair: with values 0 and 1, the share of pairs that
    differ. Without an estimate, or with one cluster, the interval is [-1, 1].
    """

    estimate: float | None
    low: float
    high: float
    p_value: float | None
    n_pairs: int
    left_out: int
    clusters: int
    exact: bool
    method: str
    discordance: float | None
    design_effect: float | None


@dataclass(frozen=True)
class McNemar:
    """Exact two-sided McNemar test; it takes every case for a stranger to every other."""

    b01: int
    b10: int
    p_value: float
    assumption: str = "assumes independent cases"


def paired_difference(
    a: Values,
    b: Values,
    clusters: Labels,
    seed: int | str = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Difference:
    """Mean of `a` minus mean of `b` over the same cases.

    Interval: bootstrap over clusters, its deviations stretched for few clusters, and never narrower than the interval
    of Agresti and Min on the effective number of pairs. Test: under no difference the sign of a whole cluster's sum is
    a coin toss; the distribution of the total over all sign patterns is counted exactly while it has at most 2^16
    distinct values (always with 16 clusters that differ, mostly with any number when the values are 0 and 1), else
    drawn 100,000 times, the observed pattern counted in.

    Args:
        a: one number in [0, 1] per case, None or NaN where it is not scored.
        b: the same cases under the other condition.
        clusters: one label per case.
        seed: of the resampling and of the drawn signs.
        resamples: number of bootstrap resamples.
        level: coverage aimed at.
    """
    return paired_macro_difference(a, b, [""] * len(a), clusters, seed, resamples, level)


def paired_macro_difference(
    a: Values,
    b: Values,
    domains: Labels,
    clusters: Labels,
    seed: int | str = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Difference:
    """Unweighted mean over domains of the paired differences; clusters are resampled, and flipped, within domains.

    There is no estimate as soon as a domain has no complete pair. Arguments as in `paired_difference` and `macro`.
    """
    left, has_left = with_gaps(a)
    right, has_right = with_gaps(b)
    if len(left) != len(right):
        raise InvalidSample(
            f"{len(left)} values of a against {len(right)} of b: pairs need the same cases on both sides"
        )
    present = has_left & has_right
    d = np.where(present, left - right, 0.0)
    names, groups = by_domain(domains, len(d))
    codes = codes_of(clusters, len(d))
    parts: list[Part] = []
    flips: list[Array] = []
    designs: list[float | None] = []
    for name, rows in zip(names, groups):
        rows = rows & present
        if not rows.any():
            break
        sums, sizes = cluster_sums(d[rows], codes[rows])
        low, high, design = _agresti_min(d[rows], sums, sizes, level)
        parts.append(Part(name, sums, sizes, low, high))
        # Sums of one domain are whole numbers, which are counted fastest; a common divisor changes no test.
        flips.append(sums / sizes.sum() if len(names) > 1 else sums)
        designs.append(design)
    n, count = int(present.sum()), count_clusters(codes, groups, present)
    if len(parts) < len(names) or not parts:
        return Difference(None, -1.0, 1.0, None, n, len(d) - n, count, False, "no complete pairs", None, None)
    estimate, low, high = combine(parts, seed, resamples, level)
    p_value, exact = sign_flip(flips, seed)
    return Difference(
        estimate=estimate,
        low=max(-1.0, low),
        high=min(1.0, high),
        p_value=p_value,
        n_pairs=n,
        left_out=len(d) - n,
        clusters=count,
        exact=exact,
        method="bootstrap over clusters; cluster sign flips, " + ("counted" if exact else f"{SIGN_DRAWS:,} drawn"),
        discordance=float(np.mean(d[present] ** 2)),
        design_effect=designs[0] if len(parts) == 1 else None,
    )


def _agresti_min(d: Array, sums: Array, sizes: Array, level: float) -> tuple[float, float, float | None]:
    """Closed-form interval of a mean paired difference on the effective number of pairs, and their design effect.

    Half a squared quantile of pairs is added, split evenly over the two ways to differ, so that pairs which never
    differ do not claim to be sure of it.
    """
    mean, n, count = float(sums.sum() / sizes.sum()), len(d), len(sums)
    if count == 1:
        return -1.0, 1.0, None
    square = float(np.mean(d**2))
    design = design_effect_of(
        variance=jackknife_variance(sums, sizes),
        spread=square - mean * mean,
        size=float(n),
        alike=float(sizes @ sizes / n),
        hits=n * square,
    )
    quantile, effective = t_quantile(level, count - 1), n / design
    added = quantile * quantile / 2
    centre = mean * effective / (effective + added)
    second = (square * effective + added) / (effective + added)
    half = quantile * math.sqrt(max(0.0, second - centre * centre) / (effective + added))
    return max(-1.0, min(mean, centre - half)), min(1.0, max(mean, centre + half)), design


def sign_flip(groups: Sequence[Sequence[float] | Array], seed: int | str = 0) -> tuple[float, bool]:
    """Two-sided p-value of the total of all sums under random signs, and whether it was counted exactly.

    Sums of the same size are interchangeable, so the distribution is put together from one binomial for each distinct
    size, equal totals merged on the way. Where it grows beyond 2^16 values, totals are drawn from its pieces.

    Args:
        groups: cluster sums, those that share a unit (the clusters of one domain) together.
        seed: of the drawing.
    """
    lengths = [len(group) for group in groups]
    total = _comparable(np.concatenate([np.asarray(group, dtype=np.float64) for group in groups] or [np.zeros(0)]))
    # Float sums of the same terms in another order differ in their last digits; such totals count as equal.
    reached = abs(float(total.sum())) - 1e-7
    pieces: list[_Totals] = []
    for group in np.split(total, np.cumsum(lengths)[:-1]):
        sizes, multiples = np.unique(np.abs(group[group != 0]), return_counts=True)
        pieces += _folded([_signed(float(size), int(multiple)) for size, multiple in zip(sizes, multiples)])
    pieces = _folded(pieces)
    if not pieces:
        return 1.0, True
    if len(pieces) == 1:
        values, chances = pieces[0]
        return min(1.0, float(chances[np.abs(values) >= reached].sum())), True
    random = generator(f"{seed}:signs")
    drawn = np.zeros(SIGN_DRAWS)
    for values, chances in pieces:
        # As many independent draws, but by how often each total falls: far faster than one by one.
        drawn += random.permutation(np.repeat(values, random.multinomial(SIGN_DRAWS, chances / chances.sum())))
    return (1 + int(np.count_nonzero(np.abs(drawn) >= reached))) / (SIGN_DRAWS + 1), False


_Totals = tuple[Array, Array]
"""Possible totals, in order, and their chances."""


def _comparable(sums: Array) -> Array:
    """The sums made such that equal ones are equal: whole where a small factor makes them so, else rounded.

    Values are k-ths of k repeats, so mostly there is such a factor, and totals stay few enough to be counted.
    """
    for factor in range(1, 61):
        whole = np.rint(sums * factor)
        if np.abs(sums * factor - whole).max(initial=0.0) < 1e-7:
            return np.asarray(whole, dtype=np.float64)
    return np.asarray(np.round(sums / np.abs(sums).max(), 12), dtype=np.float64)


def _signed(size: float, multiple: int) -> _Totals:
    """Totals of so many sums of one size under random signs: a binomial."""
    ups = np.arange(multiple + 1)
    ways = special.gammaln(multiple + 1) - special.gammaln(ups + 1) - special.gammaln(multiple - ups + 1)
    chances = np.exp(ways - multiple * math.log(2))
    return np.asarray(size * (2.0 * ups - multiple), dtype=np.float64), np.asarray(chances, dtype=np.float64)


def _folded(pieces: Sequence[_Totals]) -> list[_Totals]:
    """Adds independent totals up, each to the one before it, as long as the sum has few enough values."""
    folded: list[_Totals] = []
    for values, chances in pieces:
        if folded and len(folded[-1][0]) * len(values) <= 4 * EXACT_SUPPORT:
            sums = np.add.outer(folded[-1][0], values).ravel()
            joint = np.multiply.outer(folded[-1][1], chances).ravel()
            support, place = np.unique(np.round(sums, 9), return_inverse=True)
            if len(support) <= EXACT_SUPPORT:
                folded[-1] = np.asarray(support, dtype=np.float64), sum_by(place.ravel(), joint)
                continue
        folded.append((values, chances))
    return folded


def mcnemar(b01: int, b10: int) -> McNemar:
    """Exact McNemar test from the two discordant counts; 1 when there are none."""
    if b01 < 0 or b10 < 0:
        raise InvalidSample(f"discordant counts cannot be negative: {b01}, {b10}")
    p = min(1.0, 2 * float(special.bdtr(min(b01, b10), b01 + b10, 0.5))) if b01 + b10 else 1.0
    return McNemar(b01, b10, p)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values, in the order given. None (no test was possible) stays None and does not count."""
    tested = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, i) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - rank)))
        adjusted[i] = highest
    return adjusted


def power_of(
    difference: float, n: int, clusters: int, deff: float, discordance: float, level: float = 0.95
) -> float | None:
    """Chance to find a true paired difference, from the t statistic of its mean at `clusters` - 1 degrees of freedom.

    Args:
        difference: true mean difference, at most `discordance` in size.
        n: number of pairs.
        clusters: number of clusters they fall into.
        deff: design effect of the differences.
        discordance: share of pairs that differ.
        level: 1 minus the size of the two-sided test.

    Returns:
        The power, or None with fewer than two clusters.

    Raises:
        InvalidSample: the difference exceeds the discordance, or a count or share is out of range.
    """
    _check_design(n, deff, discordance)
    if abs(difference) > discordance:
        raise InvalidSample(
            f"a difference of {difference} needs at least that share of discordant pairs: {discordance}"
        )
    if clusters < 2:
        return None
    error = math.sqrt((discordance - difference**2) * max(1.0, deff) / n)
    if error == 0.0:
        return 1.0 if difference else 0.0
    shift = abs(difference) / error
    critical = t_quantile(level, clusters - 1)
    return float(special.stdtr(clusters - 1, shift - critical) + special.stdtr(clusters - 1, -shift - critical))


def detectable_difference(
    n: int, clusters: int, deff: float, discordance: float, power: float = 0.8, level: float = 0.95
) -> float | None:
    """The smallest true paired difference that is found with chance `power`; arguments as in `power_of`.

    Returns:
        The difference, or None when no difference that this discordance allows would be found, or with one cluster.
    """
    _check_design(n, deff, discordance)
    if not 0.5 <= power < 1:
        raise InvalidSample(f"power must lie in [0.5, 1), not {power}")
    if clusters < 2 or discordance == 0:
        return None
    reach = t_quantile(level, clusters - 1) + float(special.stdtrit(clusters - 1, power))
    share = reach**2 * max(1.0, deff) / n
    found = math.sqrt(share * discordance / (1 + share))
    return found if found <= discordance else None


def _check_design(n: int, deff: float, discordance: float) -> None:
    if n < 1 or not deff > 0 or not 0 <= discordance <= 1:
        raise InvalidSample(
            f"n={n}, deff={deff}, discordance={discordance}: n must be 1 or more, deff positive, discordance in [0, 1]"
        )
