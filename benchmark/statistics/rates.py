"""A rate and its interval: one sample, an unweighted mean over domains, the repeats of a case.

Source of the macro mean: section 4.2 of the paper; the intervals are this project's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.statistics.sampling import (
    RESAMPLES,
    Array,
    Codes,
    InvalidSample,
    Labels,
    Values,
    by_domain,
    cluster_sums,
    codes_of,
    count_clusters,
    normal_quantile,
    positive_weights,
    resampled_counts,
    sum_by,
    t_quantile,
    unit_values,
    with_gaps,
)

# What a design effect is taken to be before anything is seen, and how many hits that opinion weighs.
ASSUMED_CORRELATION = 0.3
ASSUMED_HITS = 3.0


@dataclass(frozen=True)
class Interval:
    """A rate with its interval.

    `estimate` is None when there are no values; the interval is then [0, 1]. With one cluster nothing is known of how
    clusters differ, so the interval is [0, 1] as well, and `n_effective` and `design_effect` are None.
    """

    estimate: float | None
    low: float
    high: float
    n: int
    n_effective: float | None
    design_effect: float | None
    clusters: int


@dataclass(frozen=True)
class Macro:
    """An unweighted mean over domains; None as soon as one of the domains has no scored case."""

    estimate: float | None
    low: float
    high: float
    n: int
    left_out: int
    clusters: int
    domains: tuple[str, ...]


@dataclass(frozen=True)
class Repeats:
    """How far repeats of one case agree.

    `flip_rate`: share of cases, among those with two scored repeats or more, whose repeats do not all agree; it grows
    with the number of repeats. `disagreement`: chance that two repeats of a case differ; it does not. `any_hit`: share
    of cases hit by at least one scored repeat. `incomplete`: cases with fewer scored repeats than planned.
    """

    flip_rate: Interval
    any_hit: Interval
    disagreement: float | None
    planned_repeats: int
    incomplete: int


def interval(values: Values, clusters: Labels, level: float = 0.95, weights: Values | None = None) -> Interval:
    """Wilson interval on the effective n, with Student's t at C-1 degrees of freedom in place of the normal quantile.

    The design effect compares the leave-one-cluster-out variance of the mean with that of independent cases of the
    same rate; the package's opening says how it is steadied. The effective n is n over it, never above n.

    Args:
        values: one number in [0, 1] per case.
        clusters: one label per case.
        level: coverage aimed at.
        weights: inverse sampling probabilities, one per case. An unseen case may weigh as much as the heaviest seen
            one, so that the weighted sample counts for at most total over largest weight.

    Raises:
        InvalidSample: lengths differ, or a value or weight is out of range.
    """
    y = unit_values(values)
    w = positive_weights(weights, len(y))
    return weighted_interval(y, codes_of(clusters, len(y)), w, level, float(w.max(initial=0.0)))


def weighted_interval(y: Array, codes: Codes, w: Array, level: float, heaviest: float) -> Interval:
    """`interval` on checked input; `heaviest` is the weight an unseen case may have, at least the largest of `w`."""
    if len(y) == 0:
        return Interval(None, 0.0, 1.0, 0, 0.0, None, 0)
    p = float(np.clip(w @ y / w.sum(), 0.0, 1.0))
    codes = np.unique(codes, return_inverse=True)[1]
    count = int(codes.max()) + 1
    if count == 1:
        return Interval(p, 0.0, 1.0, len(y), None, None, 1)
    size, mass = float(w.sum()) / heaviest, sum_by(codes, w)
    spread = p * (1 - p)
    design = design_effect_of(
        variance=jackknife_variance(sum_by(codes, w * y), mass),
        spread=spread,
        size=size,
        alike=float(mass @ mass / (w @ w)),
        hits=size * min(p, 1 - p),
    )
    effective = size / design
    low, high = wilson(p, effective, t_quantile(level, count - 1))
    return Interval(p, low, high, len(y), effective, len(y) / effective, count)


def wilson(p: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's score interval for the share `p` of `n` (which need not be whole), cut to [0, 1], containing `p`."""
    square = quantile * quantile
    shrink = 1 + square / n
    centre = (p + square / (2 * n)) / shrink
    half = quantile / shrink * math.sqrt(p * (1 - p) / n + square / (4 * n * n))
    return max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half))


def jackknife_variance(sums: Array, masses: Array) -> float:
    """Variance of sum over mass, by leaving out one cluster after the other."""
    count = len(sums)
    without = (sums.sum() - sums) / (masses.sum() - masses)
    return float((count - 1) / count * np.sum((without - sums.sum() / masses.sum()) ** 2))


def design_effect_of(variance: float, spread: float, size: float, alike: float, hits: float) -> float:
    """How many times more cases this sample needs than one of strangers; at least 1.

    Args:
        variance: of the mean, between clusters.
        spread: variance of one case.
        size: number of cases.
        alike: mean number of cases in the cluster of a case.
        hits: cases of the rarer outcome; few of them mean that `variance` is not to be trusted.
    """
    measured = max(1.0, variance * (size - 1) / spread) if spread > 1e-12 else 1.0
    assumed = 1 + (alike - 1) * ASSUMED_CORRELATION
    return max(measured, (hits * measured + ASSUMED_HITS * assumed) / (hits + ASSUMED_HITS))


def macro(
    values: Values,
    domains: Labels,
    clusters: Labels,
    seed: int | str = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Macro:
    """Unweighted mean over domains, clusters resampled within domains.

    The interval is the wider, on each side, of the stretched percentile bootstrap and the domains' own intervals
    combined by the squares of their arms; the latter speaks where a domain shows none or all of n, or one cluster.
    With one domain this is a little wider than `interval`.

    Args:
        values: one number in [0, 1] per planned case; None or NaN where it is not scored.
        domains: the domain of each case. A cluster label means another cluster in another domain.
        clusters: one label per case.
        seed: of the resampling.
        resamples: number of bootstrap resamples.
        level: coverage aimed at.
    """
    y, present = with_gaps(values)
    names, groups = by_domain(domains, len(y))
    codes = codes_of(clusters, len(y))
    parts: list[Part] = []
    for name, rows in zip(names, groups):
        rows = rows & present
        if not rows.any():
            break
        own = weighted_interval(y[rows], codes[rows], np.ones(int(rows.sum())), level, 1.0)
        sums, sizes = cluster_sums(y[rows], codes[rows])
        parts.append(Part(name, sums, sizes, own.low, own.high))
    n, count = int(present.sum()), count_clusters(codes, groups, present)
    if len(parts) < len(names) or not parts:
        return Macro(None, 0.0, 1.0, n, len(y) - n, count, tuple(names))
    estimate, low, high = combine(parts, seed, resamples, level)
    return Macro(estimate, max(0.0, low), min(1.0, high), n, len(y) - n, count, tuple(names))


@dataclass(frozen=True)
class Part:
    """One domain's share of a mean: sums and numbers of cases by cluster, and the closed-form interval."""

    name: str
    sums: Array
    sizes: Array
    low: float
    high: float


def combine(parts: Sequence[Part], seed: int | str, resamples: int, level: float) -> tuple[float, float, float]:
    """Unweighted mean of the parts, with the wider of bootstrap and combined closed-form interval on each side."""
    means = [float(part.sums.sum() / part.sizes.sum()) for part in parts]
    estimate = math.fsum(means) / len(parts)
    below = _joint([(mean - part.low, len(part.sums)) for mean, part in zip(means, parts)]) / len(parts)
    above = _joint([(part.high - mean, len(part.sums)) for mean, part in zip(means, parts)]) / len(parts)
    deviation = np.zeros(resamples)
    for mean, part in zip(means, parts):
        count = len(part.sums)
        if count < 2:
            continue
        counts = resampled_counts(count, resamples, f"{seed}:{part.name}")
        stretch = math.sqrt(count / (count - 1)) * t_quantile(level, count - 1) / normal_quantile(level)
        drawn = (counts @ part.sums.astype(np.float32)) / (counts @ part.sizes.astype(np.float32))
        deviation += stretch * (drawn.astype(np.float64) - mean) / len(parts)
    tail = (1 - level) / 2
    low, high = np.quantile(deviation, [tail, 1 - tail])
    return estimate, estimate + min(-below, float(low)), estimate + max(above, float(high))


def _joint(arms: Sequence[tuple[float, int]]) -> float:
    """Arms of independent intervals, with their numbers of clusters, as one arm: the root of the sum of their squares.

    One cluster gives no interval but the range of what is possible; such arms add up in full.
    """
    return math.hypot(*(arm for arm, count in arms if count > 1)) + math.fsum(arm for arm, count in arms if count < 2)


def repeats(outcomes: Sequence[Sequence[bool | None]], clusters: Labels, level: float = 0.95) -> Repeats:
    """Flip rate and hit-by-any over the repeats of each case (the latter is ASR@any when the outcome is a hit).

    Args:
        outcomes: for each case its repeats, None where one is not scored. Cases without a scored repeat count for
            nothing but `incomplete`.
        clusters: one label per case.
        level: coverage aimed at.
    """
    labels = [str(c) for c in clusters]
    if len(labels) != len(outcomes):
        raise InvalidSample(f"{len(outcomes)} cases but {len(labels)} cluster labels; give one label per case")
    planned = max((len(row) for row in outcomes), default=0)
    scored = [[bool(x) for x in row if x is not None] for row in outcomes]
    several = [(row, c) for row, c in zip(scored, labels) if len(row) > 1]
    some = [(row, c) for row, c in zip(scored, labels) if row]
    chances = [2 * sum(r) * (len(r) - sum(r)) / (len(r) * (len(r) - 1)) for r, _ in several]
    return Repeats(
        flip_rate=interval([float(any(r) and not all(r)) for r, _ in several], [c for _, c in several], level),
        any_hit=interval([float(any(r)) for r, _ in some], [c for _, c in some], level),
        disagreement=math.fsum(chances) / len(chances) if chances else None,
        planned_repeats=planned,
        incomplete=sum(len(row) < planned for row in scored),
    )
