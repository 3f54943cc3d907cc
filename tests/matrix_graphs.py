"""One small graph of every kind, and a query for it: what each algorithm is tried on."""

import numpy as np

import noctule as nt

START, GOAL = (1.5, 1.5, 1.5), (10.5, 1.5, 1.5)


def up_and_down(t):
    return (6, 6, 1 + 4 * t % 5)


def near_in_x(x0, y0, z0, x1, y1, z1):
    return abs(x1 - x0) < 8


def scene():
    agent, target = nt.Agent(START, 0.3), nt.Destination(GOAL, 0.3)
    wall = nt.Body("wall", nt.Box((1, 5, 6)), (6, 2.5, 3))
    door = nt.Body("door", nt.Box((1, 2, 1)), (6, 6, 1), motion=up_and_down)
    return nt.Scene(nt.Space((0, 0, 0), (12, 9, 6)), agent, target, [wall, door])


def roads(sight):
    points = [START, (6, 6, 1.5), (6, 6, 5), GOAL]
    return nt.Graph(points, [(0, 1), (1, 2), (2, 3), (1, 3)], sight=sight)


def all_graphs():
    """The graphs in the order of the columns of the table in docs/guide.md."""
    blocked = np.zeros((12, 7), bool)
    blocked[5, :6] = True
    return (
        nt.Grid(blocked, nodes="corners"),
        nt.CellGrid(scene()),
        nt.Hybrid(scene()),
        nt.Waypoints(scene()),
        roads(near_in_x),
        roads(None),
    )


def ends_and_radius(graph):
    if graph.dimension == 2:
        return ((1, 1), (11, 1)), 0.0
    return (START, GOAL), 0.3 if hasattr(graph, "scene") else 0.0
