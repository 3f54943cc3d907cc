"""`Avoidance`: velocities of all agents of a fleet that avoid bodies and one another."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind
from noctule.fleet.agents import FleetAgent
from noctule.fleet.orca.choice import NEIGHBOURS, choose_velocities
from noctule.fleet.orca.crowd import Crowd, Room, Surroundings
from noctule.fleet.surroundings import ForecastPoses
from noctule.flight.corridor import Point
from noctule.graphs.grid.scene_grid import CellGrid

SEEN = 0.25  # seconds for which a velocity is checked against the bodies
MOST_BODIES = 64  # solids that an agent avoids at once by half-spaces

Vectors = NDArray[np.float64]


class Avoidance:
    """Chooses velocities near to the wanted ones.

    Parameters
    ----------
    graph : CellGrid
        The graph of the scene.
    forecast : ForecastPoses
        Where its bodies will be.
    only_half_spaces : bool
        Take the result of the linear program as it is, without checks, for comparison.
    """

    def __init__(
        self, graph: CellGrid, forecast: ForecastPoses, only_half_spaces: bool = False
    ) -> None:
        self._graph, self._forecast, self._only = graph, forecast, only_half_spaces
        self._choose = bind(choose_velocities)
        self._room: Room | None = None

    def velocities(
        self,
        agents: Sequence[FleetAgent],
        wanted: Vectors,
        frame: float,
        spared: Sequence[int],
    ) -> Vectors:
        """Return the velocity of each agent for the next frame.

        `spared` has the number of a body that each agent may touch, or -1.
        """
        n, graph = len(agents), self._graph
        times = np.array([0.0, frame, max(0.5 * SEEN, 2.0 * frame), max(SEEN, 4.0 * frame)])
        space = graph.scene.space
        is_bounded = space.follow is None
        world = Surroundings(
            graph.bare,
            self._forecast.at(times, [agent.position for agent in agents]),
            times,
            np.array(space.origin if is_bounded else [-math.inf] * 3),
            np.array(space.high if is_bounded else [math.inf] * 3),
        )
        crowd = Crowd(
            np.array([agent.position for agent in agents]),
            np.array([agent.velocity for agent in agents]),
            wanted,
            np.array([agent.radius for agent in agents]),
            np.array([agent.speed for agent in agents]),
            np.array([agent.max_acceleration or math.inf for agent in agents]),
            np.radians([agent.max_turn_rate or math.inf for agent in agents]),
            np.array(spared, np.int64),
            np.argsort([agent._rank for agent in agents], kind="stable"),
            np.empty((n, 3)),
            np.zeros(n, np.bool_),
        )
        self._choose(crowd, world, self._memory(n, len(graph.bare.body)), self._only)
        return crowd.chosen

    def _memory(self, agents: int, solids: int) -> Room:
        room = self._room
        if room is None or len(room.others) < agents or len(room.near) < solids:
            planes = 6 + min(solids, MOST_BODIES) + NEIGHBOURS + 1
            room = self._room = Room(
                np.empty((planes, 4)),
                np.empty((planes, 4)),
                np.empty(2 * solids + 1, np.int64),
                np.empty(2 * max(agents, NEIGHBOURS), np.int64),
                np.empty(NEIGHBOURS),
                np.empty((64, 2)),
            )
        return room


def towards(here: Point, there: Point, speed: float) -> Point:
    """Return the velocity from a point to another at this speed."""
    far = math.dist(here, there)
    if far == 0.0:
        return (0.0, 0.0, 0.0)
    x, y, z = (speed * (q - p) / far for p, q in zip(here, there, strict=True))
    return (x, y, z)
