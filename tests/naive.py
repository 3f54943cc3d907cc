"""Slow, obvious twins of what the package does fast. They share nothing with it.

Places are in units of cells, as fractions; `blocked` is a bool array; outside, all is blocked.
"""

import heapq
import itertools
import math
from fractions import Fraction

import numpy as np


def is_blocked(blocked, cell):
    inside = all(0 <= i < n for i, n in zip(cell, blocked.shape, strict=True))
    return not inside or bool(blocked[cell])


def cells_near(p, q, reach):
    """All cells whose closed box comes within `reach` of the box around the segment."""
    ranges = []
    for a, b in zip(p, q, strict=True):
        low, high = min(a, b) - reach, max(a, b) + reach
        ranges.append(range(math.floor(low) - 1, math.floor(high) + 2))
    return itertools.product(*ranges)


def clip(p, q, low, high, closed):
    """Whether the segment meets a box, its surface included (closed) or not (open)."""
    t0, t1 = Fraction(0), Fraction(1)
    for a, b, lo, hi in zip(p, q, low, high, strict=True):
        d = b - a
        if d == 0:
            if not (lo <= a <= hi if closed else lo < a < hi):
                return False
            continue
        first, last = sorted(((lo - a) / d, (hi - a) / d))
        t0, t1 = max(t0, first), min(t1, last)
    if closed:
        return t0 <= t1
    return t0 < t1 or (p == q and t0 <= t1)


def squared_distance(p, q, cell):
    """Exact squared distance between a segment and a unit cell."""
    d = [b - a for a, b in zip(p, q, strict=True)]
    times = {Fraction(0), Fraction(1)}
    for a, v, lo in zip(p, d, cell, strict=True):
        if v:
            times |= {t for t in ((lo - a) / v, (lo + 1 - a) / v) if 0 < t < 1}

    def gap(t):
        point = [a + t * v for a, v in zip(p, d, strict=True)]
        return [x - lo if x < lo else max(x - lo - 1, 0) for x, lo in zip(point, cell, strict=True)]

    times = sorted(times)
    for a, b in list(itertools.pairwise(times)):
        outside = gap((a + b) / 2)
        curve = sum(v * v for v, w in zip(d, outside, strict=True) if w)
        if curve:
            slope = sum(v * w for v, w in zip(d, outside, strict=True))
            t = (a + b) / 2 - slope / curve
            if a < t < b:
                times.append(t)
    return min(sum(w * w for w in gap(t)) for t in times)


def line_of_sight(blocked, p, q, radius=Fraction(0), touch=False):
    """DESIGN section 2: the rule for every segment."""
    if radius > 0:
        return not any(
            is_blocked(blocked, cell) and squared_distance(p, q, cell) < radius * radius
            for cell in cells_near(p, q, radius)
        )
    if not touch:
        return not any(
            is_blocked(blocked, cell) and clip(p, q, cell, [i + 1 for i in cell], closed=True)
            for cell in cells_near(p, q, 0)
        )
    # Where the segment runs inside a face (or along an edge), the cells beside it act as one.
    within = [a == b and a == math.floor(a) for a, b in zip(p, q, strict=True)]
    for cell in cells_near(p, q, 0):
        beside = itertools.product(
            *((i - 1, i) if w else (i,) for i, w in zip(cell, within, strict=True))
        )
        low = [i - 1 if w else i for i, w in zip(cell, within, strict=True)]
        high = [i + 1 for i in cell]
        solid = all(is_blocked(blocked, other) for other in beside)
        if solid and clip(p, q, low, high, closed=False):
            return False
    return True


def mean_cost(blocked, cost, p, q):
    """The mean cost along a segment: every closed cell covers a span of it, the cheapest counts.

    Cells that are blocked count only where there is no other.
    """
    spans = []
    for cell in cells_near(p, q, 0):
        if not all(0 <= i < n for i, n in zip(cell, blocked.shape, strict=True)):
            continue
        t0, t1 = Fraction(0), Fraction(1)
        for a, b, low in zip(p, q, cell, strict=True):
            if a == b:
                t1 = t1 if low <= a <= low + 1 else Fraction(-1)
            else:
                first, last = sorted(((low - a) / (b - a), (low + 1 - a) / (b - a)))
                t0, t1 = max(t0, first), min(t1, last)
        if t0 < t1:
            spans.append((t0, t1, bool(blocked[cell]), Fraction(float(cost[cell]))))
    times = sorted({t for span in spans for t in span[:2]})
    total = Fraction(0)
    for a, b in itertools.pairwise(times):
        total += (b - a) * min((solid, c) for t0, t1, solid, c in spans if t0 <= a and b <= t1)[1]
    return total


STEPS = {
    4: 1,
    8: 2,
    6: 1,
    18: 2,
    26: 3,
}


class Graph:
    """The search graph of a grid, from the definition: a step is line of sight to a neighbour."""

    def __init__(self, blocked, neighbours, nodes="centres", radius=0, cost=None):
        self.blocked = np.asarray(blocked)
        self.cost = cost
        self.radius = Fraction(radius).limit_denominator(10**6)
        self.corners = nodes == "corners"
        axes = STEPS[neighbours]
        self.steps = [
            step
            for step in itertools.product((-1, 0, 1), repeat=self.blocked.ndim)
            if 0 < sum(map(abs, step)) <= axes
        ]

    def place(self, node):
        return [Fraction(i) if self.corners else i + Fraction(1, 2) for i in node]

    def sees(self, s, t):
        p, q = self.place(s), self.place(t)
        return line_of_sight(self.blocked, p, q, self.radius, touch=self.corners)

    def step_is_free(self, s, t):
        """Line of sight; between centres, for a thin agent, the same as a free box of cells."""
        if self.corners or self.radius > Fraction(1, 2):
            return self.sees(s, t)
        box = itertools.product(*({a, b} for a, b in zip(s, t, strict=True)))
        return not any(self.blocked[cell] for cell in box)

    def is_node(self, s):
        more = 1 if self.corners else 0
        return all(0 <= i < n + more for i, n in zip(s, self.blocked.shape, strict=True))

    def neighbours(self, s):
        for step in self.steps:
            t = tuple(i + d for i, d in zip(s, step, strict=True))
            if self.is_node(t) and self.step_is_free(s, t):
                yield t, math.dist(s, t) * self.mean_cost(s, t)

    def mean_cost(self, s, t):
        if self.cost is None:
            return 1.0
        return float(mean_cost(self.blocked, self.cost, self.place(s), self.place(t)))

    def distances(self, start):
        """Dijkstra's algorithm: the length of the shortest path to every node that has one."""
        if not self.sees(start, start):
            return {}
        best, queue = {}, [(0.0, start)]
        while queue:
            g, s = heapq.heappop(queue)
            if s in best:
                continue
            best[s] = g
            for t, c in self.neighbours(s):
                if t not in best:
                    heapq.heappush(queue, (g + c, t))
        return best


def bins_met(a, b):
    """Bins of time that the span from `a` to `b` meets; touching does not count."""
    first = math.floor(a + 1e-9)
    return range(max(first, 0), max(math.ceil(b - 1e-9), first + 1))


def ways_of_cells(walls, neighbours):
    """The ways from a cell: where to, how long, and which cells are passed from when to when.

    A step needs all cells in its box all the time: from 0 to 1.
    """
    graph = Graph(walls, neighbours)

    def ways(cell):
        for other, length in graph.neighbours(cell):
            box = itertools.product(*({a, b} for a, b in zip(cell, other, strict=True)))
            yield other, length, [(c, 0.0, 1.0) for c in box]

    return ways


def passed(s, t, radius, cells):
    """Those cells that a ball passes between two centres, and from when to when it is near each."""
    p, q = ([i + Fraction(1, 2) for i in node] for node in (s, t))
    for cell in cells:
        first, last = 0, 1
        for a, b, low in zip(p, q, cell, strict=True):
            near, far = low - radius, low + 1 + radius
            if a == b:
                last = last if near < a < far else -1
            else:
                part = sorted(((near - a) / (b - a), (far - a) / (b - a)))
                first, last = max(first, part[0]), min(last, part[1])
        if first < last and squared_distance(p, q, cell) < radius * radius:
            yield cell, float(first), float(last)


def earliest_arrival(ways, busy, ends, now, pace, margin):
    """Dijkstra's algorithm over nodes and moments: when the goal can be reached, or None.

    `busy[cell]` is the set of bins in which something is in a cell. Whoever is in a cell may leave
    it now, or just so late that some cell on its way is left by something as it comes there, if it
    can stay until then.
    """
    start, goal = ends

    def is_free(cell, a, b):
        return busy.get(cell, set()).isdisjoint(bins_met(a, b))

    def departures(lasts, cells):
        for cell, first, _ in cells:
            yield from (k + 1 + margin - first * lasts for k in busy.get(cell, ()))

    def passages(here, t):
        for other, length, cells in ways(here):
            lasts = pace * length
            for leave in {t, *(d for d in departures(lasts, cells) if d > t)}:
                if leave > t and not is_free(here, t, leave):
                    continue
                if all(
                    is_free(c, leave + a * lasts - margin, leave + b * lasts + margin)
                    for c, a, b in cells
                ):
                    yield other, leave + lasts

    reached, queue = {}, [(now, start)]
    while queue:
        t, cell = heapq.heappop(queue)
        if cell == goal:
            return t
        if any(is_free(cell, before, t) for before in reached.get(cell, ())):
            continue  # it was here before and could have waited
        reached.setdefault(cell, []).append(t)
        for other, end in passages(cell, t):
            heapq.heappush(queue, (end, other))
    return None


def flood(blocked, start):
    """Cells that faces join to `start`."""
    reached, todo = {start}, [start]
    while todo:
        s = todo.pop()
        for axis, d in itertools.product(range(len(s)), (-1, 1)):
            t = (*s[:axis], s[axis] + d, *s[axis + 1 :])
            if t not in reached and not is_blocked(blocked, t):
                reached.add(t)
                todo.append(t)
    return reached


def clearance(blocked, p, q=None):
    """The squared distance of a point or segment from the nearest solid, as a fraction."""
    q = p if q is None else q
    border = min(min(v, n - v) for end in (p, q) for v, n in zip(end, blocked.shape, strict=True))
    cells = map(tuple, np.argwhere(blocked).tolist())
    return min([border**2, *(squared_distance(p, q, cell) for cell in cells)])
