"""`Field`: the asteroids around the player. Their number is constant."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noctule.game.simulation import rules
from noctule.game.simulation.rocks import RockModel, rock_models

Array = NDArray[np.float64]

TRIES = 12  # places at the rim that are tried for one that is clear of ships
CLEAR = 40.0  # distance that an asteroid which comes back keeps from ships
IDENTITY = (0.0, 0.0, 0.0, 1.0)


class Field:
    """Asteroids in a flattened sphere that moves with the player.

    Attributes
    ----------
    position, velocity : arrays (n, 3)
        Of the asteroids.
    poses : array (n, 8)
        Their poses now, as `noctule.worlds.geometry.solids` has them.
    before : array (n, 8)
        Their poses a frame ago; an asteroid that has just been moved has its pose of now.
    reach, health : arrays (n,)
        Distance of the farthest corner, and what an asteroid can still take.
    models : list of RockModel
        The shape of each.
    born : array (n,)
        When each last broke off another one; minus infinity for the others.
    moved : list of int
        Those that were moved or changed since the list was last emptied.
    """

    def __init__(self, random: np.random.Generator, centre: Array) -> None:
        self._random = random
        kinds = [k for k, row in enumerate(rules.ROCKS) for _ in range(row.per_layer)]
        self._layer = np.repeat(np.array(rules.LAYERS), len(kinds))
        self._own_kind = kinds * len(rules.LAYERS)  # the class in which each comes back
        n = len(self._own_kind)
        self.position, self.velocity = np.zeros((n, 3)), np.zeros((n, 3))
        self.reach, self.health, self.born = np.zeros(n), np.zeros(n), np.full(n, -math.inf)
        self._axis, self._rate = np.zeros((n, 3)), np.zeros(n)
        models = rock_models()
        self.models: list[RockModel] = [models[kind][0] for kind in self._own_kind]
        for i, kind in enumerate(self._own_kind):
            self._become(i, self._pick(models[kind]))
            where = self._random.uniform(0.0, 1.0)
            nearest = rules.NEAREST_START + self.reach[i]
            far = math.sqrt(nearest**2 + where * (rules.FIELD_RADIUS**2 - nearest**2))
            self._put(i, centre, far)
        self.poses = self._poses(0.0)
        self.before = self.poses.copy()
        self.moved: list[int] = []

    def __len__(self) -> int:
        return len(self.reach)

    def fly(self, now: float, centre: Array, ships: Sequence[Array]) -> None:
        """Move all asteroids by a frame; those too far away come back at the rim."""
        before = self.poses
        self.position += rules.FRAME * self.velocity
        away = self.position - centre
        flat = np.hypot(away[:, 0], away[:, 1])
        high = np.abs(away[:, 2] - self._layer)
        gone = np.flatnonzero(
            (flat > rules.FIELD_RADIUS + 1e-6)
            | (high > rules.LAYER_HALF + 0.1 * rules.FIELD_RADIUS)
        ).tolist()
        for i in gone:
            self.bring_back(i, centre, ships)
        self.poses = self._poses(now)
        self.before = before.copy()
        self.before[gone] = self.poses[gone]

    def bring_back(self, i: int, centre: Array, ships: Sequence[Array]) -> None:
        """Let an asteroid appear at the rim, away from ships."""
        self._become(i, self._pick(rock_models()[self._own_kind[i]]))
        for _ in range(TRIES):
            self._put(i, centre, rules.FIELD_RADIUS)
            apart = min((math.dist(self.position[i], ship) for ship in ships), default=math.inf)
            if apart > self.reach[i] + CLEAR:
                break
        self.born[i] = -math.inf
        self.moved.append(i)

    def hit(self, i: int, damage: float, now: float, centre: Array, ships: Sequence[Array]) -> bool:
        """Damage an asteroid; return whether it broke. Large ones become two smaller ones."""
        self.health[i] -= damage
        if self.health[i] > 0.0:
            return False
        kind = self.models[i].kind
        if kind == 0:
            self.bring_back(i, centre, ships)
            self._settle([i], now)
            return True
        away = np.linalg.norm(self.position - centre, axis=1)
        away[[model.kind != kind - 1 for model in self.models]] = -1.0
        away[i] = -1.0
        other = int(np.argmax(away))  # the farthest smaller one becomes the second half
        place, velocity, reach = self.position[i].copy(), self.velocity[i].copy(), self.reach[i]
        side = np.cross(velocity, self._direction())
        side /= max(float(np.linalg.norm(side)), 1e-9)
        small = rock_models()[kind - 1]
        for part, sign in ((i, 1.0), (other, -1.0)):
            self._become(part, self._pick(small))
            apart = sign * min(0.5 * reach, reach - self.reach[part])
            self.position[part] = place + apart * side
            speed = rules.ROCKS[kind - 1].speed
            aim = velocity / max(float(np.linalg.norm(velocity)), 1e-9) + sign * side
            self.velocity[part] = speed * aim / np.linalg.norm(aim)
            self.born[part] = now
            self.moved.append(part)
        self._settle([i, other], now)
        return True

    def _settle(self, numbers: list[int], now: float) -> None:
        """Asteroids that were put elsewhere were not in between."""
        self.poses[numbers] = self._poses(now)[numbers]
        self.before[numbers] = self.poses[numbers]

    def _become(self, i: int, model: RockModel) -> None:
        self.models[i], self.reach[i] = model, model.reach
        self.health[i] = rules.ROCKS[model.kind].health
        self._axis[i] = self._direction()
        self._rate[i] = self._random.uniform(0.2, 1.0) * rules.TUMBLING

    def _put(self, i: int, centre: Array, far: float) -> None:
        """Place an asteroid at a horizontal distance, flying about towards the player."""
        random = self._random
        turn = random.uniform(0.0, 2.0 * math.pi)
        height = self._layer[i] + random.uniform(-rules.LAYER_HALF, rules.LAYER_HALF)
        self.position[i] = centre + np.array([far * math.cos(turn), far * math.sin(turn), height])
        beside = turn + math.pi + math.radians(random.uniform(-rules.INWARDS, rules.INWARDS))
        steep = math.atan2(-height, far) * random.uniform(0.0, 1.0)
        speed = rules.ROCKS[self.models[i].kind].speed
        flat = speed * math.cos(steep)
        self.velocity[i] = (
            flat * math.cos(beside),
            flat * math.sin(beside),
            speed * math.sin(steep),
        )

    def _poses(self, now: float) -> Array:
        half = np.radians(0.5 * self._rate * now)
        poses = np.ones((len(self), 8))
        poses[:, :3] = self.position
        poses[:, 3:6] = np.sin(half)[:, None] * self._axis
        poses[:, 6] = np.cos(half)
        return poses

    def _pick(self, models: Sequence[RockModel]) -> RockModel:
        return models[int(self._random.integers(len(models)))]

    def _direction(self) -> Array:
        vector = self._random.normal(size=3)
        return vector / max(float(np.linalg.norm(vector)), 1e-9)
