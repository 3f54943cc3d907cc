"""The shortest path in the plane: A* over the corners that see each other.

A shortest path among blocked cells bends only at their corners (Lozano-Perez, Wesley, "An
algorithm for planning collision-free paths among polyhedral obstacles", 1979). It is taut: a bend
goes round a solid like a tight string. The graph of corners is not stored; what a corner sees is
found when it is expanded, by scanning the rows of cells ahead as in Oh, Leong, "Edge N-Level
Sparse Visibility Graphs" (SoCS 2017), and Harabor et al., "Optimal Any-Angle Pathfinding in
Practice" (JAIR 2016).

A scan looks into one quadrant, mirrored to be the one where both coordinates grow; `u` runs across
rows (along x), `w` along them. Its rays form intervals of slopes w / u. Where a ray touches a
corner on which it could bend, the scan ends, because it can go on from there: so intervals are
open, and no case arises in which three points in line decide by rounding. Ends of intervals are
rationals with denominators below the width of the grid, so in cells two different ones are further
apart than 1e-6 while floating point errs by less than 1e-10; a start or goal that is no corner may
come nearer to such a tie than `TIE`, and then the path goes through the corner it would graze.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.cells import Lattice, coordinates
from noctule.graphs.grid import Grid
from noctule.graphs.protocol import distance, estimate, neighbours
from noctule.graphs.sight import is_free
from noctule.kernels import kernel
from noctule.searches import best_first as core
from noctule.searches.a_star import AStar

TIE = 1e-9  # in cells; what is nearer counts as equal
WIDER = 1e-6  # added to both ends of a cone of slopes: going straight on is part of it
STEEP = 1e30  # stands for an infinite slope, and can be multiplied by zero

# Start and goal are any points: they have the numbers of two nodes outside the grid.
START, GOAL = 0, 1
LOW, HIGH = 0, 1


class Sights(NamedTuple):
    """The graph of all corners that see each other, as a search from one start explores it."""

    lattice: Lattice
    ends: np.ndarray  # the places of start and goal
    sees_goal: np.ndarray  # whether the goal is in sight, for each node
    parent: np.ndarray  # of the search tree: which way is straight on
    count: np.ndarray  # of the search tree
    fan: np.ndarray  # slopes LOW and HIGH of the intervals on this line and on the next
    seen: np.ndarray  # the corners that the last scans found


class Quadrant(NamedTuple):
    """One quadrant as a point v sees it: cell (i, j) spans lines i to i + 1 and j to j + 1."""

    cell: int  # number of cell (0, 0), which holds v
    corner: int  # number of corner (0, 0)
    ju: int  # difference in number of one step along u
    jw: int  # the same along w
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
    i, past_u = cell_ahead(x, du)
    j, past_w = cell_ahead(y, dw)
    cell = (i + 1) * lattice.sx + (j + 1) * lattice.sy + 1
    corner = cell + (lattice.sx if du < 0 else 0) + (lattice.sy if dw < 0 else 0)
    return Quadrant(cell, corner, du * lattice.sx, dw * lattice.sy, past_u, past_w)


@kernel
def cell_ahead(v, d):
    """The cell that a ray from `v` in direction `d` runs in first, and how far in `v` lies."""
    if d > 0:
        i = int(math.floor(v))
        return i, v - i
    i = int(math.ceil(v)) - 1
    return i, i + 1 - v


@kernel
def look_around(sights, s):
    """Find the corners that are seen from any point, in all directions; return how many."""
    x, y = place_of(sights, s)
    n = 0
    for k in range(4):
        quadrant = quadrant_of(sights.lattice, x, y, 2 * (k & 1) - 1, (k & 2) - 1)
        n = look(sights, quadrant, 0.0, STEEP, n)
    return n


@kernel
def look_ahead(sights, s):
    """Find the corners that a taut path through corner `s` may go to next; return how many.

    It may go straight on, or turn round a blocked cell beside it until it runs along its side.
    """
    x, y = place_of(sights, s)
    px, py = place_of(sights, np.int64(sights.parent[s]))
    dx, dy = x - px, y - py
    du, dw = 1 if dx > 0 else -1, 1 if dy > 0 else -1
    slope = min(abs(dy) / max(abs(dx), 1 / STEEP), STEEP)

    free3 = sights.lattice.free3
    quadrant = quadrant_of(sights.lattice, x, y, du, dw)
    if dy == 0 and is_free(free3, quadrant.cell - quadrant.ju):  # the solid is on the other side
        quadrant = quadrant_of(sights.lattice, x, y, du, -dw)
    if dx == 0 and is_free(free3, quadrant.cell - quadrant.jw):
        quadrant = quadrant_of(sights.lattice, x, y, -du, dw)
    low = slope if is_free(free3, quadrant.cell - quadrant.jw) else 0.0
    high = slope if is_free(free3, quadrant.cell - quadrant.ju) else STEEP
    return look(sights, quadrant, low, high, 0)


@kernel
def look(sights, quadrant, low, high, n):
    """Find the corners that are seen at slopes from `low` to `high`, both included.

    They are written to `seen` from position `n` on; return where they end.
    """
    cell, corner, ju, jw, past_u, past_w = quadrant
    if low <= WIDER and past_w == 0:
        n = walk(sights, cell, corner, ju, jw, n)
    if high >= 1 / WIDER and past_u == 0:
        n = walk(sights, cell, corner, jw, ju, n)
    if is_free(sights.lattice.free3, cell):
        n = scan(sights, quadrant, low - WIDER, high + WIDER, n)
    return n


@kernel
def walk(sights, cell, corner, along, across, n):
    """Find the first corner to turn round on a line between cells; `look` for one direction.

    The line is free while either of the two cells beside it is.
    """
    free3 = sights.lattice.free3
    while True:
        above, below = is_free(free3, cell), is_free(free3, cell - across)
        if not above and not below:
            return n
        cell += along
        corner += along
        if (not above and is_free(free3, cell)) or (not below and is_free(free3, cell - across)):
            sights.seen[n] = corner
            return n + 1


@kernel
def scan(sights, quadrant, low, high, n):
    """Project an interval of slopes from row to row until all its rays have ended."""
    fan = sights.fan
    fan[0, 0, LOW], fan[0, 0, HIGH] = low, high
    i, size = 0, 1
    while size > 0:
        size, before = 0, size
        for k in range(before):
            n, size = project(sights, quadrant, i, fan[i & 1, k, LOW], fan[i & 1, k, HIGH], n, size)
        i += 1
    return n


@kernel
def project(sights, quadrant, i, low, high, n, size):
    """Follow the rays of one interval through row `i`; they pass where cells in it are free.

    An obstacle cuts the low end of an interval where the row begins and the high end where it
    ends, because slopes are not negative.
    """
    free3, fan = sights.lattice.free3, sights.fan
    row, jw, past_w = quadrant.cell + i * quadrant.ju, quadrant.jw, quadrant.past_w
    near, far = max(i - quadrant.past_u, 0.0), i + 1 - quadrant.past_u
    bottom, top, highest = past_w + low * near, past_w + high * near, past_w + high * far
    j = int(math.floor(bottom + TIE))
    while True:
        first = j
        while j < highest - TIE and is_free(free3, row + j * jw):
            j += 1
        if j > first:
            cut = j < highest - TIE
            new_low = low if first <= bottom + TIE else (first - past_w) / near
            lowest, end = past_w + new_low * far, float(j) if cut else highest
            if lowest < end - TIE:
                fan[(i + 1) & 1, size, LOW] = new_low
                fan[(i + 1) & 1, size, HIGH] = (j - past_w) / far if cut else high
                size += 1
                last = j if cut else int(math.ceil(highest - TIE)) - 1
                n = collect(sights, quadrant, i + 1, int(math.floor(lowest + TIE)) + 1, last, n)
        while j < top - TIE and not is_free(free3, row + j * jw):
            j += 1
        if j >= top - TIE:
            return n, size


@kernel
def collect(sights, quadrant, i, first, last, n):
    """Note the corners of line `i`, from `first` to `last`, round which a ray can turn.

    Such a corner has a blocked cell on one side or on both, and none straight ahead.
    """
    free3, ju, jw = sights.lattice.free3, quadrant.ju, quadrant.jw
    for j in range(max(first, 1), last + 1):
        ahead = quadrant.cell + i * ju + j * jw
        if is_free(free3, ahead) and not (
            is_free(free3, ahead - ju) and is_free(free3, ahead - jw)
        ):
            sights.seen[n] = quadrant.corner + i * ju + j * jw
            n += 1
    return n


@kernel
def mark_what_sees_goal(sights):
    """Look around from the goal, once, so that no expansion has to look for it."""
    for k in range(look_around(sights, GOAL)):
        sights.sees_goal[sights.seen[k]] = True


@neighbours.register
def _(graph: Sights, s):
    n = look_around(graph, s) if s == START else look_ahead(graph, s)
    graph.count[core.SIGHT_CHECKS] += n
    for k in range(n):
        t = np.int64(graph.seen[k])
        yield t, distance(graph, s, t)
    if graph.sees_goal[s]:
        yield GOAL, distance(graph, s, GOAL)


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
    grid: Grid,
    start: tuple[float, float],
    goal: tuple[float, float],
    limit: int | None = None,
) -> Shortest | None:
    """The shortest path of a point agent that may touch solids; None if there is no path.

    Parameters
    ----------
    grid : Grid
        A world in the plane with nodes at corners.
    start, goal : tuple of float
        Free points, in cells from the low corner of the grid.
    limit : int, optional
        Stop after so many expansions.

    Examples
    --------
    >>> import noctule as nt
    >>> grid = nt.Grid([[False, False], [True, False]], nodes="corners")
    >>> path = shortest_in_plane(grid, (0.5, 0.25), (2.0, 1.5))
    >>> path.corners.tolist(), path.expanded
    ([[0.5, 0.25], [1.0, 1.0], [2.0, 1.5]], 2)
    """
    ends = np.array([start, goal], np.float64)
    ends = np.where(np.abs(ends - np.round(ends)) <= TIE, np.round(ends), ends)
    graph = grid.graph(0.0)
    if grid.segment_is_free(graph, tuple(ends[0]), tuple(ends[1])):
        return Shortest(_bends(_line(*ends), start, goal), 0, 1, True)

    tree = core.new_tree(grid.node_count)
    sights = Sights(
        graph.lattice,
        ends,
        np.zeros(grid.node_count, np.bool_),
        tree.parent,
        tree.count,
        # Each gap between intervals on a line holds a blocked cell's shadow, at least a cell wide.
        np.empty((2, grid.shape[1] + 4, 2)),
        np.empty(grid.node_count, np.int32),
    )
    mark_what_sees_goal(sights)
    search = core.BestFirst(sights, AStar(1.0, 0))
    search.begin(tree, START, GOAL)
    most = 2**62 if limit is None else limit
    status = search.run(tree, GOAL, most, partial=limit is not None)
    if status == core.EXHAUSTED:
        return None
    complete = status == core.FOUND
    trail = search.trail(tree, GOAL if complete else int(tree.count[core.NEAREST]))
    corners = grid.indices(trail).astype(np.float64)
    for end in START, GOAL:
        corners[trail == end] = ends[end]
    expanded, sight_checks = (int(tree.count[k]) for k in (core.EXPANDED, core.SIGHT_CHECKS))
    return Shortest(
        _bends(corners, start, goal if complete else None), expanded, sight_checks, complete
    )


def _line(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The straight line through all corners that it touches, if only by a rounding error."""
    if (a == b).any():
        return np.array([a, b])
    x = np.arange(math.floor(min(a[0], b[0])) + 1, math.ceil(max(a[0], b[0])), dtype=np.float64)
    x = x if a[0] < b[0] else x[::-1]
    y = a[1] + (x - a[0]) * (b[1] - a[1]) / (b[0] - a[0])
    touched = np.abs(y - np.round(y)) <= TIE
    return np.concatenate([[a], np.stack([x, np.round(y)], axis=1)[touched], [b]])


def _bends(
    corners: NDArray[np.float64], start: tuple[float, float], goal: tuple[float, float] | None
) -> NDArray[np.float64]:
    """The path without corners that lie exactly on the line between their neighbours."""
    kept: list[NDArray[np.float64]] = []
    for c in corners:
        while len(kept) >= 2 and _in_line(kept[-2], kept[-1], c):
            kept.pop()
        kept.append(c)
    kept[0] = np.array(start, np.float64)
    if goal is not None:
        kept[-1] = np.array(goal, np.float64)
    return np.array(kept[:1] if start == goal else kept)


def _in_line(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> bool:
    (ax, ay), (bx, by), (cx, cy) = (map(Fraction, p.tolist()) for p in (a, b, c))
    return (bx - ax) * (cy - by) == (by - ay) * (cx - bx)
