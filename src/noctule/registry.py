"""The catalogue: one row an algorithm. Tests, command line and studies all go through it."""

import difflib
from collections.abc import Callable
from typing import Any, NamedTuple

from noctule.algorithms.a_star import AStar
from noctule.algorithms.aamt_d_star_lite import AAMTDStarLite, AAMTDStarLiteFast
from noctule.algorithms.ad_star import ADStar
from noctule.algorithms.ara_star import ARAStar
from noctule.algorithms.basic_mt_d_star_lite import BasicMTDStarLite
from noctule.algorithms.d_star import DStar
from noctule.algorithms.d_star_lite import DStarLite
from noctule.algorithms.incremental import Remembering
from noctule.algorithms.lazy_theta_star import LazyThetaStar
from noctule.algorithms.mt_d_star_lite import MTDStarLite
from noctule.algorithms.theta_star import ThetaStar, theta_star_fast


class Algorithm(NamedTuple):
    """What an algorithm is called and what can be expected of it."""

    name: str
    summary: str
    options: Callable[..., Any]  # makes the NamedTuple that kernels dispatch on, or the engine
    optimal: bool = False  # finds a shortest path of the graph
    any_angle: bool = False  # its paths may leave the edges of the graph
    incremental: bool = False  # keeps its search when the world changes
    moving_target: bool = False  # keeps its search when start or goal move
    anytime: bool = False  # finds a path early and improves it
    plane_only: bool = False  # works in the plane only, with nodes at corners
    timed: bool = False  # plans in time, on the cells of a scene with moving bodies

    @property
    def remembers(self) -> bool:
        """Whether it has an engine of its own that keeps what it knows from plan to plan."""
        return isinstance(self.options, type) and issubclass(self.options, Remembering)


def _a_star(weight: float, heuristic: int, equal: bool) -> AStar:
    return AStar(weight, heuristic)


CATALOGUE = (
    Algorithm("dijkstra", "shortest path without a heuristic", _a_star, optimal=True),
    Algorithm("a*", "shortest path along the edges of the graph", _a_star, optimal=True),
    Algorithm("jps", "a* that jumps along rows of cells (8, 26 neighbours)", _a_star, optimal=True),
    Algorithm("theta*", "short path at any angle", ThetaStar, any_angle=True),
    Algorithm(
        "theta*-fast",
        "theta* that looks around only where paths may turn",
        theta_star_fast,
        any_angle=True,
    ),
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
        "ara*",
        "a first path soon, then better ones down to the shortest",
        ARAStar,
        optimal=True,
        anytime=True,
    ),
    Algorithm("d*", "repairs its search when cells change", DStar, optimal=True, incremental=True),
    Algorithm(
        "d*-lite",
        "repairs its search when cells change or the start moves",
        DStarLite,
        optimal=True,
        incremental=True,
    ),
    Algorithm(
        "ad*",
        "like d*-lite, with a first path soon and better ones later",
        ADStar,
        optimal=True,
        incremental=True,
        anytime=True,
    ),
    Algorithm(
        "basic-mt-d*-lite",
        "repairs its search when start and goal move, too",
        BasicMTDStarLite,
        optimal=True,
        incremental=True,
        moving_target=True,
    ),
    Algorithm(
        "mt-d*-lite",
        "the same with fewer expansions",
        MTDStarLite,
        optimal=True,
        incremental=True,
        moving_target=True,
    ),
    Algorithm(
        "aamt-d*-lite",
        "like mt-d*-lite, with short paths at any angle",
        AAMTDStarLite,
        any_angle=True,
        incremental=True,
        moving_target=True,
    ),
    Algorithm(
        "aamt-d*-lite-fast",
        "the same, looking around only where paths may turn",
        AAMTDStarLiteFast,
        any_angle=True,
        incremental=True,
        moving_target=True,
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
    >>> [row.name for row in nt.algorithms() if row.any_angle and row.incremental]
    ['aamt-d*-lite', 'aamt-d*-lite-fast']
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
