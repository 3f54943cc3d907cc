"""`verify` among bodies: a small penetration is rejected, for every shape and graph."""

import dataclasses

import numpy as np
import pytest
from boundaries import segments_near_bodies
from hypothesis import given, settings
from random_scenes import random_rotation, random_shape, rotation_matrix

import noctule as nt
from noctule.verification.bodies import signed_distance
from noctule.verification.timed import violations_in_time
from noctule.worlds.geometry.distances import segment_to_solid
from noctule.worlds.geometry.solids import pack
from noctule.worlds.motions import Drift, Way

CENTRE = (10.0, 10.0, 10.0)
SHAPES = {
    "box": nt.Box((6, 6, 6)),
    "slab": nt.Box((0.2, 6, 6)),
    "hull": nt.Hull([(3, 0, 0), (-3, 0, 0), (0, 3, 0), (0, -3, 0), (0, 0, 3), (0, 0, -3)]),
    "ball": nt.Ball(3),
}
ROTATIONS = {"straight": (0, 0, 0, 1), "turned": (0.1, 0.3, -0.2, 0.9)}
START, GOAL = (1.5, 10.2, 10.3), (18.5, 10.2, 10.3)


def scene_with(*bodies, radius=0.3):
    agent, target = nt.Agent(START, radius), nt.Destination(GOAL, 0.3)
    return nt.Scene(nt.Space((0, 0, 0), (20, 20, 20)), agent, target, bodies)


def line(ends, like=None, **more):
    """A straight path with the right length."""
    points = np.array(ends, np.float64)
    length = float(np.linalg.norm(points[-1] - points[0]))
    like = like or nt.plan(nt.Grid(np.zeros((2, 2, 2), bool)), (0.5,) * 3, (1.5,) * 3, "a*")
    return dataclasses.replace(like, points=points, length=length, **more)


def claims(scene, ends, radius):
    """Yield the line as each kind of path that is checked against bodies, and its world."""
    past_bodies, cells = nt.CellGrid(scene, sight="bodies"), nt.CellGrid(scene)
    duration = max(float(np.linalg.norm(ends[1] - ends[0])), 1.0)
    yield line(ends, radius=radius), past_bodies
    yield line(ends, radius=radius), nt.Waypoints(scene)
    yield line(ends, radius=radius), nt.Graph([START, GOAL], [(0, 1)], past_bodies)
    yield line(ends, radius=radius, blocked_ends=(True, False)), cells
    yield line(ends, radius=radius, blocked_ends=(False, True)), cells
    yield line(ends, radius=radius, times=np.array([0.0, duration])), scene


@pytest.mark.parametrize("radius", [0.0, 1e-12, 1e-9, 1e-3, 0.4])
@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_line_through_a_body_is_proved(shape, rotation, radius):
    scene = scene_with(nt.Body("body", SHAPES[shape], CENTRE, ROTATIONS[rotation]))
    for path, world in claims(scene, np.array([START, GOAL]), radius):
        assert not nt.verify(path, world), world
    hybrid = nt.Hybrid(scene)
    for ends in (True, False), (False, True):
        assert not nt.verify(line([START, GOAL], radius=radius, blocked_ends=ends), hybrid)


@settings(max_examples=200)
@given(segments_near_bodies())
def test_a_little_nearer_is_refused_a_little_farther_is_proved(near):
    """Segments that almost touch a face, an edge or a corner, from both sides."""
    scene = scene_with(near.body, radius=min(near.radius, 0.45))
    for path, world in claims(scene, near.ends, near.radius):
        free = nt.verify(path, world)
        if near.offset >= 0:
            assert free, (near, world)
        if near.offset < -1e-6:  # at a sharp corner, the depth is less than the offset
            assert not free, (near, world)


@settings(max_examples=200)
@given(segments_near_bodies(radii=(0.0, 1e-3, 0.25, 0.45)))
def test_what_is_seen_is_proved(near):
    scene = scene_with(near.body, radius=near.radius)
    for world in (nt.CellGrid(scene, sight="bodies"), nt.Waypoints(scene)):
        seen = world.line_of_sight(*near.ends, radius=near.radius)
        proved = nt.verify(near.ends, world, near.radius)
        assert proved or not seen
        if abs(near.offset) > 1e-6:
            assert proved == seen


@pytest.mark.parametrize("seed", range(300))
def test_depth_is_the_shortest_way_out(seed):
    """A segment moved by less than the depth, in any direction, still meets the body."""
    rng = np.random.default_rng(seed)
    shape, rotation = random_shape(rng), random_rotation(rng) if seed % 3 else (0, 0, 0, 1)
    ends = rng.normal(size=(2, 3)) * (0.3 if seed % 2 else 1.0)
    if seed % 5 == 0:
        ends[1] = ends[0]
    depth = -signed_distance(shape, (0, 0, 0), rotation, ends)
    turned = nt.Ball(shape.radius) if shape.radius else nt.Hull(corners(shape, rotation))
    solids = pack([(0, turned)])

    def meets(move):
        p, q = (tuple(end) for end in (ends + move).tolist())
        return segment_to_solid(solids, 0, p, q) < 1e-12

    assert meets(0 * ends[0]) == (depth >= 0)
    if depth < 0:
        return
    units = rng.normal(size=(400, 3))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    assert all(meets(0.999 * depth * u) for u in units)
    exits = [u for u in directions(turned, ends) if not meets(1.001 * depth * u + 1e-9 * u)]
    assert exits, "no translation of this length separates them"


def corners(shape, rotation):
    return shape.vertices @ rotation_matrix(rotation).T


def directions(shape, ends):
    """Candidate directions of the shortest translation out of a shape, and their opposites."""
    across = np.cross(shape.edges, ends[1] - ends[0])
    vectors = np.concatenate([shape.normals, across])
    if shape.radius > 0:
        along = ends[1] - ends[0]
        part = np.clip(-(ends[0] @ along) / max(along @ along, 1e-300), 0, 1)
        vectors = (ends[0] + part * along)[None]
    vectors = vectors[np.linalg.norm(vectors, axis=1) > 1e-12]
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.concatenate([vectors, -vectors])


@pytest.mark.parametrize("radius", [0.0, 1e-12, 1e-6, 0.1, 0.45])
@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_verified_path_pushed_into_a_body_is_refused(shape, rotation, radius):
    """Each segment of a planned path is moved slightly into the body."""
    body = nt.Body("body", SHAPES[shape], CENTRE, ROTATIONS[rotation])
    scene = scene_with(body, radius=radius)
    for world in (nt.CellGrid(scene, sight="bodies"), nt.Waypoints(scene)):
        push(nt.plan(world, START, GOAL, "theta*", radius=radius), world, world)


@pytest.mark.parametrize("radius", [0.0, 1e-12, 1e-6, 0.1, 0.45])
def test_a_verified_path_pushed_into_cells_is_refused(radius):
    """The same on graphs that are checked against cells; the box fills whole cells."""
    scene = scene_with(nt.Body("box", SHAPES["box"], CENTRE), radius=radius)
    cells = nt.CellGrid(scene)
    grid = nt.Grid(cells.blocked)
    around = [START, (6.2, 10.2, 15.1), (14.1, 10.2, 15.1), GOAL]
    for world in (grid, cells, nt.Hybrid(scene), nt.Graph(around, LEGS, grid, radius=radius)):
        push(nt.plan(world, START, GOAL, "theta*", radius=radius), world, world)
    corners = nt.Grid(cells.blocked, nodes="corners")
    push(nt.plan(corners, START, GOAL, "theta*"), corners, corners)


@pytest.mark.parametrize("radius", [0.0, 1e-12, 1e-6, 0.1, 0.45])
def test_a_verified_path_in_time_pushed_into_a_body_is_refused(radius):
    scene = scene_with(nt.Body("box", SHAPES["box"], CENTRE), radius=radius)
    path = nt.plan(nt.CellGrid(scene), START, GOAL, "safe-intervals", radius=radius)
    assert path.times is not None
    push(path, scene, nt.CellGrid(scene, sight="bodies"))


LEGS = [(0, 1), (1, 2), (2, 3)]


def push(path, world, sight):
    """Move each segment towards the centre as far as `sight` allows, and a little farther."""
    assert path.found
    assert nt.verify(path, world)
    for i in range(len(path.points) - 1):
        ends = path.points[i : i + 2]
        if np.array_equal(*ends):  # the agent waits
            continue
        free, blocked = 1.0, 0.0  # scale of the segment about the centre
        while free - blocked > 1e-9:
            middle = (free + blocked) / 2
            if sight.line_of_sight(*pulled(ends, middle), radius=path.radius):
                free = middle
            else:
                blocked = middle
        assert nt.verify(moved(path, i, free + 1e-7, alone=True), world)
        assert not nt.verify(moved(path, i, blocked - 1e-6, alone=True), world)
        assert not nt.verify(moved(path, i, blocked - 1e-6), world)


def moved(path, i, part, alone=False):
    """The same path with segment i elsewhere, or only this segment."""
    points, times = path.points.copy(), path.times
    points[i : i + 2] = pulled(points[i : i + 2], part)
    if alone:
        points, times = points[i : i + 2], None if times is None else times[i : i + 2]
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return dataclasses.replace(path, points=points, length=length, times=times)


def pulled(ends, part):
    return np.array(CENTRE) + part * (ends - CENTRE)


@pytest.mark.parametrize("radius", [0.0, 1e-3, 0.4])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_that_flies_through_the_agent_is_noticed(shape, radius):
    """It is not if it passes slightly farther away than the radius, or arrives after the path."""
    for offset, free in ((-1e-3, False), (1e-3, True)):
        drift = Drift((2.0, 0.0, 0.0))
        body = nt.Body("drifter", SHAPES[shape], (-10.0, 10.0, 10.0), motion=drift)
        scene = scene_with(body, radius=radius)
        above = np.array([[10.0, 10.0, 19.9]])
        gap = signed_distance(body.shape, CENTRE, ROTATIONS["straight"], above)
        place = (10.0, 10.0, 19.9 - gap + radius + offset)
        waits = line([place, place], radius=radius, times=np.array([0.0, 20.0]))
        assert nt.verify(waits, scene) == free
        early = line([place, place], radius=radius, times=np.array([0.0, 5.0]))
        assert nt.verify(early, scene)


def test_a_segment_that_enters_says_how_deep():
    scene = scene_with(nt.Body("box", nt.Box((6, 6, 6)), CENTRE), radius=0.0)
    grid = nt.CellGrid(scene, sight="bodies")
    (found,) = nt.violations([(1.5, 10.2, 12.5), (18.5, 10.2, 12.5)], grid)
    assert str(found) == "segment 0 enters body 'box' by 0.5"
    (found,) = nt.violations([(1.5, 10.2, 13.5), (18.5, 10.2, 13.5)], grid, radius=1.0)
    assert str(found) == "segment 0 comes within 0.5 of body 'box'"


@pytest.mark.parametrize("moment", [0.02, 0.13, 0.31, 0.5, 0.77, 0.96])
def test_a_body_that_passes_at_any_moment_is_noticed(moment):
    """It is at the agent for a hundredth of the leg."""
    way = Way([(10, 10, 10 - 400 * moment), (10, 10, 10 + 400 * (1 - moment))], 400.0, "stay")
    body = nt.Body("body", nt.Ball(0.5), (10, 10, 10 - 400 * moment), motion=way)
    space = nt.Space((0, 0, 0), (20, 20, 20))
    scene = nt.Scene(space, nt.Agent((10, 2, 10), 0.4), nt.Destination((10, 18, 10)), [body])
    for y, free in ((10.0, False), (10.85, False), (10.95, True)):
        points, times = np.array([(10, y, 10), (10, y, 10)]), np.array([0.0, 1.0])
        hits = list(violations_in_time(points, times, scene, 0.4, 1.0))
        assert (hits == []) == free
