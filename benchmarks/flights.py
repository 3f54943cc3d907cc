"""Plans of a whole flight through the test environment: fresh searches compared with repairs.

    python benchmarks/flights.py [ROUNDS] [--lengths]

Each algorithm flies from the same start with the goal moving vertically. Milliseconds are CPU time
of `plan`. A flight is the same in every round, so each plan counts with its median over the
rounds; in a round the algorithms take turns. The first plan of a flight is not counted, since it
is a fresh search for all of them.

`--lengths` compares the path lengths of `aamt-d*-lite` with others for the same queries, with a
resting agent while the goal and all bodies move; every path is verified.
"""

import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

import noctule as nt

ALONG_EDGES = ("a*", "d*-lite", "basic-mt-d*-lite", "mt-d*-lite")
AT_ANY_ANGLE = ("theta*", "aamt-d*-lite", "aamt-d*-lite-fast", "mt-d*-lite")
AT_REST = {"static_agent": True, "destination": "static", "limit": 20.0}
COLUMNS = ("", "frames", "expanded", "fewer", "ms", "ratio", "p99", "worst", "restarts", "length")


def fly(graph, name, **options):
    """Fly once; return a row per plan after the first: ms, expanded, length, restarted."""
    flight = nt.Flight(graph.scene, graph, name, start=100.0, **options)
    flight.warm_up()
    plan, rows = flight.planner.plan, []

    def timed(*args, **more):
        started = time.thread_time()
        path = plan(*args, **more)
        took = 1e3 * (time.thread_time() - started)
        length = path.length if path.found else np.nan
        rows.append((took, path.expanded, length, path.restarted))
        return path

    flight.planner.plan = timed
    flight.run()
    return np.array(rows[1:], float)


def compare(title, graph, names, rounds, **options):
    """Print a table that compares each algorithm with the first one."""
    flights = {name: [] for name in names}
    for _ in range(rounds + 1):
        for name in names:
            flights[name].append(fly(graph, name, **options))
    table = Table(title=title)
    for column in COLUMNS:
        table.add_column(column, justify="left" if not column else "right")
    first = None
    for name, (_, *counted) in flights.items():  # the first round is a warm-up
        ms = np.median([rows[:, 0] for rows in counted], axis=0)
        _, expanded, length, restarted = counted[0].T
        first = first or (expanded.mean(), ms.mean())
        table.add_row(
            name,
            str(len(ms)),
            f"{expanded.sum():,.0f}",
            f"{first[0] / expanded.mean():.1f}",
            f"{ms.mean():.3f}",
            f"{ms.mean() / first[1]:.2f}",
            f"{np.percentile(ms, 99):.2f}",
            f"{ms.max():.2f}",
            f"{restarted.sum():.0f}",
            f"{np.nanmean(length):.1f}",
        )
    Console(width=110).print(table)


def lengths(graph, seconds):
    """Compare the path lengths of three algorithms for the same queries."""
    scene = graph.scene
    names = "aamt-d*-lite", "theta*", "mt-d*-lite"
    planners = [nt.Planner(graph, name, radius=scene.agent.radius) for name in names]
    rows = []
    for frame in range(int(60 * seconds)):
        graph.update(100.0 + frame / 60)
        goal = scene.destination.at(scene.time)
        paths = [planner.plan(scene.agent.start, goal) for planner in planners]
        assert all(path.found and nt.verify(path, graph) for path in paths)
        rows.append([*(path.length for path in paths), paths[0].restarted])
    own, theta, along, restarted = np.array(rows).T
    print(f"{len(rows)} plans, {restarted.sum():.0f} of them restarted")
    print(f"mean length / theta*: {own.mean() / theta.mean():.4f}")
    print(f"mean length / mt-d*-lite: {own.mean() / along.mean():.4f}")
    longer = own > along * (1 + 1e-9)
    print(f"longer than mt-d*-lite {longer.sum()} times, by at most {max(own / along) - 1:.4f}")


def main() -> None:
    rounds = next((int(word) for word in sys.argv[1:] if word.isdigit()), 3)
    scene = nt.Scene.load("test-environment")
    hybrid = nt.Hybrid(scene)
    if "--lengths" in sys.argv:
        lengths(hybrid, 20.0)
        return
    for neighbours in (6, 26):
        grid = nt.CellGrid(scene, neighbours)
        title = f"cells, {neighbours} neighbours"
        compare(f"{title}, agent and destination at rest", grid, ALONG_EDGES, rounds, **AT_REST)
        compare(f"{title}, flight to a moving destination", grid, ALONG_EDGES, rounds)
    compare("hybrid, flight to a moving destination", hybrid, AT_ANY_ANGLE, rounds)


if __name__ == "__main__":
    main()
