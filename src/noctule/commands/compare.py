"""`noctule compare`: several algorithms on one map."""

from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

import noctule as nt
from noctule.commands.shared_options import (
    BUILT_IN_RADIUS,
    SEARCH,
    Goal,
    GraphOptions,
    Json,
    MapFile,
    Picture,
    Radius,
    Start,
    Task,
    Weight,
    check_picture,
    describe_map,
    names_of,
    read_task,
    show_cell,
    title_of,
)
from noctule.commands.tables import (
    columns,
    console,
    facts,
    length,
    marked,
    milliseconds,
    notes,
    print_json,
    verdict,
)

if TYPE_CHECKING:
    from noctule.path import Path

RUNS = 3  # the fastest counts


def compare(
    map_file: MapFile = None,
    start: Start = None,
    goal: Goal = None,
    /,
    *,
    algorithms: Annotated[
        str | None,
        Parameter(group=SEARCH, help="Names with commas between. [default: all that can]"),
    ] = None,
    radius: Radius = None,
    weight: Weight = None,
    graph: GraphOptions | None = None,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Run several algorithms side by side on one map."""
    check_picture(picture)
    names = names_of(algorithms)
    task = read_task(map_file, start, goal, graph or GraphOptions())
    if task.built_in and radius is None:
        radius = BUILT_IN_RADIUS
    asked = {"radius": radius, "weight": weight}
    options = {name: value for name, value in asked.items() if value is not None}
    paths, left_out = _paths(task, names, options, may_leave_out=algorithms is None)
    verified = [nt.verify(path, task.grid) if len(path.points) else None for path in paths]
    if as_json:
        rows = [path.to_dict() | {"verified": v} for path, v in zip(paths, verified, strict=True)]
        query = {"map": task.map, "start": task.start, "goal": task.goal}
        print_json(query | {"paths": rows, "left_out": left_out})
    else:
        _report(task, paths, verified, left_out)
    if picture is not None:
        _draw(task, paths, picture, as_json)
    return 0 if all(path.found for path in paths) and all(verified) else 1


def _paths(
    task: Task, names: list[str], options: dict[str, Any], may_leave_out: bool
) -> tuple[list["Path"], dict[str, str]]:
    """The best run of each algorithm, and why others can't run here."""
    paths, left_out = [], {}
    console = notes()
    with console.status("") as status:  # shows itself on terminals only
        for name in names:
            status.update(f"running {name}")
            try:
                planner = nt.Planner(task.grid, name, **options)
                planner.plan(*task.ends)  # loads compiled code, which is not time spent planning
                runs = [planner.plan(*task.ends) for _ in range(RUNS)]
            except ValueError as error:
                if not may_leave_out:
                    raise
                left_out[name] = str(error)
            else:
                paths.append(min(runs, key=lambda path: path.seconds))
    if not paths:
        raise ValueError(next(iter(left_out.values())))
    return paths, left_out


def _report(
    task: Task, paths: list["Path"], verified: list[bool | None], left_out: dict[str, str]
) -> None:
    radius = paths[0].radius
    query = [
        ("map", describe_map(task.map, task.grid)),
        ("start", show_cell(task.start)),
        ("goal", show_cell(task.goal)),
        *([("radius", f"{radius:g}")] if radius else []),
    ]
    console().print(facts(query), "", _table(paths, verified))
    if any(path.found for path in paths):
        console().print("* the shortest, the fastest")
    for reason in dict.fromkeys(path.reason for path in paths if path.reason):
        console().print(f"no path: {reason}", soft_wrap=True)
    for reason in left_out.values():
        console().print(f"left out: {reason}")


def _table(paths: list["Path"], verified: list[bool | None]) -> Table:
    found = [path for path in paths if path.found]
    shortest = min((path.length for path in found), default=1.0) or 1.0
    fastest = min(found, key=lambda path: path.seconds, default=None)
    table = columns(
        "algorithm", "length", "ratio", "points", "expanded", "sight\nchecks", "ms", "verified"
    )
    for path, proof in zip(paths, verified, strict=True):
        is_shortest = path.found and path.length <= shortest * (1 + 1e-9)
        table.add_row(
            Text(path.algorithm, "bold"),
            marked(length(path), is_shortest),
            f"{path.length / shortest:.3f}" if path.found else "-",
            str(len(path.points)),
            f"{path.expanded:,}",
            f"{path.sight_checks:,}",
            marked(milliseconds(path.seconds), path is fastest),
            verdict(proof),
        )
    return table


def _draw(task: Task, paths: list["Path"], file: File, quiet: bool) -> None:
    from noctule.pictures import picture

    picture(task.grid, paths, file, title_of(task, paths[0].radius))
    if not quiet:
        console().print(f"\nPicture saved: {file}", soft_wrap=True)
