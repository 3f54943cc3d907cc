"""What `noctule compare` prints of one query."""

from typing import TYPE_CHECKING, Any, NamedTuple

from noctule.commands.maps.map_query import MapQuery
from noctule.commands.maps.units import point_of, show_numbers
from noctule.commands.shared.tables import (
    columns,
    console,
    facts,
    length,
    milliseconds,
    styled,
    verdict,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table
    from rich.text import Text

    import noctule as nt
    from noctule.path import Path


class Change(NamedTuple):
    """What changes before searches that remember repair theirs."""

    start: list[int]  # where the agent is now
    low: list[int]  # the box of cells that are blocked, and freed again
    high: list[int]
    cells: "NDArray[np.int64]"  # those of them that were free

    def values(self, grid: "nt.Grid") -> dict[str, Any]:
        """Return the change as values for JSON: a point in world units, and cells."""
        return {
            "start": point_of(grid, self.start).tolist(),
            "start_cell": self.start,
            "low_cell": self.low,
            "high_cell": self.high,
            "cells": len(self.cells),
        }


class Repair(NamedTuple):
    """Both repairs of a search together."""

    expanded: int
    seconds: float
    verified: bool


class Run(NamedTuple):
    """What one algorithm did."""

    path: "Path"
    repair: Repair | None
    verified: bool | None
    smooth: str | None  # how the path was smoothed

    @property
    def name(self) -> str:
        """The algorithm, and how its path was smoothed."""
        return self.path.algorithm + (f" + {self.smooth}" if self.smooth else "")


def report(
    query: MapQuery, runs: list[Run], change: Change | None, left_out: dict[str, str]
) -> None:
    """Print the query, a table of its paths, and one of the repairs."""
    paths = [run.path for run in runs]
    radius = paths[0].radius
    rows = [*query.facts(), *([("radius", f"{radius:g} {query.unit}")] if radius else [])]
    console().print(facts(rows), "", _table(runs, query.unit))
    if any(path.found for path in paths):
        best = "cheapest" if query.grid.has_costs else "shortest"
        console().print(f"* the {best}, the fastest")
    repairs = {run.name: run.repair for run in runs if run.repair is not None}
    if change is not None and repairs:
        console().print("", _repairs(repairs), _describe(change))
    for reason in dict.fromkeys(path.reason for path in paths if path.reason):
        console().print(f"no path: {reason}", soft_wrap=True)
    for reason in left_out.values():
        console().print(f"left out: {reason}")


def _table(runs: list[Run], unit: str) -> "Table":
    """Return the paths as a table; where cells have costs, with the cost besides the length."""
    found = [run.path for run in runs if run.path.found]
    least = min((path.cost for path in found), default=1.0) or 1.0
    fastest = min(found, key=lambda path: path.seconds, default=None)
    costs = ("cost",) if any(path.cell_cost is not None for path in found) else ()
    table = columns(
        "algorithm",
        f"length\n{unit}",
        *costs,
        "ratio",
        "points",
        "expanded",
        "sight\nchecks",
        "ms",
        "verified",
    )
    for run in runs:
        path = run.path
        is_best = path.found and path.cost <= least * (1 + 1e-9)
        cost = f"{path.cost:.3f}" if path.found else "-"
        lengths = (
            (length(path), _marked(cost, is_best)) if costs else (_marked(length(path), is_best),)
        )
        table.add_row(
            styled(run.name, "bold"),
            *lengths,
            f"{path.cost / least:.3f}" if path.found else "-",
            str(len(path.points)),
            f"{path.expanded:,}",
            f"{path.sight_checks:,}",
            _marked(milliseconds(path.seconds), path is fastest),
            verdict(run.verified),
        )
    return table


def _repairs(repairs: dict[str, Repair]) -> "Table":
    table = columns("repair of", "expanded", "ms", "verified")
    for name, repair in repairs.items():
        cells = f"{repair.expanded:,}", milliseconds(repair.seconds), verdict(repair.verified)
        table.add_row(styled(name, "bold"), *cells)
    return table


def _describe(change: Change) -> str:
    return (
        f"The agent is one node farther on, in cell {show_numbers(change.start)}; the "
        f"{len(change.cells)} free cells from {show_numbers(change.low)} to "
        f"{show_numbers(change.high)} are blocked, then freed. Sums of both plans."
    )


def _marked(text: str, best: bool) -> "Text":
    return styled(f"{text}*", "green") if best else styled(f"{text} ")
