"""`Prediction`: avoid the cells that bodies are about to touch.

Cells that a body will touch within a second are blocked, but only near the agent: farther away they
may be free again when it gets there. Where that leaves no path, the horizon is halved, again and
again.
"""

import math
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import positive
from noctule.flight.corridor import Point
from noctule.flight.forecast.escape_check import EscapeCheck
from noctule.flight.forecast.expected_poses import NOTHING, Expected, ExpectedPoses
from noctule.flight.forecast.placed_bodies import PlacedBodies
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.path import Path
from noctule.planning.planner import Planner
from noctule.worlds.geometry.solids import Solids
from noctule.worlds.occupancy.occupancy import cells_near, rows_for, scratch_for
from noctule.worlds.occupancy.voxelize import cells_of

HORIZON = 1.0  # seconds
SHARES = (1.0, 0.5, 0.25, 0.125, 0.0)  # of the horizon, tried until there is a path
PATIENCE = 30  # plans in a row with a smaller share, with a time limit, before a larger one
MOST_LATE = 30  # late plans in a row before a smaller share is tried
SLICE = 16  # bodies whose cells are found between two looks at the clock
KEEP = 0.5  # seconds that cells stand in for those of a body that waits for its turn
PART = 0.5  # of the time for a plan, for its prediction
WIDER = 2.0  # world units beyond what the agent flies within the horizon


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
    placed : PlacedBodies, optional
        What is known of bodies that the caller moves, if several predictions share it.

    Attributes
    ----------
    left_out : int
        The most bodies near the agent that a look since the last `observe` had no time for.
    others : int array or None
        Cells that are blocked in addition, because other agents will be there.
    """

    def __init__(
        self,
        graph: CellGrid,
        speed: float,
        horizon: float = HORIZON,
        radius: float | None = None,
        placed: PlacedBodies | None = None,
    ) -> None:
        self.graph, self.speed = graph, speed
        self.horizon = positive("horizon", horizon)
        self._first = 0  # the share to begin with under a time limit
        self._calm = 0  # plans in a row for which it was right
        self._late = 0  # plans in a row that were not ready in time
        self.left_out = 0
        self.others: NDArray[np.int64] | None = None
        self._waiting: NDArray[np.int64] = np.empty(0, np.int64)  # left out by the last look
        self._slices: list[_Slice] = []
        self._last_look: tuple[float, Point, float] | None = None  # time, agent, share
        self._placed = PlacedBodies(graph) if placed is None else placed
        self._expected = ExpectedPoses(graph, self._placed)
        radius = graph.scene.agent.radius if radius is None else radius
        self._escape = EscapeCheck(graph, speed, radius)
        self._space = graph.scene.space
        self._cells = cells_of(self._space)
        self._marked = np.zeros(graph.node_count, np.bool_)
        self._found = np.empty(graph.node_count, np.int64)
        self._solids: Solids | None = None

    def look(self, agent: Point, share: float = 1.0, deadline: float = math.inf) -> int:
        """Block the cells that bodies will touch near the agent within a share of the horizon.

        Returns how many cells. With a deadline, the nearest bodies come first, then those that
        waited for their turn. Of bodies that are left at the deadline, the cells found by earlier
        looks stay blocked for a while; `left_out` counts them.
        """
        graph, now = self.graph, self.graph.scene.time
        if self._last_look == (now, agent, share):  # by the other planner of the same step
            return len(graph.predicted_cells)
        self._last_look = now, agent, share
        if share == 0.0:
            return graph.set_predicted(None)
        until, reach = now + share * self.horizon, self.speed * self.horizon + WIDER
        near, place = reach + graph.cell, graph.in_cells("agent", agent)
        order = self._expected.candidates(agent, near, until)
        size = len(order)
        if deadline < math.inf:
            size, rest = SLICE, order[SLICE:]
            waiting = self._waiting[np.isin(self._waiting, rest)]
            others = rest[np.isin(rest, waiting, invert=True)]
            order = np.concatenate((order[:SLICE], waiting, others))
        found: list[_Slice] = []
        done = 0
        while done < len(order) and (done == 0 or perf_counter() < deadline):
            bodies = order[done : done + size]
            expected = self._expected.of(bodies, agent, near, until)
            cells = self._cells_met(expected, place, reach / graph.cell)
            found.append(_Slice(bodies, cells, now, share))
            done += size
        self._waiting = order[done:]
        self.left_out = max(self.left_out, len(self._waiting))
        old = [s for s in self._slices if s.serves(self._waiting, now, share)]
        self._slices = found + old
        if len(self._slices) == 1 and self.others is None:
            return graph.set_predicted(self._slices[0].cells)
        met = [s.cells for s in self._slices] + ([] if self.others is None else [self.others])
        return graph.set_predicted(np.unique(np.concatenate(met)) if met else None)

    def warm_up(self, agent: Point) -> None:
        """Compile, or load, all kernels that a prediction may need."""
        self._cells_met(NOTHING, self.graph.in_cells("agent", agent), 0.0)
        self.look(agent)
        self.look(agent, 0.0)
        self.escapes_in_time(agent, agent, 0.0)

    def _cells_met(
        self, expected: Expected, place: tuple[float, ...], reach: float
    ) -> NDArray[np.int64]:
        """Return the cells up to `reach` from a place (both in cells) that bodies will meet."""
        graph = self.graph
        space = graph.scene.space
        if self._solids is not graph.solids or self._space is not space:  # other bodies, or cells
            self._solids, self._space, self._cells = graph.solids, space, cells_of(space)
            self._rows = rows_for(graph.solids.reach + self._cells.size, self._cells)
            self._scratch = scratch_for(graph.solids)
        parts = [graph.parts[body] for body in expected.bodies.tolist()]
        which = np.repeat(np.arange(len(parts)), np.array([len(p) for p in parts], np.int64))
        n = cells_near(
            graph.solids,
            np.array([i for part in parts for i in part], np.int64),
            expected.rows[which],
            np.minimum(expected.ways[which] / graph.cell, 1.0),
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
        time_limit: float | None = None,
        at: float | None = None,
    ) -> Path:
        """Plan around predicted cells, with the longest horizon that leaves a path.

        A path that starts in blocked cells must leave them before a body comes; if there is none
        that does, the first path found is returned. The agent is at the start at time `at`, now
        unless given.
        """
        until = math.inf if time_limit is None else perf_counter() + time_limit
        since = self.graph.scene.time if at is None else at
        doubtful: tuple[int, Path] | None = None  # the first that does not escape in time
        for i in range(0 if time_limit is None else self._first, len(SHARES)):
            self.look(start, SHARES[i], _part_of(until))
            left = None if time_limit is None else max(until - perf_counter(), 0.0)
            path = planner.plan(start, goal, best_start=True, towards=corner, time_limit=left)
            late = perf_counter() >= until
            found = path.reached_goal
            if found and path.blocked_ends[0] and len(path.points) > 1:
                p, q = path.points[:2].tolist()
                found = self.escapes_in_time(p, q, since)
            if found or late:
                break
            if path.reached_goal and doubtful is None:
                doubtful = i, path
        if not found and doubtful is not None:
            i, path = doubtful
            self.look(start, SHARES[i], _part_of(until))
        self._adapt(i, path.reached_goal, late)
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
        """Update what is known of bodies that are placed by the caller; once a frame."""
        self._placed.observe()
        self.begin_frame()

    def begin_frame(self) -> None:
        """Forget the look of the last frame."""
        self._last_look, self.left_out = None, 0


class _Slice(NamedTuple):
    """Cells that some bodies will meet, as found at a time for a share of the horizon."""

    bodies: NDArray[np.int64]
    cells: NDArray[np.int64]
    time: float
    share: float

    def serves(self, waiting: NDArray[np.int64], now: float, share: float) -> bool:
        """Whether it may stand in for bodies that wait for their turn."""
        is_young = 0.0 <= now - self.time <= KEEP and self.share == share
        return is_young and bool(np.isin(self.bodies, waiting).any())


def _part_of(until: float) -> float:
    """Return when to end a look, so that time is left for the search."""
    if until == math.inf:
        return until
    now = perf_counter()
    return now + PART * max(until - now, 0.0)
