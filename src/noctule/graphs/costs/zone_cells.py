"""`ZoneCells`: what the zones of a scene make its cells cost, as the zones move."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.geometry.solids import pack
from noctule.worlds.occupancy.occupancy import cells_near, rows_for, scratch_for
from noctule.worlds.occupancy.voxelize import cells_of
from noctule.worlds.space import Space
from noctule.worlds.zones import Zone

Numbers = NDArray[np.int64]

NO_CELLS = np.empty(0, np.int64)
ANYWHERE = 0.0, 0.0, 0.0


class Met(NamedTuple):
    """The cells that a zone met, in order, at a pose and with a cost."""

    pose: bytes
    cost: float
    cells: Numbers


NOTHING = Met(b"", 0.0, NO_CELLS)


class ZoneCells:
    """The cells that each zone of a scene meets, numbered with a border of one cell."""

    def __init__(self, space: Space) -> None:
        self._space, self._cells = space, cells_of(space)
        self._met: dict[Zone, Met] = {}  # after the last call of `follow`

    def follow(self, zones: list[Zone]) -> tuple[Numbers, NDArray[np.float32]]:
        """Return the cells whose costs may have changed, and the highest costs of zones there.

        The cost is 1 where no zone is left.
        """
        touched = [self._met.pop(zone).cells for zone in list(self._met) if zone not in zones]
        for zone in zones:
            before = self._met.get(zone, NOTHING)
            if (zone.packed, zone.cost) != (before.pose, before.cost):
                now = self._met[zone] = Met(zone.packed, zone.cost, self._cells_of(zone))
                if zone.cost == before.cost:
                    touched.append(np.setxor1d(before.cells, now.cells, assume_unique=True))
                else:
                    touched += [before.cells, now.cells]
        if not touched:
            return NO_CELLS, np.empty(0, np.float32)
        changed: Numbers = np.unique(np.concatenate(touched))
        return changed, self.costs_of(changed)

    def costs_of(self, numbers: Numbers) -> NDArray[np.float32]:
        """Return what zones make cells cost; 1 where there is none."""
        costs = np.ones(len(numbers), np.float32)
        for _, cost, cells in self._met.values():
            if len(cells):
                places = np.minimum(np.searchsorted(cells, numbers), len(cells) - 1)
                inside = cells[places] == numbers
                costs[inside] = np.maximum(costs[inside], cost)
        return costs

    def _cells_of(self, zone: Zone) -> Numbers:
        """Return the cells that a zone meets, in order."""
        solids = pack([(0, zone.shape)])
        rows = rows_for(solids.reach + self._cells.size, self._cells)
        across = math.ceil(2 * zone.reach / self._cells.size) + 5
        most = math.prod(min(n, across) for n in self._space.cells)
        found = np.empty(most, np.int64)
        n = cells_near(
            solids,
            np.zeros(1, np.int64),
            np.array([zone.row]),
            np.zeros((1, 4)),
            self._cells,
            rows,
            scratch_for(solids),
            ANYWHERE,
            math.inf,
            self._marked,
            found,
        )
        return np.sort(found[:n])

    @functools.cached_property
    def _marked(self) -> NDArray[np.bool_]:
        return np.zeros(math.prod(n + 2 for n in self._space.cells), np.bool_)
