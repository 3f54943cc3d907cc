"""What a flight leaves: `FlightResult`, and the statistics of many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from noctule.flight.recording import Trace


@dataclass(frozen=True, eq=False)
class FlightResult:
    """How a flight went.

    Attributes
    ----------
    reached : bool
        Whether the agent touched its destination.
    collided : str or None
        The body that it hit, if that ended the flight.
    reason : str
        Why the flight ended, in words.
    started, seconds : float
        The time of the scene at the start, and how long the flight lasted.
    travelled : float
        The length of the way flown.
    frames : int
        How many frames it took.
    expanded : array (n,)
        Nodes that each of the plans expanded.
    path_length : array (n,)
        Lengths of the planned paths; plans that found none are left out.
    failed_plans : int
        How many plans found no path.
    update_ms, plan_ms : array
        Milliseconds of each graph update and of each plan.
    trace : Trace or None
        Everything frame by frame, if it was asked for.
    """

    reached: bool
    collided: str | None
    reason: str
    started: float
    seconds: float
    travelled: float
    frames: int
    expanded: NDArray[np.int64]
    path_length: NDArray[np.float64]
    failed_plans: int
    update_ms: NDArray[np.float64]
    plan_ms: NDArray[np.float64]
    trace: "Trace | None" = None


def spread(values: Sequence[float] | NDArray[Any]) -> dict[str, float | None]:
    """Mean, median, smallest and largest; None where there are no values."""
    if not len(values):
        return dict.fromkeys(("mean", "median", "min", "max"))
    return {
        "mean": float(np.mean(values)),
        "median": float(np.median(values)),
        "min": float(np.min(values)),
        "max": float(np.max(values)),
    }


def percentiles(values: Sequence[float] | NDArray[Any]) -> dict[str, float | None]:
    """Mean, percentiles 50, 95 and 99, and the largest; None where there are no values."""
    if not len(values):
        return dict.fromkeys(("mean", "p50", "p95", "p99", "max"))
    p50, p95, p99 = np.percentile(values, (50, 95, 99)).tolist()
    return {
        "mean": float(np.mean(values)),
        "p50": p50,
        "p95": p95,
        "p99": p99,
        "max": float(np.max(values)),
    }


def summarise(results: Sequence[FlightResult]) -> dict[str, Any]:
    """The numbers of many flights together; distances are those of flights that arrived."""
    arrived = [result for result in results if result.reached]
    hits: dict[str, int] = {}
    for result in results:
        if result.collided is not None:
            hits[result.collided] = hits.get(result.collided, 0) + 1
    joined = {
        name: np.concatenate([getattr(result, name) for result in results] or [np.empty(0)])
        for name in ("expanded", "path_length", "update_ms", "plan_ms")
    }
    return {
        "runs": len(results),
        "reached": len(arrived),
        "success": len(arrived) / len(results) if results else None,
        "collisions": sum(hits.values()),
        "collided_with": dict(sorted(hits.items())),
        "unfinished": sum(r.collided is None and not r.reached for r in results),
        "travelled": spread([result.travelled for result in arrived]),
        "seconds": spread([result.seconds for result in arrived]),
        "path_length": {"mean": _mean(joined["path_length"])},
        "expanded": {
            "mean": _mean(joined["expanded"]),
            "flight": _mean([result.expanded.sum() for result in results]),
        },
        "failed_plans": sum(result.failed_plans for result in results),
        "update_ms": percentiles(joined["update_ms"]),
        "plan_ms": percentiles(joined["plan_ms"]),
    }


def _mean(values: Sequence[float] | NDArray[Any]) -> float | None:
    return float(np.mean(values)) if len(values) else None
