"""The agents of a fleet and their surroundings as kernels see them; velocities they can have."""

import math
from typing import NamedTuple

import numpy as np

from noctule.core.jit import kernel
from noctule.worlds.geometry.solids import Solids
from noctule.worlds.geometry.vectors import along, dot, minus, row


class Crowd(NamedTuple):
    """The agents of a fleet, a row each, in world units and seconds."""

    position: np.ndarray
    velocity: np.ndarray  # of the last frame
    wanted: np.ndarray
    radius: np.ndarray
    speed: np.ndarray  # highest
    acceleration: np.ndarray  # highest; infinite unless limited
    turn: np.ndarray  # highest, in radians a second; infinite unless limited
    spared: np.ndarray  # number of the body that the agent may touch, or -1
    order: np.ndarray  # in which velocities are chosen
    chosen: np.ndarray  # the result
    decided: np.ndarray  # whether an agent has chosen


class Surroundings(NamedTuple):
    """The bodies: their poses at some times from now on, and the box that agents stay in."""

    solids: Solids
    poses: np.ndarray
    times: np.ndarray  # the first is 0, the second the end of the frame
    low: np.ndarray
    high: np.ndarray


class Room(NamedTuple):
    """Memory of the kernel."""

    planes: np.ndarray
    scratch: np.ndarray
    near: np.ndarray  # solids
    others: np.ndarray  # agents
    gaps: np.ndarray
    stack: np.ndarray


@kernel
def put(rows, i, v):
    """Write a vector."""
    rows[i, 0], rows[i, 1], rows[i, 2] = v[0], v[1], v[2]


@kernel
def reachable(crowd, a, v, step):
    """Return the velocity nearest to `v` that agent `a` can have after a frame."""
    own = row(crowd.velocity, a)
    slow = math.sqrt(dot(own, own))
    fast = math.sqrt(dot(v, v))
    most, angle = crowd.acceleration[a] * step, crowd.turn[a] * step
    if slow > 1e-9 and fast > 1e-9 and angle < math.pi:
        cosine = dot(own, v) / (slow * fast)
        if cosine < math.cos(angle):
            ahead = (own[0] / slow, own[1] / slow, own[2] / slow)
            side = along(v, ahead, -dot(v, ahead))
            size = math.sqrt(dot(side, side))
            if size < 1e-9 * fast:  # straight back: turn to any side
                across = (-ahead[1], ahead[0], 0.0)
                if abs(ahead[2]) > 0.9:
                    across = (0.0, -ahead[2], ahead[1])
                side, size = across, math.sqrt(dot(across, across))
            fast = max(fast * cosine, 0.1 * crowd.speed[a])
            c, s = fast * math.cos(angle), fast * math.sin(angle) / size
            v = (
                c * ahead[0] + s * side[0],
                c * ahead[1] + s * side[1],
                c * ahead[2] + s * side[2],
            )
    change = minus(v, own)
    size = math.sqrt(dot(change, change))
    return along(own, change, most / size) if size > most else v


@kernel
def braking(crowd, a, step):
    """Return the velocity of agent `a` after a frame of braking."""
    own = row(crowd.velocity, a)
    speed = math.sqrt(dot(own, own))
    most = crowd.acceleration[a] * step
    if speed <= most:
        return (0.0, 0.0, 0.0)
    part = 1.0 - most / speed
    return (part * own[0], part * own[1], part * own[2])


@kernel
def stop_after(crowd, a, v):
    """Return how many seconds agent `a` flies on at this velocity, as far as it needs to stop."""
    return 0.5 * math.sqrt(dot(v, v)) / crowd.acceleration[a]
