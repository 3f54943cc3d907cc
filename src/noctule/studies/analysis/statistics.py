"""Means with confidence intervals.

The values of one run, such as all plans of a flight, are correlated, so the bootstrap resamples
runs, not values. It is seeded: the same data give the same interval.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DRAWS = 2000  # bootstrap samples
LEVEL = 0.95  # confidence level
Z = 1.959963984540054  # quantile of the normal distribution for that level
PERCENTILES = {"p25": 25, "p50": 50, "p75": 75, "p95": 95, "p99": 99}

Runs = Sequence[Sequence[float]]  # the values of each run
Interval = tuple[float, float]


def wilson(successes: int, n: int) -> Interval:
    """Return the confidence interval of a rate, by Wilson (1927).

    >>> low, high = wilson(50, 50)
    >>> round(low, 3), high
    (0.929, 1.0)
    """
    if n == 0:
        return 0.0, 1.0
    p, z2 = successes / n, Z * Z / n
    middle = (p + z2 / 2) / (1 + z2)
    half = Z / (1 + z2) * math.sqrt(p * (1 - p) / n + z2 / (4 * n))
    low = 0.0 if successes == 0 else middle - half
    return low, 1.0 if successes == n else middle + half


def mean_of(runs: Runs) -> float | None:
    """Return the mean of all values; None if there are none."""
    sums, counts = _sums(runs)
    return float(sums.sum() / counts.sum()) if counts.sum() else None


def mean_interval(runs: Runs) -> Interval | None:
    """Return the bootstrap interval of the mean of all values; None for a single run.

    >>> mean_interval([[1.0, 1.0], [1.0]]), mean_interval([[1.0, 2.0]])
    ((1.0, 1.0), None)
    """
    sums, counts = _sums(runs)
    drawn = _draws(len(sums))
    if drawn is None:
        return None
    return _interval(sums[drawn].sum(axis=1), counts[drawn].sum(axis=1))


def ratio_interval(runs: Runs, others: Runs) -> Interval | None:
    """Return the bootstrap interval of the ratio of two means of paired runs.

    >>> ratio_interval([[1.0], [2.0]], [[2.0], [4.0]])
    (0.5, 0.5)
    """
    pairs = [(a, b) for a, b in zip(runs, others, strict=True) if len(a) and len(b)]
    drawn = _draws(len(pairs))
    if drawn is None:
        return None
    above, below = _sums([a for a, _ in pairs]), _sums([b for _, b in pairs])
    means = [s[drawn].sum(axis=1) / n[drawn].sum(axis=1) for s, n in (above, below)]
    if not (means[1] > 0).all():
        return None
    return _interval(*means)


def percentiles(runs: Runs) -> dict[str, float | None]:
    """Return minimum, percentiles and maximum of all values."""
    values = np.concatenate([np.asarray(run, np.float64) for run in runs] or [np.empty(0)])
    if not len(values):
        return dict.fromkeys(("min", *PERCENTILES, "max"))
    found = np.percentile(values, list(PERCENTILES.values())).tolist()
    between = dict(zip(PERCENTILES, found, strict=True))
    return {"min": float(values.min()), **between, "max": float(values.max())}


def _sums(runs: Runs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    kept = [run for run in runs if len(run)]
    sums = np.array([float(np.sum(run)) for run in kept])
    return sums, np.array([float(len(run)) for run in kept])


def _draws(n: int) -> NDArray[np.int64] | None:
    return np.random.default_rng(n).integers(0, n, (DRAWS, n)) if n > 1 else None


def _interval(above: NDArray[np.float64], below: NDArray[np.float64]) -> Interval:
    edge = 50 * (1 - LEVEL)
    low, high = np.percentile(above / below, [edge, 100 - edge]).tolist()
    return low, high
