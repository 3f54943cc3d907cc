"""The frame contract: `Navigator.step` within a budget, under load, with paths that are free.

    python benchmarks/contract.py [FRAMES] [--budget-ms 4] [--graph hybrid] [--algorithm NAME]

Agents hunt the destination of the test environment, one flight after the other, while another
thread of the same process keeps a core busy with searches of its own. Every path that a step hands
out is proven again by `verify`, outside the time that is measured, and contact is judged over every
frame.
"""

import argparse
import threading
from collections import Counter

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import noctule as nt
from noctule.flight.collision import CollisionCheck

FRAME = 1 / 60
LATE = 2.0  # milliseconds over the budget that are allowed
LIMIT = 10_800  # frames after which a flight is given up


def keep_busy(stop: threading.Event) -> None:
    """What a game does besides: searches on a world of its own, again and again."""
    rng = np.random.default_rng(1)
    grid = nt.Grid(rng.random((60, 60, 60)) < 0.2)
    grid.free([(0, 0, 0), (59, 59, 59)])
    planner = nt.Planner(grid, "a*")
    while not stop.is_set():
        planner.plan((0.5, 0.5, 0.5), (59.5, 59.5, 59.5))


def hunt(navigator: nt.Navigator, scene: nt.Scene, start: float, frames: int, budget: float):
    """Fly once; yields the milliseconds of each step and whether its path is free, then the end."""
    graph, agent, goal = navigator.graph, scene.agent.start, scene.destination
    check = CollisionCheck(scene.agent.radius, scene.agent.radius + goal.radius)
    scene.move(start)
    graph.update()
    for frame in range(frames):
        now = start + frame * FRAME
        step = navigator.step(now, agent, goal.at(now), budget)
        yield 1e3 * step.seconds, step.path is None or nt.verify(step.path, graph)
        before, there = graph.poses.copy(), navigator.fly(agent, step, FRAME)
        graph.update(now + FRAME, there)
        ends = goal.at(now), goal.at(now + FRAME)
        verdict = check.frame(graph.bare, before, graph.poses, [agent, there], ends)
        if verdict is not None:
            return "reached" if verdict.reached else f"hit {scene.bodies[verdict.body].name}"
        agent = there
    return "given up" if frames == LIMIT else "still flying"


def measure(frames: int, budget: float, graph: str, algorithm: str):
    """Milliseconds of all steps, how many paths were not free, how flights ended."""
    scene = nt.Scene.load("test-environment")
    rng = np.random.default_rng(1)
    took: list[float] = []
    not_free, ends = 0, Counter()
    made = nt.Hybrid(scene, safety=False) if graph == "hybrid" else nt.CellGrid(scene, safety=False)
    with nt.Navigator(scene, made, algorithm) as navigator:
        for _ in hunt(navigator, scene, 0.0, 60, budget):
            pass  # warm-up
        progress = iter(track(range(frames), "frames"))
        while len(took) < frames:
            left = min(LIMIT, frames - len(took))
            flight = hunt(navigator, scene, rng.uniform(0.0, 600.0), left, budget)
            while True:
                try:
                    milliseconds, free = next(flight)
                except StopIteration as end:
                    ends[end.value] += 1
                    break
                next(progress)
                took.append(milliseconds)
                not_free += not free
    return np.array(took), not_free, ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("frames", type=int, nargs="?", default=100_000)
    parser.add_argument("--budget-ms", type=float, default=4.0)
    parser.add_argument("--graph", choices=("cells", "hybrid"), default="hybrid")
    parser.add_argument("--algorithm", default="aamt-d*-lite")
    args = parser.parse_args()
    stop = threading.Event()
    load = threading.Thread(target=keep_busy, args=(stop,))
    load.start()
    try:
        took, not_free, ends = measure(args.frames, args.budget_ms, args.graph, args.algorithm)
    finally:
        stop.set()
        load.join()
    table = Table(
        title=f"{args.algorithm} on {args.graph}, {args.budget_ms:g} ms a step, with load"
    )
    for column in ("steps", "in time", "p50", "p99", "p99.9", "worst ms", "not free", "flights"):
        table.add_column(column, justify="right")
    in_time = np.mean(took <= args.budget_ms + LATE)
    p50, p99, p999 = np.percentile(took, (50, 99, 99.9))
    numbers = (f"{x:.2f}" for x in (p50, p99, p999, took.max()))
    flights = ", ".join(f"{count} {end}" for end, count in ends.most_common())
    table.add_row(f"{len(took):,}", f"{in_time:.3%}", *numbers, str(not_free), flights)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
