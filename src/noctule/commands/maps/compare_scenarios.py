"""`noctule compare --scenarios`: many queries, and a summary of each algorithm."""

import csv
import io
import json
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from noctule.commands.maps.map_query import describe_map
from noctule.commands.maps.query_tasks import Queries, Row
from noctule.commands.maps.units import unit_of
from noctule.commands.shared.options import GraphOptions
from noctule.commands.shared.tables import (
    columns,
    console,
    facts,
    print_json,
    print_note,
    save_picture,
    stoppable,
    styled,
)
from noctule.files import write_whole

if TYPE_CHECKING:
    from rich.table import Table

MEASURES = {"milliseconds": "ms", "expanded": "nodes expanded", "ratio": "length / published"}


def compare_scenarios(
    map_file: File | None,
    scenario_file: File,
    names: list[str],
    options: dict[str, Any],
    graph: GraphOptions,
    *,
    all_names: bool,
    every: int,
    workers: int,
    cluster: str | None,
    csv_file: File | None,
    picture: File | None,
    as_json: bool,
) -> int:
    """Plan queries with each algorithm; print a summary with confidence intervals."""
    if map_file is None:
        raise ValueError("MAP is missing; --scenarios needs the map that its queries are about")
    queries = Queries.read(map_file, scenario_file, every, graph)
    names, left_out = _able(queries, names, options, all_names)
    rows: list[Row] = []
    total = len(names) * len(queries.picked)
    with stoppable(lambda: f"{len(rows)} of {total} paths were planned; nothing was kept"):
        rows.extend(queries.run(names, options, True, workers, cluster))
    summaries = [
        summarise_rows(name, [r for r in rows if r["algorithm"] == name]) for name in names
    ]
    about = {
        "map": str(map_file),
        "unit": unit_of(graph),
        "file": str(scenario_file),
        "every": every,
        "queries": len(queries.picked),
        "neighbours": queries.grid.neighbours,
    }
    if as_json:
        print_json(about | {"algorithms": summaries, "left_out": left_out, "rows": rows})
    else:
        size = f"{len(queries.picked):,} of {len(queries.scenarios.lengths):,}"
        text = describe_map(str(map_file), queries.grid, unit_of(graph))
        lines = [("map", text), ("scenarios", f"{scenario_file.name}, {size}")]
        console().print(facts(lines), "", _table(summaries))
        console().print("In brackets: 95 % confidence interval of the mean.")
        for reason in left_out.values():
            console().print(f"left out: {reason}", soft_wrap=True)
    if csv_file is not None:
        write_whole(csv_file, csv_of(rows).encode())
        print_note(f"Rows saved: {csv_file}", as_json)
    if picture is not None:
        from noctule.studies.report.comparison import comparison_picture

        title = f"{map_file.name}: {len(queries.picked):,} queries"
        save_picture(
            lambda file: comparison_picture(summaries, file, title), picture, None, as_json
        )
    sound = all(row["found"] and row["verified"] for row in rows)
    return 0 if sound and all(row["matches"] for row in rows) else 1


def _able(
    queries: Queries, names: list[str], options: dict[str, Any], may_leave_out: bool
) -> tuple[list[str], dict[str, str]]:
    """Return the algorithms that can run, and why the others cannot."""
    import noctule as nt

    able, left_out = [], {}
    for name in names:
        try:
            nt.Planner(queries.grid, name, **options)
            able.append(name)
        except ValueError as error:
            if not may_leave_out:
                raise
            left_out[name] = str(error)
    if not able:
        raise ValueError(next(iter(left_out.values())))
    return able, left_out


def summarise_rows(algorithm: str, rows: list[Row]) -> dict[str, Any]:
    """Return counts, and the mean with its confidence interval of each measure.

    >>> row = {"found": True, "verified": True, "matches": True, "length": 2.0, "published": 2.0,
    ...        "outcome": "equal", "expanded": 3, "milliseconds": 0.5}
    >>> summarise_rows("a*", [row, row])["ratio"]
    {'mean': 1.0, 'low': 1.0, 'high': 1.0, 'median': 1.0}
    """
    import numpy as np

    from noctule.studies.analysis.statistics import mean_interval

    found = [row for row in rows if row["found"]]
    values = {
        "milliseconds": [row["milliseconds"] for row in rows],
        "expanded": [float(row["expanded"]) for row in rows],
        "ratio": [row["length"] / row["published"] for row in found if row["published"]],
    }
    summary: dict[str, Any] = {
        "algorithm": algorithm,
        "queries": len(rows),
        "found": len(found),
        "verified": sum(row["verified"] is True for row in rows),
        "matching": sum(row["matches"] for row in rows),
        "shorter": sum(row["outcome"] == "shorter" for row in rows),
    }
    for name, numbers in values.items():
        interval = mean_interval([[number] for number in numbers])
        low, high = interval or (None, None)
        mean = float(np.mean(numbers)) if numbers else None
        median = float(np.median(numbers)) if numbers else None
        summary[name] = {"mean": mean, "low": low, "high": high, "median": median}
    return summary


def csv_of(rows: list[Row]) -> str:
    """Return rows as CSV; lists are written as JSON."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {
                key: json.dumps(value) if isinstance(value, list) else value
                for key, value in row.items()
            }
        )
    return out.getvalue()


def _table(summaries: list[dict[str, Any]]) -> "Table":
    table = columns(
        "algorithm",
        "found",
        "verified",
        "length /\npublished",
        "nodes\nexpanded",
        "ms",
        "median\nms",
    )
    for one in summaries:
        marks = [
            styled(f"{one[key]:,}", "" if one[key] == one["queries"] else "bold red")
            for key in ("found", "verified")
        ]
        table.add_row(
            styled(one["algorithm"], "bold"),
            *marks,
            _with_interval(one["ratio"], ".4f"),
            _with_interval(one["expanded"], ",.0f"),
            _with_interval(one["milliseconds"], ",.3g"),
            _number(one["milliseconds"]["median"], ",.3g"),
        )
    return table


def _with_interval(values: dict[str, float | None], form: str) -> str:
    text = _number(values["mean"], form)
    if values["low"] is None or values["high"] is None:
        return text
    low, high = (_number(values[end], form) for end in ("low", "high"))
    return f"{text}\n({low} to {high})"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
