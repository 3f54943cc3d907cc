"""`Prediction`: bodies are dangerous where they will be, not only where they are.

Cells that a body will touch within a second are blocked, but only near the agent: farther away,
they may be free again when it gets there. Where that leaves no path, the time is halved, again and
again: it is better to fly where something will be soon than to stand where it comes to.
"""

import math
from time import perf_counter

from noctule.flight.corridor import Point
from noctule.gate import positive
from noctule.graphs.cell_grid import CellGrid
from noctule.graphs.dangers import Dangers, Expected
from noctule.path import Path
from noctule.searches.planner import Planner
from noctule.worlds.bodies import Body, Row
from noctule.worlds.forecasts import Track
from noctule.worlds.motions import Blink
from noctule.worlds.sweeps import Ways, apart, apart_along_axes

HORIZON = 1.0  # seconds
SHARES = (1.0, 0.5, 0.25, 0.125, 0.0)  # of the horizon, until there is a path
PATIENCE = 30  # plans with a smaller share, when time is short, until a larger one is tried
MOST_LATE = 30  # plans in a row that are not ready in time, until a smaller share is tried
PAUSE = 0.1  # seconds between two looks at a motion
WIDER = 2.0  # world units that are looked at beyond what is flown within the horizon


class Prediction:
    """Keeps an agent out of cells that bodies are about to touch.

    Parameters
    ----------
    graph : CellGrid
        The graph; the cells are blocked there as long as they are dangerous.
    speed : float
        Of the agent.
    horizon : float
        How many seconds ahead to look.
    """

    def __init__(self, graph: CellGrid, speed: float, horizon: float = HORIZON) -> None:
        self.graph, self.speed = graph, speed
        self.horizon = positive("horizon", horizon)
        self._dangers = Dangers(graph)
        self._first = 0  # the share to begin with when time is short
        self._calm = 0  # how many plans in a row it was right
        self._late = 0  # how many plans in a row were not ready in time
        self._tracks: dict[int, Track] = {}
        self._looks: dict[int, dict[Body, tuple[Row, Ways]]] = {}

    def look(self, agent: Point, share: float = 1.0) -> int:
        """Block what bodies will touch near the agent within a share of the horizon; how much."""
        scene = self.graph.scene
        if share == 0.0:
            self.graph.shun(None)
            return 0
        until = scene.time + share * self.horizon
        reach = (self.speed * self.horizon + WIDER) / self.graph.cell
        place = self.graph.in_cells("agent", agent)
        expected = self._expected(scene.time, until, agent)
        return self.graph.shun(self._dangers.near(place, reach, expected))

    def plan(
        self,
        planner: Planner,
        start: Point,
        goal: Point,
        corner: Point | None = None,
        budget: float | None = None,
    ) -> Path:
        """A plan that keeps out of what is dangerous, as far ahead as leaves a path."""
        until = math.inf if budget is None else perf_counter() + budget
        for i in range(0 if budget is None else self._first, len(SHARES)):
            self.look(start, SHARES[i])
            left = None if budget is None else max(until - perf_counter(), 0.0)
            path = planner.plan(start, goal, best_start=True, towards=corner, budget=left)
            late = perf_counter() >= until
            if path.found or late:
                break
        self._go_on_with(i, path.found, late)
        return path

    def _go_on_with(self, i: int, found: bool, late: bool) -> None:
        """Where there was no time to try all shares, begin the next time where this one ended.

        That a plan was not ready in time does not mean that there is none: a search that remembers
        goes on with it. Only if that happens again and again, less has to do.
        """
        self._calm = self._calm + 1 if found and i == self._first else 0
        self._late = self._late + 1 if late and not found else 0
        if self._late >= MOST_LATE or not (found or late):
            self._first, self._late = min(i + 1, len(SHARES) - 1), 0
        elif i > self._first:
            self._first = i
        elif self._calm >= PATIENCE:
            self._first, self._calm = max(i - 1, 0), 0

    def observe(self) -> None:
        """Take notice of bodies that somebody places, to know how fast they are."""
        now = self.graph.scene.time
        for body in self.graph.scene.bodies:
            if not body.moves:
                track = self._tracks.get(id(body))
                if track is None or track.body is not body:
                    track = self._tracks[id(body)] = Track(body, now)
                track.observe(now)

    def _expected(self, now: float, until: float, agent: Point) -> list[Expected]:
        """Poses that bodies will take, and how far they get from them until the next one."""
        first, last = math.floor(now / PAUSE), math.ceil(until / PAUSE)
        for k in [k for k in self._looks if not first <= k <= last]:
            del self._looks[k]
        found: list[Expected] = []
        bodies = self.graph.scene.bodies
        for i, body in enumerate(bodies):
            if isinstance(body.motion, Blink):
                if _comes(body, until, agent):
                    found.append((i, (*body.home[0], *body.home[1], 1.0), (0.0,) * 4))
            elif body.moves:
                found += [(i, *self._look(k, body)) for k in range(first, last + 1)]
            elif (track := self._tracks.get(id(body))) is not None and track.placed:
                found += [(i, *_between(track, body, k)) for k in range(first, last + 1)]
        near = self.speed * self.horizon + WIDER + self.graph.cell
        return [
            expected
            for expected in found
            if math.dist(expected[1][:3], agent) <= near + _reach(bodies[expected[0]])
        ]

    def _look(self, k: int, body: Body) -> tuple[Row, Ways]:
        """Where a motion takes a body at the k-th look; kept, as many frames ask for it."""
        looks = self._looks.setdefault(k, {})
        if body not in looks:
            looks[body] = _between(body, body, k)
        return looks[body]


def _between(source: Body | Track, body: Body, k: int) -> tuple[Row, Ways]:
    """The pose of a body at the k-th look, and how far from it, or the next, it is in between."""
    pose, after = source.pose(k * PAUSE), source.pose((k + 1) * PAUSE)
    x, y, z = apart_along_axes(pose, after, _reach(body))
    way = apart(pose, after, _reach(body))
    return (*pose[0], *pose[1], 1.0), (x / 2, y / 2, z / 2, way / 2)


def _reach(body: Body) -> float:
    return max(shape.reach for shape in (body.shape, *body.safety))


def _comes(body: Body, until: float, agent: Point) -> bool:
    """Whether a gate that is not there will come; it does not while the agent is near it."""
    assert isinstance(body.motion, Blink)
    return not body.present and body.toggles_at <= until and not body.motion.holds(agent)
