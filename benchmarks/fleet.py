"""Fleets: success and contacts beside plain ORCA, CPU time of a step, distance fields, windows.

    python benchmarks/fleet.py bars [--seeds 20] [--only swap,crossing,hunt]
    python benchmarks/fleet.py scale [--agents 1,3,10,30,100,300] [--bodies 0,200] [--budget 8]
    python benchmarks/fleet.py steps                8 hunters beside one navigator
    python benchmarks/fleet.py field                a local change beside a new field
    python benchmarks/fleet.py window [--units 100000]

Contacts are judged exactly, over whole frames. "orca" is our own plain optimal reciprocal collision
avoidance: agents fly straight at their goals.
"""

import argparse
import resource
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import noctule as nt
from noctule.fleet.judge import FleetJudge
from noctule.fleet.scenarios import SCENARIOS, crowd, hunt

CONSOLE = Console()


def table_of(*columns: str) -> Table:
    """Return an empty table."""
    table = Table()
    for k, name in enumerate(columns):
        table.add_column(name, justify="left" if k < 2 else "right")
    return table


def spread(values: Any) -> str:
    """Return median, 99th percentile and maximum of milliseconds."""
    return " / ".join(f"{value:.2f}" for value in np.percentile(values, (50, 99, 100)))


def bars(seeds: int, only: list[str]) -> None:
    """Fly each scenario with many seeds, and with plain ORCA."""
    columns = ("scene", "avoidance", "all well", "arrived", "agent contacts", "body contacts")
    table = table_of(*columns, "time / ideal", "travelled / ideal", "step ms 50 / 99 / max")
    for name in only:
        for avoidance in ("checked", "orca"):
            results = []
            for seed in range(seeds):
                flight = SCENARIOS[name](seed=seed, avoidance=avoidance)
                flight.fleet.warm_up()
                results.append(flight.run())
                CONSOLE.print(f"{name} {avoidance} seed {seed}: {results[-1].summary()}")
            wanted = [1 if name == "hunt" else r.agents for r in results]
            well = [r.arrived >= n and not r.contacts for r, n in zip(results, wanted, strict=True)]
            ideal = [r.ideal / r.agents / 4.0 for r in results]
            table.add_row(
                name,
                avoidance,
                f"{sum(well)} of {seeds}",
                f"{sum(min(r.arrived, n) for r, n in zip(results, wanted, strict=True))} of "
                f"{sum(wanted)}",
                str(sum(r.agent_contacts for r in results)),
                str(sum(r.body_contacts for r in results)),
                f"{np.mean([r.seconds / t for r, t in zip(results, ideal, strict=True)]):.2f}",
                f"{sum(r.travelled for r in results) / sum(r.ideal for r in results):.2f}",
                spread(np.concatenate([r.step_ms for r in results])),
            )
    CONSOLE.print(table)


def scale(agents: list[int], bodies: list[int], budget: float, seconds: float) -> None:
    """Measure a step against the numbers of agents and bodies."""
    table = table_of("bodies", "agents", "step ms 50 / 99 / max", "avoidance ms", "contacts")
    for count in bodies:
        for n in agents:
            flight = crowd(n, count, budget_ms=budget)
            flight.limit = seconds
            flight.fleet.warm_up()
            result = flight.run()
            fleet, ms = flight.fleet, []
            wanted, spared = np.zeros((n, 3)), [-1] * n
            for _ in range(20):
                began = time.thread_time()
                fleet._avoidance.velocities(fleet.agents, wanted, fleet.frame, spared)
                ms.append(1e3 * (time.thread_time() - began))
            row = str(count), str(n), spread(result.step_ms), f"{np.median(ms):.3f}"
            table.add_row(*row, str(len(result.contacts)))
            CONSOLE.print(*row)
    CONSOLE.print(table)


def steps() -> None:
    """Measure steps of 8 hunters of one target, and of a navigator in the same world."""
    ratios = []
    for seed in range(3):
        flight = hunt(8, seed=seed)
        flight.fleet.warm_up()
        many = flight.run().step_ms[5:]
        for algorithm in ("aamt-d*-lite", "lazy-theta*"):
            world = hunt(1, seed=seed)
            scene, target = world.scene, world.fleet.agents[0].goal
            graph = nt.CellGrid(scene, safety=False)
            navigator = nt.Navigator(scene, graph, algorithm, radius=0.45, speed=4.0)
            place, ms = world.fleet.agents[0].position, []
            for k in range(len(many)):
                began = time.thread_time()
                step = navigator.step(k / 60, place, target(k / 60))
                ms.append(1e3 * (time.thread_time() - began))
                place = navigator.fly(place, step, 1 / 60)
            one = np.array(ms[5:])
            ratios.append((algorithm, many.mean() / one.mean()))
            CONSOLE.print(
                f"seed {seed}: 8 hunters {many.mean():.2f} ms, {spread(many)}; "
                f"navigator {algorithm} {one.mean():.2f} ms, {spread(one)}"
            )
    for algorithm in ("aamt-d*-lite", "lazy-theta*"):
        values = [ratio for name, ratio in ratios if name == algorithm]
        CONSOLE.print(f"8 hunters / one navigator with {algorithm}: {np.mean(values):.2f}")


def field() -> None:
    """Measure a local change on a million cells beside a new field."""
    random = np.random.default_rng(0)
    grid = nt.Grid(np.zeros((100, 100, 100), bool))
    grid.block(random.integers(0, 100, (100_000, 3)))
    goal = (50.5, 50.5, 50.5)
    kept, fresh, repairs = nt.DistanceField(grid, goal), [], []
    for _ in range(5):
        began = time.thread_time()
        nt.DistanceField(grid, goal)
        fresh.append(1e3 * (time.thread_time() - began))
    for k in range(200):
        around = random.integers(0, 100, 3) + random.integers(-1, 2, (20, 3))
        (grid.block if k % 2 else grid.free)(np.clip(around, 0, 99))
        began = time.thread_time()
        kept.update()
        repairs.append(1e3 * (time.thread_time() - began))
    CONSOLE.print(f"new field, ms: {spread(fresh)}; 20 cells changed, ms: {spread(repairs)}")


def window(units: float) -> None:
    """Fly far among 100 asteroids that enter and leave a moving window; watch the memory."""
    random, speed, ahead = np.random.default_rng(1), 20.0, 60.0
    radii = random.uniform(0.6, 2.0, 100)
    rocks = [
        nt.Body(f"rock-{k}", nt.Ball(float(radius)), random.uniform((-40, -20, -20), (60, 20, 20)))
        for k, radius in enumerate(radii)
    ]
    here = [(0.0, 0.0, 0.0)]
    space = nt.Space((-40, -24, -24), (80, 48, 48), follow=lambda _: here[0])
    fleet = nt.Fleet(nt.Scene(space, bodies=rocks), budget_ms=8.0)
    agent = fleet.add((-39, 0, 0), (units, 0, 0), speed=speed)
    fleet.warm_up()
    judge, radius = FleetJudge(fleet.graph), np.array([0.45])
    ms, k = [], 0
    p = np.array([agent.position])
    first_memory = 0
    while agent.position[0] < units - 1.0 and k < 2 * 60 * units / speed:
        for rock in rocks:  # those behind come again far ahead
            if rock.position[0] < agent.position[0] - 30.0:
                rock.place((agent.position[0] + ahead, *random.uniform(-20, 20, 2)))
        began = time.thread_time()
        fleet.step(k / 60)
        ms.append(1e3 * (time.thread_time() - began))
        judge.frame(k / 60, fleet.graph.poses, [0], p, np.array([agent.position]), radius)
        p = np.array([agent.position])
        fleet.fly()
        here[0] = agent.position
        if k == 3600:
            first_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        k += 1
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    CONSOLE.print(
        f"{agent.position[0]:.0f} units in {k / 60:.0f} s, step ms {spread(ms)}, "
        f"contacts {len(judge.contacts)}, memory after a minute {first_memory / 1024:.0f} MB, "
        f"at the end {memory / 1024:.0f} MB"
    )


def numbers(text: str) -> list[int]:
    """Read whole numbers."""
    return [int(part) for part in text.split(",")]


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("bars", "scale", "steps", "field", "window"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default="swap,crossing,hunt")
    parser.add_argument("--agents", type=numbers, default=[1, 3, 10, 30, 100, 300])
    parser.add_argument("--bodies", type=numbers, default=[0, 200])
    parser.add_argument("--budget", type=float, default=8.0)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--units", type=float, default=100_000.0)
    given = parser.parse_args()
    if given.part == "bars":
        bars(given.seeds, given.only.split(","))
    elif given.part == "scale":
        scale(given.agents, given.bodies, given.budget, given.seconds)
    elif given.part == "window":
        window(given.units)
    else:
        {"steps": steps, "field": field}[given.part]()


if __name__ == "__main__":
    main()
