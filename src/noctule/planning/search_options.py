"""The names of the options of a search: `SearchOptions`, and help with a misspelt one."""

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any, Literal, TypedDict, TypeVar

from noctule.timing import Timing

Heuristic = Literal["straight", "voxel", "octile", "manhattan", "zero"]
Cost = Literal["length", "steps"]
EngineKind = Literal["fast", "reference"]

Function = TypeVar("Function", bound=Callable[..., Any])


class SearchOptions(TypedDict, total=False):
    """Options of a search, for functions of your own that hand them on.

    Parameters
    ----------
    radius, weight, heuristic, allow_inadmissible, cost, hierarchical, try_straight_line
        As in `plan`.
    prefer_clearance, max_expanded, time_limit, nearest, goal_tolerance, engine, timing
        As in `plan`.

    Examples
    --------
    >>> import noctule as nt
    >>> quick: nt.SearchOptions = {"weight": 2.0, "time_limit": 0.01}
    >>> nt.plan(nt.Grid([[False, False]]), (0.5, 0.5), (0.5, 1.5), **quick).length
    1.0
    """

    radius: float
    weight: float
    heuristic: Heuristic | None
    allow_inadmissible: bool
    cost: Cost
    hierarchical: bool
    try_straight_line: bool
    prefer_clearance: float | None
    max_expanded: int | None
    time_limit: float | None
    nearest: bool
    goal_tolerance: float | None
    engine: EngineKind
    timing: Timing | None


# Names of earlier versions.
RENAMED = {
    "grid": "graph",
    "coarse": "hierarchical",
    "direct": "try_straight_line",
    "budget": "time_limit",
    "step": "cost",
    "admissible": "allow_inadmissible",
    "window": "timing",
    "margin": "timing",
    "speed": "timing",
    "smooth": "timing",
}


def named_options(function: Function) -> Function:
    """Make a function answer an unknown keyword with the name that was probably meant."""
    names: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        is_search = parameter.kind is parameter.VAR_KEYWORD  # **search: Unpack[SearchOptions]
        names.extend(SearchOptions.__annotations__ if is_search else [name])
    allowed = frozenset(names)

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        if not allowed.issuperset(options):
            raise TypeError(_describe_unknown(options, names))
        return function(*arguments, **options)

    return checked  # type: ignore[return-value]


def _describe_unknown(options: Collection[str], names: list[str]) -> str:
    from difflib import get_close_matches

    unknown = next(name for name in options if name not in names)
    names = [name for name in names if name != "self"]
    renamed = RENAMED.get(unknown)
    if renamed in names:
        now = f"timing=Timing({unknown}=...)" if renamed == "timing" else renamed
        return f"option {unknown!r} is now {now!r}"
    near = get_close_matches(unknown, names, n=1, cutoff=0.65)
    hint = f"did you mean {near[0]!r}?" if near else f"allowed are {', '.join(names)}"
    return f"unknown option {unknown!r}; {hint}"
