"""The registry: one row an algorithm. Tests, command line and studies all go through it."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from noctule.algorithms.a_star import AStar
from noctule.algorithms.aamt_d_star_lite import AAMT_D_STAR_LITE, AAMT_D_STAR_LITE_FAST
from noctule.algorithms.ad_star import AD_STAR
from noctule.algorithms.ara_star import ARA_STAR
from noctule.algorithms.basic_mt_d_star_lite import BASIC_MT_D_STAR_LITE
from noctule.algorithms.d_star import D_STAR
from noctule.algorithms.d_star_lite import D_STAR_LITE
from noctule.algorithms.field.field_d_star import FIELD_D_STAR
from noctule.algorithms.incremental.state import IncrementalAlgorithm
from noctule.algorithms.lazy_theta_star import LazyThetaStar
from noctule.algorithms.mt_d_star_lite import MT_D_STAR_LITE
from noctule.algorithms.plane.ap_theta_star import APThetaStar
from noctule.algorithms.theta_star import ThetaStar, theta_star_fast
from noctule.entry_points import load_all, load_named
from noctule.graphs.registered import check_name
from noctule.plugins.outside_search import OutsideAlgorithm, check_function

GROUP = "noctule.algorithms"  # of entry points


class Algorithm(NamedTuple):
    """The name of an algorithm, what it searches with, and what can be expected of it.

    Attributes
    ----------
    name, summary : str
        The name, with stars, and what it does in a few words.
    search : object
        What searches: procedures of the package, or a function of another package.
    optimal : bool
        Whether it finds a shortest path of the graph.
    any_angle : bool
        Whether its paths may leave the edges of the graph.
    incremental : bool
        Whether it keeps its search when the world changes.
    moving_target : bool
        Whether it keeps its search when start or goal move.
    anytime : bool
        Whether it finds a path early and improves it.
    plane_only : bool
        Whether it works only in the plane.
    corners_only : bool
        Whether it works only with nodes at corners.
    timed : bool
        Whether it plans in time, on the cells of a scene with moving bodies.
    cells_only : bool
        Whether it works only on the cells of a grid.
    hierarchical : bool
        Whether it can follow the path of a coarse level.
    no_heuristic : bool
        Whether it searches without a heuristic.
    keeps_search : bool
        Whether it keeps its search from plan to plan.
    tightened : bool
        Whether it runs several searches and pulls the best path taut.

    Examples
    --------
    >>> import noctule as nt
    >>> row = nt.algorithms()[1]
    >>> row.name, row.optimal, row.any_angle
    ('a*', True, False)
    """

    name: str
    summary: str
    # The procedures of an incremental search, or a function of weight, heuristic and equal costs
    # that returns the options of a best-first search; None for a search of its own kind.
    search: IncrementalAlgorithm | Callable[[float, int, bool], Any] | OutsideAlgorithm | None
    optimal: bool = False  # finds a shortest path of the graph
    any_angle: bool = False  # its paths may leave the edges of the graph
    incremental: bool = False  # keeps its search when the world changes
    moving_target: bool = False  # keeps its search when start or goal move
    anytime: bool = False  # finds a path early and improves it
    corners_only: bool = False  # works with nodes at corners only, for a point
    plane_only: bool = False  # works in the plane only
    timed: bool = False  # plans in time, on the cells of a scene with moving bodies
    cells_only: bool = False  # works on the cells of a grid only
    hierarchical: bool = False  # can follow the path of a coarse level
    no_heuristic: bool = False
    keeps_search: bool = False  # from plan to plan
    tightened: bool = False  # several searches, and the best path is pulled taut


def _a_star(weight: float, heuristic: int, equal: bool) -> AStar:
    return AStar(weight, heuristic)


DEFAULT = "taut"
ALONG_EDGES = "a*"  # what serves every graph, cost and heuristic


def _row(name: str, summary: str, search: Any, properties: str) -> Algorithm:
    """Return a row with these properties set."""
    keeps = isinstance(search, IncrementalAlgorithm)
    given = dict.fromkeys(properties.split(), True)
    return Algorithm(name, summary, search, **given, keeps_search=keeps)


ALGORITHMS = (
    _row("dijkstra", "shortest path without a heuristic", _a_star, "optimal no_heuristic"),
    _row("a*", "shortest path along the edges of the graph", _a_star, "optimal hierarchical"),
    _row(
        "jps",
        "a* that jumps along rows of cells (8, 26 neighbours)",
        _a_star,
        "optimal cells_only hierarchical",
    ),
    _row("theta*", "short path at any angle", ThetaStar, "any_angle"),
    _row(
        "theta*-fast",
        "theta* with line-of-sight checks only where paths may turn",
        theta_star_fast,
        "any_angle",
    ),
    _row(
        "lazy-theta*",
        "theta* with one line-of-sight check an expansion",
        LazyThetaStar,
        "any_angle",
    ),
    _row(
        "ap-theta*",
        "theta* with ranges of angles instead of line-of-sight checks",
        APThetaStar,
        "any_angle corners_only plane_only",
    ),
    _row(
        "taut",
        "shorter than theta*, and faster: its paths are pulled taut",
        LazyThetaStar,
        "any_angle hierarchical tightened",
    ),
    _row(
        "visibility",
        "the true shortest path in the plane, for comparison",
        None,
        "optimal any_angle corners_only plane_only",
    ),
    _row(
        "ara*",
        "a first path early, then better ones down to the shortest",
        ARA_STAR,
        "optimal anytime",
    ),
    _row("d*", "repairs its search when cells change", D_STAR, "optimal incremental no_heuristic"),
    _row(
        "d*-lite",
        "repairs its search when cells change or the start moves",
        D_STAR_LITE,
        "optimal incremental",
    ),
    _row(
        "ad*",
        "d*-lite with a first path early and better ones later",
        AD_STAR,
        "optimal incremental anytime",
    ),
    _row(
        "basic-mt-d*-lite",
        "repairs its search when cells change or start and goal move",
        BASIC_MT_D_STAR_LITE,
        "optimal incremental moving_target",
    ),
    _row(
        "mt-d*-lite",
        "basic-mt-d*-lite with fewer expansions",
        MT_D_STAR_LITE,
        "optimal incremental moving_target",
    ),
    _row(
        "aamt-d*-lite",
        "mt-d*-lite with short paths at any angle",
        AAMT_D_STAR_LITE,
        "any_angle incremental moving_target",
    ),
    _row(
        "aamt-d*-lite-fast",
        "aamt-d*-lite with sight checks only where paths may turn",
        AAMT_D_STAR_LITE_FAST,
        "any_angle incremental moving_target",
    ),
    _row(
        "field-d*",
        "repairs its search; paths cross the sides of cells anywhere",
        FIELD_D_STAR,
        "any_angle incremental corners_only",
    ),
    _row(
        "safe-intervals",
        "the earliest arrival among moving bodies, with waiting",
        None,
        "any_angle moving_target timed",
    ),
)


def algorithms() -> tuple[Algorithm, ...]:
    """Return all algorithms with their properties; those of other packages come last.

    Returns
    -------
    tuple of Algorithm
        One row for each.

    Examples
    --------
    >>> import noctule as nt
    >>> [row.name for row in nt.algorithms() if row.any_angle and row.incremental]
    ['aamt-d*-lite', 'aamt-d*-lite-fast', 'field-d*']
    """
    load_all(GROUP, _add)
    return (*ALGORITHMS, *_REGISTERED.values())


def names_with(property: str) -> str:
    """Return the names of the algorithms with a property, as text."""
    return " and ".join(row.name for row in ALGORITHMS if getattr(row, property))


def find_algorithm(name: str) -> Algorithm:
    """Return the row of an algorithm by its name, with or without stars: `a*`, `astar`, `theta`."""
    wanted = name.strip().lower().replace("_", "-") if isinstance(name, str) else name
    if wanted in _BY_SPELLING:
        return _BY_SPELLING[wanted]
    if isinstance(wanted, str):
        load_named(GROUP, wanted, _add)
        if wanted in _BY_SPELLING:
            return _BY_SPELLING[wanted]
    rows = algorithms()
    from difflib import get_close_matches

    near = get_close_matches(str(wanted), _BY_SPELLING, n=3, cutoff=0.5)
    nearest = list(dict.fromkeys(_BY_SPELLING[spelling].name for spelling in near))
    hint = f"did you mean {' or '.join(nearest)}? " if nearest else ""
    raise ValueError(
        f"unknown algorithm {name!r}; {hint}known are {', '.join(row.name for row in rows)}"
    )


def _spellings(name: str) -> set[str]:
    return {name, name.replace("*", ""), name.replace("*", "-star"), name.replace("*", "star")}


_BY_SPELLING = {spelling: row for row in ALGORITHMS for spelling in _spellings(row.name)}
_REGISTERED: dict[str, Algorithm] = {}  # by other packages


def check_new(name: str, replace: bool = False) -> None:
    """Raise ValueError unless this can be the name of a new algorithm, or may `replace` one."""
    check_name("algorithm", name)
    taken = _BY_SPELLING.get(name)
    if taken is not None and not (replace and taken.name in _REGISTERED):
        own = taken.name not in _REGISTERED
        hint = "choose another name" if own else "choose another name, or replace=True"
        raise ValueError(f"an algorithm {taken.name!r} is registered already; {hint}")


def register(row: Algorithm) -> None:
    """Add an algorithm of another package; `check_new` has accepted its name."""
    _REGISTERED[row.name] = row
    spellings = _spellings(row.name) - _BY_SPELLING.keys() | {row.name}
    _BY_SPELLING.update(dict.fromkeys(spellings, row))


def outside_row(
    name: str, function: Any, summary: str = "", optimal: bool = False, any_angle: bool = False
) -> Algorithm:
    """Return the row of a search in plain Python; the default summary is its docstring's."""
    check_function(name, function)
    about = summary or (inspect.getdoc(function) or "").partition("\n")[0]
    search = OutsideAlgorithm(name, function, bool(any_angle))
    return Algorithm(name, about, search, optimal=bool(optimal), any_angle=bool(any_angle))


def _add(name: str, loaded: Any) -> None:
    """Register what an entry point names, unless it has done so itself."""
    if name not in _BY_SPELLING:
        check_new(name)
        register(outside_row(name, loaded))
