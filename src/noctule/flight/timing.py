"""`TimedPilot`: how an agent flies whose algorithm plans in time."""

from noctule.flight.corridor import Corridor, Point, TimedCorridor
from noctule.flight.pilots import Pilot
from noctule.graphs.scene_graphs import SceneGraph
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.sipp.interception import Goal, Seen
from noctule.worlds.scene import Destination


class TimedPilot(Pilot):
    """Plans for a moment ahead, and flies them as they say; an old plan is kept if none is found.

    A plan was free when it was made, and stays so while bodies move as expected: it is better than
    to stop.
    """

    every = 6  # as long as bodies move as expected

    def __init__(
        self,
        planner: Planner,
        graph: SceneGraph,
        near: float,
        destination: Destination,
        foresee: bool,
    ) -> None:
        super().__init__(planner, graph, near)
        assert planner.timed is not None
        self._timed, self._scene = planner.timed, graph.scene
        self._destination, self._foresee = destination, foresee
        self._seen = Seen()  # what is known of the destination otherwise

    def head_for(self, destination: Destination) -> None:
        """Expect another destination from now on."""
        self._destination, self._seen = destination, Seen()

    def plan(self, start: Point, goal: Point, corner: Point | None, ready_at: float) -> Path:
        """A plan from where the agent will be when it is ready, to where the goal will be."""
        return self._timed.plan(start, self._expected(goal), ready_at)

    def join(self, corridor: Corridor, path: Path) -> Corridor:
        """The corridor of a new plan, or the old one if there is none."""
        if path.times is None:
            return corridor
        return TimedCorridor(path.points.tolist(), path.times.tolist(), self._scene.agent.speed)

    def surprised(self) -> bool:
        """Whether a body is not where the last plan expected it."""
        return self._timed.deviates_from_forecast()

    def why_late(self, no_plan: str, waited: float) -> str:
        """What is to be said of a flight that took too long."""
        return f", of which it waited {waited:.0f} s" + super().why_late(no_plan, waited)

    def _expected(self, goal: Point) -> Goal:
        """Where the destination will be, as far as that is known."""
        if self._foresee:
            return self._destination.at
        return self._seen.expected(self._scene.time, goal)
