"""Scenes of random bodies, motions and sizes, and slow reference functions for them."""

import itertools
import math

import numpy as np

import noctule as nt
from noctule.verification.bodies import nearest_to_origin
from noctule.worlds.motions import Blink, Drift, Patrol, Turn, Way


def random_rotation(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_shape(rng, size=4.0):
    kind = rng.integers(4)
    if kind == 0:
        return nt.Ball(rng.uniform(0.2, size / 2))
    if kind == 1:
        return nt.Hull(rng.normal(size=(int(rng.integers(5, 12)), 3)) * size / 4)
    return nt.Box(rng.uniform(0.2, size, 3))


def random_motion(rng, inside):
    kind = rng.integers(7)
    if kind == 0:
        return None
    if kind == 1:
        return Patrol([inside() for _ in range(int(rng.integers(1, 4)))], rng.uniform(0.2, 5))
    if kind == 2:
        return Turn(rng.normal(size=3), rng.uniform(-90, 90))
    if kind == 3:
        held = inside() - 1.5
        return Blink(rng.uniform(0.1, 2), bool(rng.integers(2)), (held, held + 3))
    if kind == 4:
        return Drift(rng.normal(size=3), rng.normal(size=3), rng.uniform(-90, 90))
    if kind == 5:
        return Way([inside() for _ in range(3)], 2.0, rng.choice(["again", "back", "stay"]))
    centre, radius = inside(), rng.uniform(0.5, 3)
    return lambda t: (centre + radius * np.array([math.cos(t), math.sin(t), 0.0]), (0, 0, 0, 1))


def random_scene(seed, moving=True):
    """Return a small space with a few bodies; there may be no path for the agent."""
    rng = np.random.default_rng(seed)
    cells = tuple(int(n) for n in rng.integers(4, 14, 3))
    cell = float(rng.choice([0.5, 1.0, 1.0, 2.0]))
    origin = rng.uniform(-9, 9, 3)
    size = np.array(cells) * cell

    def inside():
        return origin + rng.random(3) * size

    bodies = []
    for i in range(int(rng.integers(0, 7))):
        shape = random_shape(rng, float(size.min()) / 2)
        safety = [nt.Box(rng.uniform(0.5, 2.0, 3))] if rng.random() < 0.2 else []
        motion = random_motion(rng, inside) if moving else None
        turned = random_rotation(rng) if rng.random() < 0.7 else (0, 0, 0, 1)
        bodies.append(nt.Body(f"body-{i}", shape, inside(), turned, motion, safety))
    agent = nt.Agent(inside(), float(rng.uniform(0.05, 0.5) * cell), float(rng.uniform(0.5, 6)))
    modes = {"static": nt.Body("x", nt.Ball(1)).motion, "patrol": Patrol([inside(), inside()], 1.0)}
    mode = "patrol" if rng.random() < 0.5 else "static"
    target = nt.Destination(inside(), 0.2 * cell, modes, mode)
    return nt.Scene(nt.Space(origin, cells, cell), agent, target, bodies, f"random-{seed}")


def corners_of(body, row):
    """The corners of a body with this pose."""
    return body.shape.vertices @ rotation_matrix(row[3:7]).T + row[:3]


def rotation_matrix(quaternion):
    x, y, z, w = quaternion
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * across + 2 * across @ across


def distance_from(body, row, p):
    """Return the distance of a point from a body with this pose."""
    gap = np.linalg.norm(nearest_to_origin(corners_of(body, row) - p)) - body.shape.radius
    return max(float(gap), 0.0)


def meets(shape, corners, cell):
    """Return the overlap of a unit cell and a shape, below 0 if they are apart, over all axes."""
    if shape.radius > 0:
        nearest = np.clip(corners[0], cell, np.add(cell, 1))
        return shape.radius - float(np.linalg.norm(nearest - corners[0]))
    cube = np.array(list(itertools.product((0, 1), repeat=3))) + cell
    triangle = corners[shape.triangles]
    sides = np.concatenate([np.roll(triangle, -1, axis=1) - triangle]).reshape(-1, 3)
    normals = np.cross(sides[::3], sides[1::3])
    axes = np.concatenate([np.eye(3), normals, *(np.cross(sides, axis) for axis in np.eye(3))])
    length = np.linalg.norm(axes, axis=1)
    axes = axes[length > 1e-9] / length[length > 1e-9][:, None]
    a, b = cube @ axes.T, corners @ axes.T
    return float(np.minimum(a.max(axis=0) - b.min(axis=0), b.max(axis=0) - a.min(axis=0)).min())
