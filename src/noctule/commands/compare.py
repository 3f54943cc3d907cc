"""`noctule compare`: several algorithms on one map."""

from typing import TYPE_CHECKING, Annotated, Any

import noctule as nt
from noctule.commands.map_query import BUILT_IN_RADIUS, Goal, MapFile, MapQuery, Start, read_query
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
    styled,
    verdict,
)

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from noctule.path import Path

RUNS = 3  # the fastest counts


def compare(
    map_file: MapFile = None,
    start: Start = None,
    goal: Goal = None,
    /,
    *,
    algorithms: Annotated[
        str | None, option("Names with commas between. [default: all that can]", SEARCH)
    ] = None,
    engine: Engine = None,
    radius: Radius = None,
    weight: Weight = None,
    graph: GraphOptions | None = None,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Run several algorithms side by side on one map."""
    check_picture(picture)
    names = algorithm_names(algorithms)
    query = read_query(map_file, start, goal, graph or GraphOptions())
    if query.built_in and radius is None:
        radius = BUILT_IN_RADIUS
    options = given(engine=engine, radius=radius, weight=weight)
    paths, left_out = _paths(query, names, options, may_leave_out=algorithms is None)
    verified = [nt.verify(path, query.grid) if len(path.points) else None for path in paths]
    if as_json:
        rows = [path.to_dict() | {"verified": v} for path, v in zip(paths, verified, strict=True)]
        print_json(query.values() | {"paths": rows, "left_out": left_out})
    else:
        _report(query, paths, verified, left_out)
    save_picture(lambda file: query.draw(paths, file), picture, None, as_json)
    return 0 if all(path.found for path in paths) and all(verified) else 1


def _paths(
    query: MapQuery, names: list[str], options: dict[str, Any], may_leave_out: bool
) -> tuple[list["Path"], dict[str, str]]:
    """Return the fastest run of each algorithm, and why the others cannot run here."""
    from noctule.core.preparation import prepare_plans

    prepare_plans(names, query.grid, query.grid.graph(options.get("radius", 0.0)))
    paths, left_out = [], {}
    with notes().status("") as status:  # shown on terminals only
        for name in names:
            status.update(f"running {name}")
            try:
                planner = nt.Planner(query.grid, name, **options)
                planner.plan(*query.ends)  # loads compiled code, which is not planning time
                runs = [planner.plan(*query.ends) for _ in range(RUNS)]
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
    query: MapQuery, paths: list["Path"], verified: list[bool | None], left_out: dict[str, str]
) -> None:
    radius = paths[0].radius
    rows = [*query.facts(), *([("radius", f"{radius:g}")] if radius else [])]
    console().print(facts(rows), "", _table(paths, verified))
    if any(path.found for path in paths):
        console().print("* the shortest, the fastest")
    for reason in dict.fromkeys(path.reason for path in paths if path.reason):
        console().print(f"no path: {reason}", soft_wrap=True)
    for reason in left_out.values():
        console().print(f"left out: {reason}")


def _table(paths: list["Path"], verified: list[bool | None]) -> "Table":
    found = [path for path in paths if path.found]
    shortest = min((path.length for path in found), default=1.0) or 1.0
    fastest = min(found, key=lambda path: path.seconds, default=None)
    table = columns(
        "algorithm", "length", "ratio", "points", "expanded", "sight\nchecks", "ms", "verified"
    )
    for path, proof in zip(paths, verified, strict=True):
        is_shortest = path.found and path.length <= shortest * (1 + 1e-9)
        table.add_row(
            styled(path.algorithm, "bold"),
            _marked(length(path), is_shortest),
            f"{path.length / shortest:.3f}" if path.found else "-",
            str(len(path.points)),
            f"{path.expanded:,}",
            f"{path.sight_checks:,}",
            _marked(milliseconds(path.seconds), path is fastest),
            verdict(proof),
        )
    return table


def _marked(text: str, best: bool) -> "Text":
    return styled(f"{text}*", "green") if best else styled(f"{text} ")
