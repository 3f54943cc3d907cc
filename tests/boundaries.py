"""Worlds for hypothesis that aim at boundaries: what all but touches, from both sides.

How far something is from touching is drawn from `OFFSETS`: at most a thousandth of a cell, so that
a rule that is wrong by a rounding error, a tolerance or a sign shows.
"""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from random_scenes import random_rotation, rotation_matrix

import noctule as nt

OFFSETS = (0.0, *(sign * 10.0**-k for k in (3, 5, 7, 9, 11) for sign in (1, -1)))
TINY_AND_USUAL = (0.0, 1e-6, 1e-3, 0.25, 0.45, 0.5)


class NearBody(NamedTuple):
    """A body, and a segment that an agent of this radius all but touches it on."""

    body: nt.Body
    ends: np.ndarray
    radius: float
    offset: float  # how much farther than the radius it keeps off; below zero it comes nearer


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
    """A point of the surface, and a direction in which nothing of the body lies beyond it."""
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
