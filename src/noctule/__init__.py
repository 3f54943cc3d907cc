"""Noctule: short, provably free paths for a flying body in a 3D world that keeps changing.

>>> import noctule as nt
>>> grid = nt.Grid([[False, False, False], [True, True, False], [False, False, False]])
>>> path = nt.plan(grid, start=(0.5, 0.5), goal=(2.5, 0.5), algorithm="lazy-theta*", radius=0.4)
>>> path.found, round(path.length, 3), nt.verify(path, grid, radius=0.4)
(True, 6.0, True)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noctule.graphs.grid import Grid
    from noctule.path import Path
    from noctule.searches.catalogue import Algorithm, algorithms
    from noctule.searches.plan import plan, plan_many
    from noctule.searches.planner import Planner
    from noctule.smoothing import smooth
    from noctule.verification import Violation, verify, violations
    from noctule.worlds.files import MapError, Scenarios, load_map, load_scenarios

__version__ = "0.1.0"

# Where the public names live. They are imported when first used, because compiling takes time to
# wake up: `import noctule` and `noctule --help` do not pay for it.
_HOMES = {
    "noctule.graphs.grid": ("Grid",),
    "noctule.path": ("Path",),
    "noctule.searches.catalogue": ("Algorithm", "algorithms"),
    "noctule.searches.plan": ("plan", "plan_many"),
    "noctule.searches.planner": ("Planner",),
    "noctule.smoothing": ("smooth",),
    "noctule.verification": ("Violation", "verify", "violations"),
    "noctule.worlds.files": ("MapError", "Scenarios", "load_map", "load_scenarios"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Algorithm",
    "Grid",
    "MapError",
    "Path",
    "Planner",
    "Scenarios",
    "Violation",
    "algorithms",
    "load_map",
    "load_scenarios",
    "plan",
    "plan_many",
    "smooth",
    "verify",
    "violations",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'noctule' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
