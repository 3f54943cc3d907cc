"""`Waypoints`: points off the corners and along the edges of bodies, which they follow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import PointLike, at_least, finite_point, positive, show
from noctule.graphs.base import Place
from noctule.graphs.compiled import CompiledGraph
from noctule.graphs.entry_nodes import NO_ENTRIES, Entries
from noctule.graphs.explicit.csr import log_changes, visible_places
from noctule.graphs.explicit.graph import Graph
from noctule.graphs.explicit.waypoint_edges import (
    FREE,
    Bins,
    Rig,
    fill_bins,
    place_nodes,
    update_mesh_edges,
    update_nearest,
    update_nodes,
    write_edges,
)
from noctule.graphs.explicit.waypoint_mesh import box_around, waypoints_around
from noctule.graphs.grid.body_sight import BodyWorld
from noctule.graphs.grid.follows_scene import FollowsScene
from noctule.worlds.bodies import Body, poses_of
from noctule.worlds.geometry.distances import nearest_solid
from noctule.worlds.geometry.solids import pack
from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Shape

HERE = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]])  # the pose of a body in its own frame


class Waypoints(FollowsScene, Graph):
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

    snaps = False

    def __init__(
        self,
        scene: Scene,
        margin: float = 0.525,
        spacing: float = 5.0,
        indirect: int = 1,
        safety: bool = True,
        radius: float | None = None,
    ) -> None:
        CompiledGraph.__init__(self)
        if not isinstance(scene, Scene):
            raise ValueError(f"scene is a {type(scene).__name__}; expected a noctule.Scene")
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
        self.origin.flags.writeable = False
        self.shape, self.resolution = scene.space.cells, scene.space.resolution
        self._follow_scene(scene, safety)

    def __repr__(self) -> str:
        return f"Waypoints({len(self)}, {self.scene.name!r} at {self.scene.time:g} s)"

    # ------------------------------------------------------------------ following the bodies

    def _exchange(self, bodies: list[Body]) -> int:
        """Make the waypoints of other bodies; kernel graphs made earlier become invalid."""
        solid = [(b, shape) for b, body in enumerate(bodies) for shape in self._solid_shapes(body)]
        self.solids = pack(solid)
        self.bare = pack([(b, body.shape) for b, body in enumerate(bodies)])
        self.poses = poses_of(bodies).copy()
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
        return self._update_edges()

    def _mesh(self, shape: Shape) -> Any:
        alone = pack([(0, shape)])
        near = self.least_distance(self.radius)

        def sees(p: NDArray[np.float64], q: NDArray[np.float64]) -> bool:
            body, _ = nearest_solid(alone, HERE, tuple(p.tolist()), tuple(q.tolist()), near)
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

    def _follow(self, bodies: list[int]) -> int:
        """Move the waypoints of these bodies; return how many waypoints have other edges."""
        self._rig.moved[:] = False
        self._rig.moved[bodies] = True
        return self._update_edges()

    def _update_edges(self) -> int:
        """Recompute the edges that bodies which moved may have changed."""
        rig, world, log = self._rig, self._world(), self._changes
        before = self._csr(world)
        before = before._replace(
            first=before.first.copy(), target=before.target.copy(), whole=before.whole.copy()
        )
        x, y, z = self.origin.tolist()
        self.node_motion += 2.0 * place_nodes(rig, self.poses, self._at, self.cell, x, y, z)
        update_nodes(world, rig, self._at)
        update_mesh_edges(world, rig, self._at)
        fill_bins(rig, self._bins, self._at)
        update_nearest(world, rig, self._bins, self._at, float(sum(self.shape)))
        edges = self._first, self._target, self._length, self._whole
        write_edges(rig, self._at, *edges, self._widest)
        self._blocked[:] = rig.node_blocker != FREE
        rig.old[:] = self.poses
        with self._lock:
            version = log.version
            log.version = log_changes(before, self._csr(world), log.ring, version)
        return int(log.version - version)

    # ------------------------------------------------------------------ the search graph

    @property
    def edges(self) -> NDArray[np.int64]:  # type: ignore[override]
        """The free edges, as pairs of waypoints."""
        leaves = np.repeat(np.arange(len(self)), np.diff(self._first))
        pairs = np.stack([leaves, self._target[: self._first[-1]]], axis=1)
        return pairs[pairs[:, 0] < pairs[:, 1]]

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """Which waypoints are covered by a body, or outside the space, as a new bool array."""
        blocked = self._blocked.copy()
        blocked.flags.writeable = False
        return blocked

    @property
    def longest_step(self) -> float:
        """Length of the longest edge, in cells."""
        return float(self._length[: self._first[-1]].max(initial=1.0))

    def positions(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the world positions of waypoints."""
        return self.origin + self._at[nodes] * self.cell

    def _world(self) -> BodyWorld:
        return self._body_world(self.radius, self.solids)

    def in_cells(self, name: str, point: PointLike) -> Place:
        """Convert a point to cells from the low corner of the space; raise if it is outside."""
        place = (finite_point(name, point, 3) - self.origin) / self.cell
        least, most = -self.resolution, np.array(self.shape) + self.resolution
        if not ((place >= least).all() and (place <= most).all()):
            space = self.scene.space
            raise ValueError(
                f"{name} {show(point)} lies outside the world, "
                f"which spans {show(space.origin)} to {show(space.high)}"
            )
        return tuple(place.tolist())

    def entries_past_bodies(self, graph: Any, place: Place) -> Entries:
        """Return the nearest waypoint that a place in a safety shape sees past the bodies."""
        nodes, distances = np.empty(1, np.int64), np.empty(1)
        bare = graph._replace(world=self._body_world(self.radius, self.bare))
        n = visible_places(bare, *self._in_space(place), True, nodes, distances)
        return (nodes, distances) if n else NO_ENTRIES

    def why_blocked(self, place: Place) -> str:
        """Explain why an agent can't be at a place."""
        p = self.origin + np.array(place) * self.cell
        near = self.least_distance(self.radius)
        body, _ = nearest_solid(self.solids, self.poses, tuple(p), tuple(p), near)
        if body >= 0:
            return f"is too near to body {self._bodies[body].name!r} for the agent"
        return "is too near to the border of the world for the agent"
