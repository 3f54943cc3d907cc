"""`noctule fly`: flights through a scene."""

import os
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

import noctule as nt
from noctule.commands.flights.flight_export import Gif, Mp4, Record, check_clips, save_clips
from noctule.commands.shared.options import (
    OUTPUT,
    SEARCH,
    WORLD,
    Algorithm,
    Destination,
    Engine,
    Json,
    MaxCells,
    Picture,
    Prediction,
    Variant,
    Weight,
    check_file,
    check_picture,
    flag,
    given,
    option,
)
from noctule.commands.shared.tables import (
    console,
    facts,
    print_json,
    print_note,
    save_picture,
    stoppable,
    styled,
    tracked,
)
from noctule.files import MAX_CELLS

if TYPE_CHECKING:
    from rich.text import Text

    from noctule.flight.results import FlightResult
    from noctule.flight.simulation import Plan

DEFAULT_ALGORITHM = "aamt-d*-lite"
DEFAULT_SCENE = "test-environment"
DEFAULT_PICTURE = "noctule-flight.png"
LISTED = 12  # flights that did not arrive, of which the reason is shown


def fly(
    scene: Annotated[
        str | None,
        Parameter(
            name="SCENE", help="A scene's name, or its .json file. [default: test-environment]"
        ),
    ] = None,
    /,
    *,
    variant: Variant = None,
    graph: Annotated[
        str,
        option(
            "Search graph: cells, hybrid (baked on first use), waypoints, or a registered one.",
            WORLD,
        ),
    ] = "cells",
    neighbours: Annotated[int | None, option("Of cells: 6, 18 or 26. [default: 26]", WORLD)] = None,
    safety: Annotated[
        bool | None,
        option(
            "Block the safety boxes of bodies. [default: only without prediction, on waypoints, "
            "or with safe-intervals]",
            WORLD,
        ),
    ] = None,
    destination: Destination = None,
    static_agent: Annotated[bool, flag("Plan, but do not fly.", WORLD)] = False,
    algorithm: Algorithm = DEFAULT_ALGORITHM,
    engine: Engine = None,
    weight: Weight = None,
    latency: Annotated[str, option("Frames until a plan is flown, or 'real'.", SEARCH)] = "1",
    every: Annotated[
        int | None, option("Frames between plans. [default: 1, or 6 for safe-intervals]", SEARCH)
    ] = None,
    window: Annotated[
        float | None, option("Seconds ahead that safe-intervals plans. [default: 3]", SEARCH)
    ] = None,
    foresee: Annotated[
        bool, option("Whether safe-intervals knows how the destination will move.", SEARCH)
    ] = True,
    prediction: Prediction = True,
    smooth: Annotated[
        Literal["taut"] | None, option("Pull each new path taut before it is flown.", SEARCH)
    ] = None,
    budget_ms: Annotated[
        float | None, option("Milliseconds for a plan. [default: no limit]", SEARCH)
    ] = None,
    radius: Annotated[
        float | None, option("Of the agent, in world units. [default: the scene's]", WORLD)
    ] = None,
    agent_speed: Annotated[
        float | None, option("World units per second. [default: the scene's]", WORLD)
    ] = None,
    max_cells: MaxCells = MAX_CELLS,
    agents: Annotated[
        int | None, option("Fly a fleet of so many agents, at random places.", WORLD)
    ] = None,
    hunt: Annotated[
        bool, flag("The agents of a fleet hunt the scene's destination.", WORLD)
    ] = False,
    runs: Annotated[int, option("How many flights.")] = 1,
    seed: Annotated[int, option("Draws the moments at which flights start.")] = 0,
    limit: Annotated[
        float, option("Seconds after which a flight is given up, or a static agent stops.")
    ] = 180.0,
    workers: Annotated[
        int | None,
        Parameter(
            name=("--workers", "--jobs"),
            help="Processes that fly at once. [default: one per core, if worth it]",
        ),
    ] = None,
    cluster: Annotated[
        str | None, option("Fly on a dask cluster: tcp://host:8786, or local.")
    ] = None,
    picture: Picture = None,
    trace: Annotated[
        File | None, option("Save the first flight into this .npz file.", OUTPUT)
    ] = None,
    record: Record = None,
    gif: Gif = None,
    mp4: Mp4 = None,
    as_json: Json = False,
) -> int:
    """Fly through a scene, once or many times."""
    whole = (("--runs", runs, 1), ("--seed", seed, 0), ("--workers", workers, 1))
    for name, value, least in (*whole, ("--agents", agents, 1)):
        if value is not None and value < least:
            raise ValueError(f"{name} is {value}; expected a whole number from {least} on")
    if graph not in ("cells", "hybrid", "waypoints"):
        from noctule.graphs.registered import graph_names

        if graph not in graph_names():
            raise ValueError(f"--graph is {graph!r}; expected {', '.join(graph_names())}")
    if neighbours is not None and graph != "cells":
        raise ValueError(f"--neighbours is {neighbours}; it is for --graph cells")
    if latency != "real" and not latency.isdecimal():
        raise ValueError(f"--latency is {latency!r}; expected a number of frames, or real")
    check_picture(picture)
    if trace is not None:
        check_file("--trace", trace, ".npz")
    check_clips(record, gif, mp4)
    if agents is not None:
        from noctule.commands.flights.fly_fleet import fly_fleet

        if any(file is not None for file in (trace, record, gif, mp4)):
            raise ValueError("--agents gives a table and a picture; it records no flight")
        of_fleet = {"prediction": prediction} | given(budget_ms=budget_ms)
        of_fleet |= {} if algorithm == DEFAULT_ALGORITHM else {"algorithm": algorithm}
        named = scene, variant, agents, hunt, of_fleet
        return fly_fleet(*named, runs, seed, limit, picture, as_json)
    if hunt:
        raise ValueError("--hunt is for fleets; give --agents N as well")
    from noctule.core.validation import at_least
    from noctule.flight.simulation import Plan, needs_safety_boxes
    from noctule.registry import find_algorithm, names_with

    flight: dict[str, Any] = {
        "destination": destination,
        "static_agent": static_agent,
        "latency": "real" if latency == "real" else int(latency),
        "every": every,
        "foresee": foresee,
        "prediction": prediction,
        "smooth": smooth,
        "limit": limit,
    }
    time_limit = None if budget_ms is None else at_least(0, "--budget-ms", budget_ms) / 1e3
    timing = None if window is None else nt.Timing(window=window)
    row = find_algorithm(algorithm)
    if timing is not None and not row.timed:
        raise ValueError(f"--window is {window:g}; it is for {names_with('timed')}")
    plan = Plan(
        scene or DEFAULT_SCENE,
        variant,
        graph,
        26 if neighbours is None else neighbours,
        needs_safety_boxes(graph, algorithm, prediction) if safety is None else safety,
        row.name,
        seed,
        max_cells,
        flight | given(engine=engine, weight=weight, timing=timing, time_limit=time_limit),
        given(radius=radius, speed=agent_speed),
    )
    default = DEFAULT_PICTURE if scene is None and not as_json else None
    first = None
    if any(file is not None for file in (picture, default, trace, record, gif, mp4)):
        first = plan.make(*plan.prepare(), 0, record=True).run()
    results = [first] if first is not None and runs == 1 else _fly_all(plan, runs, workers, cluster)
    summary = _summary(plan, results)
    if as_json:
        print_json(summary)
    else:
        _report(summary)
    if first is not None and (flown := first.trace) is not None:
        if trace is not None:
            flown.save(trace)
            print_note(f"Trace saved: {trace}", as_json)
        title = f"{plan.scene}: {plan.algorithm}"
        outcome = f"{first.reason}; {first.travelled:.1f} units in {first.seconds:.1f} s"
        from noctule.pictures import flight_picture

        save_picture(
            lambda file: flight_picture(flown, file, title, outcome), picture, default, as_json
        )
        for file in save_clips(flown, record, gif, mp4):
            print_note(f"Saved: {file}", as_json)
    return 0 if summary["reached"] == summary["runs"] or static_agent else 1


def _fly_all(
    plan: "Plan", runs: int, workers: int | None, cluster: str | None
) -> "list[FlightResult]":
    from noctule.flight.simulation import fly_many, fly_on

    results: list[FlightResult] = []
    with stoppable(lambda: f"{len(results)} of {runs} flights were flown, {_arrived(results)}"):
        if cluster is not None:
            from noctule.studies.executors import cluster_client

            with cluster_client(cluster, workers or 1) as client:
                results.extend(tracked(fly_on(client, plan, runs), runs, "flying"))
            return results
        if workers is None:  # another process pays off after a few flights
            workers = max(1, min(os.cpu_count() or 1, runs // 4))
        results.extend(tracked(fly_many(plan, runs, workers), runs, "flying"))
    return results


def _arrived(results: "list[FlightResult]") -> str:
    return f"{sum(result.reached for result in results)} arrived; nothing was saved"


def _summary(plan: "Plan", results: "list[FlightResult]") -> dict[str, Any]:
    from noctule.flight.results import summarise

    fields = ("started", "reached", "collided", "reason", "seconds", "travelled")
    flights = [
        {"run": run} | {name: getattr(result, name) for name in fields}
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
        ("reached", styled(f"{reached} of {runs} ({100 * summary['success']:.1f} %)", colour)),
    ]
    if summary["collisions"]:
        hits = ", ".join(f"{name} {n}" for name, n in summary["collided_with"].items())
        rows.append(("collisions", f"{summary['collisions']}: {hits}"))
    if summary["unfinished"]:
        rows.append(("not there in time", str(summary["unfinished"])))
    if reached:
        rows += [
            (title, _show_spread(summary[name]))
            for title, name in (("travelled (units)", "travelled"), ("time (s)", "seconds"))
        ]
    if summary["path_length"]["mean"] is not None:
        rows.append(("mean path (units)", f"{summary['path_length']['mean']:.2f}"))
    rows.append(("nodes expanded per plan", f"{summary['expanded']['mean'] or 0:,.0f}"))
    for title, name in (("graph update (ms)", "update_ms"), ("plan (ms)", "plan_ms")):
        times = [f"{key} {ms:.2f}" for key, ms in summary[name].items() if ms is not None]
        rows.append((title, ", ".join(times) or "-"))
    console().print(facts(rows))
    failed = [flight for flight in summary["flights"] if not flight["reached"]]
    for flight in failed[:LISTED]:
        console().print(
            f"run {flight['run']}, from {flight['started']:.1f} s on: {flight['reason']}",
            soft_wrap=True,
        )
    if len(failed) > LISTED:
        console().print(f"... and {len(failed) - LISTED} more; --json has them all")


def _show_spread(values: dict[str, float]) -> str:
    """Return the mean, with median and range unless all values are equal."""
    mean, median, low, high = (values[name] for name in ("mean", "median", "min", "max"))
    spread = "" if low == high else f" (median {median:.2f}, {low:.2f} to {high:.2f})"
    return f"{mean:.2f}{spread}"
