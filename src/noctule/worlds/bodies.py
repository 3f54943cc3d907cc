"""`Body`: a convex solid somewhere in a scene, and how it moves."""

import itertools
import math
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noctule.worlds.geometry.rotations import IDENTITY, Vector
from noctule.worlds.motions import Blink, Call, Motion, Pose, Still, as_quaternion, as_vector
from noctule.worlds.shapes import Shape

Row = tuple[float, ...]  # a pose, as `Solids` has it: position, quaternion, and 1 if it is present

_changes = itertools.count(1)
_packing = struct.Struct("8d")


class PoseTable:
    """Poses that bodies show.

    To hand its pose to each of thousands of bodies takes longer than to find all poses.

    Attributes
    ----------
    poses : float array
        A row for each body, as `Body.row` has it.
    is_shown : bool
        Whether all the bodies take their poses from here.
    """

    poses: NDArray[np.float64]
    is_shown = False


class Body:
    """A solid of a scene.

    Parameters
    ----------
    name : str
        What to call it; unique in its scene.
    shape : Box, Hull or Ball
        Its form, around its own origin.
    position, rotation : sequence of float
        Where the origin is at time 0; the rotation as a quaternion (x, y, z, w).
    motion : Motion or function, optional
        How it moves (see `noctule.worlds.motions`), or a function of time that returns a position,
        or a position and a rotation. Unless given, it stays until `place` moves it.
    safety : sequence of Shape
        Shapes that move with the body and block cells and sight, but do not end a flight.
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

    # Changes whenever any body is placed or gets a motion. While it is the same, only bodies with a
    # motion can have moved.
    changes = 0
    motions = 0  # changes whenever any body gets a motion

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
            raise ValueError(f"name is {name!r}; a body is called by a text")
        for part in (shape, *safety):
            if not isinstance(part, Shape):
                raise ValueError(f"shape is {part!r}; expected a Box, Hull or Ball")
        self.name, self.shape, self.safety = name, shape, tuple(safety)
        self.reach = max(part.reach for part in (shape, *safety))  # from its origin
        self.kind, self.colour = kind, colour
        self.home: Pose = as_vector("position", position), as_quaternion("rotation", rotation)
        self.motion = _as_motion(motion)
        self._table: PoseTable | None = None  # where its pose is, unless it is in `_packed`
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
            self._table.is_shown, self._table = False, None
        self._packed = _packing.pack(*row)

    @property
    def packed(self) -> bytes:
        """The row as eight doubles: `poses_of` joins those of many bodies."""
        if self._table is None:
            return self._packed
        return self._table.poses[self._number].tobytes()

    def show(self, table: "PoseTable", number: int) -> None:
        """Take its pose from a row of a table from now on, whatever the table has there."""
        if self._table is not None and self._table is not table:
            self._table.is_shown = False
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
        """Whether it is present now; gates come and go."""
        return self.row[7] == 1.0

    @property
    def motion(self) -> Motion:
        """Its motion."""
        return self._motion

    @motion.setter
    def motion(self, motion: Motion) -> None:
        self._motion = motion
        self.moves = not isinstance(motion, Still)  # whether time moves it
        self.blinks = isinstance(motion, Blink)  # whether it is a gate
        Body.changes = Body.motions = next(_changes)

    def place(self, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """Put it at a pose, where it stays until it is placed again."""
        turned = self.home[1] if rotation is None else as_quaternion("rotation", rotation)
        self.home = as_vector("position", position), turned
        self.row = (*self.home[0], *self.home[1], 1.0)
        if self.moves:
            self.motion = Still()
        Body.changes = next(_changes)

    def pose(self, t: float) -> Pose:
        """Return its pose at time `t`."""
        return self._motion.pose(t, self.home)

    def row_at(self, t: float) -> Row:
        """Return its pose at time `t` as a row; a gate counts as present."""
        position, rotation = self._motion.pose(t, self.home)
        return (*position, *rotation, 1.0)

    def present_at(self, t: float) -> bool:
        """Whether it will be present at time `t`, if nothing holds it."""
        if not isinstance(self.motion, Blink):
            return True
        if t < self._toggled:
            return self.motion.present(t)
        flips = (t - self._toggled) // self.motion.half_period
        return self.present == (flips % 2 == 0)

    @property
    def toggles_at(self) -> float:
        """When a gate toggles next if nothing holds it; in the past for one that is held."""
        if not isinstance(self.motion, Blink):
            return math.inf
        return self._toggled + self.motion.half_period

    def move(self, t: float, agent: Vector | None = None) -> None:
        """Move it to its pose at time `t`; an agent may hold a gate."""
        if isinstance(self._motion, Blink):
            self._blink(self._motion, t, agent)
        else:
            self.row = self.row_at(t)

    def take_over(self, other: "Body") -> None:
        """Copy the pose and the timer of another body of the same kind."""
        self.row, self._toggled, self._waits = other.row, other._toggled, other._waits

    def _blink(self, gate: Blink, t: float, agent: Vector | None) -> None:
        present = self.present
        if agent is None or t < self._toggled:  # the undisturbed course of things
            present = gate.present(t)
            self._toggled, self._waits = t // gate.half_period * gate.half_period, False
        while agent is not None and t - self._toggled >= gate.half_period:
            if gate.holds(agent):
                self._waits = True
                break
            self._toggled = t if self._waits else self._toggled + gate.half_period
            present, self._waits = not present, False
        if present != self.present:
            self.row = (*self.home[0], *self.home[1], float(present))


def poses_of(bodies: Iterable[Body]) -> NDArray[np.float64]:
    """Return the rows of bodies as a read-only array; `np.array` takes five times as long."""
    return np.frombuffer(b"".join([body.packed for body in bodies])).reshape(-1, 8)


def _as_motion(motion: Any) -> Motion:
    if motion is None:
        return Still()
    if hasattr(motion, "pose"):
        return motion
    if callable(motion):
        return Call(motion)
    raise ValueError(f"motion is {motion!r}; expected a motion, or a function of time")
