"""The search on a map, step by step; nodes under a click; cells painted and erased."""

import numpy as np
import pytest

import noctule as nt
from noctule.viewer.maps.order import NOBODY, search_order
from noctule.viewer.maps.picking import cells_on_ray, nearest_point

pytest.importorskip("viser", reason="viser is not installed")

from noctule.viewer.map_page import CLICKS, MapPage

DOWN = (0.0, 0.0, -1.0)


@pytest.fixture
def grid():
    blocked = np.zeros((14, 10), bool)
    blocked[7, :8] = True
    return nt.Grid(blocked, cell=0.5)


@pytest.fixture
def page(grid):
    ends = grid.centre((2, 2)), grid.centre((12, 2))
    planners = [nt.Planner(grid, "a*"), nt.Planner(grid, "theta*")]
    page = MapPage(grid, planners, ends, "a map")
    page.update(0.0)
    yield page
    page.loop.stop()
    page.loop.run()


def above(grid, cell):
    """A camera above a cell of a 2D map."""
    x, y = grid.centre(cell)
    return (x, y, 9.0)


# ---------------------------------------------------------------------- the order


@pytest.mark.parametrize("name", ["dijkstra", "a*", "theta*", "lazy-theta*"])
def test_the_order_is_that_of_a_search_that_is_stopped(grid, name):
    ends = grid.centre((2, 2)), grid.centre((12, 2))
    order = search_order(grid, name, ends, 0.0)
    assert order.exact
    assert len(set(order.nodes.tolist())) == len(order.nodes) > 20
    assert grid.indices(order.nodes[:1]).tolist() == [[2, 2]]
    for k in (1, 2, 5, 12):
        planner = nt.Planner(grid, name, engine="reference", max_expanded=k)
        planner.plan(*ends)
        expanded = set(planner.search_snapshot().expanded.tolist())
        assert expanded <= set(order.nodes[:k].tolist())


@pytest.mark.parametrize("name", ["dijkstra", "a*", "theta*"])
def test_costs_and_parents_belong_together(grid, name):
    ends = grid.centre((2, 2)), grid.centre((12, 2))
    order = search_order(grid, name, ends, 0.0)
    g = dict(zip(order.nodes.tolist(), order.g.tolist(), strict=True))
    assert order.g[0] == 0
    known = 0
    for node, cost, parent in zip(*map(np.ndarray.tolist, order[:3]), strict=True):
        if parent in (NOBODY, node):
            continue
        known += 1
        a, b = grid.positions(np.array([parent, node]))
        assert cost == pytest.approx(g[parent] + np.linalg.norm(b - a))
    assert known >= len(order.nodes) - 1


def test_searches_that_remember_are_ordered_by_cost(grid):
    order = search_order(grid, "d*-lite", (grid.centre((2, 2)), grid.centre((12, 2))), 0.0)
    assert not order.exact
    assert (np.diff(order.g) >= 0).all()


# ---------------------------------------------------------------------- clicks


def test_cells_under_a_click():
    blocked = np.zeros((4, 4, 4), bool)
    blocked[2, 1, 1] = True
    world = nt.Grid(blocked, cell=2.0, origin=(10, 0, 0))
    hit = cells_on_ray(world, (30.0, 3.0, 3.0), (-1, 0, 0))
    assert hit == ((2, 1, 1), (3, 1, 1))
    assert cells_on_ray(world, (30.0, 5.0, 3.0), (-1, 0, 0)) == (None, None)
    assert cells_on_ray(world, (30.0, 3.0, 3.0), (1, 0, 0)) == (None, None)
    flat = nt.Grid([[False, True], [False, False]])
    assert cells_on_ray(flat, (0.5, 1.5, 8.0), DOWN) == ((0, 1), None)
    assert cells_on_ray(flat, (1.5, 1.5, 8.0), DOWN) == (None, (1, 1))


def test_points_under_a_click():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, -4]])
    assert nearest_point(points, (1, 0, 9), DOWN) in (1, 2)
    assert nearest_point(points, (0.01, 0, 9), DOWN) == 0
    assert nearest_point(points, (5, 5, 9), DOWN) is None
    assert nearest_point(points[:0], (5, 5, 9), DOWN) is None


def test_cells_are_painted_and_erased(page, grid):
    before = page.paths[0].length
    page.clicks.value = CLICKS[2]
    for y in (8, 9):
        page.click(above(grid, (7, y)), DOWN)
    assert not page.paths[0].found
    assert grid.blocked[7].all()
    page.clicks.value = CLICKS[3]
    page.click(above(grid, (7, 2)), DOWN)
    assert not grid.blocked[7, 2]
    assert page.paths[0].length < before
    assert all(nt.verify(path, grid) for path in page.paths)
    page.clicks.value = CLICKS[2]
    page.click(above(grid, (2, 2)), DOWN)  # the start stays free
    assert not grid.blocked[2, 2]
    page.clicks.value = CLICKS[0]
    page.click(above(grid, (5, 5)), DOWN)
    assert not grid.blocked[5, 5]


def test_a_node_shows_its_cost_and_parent(page, grid):
    watch = page.watch
    watch.first.value = "theta*"
    watch.search_again()
    page.clicks.value = CLICKS[1]
    page.click(above(grid, (4, 5)), DOWN)
    shown = watch.text.content
    assert "(4, 5): expansion" in shown
    assert f"g = {np.hypot(1.0, 1.5):.3f}" in shown
    assert "parent (2, 2)" in shown
    assert watch.inspect((99, 99, 9), DOWN) == ""


# ---------------------------------------------------------------------- playing


def test_a_search_is_played(page):
    watch = page.watch
    watch.first.value = "a*"
    watch.search_again()
    (shown,) = watch.shown
    assert f"{len(shown.points):,} of {len(shown.points):,} nodes" in watch.text.content
    watch.play_or_pause()
    assert watch.slider.value == 0
    seen = []
    while watch.playing:
        page.update(0.5)
        seen.append(watch.slider.value)
    assert seen == sorted(seen)
    assert seen[-1] == 100
    assert len(seen) == 16
    watch.play_or_pause()
    page.update(0.5)
    watch.play_or_pause()
    at = watch.slider.value
    page.update(0.5)
    assert 0 < at == watch.slider.value < 100


def test_two_searches_side_by_side(page, grid):
    watch = page.watch
    watch.first.value, watch.second.value = "a*", "theta*"
    watch.search_again()
    left, right = watch.shown
    assert left.points[:, 0].max() < grid.shape[0] * grid.cell < right.points[:, 0].min()
    assert "a*: " in watch.text.content
    assert "theta*: " in watch.text.content
    page.move_end(1, grid.centre((12, 8)))
    page.update(0.0)
    assert len(watch.shown) == 2
    assert watch._ends[1].tolist() == grid.centre((12, 8)).tolist()
    watch.second.value = "none"
    watch.search_again()
    assert len(watch.shown) == 1
