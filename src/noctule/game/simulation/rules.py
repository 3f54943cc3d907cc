"""The numbers of the game. Lengths are in world units, times in seconds, angles in degrees.

The field and its asteroids have half the size of the original ("Lost in Space", Krafft 2019), the
speeds are those of the original.
"""

from typing import NamedTuple

FRAME = 1.0 / 60.0

FIELD_RADIUS = 400.0  # horizontal; beyond it, asteroids come back at the rim
LAYERS = (-75.0, -25.0, 25.0, 75.0)  # heights of their centres above the player
LAYER_HALF = 50.0  # layers overlap
TUMBLING = 25.0  # degrees a second, at most
INWARDS = 75.0  # asteroids fly at most so many degrees beside the player
NEAREST_START = 60.0  # from the player


class RockClass(NamedTuple):
    """A size of asteroids."""

    name: str
    per_layer: int
    reaches: tuple[float, ...]  # distance of the farthest corner from the centre
    speed: float
    health: float
    points: int


ROCKS = (
    RockClass("small", 12, (6.0, 7.5, 9.0), 10.0, 30.0, 10),
    RockClass("medium", 12, (15.0, 20.0, 25.0), 8.0, 60.0, 20),
    RockClass("large", 6, (30.0, 37.0, 44.0), 6.0, 90.0, 40),
)
ROCK_COUNT = len(LAYERS) * sum(kind.per_layer for kind in ROCKS)

SHIP_RADIUS = 2.0
PLAYER_SPEED, BOOST_SPEED, BRAKE_SPEED = 25.0, 45.0, 12.0
SPEED_CHANGE = 30.0  # world units a second squared, between these speeds
TURN_RATE = 60.0  # at full stick
STEEPEST = 80.0  # the nose goes no higher or lower
LOOK_RATE, LOOK_FARTHEST = 90.0, 100.0
BOOST_SECONDS, BOOST_RECOVERY = 3.0, 0.12  # a full tank, and its part that comes back in a second
HEALTH = 10.0
ROCK_DAMAGE, ENEMY_DAMAGE = 1.0, 2.0
SHIELD_SECONDS = 1.0  # after a contact, nothing harms the player

ENEMY_HEALTH = 30.0
ENEMY_POINTS = 100
SPAWN_DISTANCE = 0.95 * FIELD_RADIUS
SPAWN_HEIGHT = 60.0
SPAWN_ROOM = 25.0  # free space around a new enemy
SPAWN_PAUSE = 1.5  # until an enemy that was lost comes back
FRESH = 3.0  # an asteroid that broke off so short a time ago is a fragment

WAVES = (1, 2, 3, 5, 8)  # enemies at once
WAVE_SECONDS = 45.0
WAVE_POINTS = 250


class Weapon(NamedTuple):
    """A gun. Each shot leaves two barrels at once."""

    name: str
    damage: float  # of one of the two
    cooldown: float
    magazine: int
    reload: float
    speed: float
    radius: float


WEAPONS = (
    Weapon("rail gun", 15.0, 0.25, 100, 2.0, 250.0, 0.4),
    Weapon("rocket launcher", 45.0, 0.9, 20, 3.0, 160.0, 1.0),
)
RANGE = 500.0
BARREL = 1.2  # beside the middle of the ship


class Difficulty(NamedTuple):
    """How the enemies hunt."""

    name: str
    algorithm: str
    speed: float


DIFFICULTIES = {
    row.name: row
    for row in (
        Difficulty("easy", "a*", 27.0),
        Difficulty("normal", "lazy-theta*", 30.0),
        Difficulty("hard", "taut", 36.0),
    )
}
STRAIGHT = "straight"  # no plan: fly at the player
