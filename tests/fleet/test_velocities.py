"""Half-spaces and the linear program: laws that hold for any agents and bodies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noctule as nt
from noctule.fleet.orca.half_spaces import avoid_agent, avoid_solid, nearest_on_solid
from noctule.fleet.orca.linear_program import best_velocity
from noctule.worlds.geometry.contact import first_contact
from noctule.worlds.geometry.distances import segment_to_solid
from noctule.worlds.geometry.solids import pack

seeds = st.integers(0, 2**32 - 1)


def program(planes, speed, wanted, hard=0):
    rows = np.array(planes, float).reshape(-1, 4)
    size = max(len(rows), 1)
    return np.array(
        best_velocity(rows, len(rows), hard, speed, tuple(map(float, wanted)), np.empty((size, 4)))
    )


def random_planes(random, n):
    normals = random.normal(size=(n, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return np.column_stack((normals, random.uniform(-2.0, 1.0, n)))


@given(seeds, st.integers(0, 12))
@settings(deadline=None)
def test_no_sampled_velocity_is_better(seed, n):
    random = np.random.default_rng(seed)
    planes, wanted = random_planes(random, n), random.normal(size=3) * 3
    found = program(planes, 3.0, wanted)
    assert np.linalg.norm(found) <= 3.0 + 1e-6
    samples = random.normal(size=(4000, 3))
    samples *= (
        3.0
        * random.uniform(0, 1, (4000, 1)) ** (1 / 3)
        / np.linalg.norm(samples, axis=1, keepdims=True)
    )
    violations = np.max(planes[:, 3] - samples @ planes[:, :3].T, axis=1, initial=0.0)
    violation = np.max(planes[:, 3] - planes[:, :3] @ found, initial=0.0)
    if violation > 1e-6:  # nothing is in all half-spaces: the largest violation is least
        assert violation <= violations.min() + 1e-6
    else:
        is_free = violations <= 0.0
        if is_free.any():
            nearest = np.linalg.norm(samples[is_free] - wanted, axis=1).min()
            assert np.linalg.norm(found - wanted) <= nearest + 1e-6


def test_half_spaces_that_come_first_are_kept():
    wall, push = (1.0, 0.0, 0.0, 0.5), (-1.0, 0.0, 0.0, 1.0)  # cannot both hold
    for order, kept in (((wall, push), 0.5), ((push, wall), -1.0)):
        assert program(order, 3.0, (0, 0, 0), hard=1)[0] == pytest.approx(kept)


@given(seeds)
@settings(deadline=None)
def test_agents_that_share_the_change_stay_apart(seed):
    random = np.random.default_rng(seed)
    near, horizon = random.uniform(0.2, 2.0), random.uniform(0.5, 3.0)
    place = random.normal(size=3)
    place *= random.uniform(1.001, 6.0) * near / np.linalg.norm(place)
    own, other = random.normal(size=(2, 3)) * 2
    velocities = []
    for at, v, w in ((place, own, other), (-place, other, own)):
        plane = np.empty(4)
        avoid_agent(tuple(at), tuple(v), tuple(w), near, horizon, 1 / 60, 0.5, plane)
        velocities.append(v + max(plane[3] - plane[:3] @ v, 0.0) * plane[:3])
    relative = velocities[1] - velocities[0]
    t = np.linspace(0.0, horizon, 400)[:, None]
    assert np.linalg.norm(place + t * relative, axis=1).min() >= near * (1 - 1e-6)


SHAPES = [nt.Ball(1.2), nt.Box((1, 3, 2)), nt.Hull([(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)])]


@given(seeds, st.sampled_from(SHAPES))
@settings(deadline=None)
def test_the_nearest_point_of_a_solid(seed, shape):
    random = np.random.default_rng(seed)
    solids, p = pack([(0, shape)]), tuple((random.normal(size=3) * 3).tolist())
    point, normal, gap = nearest_on_solid(solids, 0, p)
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    distance = segment_to_solid(solids, 0, p, p)
    assert max(gap, 0.0) == pytest.approx(distance, abs=1e-6)
    assert np.array(point) + gap * np.array(normal) == pytest.approx(p, abs=1e-6)


@given(seeds, st.sampled_from(SHAPES))
@settings(deadline=None)
def test_velocities_in_the_half_space_of_a_body_do_not_touch_it(seed, shape):
    random = np.random.default_rng(seed)
    solids, radius, horizon = pack([(0, shape)]), 0.4, 1.0
    start, moves = random.normal(size=(2, 3))
    turn = random.normal(size=4)
    turn /= np.linalg.norm(turn)
    now = np.array([*start, *turn, 1.0])
    soon = np.array([*(start + moves / 60), *turn, 1.0])
    p = start + random.normal(size=3) * 3
    own, wanted = random.normal(size=(2, 3)) * 4
    plane, times = np.empty(4), (1 / 60, horizon, np.inf)
    gap = avoid_solid(
        solids, 0, now, soon, tuple(p), tuple(own), tuple(wanted), radius, times, plane
    )
    if gap < 0.01:
        return
    v = wanted + max(plane[3] - plane[:3] @ wanted, 0.0) * plane[:3]
    later = np.array([*(start + moves * horizon), *turn, 1.0])
    body, _ = first_contact(
        solids,
        now[None],
        later[None],
        tuple(p),
        tuple(p + v * horizon),
        radius - 1e-6,
        np.empty((64, 2)),
    )
    assert body == -1
