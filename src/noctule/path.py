"""`Path`: what a search returns."""

import math
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.jit import bind, kernel_short


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """A path and how it was found; the claims in it can be proved again with `verify`.

    Attributes
    ----------
    found : bool
        Whether the path reaches the goal.
    points : array (n, dimension)
        The corners of the polyline in world units, start and goal included; empty if there is no
        path at all. A path that ends early at a limit leads to the node nearest the goal.
    nodes : int array (m, dimension)
        Indices of the cells (or corners of cells) that the path goes through.
    length : float
        Length of the polyline in world units.
    expanded : int
        How many nodes the search expanded.
    sight_checks, sight_walks : int
        How many lines of sight the algorithm asked for, as the papers count them, and how many
        of them were walked: none is where the answer could not change anything.
    seconds : float
        How long it took; of short searches that `plan_many` ran in one go, by their expansions.
    bound : float
        Proven suboptimality factor: length <= bound x optimum.
    reason : str
        Why there is no path, only a part of it, or only one to a point near the goal; else empty.
    algorithm : str
        The search that found it.
    radius : float
        The radius of the agent for which it is free.
    blocked_ends : tuple of two bool
        Whether start and goal lie in blocked cells of a scene, or too near to them, though no body
        touches the agent there: then the first or last segment is free of the bodies themselves.
    restarted : bool
        Whether an incremental search started from scratch in this call: at first, and where a
        repair was impossible or would have cost more. Always False for other searches.
    times : array (n,) or None
        When the agent is at each of the points, for a path in time; a point at which it waits
        comes twice.
    foreseen : float
        The moment until which a path in time is free of bodies that move; later, of walls only.
    goal_distance : float
        How far the end of a path that was found is from the goal: 0 unless `nearest` was asked for,
        and the goal cannot be reached; `reached_goal` is False then.
    engine : str
        The engine that searched: "reference" is the algorithm's own file; empty if none was needed.
    world : Grid or None
        The world of cells that it was planned in. A copy of a path does not know it.

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
    def reached_goal(self) -> bool:
        """Whether the path ends at the goal itself, not at a point near it."""
        return self.found and self.goal_distance == 0.0

    def __bool__(self) -> bool:
        """Whether it was found: `if path:` is `if path.found:`."""
        return self.found

    @property
    def partial(self) -> bool:
        """Whether this is only the beginning of a path."""
        return not self.found and len(self.points) > 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as values that JSON can hold; None where a number is infinite.

        Returns
        -------
        dict
            Names and values.
        """
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "world"}
        values["reached_goal"] = self.reached_goal
        values["points"] = self.points.tolist()
        values["nodes"] = self.nodes.tolist()
        values["times"] = None if self.times is None else self.times.tolist()
        values["blocked_ends"] = list(self.blocked_ends)
        for name in ("length", "bound", "foreseen"):
            values[name] = values[name] if math.isfinite(values[name]) else None
        return values

    def __repr__(self) -> str:
        if not len(self.points):
            return f"Path({self.algorithm}: none, {self.reason})"
        kind = "found" if self.found else f"partial, {self.reason}"
        return (
            f"Path({self.algorithm}: {kind}, length {self.length:.4f}, {len(self.points)} points, "
            f"{self.expanded} expanded)"
        )


@kernel_short
def add_up_legs(points: Any) -> float:
    """Return the length of a polyline; for a few points, four times as fast as NumPy."""
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
