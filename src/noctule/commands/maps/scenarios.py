"""`noctule plan --scenarios`: run queries, and compare with the lengths published for them."""

import math
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from noctule.commands.maps.map_query import describe_map
from noctule.commands.maps.query_tasks import Queries, Row, describe_query, must_match
from noctule.commands.maps.units import unit_of
from noctule.commands.shared.options import GraphOptions, SearchOptions
from noctule.commands.shared.tables import columns, console, facts, print_json, stoppable, styled
from noctule.flight.results import percentiles

if TYPE_CHECKING:
    from rich.text import Text

LISTED = 5  # mismatches that are shown


def plan_scenarios(
    map_file: File | None,
    scenario_file: File,
    search: SearchOptions,
    graph: GraphOptions,
    *,
    every: int,
    verify: bool,
    workers: int,
    cluster: str | None,
    as_json: bool,
) -> int:
    """Plan every `every`-th query, print a summary, and return 0 if all are as they should be."""
    if map_file is None:
        raise ValueError("MAP is missing; --scenarios needs the map that its queries are about")
    queries = Queries.read(map_file, scenario_file, every, graph)
    options = search.given()
    name = default_algorithm(options.pop("algorithm", None))
    rows: list[Row] = []
    with stoppable(lambda: f"{len(rows)} of {len(queries.picked)} queries were planned"):
        rows.extend(queries.run([name], options, verify, workers, cluster))
    summary: dict[str, Any] = {
        "scenarios": len(rows),
        "matching": sum(row["matches"] for row in rows),
        "worst_difference": max(abs(row["difference"]) for row in rows),
        "found": sum(row["found"] for row in rows),
        "as_published": _count(rows, "equal"),
        "shorter_than_published": _count(rows, "shorter"),
        "longer_than_published": _count(rows, "longer"),
        "expanded": percentiles([row["expanded"] for row in rows]),
        "milliseconds": percentiles([row["milliseconds"] for row in rows]),
    }
    summary |= {"verified": sum(row["verified"] is True for row in rows)} if verify else {}
    summary |= {
        "map": str(map_file),
        "unit": unit_of(graph),
        "file": str(scenario_file),
        "every": every,
        "algorithm": rows[0]["algorithm"],
        "neighbours": queries.grid.neighbours,
    }
    if as_json:
        print_json(summary | {"rows": rows})
    else:
        exact = must_match(name, options)
        about = describe_map(str(map_file), queries.grid, unit_of(graph))
        _report(about, summary, rows, len(queries.scenarios.lengths), exact)
    proven = not verify or all(row["verified"] for row in rows if row["found"])
    return 0 if proven and all(row["matches"] for row in rows) else 1


def _count(rows: list[Row], outcome: str) -> int:
    return sum(row["outcome"] == outcome for row in rows)


def default_algorithm(name: str | None) -> str:
    """Return the name of an algorithm as it is registered.

    Without one, that of shortest paths along edges, which the published lengths are of.
    """
    from noctule.registry import ALONG_EDGES, find_algorithm

    return find_algorithm(name or ALONG_EDGES).name


def _report(
    map_text: str, summary: dict[str, Any], rows: list[Row], total: int, exact: bool
) -> None:
    n, unit = summary["scenarios"], summary["unit"]
    worst = summary["worst_difference"]
    lines: list[tuple[str, str | Text]] = [
        ("map", map_text),
        ("scenarios", f"{File(summary['file']).name}, {n:,} of {total:,}"),
        ("algorithm", f"{summary['algorithm']}, {summary['neighbours']} neighbours"),
    ]
    if exact:
        lines.append(("matching", _share(summary["matching"], n)))
    else:  # published lengths are those of shortest paths along edges
        shorter, longer = summary["shorter_than_published"], summary["longer_than_published"]
        lines.append(("found", _share(summary["found"], n)))
        equal = summary["as_published"]
        lines.append(("than published", f"{shorter:,} shorter, {longer:,} longer, {equal:,} equal"))
    text = f"{worst:.3g} {unit}" if math.isfinite(worst) else "no path"
    lines.append(("worst difference", text))
    if "verified" in summary:
        lines.append(("verified", _share(summary["verified"], n)))
    table = columns("", "mean", "median", "95 %", "99 %", "most")
    for name, form in (("expanded", ",.0f"), ("milliseconds", ",.2f")):
        table.add_row(name, *(format(value, form) for value in summary[name].values()))
    console().print(facts(lines), "", table)
    wrong = [row for row in rows if not row["matches"]]
    if wrong:
        console().print()
    for row in wrong[:LISTED]:
        got = f"{row['length']:.6f}" if row["found"] else f"no path ({row['reason']})"
        line = f"{describe_query(row)}: {got}, published {row['published']:g}"
        console().print(line, soft_wrap=True)
    if len(wrong) > LISTED:
        console().print(f"and {len(wrong) - LISTED:,} more that differ")


def _share(count: int, n: int) -> "Text":
    return styled(f"{count:,} of {n:,}", "green" if count == n else "bold red")
