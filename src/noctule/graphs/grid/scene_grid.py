"""`CellGrid`: the cells of a scene, which follow its bodies as they move."""

from __future__ import annotations

import math
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import kernel
from noctule.graphs.base import Place
from noctule.graphs.costs.zone_cells import ZoneCells
from noctule.graphs.entry_nodes import NO_ENTRIES, Entries
from noctule.graphs.grid.body_sight import BodyCells, in_box, in_world
from noctule.graphs.grid.follows_scene import FollowsScene
from noctule.graphs.grid.grid import Grid
from noctule.worlds.bodies import Body
from noctule.worlds.geometry.distances import is_near
from noctule.worlds.geometry.solids import PRESENT, pack
from noctule.worlds.occupancy.occupancy import Occupancy
from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Shape
from noctule.worlds.space import Space

EXIT_REACH = 3  # in cells: how far from a blocked place `exits` searches for free nodes
EXIT_WAY = (EXIT_REACH + 1) * math.sqrt(3.0)  # no exit is farther away
BOX = (2 * EXIT_REACH + 1) ** 3

NOBODY: tuple[list[int], NDArray[np.int64]] = ([], np.empty(0, np.int64))


@kernel
def exits(
    lattice: Any, world: Any, which: Any, x: Any, y: Any, z: Any, nodes: Any, distances: Any
) -> Any:
    """Write the free nodes near a place that it sees past some solids; return how many."""
    n = 0
    if not in_box(world, x, y, z):
        return 0
    p = in_world(world, x, y, z)
    i0, j0, k0 = int(x), int(y), int(z)
    for i in range(max(i0 - EXIT_REACH, 0), min(i0 + EXIT_REACH + 1, lattice.nx)):
        for j in range(max(j0 - EXIT_REACH, 0), min(j0 + EXIT_REACH + 1, lattice.ny)):
            for k in range(max(k0 - EXIT_REACH, 0), min(k0 + EXIT_REACH + 1, lattice.nz)):
                s = (i + 1) * lattice.sx + (j + 1) * lattice.sy + k + 1
                u, v, w = i + 0.5, j + 0.5, k + 0.5
                if not lattice.free3[s] & 2 or not in_box(world, u, v, w):
                    continue
                q = in_world(world, u, v, w)
                hidden = False
                for solid in which:
                    if is_near(world.solids, world.poses, solid, p, q, world.radius):
                        hidden = True
                        break
                if not hidden:
                    nodes[n] = s
                    distances[n] = math.sqrt((u - x) ** 2 + (v - y) ** 2 + (w - z) ** 2)
                    n += 1
    return n


class CellGrid(Grid, FollowsScene):
    """The cells of a scene as a search graph: those that a body meets are blocked.

    Those that a zone meets cost what it costs, or what `set_cost` says if that is more.

    Parameters
    ----------
    scene : Scene
        The world; the grid shows it as of the last `update`.
    neighbours : int
        6, 18 or 26.
    safety : bool
        Whether the safety shapes of bodies block cells, too.
    sight : "cells" or "bodies"
        Whether lines of sight keep clear of blocked cells, or of the bodies (and safety shapes)
        themselves, as in the theses: paths are shorter, and free of bodies, not of cells.

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene.load("test-environment")
    >>> grid = nt.CellGrid(scene)
    >>> int(grid.blocked.sum())
    19335
    >>> changed = grid.update(1.0)  # seconds
    >>> path = nt.plan(grid, scene.agent.start, scene.destination.at(1.0), "theta*", radius=0.45)
    >>> path.found, nt.verify(path, grid)
    (True, True)
    """

    def __init__(
        self,
        scene: Scene,
        neighbours: int = 26,
        safety: bool = True,
        sight: Literal["cells", "bodies"] = "cells",
    ) -> None:
        if not isinstance(scene, Scene):
            raise ValueError(f"scene is a {type(scene).__name__}; expected a noctule.Scene")
        space = scene.space
        super().__init__(np.zeros(space.cells, bool), space.cell, space.origin, neighbours)
        if sight not in ("cells", "bodies"):
            raise ValueError(f"sight is {sight!r}; allowed are 'cells' and 'bodies'")
        self.sight = sight
        self.takes_costs = self.takes_costs and sight == "cells"
        self._zones = ZoneCells(space)
        self._base: NDArray[np.float32] | None = None  # costs without zones; None: 1 everywhere
        self._occupancy = Occupancy(space)
        self._followed = NOBODY  # bodies that moved last, and their solids
        self.parts: list[list[int]] = []  # the solids of each body, by number
        self._predicted = np.empty(0, np.int64)  # numbers of cells that are blocked in addition
        self._is_predicted = np.zeros(self.node_count, np.bool_)
        self._follow_scene(scene, safety)

    def __repr__(self) -> str:
        return f"Cell{super().__repr__()[:-1]}, {self.scene.name!r} at {self.scene.time:g} s)"

    def _kernel_graph(self, radius: float, equal_steps: bool) -> Any:
        if self.sight == "cells":
            return super()._kernel_graph(radius, equal_steps)
        lattice = self._lattice(radius, equal_steps)
        return BodyCells(lattice, self._body_world(radius, self.solids))

    def update(self, t: float | None = None, agent: Any = None) -> int:
        """Follow the bodies of the scene, and what its space moves with.

        Parameters
        ----------
        t : float, optional
            Move the scene to this time first; unless given, the bodies are taken as they are.
        agent : sequence of float, or rows of them, optional
            Where the agent is, or several, for gates that wait for them to leave.

        Returns
        -------
        int
            Number of cells that changed.
        """
        changed = 0
        if self.scene.space.follow is not None:
            space = self.scene.space.following(self.scene.time if t is None else t)
            if space is not self.scene.space:
                changed = self._move_window(space)
        return changed + super().update(t, agent)

    def _move_window(self, space: Space) -> int:
        """Show another part of the world; searches start from scratch, as all nodes move."""
        self.set_predicted(None)
        before = self._occupancy.blocked
        self.scene.space = space
        self.origin = np.array(space.origin)
        self.origin.flags.writeable = False
        self.resolution = space.resolution
        if self.has_costs:  # zones stay where they are in the world; `update` follows them
            self._base, self._zones = None, ZoneCells(space)
            indices = np.argwhere(np.ones(self.shape, np.bool_))
            super()._take_values(indices, np.ones(len(indices), np.float32))
        self._occupancy = Occupancy(space)
        self._occupancy.replace_solids(self.solids, np.full(len(self.solids.body), -1))
        self._occupancy.update(self.solids, np.arange(len(self.solids.body)), self.poses)
        after = self._occupancy.blocked
        for cells, free in ((before & ~after, True), (after & ~before, False)):
            self._apply(self.number(np.argwhere(cells)), free)
        self.layout_version += 1
        return int((before != after).sum())

    def _exchange(self, bodies: list[Body]) -> int:
        """Free the cells of bodies that are gone, and take in new bodies."""
        gone = [i for i, body in enumerate(self._bodies) if body not in bodies]
        self.poses[gone, PRESENT] = 0.0
        changed = self._follow(gone)
        old = {id(body): i for i, body in enumerate(self._bodies)}
        solids: list[tuple[int, Shape]] = []
        same: list[int] = []
        parts: list[list[int]] = []
        for b, body in enumerate(bodies):
            known = self.parts[old[id(body)]] if id(body) in old else None
            shapes = self._solid_shapes(body)
            parts.append(list(range(len(solids), len(solids) + len(shapes))))
            for k, shape in enumerate(shapes):
                solids.append((b, shape))
                same.append(known[k] if known is not None else -1)
        self.solids = pack(solids)
        self._occupancy.replace_solids(self.solids, np.array(same, np.int64))
        self.bare = pack([(b, body.shape) for b, body in enumerate(bodies)])
        poses = np.full((len(bodies), 8), np.nan)
        kept = [(i, old[id(body)]) for i, body in enumerate(bodies) if id(body) in old]
        for i, j in kept:
            poses[i] = self.poses[j]
        self.poses = poses
        self._bodies, self.parts, self._followed = bodies, parts, NOBODY
        if self.sight == "bodies":  # graphs of cells alone stay valid
            self.layout_version += 1
        return changed

    def _follow(self, bodies: list[int]) -> int:
        """Move the cells of these bodies to where `poses` has them; return how many changed."""
        if not bodies:
            return 0
        if bodies != self._followed[0]:  # mostly the same bodies as in the last update
            solids = [i for body in bodies for i in self.parts[body]]
            self._followed = bodies, np.array(solids, np.int64)
        freed, blocked = self._occupancy.update(self.solids, self._followed[1], self.poses)
        if len(self._predicted):
            freed = freed[~self._is_predicted[freed]]
        for cells, free in ((freed, True), (blocked, False)):
            if len(cells):
                self._apply(cells, free)
        return len(freed) + len(blocked)

    def _take_values(self, indices: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Set the costs of cells; where a zone costs more, they cost that."""
        if self._base is None:
            self._base = np.ones(self.shape, np.float32)
        self._base[tuple(indices.T)] = values
        costs = self._zones.costs_of(self.number(indices))
        super()._take_values(indices, np.maximum(values, costs))

    def _follow_zones(self) -> int:
        if not self.takes_costs:
            return super()._follow_zones()
        before = self.version
        cells, costs = self._zones.follow(self.scene.zones)
        if len(cells):
            indices = self.indices(cells)
            if self._base is not None:
                costs = np.maximum(costs, self._base[tuple(indices.T)])
            super()._take_values(indices, costs)
        return self.version - before

    def snapshot_copy(self) -> Self:
        """Return a snapshot; `sync_from` applies later changes.

        Returns
        -------
        CellGrid
            A graph of the same class that does not follow the scene by itself.
        """
        snapshot = super().snapshot_copy()
        snapshot.poses = self.poses.copy()
        return snapshot

    def sync_from(self, world: Grid) -> None:
        """Apply the changes of `world`, of which this is a snapshot, since the last time."""
        assert isinstance(world, CellGrid)
        if self.origin is not world.origin:  # the window of cells has moved
            self.origin, self.resolution = world.origin, world.resolution
            self.layout_version += 1
        super().sync_from(world)
        if self.solids is world.solids:
            self.poses[:] = world.poses
        else:  # other bodies
            self.solids, self.bare, self._bodies = world.solids, world.bare, world._bodies
            self.poses, self.layout_version = world.poses.copy(), world.layout_version

    def with_bodies(self, scene: Scene) -> CellGrid:
        """Return the same graph for the bodies of another scene that fills the same space.

        Parameters
        ----------
        scene : Scene
            A scene with the same space.

        Returns
        -------
        CellGrid
            A graph without safety shapes.
        """
        return CellGrid(scene, self.neighbours, safety=False)

    def set_predicted(self, cells: NDArray[np.int64] | None) -> int:
        """Block these cells, given by number, until the next call; return how many.

        They are blocked in addition to those that bodies meet.

        Parameters
        ----------
        cells : int array (n,), or None
            Node numbers of cells; None for no cells.

        Returns
        -------
        int
            Number of cells.
        """
        new = self._predicted[:0] if cells is None else cells
        self._is_predicted[self._predicted] = False
        self._is_predicted[new] = True
        left = self._predicted[~self._is_predicted[self._predicted]]
        free = ~self._occupancy.blocked[tuple(self.indices(left).T)]
        self._predicted = new
        for numbers, state in ((left[free], True), (new, False)):
            if len(numbers):
                self._apply(numbers, state)
        return len(new)

    @property
    def predicted_cells(self) -> NDArray[np.int64]:
        """Numbers of the cells that are blocked because a body is predicted there."""
        return self._predicted

    def entries_past_bodies(self, graph: Any, place: Place) -> Entries:
        """Return the nearest usable node that a place in blocked cells sees past the bodies.

        Cells cover more than bodies do: an agent may be in blocked cells without touching anything,
        and the segment that leaves them is judged by the bodies themselves. A body is about to come
        there, so take the shortest exit, not the one that is best for the path as a whole.
        """
        world = self._body_world(graph.lattice.reach * self.cell / 2, self.bare)
        nodes, distances = np.empty(BOX, np.int64), np.empty(BOX)
        which = self._solids_near(place, EXIT_WAY * self.cell + world.radius)
        n = exits(graph.lattice, world, which, *place, nodes, distances)
        for k in np.lexsort((nodes[:n], distances[:n])):
            if self.is_usable(graph, int(nodes[k])):
                return nodes[k : k + 1], distances[k : k + 1]
        return NO_ENTRIES

    def warm_up(self, place: Place, radius: float) -> None:
        """Compile, or load, the kernels that follow bodies and judge places among them.

        Parameters
        ----------
        place : tuple of float
            Coordinates in the graph's own unit.
        radius : float
            Radius of the agent in world units.
        """
        nothing = np.empty(0, np.int64)
        self._occupancy.update(self.solids, nothing, self.poses)
        self._apply(nothing, True)
        self.body_on(self.origin, self.origin, radius)
        self.entries_past_bodies(self.kernel_graph(radius), place)

    def _solids_near(self, place: Place, far: float) -> NDArray[np.int64]:
        """Return the solids of bodies that may come nearer to a place than `far`."""
        bare, point = self.bare, self.origin + np.array(place) * self.cell
        apart = self.poses[bare.body, :3] - point
        reach = bare.reach + far
        return np.flatnonzero((apart * apart).sum(axis=1) <= reach * reach)
