"""Layers of searches and meshes of maps, without a page."""

import numpy as np
import pytest

import noctule as nt
from noctule.graphs import heuristics
from noctule.viewer import search_layers as layers
from noctule.viewer.maps import surface_mesh as faces


@pytest.fixture(scope="module")
def grid():
    return nt.Grid(np.random.default_rng(7).random((14, 12, 10)) < 0.25)


ENDS = (0.5, 0.5, 0.5), (13.5, 11.5, 9.5)


@pytest.fixture(scope="module")
def ends(grid):
    for end in ENDS:
        grid.free(np.floor(end).astype(int))
    return ENDS


@pytest.mark.parametrize("name", ["a*", "jps", "theta*", "lazy-theta*", "d*-lite", "d*"])
def test_a_snapshot_has_the_nodes_of_the_search(grid, ends, name):
    planner = nt.Planner(grid, name)
    path = planner.plan(*ends)
    found = planner.search_snapshot()
    assert path.found
    expanded, waiting = set(found.expanded.tolist()), set(found.open.tolist())
    assert 0 < len(expanded) <= path.expanded  # some are expanded twice
    assert len(found.g) == len(found.expanded)
    assert not expanded & waiting
    free = ~grid.blocked
    assert all(free[tuple(cell)] for cell in grid.indices(found.expanded))
    if name != "jps":  # paths of jps have nodes that it jumped over
        nodes = set(grid.number(path.nodes).tolist())
        assert len(nodes - expanded - waiting) <= 1  # the goal need not be expanded
    if name not in ("d*-lite", "d*"):  # their g is the distance to the goal
        distance = np.linalg.norm(grid.positions(grid.indices(found.expanded)) - ends[0], axis=1)
        assert (found.g >= distance - 1e-6).all()


def test_a_snapshot_on_a_hybrid_graph():
    """Walls with corners on the path, so that nodes are expanded."""
    walls = [nt.Body(f"wall {y}", nt.Box((1, 8, 6)), (6 + y, y, 3)) for y in (4, 10)]
    space = nt.Space((0, 0, 0), (16, 14, 6))
    ends = (1.5, 7.5, 3.5), (14.5, 4.5, 2.5)
    scene = nt.Scene(space, nt.Agent(ends[0], 0.4, 4.0), nt.Destination(ends[1], 0.4), walls)
    graph = nt.Hybrid(scene)
    planner = nt.Planner(graph, "a*", radius=0.4)
    path, found = planner.plan(*ends), planner.search_snapshot()
    assert path.found
    assert 0 < len(found.expanded) <= path.expanded
    assert all(graph.kind[tuple(cell)] for cell in graph.indices(found.expanded))


def test_line_of_sight_checks_have_the_right_result(grid, ends):
    planner = nt.Planner(grid, "theta*")
    planner.plan(*ends)
    found = planner.search_snapshot()
    assert len(found.free) > 50
    assert len(found.shut) > 10
    for pairs, sees in ((found.free, True), (found.shut, False)):
        for pair in pairs[:200]:
            p, q = grid.positions(grid.indices(pair))
            assert grid.line_of_sight(p, q) is sees


def test_a_search_along_edges_tests_no_lines(grid, ends):
    planner = nt.Planner(grid, "a*")
    planner.plan(*ends)
    shown = layers.SearchWatcher(grid, planner.options).update(planner.search_snapshot(), ends[1])
    assert len(shown.sight.points) == 0
    assert len(shown.expanded.points) == len(shown.expanded.colours) > 0


def test_a_snapshot_is_empty_after_its_memory_was_reused(grid, ends):
    planner, other = nt.Planner(grid, "a*"), nt.Planner(grid, "a*")
    assert len(planner.search_snapshot().expanded) == 0
    planner.plan(*ends)
    other.plan(ends[1], ends[0])  # with the same memory
    assert len(planner.search_snapshot().expanded) == 0
    assert len(other.search_snapshot().expanded) > 0


def test_a_repair_shows_the_nodes_that_it_expanded():
    grid = nt.Grid(np.zeros((20, 20), bool))
    planner = nt.Planner(grid, "d*-lite")
    watcher = layers.SearchWatcher(grid, planner.options)
    ends = (1.5, 10.5), (18.5, 10.5)
    planner.plan(*ends)
    watcher.update(planner.search_snapshot(), ends[1])
    planner.plan(*ends)
    assert len(watcher.update(planner.search_snapshot(), ends[1]).reexpanded.points) == 0
    grid.block([(10, y) for y in range(8, 13)])
    path = planner.plan(*ends)
    shown = watcher.update(planner.search_snapshot(), ends[1])
    assert not path.restarted
    assert 0 < len(shown.reexpanded.points) <= path.expanded
    assert len(shown.reexpanded.points) < len(shown.expanded.points)


@pytest.mark.parametrize("code", range(6))
def test_estimates_are_those_of_the_kernels(code):
    left = np.random.default_rng(code).integers(0, 30, (200, 3)).astype(float)
    expected = [heuristics.real_estimate(code, *row) for row in left]
    np.testing.assert_allclose(layers.estimates(code, left), expected)


def test_order_goes_from_first_to_last():
    colours = layers.order_colours(100)
    assert colours.shape == (100, 3)
    assert colours[0].tolist() == [88, 40, 140]
    assert colours[-1].tolist() == [250, 230, 60]


def test_layers_of_graphs(course):
    scene = nt.Scene.load(course)
    cells = layers.graph_layers(nt.CellGrid(scene))
    shown = len(cells["free cells"].points) + len(cells["blocked cells"].points)
    assert shown == 24 * 16 * 8
    hybrid = nt.Hybrid(scene)
    shown = layers.graph_layers(hybrid)
    assert len(shown["dynamic nodes"].points) == hybrid.counts["dynamic"]
    assert len(shown["static nodes"].points) == hybrid.counts["static_only"]
    assert len(shown["neighbour nodes"].points) == hybrid.counts["dynamic_neighbour"]
    assert shown["long edges"].points.shape[1:] == (2, 3)
    waypoints = nt.Waypoints(scene)
    shown = layers.graph_layers(waypoints)
    nodes = len(shown["waypoints"].points) + len(shown["covered waypoints"].points)
    assert nodes == len(waypoints)
    assert len(shown["edges"].points) == len(waypoints.edges)


# ---------------------------------------------------------------------- faces


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 1.0])
def test_faces_close_around_the_cells(share):
    blocked = np.random.default_rng(1).random((9, 7, 8)) < share
    found = faces.merged_faces(blocked)
    sides = found.corners[found.triangles].astype(float)
    volume = np.einsum("ij,ij->i", np.cross(sides[:, 0], sides[:, 1]), sides[:, 2]).sum() / 6
    assert volume == pytest.approx(blocked.sum())  # closed, and facing outwards
    area = np.linalg.norm(np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]), axis=1)
    padded = np.pad(blocked, 1).astype(int)
    bare = sum(np.abs(np.diff(padded, axis=axis)).sum() for axis in range(3))
    assert area.sum() / 2 == pytest.approx(bare)  # none twice
    assert found.number <= bare


def test_a_wall_is_six_faces():
    blocked = np.zeros((30, 30, 30), bool)
    blocked[10, 2:28, 3:25] = True
    assert faces.merged_faces(blocked).number == 6


def test_too_many_faces_are_thinned(monkeypatch):
    monkeypatch.setattr(faces, "MAX_FACES", 500)
    blocked = np.random.default_rng(2).random((24, 24, 24)) < 0.2
    found, scale = faces.drawable_faces(blocked)
    assert found.number <= 500
    assert scale > 1
    thin = np.zeros((24, 24, 24), bool)
    thin[12] = True
    assert faces.joined(thin, 4).any(axis=0).all()  # a thin wall has no holes
