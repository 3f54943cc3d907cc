"""Ratios where cells have costs: weighted A* against dijkstra3d, and paths at any angle against A*.

    pip install dijkstra3d
    python benchmarks/costs.py [peers] [angles] [field]

Times are CPU times, taken alternately. dijkstra3d cuts corners and charges every step what the
entered cell costs, also along diagonals: it minimises something else, times compare roughly, and
costs do not. Its compass is a heuristic that is nearly exact for steps of equal cost.
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
                ours = plain = compass = nodes = 0.0
                for s, t in pairs:
                    best = [np.inf] * 3
                    for _ in range(2):
                        seconds, path = cpu(planner.plan, grid.centre(s), grid.centre(t))
                        best[0] = min(best[0], seconds)
                        for i in (False, True):
                            options = {"connectivity": 26, "compass": i}
                            seconds, _ = cpu(dijkstra3d.dijkstra, field, s, t, **options)
                            best[1 + i] = min(best[1 + i], seconds)
                    ours, plain, compass = ours + best[0], plain + best[1], compass + best[2]
                    nodes += path.expanded
                each = 1e3 / len(pairs)
                print(
                    f"{name}, {kind}, {which}: {ours * each:.1f} ms; dijkstra3d "
                    f"{plain * each:.1f} ms, {plain / ours:.1f} x, with compass "
                    f"{compass * each:.1f} ms, {compass / ours:.1f} x; "
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
        planners = {
            n: nt.Planner(grid, n) for n in ("theta*", "lazy-theta*", "aamt-d*-lite", "taut")
        }
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


def field_d_star():
    """Field D* against A* and Theta* on corners; against weighted A* in time."""
    plane, space = (100, 100), (40, 40, 40)
    noise = np.random.default_rng(1).random
    worlds = {
        "plane, zones": (boxes(plane, 10, (4, 12), 1), zones(plane, 25, (2, 16), (8, 24), 2)),
        "plane, every cell": (np.zeros(plane, bool), 1 + 15 * noise(plane)),
        "plane, 20 % noise": (noise(plane) < 0.2, None),
        "space, few zones": (boxes(space, 8, (4, 10), 1), zones(space, 15, (2, 16), (5, 14), 2)),
        "space, many zones": (boxes(space, 8, (4, 10), 1), zones(space, 40, (2, 16), (8, 20), 2)),
        "space, every cell": (boxes(space, 8, (4, 10), 1), 1 + 15 * noise(space)),
        "space, 10 % noise": (noise(space) < 0.1, None),
        "space, boxes": (boxes(space, 12, (4, 12), 4), None),
    }
    for name, (blocked, cost) in worlds.items():
        grid = nt.Grid(blocked, nodes="corners", cost=cost)
        others = {n: nt.Planner(grid, n) for n in ("a*", "theta*")}
        ratios, times, expanded = {n: [] for n in others}, [0.0, 0.0], [0, 0]
        rng = np.random.default_rng(5)
        while len(ratios["a*"]) < 25:
            ends = rng.integers(0, np.array(grid.shape) + 1, (2, grid.dimension))
            if np.abs(ends[0] - ends[1]).max() < 0.6 * max(grid.shape):
                continue
            planners = [others["a*"], nt.Planner(grid, "field-d*")]
            if not ratios["a*"]:  # compile
                for planner in (*others.values(), *planners):
                    planner.plan(*ends)
                planners[1] = nt.Planner(grid, "field-d*")
            if not others["a*"].plan(*ends).found:
                continue
            for i, planner in enumerate(planners):
                seconds, path = cpu(planner.plan, *ends)
                times[i], expanded[i] = times[i] + seconds, expanded[i] + path.expanded
            for n, planner in others.items():
                ratios[n].append(path.cost / planner.plan(*ends).cost)
        print(
            f"{name}: {np.mean(ratios['a*']):.4f} (max {max(ratios['a*']):.4f}) of a*, "
            f"{np.mean(ratios['theta*']):.4f} (max {max(ratios['theta*']):.4f}) of theta*; "
            f"{times[1] / times[0]:.1f} x the time of a*, {expanded[1] / expanded[0]:.1f} x its "
            f"expansions, {1e6 * times[1] / expanded[1]:.2f} us each"
        )


PARTS = {"peers": against_dijkstra3d, "angles": at_any_angle, "field": field_d_star}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
