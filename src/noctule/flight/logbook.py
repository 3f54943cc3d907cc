"""`Logbook`: what is counted during a flight, and the result that it makes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from noctule.flight.collision import Verdict
from noctule.flight.recording import Trace
from noctule.flight.results import FlightResult


@dataclass
class Logbook:
    """What is counted during a flight."""

    expanded: list[int] = field(default_factory=list)
    path_length: list[float] = field(default_factory=list)
    failed_plans: int = 0
    update_ms: list[float] = field(default_factory=list)
    plan_ms: list[float] = field(default_factory=list)
    travelled: float = 0.0
    waited: float = 0.0
    frames: int = 0
    planned_at: int | None = None  # the frame of the last plan
    no_plan: str = ""  # why it found no path, if it did not

    def result(
        self,
        start: float,
        frame: float,
        verdict: Verdict | None,
        bodies: Sequence[str],
        late: str,
        trace: Trace | None,
    ) -> FlightResult:
        """The result of a flight that ended with a verdict, or too late."""
        seconds = self.frames * frame
        body, reason = None, late
        if verdict is not None:
            seconds -= (1.0 - verdict.moment) * frame if self.frames else 0.0
            if verdict.reached:
                reason = "reached the destination"
            else:
                body = bodies[verdict.body]
                reason = f"hit {body} after {seconds:.2f} s"
                if not self.frames:
                    reason = f"starts inside {body}"
        return FlightResult(
            verdict is not None and verdict.reached,
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
