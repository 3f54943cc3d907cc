"""Ratios where cells have costs: weighted A* against dijkstra3d, and paths at any angle against A*.

    pip install dijkstra3d
    python benchmarks/costs.py [peers] [angles] [field]

Times are CPU times, taken alternately. dijkstra3d cuts corners and charges the entered cell, so
times compare and costs do not.
"""

import sys
import time

import numpy as np

import noctule as nt


def zones(shape, count, costs, size, seed):
    """Return an array of ones with boxes that cost more."""
    rng = np.random.default_rng(seed)
    cost = np.ones(shape)
    for _ in range(count):
        low = rng.integers(0, np.array(shape) - size[0])
        high = low + rng.integers(size[0], size[1] + 1, len(shape))
        box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
        cost[box] = np.maximum(cost[box], rng.uniform(*costs))
    return cost


def mines(shape, count, cost, radius, seed):
    """Return an array of ones with balls that cost more."""
    rng = np.random.default_rng(seed)
    array = np.ones(shape)
    places = np.indices(shape)
    for centre in rng.integers(0, shape, (count, len(shape))):
        apart = sum((p - c) ** 2 for p, c in zip(places, centre, strict=True))
        array[apart <= rng.integers(*radius) ** 2] = cost
    return array


def boxes(shape, count, size, seed):
    """Return blocked boxes."""
    rng = np.random.default_rng(seed)
    blocked = np.zeros(shape, bool)
    for _ in range(count):
        low = rng.integers(0, shape)
        high = low + rng.integers(size[0], size[1] + 1, len(shape))
        blocked[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = True
    return blocked


def corner_queries(grid, count, seed):
    """Return pairs of free cells in opposite corners."""
    rng = np.random.default_rng(seed)
    free = np.argwhere(~grid.blocked)
    low = free[(free < np.array(grid.shape) // 8).all(axis=1)]
    high = free[(free >= np.array(grid.shape) - np.array(grid.shape) // 8).all(axis=1)]
    pairs = zip(rng.integers(0, len(low), count), rng.integers(0, len(high), count), strict=True)
    return [(tuple(low[i].tolist()), tuple(high[j].tolist())) for i, j in pairs]


def queries(grid, count, seed):
    """Return pairs of free cells that lie far apart."""
    rng = np.random.default_rng(seed)
    free = np.argwhere(~grid.blocked)
    found = []
    while len(found) < count:
        s, t = free[rng.integers(0, len(free), 2)]
        if np.abs(s - t).max() > 0.6 * max(grid.shape):
            found.append((tuple(s.tolist()), tuple(t.tolist())))
    return found


def cpu(call, *arguments, **options):
    """Return the seconds that a call takes, and what it returns."""
    began = time.process_time()
    result = call(*arguments, **options)
    return time.process_time() - began, result


def against_dijkstra3d():
    """Weighted A* with 26 neighbours, in one thread each."""
    import dijkstra3d

    noise = np.random.default_rng(0).random
    worlds = {
        "100^3, 10 % noise": noise((100,) * 3) < 0.1,
        "100^3, 20 % noise": noise((100,) * 3) < 0.2,
        "128^3, boxes": boxes((128,) * 3, 60, (10, 30), 1),
    }
    for name, blocked in worlds.items():
        kinds = {
            "zones": zones(blocked.shape, 40, (2, 16), (8, 20), 2),
            "every cell": np.random.default_rng(3).uniform(1, 16, blocked.shape),
        }
        for kind, cost in kinds.items():
            grid = nt.Grid(blocked, cost=cost)
            planner = nt.Planner(grid, "a*")
            field = np.asfortranarray(np.where(blocked, np.inf, cost), np.float32)
            for which, chosen in (("corners", corner_queries), ("random", queries)):
                pairs = chosen(grid, 6, 4)
                planner.plan(grid.centre(pairs[0][0]), grid.centre(pairs[0][1]))
                ours = theirs = nodes = 0.0
                for s, t in pairs:
                    best = [np.inf, np.inf]
                    for compass in (False, True):
                        seconds, path = cpu(planner.plan, grid.centre(s), grid.centre(t))
                        best[0] = min(best[0], seconds)
                        options = {"connectivity": 26, "compass": compass}
                        seconds, _ = cpu(dijkstra3d.dijkstra, field, s, t, **options)
                        best[1] = min(best[1], seconds)
                    ours, theirs, nodes = ours + best[0], theirs + best[1], nodes + path.expanded
                each = 1e3 / len(pairs)
                print(
                    f"{name}, {kind}, {which}: {ours * each:.1f} ms, dijkstra3d "
                    f"{theirs * each:.1f} ms: {theirs / ours:.1f} x; "
                    f"{ours / nodes * 1e6:.2f} us an expansion, "
                    f"{nodes / len(pairs) / (~blocked).sum():.0%} of the cells"
                )


def at_any_angle():
    """Costs of paths at any angle, as ratios to those of A* along edges."""
    shape = (48, 48, 48)
    worlds = {
        "zones": (boxes(shape, 15, (4, 14), 1), zones(shape, 25, (2, 16), (6, 16), 2)),
        "mines": (np.zeros(shape, bool), mines(shape, 25, 50.0, (3, 8), 3)),
        "noise": (np.zeros(shape, bool), np.random.default_rng(4).uniform(1, 5, shape)),
    }
    for name, (blocked, cost) in worlds.items():
        grid, plain = nt.Grid(blocked, cost=cost), nt.Grid(blocked)
        planners = {n: nt.Planner(grid, n) for n in ("theta*", "lazy-theta*", "aamt-d*-lite")}
        a_star, ignores = nt.Planner(grid, "a*"), nt.Planner(plain, "theta*")
        reference = nt.Planner(grid, "a*", engine="reference")
        ratios = {n: [] for n in [*planners, "a* smoothed", "theta* that ignores costs"]}
        times = dict.fromkeys([*planners, "a*", "a* (heap)"], 0.0)
        pairs = queries(grid, 30, 5)
        first = [grid.centre(end) for end in pairs[0]]
        for planner in (*planners.values(), a_star, ignores, reference):
            planner.plan(*first)
        for s, t in pairs:
            ends = grid.centre(s), grid.centre(t)
            along = a_star.plan(*ends)
            for n, planner in (*planners.items(), ("a*", a_star), ("a* (heap)", reference)):
                planner = planner if planner in (a_star, reference) else nt.Planner(grid, n)
                seconds, path = cpu(planner.plan, *ends)
                times[n] += seconds
                if n in ratios:
                    ratios[n].append(path.cost / along.cost)
            ratios["a* smoothed"].append(nt.smooth(along, grid).cost / along.cost)
            points = ignores.plan(*ends).points
            ratios["theta* that ignores costs"].append(grid.cost_along(points) / along.cost)
        for n, values in ratios.items():
            worse = sum(r > 1 + 1e-9 for r in values)
            took = f", {times[n] / times['a*']:.1f} x the time" if n in times else ""
            print(
                f"{name}, {n}: {np.mean(values):.3f} (max {max(values):.3f}) of a*, "
                f"dearer in {worse} of {len(values)}{took}"
            )
        print(f"{name}, a* with a heap: {times['a* (heap)'] / times['a*']:.1f} x the time of a*")


PARTS = {"peers": against_dijkstra3d, "angles": at_any_angle}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
