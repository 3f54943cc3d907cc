"""Refuse worlds that a search does not understand: costs of cells, nodes at centres, space."""

from typing import Any

from noctule.core.validation import at_least
from noctule.graphs.grid.grid import Grid
from noctule.registry import ALONG_EDGES, Algorithm

EQUAL = "needs cells that all cost the same"
WHY_NOT = {
    "jps": "jumps over cells, which " + EQUAL,
    "visibility": "knows lengths only, and " + EQUAL,
    "safe-intervals": "keeps the earliest arrival, and a later one may cost less: it " + EQUAL,
}


def check_costs(row: Algorithm, grid: Any, coarse: bool, equal_steps: bool) -> None:
    """Refuse searches that would ignore the costs of cells."""
    if not grid.has_costs:
        return
    if row.name in WHY_NOT:
        instead = "theta*" if row.any_angle else ALONG_EDGES
        raise ValueError(f"{row.name} {WHY_NOT[row.name]}; this grid has costs: use {instead}")
    if coarse or equal_steps:
        what = "a coarse level knows" if coarse else "equal steps know"
        raise ValueError(f"{what} no costs of cells, and this grid has some")


def check_prefer_clearance(
    row: Algorithm, grid: Any, cost: str, distance: float | None
) -> float | None:
    """Return the clearance that is preferred; refuse searches and worlds that cannot keep it."""
    if distance is None:
        return None
    distance = at_least(0, "prefer_clearance", distance)
    on_cells = isinstance(grid, Grid) and grid.takes_costs and not grid.joins_many_nodes
    if not (row.tightened and on_cells and cost == "length") or grid.has_costs:
        raise ValueError(
            f"prefer_clearance is {distance:g}; it is for taut on cells that all cost the same and "
            f"with sight past cells, not for {row.name} on {grid!r}"
        )
    return distance


def check_corners(row: Algorithm, grid: Any) -> None:
    """Refuse worlds without nodes at corners, and space for a search that knows the plane only."""
    if row.name == "ap-theta*" and not grid.flat:
        raise ValueError(
            f"{row.name} works in the plane only: in space its ranges of angles would be polygons "
            f"on a sphere, with any number of corners; for {grid!r} use theta*"
        )
    where = "in the plane " if row.plane_only else ""
    if grid.nodes != "corners" or (row.plane_only and not grid.flat):
        raise ValueError(f"{row.name} needs a world {where}with nodes at corners; this is {grid!r}")
    if row.name == "field-d*" and grid.neighbours not in (8, 26):
        raise ValueError(
            f"{row.name} needs 8 neighbours in the plane and 26 in space; this is {grid!r}"
        )
