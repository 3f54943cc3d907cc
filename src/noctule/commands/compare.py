"""`noctule compare`: several algorithms on one map.

Each plans the query with a planner that has planned nothing before. Searches that remember then
repair theirs after a change, the same for all: the agent is one node farther on, and the cells of a
box halfway are blocked; then they are freed. Before all this, another planner does the same once,
so that no time is that of compiling or loading kernels.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast, get_args

import noctule as nt
from noctule.commands.map_query import (
    BUILT_IN_RADIUS,
    CostOptions,
    Goal,
    MapFile,
    MapQuery,
    Start,
    point_of,
    read_query,
    show_cell,
)
from noctule.commands.shared_options import (
    SEARCH,
    Engine,
    GraphOptions,
    Json,
    Picture,
    Radius,
    Weight,
    algorithm_names,
    check_picture,
    given,
    option,
)
from noctule.commands.tables import (
    columns,
    console,
    facts,
    length,
    milliseconds,
    notes,
    print_json,
    save_picture,
    stoppable,
    styled,
    verdict,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table
    from rich.text import Text

    from noctule.path import Path

Method = Literal["rubber-band", "greedy", "taut"]
Entry = tuple[str, Method | None]  # an algorithm, and how to smooth its path

RUNS = 3  # with a new planner each; the fastest counts
SHORTEST = 9  # nodes of a path that a box can block halfway, clear of its ends


class Change(NamedTuple):
    """What changes before searches that remember repair theirs."""

    start: list[int]  # where the agent is now
    low: list[int]  # the box of cells that are blocked, and freed again
    high: list[int]
    cells: "NDArray[np.int64]"  # those of them that were free

    def values(self) -> dict[str, Any]:
        """Return the change as values for JSON."""
        return {"start": self.start, "low": self.low, "high": self.high, "cells": len(self.cells)}


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


def compare(
    map_file: MapFile = None,
    start: Start = None,
    goal: Goal = None,
    /,
    *,
    algorithms: Annotated[
        str | None,
        option(
            "Names with commas between; a*+rubber-band, a*+greedy, a*+taut smooth the path. "
            "[default: all that can, and a*+rubber-band]",
            SEARCH,
        ),
    ] = None,
    engine: Engine = None,
    radius: Radius = None,
    weight: Weight = None,
    graph: GraphOptions | None = None,
    costs: CostOptions | None = None,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Run several algorithms side by side on one map."""
    check_picture(picture)
    chosen = _entries(algorithms)
    query = read_query(map_file, start, goal, graph or GraphOptions())
    query = query._replace(grid=(costs or CostOptions()).apply(query.grid))
    if query.built_in and radius is None:
        radius = BUILT_IN_RADIUS
    options = given(engine=engine, radius=radius, weight=weight)
    change = _choose_change(query, options)
    runs, left_out = _runs(query, chosen, options, change, may_leave_out=algorithms is None)
    paths = [run.path for run in runs]
    if as_json:
        print_json(query.values() | _values(runs, change) | {"left_out": left_out})
    else:
        _report(query, runs, change, left_out)
    save_picture(lambda file: query.draw(paths, file), picture, None, as_json)
    proofs = [proof for run in runs for proof in (run.verified, run.repair and run.repair.verified)]
    return 0 if all(path.found for path in paths) and False not in proofs else 1


def _entries(algorithms: str | None) -> list[Entry]:
    """Return the algorithms to run, and how to smooth their paths."""
    if algorithms is None:
        return [*((name, None) for name in algorithm_names(None)), ("a*", "rubber-band")]
    found: list[Entry] = []
    for word in filter(str.strip, algorithms.split(",")):
        name, _, method = (part.strip() for part in word.partition("+"))
        if method and method not in get_args(Method):
            allowed = ", ".join(get_args(Method))
            raise ValueError(f"--algorithms has {word!r}; after the + it may have {allowed}")
        found += [(known, cast(Method, method) or None) for known in algorithm_names(name)]
    return list(dict.fromkeys(found)) or [(name, None) for name in algorithm_names(algorithms)]


def _choose_change(query: MapQuery, options: dict[str, Any]) -> Change | None:
    """Return the change that the path of A* suggests; None if it is too short."""
    import numpy as np

    try:
        path = nt.Planner(query.grid, "a*", **options).plan(*query.ends)
    except ValueError:  # the algorithms to compare say what is wrong
        return None
    if not path.found or len(path.nodes) < SHORTEST:
        return None
    middle, start = path.nodes[len(path.nodes) // 2], path.nodes[1].tolist()
    shape = np.array(query.grid.shape)
    low, high = np.maximum(middle - 1, 0), np.minimum(middle + 1, shape - 1)
    box = low + np.argwhere(~query.grid.blocked_within(low.tolist(), high.tolist()))
    cells = [cell for cell in box.tolist() if cell not in (start, list(query.goal))]
    return Change(start, low.tolist(), high.tolist(), np.array(cells))


def _runs(
    query: MapQuery,
    chosen: list[Entry],
    options: dict[str, Any],
    change: Change | None,
    may_leave_out: bool,
) -> tuple[list[Run], dict[str, str]]:
    """Return what each algorithm did at its fastest, and why the others cannot run here."""
    from noctule.core.preparation import prepare_plans

    names = [name for name, _ in chosen]
    prepare_plans(names, query.grid, query.grid.kernel_graph(options.get("radius", 0.0)))
    done: list[Run] = []
    left_out: dict[str, str] = {}
    kept = f"of {len(names)} algorithms were run; nothing was kept"
    with stoppable(lambda: f"{len(done)} {kept}"), notes().status("") as status:
        for name, smooth in chosen:
            status.update(f"running {name}")
            try:
                _run(query, name, smooth, options, change)  # loads compiled code: not planning time
                runs = [_run(query, name, smooth, options, change) for _ in range(RUNS)]
            except ValueError as error:
                if not may_leave_out:
                    raise
                left_out[name] = str(error)
            else:
                repairs = [run.repair for run in runs if run.repair is not None]
                repair = min(repairs, key=lambda repair: repair.seconds, default=None)
                fastest = min(runs, key=lambda run: run.path.seconds)
                done.append(fastest._replace(repair=repair))
    if not done:
        raise ValueError(next(iter(left_out.values())))
    return done, left_out


def _run(
    query: MapQuery,
    name: str,
    smooth: Method | None,
    options: dict[str, Any],
    change: Change | None,
) -> Run:
    """Plan with a new planner, and smooth the path; then repair, if the algorithm does that."""
    grid, (start, goal) = query.grid, query.ends
    planner = nt.Planner(grid, name, **options)
    path = planner.plan(start, goal)
    if smooth is not None:
        path = nt.smooth(path, grid, smooth)
    verified = nt.verify(path, grid) if len(path.points) else None
    if change is None or not planner.options.algorithm.keeps_search:
        return Run(path, None, verified, smooth)
    start = point_of(grid, change.start)
    repaired, proofs = [], []
    grid.block(change.cells)
    try:
        repaired.append(planner.plan(start, goal))
        proofs.append(nt.verify(repaired[0], grid))
    finally:
        grid.free(change.cells)
    repaired.append(planner.plan(start, goal))
    proofs.append(nt.verify(repaired[1], grid))
    expanded, seconds = sum(p.expanded for p in repaired), sum(p.seconds for p in repaired)
    return Run(path, Repair(expanded, seconds, all(proofs)), verified, smooth)


def _values(runs: list[Run], change: Change | None) -> dict[str, Any]:
    """Return what was done as values for JSON."""
    rows = []
    for run in runs:
        repaired = None if run.repair is None else run.repair._asdict()
        more = {"smooth": run.smooth, "verified": run.verified, "repair": repaired}
        rows.append(run.path.to_dict() | more)
    return {"paths": rows, "change": None if change is None else change.values()}


def _report(
    query: MapQuery, runs: list[Run], change: Change | None, left_out: dict[str, str]
) -> None:
    paths = [run.path for run in runs]
    radius = paths[0].radius
    rows = [*query.facts(), *([("radius", f"{radius:g}")] if radius else [])]
    console().print(facts(rows), "", _table(runs))
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


def _table(runs: list[Run]) -> "Table":
    """Return the paths as a table; where cells have costs, with the cost besides the length."""
    found = [run.path for run in runs if run.path.found]
    least = min((path.cost for path in found), default=1.0) or 1.0
    fastest = min(found, key=lambda path: path.seconds, default=None)
    costs = ("cost",) if any(path.cell_cost is not None for path in found) else ()
    work = "points", "expanded", "sight\nchecks", "ms", "verified"
    table = columns("algorithm", "length", *costs, "ratio", *work)
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
        f"The agent is one node farther on, at {show_cell(change.start)}; the {len(change.cells)} "
        f"free cells from {show_cell(change.low)} to {show_cell(change.high)} are blocked, then "
        f"freed. Sums of both plans."
    )


def _marked(text: str, best: bool) -> "Text":
    return styled(f"{text}*", "green") if best else styled(f"{text} ")
