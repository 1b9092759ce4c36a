"""What every statistic needs of its sample: checked values, clusters as numbers, resampling, quantiles.

Labels become numbers in sorted order and generators are seeded by a hash of text, so that a result depends on neither
the order of labels nor the process.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]
Values = Sequence[float | None] | npt.NDArray[Any]
Labels = Sequence[str] | npt.NDArray[Any]

RESAMPLES = 5_000


class InvalidSample(ValueError):
    """The numbers handed to a statistic cannot be what they claim to be."""


def unit_values(values: Values) -> Array:
    """Values in [0, 1], none of them missing."""
    y, present = with_gaps(values)
    if not present.all():
        position = int(np.flatnonzero(~present)[0])
        raise InvalidSample(f"the value at position {position} is missing; leave out what is not scored, and count it")
    return y


def with_gaps(values: Values) -> tuple[Array, Flags]:
    """Values with 0 in place of None and NaN, and where there is a value."""
    raw = np.array([math.nan if v is None else float(v) for v in values], dtype=np.float64)
    present = ~np.isnan(raw)
    y = np.where(present, raw, 0.0)
    outside = np.flatnonzero((y < -1e-9) | (y > 1 + 1e-9))
    if len(outside):
        position = int(outside[0])
        raise InvalidSample(f"the value at position {position} is {y[position]}; a case's share must lie in [0, 1]")
    return np.clip(y, 0.0, 1.0), present


def positive_weights(weights: Values | None, n: int) -> Array:
    if weights is None:
        return np.ones(n)
    w = np.array([math.nan if v is None else float(v) for v in weights], dtype=np.float64)
    if len(w) != n or not (np.isfinite(w) & (w > 0)).all():
        raise InvalidSample(f"{len(w)} weights for {n} values: give one positive, finite weight per value")
    return w


def inverse_probabilities(probabilities: Sequence[float] | None, n: int) -> Array:
    if probabilities is None:
        return np.ones(n)
    p = np.asarray(probabilities, dtype=np.float64)
    if len(p) != n or not ((p > 0) & (p <= 1)).all():
        raise InvalidSample(f"{len(p)} sampling probabilities for {n} items: give one in (0, 1] per item")
    return 1 / p


def codes_of(labels: Labels, n: int) -> Codes:
    """Labels as numbers in sorted order, so that results do not depend on the order of the cases."""
    if len(labels) != n:
        raise InvalidSample(f"{n} values but {len(labels)} labels; give one label per value")
    if isinstance(labels, np.ndarray):
        return np.unique(labels, return_inverse=True)[1]
    names = [str(label) for label in labels]
    number = {name: i for i, name in enumerate(sorted(set(names)))}
    return np.array([number[name] for name in names], dtype=np.intp)


def item_codes(clusters: Labels | None, n: int) -> Codes:
    return np.arange(n, dtype=np.intp) if clusters is None else codes_of(clusters, n)


def by_domain(domains: Labels, n: int) -> tuple[list[str], list[Flags]]:
    """The domains' names in order, and for each of them where its cases are."""
    codes = codes_of(domains, n)
    names = sorted({str(domain) for domain in domains})
    return names, [codes == i for i in range(len(names))]


def cluster_sums(y: Array, codes: Codes) -> tuple[Array, Array]:
    """Sum of values and number of cases, by cluster, for those clusters that occur."""
    codes = np.unique(codes, return_inverse=True)[1]
    return sum_by(codes, y), sum_by(codes, np.ones(len(y)))


def sum_by(codes: Codes, y: Array) -> Array:
    return np.bincount(codes, y).astype(np.float64)


def count_clusters(codes: Codes, groups: Sequence[Flags], present: Flags) -> int:
    """Number of clusters with a present value, counted within each domain."""
    return sum(len(np.unique(codes[rows & present])) for rows in groups)


@lru_cache(maxsize=32)
def resampled_counts(count: int, resamples: int, seed: str) -> npt.NDArray[np.float32]:
    """How often each of `count` clusters is drawn, (resamples, count). A report asks for the same few over and over."""
    drawn = generator(f"{seed}:{count}").integers(0, count, size=(resamples, count))
    flat = drawn + np.arange(resamples)[:, None] * count
    counts = np.bincount(flat.ravel(), minlength=resamples * count).reshape(resamples, count).astype(np.float32)
    counts.flags.writeable = False
    return counts


def generator(seed: str) -> np.random.Generator:
    """A generator of its own for each text, the same in every process."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big"))


@lru_cache(maxsize=1024)
def t_quantile(level: float, degrees: int) -> float:
    return float(special.stdtrit(degrees, 0.5 + level / 2))


@lru_cache(maxsize=64)
def normal_quantile(level: float) -> float:
    return float(special.ndtri(0.5 + level / 2))
