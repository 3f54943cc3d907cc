"""`FleetJudge`: exact, continuous collision detection for all agents of a fleet."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel
from noctule.flight.collision import DEEPEST
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.geometry.contact import first_contact
from noctule.worlds.geometry.vectors import row

SLACK = 1e-7  # world units; a ball that comes so much too near only touches


class Contact(NamedTuple):
    """A contact of an agent, by number, with a body or another agent."""

    time: float
    agent: int
    other: int | str  # the number of an agent, or the name of a body


@kernel
def touched_bodies(
    solids: Any, before: Any, after: Any, p: Any, q: Any, radius: Any, stack: Any, found: Any
) -> None:
    """Write the first body that each agent touches on its way from `p` to `q`, or -1."""
    for a in range(len(radius)):
        body, _ = first_contact(solids, before, after, row(p, a), row(q, a), radius[a], stack)
        found[a] = body


class FleetJudge:
    """Watches the frames of a fleet.

    A contact that lasts is counted once.

    Parameters
    ----------
    graph : CellGrid
        The graph of the scene, updated from frame to frame.
    """

    def __init__(self, graph: CellGrid) -> None:
        self._graph = graph
        self._touched = bind(touched_bodies)
        self._stack = np.empty((DEEPEST, 2))
        self._last: set[tuple[int, int | str]] = set()
        self.contacts: list[Contact] = []

    def frame(
        self,
        now: float,
        before: NDArray[np.float64],
        numbers: list[int],
        p: NDArray[np.float64],
        q: NDArray[np.float64],
        radius: NDArray[np.float64],
    ) -> None:
        """Judge a frame: bodies moved from `before` to where they are, agents from `p` to `q`."""
        graph, found = self._graph, np.empty(len(radius), np.int64)
        inner = radius - SLACK
        self._touched(graph.bare, before, graph.poses, p, q, inner, self._stack, found)
        hits: set[tuple[int, int | str]] = {
            (numbers[a], graph.bodies[found[a]].name) for a in np.flatnonzero(found >= 0).tolist()
        }
        for a, b in np.argwhere(pairs_that_touch(p, q, inner)).tolist():
            hits.add((numbers[a], numbers[b]))
        new = sorted(hits - self._last, key=str)
        self.contacts += [Contact(now, agent, other) for agent, other in new]
        self._last = hits


def pairs_that_touch(
    p: NDArray[np.float64], q: NDArray[np.float64], radius: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which pairs (a, b) with a < b of evenly moving balls touch."""
    apart = p[:, None] - p[None]
    moves = (q[:, None] - q[None]) - apart
    size = (moves * moves).sum(axis=2)
    t = np.clip(-(apart * moves).sum(axis=2) / np.where(size > 0.0, size, 1.0), 0.0, 1.0)
    closest = apart + t[:, :, None] * moves
    near = radius[:, None] + radius[None]
    touch: NDArray[np.bool_] = (closest * closest).sum(axis=2) < near * near
    return np.triu(touch, 1)
