"""Points that look like indices of cells get a hint at `grid.centre`."""

import numpy as np
import pytest

import noctule as nt

HINT = "Points are in world units; the centre of cell"


def test_a_cell_on_the_border_given_as_a_point():
    grid = nt.Grid(np.zeros((5, 5, 5), bool))
    for algorithm in ("a*", "theta*", "d*-lite"):
        path = nt.plan(grid, (0, 0, 0), (4, 4, 4), algorithm)
        assert path.reason == (
            f"start (0, 0, 0) lies on the border of the world. {HINT} (0, 0, 0) is "
            f"(0.5, 0.5, 0.5), see grid.centre"
        )
    path = nt.plan(grid, grid.centre((1, 1, 1)), (5, 2.5, 2.5))
    assert path.reason == "goal (5, 2.5, 2.5) lies on the border of the world"


def test_a_cell_that_is_no_point_of_the_world():
    grid = nt.Grid(np.zeros((9, 9), bool), cell=0.5, origin=(10, 0))
    with pytest.raises(ValueError, match=r"lies outside the world.* is \(14.25, 4.25\), see grid"):
        nt.plan(grid, (8, 8), (11, 1))
    with pytest.raises(ValueError, match=r"spans \(10, 0\) to \(14.5, 4.5\)$"):
        nt.plan(grid, (99, 8), (11, 1))
    with pytest.raises(ValueError, match=r"spans \(10, 0\) to \(14.5, 4.5\)$"):
        nt.plan(grid, (8.25, 8), (11, 1))


def test_a_point_in_a_blocked_cell():
    blocked = np.zeros((5, 5), bool)
    blocked[2, 3] = True
    path = nt.plan(nt.Grid(blocked), (2.5, 3.5), (0.5, 0.5))
    assert path.reason == "start (2.5, 3.5) lies in blocked cell (2, 3)"
    path = nt.plan(nt.Grid(blocked), (2, 3), (0.5, 0.5))
    assert "grid.centre" not in path.reason  # its centre is blocked, too
