"""`Scene`: bodies in a space, an agent, and a destination."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import at_least, is_number, positive, show
from noctule.display import Displayed
from noctule.files import MAX_CELLS
from noctule.worlds.bodies import Body, poses_of
from noctule.worlds.geometry.rotations import IDENTITY, Vector
from noctule.worlds.many_poses import ManyPoses
from noctule.worlds.motions import Motion, Still, as_vector
from noctule.worlds.resolution import resolution

STEADY = 8  # part of the cells of a window: so far what it follows may leave its middle


@dataclass(frozen=True)
class Space:
    """The box of the world, divided into cubic cells.

    Parameters
    ----------
    origin : 3 floats
        The low corner, in world units.
    cells : 3 ints
        Number of cells along each axis, at least 1.
    cell : float
        Edge length of a cell in world units, above 0.
    up : {"y", "z"}
        The axis that points up in pictures and in the viewer; planning does not depend on it.
    follow : function of time, or object with a `position`, optional
        What the space moves with, by whole cells: a window into an unbounded world.

    Attributes
    ----------
    resolution : float
        Distance in cells below which two positions count as equal.

    Examples
    --------
    >>> import noctule as nt
    >>> nt.Space(origin=(0, 0, 0), cells=(40, 20, 10), cell=0.5).high
    (20.0, 10.0, 5.0)
    >>> window = nt.Space((0, 0, 0), (40, 40, 40), follow=lambda t: (100 * t, 20, 20))
    >>> window.following(1.0).origin
    (80.0, 0.0, 0.0)
    """

    origin: Vector
    cells: tuple[int, int, int]
    cell: float = 1.0
    up: Literal["y", "z"] = field(default="y", repr=False, compare=False)
    follow: Any = field(default=None, compare=False)
    _first: Vector | None = field(default=None, repr=False, compare=False)  # the origin at first
    resolution: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", as_vector("origin", self.origin))
        positive("cell", self.cell)
        if self.up not in ("y", "z"):
            raise ValueError(f"up is {self.up!r}; allowed are 'y' and 'z'")
        cells = tuple(self.cells)
        if len(cells) != 3 or not all(isinstance(n, int) and n > 0 for n in cells):
            raise ValueError(f"cells are {self.cells!r}; expected 3 whole numbers above 0")
        object.__setattr__(self, "resolution", resolution(self.origin, cells, self.cell))
        if not (self.follow is None or callable(self.follow) or hasattr(self.follow, "position")):
            raise ValueError(
                f"follow is {self.follow!r}; expected a function of time, or an object with a "
                f"position, such as a noctule.Body"
            )

    @property
    def high(self) -> Vector:
        """The high corner, in world units."""
        x, y, z = (o + n * self.cell for o, n in zip(self.origin, self.cells, strict=True))
        return (x, y, z)

    def following(self, t: float) -> Space:
        """Return the space as it follows its centre: this one while the centre is near its middle.

        Parameters
        ----------
        t : float
            Time in seconds.

        Returns
        -------
        Space
            The same cells, shifted by whole cells.
        """
        if self.follow is None:
            return self
        centre = self.follow(t) if callable(self.follow) else self.follow.position
        middle = [(low + high) / 2 for low, high in zip(self.origin, self.high, strict=True)]
        apart = zip(as_vector("follow", centre), middle, strict=True)
        shift = [round((p - q) / self.cell) for p, q in apart]
        if max(map(abs, shift)) <= max(1, min(self.cells) // STEADY):
            return self
        first = self.origin if self._first is None else self._first
        moved = zip(first, self.origin, shift, strict=True)
        x, y, z = (
            low + (round((now - low) / self.cell) + by) * self.cell for low, now, by in moved
        )
        return replace(self, origin=(x, y, z), _first=first)

    def inside(self, point: Vector, radius: float) -> Vector:
        """Return the nearest position to a point at which a ball of this radius fits in.

        Parameters
        ----------
        point : 3 floats
            A point in world units.
        radius : float
            Radius of the ball in world units.

        Returns
        -------
        3 floats
            The position of its centre.

        Examples
        --------
        >>> import noctule as nt
        >>> space = nt.Space((0, 0, 0), (8, 8, 8))
        >>> [round(x, 6) for x in space.inside((9, 4, 0), radius=0.5)]
        [7.5, 4, 0.5]
        """
        r = radius + 0.5 * self.resolution * self.cell
        axes = zip(self.origin, point, self.high, strict=True)
        x, y, z = (min(max(v, low + r), high - r) for low, v, high in axes)
        return (x, y, z)


@dataclass(frozen=True)
class Agent:
    """The ball that flies.

    Parameters
    ----------
    start : 3 floats
        Position of its centre at time 0, in world units.
    radius : float
        World units, at least 0.
    speed : float
        World units per second, above 0.

    Examples
    --------
    >>> import noctule as nt
    >>> nt.Agent((1, 2, 3), radius=0.3)
    Agent(start=(1.0, 2.0, 3.0), radius=0.3, speed=4.0)
    """

    start: Vector
    radius: float = 0.45
    speed: float = 4.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", as_vector("agent start", self.start))
        at_least(0, "agent radius", self.radius)
        positive("agent speed", self.speed)


@dataclass(frozen=True)
class Destination:
    """The goal of the agent: a ball that may move.

    Parameters
    ----------
    start : 3 floats
        Position of its centre at time 0, in world units.
    radius : float
        World units, at least 0. The agent arrives when it touches the ball.
    modes : dict of str to Motion
        Motions to choose from.
    mode : str
        The chosen one.

    Examples
    --------
    >>> import noctule as nt
    >>> from noctule.worlds.motions import Drift
    >>> nt.Destination((9, 2, 3), modes={"flee": Drift((1, 0, 0))}, mode="flee").at(2.0)
    (11.0, 2.0, 3.0)
    """

    start: Vector
    radius: float = 0.45
    modes: dict[str, Motion] = field(default_factory=lambda: {"static": Still()})
    mode: str = "static"

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", as_vector("destination start", self.start))
        at_least(0, "destination radius", self.radius)
        if self.mode not in self.modes:
            raise ValueError(
                f"destination mode is {self.mode!r}; this scene has {', '.join(self.modes)}"
            )

    def at(self, t: float) -> Vector:
        """Return its position at time `t` (seconds).

        Parameters
        ----------
        t : float
            Time in seconds.

        Returns
        -------
        3 floats
            Its centre in world units.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Destination((9, 2, 3)).at(2.0)
        (9.0, 2.0, 3.0)
        """
        return self.modes[self.mode].pose(t, (self.start, IDENTITY))[0]


# `Body.version`, `Body.motion_version`, and the moving bodies at that version.
NO_BODIES: tuple[int, int, list[Body]] = (-1, -1, [])


class Scene(Displayed):
    """A world of static and moving bodies, with or without an agent and its destination.

    Parameters
    ----------
    space : Space
        The box of the world and its cells.
    agent : Agent, optional
        Start, radius and speed of the agent. A `Fleet` needs none: it has agents of its own.
    destination : Destination, optional
        The goal and its motion.
    bodies : iterable of Body
        The obstacles.
    name : str
        Name of the scene.

    Attributes
    ----------
    time : float
        Time of the current poses, in seconds.
    moving_poses : float array
        A row per body of `moving`, after the last `move`; see `poses`.

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene.load("test-environment")
    >>> len(scene.bodies), scene.agent.radius, sum(body.moves for body in scene.bodies)
    (60, 0.45, 16)
    >>> scene.add(nt.Body("crate", nt.Box((2, 2, 2)), position=(0, 45, 0)))
    >>> scene.move(1.5)
    >>> scene["slider-01"].position.round(3)
    array([28.697, 46.301,  0.   ])
    """

    def __init__(
        self,
        space: Space,
        agent: Agent | None = None,
        destination: Destination | None = None,
        bodies: Iterable[Body] = (),
        name: str = "scene",
    ) -> None:
        self.name, self.space, self._agent, self._destination = name, space, agent, destination
        self.time = 0.0
        self._bodies: dict[str, Body] = {}
        self._moving = NO_BODIES
        self._poses = ManyPoses([])  # of the moving bodies
        self.moving_poses = np.empty((0, 8))
        for which, part in (("agent", agent), ("destination", destination)):
            if part is None:
                continue
            point = part.start
            inside = zip(space.origin, point, space.high, strict=True)
            if not all(a <= v <= b for a, v, b in inside):
                raise ValueError(
                    f"{which} start {show(point)} lies outside the space, "
                    f"which spans {show(space.origin)} to {show(space.high)}"
                )
        for body in bodies:
            self.add(body)

    @classmethod
    def load(
        cls,
        source: str | PathLike[str] | Scene = "test-environment",
        variant: str | None = None,
        frame: float | None = None,
        max_cells: int = MAX_CELLS,
    ) -> Scene:
        """Read a scene by name (see `scenes`) or from a file.

        Parameters
        ----------
        source : str, path or Scene
            The name of a scene that comes with noctule, a JSON file, or a scene to copy.
        variant : str, optional
            One of the variants that the file has.
        frame : float, optional
            Seconds. Patrols then move once per frame, as in the theses, instead of continuously.
        max_cells : int
            A scene of more cells is refused.

        Returns
        -------
        Scene
            The scene at time 0.

        Raises
        ------
        FileError
            If the file holds no scene; the message says where.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Scene.load("test-environment").name
        'test-environment'
        """
        from noctule.worlds.io.scene_files import load_scene

        if isinstance(source, Scene):
            return copy.deepcopy(source)
        return load_scene(source, variant, frame, max_cells)

    def __repr__(self) -> str:
        return f"Scene({self.name!r}, {len(self._bodies)} bodies, time {self.time:g})"

    def __getstate__(self) -> dict[str, Any]:
        own = {"_moving": NO_BODIES, "_poses": ManyPoses([])}
        return vars(self) | own  # versions are counted per process

    @property
    def agent(self) -> Agent:
        """The agent; a ValueError if the scene has none."""
        if self._agent is None:
            raise ValueError(f"{self.name!r} has no agent of its own; give Scene(..., agent=...)")
        return self._agent

    @agent.setter
    def agent(self, agent: Agent) -> None:
        self._agent = agent

    @property
    def destination(self) -> Destination:
        """The destination; a ValueError if the scene has none."""
        if self._destination is None:
            message = "has no destination of its own; give Scene(..., destination=...)"
            raise ValueError(f"{self.name!r} {message}")
        return self._destination

    @destination.setter
    def destination(self, destination: Destination) -> None:
        self._destination = destination

    @property
    def bodies(self) -> list[Body]:
        """The bodies, in the order in which they were added."""
        return list(self._bodies.values())

    @property
    def moving(self) -> list[Body]:
        """The bodies with a motion; the same list object until a body is added or placed."""
        changes, motions, moving = self._moving
        if changes != Body.version:
            moving = moving.copy()
            if motions != Body.motion_version:
                moving = [body for body in self._bodies.values() if body.moves]
                if not self._poses.match(moving):
                    self._poses = ManyPoses(moving)
            self._moving = Body.version, Body.motion_version, moving
        return moving

    def __getitem__(self, name: str) -> Body:
        if name not in self._bodies:
            raise KeyError(f"there is no body {name!r} in {self.name!r}")
        return self._bodies[name]

    def add(self, body: Body) -> None:
        """Add a body and move it to its pose at the time of the scene.

        Parameters
        ----------
        body : Body
            A body whose name is unique in the scene.

        Raises
        ------
        ValueError
            If there is already a body with this name.

        Examples
        --------
        >>> import noctule as nt
        >>> space = nt.Space((0, 0, 0), (8, 8, 8))
        >>> scene = nt.Scene(space, nt.Agent((1, 1, 1)), nt.Destination((6, 6, 6)))
        >>> scene.add(nt.Body("rock", nt.Ball(1.0), position=(4, 4, 4)))
        >>> [body.name for body in scene.bodies]
        ['rock']
        """
        if not isinstance(body, Body):
            raise ValueError(f"body is {body!r}; expected a noctule.Body")
        if body.name in self._bodies:
            raise ValueError(f"there is already a body {body.name!r} in {self.name!r}")
        if body.moves:
            body.move(self.time)
        self._bodies[body.name] = body
        self._moving = NO_BODIES

    def remove(self, body: Body | str) -> None:
        """Remove a body, given as object or by name.

        Parameters
        ----------
        body : Body or str
            A body of this scene, or its name.

        Raises
        ------
        ValueError
            If there is no such body.

        Examples
        --------
        >>> import noctule as nt
        >>> scene = nt.Scene.load("test-environment")
        >>> n = len(scene.bodies)
        >>> scene.remove(scene.bodies[0])
        >>> n - len(scene.bodies)
        1
        """
        name = body if isinstance(body, str) else body.name
        if name not in self._bodies:
            raise ValueError(f"there is no body {name!r} in {self.name!r}")
        del self._bodies[name]
        self._moving = NO_BODIES

    def move(self, t: float, agent: Any = None) -> None:
        """Move every body to its pose at time `t`.

        A gate does not toggle while the agent is in its hold box.

        Parameters
        ----------
        t : float
            Time in seconds.
        agent : 3 floats, or rows of 3 floats, optional
            Position of the agent, or of several, in world units; without it, gates follow their
            schedule.

        Examples
        --------
        >>> import noctule as nt
        >>> scene = nt.Scene.load("test-environment")
        >>> scene.move(2.5)
        >>> scene.time
        2.5
        """
        if not is_number(t) or not math.isfinite(t):
            raise ValueError(f"t is {t!r}; it must be a finite number of seconds")
        time = float(t)
        positions: list[Vector] | None = None
        if agent is not None:
            many = np.ndim(agent) == 2
            positions = [as_vector("agent", each) for each in (agent if many else [agent])]
        moving = self.moving
        poses = self._poses.at(time)  # if a motion raises, no body has moved
        self._poses.assign(poses)
        for i in self._poses.gates:
            moving[i].move(time, positions)
            poses[i] = moving[i].row
        poses.flags.writeable = False
        self.time, self.moving_poses = time, poses

    def copy_state(self, other: Scene) -> None:
        """Copy time, poses and gate timers from another scene of the same bodies.

        Parameters
        ----------
        other : Scene
            A scene of the same bodies.

        Examples
        --------
        >>> import noctule as nt
        >>> scene, other = nt.Scene.load(), nt.Scene.load()
        >>> other.move(2.5)
        >>> scene.copy_state(other)
        >>> scene.time
        2.5
        """
        self.move(other.time)
        for body in self._bodies.values():
            if body.name in other._bodies:
                body.copy_state(other[body.name])
        self._moving = NO_BODIES

    def destination_in_mode(self, mode: str | None) -> Destination:
        """Return the destination in one of its modes; None keeps the current one.

        Parameters
        ----------
        mode : str or None
            One of `destination.modes`.

        Returns
        -------
        Destination
            With this mode.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Scene.load("test-environment").destination_in_mode("vertical").mode
        'vertical'
        """
        return self.destination if mode is None else replace(self.destination, mode=mode)

    def poses(self) -> NDArray[np.float64]:
        """Return a row per body: position, quaternion, and 1 if it is present, else 0.

        Returns
        -------
        float array (n, 8)
            One row for each of `bodies`.
        """
        return poses_of(self._bodies.values()).copy()
