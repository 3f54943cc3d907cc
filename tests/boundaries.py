"""Hypothesis strategies for boundary cases: segments that almost touch, from both sides.

How far something is from touching is drawn from `OFFSETS`: at most a thousandth of a cell, so that
a rule that is wrong by a rounding error, a tolerance or a sign shows.
"""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from random_scenes import random_rotation, rotation_matrix
from strategies import blocked_arrays

import noctule as nt
from noctule.worlds.motions import Way

OFFSETS = (0.0, *(sign * 10.0**-k for k in (3, 5, 7, 9, 11) for sign in (1, -1)))
TINY_AND_USUAL = (0.0, 1e-6, 1e-3, 0.25, 0.45, 0.5)


# Low corner of a world and size of its cells: at the origin of the coordinates, in a national grid
# in metres, and so far away that a coordinate is rounded to 1e-8 cells.
PLACES = {
    "near": ((0.0, 0.0, 0.0), 1.0),
    "moved": ((-3.3, 17.7, 0.9), 0.1),
    "utm": ((5e5, 5.5e6, 0.0), 0.1),
    "far": ((1e6, 1e6, -1e6), 0.01),
}


def moved_scene(place, agent_radius=0.45, still=True):
    """A course of bodies, some with their faces on faces of cells, at one of `PLACES`."""
    origin, cell = PLACES[place]

    def at(*point):
        return np.array(origin) + np.array(point) * cell

    octahedron = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])
    turned = (0.1, 0.3, -0.2, 0.9)
    there_and_back = Way([at(15, 3, 6), at(15, 9, 6)], 2.0 * cell)
    bodies = [
        nt.Body("wall", nt.Box(np.array((1, 9, 12)) * cell), at(5.5, 4.5, 6)),
        nt.Body("lintel", nt.Box(np.array((1, 1, 5)) * cell), at(5.5, 10.5, 2.5)),
        nt.Body("stone", nt.Hull(octahedron * 2.0 * cell), at(10, 6, 6), turned),
        nt.Body("ball", nt.Ball(1.5 * cell), at(10, 2, 3.5)),
        nt.Body(
            "slider",
            nt.Box((2 * cell,) * 3),
            at(15, 6, 6),
            motion=None if still else there_and_back,
        ),
    ]
    agent = nt.Agent(at(1.5, 1.5, 1.5), agent_radius * cell, 4.0 * cell)
    target = nt.Destination(at(18.5, 1.5, 1.5), 0.4 * cell)
    return nt.Scene(nt.Space(origin, (20, 12, 12), cell), agent, target, bodies)


class NearCell(NamedTuple):
    """Cells, and a segment (in cells) on which an agent of this radius almost touches one."""

    blocked: np.ndarray
    ends: np.ndarray
    radius: float

    def grid(self, place="near", **options):
        """Return the cells at one of `PLACES`, and the segment in world units."""
        origin, cell = PLACES[place]
        low = np.array(origin[: self.blocked.ndim])
        return nt.Grid(self.blocked, cell, low, **options), low + self.ends * cell


@st.composite
def segments_near_cells(draw, radii=TINY_AND_USUAL, dimension=None):
    """A segment that passes a face, an edge or a corner of a cell, or the border of the world."""
    blocked = draw(blocked_arrays(dimension, longest=5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape, radius = np.array(blocked.shape), draw(st.sampled_from(radii))
    solid = np.argwhere(blocked)
    cell = rng.choice(solid) if len(solid) and rng.random() < 0.8 else rng.integers(0, shape)
    side = rng.integers(-1, 2, len(shape))  # below the cell, within, above it
    part = rng.choice([0.0, 0.25, 0.5, 1.0, rng.uniform()], len(shape))
    point = cell + np.where(side == 0, part, (side + 1) / 2)
    away = side * rng.choice([0.0, 1.0, rng.uniform()], len(shape))
    if away.any():
        offset = draw(st.sampled_from(OFFSETS))
        point = point + (radius + offset) * away / np.linalg.norm(away)
    ends = []
    along = rng.choice([rng.normal(size=len(shape)), rng.integers(-2, 3, len(shape))])
    if rng.random() < 0.5:  # beside the cell, not towards it
        along = np.where(away == 0, along, 0.0)
    for way in (-along, along):
        most = np.where(way > 0, shape - point, point) / np.maximum(np.abs(way), 1e-12)
        length = draw(st.sampled_from((0.0, 0.5, 1.0))) * max(min(3.0, most.min()), 0.0)
        ends.append(np.clip(point + length * way, 0.0, shape))
    return NearCell(blocked, np.array(ends), radius)


class NearBody(NamedTuple):
    """A body, and a segment on which an agent of this radius almost touches it."""

    body: nt.Body
    ends: np.ndarray
    radius: float
    offset: float  # distance of the body from the segment minus the radius


@st.composite
def segments_near_bodies(draw, offsets=OFFSETS, radii=TINY_AND_USUAL):
    """A segment in a plane in front of a face, an edge or a corner of a body, or of a ball.

    Where a point agent is to enter the body, the segment passes a point so deep in it.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.sampled_from(("box", "cube", "hull", "ball")))
    body = nt.Body(shape, _shape(shape, rng), (10.0, 10.0, 10.0), _rotation(draw, rng))
    radius, offset = draw(st.sampled_from(radii)), draw(st.sampled_from(offsets))
    corners = (body.shape.vertices @ rotation_matrix(body.rotation).T) + body.position
    part = draw(st.sampled_from(("face", "edge", "corner")))
    touched, normal = _support(part, body.shape, corners, rng)
    centre = corners.mean(axis=0)
    if radius + offset >= 0:
        point = touched + (radius + offset) * normal
    else:
        inwards = centre - touched
        size = np.linalg.norm(inwards)
        inwards = inwards / size if size > 0 else -normal
        point = touched - (radius + offset) * inwards
    along = np.cross(normal, rng.normal(size=3))
    along /= np.linalg.norm(along)
    lengths = rng.choice([0.0, 0.5, 3.0], 2)
    ends = np.array([point - lengths[0] * along, point + lengths[1] * along])
    return NearBody(body, ends, radius, offset)


def _shape(name, rng):
    if name == "box":
        return nt.Box(rng.uniform(0.3, 5.0, 3))
    if name == "cube":
        return nt.Box((2.0, 2.0, 2.0))
    if name == "hull":
        return nt.Hull(rng.normal(size=(int(rng.integers(4, 10)), 3)))
    return nt.Ball(rng.uniform(0.3, 2.0))


def _rotation(draw, rng):
    if draw(st.booleans()):
        return (0.0, 0.0, 0.0, 1.0)
    return random_rotation(rng)


def _support(part, shape, corners, rng):
    """Return a point of the surface and a direction in which the body does not extend beyond it."""
    if shape.radius > 0:
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        return corners[0] + shape.radius * normal, normal
    triangle = corners[shape.triangles]
    normals = np.cross(triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    t = int(rng.integers(len(normals)))
    a, b, _ = shape.triangles[t].tolist()
    if part == "face":
        return rng.dirichlet((2.0, 2.0, 2.0)) @ triangle[t], normals[t]
    if part == "edge":  # between the two faces that meet there
        sharing = [i for i, other in enumerate(shape.triangles.tolist()) if {a, b} <= set(other)]
        normal, weight = normals[sharing].sum(axis=0), rng.uniform()
        return weight * corners[a] + (1 - weight) * corners[b], normal / np.linalg.norm(normal)
    around = [i for i, other in enumerate(shape.triangles.tolist()) if a in other]
    normal = rng.dirichlet(np.ones(len(around))) @ normals[around]
    return corners[a], normal / np.linalg.norm(normal)
