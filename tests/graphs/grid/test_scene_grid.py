"""The cells of scenes: published numbers, and updates against starting from nothing."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from random_scenes import corners_of, meets, random_rotation, random_scene, random_shape

import noctule as nt
from noctule.worlds.occupancy.occupancy import Occupancy

PUBLISHED = Path(__file__).parents[2] / "worlds" / "published-environment.json"
CHECKS = json.loads(PUBLISHED.read_text())["checks"]
VARIANT = {"2019": "2019", "2021": None}


def without_moving(scene):
    still = [body for body in scene.bodies if not body.moves]
    return nt.Scene(scene.space, scene.agent, scene.destination, still)


@pytest.mark.parametrize("year", ["2019", "2021"])
def test_blocked_cells_are_those_published(year):
    scene, facts = nt.Scene.load(variant=VARIANT[year]), CHECKS[f"at_t0_{year}"]
    assert nt.CellGrid(scene, safety=False).blocked.sum() == facts["blocked_bare"]
    assert nt.CellGrid(scene, safety=True).blocked.sum() == facts["blocked_with_safety"]
    walls = nt.CellGrid(without_moving(scene))
    assert walls.blocked.sum() == CHECKS["statically_blocked_cells"]


@pytest.mark.parametrize("year", ["2019", "2021"])
@pytest.mark.parametrize("neighbours", [6, 26])
def test_lengths_are_those_published(year, neighbours):
    scene, facts = nt.Scene.load(variant=VARIANT[year]), CHECKS[f"at_t0_{year}"]
    kind = "6_neighbour" if neighbours == 6 else "26_neighbour_no_corner_cutting"
    grids = {
        "walls_only": nt.CellGrid(without_moving(scene), neighbours),
        "bare": nt.CellGrid(scene, neighbours, safety=False),
        "with_safety": nt.CellGrid(scene, neighbours, safety=True),
    }
    for name, grid in grids.items():
        ends = grid.centre(facts["start_cell"]), grid.centre(facts["goal_cell"])
        path = nt.plan(grid, *ends, "a*")
        assert nt.verify(path, grid)
        assert path.length == pytest.approx(facts[f"shortest_{kind}"][name], abs=6e-4)


def theses_grid(**options):
    """The setting of 2019: 6 neighbours, sight past the bodies, for a ball of 0.5."""
    grid = nt.CellGrid(nt.Scene.load(variant="2019"), neighbours=6, **options)
    facts = CHECKS["at_t0_2019"]
    return grid, (grid.centre(facts["start_cell"]), grid.centre(facts["goal_cell"]))


def test_expansions_and_theta_star_are_as_published():
    facts = CHECKS["at_t0_2019"]
    grid, ends = theses_grid(sight="bodies")
    path = nt.plan(grid, *ends, "a*", heuristic="straight")
    assert path.expanded == pytest.approx(facts["a_star_expanded_epsilon_1"], rel=0.02)
    path = nt.plan(grid, *ends, "theta*", radius=0.5)
    assert nt.verify(path, grid)
    assert path.length == pytest.approx(facts["theta_star_length_epsilon_1"], abs=1e-3)
    assert not nt.verify(path, theses_grid()[0])  # free of bodies, but not of cells


def test_averages_over_time_are_as_published():
    """A sample of the moments of 600 and 240 seconds."""
    grid, ends = theses_grid(sight="bodies")
    a_star = nt.Planner(grid, "a*", heuristic="straight")
    theta_star = nt.Planner(grid, "theta*", radius=0.5)
    steps, any_angle = [], []
    for t in np.arange(0.0, 600.0, 2.5):
        grid.update(float(t))
        steps.append(a_star.plan(*ends))
        if t < 240 and t % 5 == 0:
            any_angle.append(theta_star.plan(*ends))
    facts = CHECKS["average_over_time_2019_static_ends"]
    lengths = [path.length for path in steps]
    assert np.mean(lengths) == pytest.approx(facts["six_neighbour"]["mean"], rel=0.01)
    assert facts["six_neighbour"]["min"] - 1e-6 <= min(lengths)
    assert max(lengths) <= facts["six_neighbour"]["max"] + 1e-6
    any_angle_length = np.mean([path.length for path in any_angle])
    facts_of_theta = facts["theta_star_epsilon_1"]
    assert any_angle_length == pytest.approx(facts_of_theta["length_mean"], rel=0.01)
    for paths, published in (  # which of equally good nodes come first differs
        (steps, facts["a_star_epsilon_1_expanded_mean"]),
        (any_angle, facts_of_theta["expanded_mean"]),
    ):
        assert np.mean([path.expanded for path in paths]) == pytest.approx(published, rel=0.02)


def from_nothing(grid):
    """The blocked cells as they are found without looking at what was before."""
    space = grid.scene.space
    fresh = Occupancy(space)
    which = np.arange(len(grid.solids.body))
    fresh.replace_solids(grid.solids, np.full(len(which), -1))
    fresh.update(grid.solids, which, grid.poses)
    return fresh.blocked


@pytest.mark.parametrize("safety", [True, False])
def test_update_is_exact_in_every_frame(safety):
    grid = nt.CellGrid(nt.Scene.load(), safety=safety)
    for frame in range(60 * 120 if safety else 600):
        before = grid._occupancy.blocked.copy()
        changed = grid.update(frame / 60)
        expected = from_nothing(grid)
        assert (grid._occupancy.blocked == expected).all()
        assert changed == (before != expected).sum()
    assert (grid.blocked == expected).all()


@pytest.mark.parametrize("seed", range(120))
def test_cells_are_those_that_bodies_meet(seed):
    """Against a test of every cell by every axis; what is as good as a touch is left open."""
    rng = np.random.default_rng(seed)
    space = nt.Space((0, 0, 0), (7, 6, 5))
    body = nt.Body("body", random_shape(rng, 5), rng.uniform(0, 6, 3), random_rotation(rng))
    if seed % 4 == 0:  # aligned with the cells, touching faces
        size, corner = rng.integers(1, 5, 3), rng.integers(0, 4, 3)
        body = nt.Body("body", nt.Box(size), corner + size / 2)
    agent, target = nt.Agent((1, 1, 1)), nt.Destination((2, 2, 2))
    grid = nt.CellGrid(nt.Scene(space, agent, target, [body]))
    corners = corners_of(body, np.array(body.row))
    for cell in np.ndindex(*space.cells):
        depth = meets(body.shape, corners, cell)
        if abs(depth - 1e-9) > 1e-11:
            assert grid.blocked[cell] == (depth > 1e-9), (cell, depth)


def test_generated_scenes_stay_exact(cases):
    for seed in range(max(cases // 5, 20)):
        scene = random_scene(seed)
        grid = nt.CellGrid(scene, safety=bool(seed % 2))
        rng = np.random.default_rng(seed)
        for _ in range(6):
            what = rng.integers(4)
            if what == 0 and scene.bodies:
                scene.remove(scene.bodies[int(rng.integers(len(scene.bodies)))])
            elif what == 1:
                place = np.array(scene.space.origin) + rng.random(3) * 6
                scene.add(nt.Body(f"new-{rng.integers(10**9)}", random_shape(rng), place))
            elif what == 2 and scene.bodies:
                body = scene.bodies[int(rng.integers(len(scene.bodies)))]
                body.place(np.array(scene.space.origin) + rng.random(3) * 6, random_rotation(rng))
            grid.update(float(rng.uniform(0, 20)))
            assert (grid.blocked == from_nothing(grid)).all()


def test_a_body_outside_the_space_blocks_nothing():
    scene = random_scene(1)
    for body in scene.bodies:
        scene.remove(body)
    grid = nt.CellGrid(scene)
    scene.add(nt.Body("far", nt.Box((1, 1, 1)), (1e6, 0, 0)))
    assert grid.update() == 0
    scene["far"].place(scene.agent.start)
    assert grid.update() > 0
    scene.remove("far")
    grid.update()
    assert not grid.blocked.any()


def small_scene(*bodies, radius=0.45):
    agent = nt.Agent((1.5, 1.5, 1.5), radius)
    target = nt.Destination((7.5, 1.5, 1.5))
    return nt.Scene(nt.Space((0, 0, 0), (9, 5, 5)), agent, target, bodies)


def test_an_agent_in_a_blocked_cell_leaves_it_past_the_body():
    """The post fills a corner of its cell; the agent in the same cell does not touch it."""
    scene = small_scene(nt.Body("post", nt.Box((0.2, 0.2, 5)), (2.1, 2.1, 2.5)))
    grid = nt.CellGrid(scene)
    start = (2.7, 2.7, 2.5)
    assert grid.blocked[grid.cell_of(start)]
    for algorithm in ("a*", "theta*", "lazy-theta*"):
        path = nt.plan(grid, start, (7.5, 1.5, 1.5), algorithm, radius=0.45)
        assert path.found
        assert path.blocked_ends == (True, False)
        assert path.points[0].tolist() == list(start)
        assert nt.verify(path, grid)
        back = nt.plan(grid, (7.5, 1.5, 1.5), start, algorithm, radius=0.45)
        assert back.found
        assert back.blocked_ends == (False, True)
        assert nt.verify(back, grid)
    lost = nt.plan(grid, (2.3, 2.3, 2.5), (7.5, 1.5, 1.5), "a*", radius=0.45)
    assert not lost.found
    assert "blocked cell (2, 2, 2)" in lost.reason


def test_verify_judges_the_way_out_by_the_bodies():
    from dataclasses import replace

    post = nt.Body("post", nt.Box((0.2, 0.2, 5)), (2.1, 2.1, 2.5))
    grid = nt.CellGrid(small_scene(post))
    path = nt.plan(grid, (2.7, 2.7, 2.5), (7.5, 1.5, 1.5), "theta*", radius=0.45)
    assert not nt.verify(replace(path, blocked_ends=(False, False)), grid)
    post.place((2.4, 2.7, 2.5))
    grid.update()
    wrong = next(nt.violations(path, grid))
    assert (wrong.segment, wrong.body) == (0, "post")
    assert str(wrong).endswith("of body 'post'")


@pytest.mark.parametrize("algorithm", ["a*", "dijkstra", "theta*", "lazy-theta*"])
def test_every_plan_in_a_moving_scene_is_free(algorithm):
    scene = nt.Scene.load()
    for safety, sight in ((True, "cells"), (False, "cells"), (True, "bodies")):
        grid = nt.CellGrid(scene, safety=safety, sight=sight)
        planner = nt.Planner(grid, algorithm, radius=scene.agent.radius)
        for t in np.arange(0, 30, 2.9):
            grid.update(float(t))
            path = planner.plan(scene.agent.start, scene.destination.at(float(t)))
            assert path.found
            assert nt.verify(path, grid)
            straight = math.dist(scene.agent.start, scene.destination.at(float(t)))
            assert path.length > straight


def test_planners_follow_bodies_that_come_and_go():
    scene = small_scene()
    grid = nt.CellGrid(scene, sight="bodies")
    planner = nt.Planner(grid, "theta*", radius=0.45)
    ends = (1.5, 2.5, 2.5), (7.5, 2.5, 2.5)
    assert planner.plan(*ends).length == 6.0
    scene.add(nt.Body("wall", nt.Box((0.5, 3.6, 5)), (4.25, 3.2, 2.5)))
    grid.update()
    path = planner.plan(*ends)
    assert path.length > 6.1
    assert nt.verify(path, grid)
    scene.remove("wall")
    grid.update()
    assert planner.plan(*ends).length == 6.0


@pytest.mark.parametrize("algorithm", ["d*-lite", "basic-mt-d*-lite", "mt-d*-lite"])
def test_repairs_in_a_moving_scene_are_as_good_as_new_searches(algorithm):
    """Bodies, agent and destination move between plans; some repairs take several of them."""
    scene = nt.Scene.load()
    grid = nt.CellGrid(scene)
    again, again = nt.Planner(grid, algorithm, radius=0.45), nt.Planner(grid, "a*", radius=0.45)
    home = start = grid.centre(grid.cell_of(scene.agent.start))
    for frame in range(120):
        time = 60 + 0.12 * frame
        grid.update(time)
        goal = grid.centre(grid.cell_of(scene.destination.at(time)))
        start = home if grid.blocked[grid.cell_of(start)] else start
        path, best = again.plan(start, goal), again.plan(start, goal)
        assert path.found == best.found
        assert path.length == pytest.approx(best.length, rel=1e-9)
        assert nt.verify(path, grid)
        if frame % 3 == 0 and len(path.points) > 3:
            start = path.points[1]


def test_not_a_scene():
    with pytest.raises(ValueError, match=r"scene is a list; expected a noctule\.Scene"):
        nt.CellGrid([])
    with pytest.raises(ValueError, match="neighbours is 8"):
        nt.CellGrid(nt.Scene.load(), neighbours=8)
    with pytest.raises(ValueError, match="sight is 'x-ray'; allowed are 'cells' and 'bodies'"):
        nt.CellGrid(nt.Scene.load(), sight="x-ray")
