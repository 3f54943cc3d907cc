"""The catalogue: one row an algorithm. Tests, command line and studies all go through it."""

import difflib
from collections.abc import Callable
from typing import Any, NamedTuple

from noctule.searches.a_star import AStar
from noctule.searches.lazy_theta_star import LazyThetaStar
from noctule.searches.theta_star import ThetaStar


class Algorithm(NamedTuple):
    """What an algorithm is called and what can be expected of it."""

    name: str
    summary: str
    options: Callable[..., Any]  # makes the NamedTuple that kernels dispatch on
    optimal: bool = False  # finds a shortest path of the graph
    any_angle: bool = False  # its paths may leave the edges of the graph
    incremental: bool = False  # keeps its search when the world changes
    moving_target: bool = False  # keeps its search when start or goal move
    anytime: bool = False  # finds a path early and improves it
    plane_only: bool = False  # works in the plane only, with nodes at corners
    timed: bool = False  # plans in time, on the cells of a scene with moving bodies


def _a_star(weight: float, heuristic: int, equal: bool) -> AStar:
    return AStar(weight, heuristic)


CATALOGUE = (
    Algorithm("dijkstra", "shortest path without a heuristic", _a_star, optimal=True),
    Algorithm("a*", "shortest path along the edges of the graph", _a_star, optimal=True),
    Algorithm("theta*", "short path at any angle", ThetaStar, any_angle=True),
    Algorithm(
        "lazy-theta*",
        "like theta*, with one sight check an expansion",
        LazyThetaStar,
        any_angle=True,
    ),
    Algorithm(
        "visibility",
        "the truly shortest path in the plane, as a yardstick",
        _a_star,
        optimal=True,
        any_angle=True,
        plane_only=True,
    ),
    Algorithm(
        "safe-intervals",
        "the earliest arrival among moving bodies, waiting included",
        _a_star,
        any_angle=True,
        moving_target=True,
        timed=True,
    ),
)


def algorithms() -> tuple[Algorithm, ...]:
    """All algorithms with their properties.

    >>> import noctule as nt
    >>> [row.name for row in nt.algorithms() if row.any_angle]
    ['theta*', 'lazy-theta*', 'visibility', 'safe-intervals']
    """
    return CATALOGUE


def find_algorithm(name: str) -> Algorithm:
    """The row of an algorithm by its name, with or without stars: `a*`, `astar`, `lazy-theta`."""
    wanted = name.strip().lower().replace("_", "-") if isinstance(name, str) else name
    if wanted in _BY_SPELLING:
        return _BY_SPELLING[wanted]
    near = difflib.get_close_matches(str(wanted), _BY_SPELLING, n=3, cutoff=0.5)
    nearest = list(dict.fromkeys(_BY_SPELLING[spelling].name for spelling in near))
    hint = f"did you mean {' or '.join(nearest)}? " if nearest else ""
    raise ValueError(
        f"unknown algorithm {name!r}; {hint}known are {', '.join(row.name for row in CATALOGUE)}"
    )


def _spellings(name: str) -> set[str]:
    return {name, name.replace("*", ""), name.replace("*", "-star"), name.replace("*", "star")}


_BY_SPELLING = {spelling: row for row in CATALOGUE for spelling in _spellings(row.name)}
