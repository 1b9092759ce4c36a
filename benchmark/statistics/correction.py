"""A judge's measured error, and a rate with that error undone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmark.statistics.rates import Interval, weighted_interval
from benchmark.statistics.sampling import (
    InvalidSample,
    Labels,
    inverse_probabilities,
    item_codes,
    normal_quantile,
    t_quantile,
)


@dataclass(frozen=True)
class JudgeError:
    """A judge against the human majority: sensitivity, specificity, and the audited items behind them."""

    sensitivity: Interval
    specificity: Interval
    tp: int
    fn: int
    fp: int
    tn: int

    def effective(self) -> tuple[float, float, float, float]:
        """(tp, fn, fp, tn) as an unweighted audit of independent items would have to show them to say as much."""
        positives, negatives = self.sensitivity.n_effective or 0.0, self.specificity.n_effective or 0.0
        hit, clear = self.sensitivity.estimate or 0.0, self.specificity.estimate or 0.0
        return positives * hit, positives * (1 - hit), negatives * (1 - clear), negatives * clear


@dataclass(frozen=True)
class Corrected:
    """A rate after a judge's known error is undone.

    `note` is `corrected`; `at an edge` when the observed rate lies beyond what the judge's error alone would show, so
    that the estimate is cut to 0 or 1; or the reason why there is no estimate and the interval is [0, 1].
    """

    estimate: float | None
    low: float
    high: float
    observed: float | None
    sensitivity: float | None
    specificity: float | None
    note: Literal["corrected", "at an edge", "nothing observed", "no audit", "judge no better than chance"]


def judge_error(
    truth: Sequence[bool],
    judged: Sequence[bool],
    probabilities: Sequence[float] | None = None,
    clusters: Labels | None = None,
    level: float = 0.95,
) -> JudgeError:
    """Sensitivity and specificity of a judge against the truth of an audit, weighted by inverse sampling probability.

    A kind of item that the audit sampled thinly may hide errors that it never met. Both rates therefore count as no
    more than total weight over the largest weight in the *whole* audit.

    Args:
        truth: what the humans decided, one per audited item.
        judged: what the judge had decided.
        probabilities: with which each item was sampled, in (0, 1].
        clusters: one label per item; each item its own cluster when not given.
        level: coverage of the two intervals.
    """
    if len(truth) != len(judged):
        raise InvalidSample(f"{len(truth)} audited items but {len(judged)} verdicts; both must name the same items")
    weights, codes = inverse_probabilities(probabilities, len(truth)), item_codes(clusters, len(truth))
    true, said = np.asarray(truth, dtype=bool), np.asarray(judged, dtype=bool)
    heaviest = float(weights.max(initial=0.0))
    right = (true == said).astype(np.float64)
    return JudgeError(
        sensitivity=weighted_interval(right[true], codes[true], weights[true], level, heaviest),
        specificity=weighted_interval(right[~true], codes[~true], weights[~true], level, heaviest),
        tp=int(np.sum(true & said)),
        fn=int(np.sum(true & ~said)),
        fp=int(np.sum(~true & said)),
        tn=int(np.sum(~true & ~said)),
    )


def corrected_rate(
    k: float,
    n: float,
    tp: float,
    fn: float,
    fp: float,
    tn: float,
    n_effective: float | None = None,
    clusters: int | None = None,
    level: float = 0.95,
) -> Corrected:
    """The true rate behind a judged one, after Rogan and Gladen, with an interval that also doubts the audit.

    The interval holds every rate pi whose expected judged rate `pi * Se + (1 - pi) * (1 - Sp)` lies within the quantile
    of the observed one, the variance taken *at* pi and summed over sample, sensitivity and specificity (each of the two
    with one right and one wrong item added). That is Wilson's idea with two more sources of doubt: it solves in closed
    form, and an uninformative judge yields [0, 1] instead of nonsense. An observed rate beyond what the judge's error
    alone would show (below 1 - Sp, above Se) is taken to lie at that edge, lest a stroke of luck pass for precision.
    The quantile leaves four fifths of 1 - `level`; at the nominal one, coverage falls a point or two short in places.

    Args:
        k: judged positive, of `n` judged cases; need not be whole.
        n: judged cases.
        tp: audited positives that the judge called positive; the four may be effective counts
            (`JudgeError.effective`).
        fn: audited positives that it missed.
        fp: audited negatives that it called positive.
        tn: audited negatives that it called negative.
        n_effective: of the judged cases, where they are clustered (`Interval.n_effective`).
        clusters: their number; sets Student's t at `clusters` - 1 degrees of freedom. One cluster gives [0, 1].
        level: coverage aimed at.
    """
    if min(k, n, tp, fn, fp, tn) < 0 or k > n:
        raise InvalidSample(f"k={k}, n={n}, tp={tp}, fn={fn}, fp={fp}, tn={tn}: counts must be >= 0 and k at most n")
    positives, negatives = tp + fn, fp + tn
    sensitivity = tp / positives if positives else None
    specificity = tn / negatives if negatives else None
    if n == 0:
        return Corrected(None, 0.0, 1.0, None, sensitivity, specificity, "nothing observed")
    observed = k / n
    if sensitivity is None or specificity is None:
        return Corrected(None, 0.0, 1.0, observed, sensitivity, specificity, "no audit")
    informed = sensitivity + specificity - 1
    if informed <= 1e-9:
        return Corrected(None, 0.0, 1.0, observed, sensitivity, specificity, "judge no better than chance")
    raw = (observed + specificity - 1) / informed
    estimate = min(1.0, max(0.0, raw))
    note: Literal["corrected", "at an edge"] = "corrected" if -1e-9 <= raw <= 1 + 1e-9 else "at an edge"
    if clusters is not None and clusters < 2:
        return Corrected(estimate, 0.0, 1.0, observed, sensitivity, specificity, note)
    calibrated = 1 - 0.8 * (1 - level)
    quantile = normal_quantile(calibrated) if clusters is None else t_quantile(calibrated, clusters - 1)
    size = min(n, n_effective) if n_effective else n
    shown = min(sensitivity, max(1 - specificity, observed))
    low, high = _invert(shown, size, tp + 1, positives + 2, tn + 1, negatives + 2, quantile)
    return Corrected(estimate, min(low, estimate), max(high, estimate), observed, sensitivity, specificity, note)


def _invert(
    p: float, n: float, tp: float, positives: float, tn: float, negatives: float, quantile: float
) -> tuple[float, float]:
    """The hull of all pi in [0, 1] with (p - q(pi))^2 <= quantile^2 * var(pi), q the expected judged rate at pi."""
    se, floor = tp / positives, 1 - tn / negatives
    slope, square = se - floor, quantile * quantile
    var_se, var_sp = se * (1 - se) / positives, floor * (1 - floor) / negatives
    # a * pi^2 + b * pi + c <= 0
    a = slope**2 + square * (slope**2 / n - var_se - var_sp)
    b = -2 * (p - floor) * slope - square * (slope * (1 - 2 * floor) / n - 2 * var_sp)
    c = (p - floor) ** 2 - square * (floor * (1 - floor) / n + var_sp)
    inside = b * b - 4 * a * c
    if abs(a) < 1e-12 or inside <= 0:
        return 0.0, 1.0
    first, last = sorted(((-b - math.sqrt(inside)) / (2 * a), (-b + math.sqrt(inside)) / (2 * a)))
    held = [edge for edge, value in ((0.0, c), (1.0, a + b + c)) if value <= 0]
    held += [root for root in (first, last) if 0 <= root <= 1]
    return (min(held), max(held)) if held else (0.0, 1.0)
