"""`Scene`: bodies in a space, an agent, and a destination."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import at_least, is_number, positive, show
from noctule.display import Displayed
from noctule.files import MAX_CELLS
from noctule.worlds.bodies import Body, poses_of
from noctule.worlds.geometry.rotations import IDENTITY, Vector
from noctule.worlds.many_poses import ManyPoses
from noctule.worlds.motions import Motion, Still, as_vector
from noctule.worlds.space import Space
from noctule.worlds.zones import Zone


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
    """A world of bodies and zones that cost, with or without an agent and its destination.

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
    zones : iterable of Zone
        Regions in which a path costs more.

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
        zones: Iterable[Zone] = (),
    ) -> None:
        self.name, self.space, self._agent, self._destination = name, space, agent, destination
        self.time = 0.0
        self._bodies: dict[str, Body] = {}
        self._zones: dict[str, Zone] = {}
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
        for body in (*bodies, *zones):
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
        zones = f" {len(self._zones)} zones," if self._zones else ""
        return f"Scene({self.name!r}, {len(self._bodies)} bodies,{zones} time {self.time:g})"

    def __getstate__(self) -> dict[str, Any]:
        own = {"_moving": NO_BODIES, "_poses": ManyPoses([])}
        return vars(self) | own  # versions are counted per process

    @property
    def has_agent(self) -> bool:
        """Whether it has an agent of its own."""
        return self._agent is not None

    @property
    def has_destination(self) -> bool:
        """Whether it has a destination of its own."""
        return self._destination is not None

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
    def zones(self) -> list[Zone]:
        """The zones, in the order in which they were added."""
        return list(self._zones.values())

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
        if name not in self._bodies and name not in self._zones:
            raise KeyError(f"there is no body {name!r} in {self.name!r}")
        return self._bodies[name] if name in self._bodies else self._zones[name]

    def add(self, body: Body) -> None:
        """Add a body or a zone and move it to its pose at the time of the scene.

        Parameters
        ----------
        body : Body or Zone
            A body or zone whose name is unique in the scene.

        Raises
        ------
        ValueError
            If there is already one with this name.

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
        if body.name in self._bodies or body.name in self._zones:
            raise ValueError(f"there is already a body {body.name!r} in {self.name!r}")
        if body.moves:
            body.move(self.time)
        if isinstance(body, Zone):
            self._zones[body.name] = body
            return
        self._bodies[body.name] = body
        self._moving = NO_BODIES

    def remove(self, body: Body | str) -> None:
        """Remove a body or a zone, given as object or by name.

        Parameters
        ----------
        body : Body, Zone or str
            A body or zone of this scene, or its name.

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
        if name in self._zones:
            del self._zones[name]
            return
        if name not in self._bodies:
            raise ValueError(f"there is no body {name!r} in {self.name!r}")
        del self._bodies[name]
        self._moving = NO_BODIES

    def move(self, t: float, agent: Any = None) -> None:
        """Move every body and zone to its pose at time `t`.

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
        moving_zones = [zone for zone in self._zones.values() if zone.moves]
        for zone in moving_zones:
            zone.pose(time)  # may raise, too
        for zone in moving_zones:
            zone.move(time, positions)
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
        theirs = other._bodies | other._zones
        for body in (*self._bodies.values(), *self._zones.values()):
            if body.name in theirs:
                body.copy_state(theirs[body.name])
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
