"""`noctule compare`: several algorithms on one map.

Each plans the query with a planner that has planned nothing before. Searches that remember then
repair theirs after a change, the same for all: the agent is one node farther on, and the cells of a
box halfway are blocked; then they are freed. Before all this, another planner does the same once,
so that no time is that of compiling or loading kernels.
"""

from pathlib import Path as File
from typing import Annotated, Any, Literal, cast, get_args

import noctule as nt
from noctule.commands.maps.comparison import Change, Repair, Run, report
from noctule.commands.maps.map_query import (
    BUILT_IN_RADIUS,
    CostOptions,
    Goal,
    MapFile,
    MapQuery,
    Start,
    read_query,
)
from noctule.commands.maps.units import point_of
from noctule.commands.shared.options import (
    SCENARIOS,
    SEARCH,
    Engine,
    GraphOptions,
    Json,
    Picture,
    Radius,
    Weight,
    algorithm_names,
    check_file,
    check_picture,
    given,
    option,
    refuse_options,
)
from noctule.commands.shared.tables import length, notes, print_json, save_picture, stoppable

Method = Literal["rubber-band", "greedy", "taut"]
Entry = tuple[str, Method | None]  # an algorithm, and how to smooth its path

RUNS = 3  # with a new planner each; the fastest counts
SHORTEST = 9  # nodes of a path that a box can block halfway, clear of its ends


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
    scenarios: Annotated[
        File | None, option("Plan the queries of this file: .3dscen, .scen.", SCENARIOS)
    ] = None,
    every: Annotated[int | None, option("Run every Nth query. [default: 1]", SCENARIOS)] = None,
    workers: Annotated[
        int | None, option("Processes that plan at once. [default: 1]", SCENARIOS)
    ] = None,
    cluster: Annotated[
        str | None, option("Plan on a dask cluster: tcp://host:8786, or local.", SCENARIOS)
    ] = None,
    csv: Annotated[
        File | None, option("Save a row for each query and algorithm: .csv.", SCENARIOS)
    ] = None,
    costs: CostOptions | None = None,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Run several algorithms side by side on one map."""
    check_picture(picture)
    if csv is not None:
        check_file("--csv", csv, ".csv")
    only = {"--every": every, "--workers": workers, "--cluster": cluster, "--csv": csv}
    if scenarios is None:
        refuse_options(only, "it is for --scenarios")
    else:
        from noctule.commands.maps.compare_scenarios import compare_scenarios

        refuse_options({"START": start, "GOAL": goal}, "with --scenarios it is not allowed")
        return compare_scenarios(
            map_file,
            scenarios,
            algorithm_names(algorithms),
            given(engine=engine, radius=radius, weight=weight),
            graph or GraphOptions(),
            all_names=algorithms is None,
            every=1 if every is None else every,
            workers=1 if workers is None else workers,
            cluster=cluster,
            csv_file=csv,
            picture=picture,
            as_json=as_json,
        )
    chosen = _entries(algorithms)
    graph = graph or GraphOptions()
    query = read_query(map_file, start, goal, graph)
    query = query._replace(grid=(costs or CostOptions()).apply(query.grid, graph.as_cells))
    if query.built_in and radius is None:
        radius = BUILT_IN_RADIUS * query.grid.cell
    options = given(engine=engine, radius=radius, weight=weight)
    change = _choose_change(query, options)
    runs, left_out = _runs(query, chosen, options, change, may_leave_out=algorithms is None)
    paths = [run.path for run in runs]
    if as_json:
        print_json(query.values() | _values(runs, change, query.grid) | {"left_out": left_out})
    else:
        report(query, runs, change, left_out)
    drawn: dict[str, Any] = {"searched": len(paths) > 1}
    drawn["labels"] = [f"{run.name}  {length(run.path, query.unit)}" for run in runs]
    save_picture(lambda file: query.draw(paths, file, **drawn), picture, None, as_json)
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
    goal = path.nodes[-1].tolist()
    cells = [cell for cell in box.tolist() if cell not in (start, goal)]
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


def _values(runs: list[Run], change: Change | None, grid: "nt.Grid") -> dict[str, Any]:
    """Return what was done as values for JSON."""
    rows = []
    for run in runs:
        repaired = None if run.repair is None else run.repair._asdict()
        more = {"smooth": run.smooth, "verified": run.verified, "repair": repaired}
        rows.append(run.path.to_dict() | more)
    return {"paths": rows, "change": None if change is None else change.values(grid)}
