"""Agents wider than a cell: the paths of an exact scan of all cells near, from every search.

1,000 worlds for each algorithm: `pytest tests/engines/test_wide_agents.py --cases 6000`.
"""

import math

import numpy as np
import pytest
from strategies import random_world

import noctule as nt
from noctule.graphs.grid.lattice import Balls
from noctule.graphs.grid.wide_cells import WideCells

ROWS = [row for row in nt.algorithms() if row.search is not None and not row.corners_only]
WIDE = (0.6, 0.75, 1.0, 1.3, 1.5, 2.0, 3.0)


class ScannedGrid(nt.Grid):
    """A grid without rooms: for every step and line of sight, all cells near are looked at."""

    def _kernel_graph(self, radius, equal_steps):
        return Balls(self._lattice(radius, equal_steps))


def worlds(cases):
    """Generated worlds with a radius and two cells that have room for it."""
    for seed in range(cases):
        blocked, neighbours, *_ = random_world(seed, longest=9)
        rng = np.random.default_rng(seed)
        larger = np.kron(blocked, np.ones((2,) * blocked.ndim, bool))
        blocked = larger & (rng.random(larger.shape) < rng.choice((0.05, 0.3, 1.0)))
        grid = nt.Grid(blocked, neighbours=neighbours)
        room = np.argwhere(grid.clearances() >= 0.6)
        if len(room) < 2:
            continue
        radius = float(rng.choice([r for r in WIDE if r <= grid.clearances().max()]))
        room = np.argwhere(grid.clearances() >= radius)
        ends = [grid.centre(cell) for cell in rng.choice(room, 2)]
        scanned = ScannedGrid(blocked, neighbours=neighbours)
        assert isinstance(scanned.kernel_graph(radius), Balls)
        assert isinstance(grid.kernel_graph(radius), WideCells)
        yield seed, grid, scanned, radius, ends, rng


def change(grids, rng):
    """Block and free the same cells in all grids."""
    cells = np.stack([rng.integers(0, n, 5) for n in grids[0].shape], axis=1)
    for grid in grids:
        grid.block(cells[:2])
        grid.free(cells[2:])


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_paths_are_those_of_an_exact_scan(name, cases):
    """To the last digit, from the algorithm's own file, also after changes."""
    found = 0
    for seed, grid, scanned, radius, ends, rng in worlds(cases // 6):
        planners = [nt.Planner(g, name, radius=radius, engine="reference") for g in (grid, scanned)]
        for _ in range(2):
            ours, theirs = (planner.plan(*ends) for planner in planners)
            assert (ours.found, ours.reason) == (theirs.found, theirs.reason), seed
            assert ours.points.tobytes() == theirs.points.tobytes(), seed
            assert (ours.length, ours.expanded) == (theirs.length, theirs.expanded), seed
            if ours.found:
                found += 1
                assert nt.verify(ours, grid), seed
                assert ours.clearance >= radius - 1e-9, seed
            change((grid, scanned), rng)
    assert found > cases // 12


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_fast_engines_find_them(name, cases):
    """Equally short where the algorithm is optimal, and nearly so at any angle."""
    optimal = next(row.optimal for row in ROWS if row.name == name)
    ratios = []
    for seed, grid, scanned, radius, ends, rng in worlds(cases // 6):
        fast = nt.Planner(grid, name, radius=radius)
        reference = nt.Planner(scanned, name, radius=radius, engine="reference")
        for _ in range(2):
            ours, theirs = fast.plan(*ends), reference.plan(*ends)
            assert ours.found == theirs.found, seed
            if ours.found:
                assert nt.verify(ours, grid), seed
                ratios.append(ours.length / theirs.length if theirs.length > 0 else 1.0)
                assert not optimal or math.isclose(ratios[-1], 1.0, rel_tol=1e-9), seed
            change((grid, scanned), rng)
    assert len(ratios) > cases // 12
    assert 0.995 < np.mean(ratios) < 1.005
    assert 0.85 < min(ratios) <= max(ratios) < 1.15


@pytest.mark.parametrize("name", ["a*", "jps", "theta*", "mt-d*-lite"])
def test_they_do_not_scan(name):
    """The fast engines run, not the algorithm's own file."""
    grid = nt.Grid(np.zeros((12, 12, 12), bool))
    path = nt.plan(grid, (2.5, 2.5, 2.5), (9.5, 8.5, 6.5), name, radius=2.0)
    assert path.found
    assert path.engine != "reference"
