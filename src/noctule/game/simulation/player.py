"""`Player`: the ship that is flown from the cockpit."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from noctule.game.simulation import rules
from noctule.game.simulation.controls import Controls

Vector = NDArray[np.float64]


class Player:
    """A ship that always flies forward; x points right, y ahead, z up at the start.

    Attributes
    ----------
    position, velocity : array
        World units, and world units a second.
    heading, pitch : float
        Degrees: to the left of +y, and above the horizon.
    look : (float, float)
        Where the pilot looks, beside the nose: to the right and up, in degrees.
    health, boost : float
        Health from 0 to `rules.HEALTH`; what is left of the boost, from 0 to 1.
    shield : float
        Seconds for which nothing harms it.
    """

    def __init__(self) -> None:
        self.position: Vector = np.zeros(3)
        self.heading = self.pitch = 0.0
        self.speed = rules.PLAYER_SPEED
        self.look = (0.0, 0.0)
        self.health, self.boost, self.shield = rules.HEALTH, 1.0, 2.0
        self.turning = 0.0  # yaw of the last frame, for the picture

    @property
    def forward(self) -> Vector:
        """Direction of the nose."""
        a, b = math.radians(self.heading), math.radians(self.pitch)
        return np.array([-math.sin(a) * math.cos(b), math.cos(a) * math.cos(b), math.sin(b)])

    @property
    def right(self) -> Vector:
        """Direction of the right wing."""
        a = math.radians(self.heading)
        return np.array([math.cos(a), math.sin(a), 0.0])

    @property
    def velocity(self) -> Vector:
        """Its velocity."""
        return self.speed * self.forward

    def steer(self, controls: Controls, seconds: float) -> None:
        """Turn, and change the speed."""
        turn = rules.TURN_RATE * seconds
        self.turning = _stick(controls.yaw)
        self.heading = (self.heading - turn * self.turning) % 360.0
        pitch = self.pitch + turn * _stick(controls.pitch)
        self.pitch = min(max(pitch, -rules.STEEPEST), rules.STEEPEST)
        self._look_around(controls, seconds)
        wanted = rules.PLAYER_SPEED
        if controls.boost and self.boost > 0.0:
            wanted = rules.BOOST_SPEED
            self.boost = max(self.boost - seconds / rules.BOOST_SECONDS, 0.0)
        else:
            if controls.brake:
                wanted = rules.BRAKE_SPEED
            if not controls.boost:
                self.boost = min(self.boost + rules.BOOST_RECOVERY * seconds, 1.0)
        change = rules.SPEED_CHANGE * seconds
        self.speed += min(max(wanted - self.speed, -change), change)

    def fly(self, seconds: float) -> None:
        """Move ahead."""
        self.position = self.position + seconds * self.velocity
        self.shield = max(self.shield - seconds, 0.0)

    def _look_around(self, controls: Controls, seconds: float) -> None:
        step = rules.LOOK_RATE * seconds
        turned = []
        for stick, now in zip((controls.look_x, controls.look_y), self.look, strict=True):
            goal = _stick(stick) * rules.LOOK_FARTHEST
            turned.append(now + min(max(goal - now, -step), step))
        self.look = turned[0], turned[1]


def _stick(value: float) -> float:
    return min(max(value, -1.0), 1.0)
