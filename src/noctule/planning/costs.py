"""Where cells have costs: whether a straight line is worth what it costs."""

from typing import Any

TOLERANCE = 1e-12  # relative: the same segment cut in other places sums to other last bits


def worth_it(grid: Any, skipped: Any, straight: Any) -> bool:
    """Whether the straight line costs no more than the polyline that it replaces."""
    if not grid.has_costs:
        return True
    return bool(grid.cost_along(straight) <= grid.cost_along(skipped) * (1.0 + TOLERANCE))
