"""Pull a path taut: bends leave the nodes and go where a string around the solids would lie.

Where cells have costs, shorter means cheaper throughout: bends also move away from cells that cost.

Neither the search nor a table of nodes is needed, only `segment_is_free` of the graph. Four kinds
of steps, each of which makes the path shorter and needs free lines of sight:

* skip: from the goal on, go on from the earliest corner that is seen;
* drop a corner whose neighbours see each other;
* cut a bend off: replace it by the ends of the longest free chord between its two legs;
* slide a bend along an axis to where the sum of its two legs is least: along an edge of a solid.

A bend is tried again only after one of its neighbours has changed. The path is done when no corner
can be dropped and no other step saves more than a share of the tolerance: then no chord at all,
also between those that are tried, saves more than the tolerance. That each step saves so much
bounds the work.
"""

import math
from typing import NamedTuple

from noctule.core.intrinsics import at
from noctule.core.jit import kernel
from noctule.graphs.polyline import (
    copy,
    join,
    length,
    place_at,
    place_between,
    place_of,
    price,
    sees,
    skip_corners,
    skip_dear_corners,
)
from noctule.graphs.protocol import has_costs

HALVINGS = 5  # of a chord, to find the longest free one
SLIDES = 3  # tries to slide along an axis, each half as far as the one before
MOVES = 4  # the same to either side, where cells have costs
SHARE = 0.25  # of the tolerance; chords between those that are tried may save a little more


class Chords(NamedTuple):
    """Chords of one kind between the legs of a bend v, of sizes from 0 to 1.

    One of size t leads from the part start_a + t slope_a of the leg to a to that of the leg to b.
    """

    first: float  # the first size to try
    start_a: float
    slope_a: float
    start_b: float
    slope_b: float


@kernel
def shorten(graph, frame, line, least, most):
    """Shorten the path until no step can, or `most` lines of sight were asked for in all.

    Return whether there was room enough. If not, go on in a larger line.
    """
    last = line.stats[0].last
    while True:
        v = line.stats[0].here
        if v == 0:
            line.stats[0].shortened, v = 0, line.after[0]
        while v != last:
            following = line.after[at(v)]
            if line.is_due[at(v)]:
                line.stats[0].here = v
                if line.stats[0].sight_checks >= most:
                    return True
                if line.stats[0].used + 3 > len(line.at):
                    return False
                line.is_due[at(v)] = 0
                if shorten_at(graph, frame, line, v, least):
                    line.stats[0].shortened = 1
            v = following
        line.stats[0].here = 0
        if line.stats[0].shortened == 0:
            return True


@kernel
def shorten_at(graph, frame, line, v, least):
    """Drop, cut off or slide the bend `v`; return whether any of this was possible."""
    a, b = line.before[at(v)], line.after[at(v)]
    dear = has_costs(graph) and price(graph, line, a, b) > cost_over(graph, line, a, v, b)
    if not dear and sees(graph, line, a, b):
        join(line, a, b)
        return True
    to_a, to_b = length(line, v, a), length(line, v, b)
    short = min(to_a, to_b)
    if short == 0.0:
        return False
    for kind in range(4):
        if kind == 0:  # equal parts of both legs
            chords = Chords(0.5, 0.0, 1.0, 0.0, 1.0)
        elif kind == 1:  # equal lengths of both legs
            chords = Chords(1.0, 0.0, short / to_a, 0.0, short / to_b)
        elif kind == 2:  # all of one leg
            chords = Chords(0.5, 1.0, 0.0, 0.0, 1.0)
        else:
            chords = Chords(0.5, 0.0, 1.0, 1.0, 0.0)
        if cut_off(graph, frame, line, v, chords, least):
            return True
    if has_costs(graph):
        return move(graph, frame, line, v, least)
    return slide(graph, frame, line, v, least)


@kernel
def cost_over(graph, line, a, v, b):
    """Return what the path from one corner to another over a third one costs."""
    return price(graph, line, a, v) + price(graph, line, v, b)


@kernel
def cut_off(graph, frame, line, v, chords, least):
    """Replace `v` by the ends of a free chord, if one saves more than `least`.

    The longest is searched among those of the first size, half of it, a quarter .. and then above.
    """
    a, b = line.before[at(v)], line.after[at(v)]
    p, q = len(line.at) - 2, len(line.at) - 1
    to_a, to_b = length(line, v, a), length(line, v, b)
    free, blocked, size, tries = 0.0, 1.0, chords.first, 0
    while free < 1.0 and tries < HALVINGS:
        part_a, part_b = place_chord(frame, line, v, a, b, chords, size)
        around = part_a * to_a + part_b * to_b
        if has_costs(graph):
            around = cost_over(graph, line, p, v, q)
        if around - length(line, p, q) <= least:
            return False
        dear = has_costs(graph) and around - price(graph, line, p, q) <= least
        if not dear and sees(graph, line, p, q):
            free = size
        else:
            blocked = size
        tries = tries + 1 if free > 0.0 or has_costs(graph) else 0
        size = 0.5 * (free + blocked)
    if free == 0.0:
        return False
    part_a, part_b = place_chord(frame, line, v, a, b, chords, free)
    if not (sees(graph, line, a, p) and sees(graph, line, q, b)):  # parts of free legs, rounded
        return False
    insert(line, v, a, b, part_a == 1.0, part_b == 1.0)
    return True


@kernel
def place_chord(frame, line, v, a, b, chords, size):
    """Place the chord of a size; return the parts of the legs from `v` at which it ends."""
    part_a = chords.start_a + chords.slope_a * size
    part_b = chords.start_b + chords.slope_b * size
    place_between(frame, line, v, a, part_a, len(line.at) - 2)
    place_between(frame, line, v, b, part_b, len(line.at) - 1)
    return part_a, part_b


@kernel
def insert(line, v, a, b, from_a, to_b):
    """Let the chord replace `v` between `a` and `b`, at which it may begin and end."""
    first = second = v
    if from_a:
        first = a
    else:
        copy(line, len(line.at) - 2, first)
        join(line, a, first)
    if to_b:
        second = b
    else:
        if not from_a:
            second = line.stats[0].used
            line.stats[0].used += 1
        copy(line, len(line.at) - 1, second)
        join(line, second, b)
    join(line, first, second)


@kernel
def slide(graph, frame, line, v, least):
    """Move `v` along an axis if that saves more than `least`."""
    a, b, p = line.before[at(v)], line.after[at(v)], len(line.at) - 2
    here = length(line, v, a) + length(line, v, b)
    for axis in range(frame.dimension):
        ahead_a, ahead_b = line.at[a, axis] - line.at[v, axis], line.at[b, axis] - line.at[v, axis]
        off_a = math.sqrt(max(length(line, v, a) ** 2 - ahead_a * ahead_a, 0.0))
        off_b = math.sqrt(max(length(line, v, b) ** 2 - ahead_b * ahead_b, 0.0))
        if off_a + off_b == 0.0:
            continue  # the legs run along the axis
        step = (ahead_a * off_b + ahead_b * off_a) / (off_a + off_b)
        for _ in range(SLIDES):
            copy(line, v, p)
            place_at(frame, line, p, axis, line.at[v, axis] + step)
            if length(line, p, a) + length(line, p, b) >= here - least:
                break
            if sees(graph, line, a, p) and sees(graph, line, p, b):
                copy(line, p, v)
                join(line, a, v)
                join(line, v, b)
                return True
            step *= 0.5
    return False


@kernel
def move(graph, frame, line, v, least):
    """Move `v` along an axis, to either side, if that saves more than `least`."""
    a, b, p = line.before[at(v)], line.after[at(v)], len(line.at) - 2
    here = cost_over(graph, line, a, v, b)
    for axis in range(frame.dimension):
        step = 1.0
        for _ in range(2 * MOVES):
            copy(line, v, p)
            there = min(max(line.at[v, axis] + step, 0.0), frame.high[axis])
            place_at(frame, line, p, axis, there)
            if (
                length(line, p, a) + length(line, p, b) < here - least
                and cost_over(graph, line, a, p, b) < here - least
                and sees(graph, line, a, p)
                and sees(graph, line, p, b)
            ):
                copy(line, p, v)
                join(line, a, v)
                join(line, v, b)
                return True
            step = -step if step > 0.0 else -0.5 * step
    return False


@kernel
def begin(graph, frame, line, points, plane_z):
    """Put the corners of a path into the line, and leave out those that can be skipped."""
    for v in range(len(points)):
        for axis in range(3):
            line.at[v, axis], line.points[v, axis] = plane_z, 0.0
        for axis in range(frame.dimension):
            line.points[v, axis] = points[v, axis]
            line.at[v, axis] = place_of(frame, axis, points[v, axis])
    line.stats[0].used, line.stats[0].last = len(points), len(points) - 1
    if has_costs(graph):
        skip_dear_corners(graph, line)
    else:
        skip_corners(graph, line)


@kernel
def tighten(graph, frame, line, points, plane_z, least, most, corners):
    """Pull a path taut; return how many corners were written to `corners`.

    After `most` lines of sight it is free and shorter, but not taut yet: go on without points. -1
    if the line has not room enough: then go on, without points, in a larger one.
    """
    if len(points) > 0:
        begin(graph, frame, line, points, plane_z)
    if not shorten(graph, frame, line, least, most):
        return -1
    v, n = 0, 0
    while True:
        for axis in range(frame.dimension):
            corners[n, axis] = line.points[at(v), axis]
        n += 1
        if v == line.stats[0].last:
            return n
        v = line.after[at(v)]
