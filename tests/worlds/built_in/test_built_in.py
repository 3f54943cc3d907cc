"""The scenes that are made from a seed."""

import itertools

import numpy as np
import pytest

import noctule as nt
from noctule.worlds.built_in import BUILT_IN
from noctule.worlds.built_in.cave import BLOCK, _boxes


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_seed_makes_the_same_scene(name):
    def described(scene):
        return [
            (b.name, b.home, b.shape.vertices.tolist(), sorted(map(str, vars(b.motion))))
            for b in scene.bodies
        ]

    scene = nt.Scene.load(name)
    assert scene.name == name
    assert described(scene) == described(BUILT_IN[name].make(1))
    assert described(scene) != described(BUILT_IN[name].make(2))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_touches_the_ends_and_a_way_leads_between_them(name, seed):
    scene = BUILT_IN[name].make(seed)
    graph = nt.CellGrid(scene, safety=False)
    radius = scene.agent.radius
    path = nt.plan(graph, scene.agent.start, scene.destination.at(0.0), "a*", radius=0.0)
    assert path.found, path.reason
    assert nt.verify(path, graph)
    for time in np.linspace(0, 40, 9):
        scene.move(float(time))
        graph.update()
        assert graph.body_on(scene.agent.start, scene.agent.start, radius) is None


@pytest.mark.parametrize("name", BUILT_IN)
def test_they_are_small_and_have_something_that_moves(name):
    scene = nt.Scene.load(name)
    assert np.prod(scene.space.cells) < 120_000
    assert len(scene.moving) >= 5
    assert "static" in scene.destination.modes
    low, high = np.array(scene.space.origin), np.array(scene.space.high)
    for mode, time in itertools.product(scene.destination.modes, np.linspace(0, 60, 13)):
        place = np.array(scene.destination_in_mode(mode).at(float(time)))
        assert ((place > low) & (place < high)).all()


def test_boxes_of_the_cave_cover_its_rock_exactly():
    rng = np.random.default_rng(5)
    rock = rng.random((5, 4, 6)) < 0.6
    covered = np.zeros(rock.shape, int)
    for size, centre in _boxes(rock):
        low = (np.array(centre) - np.array(size) / 2) / BLOCK
        high = (np.array(centre) + np.array(size) / 2) / BLOCK
        covered[tuple(map(slice, low.astype(int), high.astype(int)))] += 1
    assert (covered == rock).all()


def test_they_have_no_variants():
    with pytest.raises(ValueError, match="variant is 'x'; city has none"):
        nt.Scene.load("city", "x")
