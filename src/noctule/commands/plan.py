"""`noctule plan`: one path, or all the queries of a scenario file."""

import math
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

import noctule as nt
from noctule.commands.shared_options import (
    BUILT_IN_RADIUS,
    SCENARIOS,
    SEARCH,
    Goal,
    GraphOptions,
    Json,
    MapFile,
    Picture,
    SearchOptions,
    Start,
    Task,
    check_picture,
    describe_map,
    point_of,
    read_task,
    show_cell,
    title_of,
)
from noctule.commands.tables import console, facts, length, milliseconds, notes, print_json, verdict

if TYPE_CHECKING:
    from noctule.path import Path

DEFAULT_PICTURE = "noctule-plan.png"


def plan(
    map_file: MapFile = None,
    start: Start = None,
    goal: Goal = None,
    /,
    *,
    search: SearchOptions | None = None,
    smooth: Annotated[
        Literal["rubber-band", "greedy"] | None,
        Parameter(group=SEARCH, help="Straighten the path once it is found."),
    ] = None,
    graph: GraphOptions | None = None,
    scenarios: Annotated[
        File | None,
        Parameter(group=SCENARIOS, help="Queries with published lengths: .3dscen, .scen."),
    ] = None,
    every: Annotated[
        int, Parameter(group=SCENARIOS, help="Run the first of every so many queries.")
    ] = 1,
    verify: Annotated[
        bool,
        Parameter(
            group=SCENARIOS,
            negative="",
            show_default=False,
            help="Prove each of the paths free; a single path always is.",
        ),
    ] = False,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Plan a path through a map, or all the queries of a scenario file."""
    search, graph = search or SearchOptions(), graph or GraphOptions()
    if scenarios is not None:
        from noctule.commands.scenarios import plan_scenarios

        _refuse({"START": start, "GOAL": goal, "--smooth": smooth, "--picture": picture})
        return plan_scenarios(map_file, scenarios, every, search, graph, verify, as_json)
    check_picture(picture)
    task = read_task(map_file, start, goal, graph)
    options = search.given()
    if task.built_in:
        options = {"algorithm": "lazy-theta*", "radius": BUILT_IN_RADIUS} | options
    path = _plan(task, options, smooth)
    wrong = next(nt.violations(path, task.grid), None)
    verified = wrong is None if len(path.points) else None
    if as_json:
        query = {"map": task.map, "start": task.start, "goal": task.goal}
        print_json(path.to_dict() | {"verified": verified} | query)
    else:
        console().print(_report(task, path, smooth, verified))
    if wrong is not None:
        notes().print(Text(f"the path is not free: {wrong}", "bold red"), soft_wrap=True)
    _draw(task, path, picture, as_json)
    return 0 if path.found and verified else 1


def _refuse(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} is {str(value)!r}; with --scenarios it is not allowed")


def _plan(task: Task, options: dict[str, Any], smooth: Any) -> "Path":
    planner = nt.Planner(task.grid, **options)
    _wake(task.grid, options, smooth)
    path = planner.plan(*task.ends)
    return path if smooth is None else nt.smooth(path, task.grid, smooth)


def _wake(grid: "nt.Grid", options: dict[str, Any], smooth: Any) -> None:
    """Plan in a small empty world first: loading compiled code is not time spent planning."""
    import numpy as np

    side = 4 + 2 * min(math.ceil(options.get("radius", 0)), 10)
    empty = np.zeros((side,) * grid.dimension, bool)
    small = nt.Grid(empty, neighbours=grid.neighbours, nodes=grid.nodes)
    search = {k: v for k, v in options.items() if k not in ("direct", "max_expanded", "budget")}
    a, b = (point_of(small, [side // 2 - i] * grid.dimension) for i in (1, 0))
    path = nt.Planner(small, **search).plan(a, b)
    if smooth is not None:
        small.line_of_sight(a.tolist(), b.tolist(), path.radius)


def _report(task: Task, path: "Path", smooth: str | None, verified: bool | None) -> Table:
    corner = " (corner)" if task.grid.nodes == "corners" else ""
    search = path.algorithm + (f", radius {path.radius:g}" if path.radius else "")
    search += f", then {smooth} smoothing" if smooth else ""
    found = Text("yes", "green") if path.found else Text("no", "bold red")
    if path.partial:
        found.append(", only a part of the way")
    return facts(
        [
            ("map", describe_map(task.map, task.grid)),
            ("start", show_cell(task.start) + corner),
            ("goal", show_cell(task.goal) + corner),
            ("algorithm", search),
            ("found", found),
            *([("reason", path.reason)] if path.reason else []),
            ("length", length(path)),
            ("points", str(len(path.points))),
            ("expanded", f"{path.expanded:,}"),
            ("sight checks", f"{path.sight_checks:,}"),
            ("milliseconds", milliseconds(path.seconds)),
            ("verified", verdict(verified)),
        ]
    )


def _draw(task: Task, path: "Path", file: File | None, quiet: bool) -> None:
    """Save the picture that was asked for, or the one that goes with the built-in map."""
    if file is None and (quiet or not task.built_in):
        return
    try:
        from noctule.pictures import picture

        picture(task.grid, [path], file or DEFAULT_PICTURE, title_of(task, path.radius))
    except (ModuleNotFoundError, OSError) as problem:
        if file is not None:
            raise
        console().print(f"\nNo picture: {problem}", soft_wrap=True)
        return
    if not quiet:
        console().print(f"\nPicture saved: {file or DEFAULT_PICTURE}", soft_wrap=True)
