"""`FollowsScene`: a search graph of a scene that is updated as the bodies move."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.compiled import CompiledGraph
from noctule.graphs.grid.body_sight import BodyWorld
from noctule.worlds.bodies import Body, poses_of
from noctule.worlds.geometry.distances import nearest_solid
from noctule.worlds.geometry.solids import Solids, pack
from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Shape

LIKELY = 4  # number of the solids that blocked a segment last to be tested first


class FollowsScene(CompiledGraph):
    """A graph of a scene as of the last `update`.

    Attributes
    ----------
    scene : Scene
        The world.
    safety : bool
        Whether the safety shapes of bodies are solid, too.
    poses : float array
        A row for each body: position, quaternion, and 1 if it is present.
    """

    takes_costs = False
    scene: Scene
    safety: bool
    poses: NDArray[np.float64]
    shape: tuple[int, ...]
    solids: Solids  # what blocks cells and lines
    bare: Solids  # the bodies without their safety shapes

    def _follow_scene(self, scene: Scene, safety: bool) -> None:
        """Start to follow a scene."""
        self.scene, self.safety = scene, bool(safety)
        self.solids, self.bare, self.poses = pack([]), pack([]), np.empty((0, 8))
        self._bodies: list[Body] = []
        self._moving: list[Body] | None = None  # as `scene.moving` was in the last update
        self._moving_numbers: list[int] = []
        self.update()

    def update(self, t: float | None = None, agent: Any = None) -> int:
        """Follow the bodies of the scene.

        Parameters
        ----------
        t : float, optional
            Move the scene to this time first; unless given, the bodies are taken as they are.
        agent : sequence of float, optional
            Where the agent is, for gates that wait for it to leave (see `Scene.move`).

        Returns
        -------
        int
            Number of cells that changed, or of waypoints with changed edges.
        """
        if t is not None:
            self.scene.move(t, agent)
        return self._follow_bodies(t) + self._follow_zones()

    def _follow_bodies(self, t: float | None) -> int:
        """Take over the poses of the bodies; return how much changed."""
        moving = self.scene.moving
        if moving is self._moving:  # only these bodies can have moved
            numbers = self._moving_numbers
            rows = poses_of(moving) if t is None else self.scene.moving_poses
            return self._take(np.array(numbers, np.int64), rows)
        bodies, changed = self.scene.bodies, 0
        if bodies != self._bodies or self._moving is None:
            changed = self._exchange(bodies)
            self._moving = None
        if moving != self._moving:
            self._moving_numbers = [i for i, body in enumerate(bodies) if body.moves]
        self._moving = moving
        return changed + self._take(np.arange(len(bodies)), poses_of(bodies))

    def _take(self, numbers: NDArray[np.int64], rows: NDArray[np.float64]) -> int:
        """Take over the poses of bodies, given by number; return how much changed."""
        moved = (rows != self.poses[numbers]).any(axis=1)
        self.poses[numbers] = rows
        return self._follow(numbers[moved].tolist()) if moved.any() else 0

    def _follow_zones(self) -> int:
        """Take over what the zones make cells cost; return how many cells changed."""
        if self.scene.zones:
            raise ValueError(
                f"scene {self.scene.name!r} has zones that cost, and {type(self).__name__} does "
                f"not know them; use noctule.CellGrid with sight='cells'"
            )
        return 0

    @abstractmethod
    def _exchange(self, bodies: list[Body]) -> int:
        """Replace all bodies; return how much changed.

        The poses of new bodies are NaN: they count as moved.
        """

    @abstractmethod
    def _follow(self, bodies: list[int]) -> int:
        """Update the graph to the new poses of these bodies; return how much changed."""

    def _solid_shapes(self, body: Body) -> list[Shape]:
        return blocking_shapes(body) if self.safety else [body.shape]

    @property
    def bodies(self) -> list[Body]:
        """The bodies, in the order of `poses`."""
        return self._bodies

    @property
    def moving(self) -> list[int]:
        """The numbers of the bodies with a motion."""
        return self._moving_numbers

    @property
    def touch(self) -> float:
        """How much too near, in world units, a ball touches a body: poses are rounded."""
        return self.resolution * self.cell

    def least_distance(self, radius: float) -> float:
        """Return how near a body may come to a segment for an agent of this radius.

        Parameters
        ----------
        radius : float
            Radius of the agent in world units.

        Returns
        -------
        float
            A distance in world units.
        """
        return max(radius - self.touch, self.touch)

    def _body_world(self, radius: float, solids: Solids) -> BodyWorld:
        """Return solids as kernels see them, for an agent of this radius."""
        (x, y, z), (nx, ny, nz) = self.origin.tolist(), self.shape
        near = self.least_distance(radius)
        edge = radius / self.cell - self.resolution
        last = np.arange(LIKELY)
        return BodyWorld(solids, self.poses, near, self.cell, x, y, z, nx, ny, nz, edge, last)

    def body_on(self, p: Any, q: Any, radius: float) -> Body | None:
        """Return the nearest body that a ball touches on its way from `p` to `q`, if any; exact.

        Parameters
        ----------
        p, q : sequence of float
            Both ends of the way, in world units.
        radius : float
            Radius of the ball in world units.

        Returns
        -------
        Body or None
            The nearest body that is touched.

        Examples
        --------
        >>> import noctule as nt
        >>> scene = nt.Scene.load("test-environment")
        >>> grid = nt.CellGrid(scene)
        >>> grid.body_on(scene.agent.start, scene.agent.start, 0.45) is None
        True
        """
        ends = tuple(map(float, p)), tuple(map(float, q))
        body, _ = nearest_solid(self.bare, self.poses, *ends, self.least_distance(radius))
        return self._bodies[body] if body >= 0 else None


def blocking_shapes(body: Body) -> list[Shape]:
    """Return the safety shapes of a body, and its own shape unless one of them contains it."""
    if any(shape.holds(body.shape) for shape in body.safety):
        return list(body.safety)
    return [body.shape, *body.safety]
