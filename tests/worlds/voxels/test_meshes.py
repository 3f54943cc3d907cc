"""Cells that a mesh meets, compared with polygons clipped in rational numbers."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noctule as nt
from noctule.worlds.voxels.inside import open_edges

SIZE = 5

eighths = st.integers(0, 8 * SIZE).map(lambda n: n / 8)
halves = st.integers(0, 2 * SIZE).map(lambda n: n / 2)
floats = st.floats(0, SIZE, allow_nan=False, width=32).map(lambda v: v if v > 1e-6 else 0.0)
BOX = ((0, 0, 0), (SIZE, SIZE, SIZE))
CUBE = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CUBE_FACES = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]


def clipped(corners, cell):
    """Return the corners of the part of a triangle within a closed cell."""
    polygon = [tuple(map(Fraction, corner)) for corner in corners]
    for axis, side in itertools.product(range(3), (0, 1)):
        border, sign = cell[axis] + side, 1 - 2 * side
        before, polygon = polygon, []
        for p, q in zip(before, before[1:] + before[:1], strict=True):
            a, b = sign * (p[axis] - border), sign * (q[axis] - border)
            if a >= 0:
                polygon.append(p)
            if a * b < 0:
                polygon.append(tuple(u + (v - u) * a / (a - b) for u, v in zip(p, q, strict=True)))
    return polygon


def meets(corners, cell):
    """Whether a triangle meets the open cube: then the middle of the common part is in it."""
    part = clipped(corners, cell)
    middle = [sum(values) / len(part) for values in zip(*part, strict=True)]
    return bool(part) and all(i < v < i + 1 for v, i in zip(middle, cell, strict=True))


def behind(corners):
    """Return the triangle, moved into the cells behind it if it lies between cells."""
    a, b, c = (np.array([Fraction(v) for v in corner]) for corner in corners)
    u, v = b - a, c - a
    normal = [u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)]
    for axis in range(3):
        if a[axis] == b[axis] == c[axis] and a[axis].denominator == 1:
            if normal[axis] == 0:
                return None
            shift = np.array([Fraction(0)] * 3)
            shift[axis] = Fraction(-1 if normal[axis] > 0 else 1, 2)
            return [a + shift, b + shift, c + shift]
    return [a, b, c]


def naive_surface(vertices, faces):
    blocked = np.zeros((SIZE,) * 3, bool)
    for face in faces:
        corners = behind([vertices[i] for i in face])
        if corners is not None:
            for cell in np.ndindex(blocked.shape):
                blocked[cell] |= meets(corners, cell)
    return blocked


@pytest.mark.parametrize("numbers", [eighths, halves, floats], ids=["eighths", "halves", "floats"])
def test_surface(numbers):
    @settings(max_examples=40)
    @given(st.lists(st.tuples(numbers, numbers, numbers), min_size=3, max_size=3))
    def check(triangle):
        grid = nt.Grid.from_mesh(triangle, [(0, 1, 2)], cell=1.0, bounds=BOX)
        assert np.array_equal(grid.blocked, naive_surface(triangle, [(0, 1, 2)]))

    check()


def test_long_rows_are_the_same_as_short_ones():
    rng = np.random.default_rng(3)
    for _ in range(30):
        triangle = rng.integers(0, 40, (3, 3)) / 4
        tall = nt.Grid.from_mesh(triangle * (1, 1, 4), [(0, 1, 2)], cell=1.0, margin=1).blocked
        turned = nt.Grid.from_mesh(triangle[:, ::-1] * (4, 1, 1), [(0, 2, 1)], cell=1.0, margin=1)
        assert np.array_equal(tall, turned.blocked.transpose(2, 1, 0))


def tetrahedron(corners):
    a, b, c, d = map(np.array, corners)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    if np.dot(np.cross(b - a, c - a), d - a) < 0:
        faces = [face[::-1] for face in faces]
    return np.array(corners), np.array(faces)


def is_inside(vertices, faces, point):
    """Whether a point lies strictly inside a convex mesh whose normals point outwards."""
    sides = []
    for face in faces:
        a, b, c = ([Fraction(v) for v in vertices[i]] for i in face)
        u, v, w = ([q - p for p, q in zip(a, end, strict=True)] for end in (b, c, point))
        sides.append(sum(w[i] * (u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2]) for i in range(3)))
    return all(side < 0 for side in sides)


@settings(max_examples=40)
@given(st.lists(st.tuples(eighths, eighths, eighths), min_size=4, max_size=4))
def test_inside_of_a_tetrahedron(corners):
    vertices, faces = tetrahedron(corners)
    solid = nt.Grid.from_mesh(vertices, faces, cell=1.0, bounds=BOX, solid=True).blocked
    flat = np.linalg.matrix_rank(vertices[1:] - vertices[0]) < 3
    for cell in np.ndindex(solid.shape):
        expected = any(meets([vertices[i] for i in face], cell) for face in faces)
        if not expected and not flat:
            expected = is_inside(vertices, faces, [Fraction(2 * i + 1, 2) for i in cell])
        assert solid[cell] == expected, cell


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(*[st.integers(0, 2 * SIZE - 1)] * 3, *[st.integers(1, 4)] * 3),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
def test_inside_of_boxes_that_overlap(boxes, inside_out):
    vertices, faces, expected = [], [], np.zeros((SIZE,) * 3, bool)
    for box in boxes:
        low = np.array(box[:3]) / 2
        high = np.minimum(low + np.array(box[3:]) / 2, SIZE)
        faces += [tuple(len(vertices) + i for i in face) for face in CUBE_FACES]
        vertices += [low + np.array(corner) * (high - low) for corner in CUBE]
        first, last = np.floor(low).astype(int), np.ceil(high).astype(int)
        expected[tuple(map(slice, first, last))] = True
    if inside_out:
        faces = [face[::-1] for face in faces]
    solid = nt.Grid.from_mesh(vertices, faces, cell=1.0, bounds=BOX, solid=True)
    assert np.array_equal(solid.blocked, expected)


def test_the_surface_of_a_box_is_as_its_cells():
    grid = nt.Grid.from_mesh(np.array(CUBE) * 10, CUBE_FACES, cell=1.0)
    expected = np.ones((10, 10, 10), bool)
    expected[1:-1, 1:-1, 1:-1] = False
    assert np.array_equal(grid.blocked, expected)


@pytest.mark.parametrize("cell", [0.1, 0.3, 1 / 3, 0.05])
def test_rounded_coordinates_lie_between_cells(cell):
    corners = np.array(CUBE) * 12 * cell
    solid = nt.Grid.from_mesh(corners, CUBE_FACES, cell=cell, solid=True)
    assert solid.shape == (12, 12, 12)
    assert solid.blocked.all()


def test_nothing_passes_a_wall_between_cells():
    wall = [(2, 0, 0), (2, 4, 0), (2, 4, 4), (2, 0, 4)]
    for faces in ([(0, 1, 2), (0, 2, 3)], [(0, 2, 1), (0, 3, 2)]):
        grid = nt.Grid.from_mesh(wall, faces, cell=1.0, bounds=((0, 0, 0), (4, 4, 4)))
        assert not grid.line_of_sight((0.5, 1.5, 1.5), (3.5, 1.5, 1.5))
        assert grid.blocked.sum() == 16


def test_bounds_cut_the_same_cells():
    rng = np.random.default_rng(1)
    vertices, faces = rng.random((30, 3)) * 6, rng.integers(0, 30, (20, 3))
    whole = nt.Grid.from_mesh(vertices, faces, cell=0.5, bounds=((0, 0, 0), (6, 6, 6)))
    part = nt.Grid.from_mesh(vertices, faces, cell=0.5, bounds=((1, 2, 1.5), (3, 5, 4)))
    assert np.array_equal(part.blocked, whole.blocked[2:6, 4:10, 3:8])
    assert part.origin.tolist() == [1, 2, 1.5]


def test_every_sampled_point_is_in_a_solid_cell():
    trimesh = pytest.importorskip("trimesh", reason="trimesh samples the mesh")
    mesh = trimesh.creation.torus(3.0, 1.0)
    grid = nt.Grid.from_mesh(mesh, cell=0.1)
    places, _ = trimesh.sample.sample_surface(mesh, 20_000, seed=1)
    cells = np.floor((places - grid.origin) / grid.cell).astype(int)
    assert grid.blocked[tuple(cells.T)].all()
    found = mesh.voxelized(0.1)
    cells = np.rint((found.points - grid.origin) / grid.cell - 0.5).astype(int)
    assert grid.blocked.sum() >= 0.99 * len(cells)
    solid = nt.Grid.from_mesh(mesh, cell=0.1, solid=True)
    assert solid.blocked.sum() * 0.001 == pytest.approx(mesh.volume, rel=0.15)
    assert not (grid.blocked & ~solid.blocked).any()


def test_open_edges():
    corners, faces = np.array(CUBE, float), np.array(CUBE_FACES)
    assert open_edges(corners, faces) == 0
    assert open_edges(corners, faces[1:]) == 3
    apart = corners[faces].reshape(-1, 3)  # as in .stl files, where triangles share no vertices
    assert open_edges(apart, np.arange(36).reshape(12, 3)) == 0
    assert open_edges(corners, np.concatenate([faces[:1, ::-1], faces[1:]])) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"cell is missing; the content measures 10 x 10 x 10, so cell=0.05 makes"),
        ({"cell": 0.0}, "cell is 0.0; it must be a number above 0"),
        ({"cell": 1e-3}, r"10,000 x 10,000 x 10,000 cells .* scale=0.001 if these are millim"),
        ({"cell": 11.0}, "less than one cell of 11; .* scale=1000"),
        ({"cell": 1.0, "margin": -1}, "margin is -1"),
        ({"cell": 1.0, "bounds": (0, 1)}, "bounds have shape"),
        ({"cell": 1.0, "bounds": ((0, 0, 0), (0, 1, 1))}, "the second must be higher"),
        ({"cell": 1.0, "bounds": ((20, 0, 0), (30, 1, 1))}, "hold nothing; the content spans"),
        ({"cell": 1.0, "faces": [(0, 1, 8)]}, "faces name vertices 0 to 8; there are 0 to 7"),
        ({"cell": 1.0, "faces": [(0, 1)]}, "expected rows of three numbers"),
        ({"cell": 1.0, "faces": np.empty((0, 3), int)}, "there are none"),
        ({"cell": 1.0, "vertices": [(0, 0, np.nan)] * 8}, "number 0 is .* must be finite"),
        ({"cell": 1.0, "faces": CUBE_FACES[1:], "solid": True}, "solid=True needs a closed mesh"),
    ],
)
def test_wrong_input(options, message):
    arguments = {"vertices": np.array(CUBE) * 10, "faces": CUBE_FACES} | options
    with pytest.raises(ValueError, match=message):
        nt.Grid.from_mesh(**arguments)
