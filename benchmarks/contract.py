"""The frame contract: `Navigator.step` within a time budget, under load, with free paths.

    python benchmarks/contract.py [FRAMES] [--budget-ms 4] [--graph hybrid] [--algorithm NAME]
    python benchmarks/contract.py 10000 --bodies 60,200,500,1000,2000 [--placed] [--budget-ms 5]

Without `--bodies`, agents follow the goal of the test environment, one flight after the other,
while another thread of the same process keeps a core busy with its own searches. Every returned
path is checked by `verify`, outside the measured time, and collisions are detected in every frame.

With `--bodies`, an agent follows a goal among this many moving bodies, which have a motion or are
placed in each frame, without other load. The table shows CPU time of the thread and wall time.
"""

import argparse
import gc
import math
import threading
import time
from collections import Counter
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import noctule as nt
from noctule.flight.collision import CollisionCheck
from noctule.worlds.motions import Way

FRAME = 1 / 60
LATE = 2.0  # milliseconds; allowed excess over the budget
LIMIT = 10_800  # frames; longest flight


def keep_busy(stop: threading.Event) -> None:
    """Search repeatedly in another world, as load from the rest of a game."""
    rng = np.random.default_rng(1)
    grid = nt.Grid(rng.random((60, 60, 60)) < 0.2)
    grid.free([(0, 0, 0), (59, 59, 59)])
    planner = nt.Planner(grid, "a*")
    while not stop.is_set():
        planner.plan((0.5, 0.5, 0.5), (59.5, 59.5, 59.5))


def follow(navigator: nt.Navigator, scene: nt.Scene, start: float, frames: int, budget: float):
    """Fly once; yield time (ms) and whether the path is free per step; return the outcome."""
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
    """Return the times of all steps (ms), the number of paths not free, and the outcomes."""
    scene = nt.Scene.load("test-environment")
    rng = np.random.default_rng(1)
    took: list[float] = []
    not_free, ends = 0, Counter()
    made = nt.Hybrid(scene, safety=False) if graph == "hybrid" else nt.CellGrid(scene, safety=False)
    with nt.Navigator(scene, made, algorithm) as navigator:
        for _ in follow(navigator, scene, 0.0, 60, budget):
            pass  # warm-up
        progress = iter(track(range(frames), "frames"))
        while len(took) < frames:
            left = min(LIMIT, frames - len(took))
            flight = follow(navigator, scene, rng.uniform(0.0, 600.0), left, budget)
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


class Crowd(NamedTuple):
    """Measurements of steps among many bodies."""

    wall: np.ndarray  # milliseconds
    cpu: np.ndarray  # milliseconds
    left_out: int  # steps that skipped predictions
    not_free: int  # paths that are not free
    stops: int  # steps without a path


def crowd(n: int) -> tuple[nt.Scene, list[Way]]:
    """Make a scene of 80 x 80 x 40 cells with bodies that fly to and fro, and their motions."""
    rng = np.random.default_rng(1)
    size = np.array((80.0, 80.0, 40.0))
    shapes = nt.Ball(0.5), nt.Ball(0.5), nt.Box((1, 1, 1)), nt.Box((0.6, 2, 0.6))
    bodies, motions = [], []
    for i in range(n):
        start = rng.uniform(3.0, size - 3.0)
        end = np.clip(start + rng.uniform(-12.0, 12.0, 3), 2.0, size - 2.0)
        motions.append(Way([start, end], rng.uniform(1.0, 3.0), "back"))
        bodies.append(nt.Body(f"body-{i}", shapes[i % 4], start, motion=motions[-1]))
    agent, goal = nt.Agent((2.5, 40.5, 20.5), 0.4, 4.0), nt.Destination((77.5, 40.5, 20.5), 0.4)
    return nt.Scene(nt.Space((0, 0, 0), (80, 80, 40)), agent, goal, bodies), motions


def measure_crowd(n: int, frames: int, budget: float, algorithm: str, placed: bool) -> Crowd:
    """Follow a moving goal from one side to the other, repeatedly."""
    scene, motions = crowd(n)
    wall, cpu = np.empty(frames), np.empty(frames)
    left_out = not_free = stops = 0
    with nt.Navigator(scene, "cells", algorithm) as navigator:
        agent = scene.agent.start
        gc.collect()
        gc.freeze()  # as a game does after loading: otherwise a collection can take 100 ms
        for frame in range(-60, frames):
            now = (frame + 60) * FRAME
            goal = 70 + 6 * math.sin(now), 40 + 20 * math.cos(now), 20.0
            if math.dist(agent, goal) < 5:
                agent = scene.agent.start
            if placed:
                for body, motion in zip(scene.bodies, motions, strict=True):
                    body.place(motion.pose(now, body.home)[0])
            started = time.thread_time()
            step = navigator.step(now, agent, goal, budget)
            took = time.thread_time() - started
            agent = navigator.fly(agent, step, FRAME)
            if frame >= 0:
                wall[frame], cpu[frame] = 1e3 * step.seconds, 1e3 * took
                left_out += step.left_out.predictions > 0
                stops += step.path is None
                not_free += step.path is not None and not nt.verify(step.path, navigator.graph)
        gc.unfreeze()
    return Crowd(wall, cpu, left_out, not_free, stops)


def show_crowds(args: argparse.Namespace) -> None:
    """Measure with each number of bodies and print a table."""
    kind = "placed in each frame" if args.placed else "with a motion"
    table = Table(title=f"{args.algorithm}, {args.budget_ms:g} ms per step, bodies {kind}")
    columns = "bodies", "steps", "clock", f"<= {args.budget_ms + 1:g} ms", "p50", "p99", "p99.9"
    for column in (*columns, "worst ms", "skipped", "no path", "not free"):
        table.add_column(column, justify="right")
    for n in args.bodies:
        found = measure_crowd(n, args.frames, args.budget_ms, args.algorithm, args.placed)
        for clock, took in (("wall", found.wall), ("CPU", found.cpu)):
            numbers = [f"{x:.2f}" for x in (*np.percentile(took, (50, 99, 99.9)), took.max())]
            in_time = f"{np.mean(took <= args.budget_ms + 1):.2%}"
            counts = [f"{x:,}" for x in (found.left_out, found.stops, found.not_free)]
            table.add_row(f"{n:,}", f"{len(took):,}", clock, in_time, *numbers, *counts)
    Console(width=120).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("frames", type=int, nargs="?", default=100_000)
    parser.add_argument("--budget-ms", type=float, default=4.0)
    parser.add_argument("--graph", choices=("cells", "hybrid"), default="hybrid")
    parser.add_argument("--algorithm", default="aamt-d*-lite")
    parser.add_argument("--bodies", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--placed", action="store_true")
    args = parser.parse_args()
    if args.bodies:
        show_crowds(args)
        return
    stop = threading.Event()
    load = threading.Thread(target=keep_busy, args=(stop,))
    load.start()
    try:
        took, not_free, ends = measure(args.frames, args.budget_ms, args.graph, args.algorithm)
    finally:
        stop.set()
        load.join()
    table = Table(
        title=f"{args.algorithm} on {args.graph}, {args.budget_ms:g} ms per step, with load"
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
