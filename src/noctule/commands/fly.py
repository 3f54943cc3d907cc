"""`noctule fly`: flights through a scene."""

import os
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from noctule.commands.flight_export import Gif, Mp4, Record, check_clips, save_clips
from noctule.commands.shared_options import (
    OUTPUT,
    SEARCH,
    WORLD,
    Json,
    Picture,
    Weight,
    check_picture,
)
from noctule.commands.tables import console, facts, notes, print_json

if TYPE_CHECKING:
    from noctule.flight.results import FlightResult
    from noctule.flight.simulation import Plan

DEFAULT_SCENE = "test-environment"
DEFAULT_PICTURE = File("noctule-flight.png")
LISTED = 12  # flights that did not arrive, of which the reason is shown


def fly(
    scene: Annotated[
        str | None,
        Parameter(name="SCENE", help="A scene's name, or its .json file. [default: the theses']"),
    ] = None,
    /,
    *,
    variant: Annotated[str | None, Parameter(group=WORLD, help="A variant of the scene.")] = None,
    graph: Annotated[
        str | None,
        Parameter(
            group=WORLD,
            help="Search graph: cells, hybrid (baked on first use) or waypoints. [default: hybrid, "
            "or cells with --neighbours]",
        ),
    ] = None,
    neighbours: Annotated[
        int | None, Parameter(group=WORLD, help="Of cells: 6, 18 or 26. [default: 26]")
    ] = None,
    safety: Annotated[
        bool | None,
        Parameter(
            group=WORLD,
            help="Whether the safety boxes of bodies block cells, too. [default: if they must]",
        ),
    ] = None,
    destination: Annotated[
        str | None,
        Parameter(
            group=WORLD,
            help="How it moves: static, vertical or horizontal. [default: the scene's]",
        ),
    ] = None,
    static_agent: Annotated[
        bool,
        Parameter(group=WORLD, negative="", show_default=False, help="Plan, but do not fly."),
    ] = False,
    algorithm: Annotated[
        str, Parameter(group=SEARCH, help="One of those that 'noctule algorithms' lists.")
    ] = "aamt-d*-lite",
    weight: Weight = None,
    latency: Annotated[
        str, Parameter(group=SEARCH, help="Frames until a plan is flown, or 'real'.")
    ] = "1",
    every: Annotated[
        int | None,
        Parameter(
            group=SEARCH, help="Frames from plan to plan. [default: 1, or 6 for safe-intervals]"
        ),
    ] = None,
    window: Annotated[
        float | None,
        Parameter(group=SEARCH, help="Seconds ahead that safe-intervals looks. [default: 3]"),
    ] = None,
    foresee: Annotated[
        bool,
        Parameter(group=SEARCH, help="Whether safe-intervals knows how the destination will move."),
    ] = True,
    prediction: Annotated[
        bool,
        Parameter(group=SEARCH, help="Whether to keep out of cells that bodies will touch soon."),
    ] = True,
    budget_ms: Annotated[
        float | None, Parameter(group=SEARCH, help="Milliseconds for a plan. [default: no limit]")
    ] = None,
    radius: Annotated[
        float | None, Parameter(group=WORLD, help="Of the agent. [default: the scene's]")
    ] = None,
    agent_speed: Annotated[
        float | None, Parameter(group=WORLD, help="Units a second. [default: the scene's]")
    ] = None,
    runs: Annotated[int, Parameter(help="How many flights.")] = 1,
    seed: Annotated[int, Parameter(help="Draws the moments at which flights start.")] = 0,
    limit: Annotated[
        float, Parameter(help="Seconds after which a flight is given up, or a static agent stops.")
    ] = 180.0,
    jobs: Annotated[
        int | None, Parameter(help="Processes that fly at once. [default: one a core, if worth it]")
    ] = None,
    picture: Picture = None,
    trace: Annotated[
        File | None, Parameter(group=OUTPUT, help="Save the first flight into this .npz file.")
    ] = None,
    record: Record = None,
    gif: Gif = None,
    mp4: Mp4 = None,
    as_json: Json = False,
) -> int:
    """Fly through a scene, once or many times."""
    for name, value, least in (("--runs", runs, 1), ("--seed", seed, 0), ("--jobs", jobs, 1)):
        if value is not None and value < least:
            raise ValueError(f"{name} is {value}; expected a whole number from {least} on")
    if graph is None:
        graph = "hybrid" if neighbours is None else "cells"
    if graph not in ("cells", "hybrid", "waypoints"):
        raise ValueError(f"--graph is {graph!r}; expected cells, hybrid or waypoints")
    if neighbours is not None and graph != "cells":
        raise ValueError(f"--neighbours is {neighbours}; it is for --graph cells")
    check_picture(picture)
    _check_trace(trace)
    check_clips(record, gif, mp4)
    flight: dict[str, Any] = {
        "destination": destination,
        "static_agent": static_agent,
        "latency": _latency(latency),
        "every": every,
        "foresee": foresee,
        "prediction": prediction,
        "limit": limit,
    }
    budget = None if budget_ms is None else budget_ms / 1e3
    options = {"weight": weight, "window": window, "budget": budget}
    agent = {"radius": radius, "speed": agent_speed}
    from noctule.flight.simulation import Plan, fly_many, needs_safety_boxes

    plan = Plan(
        scene or DEFAULT_SCENE,
        variant,
        graph,
        26 if neighbours is None else neighbours,
        needs_safety_boxes(graph, algorithm, prediction) if safety is None else safety,
        algorithm,
        seed,
        flight | {name: value for name, value in options.items() if value is not None},
        {name: value for name, value in agent.items() if value is not None},
    )
    wants_picture = picture is not None or (scene is None and not as_json)
    first = None
    if wants_picture or any(file is not None for file in (trace, record, gif, mp4)):
        first = plan.make(*plan.prepare(), 0, record=True).run()
    results = [first] if first is not None and runs == 1 else _fly(fly_many, plan, runs, jobs)
    summary = _summary(plan, results)
    if as_json:
        print_json(summary)
    else:
        _report(summary)
    if first is not None and first.trace is not None:
        _keep(first, picture, trace, wants_picture, plan, as_json)
        for file in save_clips(first.trace, record, gif, mp4):
            _tell(f"Saved: {file}", as_json)
    return 0 if summary["reached"] == summary["runs"] or static_agent else 1


def _latency(text: str) -> Any:
    if text == "real":
        return text
    if not text.isdecimal():
        raise ValueError(f"--latency is {text!r}; expected a number of frames, or real")
    return int(text)


def _check_trace(file: File | None) -> None:
    if file is not None and (file.suffix != ".npz" or not file.parent.is_dir()):
        raise ValueError(f"--trace is '{file}'; expected a .npz file in a folder that exists")


def _fly(fly_many: Any, plan: "Plan", runs: int, jobs: int | None) -> "list[FlightResult]":
    if jobs is None:  # another process pays off after a few flights
        jobs = max(1, min(os.cpu_count() or 1, runs // 4))
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=notes(),
        transient=True,
    )
    results = []
    with bar:
        task = bar.add_task("flying", total=runs)
        for result in fly_many(plan, runs, jobs):
            results.append(result)
            bar.advance(task)
    return results


def _summary(plan: "Plan", results: "list[FlightResult]") -> dict[str, Any]:
    from noctule.flight.results import summarise

    flights = [
        {
            "run": run,
            "started": result.started,
            "reached": result.reached,
            "collided": result.collided,
            "reason": result.reason,
            "seconds": result.seconds,
            "travelled": result.travelled,
        }
        for run, result in enumerate(results)
    ]
    name = plan.scene if plan.variant is None else f"{plan.scene} ({plan.variant})"
    about = {"scene": name, "graph": plan.graph, "algorithm": plan.algorithm, "seed": plan.seed}
    return about | summarise(results) | {"flights": flights}


def _report(summary: dict[str, Any]) -> None:
    reached, runs = summary["reached"], summary["runs"]
    colour = "green" if reached == runs else "bold red" if reached == 0 else "yellow"
    rows: list[tuple[str, str | Text]] = [
        ("scene", f"{summary['scene']}, graph of {summary['graph']}"),
        ("algorithm", summary["algorithm"]),
        ("reached", Text(f"{reached} of {runs} ({100 * summary['success']:.1f} %)", colour)),
    ]
    if summary["collisions"]:
        hits = ", ".join(f"{name} {n}" for name, n in summary["collided_with"].items())
        rows.append(("collisions", f"{summary['collisions']}: {hits}"))
    if summary["unfinished"]:
        rows.append(("not there in time", str(summary["unfinished"])))
    if reached:
        rows.append(("travelled", _spread(summary["travelled"])))
        rows.append(("seconds", _spread(summary["seconds"])))
    if summary["path_length"]["mean"] is not None:
        rows.append(("path, mean", f"{summary['path_length']['mean']:.2f}"))
    rows += [
        ("expanded a plan", f"{summary['expanded']['mean'] or 0:,.0f}"),
        ("graph update, ms", _times(summary["update_ms"])),
        ("plan, ms", _times(summary["plan_ms"])),
    ]
    console().print(facts(rows))
    failed = [flight for flight in summary["flights"] if not flight["reached"]]
    for flight in failed[:LISTED]:
        console().print(
            f"run {flight['run']}, from {flight['started']:.1f} s on: {flight['reason']}",
            soft_wrap=True,
        )
    if len(failed) > LISTED:
        console().print(f"... and {len(failed) - LISTED} more; --json has them all")


def _spread(values: dict[str, float]) -> str:
    if values["min"] == values["max"]:
        return f"{values['mean']:.2f}"
    return (
        f"{values['mean']:.2f} (median {values['median']:.2f}, "
        f"{values['min']:.2f} to {values['max']:.2f})"
    )


def _times(values: dict[str, float | None]) -> str:
    shown = [f"{name} {value:.2f}" for name, value in values.items() if value is not None]
    return ", ".join(shown) or "-"


def _keep(
    result: "FlightResult",
    picture: File | None,
    trace: File | None,
    wants_picture: bool,
    plan: "Plan",
    quiet: bool,
) -> None:
    """Save trace and picture of the first flight."""
    assert result.trace is not None
    if trace is not None:
        result.trace.save(trace)
        _tell(f"Trace saved: {trace}", quiet)
    if not wants_picture:
        return
    try:
        from noctule.pictures import flight_picture

        title = f"{plan.scene}: {plan.algorithm}"
        outcome = f"{result.reason}; {result.travelled:.1f} units in {result.seconds:.1f} s"
        flight_picture(result.trace, picture or DEFAULT_PICTURE, title, outcome)
    except (ModuleNotFoundError, OSError) as problem:
        if picture is not None:
            raise
        _tell(f"No picture: {problem}", quiet)
        return
    _tell(f"Picture saved: {picture or DEFAULT_PICTURE}", quiet)


def _tell(text: str, quiet: bool) -> None:
    if not quiet:
        console().print(f"\n{text}", soft_wrap=True)
