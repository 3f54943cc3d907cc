"""A preferred clearance: paths keep away from solids, are free, and hardly longer."""

import math

import numpy as np
import pytest
from taut_law import random_ends, random_grid

import noctule as nt
from noctule.planning.soft_clearance import LONGER


def hall():
    """A block in a hall, and a wall with an opening of three cells."""
    blocked = np.zeros((30, 20), bool)
    blocked[10:20, 6:14] = True
    blocked[24, :9] = blocked[24, 12:] = True
    return nt.Grid(blocked), ((1.5, 3.5), (28.5, 10.5))


def near_length(grid, path, distance):
    """Return the length of a path that is nearer to solids, to a hundredth of a cell."""
    total = 0.0
    for p, q in zip(path.points, path.points[1:], strict=False):
        n = math.ceil(100 * math.dist(p, q) / grid.cell)
        middles = p + (q - p) * ((np.arange(n) + 0.5) / n)[:, None] if n else []
        total += sum(math.dist(p, q) / n for m in middles if grid.clearance(m) < distance - 1e-6)
    return total


@pytest.mark.parametrize("wanted", [0.6, 1.0, 1.4])
def test_it_is_kept_where_there_is_room(wanted):
    grid, ends = hall()
    plain, clear = (nt.plan(grid, *ends, radius=0.3, prefer_clearance=d) for d in (None, wanted))
    assert plain.clearance == pytest.approx(0.3, abs=0.02)
    assert clear.clearance >= wanted - 1e-6
    assert plain.length < clear.length <= LONGER * plain.length
    assert nt.verify(clear, grid, radius=0.3)


def test_an_opening_that_is_too_narrow_is_passed_all_the_same():
    grid, ends = hall()
    plain, clear = (nt.plan(grid, *ends, radius=0.3, prefer_clearance=d) for d in (None, 3.0))
    assert 0.3 < clear.clearance < 3.0
    assert near_length(grid, clear, 1.4) < near_length(grid, plain, 1.4) / 2
    assert clear.length <= LONGER * plain.length
    assert nt.verify(clear, grid, radius=0.3)


def test_a_straight_line_along_a_wall_is_left():
    blocked = np.zeros((20, 12), bool)
    blocked[4:16, 4:] = True
    grid, ends = nt.Grid(blocked), ((0.5, 3.6), (19.5, 3.6))
    plain, clear = (nt.plan(grid, *ends, prefer_clearance=d) for d in (None, 1.5))
    assert len(plain.points) == 2
    assert plain.clearance < 0.5
    assert near_length(grid, plain, 1.4) > 13
    assert near_length(grid, clear, 1.4) < 5  # at the ends
    assert clear.length <= LONGER * plain.length


def test_other_paths_stay_as_they_are():
    grid, ends = hall()
    plain = nt.plan(grid, *ends, radius=0.3)
    for wanted in (0.0, 0.2, 0.3):  # no more than the radius
        same = nt.plan(grid, *ends, radius=0.3, prefer_clearance=wanted)
        assert same.points.tolist() == plain.points.tolist()
        assert same.expanded == plain.expanded
    here = nt.plan(grid, ends[0], ends[0], radius=0.3, prefer_clearance=9.0)
    assert (here.found, here.length) == (True, 0.0)
    shut = nt.Grid(np.ones((4, 4), bool))
    assert not nt.plan(shut, (0.5, 0.5), (3.5, 3.5), prefer_clearance=1.0).found


def test_generated_worlds(cases):
    """Free, at most a tenth longer, and less of it near solids wherever it differs."""
    differ = 0
    for seed in range(cases // 5):
        rng = np.random.default_rng([seed, 27])
        grid, radius = random_grid(rng)
        ends, wanted = random_ends(rng, grid, radius), radius + grid.cell * rng.uniform(0.2, 3.0)
        plain = nt.plan(grid, *ends, "taut", radius=radius)
        clear = nt.plan(grid, *ends, "taut", radius=radius, prefer_clearance=wanted)
        assert clear.found == plain.found
        assert nt.verify(clear, grid)
        if not plain.found or clear.points.tolist() == plain.points.tolist():
            continue
        differ += 1
        assert clear.length <= LONGER * plain.length * (1 + 1e-9)
        assert clear.clearance >= radius - 1e-6 * grid.cell
        assert clear.points[0].tolist() == plain.points[0].tolist()
        assert clear.points[-1].tolist() == plain.points[-1].tolist()
    assert differ > cases / 100


def test_limits():
    grid, ends = hall()
    plain = nt.plan(grid, *ends, radius=0.3)
    few = nt.plan(grid, *ends, radius=0.3, prefer_clearance=1.0, max_expanded=plain.expanded + 5)
    assert few.points.tolist() == plain.points.tolist()
    assert few.expanded <= plain.expanded + 5
    late = nt.plan(grid, *ends, radius=0.3, prefer_clearance=1.0, time_limit=0.0)
    assert nt.verify(late, grid)


def test_it_follows_the_world():
    grid, ends = hall()
    planner = nt.Planner(grid, radius=0.3, prefer_clearance=1.0)
    first = planner.plan(*ends)
    grid.block((24, 11))
    second = planner.plan(*ends)
    assert (
        second.points.tolist()
        == nt.plan(grid, *ends, radius=0.3, prefer_clearance=1.0).points.tolist()
    )
    assert first.points.tolist() != second.points.tolist()
    assert nt.verify(second, grid, radius=0.3)


def test_where_it_cannot_be_kept():
    grid, ends = hall()
    scene = nt.Scene.load("test-environment")
    for world, name, more in (
        (grid, "a*", {}),
        (grid, "taut", {"cost": "steps"}),
        (nt.CellGrid(scene, sight="bodies"), None, {}),
        (nt.Hybrid(scene), "taut", {}),
        (nt.Grid(np.zeros((3, 3), bool), cost=np.ones((3, 3))), None, {}),
    ):
        with pytest.raises(ValueError, match="prefer_clearance is 1; it is for taut on cells"):
            nt.Planner(world, name, prefer_clearance=1.0, **more)
    for wrong in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="prefer_clearance is"):
            nt.plan(grid, *ends, prefer_clearance=wrong)
