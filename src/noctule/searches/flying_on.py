"""The last path once more: for a plan whose search takes longer than a plan may.

An agent that plans in every frame has flown on by a little, and its goal has moved by a little.
What is left of its path is nearly as short as a new one, if it is still free: each segment is
looked at.
"""

import numpy as np

from noctule.gate import Point
from noctule.kernels import INF
from noctule.path import Path
from noctule.searches.answers import Answers, Place, Query
from noctule.searches.engines import Counts


def fly_on(answers: Answers, last: Path, query: Query, counts: Counts) -> Path | None:
    """The rest of a path, from a start on it to a goal near its end; None unless it is free now.

    Corners are left out that the start has passed, or sees past, and so are those by which the
    goal came: the places where it was before.
    """
    grid, graph = answers.grid, answers.graph
    way: list[tuple[Place, Point]] = [(query.ends[0], query.points[0])]
    way += [(grid.in_cells("corner", corner), corner) for corner in last.points[1:]]
    way.append((query.ends[1], query.points[1]))

    def is_free(i: int, j: int) -> bool:
        return grid.segment_is_free(graph, way[i][0], way[j][0])

    while len(way) > 2 and is_free(0, 2):
        del way[1]
    while len(way) > 2 and is_free(-3, -1):
        del way[-2]
    looks = len(last.points) + 1
    if not all(is_free(i, i + 1) for i in range(len(way) - 1)):
        return None
    numbers = [s for place, _ in way if (s := grid.node_at(place)) is not None]
    nodes = grid.indices(np.array(numbers, np.int64))
    corners = np.array([point for _, point in way], np.float64)
    expanded, checks, walks = counts
    counts = expanded, checks + looks, walks + looks
    return answers.path(query.began, corners, nodes, counts, True, INF, restarted=True)
