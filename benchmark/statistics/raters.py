"""How far people, or a person and a judge, agree on scores: percent, kappas, alpha, confusion, majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmark.statistics.rates import Interval, weighted_interval
from benchmark.statistics.sampling import (
    Array,
    Codes,
    InvalidSample,
    Labels,
    inverse_probabilities,
    item_codes,
    resampled_counts,
)

Metric = Literal["nominal", "ordinal", "interval"]
SCORES = (1, 3, 5)


@dataclass(frozen=True)
class Estimate:
    """A coefficient with its bootstrap interval; `undefined` counts resamples in which it had no value."""

    estimate: float | None
    low: float
    high: float
    undefined: int


@dataclass(frozen=True)
class Agreement:
    """Two raters on the same items. Rows of the confusion are the first rater's scores, columns the second's.

    `confusion` counts items; `shares` holds the same cells weighted by inverse sampling probability, summing to 1.
    """

    n: int
    left_out: int
    percent: Interval
    kappa: Estimate
    quadratic_kappa: Estimate
    categories: tuple[int, ...]
    confusion: tuple[tuple[int, ...], ...]
    shares: tuple[tuple[float, ...], ...]


def majority(ratings: Sequence[int | None]) -> int | None:
    """The score that more than half of the given ratings hold; None where there is none, ties included."""
    given = Counter(r for r in ratings if r is not None)
    if not given:
        return None
    score, votes = given.most_common(1)[0]
    return score if 2 * votes > given.total() else None


def agreement(
    first: Sequence[int | None],
    second: Sequence[int | None],
    probabilities: Sequence[float] | None = None,
    clusters: Labels | None = None,
    categories: tuple[int, ...] = SCORES,
    seed: int | str = 0,
    resamples: int = 2_000,
    level: float = 0.95,
) -> Agreement:
    """Percent agreement, Cohen's kappa, quadratic-weighted kappa and the confusion of two raters.

    The share of agreement has the interval of `interval`, the kappas a percentile bootstrap over clusters. Where the
    raters never differ no resample does either; the lower limit then comes from the lower limit of the agreement, with
    the worst disagreement in its place.

    Args:
        first: one score per item, None where the rater gave none; such items are left out and counted.
        second: the other rater's scores of the same items.
        probabilities: with which each item was sampled, in (0, 1]; items weigh by the inverse.
        clusters: one label per item; each item its own cluster when not given.
        categories: all possible scores, in order.
        seed: of the bootstrap.
        resamples: number of bootstrap resamples.
        level: coverage aimed at.

    Raises:
        InvalidSample: lengths differ, a score is not among the categories, a probability is out of range.
    """
    if len(first) != len(second):
        raise InvalidSample(f"{len(first)} scores of the first rater, {len(second)} of the second: same items needed")
    weights, codes = inverse_probabilities(probabilities, len(first)), item_codes(clusters, len(first))
    place = {score: i for i, score in enumerate(categories)}
    rows = [i for i, pair in enumerate(zip(first, second)) if None not in pair]
    size = len(categories)
    units = np.zeros((len(rows), size, size))
    for unit, i in enumerate(rows):
        units[unit, _place(place, first[i], i), _place(place, second[i], i)] = 1.0
    w, c = weights[rows], codes[rows]
    values = np.asarray(categories, dtype=np.float64)
    plain = 1.0 - np.eye(size)
    quadratic = (values[:, None] - values[None, :]) ** 2
    same = np.trace(units, axis1=1, axis2=2) if len(rows) else np.zeros(0)
    counts = units.sum(0)
    shares = np.einsum("u,ukl->kl", w, units) / w.sum() if len(rows) else counts
    percent = weighted_interval(same, c, w, level, float(w.max(initial=0.0)))
    return Agreement(
        n=len(rows),
        left_out=len(first) - len(rows),
        percent=percent,
        kappa=_coefficient(units, w, c, percent, lambda m: _kappa_parts(m, plain), seed, resamples, level),
        quadratic_kappa=_coefficient(
            units, w, c, percent, lambda m: _kappa_parts(m, quadratic), seed, resamples, level
        ),
        categories=categories,
        confusion=tuple(tuple(int(x) for x in row) for row in counts),
        shares=tuple(tuple(float(x) for x in row) for row in shares),
    )


def krippendorff_alpha(
    ratings: Sequence[Sequence[int | None]],
    metric: Metric,
    probabilities: Sequence[float] | None = None,
    clusters: Labels | None = None,
    categories: tuple[int, ...] = SCORES,
    seed: int | str = 0,
    resamples: int = 2_000,
    level: float = 0.95,
) -> Estimate:
    """Krippendorff's alpha of any number of raters with gaps, weighted, with a bootstrap interval over clusters.

    Weights are scaled to a mean of 1 over the items that two raters or more have scored, so that equal probabilities
    give the usual coefficient.

    Args:
        ratings: for each item the raters' scores, None where one gave none; items with fewer than two are not used.
        metric: how far two scores are apart: `nominal`, `ordinal` or `interval`.
        probabilities: as in `agreement`, as are the other arguments.
    """
    weights, codes = inverse_probabilities(probabilities, len(ratings)), item_codes(clusters, len(ratings))
    place = {score: i for i, score in enumerate(categories)}
    rows: list[int] = []
    units: list[Array] = []
    for i, item in enumerate(ratings):
        given = [_place(place, score, i) for score in item if score is not None]
        if len(given) > 1:
            counts = np.bincount(given, minlength=len(categories)).astype(np.float64)
            rows.append(i)
            units.append((np.outer(counts, counts) - np.diag(counts)) / (len(given) - 1))
    if not rows:
        return Estimate(None, -1.0, 1.0, 0)
    w = weights[rows] / weights[rows].mean()
    c = codes[rows]
    stack = np.array(units)
    same = np.trace(stack, axis1=1, axis2=2) / stack.sum((1, 2))
    agree = weighted_interval(np.clip(same, 0.0, 1.0), c, w, level, float(w.max()))
    values = np.asarray(categories, dtype=np.float64)
    return _coefficient(stack, w, c, agree, lambda m: _alpha_parts(m, metric, values), seed, resamples, level)


def _kappa_parts(matrices: Array, distance: Array) -> tuple[Array, Array, Array]:
    """Observed and chance disagreement of confusion matrices (..., K, K), and the largest distance."""
    shares = matrices / matrices.sum((-1, -2), keepdims=True)
    chance = shares.sum(-1)[..., :, None] * shares.sum(-2)[..., None, :]
    worst = np.full(matrices.shape[:-2], distance.max())
    return (shares * distance).sum((-1, -2)), (chance * distance).sum((-1, -2)), worst


def _alpha_parts(matrices: Array, metric: Metric, values: Array) -> tuple[Array, Array, Array]:
    """Observed and expected disagreement of coincidence matrices (..., K, K), and the largest distance."""
    held = matrices.sum(-1)
    total = held.sum(-1)[..., None, None]
    if metric == "nominal":
        distance = np.broadcast_to(1.0 - np.eye(len(values)), matrices.shape)
    elif metric == "interval":
        distance = np.broadcast_to((values[:, None] - values[None, :]) ** 2, matrices.shape)
    else:
        # Ranks between two scores: everything from the one to the other, either end counted by half.
        middle = np.cumsum(held, axis=-1) - held / 2
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    expected = held[..., :, None] * held[..., None, :] * distance / (total * (total - 1))
    return (matrices * distance / total).sum((-1, -2)), expected.sum((-1, -2)), distance.max((-1, -2))


def _coefficient(
    units: Array,
    weights: Array,
    codes: Codes,
    agree: Interval,
    parts: Callable[[Array], tuple[Array, Array, Array]],
    seed: int | str,
    resamples: int,
    level: float,
) -> Estimate:
    """1 - observed over chance disagreement of the weighted sum of `units` (n, K, K), bootstrapped over clusters."""
    if not len(units):
        return Estimate(None, -1.0, 1.0, 0)
    weighted = weights[:, None, None] * units
    observed, chance, worst = (float(x) for x in parts(weighted.sum(0)))
    if chance <= 0:
        return Estimate(None, -1.0, 1.0, 0)
    estimate = 1 - observed / chance
    codes = np.unique(codes, return_inverse=True)[1]
    count = int(codes.max()) + 1
    if count < 2:
        return Estimate(estimate, -1.0, 1.0, 0)
    by_cluster = np.zeros((count, units.shape[1] * units.shape[2]))
    np.add.at(by_cluster, codes, weighted.reshape(len(units), -1))
    counts = resampled_counts(count, resamples, f"{seed}:agreement")
    with np.errstate(divide="ignore", invalid="ignore"):
        seen, expected, _ = parts((counts.astype(np.float64) @ by_cluster).reshape(resamples, *units.shape[1:]))
        drawn = np.where(expected > 1e-12 * worst, 1 - seen / expected, np.nan)
    undefined = int(np.isnan(drawn).sum())
    if undefined == resamples:
        return Estimate(estimate, -1.0, 1.0, undefined)
    tail = (1 - level) / 2
    low, high = (float(x) for x in np.nanquantile(drawn, [tail, 1 - tail]))
    if observed == 0:
        low = min(low, 1 - (1 - agree.low) * worst / chance)
    return Estimate(estimate, max(-1.0, min(low, estimate)), min(1.0, max(high, estimate)), undefined)


def _place(places: dict[int, int], score: int | None, item: int) -> int:
    if score is None or score not in places:
        raise InvalidSample(f"item {item} has score {score!r}; possible are {', '.join(map(str, places))}")
    return places[score]
