"""Replanning in a world of walls and moving boxes: expansions and CPU time of each frame.

    python benchmarks/incremental.py [FRAMES]

64 x 56 x 16 cells: walls with holes, and boxes that patrol. The agent flies along its path from
one corner to the other while the goal moves up and down, as in the test environment of Krafft
(2019, 2021): speeds 4, 2, and 1 to 3 cells per second, ten frames per second. Each algorithm
follows its own paths, and `a*` plans the same queries. A flight is the same in every round, so
each plan counts with its median over the rounds.
"""

import itertools
import math
import sys
import time

import numpy as np

import noctule as nt

SHAPE = (64, 56, 16)
DT = 0.1
ROUNDS = 3
START = np.array([1.5, 53.5, 8.5])
ALGORITHMS = ("d*-lite", "basic-mt-d*-lite", "mt-d*-lite")


def walls(rng):
    """Walls across x, each with two holes."""
    blocked = np.zeros(SHAPE, bool)
    for x in range(7, SHAPE[0] - 4, 8):
        blocked[x : x + 2] = True
        for _ in range(2):
            y, z = rng.integers(0, SHAPE[1] - 8), rng.integers(0, SHAPE[2] - 7)
            blocked[x : x + 2, y : y + 8, z : z + 7] = False
    return blocked


class Course:
    """The world as a function of time."""

    def __init__(self, seed=1, boxes=14):
        rng = np.random.default_rng(seed)
        self.walls = walls(rng)
        self.size = np.stack(
            [rng.integers(1, 4, boxes), rng.integers(5, 15, boxes), rng.integers(6, 17, boxes)], 1
        )
        self.low = rng.random((boxes, 3)) * (np.array(SHAPE) - self.size)
        self.low[:, 0] = np.clip(self.low[:, 0], 4, SHAPE[0] - 8)
        self.axis = rng.integers(0, 2, boxes)
        self.speed = rng.uniform(1.0, 3.0, boxes)
        self.reach = rng.uniform(4.0, 8.0, boxes)

    def blocked(self, t):
        blocked = self.walls.copy()
        for i, size in enumerate(self.size):
            low = self.low[i].copy()
            k = self.axis[i]
            low[k] += abs((self.speed[i] * t) % (2 * self.reach[i]) - self.reach[i])
            low = np.clip(low, 0, np.array(SHAPE) - size)
            first, last = np.floor(low).astype(int), np.ceil(low + size).astype(int)
            blocked[tuple(slice(a, b) for a, b in zip(first, last, strict=True))] = True
        return blocked

    def destination(self, t):
        return np.array([62.5, 30.5 + 20.0 * math.sin(0.1 * t), 8.5])


def on_along(points, far):
    """Return the point at distance `far` along a polyline."""
    for a, b in itertools.pairwise(points):
        leg = math.dist(a, b)
        if far < leg:
            return a + (b - a) * (far / leg)
        far -= leg
    return points[-1]


def fly(name, neighbours, frames, moving, seed=1):
    """Fly with one algorithm and plan the same queries with A*; return a row per frame."""
    course = Course(seed)
    grid = nt.Grid(course.blocked(0.0), neighbours=neighbours)
    planners = nt.Planner(grid, "a*"), nt.Planner(grid, name)
    agent, rows, changed = START, [], []
    for frame in range(frames):
        t = frame * DT
        new, old = course.blocked(t), grid.blocked
        changed.append(int((new != old).sum()))
        grid.block(np.argwhere(new & ~old))
        grid.free(np.argwhere(old & ~new))
        goal = grid.centre(grid.cell_of(course.destination(t if moving else 0.0)))
        start = grid.centre(grid.cell_of(agent))
        row = []
        for planner in planners:
            started = time.process_time()
            path = planner.plan(start, goal)
            row += [path.expanded, 1e3 * (time.process_time() - started)]
            row += [path.length if path.found else math.inf]
        assert math.isclose(row[2], row[5], rel_tol=1e-9) or row[2] == row[5]
        rows.append([*row, path.restarted])
        if moving and path.found:
            agent = on_along([agent, *path.points[1:]], 4.0 * DT)
            if len(path.points) < 4:
                agent = START
    return np.array(rows), np.mean(changed)


def report(neighbours, frames, moving):
    kind = "agent and goal move" if moving else "agent and goal rest"
    print(f"\n{neighbours} neighbours, {kind}: {frames} frames\n")
    print("| | expanded | `a*` | ratio | ms | `a*` | ratio | worst ms | `a*` | restarts |")
    print("| --- " * 10 + "|")
    for name in ALGORITHMS:
        flights = [fly(name, neighbours, frames, moving) for _ in range(ROUNDS)]
        rows, changed = np.median([rows for rows, _ in flights], axis=0), flights[0][1]
        expanded0, ms0, _, expanded, ms = rows[:, :5].mean(axis=0)
        worst0, worst = rows[1:, 1].max(), rows[1:, 4].max()
        print(
            f"| `{name}` | {expanded:.0f} | {expanded0:.0f} | {expanded0 / expanded:.1f} "
            f"| {ms:.3f} | {ms0:.3f} | {ms0 / ms:.1f} | {worst:.2f} | {worst0:.2f} "
            f"| {rows[:, 6].sum():.0f} |"
        )
    print(f"\n{changed:.0f} cells change per frame. Worst: after the first frame.")


if __name__ == "__main__":
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    for name in ALGORITHMS:
        fly(name, 6, frames, True)  # warm-up
    for neighbours in (6, 26):
        for moving in (False, True):
            report(neighbours, frames, moving)
