"""`Grid`: a world of cells that is also a search graph; the shell around `lattice`."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.jit import bind
from noctule.core.validation import (
    PointLike,
    as_blocked,
    at_least,
    cell_indices,
    finite_point,
    positive,
)
from noctule.display import Displayed
from noctule.graphs.base import Place
from noctule.graphs.change_log import ChangeLog
from noctule.graphs.compiled import CompiledGraph
from noctule.graphs.costs.cell_costs import CellCosts
from noctule.graphs.entry_nodes import NO_ENTRIES, Entries, one_entry, visible_nodes
from noctule.graphs.grid.changed_nodes import change_cells
from noctule.graphs.grid.clearance import WithClearance
from noctule.graphs.grid.lattice import (
    Balls,
    Cells,
    Corners,
    Lattice,
    three_bits,
)
from noctule.graphs.grid.move_sets import moves_along
from noctule.graphs.grid.room import Room
from noctule.graphs.grid.row_index import RowAges, new_row_ages, note_changes
from noctule.graphs.grid.wide_cells import WideCells
from noctule.graphs.sources.from_solids import FromSolids
from noctule.worlds.resolution import resolution

# Largest number of axes that a move goes along, by dimension and number of neighbours.
NEIGHBOURHOODS = {2: {4: 1, 8: 2}, 3: {6: 1, 18: 2, 26: 3}}

MOST_ROOMS = 8  # radii of wide agents for which a grid is prepared at the same time


class Grid(WithClearance, CellCosts, FromSolids, Displayed):
    """A world of equal cells, each free or blocked, in the plane or in space.

    Parameters
    ----------
    blocked : bool array, 2-D or 3-D
        Which cells are solid, indexed [x, y] or [x, y, z]. What lies outside is solid, too.
    cell : float
        Edge length of a cell in world units.
    origin : sequence of float, optional
        The low corner of cell (0, 0, 0) in world units; zero unless given.
    neighbours : int, optional
        4 or 8 in the plane (8 unless given), 6, 18 or 26 in space (26 unless given).
    nodes : "centres" or "corners"
        Where the nodes of the search graph are. Paths between centres keep clear of solids;
        between corners a point agent may touch them, as in the papers on Theta*.
    cost : float array, optional
        What a path pays for each unit of its length in a cell: from 1 to a million, inf for a
        blocked cell. Unless given, `path.cost` is the length.

    Examples
    --------
    >>> import numpy as np
    >>> import noctule as nt
    >>> blocked = np.zeros((4, 4, 4), dtype=bool)
    >>> grid = nt.Grid(blocked, cell=0.5)
    >>> grid.block([(1, 1, 1), (2, 1, 1)])
    >>> int(grid.blocked.sum()), grid.cell_of((0.7, 0.6, 0.9))
    (2, (1, 1, 1))
    """

    _OWN = CompiledGraph._OWN | {"_change_cells", "_visible_nodes", "_rooms"}

    def __init__(
        self,
        blocked: ArrayLike,
        cell: float = 1.0,
        origin: PointLike | None = None,
        neighbours: int | None = None,
        nodes: Literal["centres", "corners"] = "centres",
        cost: ArrayLike | None = None,
    ) -> None:
        super().__init__()
        array = as_blocked(blocked)
        self.shape: tuple[int, ...] = array.shape
        self.dimension = array.ndim
        self.cell = positive("cell", cell)
        self.origin = finite_point(
            "origin", (0.0,) * array.ndim if origin is None else origin, array.ndim
        ).copy()
        self.origin.flags.writeable = False
        self.resolution = resolution(self.origin.tolist(), self.shape, self.cell)
        allowed = NEIGHBOURHOODS[array.ndim]
        if neighbours is None:
            neighbours = max(allowed)
        if neighbours not in allowed:
            raise ValueError(
                f"neighbours is {neighbours!r}; a {array.ndim}-D grid has "
                f"{', '.join(map(str, allowed))}"
            )
        if nodes not in ("centres", "corners"):
            raise ValueError(f"nodes is {nodes!r}; allowed are 'centres' and 'corners'")
        self.neighbours = neighbours
        self.nodes: Literal["centres", "corners"] = nodes
        self._shift = 0.5 if nodes == "centres" else 0.0
        padded = tuple(n + 2 for n in self.shape) + ((3,) if self.flat else ())
        if math.prod(padded) >= 2**31:
            size = " x ".join(map(str, self.shape))
            raise ValueError(f"a grid of {size} cells is too large; the limit is 2**31 in all")
        if cost is not None:
            array = array | self._take_costs(cost)
        self._free3 = three_bits(array, padded)
        self._row_ages: RowAges | None = None
        self._strides = (padded[1] * padded[2], padded[2], 1)
        self._offset, self._length, self._moves = moves_along(
            allowed[neighbours], self._strides, self.flat
        )
        self._seen = 0  # of a snapshot: the version of the original that it shows

    def _prepare(self) -> None:
        super()._prepare()
        self._rooms: dict[float, Room] = {}  # by reach: where wider agents may be
        self._change_cells, self._visible_nodes = bind(change_cells), bind(visible_nodes)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.origin.flags.writeable = False

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.shape))
        return f"Grid({size} cells of {self.cell:g}, {self.neighbours} neighbours, {self.nodes})"

    # ------------------------------------------------------------------ the world

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """Which cells are blocked, as a new bool array; to change them, use `block` and `free`."""
        inner = (slice(1, -1),) * self.dimension + ((1,) if self.flat else ())
        blocked = np.ascontiguousarray(self._free3[inner] & 2 == 0)
        blocked.flags.writeable = False
        return blocked

    def blocked_within(self, low: Sequence[int], high: Sequence[int]) -> NDArray[np.bool_]:
        """Return which cells from `low` to `high`, both included, are blocked.

        Both may lie one cell outside the grid.

        Parameters
        ----------
        low, high : sequence of int
            Indices of the cells at two opposite corners of a box.

        Returns
        -------
        bool array
            One value for each cell of the box.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False, True, False], [False, False, False]])
        >>> grid.blocked_within((0, 1), (1, 2)).tolist()
        [[True, False], [False, False]]
        """
        box = tuple(slice(i + 1, j + 2) for i, j in zip(low, high, strict=True))
        blocked: NDArray[np.bool_] = self._free3[box + ((1,) if self.flat else ())] & 2 == 0
        return blocked

    def block(self, cells: ArrayLike) -> None:
        """Make cells solid: one index, or an n x 3 (n x 2) array of indices.

        Parameters
        ----------
        cells : int array (n, dimension), or one index
            The cells. Those that are solid already stay so.

        Raises
        ------
        ValueError
            If a cell is not in the grid; then none is changed.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False, False], [False, False]])
        >>> grid.block([(0, 1), (1, 1)])
        >>> grid.blocked.tolist()
        [[False, True], [False, True]]
        """
        self._set(cells, free=False)

    def free(self, cells: ArrayLike) -> None:
        """Make cells free: one index, or an n x 3 (n x 2) array of indices.

        Parameters
        ----------
        cells : int array (n, dimension), or one index
            The cells. Those that are free already stay so.

        Raises
        ------
        ValueError
            If a cell is not in the grid; then none is changed.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[True, True], [False, False]])
        >>> grid.free((0, 1))
        >>> grid.blocked.tolist()
        [[True, False], [False, False]]
        """
        self._set(cells, free=True)

    def _set(self, cells: ArrayLike, free: bool) -> None:
        self._apply(self.number(cell_indices(cells, self.shape)), free)

    def _apply(self, numbers: NDArray[np.int64], free: bool) -> None:
        """Make cells, given by number, solid or free, and log the changes."""
        with self._lock:
            log = self._changes
            free3, before = self._free3.reshape(-1), log.version
            log.version = self._change_cells(free3, numbers, free, self.flat, log.ring, log.version)
            if self._row_ages is not None:
                note_changes(self._row_ages, numbers)
            if self._rooms and log.version != before:
                changed = log.since(before)
                for room in self._rooms.values():
                    room.follow(changed)

    def snapshot_copy(self) -> Self:
        """Return a snapshot; `sync_from` applies later changes.

        Returns
        -------
        Grid
            A graph of the same class that does not follow the world by itself.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid([[False, False], [False, False]])
        >>> snapshot = grid.snapshot_copy()
        >>> grid.block((0, 1))
        >>> bool(snapshot.blocked[0, 1])
        False
        >>> snapshot.sync_from(grid)
        >>> bool(snapshot.blocked[0, 1])
        True
        """
        snapshot = copy.copy(self)
        with self._lock:
            snapshot._free3 = self._free3.copy()
            snapshot._changes = ChangeLog()
            snapshot._row_ages = None
            snapshot._seen = self._changes.version
            snapshot._cost = None if self._cost is None else self._cost.copy()
        return snapshot

    def sync_from(self, world: Grid) -> None:
        """Apply the changes of `world`, of which this is a snapshot, since the last time.

        Parameters
        ----------
        world : Grid
            The graph that this is a snapshot of.
        """
        changes = world.changes_since(self._seen)
        self._seen = world.version
        now = world._free3.reshape(-1)
        cells = np.arange(len(now)) if changes is None else changes.astype(np.int64)
        free = now[cells] & 2 != 0
        for numbers, state in ((cells[free], True), (cells[~free], False)):
            self._apply(numbers, state)
        self._sync_costs(world, cells)

    @property
    def row_ages(self) -> RowAges:
        """When each row of cells last changed; recorded from the first access on."""
        if self._row_ages is None:
            self._row_ages = new_row_ages(self._free3)
        return self._row_ages

    # ------------------------------------------------------------------ the search graph

    @property
    def node_count(self) -> int:
        """Number of nodes, the border included."""
        return int(self._free3.size)

    @property
    def longest_step(self) -> float:
        """Length of the longest step between neighbours, in cells."""
        return float(self._length[[k for k in range(27) if self._moves >> k & 1]].max())

    def kernel_graph(self, radius: float = 0.0) -> Any:
        """Return the graph that kernels search, for an agent of this radius."""
        return self._kernel_graph(radius, False)

    def steps_graph(self, radius: float = 0.0) -> Any:
        """Return the same graph with edges that cost one cell each, whatever their length."""
        return self._kernel_graph(radius, True)

    def _kernel_graph(self, radius: float, equal_steps: bool) -> Any:
        lattice = self._lattice(radius, equal_steps)
        if lattice.centred and lattice.reach > 1.0 and not self.has_costs:
            return self._wide_cells(lattice)
        if lattice.centred and lattice.reach <= 1.0:
            return self._weighted(Cells(lattice))
        touches = not lattice.centred and lattice.reach == 0
        return self._weighted(Corners(lattice) if touches else Balls(lattice))

    def _wide_cells(self, lattice: Lattice) -> WideCells:
        """Return the graph for an agent wider than a cell; all of one radius share its room."""
        with self._lock:
            room = self._rooms.pop(lattice.reach, None) or Room(lattice)
            self._rooms[lattice.reach] = room  # the last one is the one used last
            if len(self._rooms) > MOST_ROOMS:
                del self._rooms[next(iter(self._rooms))]
                self.layout_version += 1  # whoever uses it must ask for another
        return room.graph._replace(lattice=lattice._replace(free3=room.graph.lattice.free3))

    def _lattice(self, radius: float, equal_steps: bool) -> Lattice:
        reach = 2.0 * at_least(0, "radius", radius) / self.cell
        if math.isclose(reach, 1.0, rel_tol=1e-12):  # half a cell, however it was rounded
            reach = 1.0
        elif reach <= 2.0 * self.resolution:  # places are no more exact than that: a point
            reach = 0.0
        centred = self.nodes == "centres"
        nx, ny, nz = (*self.shape, 1)[:3]
        sx, sy, _ = self._strides
        return Lattice(
            free3=self._free3.reshape(-1),
            offset=self._offset,
            length=np.ones(27) if equal_steps else self._length,
            moves=self._moves,
            nx=nx,
            ny=ny,
            nz=nz,
            sx=sx,
            sy=sy,
            per_sx=1.0 / sx,
            per_sy=1.0 / sy,
            centred=int(centred),
            flat=int(self.flat),
            reach=reach,
            touch=self.resolution,  # half of it, in half cells
        )

    def is_usable(self, graph: Any, s: int) -> bool:
        """Whether the agent may be at node `s`."""
        if isinstance(graph, Cells | WideCells):
            return bool(graph.lattice.free3[s] & 2)
        return bool(self._sight_between_nodes(graph, s, s))

    def segment_is_free(self, graph: Any, a: Place, b: Place) -> bool:
        """Whether the segment between two places (in cells) is free; exact between nodes."""
        s, t = self.node_at(a), self.node_at(b)
        if s is not None and t is not None:
            return bool(self._sight_between_nodes(graph, s, t))
        return super().segment_is_free(graph, a, b)

    def _nodes_for_sight(self, places: NDArray[np.float64]) -> NDArray[np.int64]:
        return self.nodes_at(places)

    def entries(self, graph: Any, place: Place, nearest: bool = False) -> Entries:
        """Return the nodes around a place (in cells) that it sees, and their distances."""
        s = self.node_at(place)
        if s is not None:
            return one_entry(s) if self.is_usable(graph, s) else NO_ENTRIES
        nodes, distances = np.empty(64, np.int64), np.empty(64)
        n = self._visible_nodes(graph, *self._in_space(place), nearest, nodes, distances)
        nodes, distances = nodes[:n], distances[:n]
        if self.has_costs:
            distances = self._cost_of_segments(graph, place, self.snapped(self.positions(nodes)))
        return nodes, distances

    def why_blocked(self, place: Place) -> str:
        """Explain why an agent can't be at a place."""
        index = tuple(min(math.floor(v), n - 1) for v, n in zip(place, self.shape, strict=True))
        if not self._free3.reshape(-1)[self.number(np.array([index]))[0]] & 2:
            return f"lies in blocked cell {index}"
        if any(v in (0, n) for v, n in zip(place, self.shape, strict=True)):
            return "lies on the border of the world"
        return "is too near to a blocked cell or to the border of the world for the agent"
