"""`Timing`: what a flight does otherwise when its algorithm plans in time."""

from noctule.flight.corridor import Corridor, Point, TimedCorridor
from noctule.path import Path
from noctule.searches.meeting import Goal, constant_velocity
from noctule.searches.timed_planner import TimedPlanner
from noctule.worlds.scenes import Destination, Scene

EVERY = 6  # frames from plan to plan, as long as bodies move as expected


class Timing:
    """Plans for a moment ahead, and flies them as they say; an old plan is kept if none is found.

    A plan was free when it was made, and stays so while bodies move as expected: it is better than
    to stop.
    """

    def __init__(
        self, planner: TimedPlanner, scene: Scene, destination: Destination, foresee: bool
    ) -> None:
        self._planner, self._scene = planner, scene
        self._destination, self._foresee = destination, foresee
        self._seen: tuple[float, Point] | None = None  # the destination at the last plan

    def head_for(self, destination: Destination) -> None:
        """Expect another destination from now on."""
        self._destination, self._seen = destination, None

    def plan(self, start: Point, goal: Point, ready_at: float) -> Path:
        """A plan from where the agent will be when it is ready, to where the goal will be."""
        return self._planner.plan(start, self._expected(goal), ready_at)

    def join(self, corridor: Corridor, path: Path) -> Corridor:
        """The corridor of a new plan, or the old one if there is none."""
        if path.times is None:
            return corridor
        return TimedCorridor(path.points.tolist(), path.times.tolist(), self._scene.agent.speed)

    def surprises(self) -> bool:
        """Whether a body is not where the last plan expected it."""
        return self._planner.surprises()

    def _expected(self, goal: Point) -> Goal:
        """Where the destination will be, as far as that is known."""
        if self._foresee:
            return self._destination.at
        before, self._seen = self._seen, (self._scene.time, goal)
        if before is None or before[0] >= self._scene.time:
            before = self._seen
        return constant_velocity(*self._seen, *before)
