"""Run the queries of a scenario file and compare with the lengths published for them."""

import math
from pathlib import Path as File
from typing import TYPE_CHECKING, Any, NamedTuple

import noctule as nt
from noctule.commands.map_query import (
    check_cell,
    describe_map,
    point_of,
    read_grid,
    show_cell,
    warm_up,
)
from noctule.commands.shared_options import GraphOptions, SearchOptions
from noctule.commands.tables import columns, console, facts, print_json, styled, tracked
from noctule.flight.results import percentiles
from noctule.registry import ALONG_EDGES

if TYPE_CHECKING:
    from rich.text import Text

    from noctule.path import Path
    from noctule.worlds.io.scenarios import Scenarios

LISTED = 5  # mismatches that are shown


class Result(NamedTuple):
    """Result of one query."""

    number: int  # in the file, from 0
    path: "Path"
    difference: float  # from the published length; infinite without a path
    matches: bool
    verified: bool


def plan_scenarios(
    map_file: File | None,
    scenario_file: File,
    every: int,
    search: SearchOptions,
    graph: GraphOptions,
    verify: bool,
    as_json: bool,
) -> int:
    """Plan every `every`-th query, print a summary, and return 0 if all lengths match."""
    if map_file is None:
        raise ValueError("MAP is missing; --scenarios needs the map that its queries are about")
    if every < 1:
        raise ValueError(f"--every is {every}; expected a whole number from 1 on")
    queries = nt.load_scenarios(scenario_file, graph.max_cells // 4)
    grid = read_grid(map_file, graph)
    _check(queries, scenario_file, grid)
    options = {"algorithm": ALONG_EDGES} | search.given()  # the lengths are of paths along edges
    planner = nt.Planner(grid, **options)
    warm_up(grid, options)
    results = _run(planner, queries, range(0, len(queries.lengths), every), verify)
    summary: dict[str, Any] = {
        "scenarios": len(results),
        "matching": sum(r.matches for r in results),
        "worst_difference": max(r.difference for r in results),
        "expanded": percentiles([r.path.expanded for r in results]),
        "milliseconds": percentiles([1e3 * r.path.seconds for r in results]),
    }
    summary |= {"verified": sum(r.verified for r in results)} if verify else {}
    summary |= {
        "map": str(map_file),
        "file": str(scenario_file),
        "every": every,
        "algorithm": results[0].path.algorithm,
        "neighbours": grid.neighbours,
    }
    if as_json:
        print_json(summary)
    else:
        _report(describe_map(str(map_file), grid), summary, results, queries)
    return 0 if all(r.matches and r.verified for r in results) else 1


def _check(queries: "Scenarios", file: File, grid: "nt.Grid") -> None:
    dimension = queries.starts.shape[1]
    if dimension != grid.dimension:
        raise ValueError(f"{file} is for {dimension}-D maps; the map has {grid.dimension}")
    for i in range(len(queries.lengths)):
        for name, cells in (("start", queries.starts), ("goal", queries.goals)):
            check_cell(f"{name} of query {i + 1} in {file}", cells[i].tolist(), grid)


def _run(planner: "nt.Planner", queries: "Scenarios", picked: range, verify: bool) -> list[Result]:
    grid, results = planner.graph, []
    assert isinstance(grid, nt.Grid)
    for i in tracked(picked, len(picked), "planning"):
        ends = point_of(grid, queries.starts[i]), point_of(grid, queries.goals[i])
        path = planner.plan(*ends)
        gap = abs(path.length - float(queries.lengths[i])) if path.found else math.inf
        verified = not verify or nt.verify(path, grid)
        results.append(Result(i, path, gap, bool(gap <= queries.tolerances[i]), verified))
    return results


def _report(
    map_text: str, summary: dict[str, Any], results: list[Result], queries: "Scenarios"
) -> None:
    n = summary["scenarios"]
    rows: list[tuple[str, str | Text]] = [
        ("map", map_text),
        ("scenarios", f"{File(summary['file']).name}, {n:,} of {len(queries.lengths):,}"),
        ("algorithm", f"{summary['algorithm']}, {summary['neighbours']} neighbours"),
        ("matching", _share(summary["matching"], n)),
        ("worst difference", f"{summary['worst_difference']:.3g}"),
    ]
    if "verified" in summary:
        rows.append(("verified", _share(summary["verified"], n)))
    table = columns("", "mean", "median", "95 %", "99 %", "most")
    for name, form in (("expanded", ",.0f"), ("milliseconds", ",.2f")):
        table.add_row(name, *(format(value, form) for value in summary[name].values()))
    console().print(facts(rows), "", table)
    wrong = [r for r in results if not r.matches]
    if wrong:
        console().print()
    for r in wrong[:LISTED]:
        query = f"{show_cell(queries.starts[r.number])} to {show_cell(queries.goals[r.number])}"
        got = f"{r.path.length:.6f}" if r.path.found else f"no path ({r.path.reason})"
        line = f"query {r.number + 1}: {query}: {got}, published {queries.lengths[r.number]:g}"
        console().print(line, soft_wrap=True)
    if len(wrong) > LISTED:
        console().print(f"and {len(wrong) - LISTED:,} more that differ")


def _share(count: int, n: int) -> "Text":
    return styled(f"{count:,} of {n:,}", "green" if count == n else "bold red")
