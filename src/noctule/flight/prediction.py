"""`Prediction`: bodies are dangerous where they will be, not only where they are.

Cells that a body will touch within a second are blocked, but only near the agent: farther away,
they may be free again when it gets there. Where that leaves no path, the time is halved, again and
again: it is better to fly where something will be soon than to stand where it comes to.
"""

import math
from collections.abc import Iterable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import positive
from noctule.flight.corridor import Point
from noctule.flight.escape_check import Foresight
from noctule.graphs.grid.predicted_cells import Expected, PredictedCells
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.worlds.bodies import Body, Row
from noctule.worlds.motions import Blink, Motion
from noctule.worlds.occupancy.forecasts import Track
from noctule.worlds.occupancy.swept_cells import Ways, apart, apart_along_axes
from noctule.worlds.scene import Scene

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
    radius : float, optional
        Of the agent; that of the scene's unless given.
    """

    def __init__(
        self,
        graph: CellGrid,
        speed: float,
        horizon: float = HORIZON,
        radius: float | None = None,
    ) -> None:
        self.graph, self.speed = graph, speed
        self.horizon = positive("horizon", horizon)
        self._dangers = PredictedCells(graph)
        self._first = 0  # the share to begin with when time is short
        self._calm = 0  # how many plans in a row it was right
        self._late = 0  # how many plans in a row were not ready in time
        self._tracks: dict[int, Track] = {}
        self._placed: list[Track] = []  # of bodies that have been placed
        self._seen: list[Body] | None = None  # the scene's bodies that move, when last observed
        self._motions = _Motions()
        radius = graph.scene.agent.radius if radius is None else radius
        self._foresight = Foresight(graph, speed, radius)

    def look(self, agent: Point, share: float = 1.0) -> int:
        """Block what bodies will touch near the agent within a share of the horizon; how much."""
        scene = self.graph.scene
        if share == 0.0:
            self.graph.set_predicted(None)
            return 0
        until = scene.time + share * self.horizon
        reach = (self.speed * self.horizon + WIDER) / self.graph.cell
        place = self.graph.in_cells("agent", agent)
        expected = self._expected(scene.time, until, agent)
        return self.graph.set_predicted(self._dangers.near(place, reach, expected))

    def plan(
        self,
        planner: Planner,
        start: Point,
        goal: Point,
        corner: Point | None = None,
        budget: float | None = None,
        at: float | None = None,
    ) -> Path:
        """A plan that keeps out of what is dangerous, as far ahead as leaves a path.

        If it begins in cells that bodies touch, or will, it gets out of them in time; unless there
        is none that does. The agent is at the start at a moment, now unless given.
        """
        until = math.inf if budget is None else perf_counter() + budget
        since = self.graph.scene.time if at is None else at
        doubtful: tuple[int, Path] | None = None  # the first that does not get out in time
        for i in range(0 if budget is None else self._first, len(SHARES)):
            self.look(start, SHARES[i])
            left = None if budget is None else max(until - perf_counter(), 0.0)
            path = planner.plan(start, goal, best_start=True, towards=corner, budget=left)
            late = perf_counter() >= until
            found = path.found and self._leaves_in_time(path, since)
            if found or late:
                break
            if path.found and doubtful is None:
                doubtful = i, path
        if not found and doubtful is not None:
            i, path = doubtful
            self.look(start, SHARES[i])
        self._go_on_with(i, path.found, late)
        return path

    def gets_out(self, p: Point, q: Point, since: float) -> bool:
        """Whether an agent that leaves `p` at a moment is at `q` before a body is in the way."""
        return self._foresight.is_free(p, q, since, self._placed)

    def _leaves_in_time(self, path: Path, since: float) -> bool:
        if not path.blocked_ends[0] or len(path.points) == 1:
            return True
        p, q = path.points[:2].tolist()
        return self.gets_out(p, q, since)

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
        scene = self.graph.scene
        followed: Iterable[Track] = self._placed
        if scene.moving is not self._seen:  # else nobody has placed another one
            self._seen = scene.moving
            still = {id(body): body for body in scene.bodies if not body.moves}
            known = {key: track for key, track in self._tracks.items() if key in still}
            new = {key: Track(body, scene.time) for key, body in still.items() if key not in known}
            self._tracks = known | new
            followed = self._tracks.values()
        for track in followed:
            track.observe(scene.time)
        self._placed = [track for track in followed if track.placed]

    def _expected(self, now: float, until: float, agent: Point) -> list[Expected]:
        """Poses that bodies will take, and how far they get from them until the next one."""
        first, last = math.floor(now / PAUSE), math.ceil(until / PAUSE)
        near = self.speed * self.horizon + WIDER + self.graph.cell
        scene, motions = self.graph.scene, self._motions
        found = motions.near(scene, (first, last), agent, near)
        for i, body in motions.gates:
            at = (*body.home[0], *body.home[1], 1.0)
            if _comes(body, until, agent) and math.dist(at[:3], agent) <= near + body.reach:
                found.append((i, at, (0.0,) * 4))
        for track in self._placed:
            body = track.body
            if not body.moves and body in scene.bodies:
                i = scene.bodies.index(body)
                coming = [(i, *_between(track, body, k)) for k in range(first, last + 1)]
                found += [e for e in coming if math.dist(e[1][:3], agent) <= near + body.reach]
        return found


class _Motions:
    """Where motions take bodies, from look to look; kept, as many frames ask for the same.

    Attributes
    ----------
    gates : list
        The bodies that come and go, with their numbers.
    """

    def __init__(self) -> None:
        self.gates: list[tuple[int, Body]] = []
        self._moving: list[Body] | None = None  # the scene's, when it was last looked at
        self._of: list[tuple[Body, Motion]] = []  # all bodies then
        self._at: dict[int, list[Expected]] = {}  # for each look
        self._looks = (0, -1)  # first and last of those in ..
        self._all: list[Expected] = []
        self._places: NDArray[np.float64] = np.empty((0, 4))  # .. and how far a body reaches there

    def near(
        self, scene: Scene, looks: tuple[int, int], agent: Point, near: float
    ) -> list[Expected]:
        """What to expect so near to the agent at looks from the first to the last."""
        if scene.moving is not self._moving:
            self._moving = scene.moving
            of = [(body, body.motion) for body in scene.bodies]
            if of != self._of:
                self._of, self._at, self._looks = of, {}, (0, -1)
                self.gates = [(i, body) for i, (body, _) in enumerate(of) if body.blinks]
        if looks != self._looks:
            self._looks = looks
            self._lay_out(*looks)
        apart = self._places[:, :3] - agent
        is_near = (apart * apart).sum(axis=1) <= (near + self._places[:, 3]) ** 2
        return [self._all[j] for j in np.flatnonzero(is_near).tolist()]

    def _lay_out(self, first: int, last: int) -> None:
        bodies = [body for body, _ in self._of]
        movers = [(i, b) for i, b in enumerate(bodies) if b.moves and not b.blinks]
        self._at = {k: known for k, known in self._at.items() if k >= first}
        for k in range(first, last + 1):
            if k not in self._at:
                self._at[k] = [(i, *_between(body, body, k)) for i, body in movers]
        self._all = [e for k in range(first, last + 1) for e in self._at[k]]
        places = [(*row[:3], bodies[i].reach) for i, row, _ in self._all]
        self._places = np.array(places).reshape(-1, 4)


def _between(source: Body | Track, body: Body, k: int) -> tuple[Row, Ways]:
    """The pose of a body at the k-th look, and how far from it, or the next, it is in between."""
    pose, after = source.pose(k * PAUSE), source.pose((k + 1) * PAUSE)
    x, y, z = apart_along_axes(pose, after, body.reach)
    way = apart(pose, after, body.reach)
    return (*pose[0], *pose[1], 1.0), (x / 2, y / 2, z / 2, way / 2)


def _comes(body: Body, until: float, agent: Point) -> bool:
    """Whether a gate that is not there will come; it does not while the agent is near it."""
    assert isinstance(body.motion, Blink)
    return not body.present and body.toggles_at <= until and not body.motion.holds(agent)
