"""`Body`: a convex solid of a scene, with its pose and motion."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.worlds.geometry.rotations import IDENTITY, Vector
from noctule.worlds.motions import Blink, Call, Motion, Pose, Still, as_quaternion, as_vector
from noctule.worlds.shapes import Shape

Row = tuple[float, ...]  # a pose: position, quaternion, and 1 if the body is present, else 0

_versions = itertools.count(1)
_packing = struct.Struct("8d")


class PoseTable:
    """A table from which bodies read their poses.

    Assigning a pose to each of thousands of bodies takes longer than computing all poses.

    Attributes
    ----------
    poses : float array
        A `Body.row` per body.
    is_used : bool
        Whether all bodies of the table read their poses from it.
    """

    poses: NDArray[np.float64]
    is_used = False


class Body:
    """A solid of a scene.

    Parameters
    ----------
    name : str
        Unique in its scene.
    shape : Box, Hull or Ball
        Its shape, relative to its own origin.
    position, rotation : sequence of float
        Position of the origin (world units) and rotation (quaternion x, y, z, w) at time 0.
    motion : Motion or function, optional
        See `noctule.worlds.motions`. A function of time (seconds) returns a position, or a position
        and a rotation. By default the body is static until `place` moves it.
    safety : sequence of Shape
        Shapes that move with the body and block cells and sight. Touching them is no collision.
    kind, colour : str
        For tables and pictures.

    Examples
    --------
    >>> import noctule as nt
    >>> door = nt.Body("door", nt.Box((1, 4, 3)), position=(5, 2, 1.5))
    >>> door.place((6, 2, 1.5))
    >>> door.position
    array([6. , 2. , 1.5])
    """

    # Changes when any body is placed or its motion is replaced. While it is constant, only bodies
    # with a motion can have moved.
    version = 0
    motion_version = 0  # changes when the motion of any body is replaced

    def __init__(
        self,
        name: str,
        shape: Shape,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = IDENTITY,
        motion: Motion | Callable[[float], Any] | None = None,
        safety: Sequence[Shape] = (),
        kind: str = "static",
        colour: str = "white",
    ) -> None:
        if not isinstance(name, str) or not name:
            raise ValueError(f"name is {name!r}; expected a text that is not empty")
        for part in (shape, *safety):
            if not isinstance(part, Shape):
                raise ValueError(f"shape is {part!r}; expected a Box, Hull or Ball")
        self.name, self.shape, self.safety = name, shape, tuple(safety)
        self.reach = max(part.reach for part in (shape, *safety))  # from its origin, world units
        self.kind, self.colour = kind, colour
        self.home: Pose = as_vector("position", position), as_quaternion("rotation", rotation)
        self.motion = _as_motion(motion)
        self._table: PoseTable | None = None  # holds its pose; if None, `_packed` does
        self._packed = _packing.pack(*self.home[0], *self.home[1], 1.0)
        self._toggled, self._waits = 0.0, False
        if isinstance(self.motion, Blink):
            self.move(0.0)

    def __repr__(self) -> str:
        return f"Body({self.name!r}, {self.shape!r}, {type(self.motion).__name__.lower()})"

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_packed": self.packed, "_table": None}

    @property
    def row(self) -> Row:
        """Current pose: position, quaternion, and 1 if it is present."""
        return _packing.unpack(self.packed)

    @row.setter
    def row(self, row: Row) -> None:
        if self._table is not None:
            self._table.is_used, self._table = False, None
        self._packed = _packing.pack(*row)

    @property
    def packed(self) -> bytes:
        """The row as the bytes of eight doubles, which `poses_of` joins."""
        if self._table is None:
            return self._packed
        packed: bytes = self._table.poses[self._number].tobytes()
        return packed

    def use_table(self, table: PoseTable, number: int) -> None:
        """Read its pose from row `number` of a table from now on.

        Parameters
        ----------
        table : PoseTable
            The poses of many bodies.
        number : int
            Its row.
        """
        if self._table is not None and self._table is not table:
            self._table.is_used = False
        self._table, self._number = table, number

    @property
    def position(self) -> NDArray[np.float64]:
        """Current position of its origin, read-only: `place` puts it elsewhere."""
        return np.frombuffer(self.packed, np.float64, 3)

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Current rotation, as a quaternion (x, y, z, w); read-only."""
        return np.frombuffer(self.packed, np.float64, 4, 24)

    @property
    def present(self) -> bool:
        """Whether it is present now; a gate may be absent."""
        return self.row[7] == 1.0

    @property
    def motion(self) -> Motion:
        """Its motion."""
        return self._motion

    @motion.setter
    def motion(self, motion: Motion) -> None:
        self._motion = motion
        self.moves = not isinstance(motion, Still)
        self.blinks = isinstance(motion, Blink)  # is a gate
        Body.version = Body.motion_version = next(_versions)

    def place(self, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """Set its pose and make it static.

        Parameters
        ----------
        position : sequence of float
            Position of its origin in world units.
        rotation : sequence of float, optional
            Quaternion (x, y, z, w); the rotation stays unless given.
        """
        turned = self.home[1] if rotation is None else as_quaternion("rotation", rotation)
        self.home = as_vector("position", position), turned
        self.row = (*self.home[0], *self.home[1], 1.0)
        if self.moves:
            self.motion = Still()
        Body.version = next(_versions)

    def pose(self, t: float) -> Pose:
        """Return its pose at time `t`.

        Parameters
        ----------
        t : float
            Time in seconds.

        Returns
        -------
        tuple
            Position and quaternion.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Body("bird", nt.Ball(0.2), motion=lambda t: (t, 0, 3)).pose(2.0)[0]
        (2.0, 0.0, 3.0)
        """
        return self._motion.pose(t, self.home)

    def row_at(self, t: float) -> Row:
        """Return its pose at time `t` as a row; a gate counts as present.

        Parameters
        ----------
        t : float
            Time in seconds.

        Returns
        -------
        tuple of 8 floats
            Position, quaternion, and 1.
        """
        position, rotation = self._motion.pose(t, self.home)
        return (*position, *rotation, 1.0)

    def present_at(self, t: float) -> bool:
        """Whether it will be present at time `t`, if no agent holds it.

        Parameters
        ----------
        t : float
            Time in seconds.

        Returns
        -------
        bool
            False for a gate that is absent then.
        """
        if not isinstance(self.motion, Blink):
            return True
        if t < self._toggled:
            return self.motion.present(t)
        flips = (t - self._toggled) // self.motion.half_period
        return self.present == (flips % 2 == 0)

    @property
    def toggles_at(self) -> float:
        """Time at which a gate toggles next if no agent holds it; in the past if one does."""
        if not isinstance(self.motion, Blink):
            return math.inf
        return self._toggled + self.motion.half_period

    def move(self, t: float, agents: Sequence[Vector] | None = None) -> None:
        """Set its pose to that at time `t`; an agent at one of these positions may hold a gate.

        Parameters
        ----------
        t : float
            Time in seconds.
        agents : sequence of 3 floats, optional
            Positions of agents in world units.
        """
        if isinstance(self._motion, Blink):
            self._blink(self._motion, t, agents)
        else:
            self.row = self.row_at(t)

    def copy_state(self, other: Body) -> None:
        """Copy the pose and the gate timer of another body with the same motion.

        Parameters
        ----------
        other : Body
            A body with the same motion.
        """
        self.row, self._toggled, self._waits = other.row, other._toggled, other._waits

    def _blink(self, gate: Blink, t: float, agents: Sequence[Vector] | None) -> None:
        present = self.present
        if agents is None or t < self._toggled:  # no agent, or time went back: the plain schedule
            present = gate.present(t)
            self._toggled, self._waits = t // gate.half_period * gate.half_period, False
        while agents is not None and t - self._toggled >= gate.half_period:
            if any(gate.holds(agent) for agent in agents):
                self._waits = True
                break
            self._toggled = t if self._waits else self._toggled + gate.half_period
            present, self._waits = not present, False
        if present != self.present:
            self.row = (*self.home[0], *self.home[1], float(present))


def poses_of(bodies: Iterable[Body]) -> NDArray[np.float64]:
    """Return the rows of bodies as a read-only array, five times as fast as `np.array`."""
    return np.frombuffer(b"".join([body.packed for body in bodies])).reshape(-1, 8)


def _as_motion(motion: Any) -> Motion:
    if motion is None:
        return Still()
    if hasattr(motion, "pose"):
        return cast(Motion, motion)
    if callable(motion):
        return Call(motion)
    raise ValueError(f"motion is {motion!r}; expected a motion, or a function of time")
