"""Which searches can respect the costs of cells, and where a straight line is worth its cost."""

from typing import Any

from noctule.registry import DEFAULT, Algorithm

TOLERANCE = 1e-12  # relative: the same segment cut in other places sums to other last bits

EQUAL = "needs cells that all cost the same"
WHY_NOT = {
    "jps": "jumps over cells, which " + EQUAL,
    "visibility": "knows lengths only, and " + EQUAL,
    "safe-intervals": "minimises time, and " + EQUAL,
}


def check_costs(row: Algorithm, grid: Any, coarse: bool, equal_steps: bool) -> None:
    """Refuse searches that would ignore the costs of cells."""
    if not grid.has_costs:
        return
    if row.name in WHY_NOT:
        instead = "theta*" if row.any_angle else DEFAULT
        raise ValueError(f"{row.name} {WHY_NOT[row.name]}; this grid has costs: use {instead}")
    if coarse or equal_steps:
        what = "a coarse level knows" if coarse else "equal steps know"
        raise ValueError(f"{what} no costs of cells, and this grid has some")


def worth_it(grid: Any, skipped: Any, straight: Any) -> bool:
    """Whether the straight line costs no more than the polyline that it replaces."""
    if not grid.has_costs:
        return True
    return bool(grid.cost_along(straight) <= grid.cost_along(skipped) * (1.0 + TOLERANCE))
