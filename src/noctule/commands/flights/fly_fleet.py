"""`noctule fly --agents`: flights of a fleet."""

from pathlib import Path as File
from typing import Any

import noctule as nt
from noctule.commands.shared.tables import console, facts, print_json, save_picture, tracked

DEFAULT_PICTURE = "noctule-fleet.png"


def fly_fleet(
    scene: str | None,
    variant: str | None,
    agents: int,
    hunt: bool,
    options: dict[str, Any],
    runs: int,
    seed: int,
    limit: float | None,
    picture: File | None,
    as_json: bool,
) -> int:
    """Fly a fleet through a scene, once or many times; return 0 if all went well."""
    from noctule.fleet.scenarios import crossing, pursuit

    results, first = [], None
    for run in tracked(range(runs), runs, "flying"):
        world = nt.Scene.load(scene or "test-environment", variant)
        make = pursuit if hunt else crossing
        flight = make(agents, seed=seed + run, scene=world, **options)
        flight.limit = flight.limit if limit is None else limit
        flight.fleet.warm_up()
        results.append(flight.run())
        first = first or (world, results[0])
    wanted = 1 if hunt else agents
    went_well = [r.arrived >= wanted and not r.contacts for r in results]
    rows = [{"seed": seed + k} | result.summary() for k, result in enumerate(results)]
    summary: dict[str, Any] = {
        "scene": scene or "test-environment",
        "agents": agents,
        "hunt": hunt,
        "runs": runs,
        "successes": sum(went_well),
        "flights": rows,
    }
    if as_json:
        print_json(summary)
    else:
        _report(summary)
    if first is not None:
        from noctule.fleet.picture import fleet_picture

        world, result = first
        outcome = _outcome(rows[0], hunt)
        default = DEFAULT_PICTURE if not as_json else None
        title = f"{summary['scene']}: {agents} {'hunters' if hunt else 'agents'}"
        save_picture(
            lambda file: fleet_picture(world, result, file, title, outcome),
            picture,
            default,
            as_json,
        )
    return 0 if all(went_well) else 1


def _outcome(row: dict[str, Any], hunt: bool) -> str:
    contacts = row["agent_contacts"] + row["body_contacts"]
    if hunt:
        end = "target caught" if row["arrived"] else "target not caught"
    else:
        end = f"{row['arrived']} of {row['agents']} arrived"
    return f"{end}, {contacts} contacts, {row['seconds']:.1f} s"


def _report(summary: dict[str, Any]) -> None:
    rows: list[tuple[str, Any]] = [
        ("scene", summary["scene"]),
        ("agents", str(summary["agents"])),
        ("without fault", f"{summary['successes']} of {summary['runs']}"),
    ]
    for row in summary["flights"]:
        times = ", ".join(f"{name} {ms:.2f}" for name, ms in row["step_ms"].items())
        rows += [
            (f"seed {row['seed']}", _outcome(row, summary["hunt"])),
            ("", f"travelled {row['travelled']:.1f}, straight lines {row['ideal']:.1f}"),
            ("", f"a step, ms: {times}"),
        ]
    console().print(facts(rows))
