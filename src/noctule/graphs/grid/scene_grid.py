"""`CellGrid`: the cells of a scene, which follow its bodies as they move."""

import math
import struct
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import kernel
from noctule.graphs.grid.body_sight import BodyCells
from noctule.graphs.grid.grid import NO_ENTRIES, Entries, Grid
from noctule.worlds.bodies import Body, Row
from noctule.worlds.geometry.distances import nearest_solid
from noctule.worlds.geometry.solids import PRESENT, Solids, pack
from noctule.worlds.occupancy.occupancy import Occupancy
from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Shape

# In world units. An agent so little too near to a body touches it, however poses were rounded.
TOUCH = 1e-9

SHELLS = 3  # how many cells away a way out of blocked cells is looked for
BOX = (2 * SHELLS + 1) ** 3

NOBODY: tuple[list[int], NDArray[np.int64]] = ([], np.empty(0, np.int64))
POSE = struct.Struct("8d")  # a row of `poses`; for one row, NumPy takes three times as long


@kernel
def exits(lattice, solids, poses, place, cell, origin, radius, nodes, distances):
    """Write the free nodes with a line from `place` that is free of the bodies; how many."""
    n = 0
    p = (origin[0] + place[0] * cell, origin[1] + place[1] * cell, origin[2] + place[2] * cell)
    x0, y0, z0 = int(place[0]), int(place[1]), int(place[2])
    for x in range(max(x0 - SHELLS, 0), min(x0 + SHELLS + 1, lattice.nx)):
        for y in range(max(y0 - SHELLS, 0), min(y0 + SHELLS + 1, lattice.ny)):
            for z in range(max(z0 - SHELLS, 0), min(z0 + SHELLS + 1, lattice.nz)):
                s = (x + 1) * lattice.sx + (y + 1) * lattice.sy + z + 1
                if not lattice.free3[s] & 2:
                    continue
                dx, dy, dz = x + 0.5 - place[0], y + 0.5 - place[1], z + 0.5 - place[2]
                q = (p[0] + dx * cell, p[1] + dy * cell, p[2] + dz * cell)
                body, _ = nearest_solid(solids, poses, p, q, radius)
                if body < 0:
                    nodes[n] = s
                    distances[n] = math.sqrt(dx * dx + dy * dy + dz * dz)
                    n += 1
    return n


@kernel
def body_near(solids, poses, p, q, radius):
    """`nearest_solid`, as something that Python can call compiled."""
    return nearest_solid(solids, poses, p, q, radius)


class CellGrid(Grid):
    """The cells of a scene as a search graph: those that a body meets are blocked.

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
        themselves: the theses' way, with shorter paths that are free of bodies, not of cells.

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
        self.scene, self.safety, self.sight = scene, bool(safety), sight
        self._occupancy = Occupancy(space.cells, space.cell, space.origin)
        self._bodies: list[Body] = []
        self._rows: list[Row] = []
        self._moving: list[Body] | None = None  # the scene's, as of the last update
        self._restless: list[int] = []  # their numbers
        self._followed = NOBODY  # bodies that moved last, and their solids
        self.parts: list[list[int]] = []  # the solids of each body, by number
        self.solids = pack([])  # what blocks cells
        self._is_predicted = np.zeros(self.node_count, np.bool_)  # cells to keep out of, besides
        self._dangers = np.empty(0, np.int64)  # .. and their numbers
        self._bare = pack([])
        self.poses = np.empty((0, 8))
        self.update()

    def __repr__(self) -> str:
        return f"Cell{super().__repr__()[:-1]}, {self.scene.name!r} at {self.scene.time:g} s)"

    def graph(self, radius: float = 0.0, equal_steps: bool = False) -> Any:
        """The graph that kernels search, for an agent of this radius."""
        if self.sight == "cells":
            return super().graph(radius, equal_steps)
        near = max(radius - TOUCH, TOUCH)
        lattice = self._lattice(radius, equal_steps)
        return BodyCells(lattice, self.solids, self.poses, near, self.cell, *self.origin.tolist())

    @property
    def bare(self) -> Solids:
        """The bodies without their safety shapes; `poses` says where they are."""
        return self._bare

    def update(self, t: float | None = None, agent: Any = None) -> int:
        """Follow the bodies; returns how many cells changed.

        Parameters
        ----------
        t : float, optional
            Move the scene to this time first; unless given, the bodies are taken as they are.
        agent : sequence of float, optional
            Where the agent is, for gates that wait for it to leave (see `Scene.move`).
        """
        if t is not None:
            self.scene.move(t, agent)
        moving = self.scene.moving
        if moving is self._moving:  # nothing has happened to other bodies
            bodies, rows = self._bodies, self._rows
            return self._take([i for i in self._restless if bodies[i].row is not rows[i]])
        bodies = self.scene.bodies
        changed = self._exchange(bodies) if bodies != self._bodies else 0
        self._moving, self._restless = moving, [i for i, body in enumerate(bodies) if body.moves]
        moved = [i for i, body in enumerate(bodies) if body.row is not self._rows[i]]
        return changed + self._take(moved)

    def _take(self, moved: list[int]) -> int:
        """Take in where bodies, given by number, are now; returns how many cells changed."""
        # A body that moves gets another row; to compare what is in them would take longer.
        poses = self.poses.data
        for i in moved:
            self._rows[i] = row = self._bodies[i].row
            POSE.pack_into(poses, i * POSE.size, *row)
        return self._follow(moved)

    def _exchange(self, bodies: list[Body]) -> int:
        """Let go of bodies that are no longer there and take in new ones."""
        gone = [i for i, body in enumerate(self._bodies) if body not in bodies]
        self.poses[gone, PRESENT] = 0.0
        changed = self._follow(gone)
        old = {id(body): i for i, body in enumerate(self._bodies)}
        solids: list[tuple[int, Shape]] = []
        same: list[int] = []
        parts: list[list[int]] = []
        for b, body in enumerate(bodies):
            known = self.parts[old[id(body)]] if id(body) in old else None
            shapes = blocking_shapes(body) if self.safety else [body.shape]
            parts.append(list(range(len(solids), len(solids) + len(shapes))))
            for k, shape in enumerate(shapes):
                solids.append((b, shape))
                same.append(known[k] if known is not None else -1)
        self.solids = pack(solids)
        self._occupancy.hold(self.solids, np.array(same, np.int64))
        self._bare = pack([(b, body.shape) for b, body in enumerate(bodies)])
        # A new body has no row yet, and differs from every row that it could have.
        self._rows = [self._rows[old[id(body)]] if id(body) in old else () for body in bodies]
        self.poses = np.array([body.row for body in bodies]).reshape(-1, 8)
        self._bodies, self.parts, self._followed = bodies, parts, NOBODY
        if self.sight == "bodies":  # graphs of cells know nothing of bodies, and hold on
            self.layout_version += 1
        return changed

    def _follow(self, bodies: list[int]) -> int:
        """Take the cells of these bodies to where `poses` has them."""
        if not bodies:
            return 0
        if bodies != self._followed[0]:  # mostly the same as in the last frame
            solids = [i for body in bodies for i in self.parts[body]]
            self._followed = bodies, np.array(solids, np.int64)
        freed, blocked = self._occupancy.update(self.solids, self._followed[1], self.poses)
        if len(self._dangers):
            freed = freed[~self._is_predicted[freed]]
        for cells, free in ((freed, True), (blocked, False)):
            if len(cells):
                self._apply(cells, free)
        return len(freed) + len(blocked)

    def snapshot_copy(self) -> Self:
        """A copy that stays as it is while this one changes, until it is told to `sync_from`."""
        snapshot_copy = super().snapshot_copy()
        snapshot_copy.poses = self.poses.copy()
        return snapshot_copy

    def sync_from(self, world: Grid) -> None:
        """Become what `world`, which this is a twin of, is now."""
        assert isinstance(world, CellGrid)
        super().sync_from(world)
        if self.solids is world.solids:
            self.poses[:] = world.poses
        else:  # other bodies
            self.solids, self._bare, self._bodies = world.solids, world._bare, world._bodies
            self.poses, self.layout_version = world.poses.copy(), world.layout_version

    def with_bodies(self, scene: Scene) -> "CellGrid":
        """The same graph among the bodies of another scene that fills the same space."""
        return CellGrid(scene, self.neighbours, safety=False)

    def set_predicted(self, cells: NDArray[np.int64] | None) -> int:
        """Block these cells, given by number, besides those that bodies meet; until the next call.

        Returns how many there are.
        """
        new = self._dangers[:0] if cells is None else cells
        self._is_predicted[self._dangers] = False
        self._is_predicted[new] = True
        left = self._dangers[~self._is_predicted[self._dangers]]
        free = ~self._occupancy.blocked[tuple(self.indices(left).T)]
        self._dangers = new
        for numbers, state in ((left[free], True), (new, False)):
            if len(numbers):
                self._apply(numbers, state)
        return len(new)

    @property
    def predicted_cells(self) -> NDArray[np.int64]:
        """Numbers of the cells that are blocked because something will be there soon."""
        return self._dangers

    def body_on(self, p: Any, q: Any, radius: float) -> Body | None:
        """The body that a ball would touch on its way from `p` to `q`, if any; exact."""
        ends = tuple(map(float, p)), tuple(map(float, q))
        body, _ = body_near(self._bare, self.poses, *ends, max(radius - TOUCH, TOUCH))
        return self._bodies[body] if body >= 0 else None

    def entries_past_bodies(self, graph: Any, place: tuple[float, ...]) -> Entries:
        """The nearest usable node that a place in blocked cells reaches free of the bodies.

        Cells cover more than bodies do: an agent may be where cells are blocked without touching
        anything, and its way out is judged by the bodies themselves. Something is about to come
        there, so it is the shortest way out, not the one that is best for the path as a whole.
        """
        radius = graph.lattice.reach * self.cell / 2
        edge = radius / self.cell - 1e-9
        if not all(edge <= v <= n - edge for v, n in zip(place, self.shape, strict=True)):
            return NO_ENTRIES
        near = max(radius - TOUCH, TOUCH)
        origin = tuple(self.origin.tolist())
        nodes, distances = np.empty(BOX, np.int64), np.empty(BOX)
        n = exits(
            graph.lattice, self._bare, self.poses, place, self.cell, origin, near, nodes, distances
        )
        for k in np.lexsort((nodes[:n], distances[:n])):
            if self.is_usable(graph, int(nodes[k])):
                return nodes[k : k + 1], distances[k : k + 1]
        return NO_ENTRIES


def blocking_shapes(body: Body) -> list[Shape]:
    """The shapes of a body that block cells, but for its solid where a safety shape covers it."""
    if any(shape.holds(body.shape) for shape in body.safety):
        return list(body.safety)
    return [body.shape, *body.safety]
