"""`AiView`: what the enemies plan: paths, forecast cells, expanded nodes, milliseconds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.fleet.agents import FleetAgent
from noctule.game.simulation.game import Game
from noctule.game.simulation.rules import FRAME
from noctule.game.view import colours
from noctule.game.view.geometry import lines, points, polyline, see_through
from noctule.game.view.hud import text
from noctule.graphs.grid.scene_grid import CellGrid

Array = NDArray[np.float64]

MOST_NODES = 4000  # of a search that are drawn
FRAME_MS = 1e3 * FRAME
AVERAGED = 30  # frames
EVERY = 6  # pictures from look to look at cells and nodes


class AiView:
    """Draws the plans of all enemies, and the search of the one that is nearest.

    Parameters
    ----------
    base : ShowBase
        Panda3D's application.
    """

    def __init__(self, base: Any) -> None:
        self._render = base.render
        self._root: Any = None
        self._cloud: Any = None
        self._looked = 0
        self._text = text(base.a2dTopRight, (-0.05, -0.2), 0.042, colours.WARNING, "right")
        self._key = text(base.a2dTopRight, (-0.05, -0.44), 0.036, colours.DIM, "right")

    def clear(self) -> None:
        """Remove everything."""
        for node in (self._root, self._cloud):
            if node is not None:
                node.removeNode()
        self._root = self._cloud = None
        self._text.setText("")
        self._key.setText("")

    def update(self, game: Game) -> None:
        """Draw the plans as they are now."""
        if self._root is not None:
            self._root.removeNode()
        self._root = self._render.attachNewNode("plans")
        for ship in game.enemies.ships:
            if ship.agent is not None:
                corners = np.array([ship.position, *_corners(ship.agent)])
                ends = polyline(corners) if len(corners) > 1 else corners[:0]
            else:
                ends = np.array([ship.position, game.player.position])
            lines(ends, colours.PATH, 2.0, "path").reparentTo(self._root)
            points(ends[1::2], colours.PATH, 6.0, "corners").reparentTo(self._root)
        if self._looked % EVERY == 0:
            self._show_search(game)
        self._looked += 1
        spent = game.enemies.spent
        recent = spent.milliseconds[-AVERAGED:]
        mean, worst = (np.mean(recent), max(recent)) if recent else (0.0, 0.0)
        self._text.setText(
            f"{game.enemies.algorithm}\nplanning {mean:.1f} ms, at most {worst:.1f}\n"
            f"of {FRAME_MS:.1f} ms a frame\n{spent.expanded} nodes expanded"
        )
        self._key.setText("yellow: paths\nblue: expanded nodes\npurple: cells forecast")

    def _show_search(self, game: Game) -> None:
        if self._cloud is not None:
            self._cloud.removeNode()
        self._cloud = self._render.attachNewNode("search")
        fleet, ships = game.enemies.fleet, [s for s in game.enemies.ships if s.agent is not None]
        if fleet is None or not ships:
            return
        here = game.player.position
        agent = min(ships, key=lambda ship: float(np.linalg.norm(ship.position - here))).agent
        assert agent is not None
        for places, colour, size in (
            (_expanded(game.window.graph, agent), colours.EXPANDED, 3.0),
            (_forecast(game.window.graph, fleet, agent), colours.FORECAST, 6.0),
        ):
            cloud = points(places, colour, size)
            see_through(cloud)
            cloud.reparentTo(self._cloud)


def _corners(agent: FleetAgent) -> Array:
    """Return the corners that an agent has still to fly to."""
    path = agent.path
    return np.empty((0, 3)) if path is None else path.points[1:]


def _expanded(graph: CellGrid, agent: FleetAgent) -> Array:
    """Return the nodes that the last search of an agent expanded."""
    guide = agent._guide
    if guide is None:
        return np.empty((0, 3))
    nodes = guide.planner.search_snapshot().expanded
    places: Array = graph.positions(nodes[:: max(len(nodes) // MOST_NODES, 1)])
    return places


def _forecast(graph: CellGrid, fleet: Any, agent: FleetAgent) -> Array:
    """Return the cells near an agent that asteroids will touch within a second."""
    *_, prediction = fleet._planning._tools[agent.radius, agent.speed]
    if prediction is None:
        return np.empty((0, 3))
    prediction.look(agent.position)
    places: Array = graph.positions(graph.predicted_cells.copy())
    graph.set_predicted(None)
    return places
