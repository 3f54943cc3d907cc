"""Who gives way to whom where agents block one another, and the cells that the others will fly in.

An agent that has hardly moved for a while plans around the planned paths of the agents that rank
above it, and around those that stand. Then it gets the first rank, so the others plan around it.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.fleet.agents import FleetAgent
from noctule.flight.corridor import Point
from noctule.graphs.grid.scene_grid import CellGrid

SLOW = 0.2  # of the highest speed; an agent that is slower hardly moves
STUCK_AFTER = 0.5  # seconds for which it hardly moves
AHEAD = 1.0  # seconds of the paths of the others
NEAR = 4.0  # times the speed: how far away agents are looked at


class RightsOfWay:
    """Ranks of the agents of a fleet.

    Parameters
    ----------
    graph : CellGrid
        The graph of the scene.
    frame : float
        Seconds from step to step.
    """

    def __init__(self, graph: CellGrid, frame: float) -> None:
        self._graph, self._patience = graph, max(1, round(STUCK_AFTER / frame))
        self._first = 0.0  # the lowest rank so far

    def watch(self, agents: Iterable[FleetAgent]) -> None:
        """Find agents that are stuck: they ask for a plan, at most once in a while."""
        for agent in agents:
            flies = agent._there is not None and not agent.arrived
            if not flies or math.hypot(*agent.velocity) > SLOW * agent.speed:
                agent._slow_for = 0
            else:
                agent._slow_for += 1
                if agent._slow_for % self._patience == 0:
                    agent._asks = True

    def is_stuck(self, agent: FleetAgent) -> bool:
        """Whether an agent has hardly moved for a while."""
        return agent._slow_for >= self._patience

    def promote(self, agent: FleetAgent) -> None:
        """Give an agent the first rank."""
        self._first -= 1.0
        agent._rank = self._first

    def cells_in_use(
        self, agent: FleetAgent, agents: Sequence[FleetAgent]
    ) -> NDArray[np.int64] | None:
        """Return the cells that others near a stuck agent will fly in, or stand in."""
        found = []
        for other in agents:
            near = NEAR * agent.speed + other.radius
            if other is agent or math.dist(agent.position, other.position) > near:
                continue
            stands = other._there is None or other.arrived or self.is_stuck(other)
            if stands or other._rank < agent._rank:
                places = [other.position] if stands else _places_ahead(other)
                found += [self._cells_of_ball(place, other.radius, agent) for place in places]
        return np.unique(np.concatenate(found)) if found else None

    def _cells_of_ball(self, place: Point, radius: float, agent: FleetAgent) -> NDArray[np.int64]:
        """Return the cells that a ball meets, except those that the agent is in itself."""
        graph = self._graph
        size, origin, shape = graph.cell, graph.origin, np.array(graph.shape)
        low = np.maximum(np.floor((np.array(place) - radius - origin) / size), 0).astype(int)
        high = np.minimum(np.ceil((np.array(place) + radius - origin) / size), shape).astype(int)
        if (low >= high).any():
            return np.empty(0, np.int64)
        corners = np.stack(
            np.meshgrid(*(np.arange(a, b) for a, b in zip(low, high, strict=True)), indexing="ij"),
            axis=-1,
        ).reshape(-1, 3)
        low_corners = origin + corners * size

        def gap(point: Point) -> NDArray[np.float64]:
            p = np.array(point)
            outside = np.maximum(np.maximum(low_corners - p, p - low_corners - size), 0.0)
            distances: NDArray[np.float64] = np.sqrt((outside * outside).sum(axis=1))
            return distances

        met = corners[(gap(place) < radius) & (gap(agent.position) > agent.radius)] + 1
        _, ny, nz = shape + 2
        return np.asarray((met[:, 0] * ny + met[:, 1]) * nz + met[:, 2], np.int64)


def _places_ahead(agent: FleetAgent) -> list[Point]:
    """Return where an agent will be in the next second, if it flies along its route."""
    guide = agent._guide
    corners = guide.route.corners if guide is not None and guide.route is not None else ()
    places, here, left = [agent.position], agent.position, AHEAD * agent.speed
    for corner in corners:
        far = math.dist(here, corner)
        steps = max(1, math.ceil(min(far, left) / agent.radius))
        for k in range(1, steps + 1):
            part = min(1.0, left / far if far > 0 else 1.0) * k / steps
            x, y, z = (p + part * (q - p) for p, q in zip(here, corner, strict=True))
            places.append((x, y, z))
        here, left = corner, left - far
        if left <= 0.0:
            break
    return places
