"""`Waypoints`: points off the corners and along the edges of bodies, which they follow."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import Point, at_least, finite_point, positive, show
from noctule.graphs.explicit.csr import BodyWorld, CSRGraph, log_changes, visible_places
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.explicit.waypoint_edges import (
    FREE,
    Bins,
    Rig,
    fill_bins,
    look_at_edges,
    look_at_nodes,
    look_for_others,
    place_nodes,
    write_edges,
)
from noctule.graphs.explicit.waypoint_mesh import box_around, waypoints_around
from noctule.graphs.grid.changed_nodes import ChangeLog
from noctule.graphs.grid.grid import NO_ENTRIES, Entries
from noctule.graphs.grid.scene_grid import TOUCH, blocking_shapes, body_near
from noctule.graphs.memory_pool import MemoryPool
from noctule.worlds.bodies import Body
from noctule.worlds.geometry.solids import Solids, pack
from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Shape

HERE = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]])  # the pose of a body in its own frame

LIKELY = 4  # how many of the solids that were last in the way of a line are tried first


class Waypoints(Graph):
    """The waypoint graph of a scene (Krafft 2019): few nodes, where short paths turn.

    Each body has waypoints off its corners and along its edges, joined along the edges; each of
    them is joined to the nearest it sees of another body. They move with the bodies. A waypoint
    that a body covers, or outside the space, is blocked. Lines are judged by the bodies
    themselves, exactly.

    Parameters
    ----------
    scene : Scene
        The world; the graph shows it as of the last `update`.
    margin : float
        How far waypoints lie off the faces that meet at the corner of a box: at least `radius`.
    spacing : float
        Waypoints along an edge are no farther apart.
    indirect : int
        To how many of the nearest visible waypoints of other bodies each one is joined.
    safety : bool
        Whether the safety shapes of bodies block waypoints and lines, too.
    radius : float, optional
        Radius of the agent; that of the scene unless given.

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene.load("test-environment", "2019")
    >>> graph = nt.Waypoints(scene)
    >>> len(graph)
    2062
    >>> changed = graph.update(1.0)
    >>> path = nt.plan(graph, scene.agent.start, scene.destination.at(1.0), "theta*", radius=0.45)
    >>> path.found, nt.verify(path, graph)
    (True, True)
    """

    tries_straight_line = True
    has_sight = True
    world = None

    def __init__(
        self,
        scene: Scene,
        margin: float = 0.525,
        spacing: float = 5.0,
        indirect: int = 1,
        safety: bool = True,
        radius: float | None = None,
    ) -> None:
        MemoryPool.__init__(self)
        if not isinstance(scene, Scene):
            raise ValueError(f"scene is a {type(scene).__name__}; expected a noctule.Scene")
        self.scene, self.safety = scene, bool(safety)
        self.radius = at_least(0, "radius", scene.agent.radius if radius is None else radius)
        self.margin = at_least(0, "margin", margin)
        if self.margin < self.radius:
            raise ValueError(
                f"margin is {margin!r}; it must be at least the agent's radius, {self.radius:g}"
            )
        self.spacing = positive("spacing", spacing)
        if isinstance(indirect, bool) or not isinstance(indirect, int) or indirect < 1:
            raise ValueError(f"indirect is {indirect!r}; it must be a whole number of at least 1")
        self.indirect = indirect
        self.dimension = 3
        self.origin, self.cell = np.array(scene.space.origin), scene.space.cell
        self.shape = scene.space.cells
        self._changes = ChangeLog()
        self._bodies: list[Body] = []
        self._exchange(scene.bodies)
        self._look_again()

    def __repr__(self) -> str:
        return f"Waypoints({len(self)}, {self.scene.name!r} at {self.scene.time:g} s)"

    # ------------------------------------------------------------------ following the bodies

    def _exchange(self, bodies: list[Body]) -> None:
        """Make the waypoints of other bodies; graphs that were handed out are of no use then."""
        shapes: list[tuple[int, Shape]] = []
        for b, body in enumerate(bodies):
            parts = blocking_shapes(body) if self.safety else [body.shape]
            shapes += [(b, shape) for shape in parts]
        self._solids = pack(shapes)
        self._bare = pack([(b, body.shape) for b, body in enumerate(bodies)])
        self.poses = np.array([body.row for body in bodies], np.float64).reshape(-1, 8)
        self._rows: list[Any] = [body.row for body in bodies]
        self._bodies = bodies
        meshes = [self._mesh(body.shape) for body in bodies]
        counts = [len(mesh.points) for mesh in meshes]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        local = np.concatenate([np.empty((0, 3)), *(mesh.points for mesh in meshes)])
        edges = np.concatenate(
            [
                np.empty((0, 2), np.int64),
                *(mesh.edges + start for mesh, start in zip(meshes, starts, strict=False)),
            ]
        )
        n, lines = len(local), local[edges[:, 1]] - local[edges[:, 0]]
        boxes = [
            box_around(mesh.points, [body.shape, *body.safety])
            for body, mesh in zip(bodies, meshes, strict=True)
        ]
        self._rig = Rig(
            local,
            np.repeat(np.arange(len(bodies)), counts),
            edges,
            np.sqrt((lines**2).sum(axis=1)) / self.cell,
            np.full(n, FREE),
            np.full(len(edges), FREE),
            np.full((n, self.indirect), -1),
            np.full(n, -1.0),
            np.array([low for low, _ in boxes]).reshape(-1, 3),
            np.array([high for _, high in boxes]).reshape(-1, 3),
            np.ones(len(bodies), np.bool_),
            self.poses.copy(),
        )
        self._at = np.zeros((n, 3))
        most = 2 * (len(edges) + n * self.indirect)
        self._first, self._widest = np.zeros(n + 1, np.int64), np.zeros(1, np.int64)
        self._target, self._length = np.zeros(most, np.int64), np.zeros(most)
        self._whole = np.zeros(most)
        self._blocked = np.zeros(n, np.bool_)
        self._bins = self._new_bins(n)
        self.layout_version += 1
        with self._lock:
            self._spare.clear()  # made for another number of nodes

    def _mesh(self, shape: Shape) -> Any:
        alone = pack([(0, shape)])
        near = max(self.radius - TOUCH, TOUCH)

        def sees(p: NDArray[np.float64], q: NDArray[np.float64]) -> bool:
            body, _ = body_near(alone, HERE, tuple(p.tolist()), tuple(q.tolist()), near)
            return bool(body < 0)

        return waypoints_around(shape, self.margin, self.spacing, sees)

    def _new_bins(self, n: int) -> Bins:
        size = max(self.spacing / self.cell, max(self.shape) / 64, 1.0)
        nx, ny, nz = (math.ceil(k / size) for k in self.shape)
        return Bins(
            size,
            nx,
            ny,
            nz,
            np.zeros(nx * ny * nz + 1, np.int64),
            np.zeros(nx * ny * nz, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n),
        )

    def update(self, t: float | None = None, agent: Any = None) -> int:
        """Follow the bodies; returns how many waypoints won, lost or changed edges.

        Parameters
        ----------
        t : float, optional
            Move the scene to this time first; unless given, the bodies are taken as they are.
        agent : sequence of float, optional
            Where the agent is, for gates that wait for it to leave (see `Scene.move`).
        """
        if t is not None:
            self.scene.move(t, agent)
        bodies = self.scene.bodies
        if bodies != self._bodies:
            self._exchange(bodies)
            return self._look_again()
        moved = [i for i, body in enumerate(bodies) if body.row is not self._rows[i]]
        if not moved:
            return 0
        self._rig.old[:] = self.poses
        self._rig.moved[:] = False
        self._rig.moved[moved] = True
        for i in moved:
            self._rows[i] = bodies[i].row
            self.poses[i] = bodies[i].row
        return self._look_again()

    def _look_again(self) -> int:
        """Find out what the bodies that moved have changed."""
        rig, world, log = self._rig, self._world(), self._changes
        before = self._web(world)
        before = before._replace(
            first=before.first.copy(), target=before.target.copy(), whole=before.whole.copy()
        )
        x, y, z = self.origin.tolist()
        self.node_motion += 2.0 * place_nodes(rig, self.poses, self._at, self.cell, x, y, z)
        look_at_nodes(world, rig, self._at)
        look_at_edges(world, rig, self._at)
        fill_bins(rig, self._bins, self._at)
        look_for_others(world, rig, self._bins, self._at, float(sum(self.shape)))
        edges = self._first, self._target, self._length, self._whole
        write_edges(rig, self._at, *edges, self._widest)
        self._blocked[:] = rig.node_blocker != FREE
        with self._lock:
            version = log.version
            log.version = log_changes(before, self._web(world), log.ring, version)
        return int(log.version - version)

    # ------------------------------------------------------------------ the search graph

    @property
    def bare(self) -> Solids:
        """The bodies without their safety shapes; `poses` says where they are."""
        return self._bare

    @property
    def edges(self) -> NDArray[np.int64]:  # type: ignore[override]
        """The edges that are free now, as pairs of waypoints."""
        leaves = np.repeat(np.arange(len(self)), np.diff(self._first))
        pairs = np.stack([leaves, self._target[: self._first[-1]]], axis=1)
        return pairs[pairs[:, 0] < pairs[:, 1]]

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """Which waypoints are covered by a body, or outside the space."""
        return self._blocked.copy()

    @property
    def longest_step(self) -> float:
        """Length of the longest edge, in cells."""
        return float(self._length[: self._first[-1]].max(initial=1.0))

    def _web(self, world: Any) -> CSRGraph:
        edges = self._first, self._target, self._length, self._whole, self._widest
        return CSRGraph(self._at, *edges, world)

    def _world(self, bare: bool = False) -> BodyWorld:
        near = max(self.radius - TOUCH, TOUCH)
        solids = self._bare if bare else self._solids
        edge = self.radius / self.cell - 1e-9
        (x, y, z), (nx, ny, nz) = self.origin.tolist(), self.shape
        last = np.arange(LIKELY)
        return BodyWorld(solids, self.poses, near, self.cell, x, y, z, nx, ny, nz, edge, last)

    def in_cells(self, name: str, point: Point) -> tuple[float, ...]:
        """A point in units of cells from the low corner of the space; refused if outside."""
        place = (finite_point(name, point, 3) - self.origin) / self.cell
        if not ((place >= -1e-9).all() and (place <= np.array(self.shape) + 1e-9).all()):
            space = self.scene.space
            raise ValueError(
                f"{name} {show(point)} lies outside the world, "
                f"which spans {show(space.origin)} to {show(space.high)}"
            )
        return tuple(place.tolist())

    def entries_past_bodies(self, graph: Any, place: tuple[float, ...]) -> Entries:
        """The nearest waypoint that a place in a safety shape sees, past the bodies themselves."""
        nodes, distances = np.empty(1, np.int64), np.empty(1)
        bare = graph._replace(world=self._world(bare=True))
        n = visible_places(bare, *self._in_space(place), True, nodes, distances)
        return (nodes, distances) if n else NO_ENTRIES

    def body_on(self, p: Any, q: Any, radius: float) -> Body | None:
        """The body that a ball would touch on its way from `p` to `q`, if any; exact."""
        ends = tuple(map(float, p)), tuple(map(float, q))
        body, _ = body_near(self._bare, self.poses, *ends, max(radius - TOUCH, TOUCH))
        return self._bodies[body] if body >= 0 else None

    def why_blocked(self, place: tuple[float, ...]) -> str:
        """Say what is in the way of an agent at a place where it can't be."""
        p = self.origin + np.array(place) * self.cell
        near, _ = body_near(self._solids, self.poses, tuple(p), tuple(p), self.radius)
        if near >= 0:
            return f"is too near to body {self._bodies[near].name!r} for the agent"
        return "is too near to the border of the world for the agent"
