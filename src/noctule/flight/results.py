"""`FlightResult`, the `FlightLog` that it is made of, and statistics of many flights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.display import Displayed
from noctule.flight.collision import Outcome
from noctule.flight.recording import Trace


@dataclass(frozen=True, eq=False)
class FlightResult(Displayed):
    """Result of a flight.

    Attributes
    ----------
    reached : bool
        Whether the agent touched its destination.
    collided : str or None
        Name of the body that the agent hit.
    reason : str
        Why the flight ended.
    started, seconds : float
        Time of the scene at the start, and duration of the flight.
    travelled : float
        Length of the path flown.
    frames : int
        Number of frames.
    expanded : array (n,)
        Nodes expanded by each plan.
    path_length : array (n,)
        Lengths of the planned paths, without plans that found none.
    failed_plans : int
        Number of plans that found no path.
    update_ms, plan_ms : array
        Milliseconds of each graph update and of each plan.
    trace : Trace or None
        Recording of all frames, with `record=True`.

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene.load("test-environment")
    >>> result = nt.Flight(scene, "cells", "a*", seed=1, limit=0.1).run()
    >>> result.reached, result.frames, len(result.plan_ms)
    (False, 6, 6)
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
    trace: Trace | None = None


@dataclass
class FlightLog:
    """Measurements of a flight in progress."""

    expanded: list[int] = field(default_factory=list)
    path_length: list[float] = field(default_factory=list)
    failed_plans: int = 0
    update_ms: list[float] = field(default_factory=list)
    plan_ms: list[float] = field(default_factory=list)
    travelled: float = 0.0
    waited: float = 0.0
    frames: int = 0
    planned_at: int | None = None  # frame of the last plan
    no_plan: str = ""  # why the last plan found no path

    def result(
        self,
        start: float,
        frame: float,
        outcome: Outcome | None,
        bodies: Sequence[str],
        late: str,
        trace: Trace | None,
    ) -> FlightResult:
        """Return the result of a flight with this outcome; without one, it ran out of time."""
        seconds = self.frames * frame
        body, reason = None, late
        if outcome is not None:
            seconds -= (1.0 - outcome.moment) * frame if self.frames else 0.0
            if outcome.reached:
                reason = "reached the destination"
            else:
                body = bodies[outcome.body]
                reason = f"hit {body} after {seconds:.2f} s"
                if not self.frames:
                    reason = f"starts inside {body}"
        return FlightResult(
            outcome is not None and outcome.reached,
            body,
            reason,
            float(start),
            seconds,
            self.travelled,
            self.frames,
            np.array(self.expanded, np.int64),
            np.array(self.path_length, np.float64),
            self.failed_plans,
            np.array(self.update_ms, np.float64),
            np.array(self.plan_ms, np.float64),
            trace,
        )


def spread(values: Sequence[float] | NDArray[Any]) -> dict[str, float | None]:
    """Return mean, median, minimum and maximum; None without values."""
    if not len(values):
        return dict.fromkeys(("mean", "median", "min", "max"))
    return {
        "mean": float(np.mean(values)),
        "median": float(np.median(values)),
        "min": float(np.min(values)),
        "max": float(np.max(values)),
    }


def percentiles(values: Sequence[float] | NDArray[Any]) -> dict[str, float | None]:
    """Return mean, percentiles 50, 95 and 99, and maximum; None without values."""
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
    """Summarise many flights; distances and durations are of those that reached the destination."""
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
