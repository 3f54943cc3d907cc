"""`Zone`: a region of a scene in which a path costs more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from noctule.core.validation import DEAREST, is_number
from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import IDENTITY
from noctule.worlds.motions import Motion
from noctule.worlds.shapes import Shape


class Zone(Body):
    """A region of a scene in which a path costs more; an agent may pass through it.

    The cells that it meets cost `cost`; where several zones meet a cell, the highest cost counts.

    Parameters
    ----------
    name : str
        Unique among the bodies and zones of its scene.
    shape : Box, Hull or Ball
        Its shape, relative to its own origin.
    cost : float
        What a path pays for each unit of its length there: from 1 to 1,000,000.
    position, rotation, motion
        As those of a `Body`. Zones move as bodies do, and `place` moves them, too.
    kind, colour : str
        For tables and pictures.

    Examples
    --------
    >>> import noctule as nt
    >>> space = nt.Space((0, 0, 0), (9, 9, 5))
    >>> scene = nt.Scene(space, nt.Agent((0.5, 4.5, 2.5)), nt.Destination((8.5, 4.5, 2.5)))
    >>> scene.add(nt.Zone("mines", nt.Ball(2.0), cost=20, position=(4.5, 4.5, 2.5)))
    >>> grid = nt.CellGrid(scene)
    >>> path = nt.plan(grid, scene.agent.start, scene.destination.start, "a*")
    >>> round(path.length, 3), round(path.cost, 3)
    (10.485, 10.485)
    """

    def __init__(
        self,
        name: str,
        shape: Shape,
        cost: float,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = IDENTITY,
        motion: Motion | Callable[[float], Any] | None = None,
        kind: str = "zone",
        colour: str = "orange",
    ) -> None:
        if not is_number(cost) or not 1.0 <= cost <= DEAREST:
            raise ValueError(
                f"cost of zone {name!r} is {cost!r}; a zone costs from 1 to {DEAREST:,.0f}"
            )
        super().__init__(name, shape, position, rotation, motion, (), kind, colour)
        self.cost = float(cost)

    def __repr__(self) -> str:
        return f"Zone({self.name!r}, {self.shape!r}, cost {self.cost:g})"
