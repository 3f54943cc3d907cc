"""`ExpectedPoses`: where the bodies near an agent will be, the nearest bodies first."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.flight.corridor import Point
from noctule.flight.forecast.movers import Movers
from noctule.flight.forecast.placed_bodies import PlacedBodies
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.bodies import Body
from noctule.worlds.motions import Blink
from noctule.worlds.occupancy.swept_cells import max_displacement, max_displacement_along_axes

PAUSE = 0.1  # seconds between two samples of a motion
SLACK = 1e-6  # world units, for rounding

Samples = tuple[NDArray[np.float64], NDArray[np.float64]]


class Expected(NamedTuple):
    """Poses that bodies are expected at.

    `ways` has how far from each pose the body may be until the next: along each axis, and in all.
    """

    bodies: NDArray[np.int64]
    rows: NDArray[np.float64]
    ways: NDArray[np.float64]


NOTHING = Expected(np.empty(0, np.int64), np.empty((0, 8)), np.empty((0, 4)))


class ExpectedPoses:
    """Poses of bodies with a motion, of gates that appear, and of placed bodies.

    Motions are sampled, and the samples kept from frame to frame.
    """

    def __init__(self, graph: CellGrid, placed: PlacedBodies) -> None:
        self._graph, self._placed = graph, placed
        self._movers = Movers(graph)
        self._samples: dict[int, tuple[int, Samples]] = {}  # of a body: the first, and all since

    def candidates(self, agent: Point, near: float, until: float) -> NDArray[np.int64]:
        """Return the bodies that may come near the agent before a time, the nearest first."""
        if self._movers.update():
            self._samples = {}
        numbers = np.concatenate((self._movers.numbers, self._placed.numbers))
        speeds = np.concatenate((self._movers.speeds, self._placed.speeds))
        apart = self._graph.poses[numbers, :3] - agent
        gaps = np.sqrt((apart * apart).sum(axis=1)) - self._movers.reach[numbers]
        ahead = until - self._graph.scene.time + 2 * PAUSE  # samples go beyond at both ends
        is_near = gaps <= near + SLACK + speeds * ahead
        chosen: NDArray[np.int64] = numbers[is_near][np.argsort(gaps[is_near], kind="stable")]
        return chosen

    def of(self, numbers: NDArray[np.int64], agent: Point, near: float, until: float) -> Expected:
        """Return the poses of some candidates until a time that are up to `near` from the agent."""
        numbers = np.sort(numbers)
        now, bodies = self._graph.scene.time, self._graph.bodies
        first, last = math.floor(now / PAUSE), math.ceil(until / PAUSE)
        parts: list[Expected] = []
        movers = [i for i in numbers.tolist() if bodies[i].moves]
        sampled = [i for i in movers if not bodies[i].blinks]
        if sampled:
            samples = [self._sampled(i, first, last) for i in sampled]
            rows, ways = (np.stack(each, axis=1) for each in zip(*samples, strict=True))
            every = np.tile(np.array(sampled), len(rows))
            parts.append(Expected(every, rows.reshape(-1, 8), ways.reshape(-1, 4)))
        gates = [i for i in movers if bodies[i].blinks and _may_appear(bodies[i], until, agent)]
        if gates:
            homes = [bodies[i].home for i in gates]
            rows = np.array([(*position, *turn, 1.0) for position, turn in homes])
            parts.append(Expected(np.array(gates), rows, np.zeros((len(gates), 4))))
        placed = numbers[[not bodies[i].moves for i in numbers.tolist()]]
        if len(placed):
            parts.append(self._of_placed(placed, first, last))
        if not parts:
            return NOTHING
        every, rows, ways = (np.concatenate(each) for each in zip(*parts, strict=True))
        gap = rows[:, :3] - agent
        is_near = (gap * gap).sum(axis=1) <= (near + self._movers.reach[every]) ** 2
        return Expected(every[is_near], rows[is_near], ways[is_near])

    def _of_placed(self, numbers: NDArray[np.int64], first: int, last: int) -> Expected:
        """Return the poses of bodies that were placed, body by body."""
        at = range(first, last + 1)
        rows = np.stack([self._placed.rows_at(k * PAUSE, numbers) for k in at], axis=1)
        half = np.abs(self._placed.velocities(numbers)) * (PAUSE / 2)
        ways = np.column_stack((half, np.sqrt((half * half).sum(axis=1))))
        every, ways = np.repeat(numbers, len(at)), np.repeat(ways, len(at), axis=0)
        return Expected(every, rows.reshape(-1, 8), ways)

    def _sampled(self, i: int, first: int, last: int) -> Samples:
        """Return the samples of a body from the first to the last."""
        since, (rows, ways) = self._samples.get(i, (first, (np.empty((0, 8)), np.empty((0, 4)))))
        if not since <= first <= since + len(rows):
            since, rows, ways = first, rows[:0], ways[:0]
        body, end = self._graph.bodies[i], since + len(rows)
        rows, ways = rows[first - since :], ways[first - since :]
        if end <= last:
            new = [_sample(body, k) for k in range(end, last + 1)]
            rows = np.concatenate((rows, [row for row, _ in new]))
            ways = np.concatenate((ways, [way for _, way in new]))
        self._samples[i] = first, (rows, ways)
        n = last - first + 1
        return rows[:n], ways[:n]


def _may_appear(gate: Body, until: float, agent: Point) -> bool:
    """Whether a gate appears until a time: it is not there, due, and not held open."""
    assert isinstance(gate.motion, Blink)
    return not (gate.present or gate.toggles_at > until or gate.motion.holds(agent))


def _sample(body: Body, k: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the pose at sample `k`, and how far from it or the next one the body gets between."""
    pose, after = body.pose(k * PAUSE), body.pose((k + 1) * PAUSE)
    x, y, z = max_displacement_along_axes(pose, after, body.reach)
    way = max_displacement(pose, after, body.reach)
    return (*pose[0], *pose[1], 1.0), (x / 2, y / 2, z / 2, way / 2)
