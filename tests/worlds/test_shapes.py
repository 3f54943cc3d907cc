"""Shapes, distances and contact, compared with slow reference versions."""

import itertools
import math
import re

import numpy as np
import pytest
from boundaries import segments_near_bodies
from hypothesis import given, settings
from random_scenes import corners_of, distance_from, random_rotation, random_shape

import noctule as nt
from noctule.core.jit import kernel
from noctule.flight.collision import CollisionCheck
from noctule.verification.bodies import nearest_to_origin
from noctule.worlds.geometry.depth import signed_distance
from noctule.worlds.geometry.distances import is_near, segment_to_solid
from noctule.worlds.geometry.rotations import compose, rotate, rotation_about, slerp
from noctule.worlds.geometry.solids import pack

FAR = ((1e9, 0.0, 0.0), (1e9, 0.0, 0.0))
OCTAHEDRON = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]


@kernel
def distance(solids, p, q):
    return segment_to_solid(solids, 0, p, q)


@kernel
def depth(solids, p, q):
    return signed_distance(solids, 0, p, q)


@kernel
def near(solids, poses, p, q, radius):
    return is_near(solids, poses, 0, p, q, radius)


def test_box_has_three_normals_and_three_edges():
    box = nt.Box((1, 2, 3))
    assert box.vertices.shape == (8, 3)
    assert len(box.triangles) == 12
    for found in (box.normals, box.edges):
        np.testing.assert_allclose(sorted(np.abs(found).tolist()), np.eye(3)[::-1], atol=1e-12)


def test_a_box_keeps_no_array_of_the_caller():
    size = np.array([1.0, 2.0, 3.0])
    box = nt.Box(size)
    size[0] = 9.0
    assert box.size.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        box.size[0] = 2.0


def test_boxes_are_polyhedra():
    """Distances from a box equal those from its faces, for special and random segments."""
    rng = np.random.default_rng(3)
    poses = np.array([[0, 0, 0, 0, 0, 0, 1, 1]], np.float64)
    for size in ((2, 2, 2), (1, 3, 6), (0.5, 8, 1)):
        solids = pack([(0, nt.Box(size))])
        assert solids.is_box.all()
        by_faces = solids._replace(is_box=np.zeros(1, np.bool_))
        for i in range(3000):
            ends = rng.integers(-8, 9, (2, 3)) / 2 if i % 2 else rng.normal(size=(2, 3)) * 3
            p, q = (tuple(map(float, end)) for end in (ends if i % 10 else ends[[0, 0]]))
            gap = distance(by_faces, p, q)
            assert distance(solids, p, q) == pytest.approx(gap, abs=1e-12)
            for radius in (0.2, max(0.5 * gap, 1e-6), 2.0 * gap + 0.1):
                assert near(solids, poses, p, q, radius) == near(by_faces, poses, p, q, radius)


def test_only_boxes_along_the_axes_are_boxes():
    turned = nt.Box((1, 2, 3)).vertices @ np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]])
    cut = [v for v in nt.Box((1, 2, 3)).vertices.tolist() if v != [0.5, 1.0, 1.5]]
    shapes = [nt.Box((1, 2, 3)), nt.Hull(turned), nt.Hull(cut), nt.Ball(2)]
    shapes += [nt.Hull(nt.Box((1, 2, 3)).vertices + 5)]
    assert pack([(0, shape) for shape in shapes]).is_box.tolist() == [True, *[False] * 3, True]


@pytest.mark.parametrize("seed", range(40))
def test_hull_holds_all_points(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    points = rng.normal(size=(n, 3)) if seed % 2 else rng.integers(0, 4, (n + 20, 3)).astype(float)
    hull = nt.Hull(points)
    corner = hull.vertices[hull.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    heights = np.einsum("tk,tpk->tp", normal, points - corner[:, :1])
    assert heights.max() < 1e-7
    edges = {(i, j) for t in hull.triangles.tolist() for i, j in zip(t, t[1:] + t[:1], strict=True)}
    assert all((j, i) in edges for i, j in edges)  # the surface has no holes
    assert len(hull.vertices) - len(edges) // 2 + len(hull.triangles) == 2  # Euler


@pytest.mark.parametrize("seed", range(40))
def test_normals_and_edges_are_those_of_the_surface_each_once(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    points = rng.normal(size=(n, 3)) if seed % 2 else rng.integers(0, 3, (n + 20, 3)).astype(float)
    hull = nt.Hull(points)
    corner = hull.vertices[hull.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    face_of = {
        edge: t
        for t, (i, j, k) in enumerate(hull.triangles.tolist())
        for edge in ((i, j), (j, k), (k, i))
    }
    sharp = [
        hull.vertices[j] - hull.vertices[i]
        for (i, j), t in face_of.items()
        if np.linalg.norm(normal[t] - normal[face_of[j, i]]) > 1e-6
    ]
    edge = np.array(sharp) / np.linalg.norm(sharp, axis=1, keepdims=True)
    for found, expected in ((hull.normals, normal), (hull.edges, edge)):
        apart = np.linalg.norm(np.cross(found[:, None], found[None]), axis=2)
        assert (apart + np.eye(len(found)) > 1e-9).all()  # none twice
        apart = np.linalg.norm(np.cross(found[:, None], expected[None]), axis=2)
        assert apart.min(axis=0).max() < 1e-7  # none missing
        assert apart.min(axis=1).max() < 1e-7  # none too many


def test_wrong_arguments():
    plane = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0.3, 0.4, 0)]
    for make, message in (
        (lambda: nt.Box((1, 0, 2)), "size is 0.0; it must be a number above 0"),
        (lambda: nt.Box((1, 2)), "size has shape"),
        (lambda: nt.Box((1, math.nan, 2)), "must be finite"),
        (lambda: nt.Ball(-1), "radius is -1; it must be a number above 0"),
        (lambda: nt.Hull(plane), "lie in a plane"),
        (lambda: nt.Hull([(i, i, i) for i in range(5)]), "lie on a line"),
        (lambda: nt.Hull(plane[:3]), "3 different vertices; a body has at least 4"),
        (lambda: nt.Hull([(0, 0), (1, 1)]), "expected (n, 3)"),
        (lambda: nt.Hull("box"), "expected rows of 3 numbers"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            make()


@pytest.mark.parametrize("seed", range(300))
def test_distance_is_that_of_the_nearest_points(seed):
    rng = np.random.default_rng(seed)
    shape = random_shape(rng)
    p, q = rng.uniform(-4, 4, (2, 3))
    if seed % 3 == 0:
        p, q = np.round(p), np.round(q)
    if seed % 7 == 0:
        q = p
    differences = (shape.vertices[:, None] - np.array([p, q])[None]).reshape(-1, 3)
    expected = max(np.linalg.norm(nearest_to_origin(differences)) - shape.radius, 0.0)
    solids, ends = pack([(0, shape)]), (tuple(p.tolist()), tuple(q.tolist()))
    assert distance(solids, *ends) == pytest.approx(expected, abs=1e-9)
    here = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]])
    for radius in (0.2, *(part * expected for part in (0.5, 0.999, 1.001, 2.0) if expected > 1e-6)):
        assert near(solids, here, *ends, radius) == (expected < radius)


def test_rotations():
    quarter = rotation_about((0, 0, 2.0), 90.0)
    np.testing.assert_allclose(rotate(*quarter, 1.0, 0.0, 0.0), (0, 1, 0), atol=1e-15)
    twice = compose(quarter, quarter)
    np.testing.assert_allclose(rotate(*twice, 1.0, 2.0, 3.0), (-1, -2, 3), atol=1e-14)
    half = slerp(*(0.0, 0.0, 0.0, 1.0), *quarter, 0.5)
    np.testing.assert_allclose(half, rotation_about((0, 0, 1.0), 45.0), atol=1e-15)


def dense_contact(body, before, after_, p, q, radius, steps=400):
    """Return the first sampled time at which a ball is too near to a body, and the least gap."""
    least = math.inf
    for k in range(steps + 1):
        t = k / steps
        row = (1 - t) * before + t * after_
        row[3:7] = slerp(*before[3:7].tolist(), *after_[3:7].tolist(), t)
        gap = distance_from(body, row, (1 - t) * p + t * q)
        least = min(least, gap)
        if gap < radius:
            return t, least
    return None, least


@pytest.mark.parametrize("seed", range(60))
def test_contact_is_found_when_it_happens(seed):
    rng = np.random.default_rng(seed)
    body = nt.Body("body", random_shape(rng), rng.uniform(-3, 3, 3), random_rotation(rng))
    before = np.array(body.row)
    turn = rotation_about(tuple(rng.normal(size=3).tolist()), float(rng.uniform(-60, 60)))
    later = compose(turn, tuple(before[3:7].tolist()))
    after_ = np.array([*(before[:3] + rng.uniform(-2, 2, 3)), *later, 1.0])
    p, q = rng.uniform(-4, 4, (2, 3))
    radius = float(rng.uniform(0.05, 0.6))
    moment, least = dense_contact(body, before, after_, p, q, radius)
    way = [tuple(p.tolist()), tuple(q.tolist())]
    outcome = CollisionCheck(radius, 0.0).frame(
        pack([(0, body.shape)]), before[None], after_[None], way, FAR
    )
    if moment is None:
        # Between two samples the ball may have been slightly nearer.
        assert outcome is None or least < radius + 0.02
    else:
        assert outcome is not None
        assert (outcome.body, outcome.reached) == (0, False)
        assert moment - 1 / 400 - 1e-6 <= outcome.moment <= moment + 1e-6


def test_a_ball_that_slides_along_a_wall_does_not_hit_it():
    wall = pack([(0, nt.Box((10, 1, 10)))])
    pose = np.array([[0, 0, 0, 0, 0, 0, 1, 1.0]])
    way = [(-3.0, 0.95, 0.0), (3.0, 0.95, 1.0)]
    assert CollisionCheck(0.45, 0.9).frame(wall, pose, pose, way, FAR) is None
    nearer = [(x, y - 1e-5, z) for x, y, z in way]
    assert CollisionCheck(0.45, 0.9).frame(wall, pose, pose, nearer, FAR) is not None


@pytest.mark.parametrize("radius", [0.0, 1e-9, 1e-7, 2e-7, 1e-4])
@pytest.mark.parametrize("shape", [nt.Box((2, 2, 2)), nt.Hull(OCTAHEDRON), nt.Ball(1)])
def test_a_body_hits_a_point_agent_that_it_meets(shape, radius):
    """With and without rotation, and whichever of the two moves."""
    solids, check = pack([(0, shape)]), CollisionCheck(radius, 0.0)
    still = np.array([[0, 0, 0, 0, 0, 0, 1, 1.0]])
    turned = np.array([[0, 0, 0, *rotation_about((0, 0, 1.0), 20.0), 1.0]])
    through = [(-3.0, 0.1, 0.2), (3.0, 0.1, 0.2)]
    inside = [(0.2, 0.1, 0.3), (0.2, 0.1, 0.3)]
    for after_ in (still, turned):
        assert check.frame(solids, still, after_, inside, FAR).moment == 0.0
        hit = check.frame(solids, still, after_, through, FAR)
        assert (hit.body, hit.reached) == (0, False)
        assert 0.3 < hit.moment < 0.4
    coming, gone = still.copy(), still.copy()
    coming[0, 0], gone[0, 0] = -3, 3
    met = check.frame(solids, coming, gone, [(0.0, 0.1, 0.2)] * 2, FAR)
    assert met.body == 0
    assert 0.3 < met.moment < 0.4
    beside = [(x, 1.0 + radius, z) for x, _, z in through]  # touches the top all along, or its tip
    assert check.frame(solids, still, still, beside, FAR) is None
    assert check.frame(solids, coming, gone, beside[:1], FAR) is None


@settings(max_examples=200)
@given(segments_near_bodies(radii=(0.0, 1e-8, 1e-6, 1e-3, 0.45)))
def test_contact_is_exact_to_a_touch(near):
    """Segments that almost touch a face, an edge or a corner, from both sides."""
    solids, pose = pack([(0, near.body.shape)]), np.array(near.body.row)[None]
    flown = [tuple(end) for end in near.ends.tolist()]
    hit = CollisionCheck(near.radius, 0.0).frame(solids, pose, pose, flown, FAR)
    if near.offset >= 0:
        assert hit is None
    if near.offset < -1e-5:
        assert hit is not None


@pytest.mark.parametrize("seed", range(200))
def test_depth_is_that_of_the_deepest_point(seed):
    rng = np.random.default_rng(seed)
    shape = random_shape(rng)
    p, q = rng.normal(size=(2, 3)) * (0.5 if seed % 2 else 2.0)
    if seed % 5 == 0:
        q = p
    points = p + np.linspace(0, 1, 2001)[:, None] * (q - p)
    if shape.radius:
        heights = np.linalg.norm(points, axis=1) - shape.radius
    else:
        corner = shape.vertices[shape.triangles]
        normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        heights = np.einsum("tk,tpk->tp", normal, points - corner[:, :1]).max(axis=0)
    found = depth(pack([(0, shape)]), tuple(p.tolist()), tuple(q.tolist()))
    assert (found < 0) == (heights.min() < 0)
    if found < 0:
        assert found == pytest.approx(heights.min(), abs=2e-3)
        assert found <= heights.min() + 1e-12


def test_a_body_that_appears_at_the_agent_hits_it():
    gate = pack([(0, nt.Box((1, 1, 1)))])
    absent, present = (np.array([[0, 0, 0, 0, 0, 0, 1, float(k)]]) for k in (0, 1))
    check = CollisionCheck(0.4, 0.9)
    here = [(0.0, 0.0, 0.8), (0.0, 0.0, 0.7)]
    assert check.frame(gate, absent, present, here, FAR).moment == 1.0
    assert check.frame(gate, present, absent, here, FAR) is None
    assert check.frame(gate, absent, absent, here, FAR) is None


def test_agent_and_destination_touch_between_frames():
    nothing = pack([])
    check = CollisionCheck(0.4, 0.9)
    passing = [(-5.0, 0.5, 0.0), (5.0, 0.5, 0.0)]
    goal = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    outcome = check.frame(nothing, np.empty((0, 8)), np.empty((0, 8)), passing, goal)
    assert outcome.reached
    assert outcome.moment == pytest.approx((5 - math.sqrt(0.9**2 - 0.5**2)) / 10)
    turning = [(-5.0, 0.5, 0.0), (-5.0, 5.0, 0.0), (0.0, 5.0, 0.0), (0.0, 0.5, 0.0)]
    outcome = check.frame(nothing, np.empty((0, 8)), np.empty((0, 8)), turning, goal)
    assert outcome.reached
    assert outcome.moment == pytest.approx((4.5 + 5 + 4.1) / 14)


def test_corners_turn_with_the_body():
    body = nt.Body("body", nt.Box((2, 4, 6)), (1, 2, 3), rotation_about((0, 0, 1.0), 90.0))
    expected = {(1 + x, 2 + y, 3 + z) for x, y, z in itertools.product((-2, 2), (-1, 1), (-3, 3))}
    found = {tuple(np.round(c, 9).tolist()) for c in corners_of(body, np.array(body.row))}
    assert found == expected
