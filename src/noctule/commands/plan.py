"""`noctule plan`: one path, or all queries of a scenario file."""

from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, Literal

import noctule as nt
from noctule.commands.maps.map_query import (
    BUILT_IN_RADIUS,
    CostOptions,
    Goal,
    MapFile,
    MapQuery,
    Start,
    read_query,
    warm_up,
)
from noctule.commands.maps.mission_options import MissionOptions
from noctule.commands.shared.options import (
    SCENARIOS,
    SEARCH,
    GraphOptions,
    Json,
    Picture,
    SearchOptions,
    check_picture,
    flag,
    option,
    refuse_options,
)
from noctule.commands.shared.tables import (
    console,
    facts,
    length,
    milliseconds,
    notes,
    print_json,
    print_note,
    save_picture,
    styled,
    verdict,
)

if TYPE_CHECKING:
    from rich.table import Table

    from noctule.path import Path

DEFAULT_PICTURE = "noctule-plan.png"
QUICK = 0.5  # seconds


def plan(
    map_file: MapFile = None,
    start: Start = None,
    goal: Goal = None,
    /,
    *,
    search: SearchOptions | None = None,
    smooth: Annotated[
        Literal["rubber-band", "greedy", "taut"] | None,
        option("Straighten the path once it is found.", SEARCH),
    ] = None,
    graph: GraphOptions | None = None,
    costs: CostOptions | None = None,
    scenarios: Annotated[
        File | None, option("Queries with published lengths: .3dscen, .scen.", SCENARIOS)
    ] = None,
    every: Annotated[int | None, option("Run every Nth query. [default: 1]", SCENARIOS)] = None,
    verify: Annotated[
        bool, flag("Prove each of the paths free; a single path always is.", SCENARIOS)
    ] = False,
    workers: Annotated[
        int | None, option("Processes that plan at once. [default: 1]", SCENARIOS)
    ] = None,
    cluster: Annotated[
        str | None,
        option("Plan on a dask cluster: tcp://host:8786, or local.", SCENARIOS),
    ] = None,
    mission: MissionOptions | None = None,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Plan a path through a map, or all queries of a scenario file."""
    search, graph = search or SearchOptions(), graph or GraphOptions()
    mission = mission or MissionOptions()
    if scenarios is not None:
        from noctule.commands.maps.scenarios import plan_scenarios

        refused: dict[str, object] = {
            "START": start,
            "GOAL": goal,
            "--smooth": smooth,
            "--picture": picture,
            "--out": mission.out,
        }
        if costs is not None:
            refused |= {"--cost": costs.cost, "--avoid": costs.avoid or None}
        refuse_options(refused, "with --scenarios it is not allowed")
        how: dict[str, Any] = {"verify": verify, "cluster": cluster, "as_json": as_json}
        how |= {
            "every": 1 if every is None else every,
            "workers": 1 if workers is None else workers,
        }
        return plan_scenarios(map_file, scenarios, search, graph, **how)
    only = {"--every": every, "--workers": workers, "--cluster": cluster}
    refuse_options(only, "it is for --scenarios")
    check_picture(picture)
    mission.check()
    query = read_query(map_file, start, goal, graph)
    if costs is not None:
        query = query._replace(grid=costs.apply(query.grid, graph.as_cells))
    options = search.given()
    if query.built_in:
        options = {"radius": BUILT_IN_RADIUS * query.grid.cell} | options
    path = _plan(query, options)
    drawn: dict[str, Any] = {"paths": [path]}
    if smooth is not None:
        path = nt.smooth(path, query.grid, smooth)
        if path.found:
            drawn["paths"].append(path)
            drawn["labels"] = [
                f"{name}  {length(one, query.unit)}"
                for name, one in zip((path.algorithm, smooth), drawn["paths"], strict=True)
            ]
    wrong = next(nt.violations(path, query.grid), None)
    verified = wrong is None if len(path.points) else None
    if as_json:
        print_json(path.to_dict() | {"verified": verified} | query.values())
    else:
        console().print(_report(query, path, smooth, verified))
    if wrong is not None:
        notes().print(styled(f"the path is not free: {wrong}", "bold red"), soft_wrap=True)
    if wrong is None and path.found and mission.out is not None:
        mission.save(path, query.up)
        print_note(f"Path saved: {mission.out}", as_json)
    default = DEFAULT_PICTURE if query.built_in and not as_json else None
    save_picture(lambda file: query.draw(file=file, **drawn), picture, default, as_json)
    return 0 if path.found and verified else 1


def _plan(query: MapQuery, options: dict[str, Any]) -> "Path":
    """Plan, and if that was quick once more: then no code is loaded meanwhile."""
    planner = nt.Planner(query.grid, **options)
    warm_up(query.grid, options)
    path = planner.plan(*query.ends)
    if path.seconds < QUICK:
        path = nt.Planner(query.grid, **options).plan(*query.ends)
    return path


def _report(query: MapQuery, path: "Path", smooth: str | None, verified: bool | None) -> "Table":
    search = ", ".join(filter(None, [path.algorithm, query.radius(path)]))
    search += f", then {smooth} smoothing" if smooth else ""
    found = styled("yes", "green") if path.found else styled("no", "bold red")
    if path.partial:
        found.append(", only a part of the way")
    return facts(
        [
            *query.facts(),
            ("algorithm", search),
            *([("engine", path.engine)] if path.engine else []),
            ("found", found),
            *([("reason", path.reason)] if path.reason else []),
            ("length", length(path, query.unit)),
            *([("cost", f"{path.cost:.4f} {query.unit}")] if path.cell_cost is not None else []),
            ("points", str(len(path.points))),
            ("expanded", f"{path.expanded:,}"),
            ("sight checks", f"{path.sight_checks:,}"),
            ("milliseconds", milliseconds(path.seconds)),
            ("verified", verdict(verified)),
        ]
    )
