"""`Path`: the result of a search."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel_short
from noctule.core.validation import PointLike
from noctule.display import Displayed, draw
from noctule.files import File

LEFT_OUT = ("world", "ends")  # of `Path.to_dict`


@dataclass(frozen=True, eq=False, slots=True)
class Path(Displayed):
    """A path and how it was found; `verify` checks it independently.

    Attributes
    ----------
    found : bool
        Whether a path was found.
    points : array (n, dimension)
        Corners of the polyline in world units, including start and goal; empty if there is no path.
        If the search stopped at a limit, the path leads to the expanded node nearest to the goal.
    nodes : int array (m, dimension)
        Indices of the cells (or corners of cells) on the path.
    length : float
        Length of the polyline in world units.
    cost : float
        What it costs: the integral of the costs of cells along it, in world units, or its length
        where cells have no costs. Searches minimise it.
    cell_cost : float or None
        The same; None where cells have no costs.
    expanded : int
        Number of expanded nodes.
    sight_checks, sight_walks : int
        Number of line-of-sight checks, as the papers count them; and how many of them visited
        cells, because the result could change the search.
    seconds : float
        Duration of the search. In `plan_many`, the time of a batch of short searches is divided in
        proportion to their expansions.
    bound : float
        Proven suboptimality factor: cost <= bound x optimum.
    reason : str
        Why there is no path, only a partial one, or only one to a point near the goal; else empty.
    algorithm : str
        Name of the algorithm.
    radius : float
        Radius of the agent in world units, for which the path is free.
    blocked_ends : tuple of two bool
        Whether start and goal lie in blocked cells of a scene, or too near to them, though no body
        touches the agent there. The first or last segment is then free of the bodies, not of cells.
    restarted : bool
        Whether an incremental search started from scratch in this call, because it was the first
        one or a repair was impossible or too expensive. Always False for other searches.
    times : array (n,) or None
        Time (seconds) at each point of a timed path. A point at which the agent waits occurs twice.
    foreseen : float
        Time (seconds) until which a timed path is free of moving bodies; later only of static ones.
    goal_distance : float
        Distance from the end of the path to the goal, in world units. Above 0 only with `nearest`
        for an unreachable goal; `reached_goal` is False then.
    engine : str
        The engine that searched: "reference" is the algorithm's own file; empty if none was needed.
    world : Grid or None
        The world of cells that it was planned in. A copy of a path does not know it.
    ends : tuple of two points, or None
        Start and goal as they were asked for, where there is no path.

    Examples
    --------
    >>> import noctule as nt
    >>> path = nt.plan(nt.Grid([[False, False]]), (0.5, 0.5), (0.5, 1.5))
    >>> path.found, path.length, path.points.tolist()
    (True, 1.0, [[0.5, 0.5], [0.5, 1.5]])
    """

    found: bool
    points: NDArray[np.float64]
    nodes: NDArray[np.int64]
    length: float
    expanded: int
    sight_checks: int
    sight_walks: int
    seconds: float
    bound: float
    reason: str
    algorithm: str
    radius: float
    blocked_ends: tuple[bool, bool] = (False, False)
    restarted: bool = False
    times: NDArray[np.float64] | None = None
    foreseen: float = math.inf
    engine: str = ""
    goal_distance: float = 0.0
    world: Any = field(default=None, repr=False)
    cell_cost: float | None = None  # the cost, where cells have costs
    ends: tuple[Any, Any] | None = field(default=None, repr=False)  # start and goal as asked for

    def __getstate__(self) -> list[Any]:
        return [None if f.name == "world" else getattr(self, f.name) for f in fields(self)]

    def __setstate__(self, state: list[Any]) -> None:
        for f, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, f.name, value)

    @property
    def clearance(self) -> float | None:
        """The smallest distance from the path to a blocked cell or the border of the world; exact.

        It is computed at each access, for the world as it is then. None without a path, for one in
        time, and where the world is not made of cells, or not known.
        """
        if self.world is None or not len(self.points):
            return None
        clearance: float = self.world.clearance_along(self.points)
        return clearance

    @property
    def cost(self) -> float:
        """What the path costs: its length, unless cells have costs."""
        return self.length if self.cell_cost is None else self.cell_cost

    @property
    def reached_goal(self) -> bool:
        """Whether the path ends at the goal, not at a point near it."""
        return self.found and self.goal_distance == 0.0

    def __bool__(self) -> bool:
        """Return `found`, so that `if path:` works."""
        return self.found

    @property
    def partial(self) -> bool:
        """Whether the path leads only a part of the distance to the goal."""
        return not self.found and len(self.points) > 0

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the path and the world around it, with `noctule.draw`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        **options
            As in `noctule.draw`: `up`, `title`, `unit` ...

        Returns
        -------
        Picture
            What was drawn; its `save` writes a file.

        Raises
        ------
        ValueError
            If the path does not know its world: draw it with `noctule.draw(world, path)`.

        Examples
        --------
        >>> import noctule as nt
        >>> path = nt.plan(nt.Grid([[False, False]]), (0.5, 0.5), (0.5, 1.5))
        >>> path.plot(title="one step").axes[0].get_xlabel()
        'x'
        """
        if self.world is None:
            raise ValueError("this path does not know its world; use noctule.draw(world, path)")
        return draw(self.world, self, ax=ax, **options)

    def save(
        self,
        file: File,
        *,
        home: PointLike | None = None,
        heading: float = 0.0,
        altitude: Literal["relative", "absolute"] = "relative",
        speed: float | None = None,
        up: Literal["y", "z"] = "z",
        frame_id: str = "map",
    ) -> None:
        """Save the points as a mission; the suffix of the file selects the format.

        ``.plan`` (QGroundControl), ``.waypoints`` (MAVLink), ``.mcap`` and ``.yaml`` (ROS 2,
        nav_msgs/msg/Path), ``.geojson``, ``.kml``, ``.gpx``, ``.csv``, ``.ply`` and ``.glb``.

        Parameters
        ----------
        file : path
            The file to write.
        home : sequence of float, optional
            Latitude and longitude in degrees and altitude in metres of the origin of the world
            (WGS 84). Formats with places on the earth need it. World units are metres then.
        heading : float
            Direction of the y axis in degrees, clockwise from north.
        altitude : "relative" or "absolute"
            Whether autopilots get altitudes above home, or absolute ones.
        speed : float, optional
            Speed in metres a second, for autopilots.
        up : "y" or "z"
            Axis of the world that points up. In the file z is up; with y, (x, y, z) becomes
            (x, -z, y).
        frame_id : str
            Name of the frame for ROS.

        Raises
        ------
        ValueError
            If there is no path, an option is wrong, or `home` is missing.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import noctule as nt
        >>> path = nt.plan(nt.Grid([[[False], [False]]]), (0.5, 0.5, 0.5), (0.5, 1.5, 0.5))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "path.csv")
        ...     path.save(file)
        ...     print(file.read_text().strip())
        x,y,z
        0.5,0.5,0.5
        0.5,1.5,0.5
        """
        from noctule.missions.mission import mission_of
        from noctule.missions.save import save_mission

        facts = {name: getattr(self, name) for name in ("algorithm", "length", "radius", "reason")}
        mission = mission_of(
            self.points,
            self.times,
            facts,
            home=home,
            heading=heading,
            altitude=altitude,
            speed=speed,
            up=up,
            frame_id=frame_id,
        )
        save_mission(mission, file)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values; infinite numbers become None.

        Returns
        -------
        dict
            Names and values.
        """
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in LEFT_OUT}
        values["reached_goal"] = self.reached_goal
        values["cost"] = self.cost
        del values["cell_cost"]
        values["points"] = self.points.tolist()
        values["nodes"] = self.nodes.tolist()
        values["times"] = None if self.times is None else self.times.tolist()
        values["blocked_ends"] = list(self.blocked_ends)
        for name in ("length", "cost", "bound", "foreseen"):
            values[name] = values[name] if math.isfinite(values[name]) else None
        return values

    def __repr__(self) -> str:
        if not len(self.points):
            return f"Path({self.algorithm}: none, {self.reason})"
        kind = "found" if self.found else f"partial, {self.reason}"
        cost = "" if self.cell_cost is None else f"cost {self.cell_cost:.4f}, "
        return (
            f"Path({self.algorithm}: {kind}, {cost}length {self.length:.4f}, "
            f"{len(self.points)} points, {self.expanded} expanded)"
        )


@kernel_short
def add_up_legs(points: Any) -> float:
    """Return the length of a polyline; four times as fast as NumPy for few points."""
    length = 0.0
    for i in range(1, len(points)):
        square = 0.0
        for axis in range(points.shape[1]):
            leg = points[i, axis] - points[i - 1, axis]
            square += leg * leg
        length += math.sqrt(square)
    return length


length_of = bind(add_up_legs)


def polyline_length(points: NDArray[np.float64]) -> float:
    """Return the length of a polyline."""
    legs = points[1:] - points[:-1]
    return float(np.sqrt((legs * legs).sum(axis=1)).sum())
