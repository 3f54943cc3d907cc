"""`Hybrid`: the cells of a scene that matter, as the second thesis chose them.

* *dynamic*: cells that a moving body may touch at some time;
* *dynamic neighbours*: the layer of cells around those, never blocked, where one can step aside;
* *static*: free cells at the edges and corners of what never moves, where short paths turn.

All other cells are left out; long edges cross them (see `hybrid_graph`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.core.jit import bind
from noctule.core.validation import as_blocked, positive
from noctule.graphs.base import Place
from noctule.graphs.entry_nodes import Entries, nearest_used, one_entry
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.heuristics import STEP_1
from noctule.graphs.hybrid.bake_files import fingerprint, read_bake, write_bake
from noctule.graphs.hybrid.connectivity import bridges
from noctule.graphs.hybrid.hybrid_graph import (
    BRIDGE,
    DYNAMIC,
    NEIGHBOUR,
    STATIC,
    HybridCells,
    find_closed,
    moves_to_used,
)
from noctule.graphs.hybrid.long_edges import find_long_edges
from noctule.graphs.hybrid.masks import corners_of, grown, layers_to
from noctule.worlds.occupancy.swept_cells import sampled_cells, swept_cells
from noctule.worlds.scene import Scene

Cells = NDArray[np.bool_]


PAUSE = 0.1  # seconds between two samples of a motion
ROUND = 60.0  # seconds that are sampled of a motion whose period is unknown


class Hybrid(CellGrid):
    """The hybrid search graph of a scene: few nodes; the edge set is fixed at bake time.

    Parameters
    ----------
    scene : Scene
        The world.
    sample : float, optional
        Seconds between two samples of the motion while baking, as in the theses. Unless given,
        cells that a body may touch between two samples count as well.
    safety : bool
        Whether the safety shapes of bodies block cells, too.
    region : bool array, optional
        Cells that bodies with unknown motion may touch.
    bake : path, optional
        A file that `save` wrote, for this scene and these options.
    progress : function, optional
        Called with the number of bodies done and their number in all.

    Attributes
    ----------
    counts : dict
        How many cells are `used`, `static`, `dynamic`, `dynamic_neighbour` (and not dynamic),
        `static_only`, and `bridge` (added so that all cells stay connected).

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene.load("test-environment")
    >>> graph = nt.Hybrid(scene, sample=0.14)
    >>> graph.counts["used"], graph.counts["dynamic"]
    (21259, 13696)
    >>> changed = graph.update(3.0)
    >>> path = nt.plan(graph, scene.agent.start, scene.destination.at(3.0), radius=0.45)
    >>> path.found, nt.verify(path, graph)
    (True, True)
    """

    joins_many_nodes = tries_straight_line = True
    takes_costs = False  # long edges pass many cells
    _baked = False
    _OWN = CellGrid._OWN | {"_nearest_used"}

    def __init__(
        self,
        scene: Scene,
        sample: float | None = None,
        safety: bool = True,
        region: ArrayLike | None = None,
        bake: str | PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(scene, 26, safety)
        if scene.space.follow is not None:
            raise ValueError("a hybrid graph is baked for one place; its space cannot follow")
        self.sample = None if sample is None else positive("sample", sample)
        self._region = (
            np.zeros(self.shape, np.bool_) if region is None else as_blocked(region).copy()
        )
        if self._region.shape != self.shape:
            raise ValueError(f"region has shape {self._region.shape}; the scene has {self.shape}")
        self._fingerprint = fingerprint(scene, self.sample, self.safety, self._region)
        self._strays = 0
        walls = self._walls()
        if bake is None:
            self._bake(walls, progress)
        else:
            self._keep(*read_bake(bake, self._fingerprint, self.shape, self.node_count))
        calm = ~walls & (self.kind & DYNAMIC == 0)  # never blocked, as expected
        self._calm = np.zeros(self.node_count, np.bool_)
        self._calm[self.number(np.argwhere(calm))] = True
        self._close_edges()
        self._baked = True

    def _prepare(self) -> None:
        super()._prepare()
        self._nearest_used = bind(nearest_used)

    def __repr__(self) -> str:
        return f"Hybrid({self.counts['used']} of {np.prod(self.shape)} cells, {self.scene.name!r})"

    # ------------------------------------------------------------------ baking

    def _bake(self, walls: Cells, progress: Callable[[int, int], None] | None) -> None:
        dynamic = self._dynamic(progress) & ~walls
        beside = grown(dynamic) & ~walls & ~dynamic
        static = corners_of(walls)
        kind = STATIC * static + DYNAMIC * dynamic + NEIGHBOUR * beside
        kind, edges = self._connect(kind.astype(np.uint8), walls)
        self._keep(kind, edges)

    def _walls(self) -> Cells:
        """Return the cells that bodies block which never move."""
        scene = self.scene
        still = [body for body in scene.bodies if not body.moves]
        alone = Scene(scene.space, scene._agent, scene._destination, still)
        return CellGrid(alone, safety=self.safety).blocked.copy()

    def _dynamic(self, progress: Callable[[int, int], None] | None) -> Cells:
        """Return the cells that moving bodies may touch."""
        found = self._region.copy()
        moving = [body for body in self.scene.bodies if body.moves]
        for i, body in enumerate(moving):
            shapes = self._solid_shapes(body)
            if self.sample is None:
                found |= swept_cells(self.scene.space, body, shapes, PAUSE, ROUND)
            else:
                found |= sampled_cells(self.scene.space, body, shapes, self.sample, ROUND)
            if progress is not None:
                progress(i + 1, len(moving))
        return found

    def _connect(
        self, kind: NDArray[np.uint8], walls: Cells
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Find the long edges, and add bridges until they connect what the cells connect."""
        ever = Grid(walls | (kind & DYNAMIC > 0))  # what may be blocked at some time
        while True:
            sources = np.argwhere((kind > 0) & (kind & DYNAMIC == 0))
            edges = np.empty((26 * len(sources) + 1, 2), np.int64)
            n = find_long_edges(ever.kernel_graph(0.5), walls, kind > 0, sources, edges)
            edges = np.unique(np.sort(edges[:n], axis=1), axis=0)
            missing = bridges(ever, walls, kind > 0, edges)
            if not missing.any():
                return kind, edges
            kind[missing] |= BRIDGE

    def _keep(self, kind: NDArray[np.uint8], edges: NDArray[np.int64]) -> None:
        """Store nodes and edges for the kernels; every edge goes both ways."""
        self.kind, self._edges = kind, edges
        both = np.concatenate([edges, edges[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        steps = self.indices(both[:, 0]) - self.indices(both[:, 1])
        self._used = np.zeros(self.node_count, np.uint8)
        self._used[self.number(np.argwhere(kind))] = kind[kind > 0]
        self._moves_to_used = np.zeros(self.node_count, np.int64)
        moves_to_used(self._lattice(0.0, False), self._used, self._moves_to_used)
        self._first = np.searchsorted(both[:, 0], np.arange(self.node_count + 1))
        self._target = both[:, 1].copy()
        self._long = np.sqrt((steps.astype(np.float64) ** 2).sum(axis=1))
        self._long_now, self._whole_now = self._long.copy(), np.ceil(self._long * STEP_1)
        self._widest = int(np.diff(self._first).max(initial=0))
        self._gap = layers_to(kind > 0)  # distance to the nearest used cell
        dynamic = kind & DYNAMIC > 0
        self.counts = {
            "used": int((kind > 0).sum()),
            "static": int((kind & STATIC > 0).sum()),
            "dynamic": int(dynamic.sum()),
            "dynamic_neighbour": int(((kind & NEIGHBOUR > 0) & ~dynamic).sum()),
            "static_only": int((kind == STATIC).sum()),
            "bridge": int((kind & BRIDGE > 0).sum()),
        }

    def save(self, file: str | PathLike[str]) -> None:
        """Write the bake into one compressed file (.npz).

        Parameters
        ----------
        file : str or path
            Where to write; an existing file is replaced.

        Examples
        --------
        >>> import noctule as nt, tempfile
        >>> scene = nt.Scene.load("test-environment")
        >>> graph = nt.Hybrid(scene, sample=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     graph.save(f"{folder}/bake.npz")
        ...     again = nt.Hybrid(scene, sample=1.0, bake=f"{folder}/bake.npz")
        >>> again.counts == graph.counts
        True
        """
        write_bake(file, self._fingerprint, self.kind, self._edges)

    # ------------------------------------------------------------------ the graph

    def _kernel_graph(self, radius: float, equal_steps: bool) -> Any:
        lattice = self._lattice(radius, equal_steps)
        if lattice.reach > 1.0:
            most = self.cell / 2
            raise ValueError(f"radius is {radius:g}; on a hybrid graph it is at most {most:g}")
        edges = self._first, self._target, self._long_now, self._whole_now
        if equal_steps:
            edges = *edges[:2], np.minimum(self._long_now, 1.0), np.minimum(self._whole_now, STEP_1)
        return HybridCells(lattice, self._used, self._moves_to_used, *edges, self._widest)

    @property
    def longest_step(self) -> float:
        """Length of the longest edge, in cells."""
        return max(super().longest_step, float(self._long.max(initial=0.0)))

    def _apply(self, numbers: NDArray[np.int64], free: bool) -> None:
        super()._apply(numbers, free)
        if self._baked and self._calm[numbers].any():
            self._close_edges()

    def snapshot_copy(self) -> Self:
        """Return a snapshot; `sync_from` applies later changes."""
        snapshot = super().snapshot_copy()
        snapshot._long_now, snapshot._whole_now = self._long_now.copy(), self._whole_now.copy()
        return snapshot

    def with_bodies(self, scene: Scene) -> Hybrid:
        """Return the same nodes and edges for the bodies of another scene in the same space."""
        other = copy.copy(self)
        vars(other).update(vars(super().with_bodies(scene)))
        other._long_now, other._whole_now = self._long.copy(), np.ceil(self._long * STEP_1)
        other._strays = 0
        other._close_edges()
        return other

    def set_predicted(self, cells: NDArray[np.int64] | None) -> int:
        """Block those of these cells that bodies may touch: long edges cross the others."""
        if cells is not None:
            cells = cells[self._used[cells] & DYNAMIC > 0]
        return super().set_predicted(cells)

    def _close_edges(self) -> None:
        """Close long edges that cross cells blocked unexpectedly."""
        before = self._strays
        self._strays = int(np.count_nonzero((self._free3.reshape(-1) & 2 == 0) & self._calm))
        self._stray_since = self.version
        if self._strays or before:
            closed = np.zeros(len(self._long), np.bool_)
            if self._strays:
                find_closed(self.kernel_graph(self.cell / 2), closed)
            self._long_now[:] = np.where(closed, np.inf, self._long)
            self._whole_now[:] = np.ceil(self._long_now * STEP_1)

    def changes_since(self, version: int) -> NDArray[np.int32] | None:
        """Return the cells that changed after `version`; None if long edges did, too."""
        return super().changes_since(version) if version >= self._stray_since else None

    def is_usable(self, graph: Any, s: int) -> bool:
        """Whether the agent may be at cell `s`, and it is a node."""
        return bool(self._used[s]) and super().is_usable(graph, s)

    def entries(self, graph: Any, place: Place, nearest: bool = False) -> Entries:
        """Return the used nodes near a place that it sees, and their distances (in cells)."""
        s = self.node_at(place)
        if s is not None and self.is_usable(graph, s):
            return one_entry(s)
        nodes, distances = np.empty(self.counts["used"], np.int64), np.empty(self.counts["used"])
        n = self._nearest_used(graph, self._gap, *place, nearest, nodes, distances)
        order = np.lexsort((nodes[:n], distances[:n]))
        return nodes[order], distances[order]
