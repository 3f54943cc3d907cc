"""The shortest path in the plane: A* over the corners that see each other.

A shortest path bends only at corners of blocked cells (Lozano-Perez, Wesley 1979), and it is taut.
What a corner sees is found when it is expanded, by scanning rows of cells as in ENLSVG (Oh, Leong,
SoCS 2017) and Anya (Harabor et al., JAIR 2016). Only where a taut path may go is scanned. Ties
between parents do no harm: if the path by one of them can be pulled tighter, none is shortest.

A scan looks into one quadrant, mirrored so that both coordinates grow: `u` runs across the rows
(along x), `w` along them. Its rays form intervals of slopes w / u, which are open: a ray that
touches a corner where it could bend has done its work, because it can go on from that corner.

Floating point is exact enough: seen from a corner, ends of intervals cross lines of the grid at
rationals that are equal or at least one over its width apart, and `TIE` lies between that and the
rounding errors. From a start or goal that is no corner, the path may go through a corner it grazes.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.algorithms import best_first as core
from noctule.algorithms.a_star import AStar
from noctule.algorithms.endpoint import at_node
from noctule.core.jit import kernel
from noctule.core.stats import work_of
from noctule.core.status import EXHAUSTED, FOUND
from noctule.graphs.grid.grid import Grid
from noctule.graphs.grid.lattice import Lattice, coordinates
from noctule.graphs.protocol import distance, edges, estimate, next_edge
from noctule.graphs.sight.point import is_free

TIE = 1e-9  # in cells; what is nearer counts as equal
WIDER = 1e-6  # added to both ends of a cone of slopes: going straight on is part of it
STEEP = 1e30  # stands for an infinite slope, and can be multiplied by zero

START, GOAL = 0, 1  # any two points: they have the numbers of nodes outside the grid
LOW, HIGH = 0, 1


class Sights(NamedTuple):
    """The graph of all corners that see each other, as a search from one start explores it."""

    lattice: Lattice
    ends: np.ndarray  # the places of start and goal
    sees_goal: np.ndarray  # whether the goal is in sight, for each node
    parent: np.ndarray  # of the search tree: which way is straight on
    stats: np.ndarray  # of the search tree
    fan: np.ndarray  # slopes LOW and HIGH of the intervals on this line and on the next
    seen: np.ndarray  # the corners that the last scans found


class Quadrant(NamedTuple):
    """One quadrant as a point v sees it: cell (i, j) spans lines i to i + 1 and j to j + 1."""

    cell: int  # number of cell (0, 0), which holds v
    corner: int  # number of corner (0, 0)
    ju: int  # difference in number of one step along u, and along w
    jw: int
    past_u: float  # how far v lies beyond line 0
    past_w: float


@kernel
def place_of(sights, s):
    """Where node `s` is, in cells."""
    if s <= GOAL:
        return sights.ends[s, 0], sights.ends[s, 1]
    x, y, _ = coordinates(sights.lattice, s)
    return float(x), float(y)


@kernel
def quadrant_of(lattice, x, y, du, dw):
    """The quadrant of a point in direction (du, dw), each 1 or -1."""
    i = math.floor(x) if du > 0 else math.ceil(x) - 1
    j = math.floor(y) if dw > 0 else math.ceil(y) - 1
    past_u, past_w = x - i if du > 0 else i + 1 - x, y - j if dw > 0 else j + 1 - y
    cell = (i + 1) * lattice.sx + (j + 1) * lattice.sy + 1
    corner = cell + (lattice.sx if du < 0 else 0) + (lattice.sy if dw < 0 else 0)
    return Quadrant(cell, corner, du * lattice.sx, dw * lattice.sy, past_u, past_w)


@kernel
def look_around(sights, s):
    """Write to `seen` what `s` sees, from a corner only where a path may go on; return how much."""
    x, y = place_of(sights, s)
    n = 0
    for k in range(4):
        du, dw = 2 * (k & 1) - 1, (k & 2) - 1
        quadrant = quadrant_of(sights.lattice, x, y, du, dw)
        low, high = 0.0, STEEP
        if s > GOAL:
            px, py = place_of(sights, np.int64(sights.parent[s]))
            low, high = taut_slopes(sights.lattice, quadrant, du * (x - px), dw * (y - py))
        n = look(sights, quadrant, low, high, n)
    return n


@kernel
def taut_slopes(lattice, quadrant, u, w):
    """The slopes at which a taut path goes on that came along (u, w): straight or round a solid."""
    if u < 0 or w < 0:
        return STEEP, 0.0  # none
    slope = min(w / u, STEEP) if u > 0 else STEEP
    low = slope if is_free(lattice.free3, quadrant.cell - quadrant.jw) else 0.0
    return low, slope if is_free(lattice.free3, quadrant.cell - quadrant.ju) else STEEP


@kernel
def look(sights, quadrant, low, high, n):
    """Find the corners in one quadrant at slopes from `low` to `high`, both included."""
    cell, corner, ju, jw, past_u, past_w = quadrant
    if low <= WIDER and past_w == 0:
        n = walk(sights, cell, corner, ju, jw, n)
    if high >= 1 / WIDER and past_u == 0:
        n = walk(sights, cell, corner, jw, ju, n)
    if low >= high or not is_free(sights.lattice.free3, cell):
        return n
    fan = sights.fan
    fan[0, 0, LOW], fan[0, 0, HIGH] = low - WIDER, high + WIDER
    i, size = 0, 1
    while size > 0:  # until all rays have ended
        before, size = size, 0
        for k in range(before):
            n, size = project(sights, quadrant, i, fan[i & 1, k, LOW], fan[i & 1, k, HIGH], n, size)
        i += 1
    return n


@kernel
def walk(sights, cell, corner, along, across, n):
    """Find the first corner on a line between cells; it is free while either cell beside it is."""
    free3 = sights.lattice.free3
    above, below = is_free(free3, cell), is_free(free3, cell - across)
    while above or below:
        cell += along
        corner += along
        was_above, above = above, is_free(free3, cell)
        was_below, below = below, is_free(free3, cell - across)
        if (above or below) and (above != was_above or below != was_below):
            sights.seen[n] = corner
            return n + 1
    return n


@kernel
def project(sights, quadrant, i, low, high, n, size):
    """Follow the rays of one interval through the free cells of row `i`."""
    free3, fan = sights.lattice.free3, sights.fan
    row, jw, past_w = quadrant.cell + i * quadrant.ju, quadrant.jw, quadrant.past_w
    near, far = max(i - quadrant.past_u, 0.0), i + 1 - quadrant.past_u
    bottom, top, highest = past_w + low * near, past_w + high * near, past_w + high * far
    j = math.floor(bottom + TIE)
    while True:
        first = j
        while j < highest - TIE and is_free(free3, row + j * jw):
            j += 1
        if j > first:  # rays rise: solids below cut them where the row begins, above where it ends
            cut = j < highest - TIE
            new_low = low if first <= bottom + TIE else (first - past_w) / near
            lowest, end = past_w + new_low * far, float(j) if cut else highest
            if lowest < end - TIE:
                fan[(i + 1) & 1, size, LOW] = new_low
                fan[(i + 1) & 1, size, HIGH] = (j - past_w) / far if cut else high
                size += 1
                last = j if cut else math.ceil(highest - TIE) - 1
                n = collect(sights, quadrant, i + 1, math.floor(lowest + TIE) + 1, last, n)
        while j < top - TIE and not is_free(free3, row + j * jw):
            j += 1
        if j >= top - TIE:
            return n, size


@kernel
def collect(sights, quadrant, i, first, last, n):
    """Add to `seen` the corners `first` to `last` of line `i` round which a ray can turn."""
    free3, ju, jw = sights.lattice.free3, quadrant.ju, quadrant.jw
    for j in range(max(first, 1), last + 1):
        ahead = quadrant.cell + i * ju + j * jw
        turns = not (is_free(free3, ahead - ju) and is_free(free3, ahead - jw))
        if not is_free(free3, ahead):  # only a ray that hardly leaves a line can go on, along it
            turns = min(i - quadrant.past_u, j - quadrant.past_w) <= WIDER
        if turns:
            sights.seen[n] = quadrant.corner + i * ju + j * jw
            n += 1
    return n


@kernel
def mark_what_sees_goal(sights):
    """Scan around the goal once, so that no expansion has to."""
    for k in range(look_around(sights, GOAL)):
        sights.sees_goal[sights.seen[k]] = True


@edges.register
def _(graph: Sights, s):
    n = look_around(graph, s)
    graph.stats[0].sight_checks += n
    if graph.sees_goal[s]:
        graph.seen[n] = GOAL
        n += 1
    return n


@next_edge.register
def _(graph: Sights, s, edges):
    t = np.int64(graph.seen[edges - 1])
    return t, distance(graph, s, t), edges - 1


@distance.register
def _(graph: Sights, s, t):
    x0, y0 = place_of(graph, s)
    x1, y1 = place_of(graph, t)
    return math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)


@estimate.register
def _(graph: Sights, heuristic, s, t):
    return distance(graph, s, t)


class Shortest(NamedTuple):
    """A shortest path, or the beginning of one."""

    corners: NDArray[np.float64]  # where it bends, start and goal included, in cells
    expanded: int
    sight_checks: int  # how many lines of sight the scans found
    complete: bool  # False: stopped at the limit, at the expanded corner nearest to the goal


def shortest_in_plane(
    grid: Grid, start: tuple[float, ...], goal: tuple[float, ...], limit: int | None = None
) -> Shortest | None:
    """Return the shortest path of a point agent that may touch solids; None if there is no path.

    Start and goal are free points in cells. The search stops after `limit` expansions.

    >>> import noctule as nt
    >>> grid = nt.Grid([[False, False], [True, False]], nodes="corners")
    >>> path = shortest_in_plane(grid, (0.5, 0.25), (2.0, 1.5))
    >>> path.corners.tolist(), path.expanded
    ([[0.5, 0.25], [1.0, 1.0], [2.0, 1.5]], 2)
    """
    given = np.array([start, goal], np.float64)
    ends = np.where(np.abs(given - np.round(given)) <= TIE, np.round(given), given)
    graph = grid.kernel_graph(0.0)
    if grid.segment_is_free(graph, tuple(ends[0]), tuple(ends[1])):
        return Shortest(_bends(_straight(grid, *given)), 0, 1, True)
    tree = core.new_tree(n := grid.node_count)
    # Each gap between the intervals on a line is the shadow of blocked cells, at least a cell wide.
    fan = np.empty((2, grid.shape[1] + 4, 2))
    sees_goal, seen = np.zeros(n, np.bool_), np.empty(n, np.int32)
    sights = Sights(graph.lattice, ends, sees_goal, tree.parent, tree.stats, fan, seen)
    mark_what_sees_goal(sights)
    search = core.BestFirst(sights, AStar(1.0, 0))
    limits = 2**62 if limit is None else limit, limit is not None
    status, nodes = search.search(tree, at_node(START), at_node(GOAL), *limits)
    if status == EXHAUSTED:
        return None
    complete = status == FOUND
    nodes = nodes if complete else search.partial_path(tree)
    corners = grid.indices(nodes).astype(np.float64)
    corners[nodes == START], corners[nodes == GOAL] = given
    return Shortest(_bends(corners), *work_of(tree.stats)[:2], complete)


def _straight(grid: Grid, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The straight line, through the corners that it would touch if nothing were rounded."""
    if (a == b).any():
        return np.array([a] if (a == b).all() else [a, b])
    x = np.arange(math.floor(min(a[0], b[0])) + 1, math.ceil(max(a[0], b[0])))
    x = x if a[0] < b[0] else x[::-1]
    y = a[1] + (x - a[0]) * (b[1] - a[1]) / (b[0] - a[0])
    touched = np.stack([x, np.round(y).astype(np.int64)], axis=1)[np.abs(y - np.round(y)) <= TIE]
    around = [grid.number(touched - (i, j)) for i in (0, 1) for j in (0, 1)]
    free = grid.kernel_graph(0.0).lattice.free3[np.stack(around)] & 2 != 0
    can_bend = (free[0] & free[3]) != (free[1] & free[2])
    return np.concatenate([[a], touched[can_bend], [b]])


def _bends(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The path without points that lie on the line between their neighbours, exactly."""
    kept: list[list[float]] = []
    for point in points.tolist():
        while len(kept) >= 2 and _in_line(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return np.array(kept)


def _in_line(a: list[float], b: list[float], c: list[float]) -> bool:
    if abs((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])) > TIE:
        return False  # fractions take long
    (ax, ay), (bx, by), (cx, cy) = (map(Fraction, point) for point in (a, b, c))
    return (bx - ax) * (cy - by) == (by - ay) * (cx - bx)
