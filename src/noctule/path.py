"""`Path`: what a search returns."""

import math
from dataclasses import dataclass, fields
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
        path at all. A path that ends early for lack of budget leads to the node nearest the goal.
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
        """The fields as values that JSON can hold; None where a number is infinite."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
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
def add_up_legs(points):
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
