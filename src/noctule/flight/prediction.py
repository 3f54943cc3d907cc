"""`Prediction`: avoid the cells that bodies are about to touch.

Cells that a body will touch within a second are blocked, but only near the agent: farther away they
may be free again when it gets there. Where that leaves no path, the horizon is halved, again and
again.
"""

import math
from collections.abc import Iterable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import positive
from noctule.flight.corridor import Point
from noctule.flight.escape_check import EscapeCheck
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.worlds.bodies import Body, Row
from noctule.worlds.geometry.solids import Solids
from noctule.worlds.motions import Blink, Motion
from noctule.worlds.occupancy.forecasts import Track
from noctule.worlds.occupancy.occupancy import cells_near, rows_for, scratch_for
from noctule.worlds.occupancy.swept_cells import Ways, apart, apart_along_axes
from noctule.worlds.occupancy.voxelize import cells_of
from noctule.worlds.scene import Scene

HORIZON = 1.0  # seconds
SHARES = (1.0, 0.5, 0.25, 0.125, 0.0)  # of the horizon, tried until there is a path
PATIENCE = 30  # plans in a row with a smaller share, with a time limit, before a larger one
MOST_LATE = 30  # late plans in a row before a smaller share is tried
PAUSE = 0.1  # seconds between two samples of a motion
WIDER = 2.0  # world units beyond what the agent flies within the horizon

# The number of a body, a pose, and how far from there it may be: along each axis, and in all.
Expected = tuple[int, Row, Ways]


class Prediction:
    """Blocks the cells of a graph that bodies are about to touch near the agent.

    Parameters
    ----------
    graph : CellGrid
        The graph in which cells are blocked.
    speed : float
        Speed of the agent.
    horizon : float
        Seconds to look ahead.
    radius : float, optional
        Radius of the agent; that of the scene unless given.
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
        self._first = 0  # the share to begin with under a time limit
        self._calm = 0  # plans in a row for which it was right
        self._late = 0  # plans in a row that were not ready in time
        self._tracks: dict[int, Track] = {}
        self._placed: list[Track] = []  # of bodies that have been placed
        self._seen: list[Body] | None = None  # the moving bodies of the scene, when last observed
        self._motions = _MotionSamples()
        radius = graph.scene.agent.radius if radius is None else radius
        self._escape = EscapeCheck(graph, speed, radius)
        space = graph.scene.space
        self._cells = cells_of(space)
        self._marked = np.zeros(graph.node_count, np.bool_)
        self._found = np.empty(graph.node_count, np.int64)
        self._solids: Solids | None = None

    def look(self, agent: Point, share: float = 1.0) -> int:
        """Block the cells that bodies will touch near the agent within a share of the horizon.

        Returns how many cells.
        """
        graph, scene, motions = self.graph, self.graph.scene, self._motions
        if share == 0.0:
            graph.set_predicted(None)
            return 0
        until = scene.time + share * self.horizon
        first, last = math.floor(scene.time / PAUSE), math.ceil(until / PAUSE)
        reach = self.speed * self.horizon + WIDER
        near = reach + graph.cell
        expected = motions.near(scene, (first, last), agent, near)
        for i, body in motions.gates:
            gate = body.motion
            assert isinstance(gate, Blink)
            if body.present or body.toggles_at > until or gate.holds(agent):
                continue  # it will not appear: it is there, not yet due, or held open
            row = (*body.home[0], *body.home[1], 1.0)
            if math.dist(row[:3], agent) <= near + body.reach:
                expected.append((i, row, (0.0,) * 4))
        for track in self._placed:
            body = track.body
            if not body.moves and body in scene.bodies:
                i = scene.bodies.index(body)
                samples = [(i, *_sample(track, body, k)) for k in range(first, last + 1)]
                expected += [e for e in samples if math.dist(e[1][:3], agent) <= near + body.reach]
        place = graph.in_cells("agent", agent)
        return graph.set_predicted(self._cells_met(expected, place, reach / graph.cell))

    def _cells_met(
        self, expected: list[Expected], place: tuple[float, ...], reach: float
    ) -> NDArray[np.int64]:
        """Return the cells up to `reach` from a place (both in cells) that bodies will meet."""
        graph = self.graph
        if self._solids is not graph.solids:  # other bodies
            self._solids = graph.solids
            self._rows = rows_for(graph.solids.reach + self._cells.size, self._cells)
            self._scratch = scratch_for(graph.solids)
        each = [(i, row, far) for body, row, far in expected for i in graph.parts[body]]
        if not each:
            return self._found[:0].copy()
        solids, rows, far = zip(*each, strict=True)
        n = cells_near(
            graph.solids,
            np.array(solids, np.int64),
            np.array(rows),
            np.minimum(np.array(far) / graph.cell, 1.0),
            self._cells,
            self._rows,
            self._scratch,
            place,
            reach,
            self._marked,
            self._found,
        )
        return self._found[:n].copy()

    def plan(
        self,
        planner: Planner,
        start: Point,
        goal: Point,
        corner: Point | None = None,
        budget: float | None = None,
        at: float | None = None,
    ) -> Path:
        """Plan around predicted cells, with the longest horizon that leaves a path.

        A path that starts in blocked cells must leave them before a body comes; if there is none
        that does, the first path found is returned. The agent is at the start at time `at`, now
        unless given.
        """
        until = math.inf if budget is None else perf_counter() + budget
        since = self.graph.scene.time if at is None else at
        doubtful: tuple[int, Path] | None = None  # the first that does not escape in time
        for i in range(0 if budget is None else self._first, len(SHARES)):
            self.look(start, SHARES[i])
            left = None if budget is None else max(until - perf_counter(), 0.0)
            path = planner.plan(start, goal, best_start=True, towards=corner, budget=left)
            late = perf_counter() >= until
            found = path.found
            if found and path.blocked_ends[0] and len(path.points) > 1:
                p, q = path.points[:2].tolist()
                found = self.escapes_in_time(p, q, since)
            if found or late:
                break
            if path.found and doubtful is None:
                doubtful = i, path
        if not found and doubtful is not None:
            i, path = doubtful
            self.look(start, SHARES[i])
        self._adapt(i, path.found, late)
        return path

    def escapes_in_time(self, p: Point, q: Point, since: float) -> bool:
        """Whether an agent that leaves `p` at a time reaches `q` before a body is in the way."""
        return self._escape.is_free(p, q, since, self._placed)

    def _adapt(self, i: int, found: bool, late: bool) -> None:
        """Choose the share to begin with next time, if there is no time to try all of them.

        A late plan does not mean that there is no path: an incremental search continues. Only if
        that happens again and again, a smaller share is tried.
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
        """Update the tracks of bodies that are placed by the caller; once a frame."""
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


class _MotionSamples:
    """Sampled poses of moving bodies, kept from frame to frame.

    Attributes
    ----------
    gates : list
        The bodies that appear and disappear, with their numbers.
    """

    def __init__(self) -> None:
        self.gates: list[tuple[int, Body]] = []
        self._moving: list[Body] | None = None  # of the scene, as of the last call
        self._of: list[tuple[Body, Motion]] = []  # all bodies then
        self._at: dict[int, list[Expected]] = {}  # by number of the sample
        self._range = (0, -1)  # first and last sample in ..
        self._all: list[Expected] = []
        self._places: NDArray[np.float64] = np.empty((0, 4))  # .. positions, and reach of the body

    def near(
        self, scene: Scene, samples: tuple[int, int], agent: Point, near: float
    ) -> list[Expected]:
        """Return the poses near the agent in the samples from the first to the last."""
        if scene.moving is not self._moving:
            self._moving = scene.moving
            of = [(body, body.motion) for body in scene.bodies]
            if of != self._of:
                self._of, self._at, self._range = of, {}, (0, -1)
                self.gates = [(i, body) for i, (body, _) in enumerate(of) if body.blinks]
        if samples != self._range:
            self._range = samples
            self._sample(*samples)
        apart = self._places[:, :3] - agent
        is_near = (apart * apart).sum(axis=1) <= (near + self._places[:, 3]) ** 2
        return [self._all[j] for j in np.flatnonzero(is_near).tolist()]

    def _sample(self, first: int, last: int) -> None:
        bodies = [body for body, _ in self._of]
        movers = [(i, b) for i, b in enumerate(bodies) if b.moves and not b.blinks]
        self._at = {k: known for k, known in self._at.items() if k >= first}
        for k in range(first, last + 1):
            if k not in self._at:
                self._at[k] = [(i, *_sample(body, body, k)) for i, body in movers]
        self._all = [e for k in range(first, last + 1) for e in self._at[k]]
        places = [(*row[:3], bodies[i].reach) for i, row, _ in self._all]
        self._places = np.array(places).reshape(-1, 4)


def _sample(source: Body | Track, body: Body, k: int) -> tuple[Row, Ways]:
    """Return the pose at sample `k`, and how far from it or the next one the body gets between."""
    pose, after = source.pose(k * PAUSE), source.pose((k + 1) * PAUSE)
    x, y, z = apart_along_axes(pose, after, body.reach)
    way = apart(pose, after, body.reach)
    return (*pose[0], *pose[1], 1.0), (x / 2, y / 2, z / 2, way / 2)
