"""Do the intervals cover, and does the test keep its size? Simulated, printed, and judged against the project's bars.

    python -m tests.performance.coverage_simulation            # the whole grid, some minutes
    python -m tests.performance.coverage_simulation --trials 200 --only audit

Clustered samples are beta-binomial: each cluster has a rate of its own, drawn so that two cases of a cluster correlate
by a given amount. Two conditions on the same cases share a part of their cluster rates and of their cases' luck.
Columns in brackets are what a method that ignores clusters would do. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from benchmark.statistics import (
    corrected_rate,
    interval,
    judge_error,
    macro,
    mcnemar,
    paired_difference,
    paired_macro_difference,
    wilson,
)

COVERAGE_BAR = 0.93
ERROR_BAR = 0.06

EVEN = (15,) * 13
UNEVEN = (4, 6, 8, 9, 11, 13, 14, 15, 17, 19, 22, 25, 28)
CORRELATIONS = (0.05, 0.1, 0.2, 0.3)
DOMAINS = {"web": (5,) * 40, "gui": (7,) * 30, "mobile": (9,) * 31, "document": (25,) * 8, "video": UNEVEN}

Bits = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """One cell of a grid: what was simulated, the share that matters, the bar it has to keep, and what else to print."""

    what: str
    share: float
    bar: float
    at_least: bool
    more: str = ""

    @property
    def kept(self) -> bool:
        return self.share >= self.bar if self.at_least else self.share <= self.bar


def cluster_rates(rate: float, correlation: float, luck: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Beta quantiles with mean `rate`, such that two cases of one cluster have the given correlation."""
    strength = (1 - correlation) / correlation
    return np.asarray(special.betaincinv(rate * strength, (1 - rate) * strength, luck))


def sample(
    random: np.random.Generator, rate: float, correlation: float, sizes: Sequence[int]
) -> tuple[Bits, list[str]]:
    labels = [str(c) for c, size in enumerate(sizes) for _ in range(size)]
    rates = np.repeat(cluster_rates(rate, correlation, random.random(len(sizes))), sizes)
    return (random.random(len(rates)) < rates).astype(float), labels


def pair(
    random: np.random.Generator, rates: tuple[float, float], correlation: float, sizes: Sequence[int], shared: float
) -> tuple[Bits, Bits, list[str]]:
    """Two conditions on the same cases; `shared` is the chance that a cluster, and a case, has the same luck in both."""
    labels = [str(c) for c, size in enumerate(sizes) for _ in range(size)]

    def both(n: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        first = random.random(n)
        return first, np.where(random.random(n) < shared, first, random.random(n))

    clusters, cases = both(len(sizes)), both(len(labels))
    a, b = (
        (case < np.repeat(cluster_rates(rate, correlation, cluster), sizes)).astype(float)
        for rate, cluster, case in zip(rates, clusters, cases)
    )
    return a, b, labels


def interval_coverage(trials: int, random: np.random.Generator, rates: Sequence[float]) -> Iterator[Result]:
    for name, sizes in (("even", EVEN), ("uneven", UNEVEN)):
        for correlation in CORRELATIONS:
            for rate in rates:
                covered, plain, widths = 0, 0, []
                for _ in range(trials):
                    values, labels = sample(random, rate, correlation, sizes)
                    found = interval(values, labels)
                    low, high = wilson(float(values.mean()), len(values), 1.96)
                    covered += found.low <= rate <= found.high
                    plain += low <= rate <= high
                    widths.append(found.high - found.low)
                yield Result(
                    f"interval, 13 {name} clusters, correlation {correlation}, rate {rate}",
                    covered / trials, COVERAGE_BAR, True,
                    f"width {np.mean(widths):.3f}  (plain Wilson {plain / trials:.3f})",
                )  # fmt: skip


def difference_coverage(
    trials: int, random: np.random.Generator, rates: Sequence[tuple[float, float]], resamples: int = 2_000
) -> Iterator[Result]:
    for name, sizes in (("even", EVEN), ("uneven", UNEVEN)):
        for correlation in CORRELATIONS:
            for a, b in rates:
                for shared in (0.3, 0.8):
                    covered, widths, rejected, mcnemar_rejected = 0, [], 0, 0
                    for trial in range(trials):
                        first, second, labels = pair(random, (a, b), correlation, sizes, shared)
                        found = paired_difference(first, second, labels, trial % 8, resamples)
                        assert found.p_value is not None
                        covered += found.low <= a - b <= found.high
                        widths.append(found.high - found.low)
                        rejected += found.p_value <= 0.05
                        ups, downs = int(np.sum(first > second)), int(np.sum(first < second))
                        mcnemar_rejected += mcnemar(ups, downs).p_value <= 0.05
                    what = f"13 {name} clusters, correlation {correlation}, rates {a} and {b}, shared {shared}"
                    yield Result(
                        f"difference, {what}", covered / trials, COVERAGE_BAR, True, f"width {np.mean(widths):.3f}"
                    )
                    if a == b:
                        yield Result(
                            f"sign-flip error, {what}", rejected / trials, ERROR_BAR, False,
                            f"(McNemar {mcnemar_rejected / trials:.3f})",
                        )  # fmt: skip


def macro_coverage(
    trials: int, random: np.random.Generator, rates: Sequence[tuple[float, float]], resamples: int = 2_000
) -> Iterator[Result]:
    for correlation in (0.05, 0.3):
        for a, b in rates:
            covered, difference_covered, widths, difference_widths, rejected = 0, 0, [], [], 0
            for trial in range(trials):
                first, second, labels, domains = [], [], [], []
                for domain, sizes in DOMAINS.items():
                    x, y, own = pair(random, (a, b), correlation, sizes, 0.5)
                    first.append(x)
                    second.append(y)
                    labels += own
                    domains += [domain] * len(own)
                values, others = np.concatenate(first), np.concatenate(second)
                found = macro(values, domains, labels, trial % 8, resamples)
                change = paired_macro_difference(values, others, domains, labels, trial % 8, resamples)
                assert change.p_value is not None
                covered += found.low <= a <= found.high
                difference_covered += change.low <= a - b <= change.high
                widths.append(found.high - found.low)
                difference_widths.append(change.high - change.low)
                rejected += change.p_value <= 0.05
            what = f"five domains, correlation {correlation}, rates {a} and {b}"
            yield Result(f"macro, {what}", covered / trials, COVERAGE_BAR, True, f"width {np.mean(widths):.3f}")
            yield Result(
                f"macro difference, {what}", difference_covered / trials, COVERAGE_BAR, True,
                f"width {np.mean(difference_widths):.3f}",
            )  # fmt: skip
            if a == b:
                yield Result(f"macro sign-flip error, {what}", rejected / trials, ERROR_BAR, False)


def audit_coverage(
    trials: int,
    random: np.random.Generator,
    prevalences: Sequence[float] = (0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9),
    positives: Sequence[int] = (5, 10, 20, 50, 150),
    judges: Sequence[tuple[float, float]] = ((0.99, 0.99), (0.95, 0.97), (0.85, 0.9)),
    observed: int = 200,
) -> Iterator[Result]:
    """An audit with so many true positives, and as many negatives as a simple random one of that prevalence (5-1000)."""
    for se, sp in judges:
        for prevalence in prevalences:
            for audited in positives:
                negatives = int(np.clip(round(audited * (1 - prevalence) / prevalence), 5, 1_000))
                covered, widths = 0, []
                for _ in range(trials):
                    tp, tn = int(random.binomial(audited, se)), int(random.binomial(negatives, sp))
                    k = int(random.binomial(observed, prevalence * se + (1 - prevalence) * (1 - sp)))
                    found = corrected_rate(k, observed, tp, audited - tp, negatives - tn, tn)
                    covered += found.low <= prevalence <= found.high
                    widths.append(found.high - found.low)
                yield Result(
                    f"corrected, judge {se}/{sp}, prevalence {prevalence}, {audited} positives, {negatives} negatives",
                    covered / trials, COVERAGE_BAR, True, f"width {np.mean(widths):.3f}",
                )  # fmt: skip


def stratified_audit_coverage(trials: int, random: np.random.Generator, audited: int = 300) -> Iterator[Result]:
    """Half of the audit from what the judge called positive, half from the rest, of 2,000 judged answers; corrected is
    the rate of 200 other answers."""
    for se, sp in ((0.95, 0.97), (0.85, 0.9)):
        for prevalence in (0.05, 0.2, 0.5, 0.8):
            covered, widths = 0, []
            for _ in range(trials):
                truth = random.random(2_000) < prevalence
                judged = np.where(truth, random.random(2_000) < se, random.random(2_000) > sp)
                picked: list[int] = []
                probabilities: list[float] = []
                for stratum in (np.flatnonzero(judged), np.flatnonzero(~judged)):
                    take = min(audited // 2, len(stratum))
                    picked += [int(i) for i in random.choice(stratum, take, replace=False)]
                    probabilities += [take / len(stratum)] * take
                error = judge_error(truth[picked].tolist(), judged[picked].tolist(), probabilities)
                k = int(random.binomial(200, prevalence * se + (1 - prevalence) * (1 - sp)))
                found = corrected_rate(k, 200, *error.effective())
                covered += found.low <= prevalence <= found.high
                widths.append(found.high - found.low)
            yield Result(
                f"corrected, stratified audit of {audited}, judge {se}/{sp}, prevalence {prevalence}",
                covered / trials, COVERAGE_BAR, True, f"width {np.mean(widths):.3f}",
            )  # fmt: skip


RATES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
PAIRS = ((0.05, 0.05), (0.3, 0.3), (0.7, 0.7), (0.05, 0.02), (0.2, 0.02), (0.3, 0.2), (0.7, 0.5), (0.9, 0.4))

STUDIES: dict[str, Callable[[int, np.random.Generator], Iterator[Result]]] = {
    "interval": lambda trials, random: interval_coverage(trials, random, RATES),
    "difference": lambda trials, random: difference_coverage(trials, random, PAIRS),
    "macro": lambda trials, random: macro_coverage(trials // 2, random, PAIRS),
    "audit": audit_coverage,
    "stratified": stratified_audit_coverage,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=sorted(STUDIES), action="append")
    chosen: Any = parser.parse_args(arguments)
    missed = 0
    for name in chosen.only or STUDIES:
        random = np.random.default_rng([chosen.seed, len(name)])
        results = []
        for result in STUDIES[name](chosen.trials, random):
            results.append(result)
            print(f"{result.share:.3f} {'' if result.kept else 'MISSED '}{result.what}  {result.more}", flush=True)
        missed += sum(not result.kept for result in results)
        for at_least, word in ((True, "coverage at least"), (False, "error at most")):
            group = [r.share for r in results if r.at_least is at_least]
            if group:
                worst = min(group) if at_least else max(group)
                print(f"== {name}: {word} {worst:.3f}, mean {np.mean(group):.3f}, over {len(group)} cells", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
