"""Small scenes made from a seed, each for a use: `Scene.load` knows them by name."""

from collections.abc import Callable
from typing import NamedTuple

from noctule.worlds.built_in.asteroids import asteroids
from noctule.worlds.built_in.cave import cave
from noctule.worlds.built_in.city import city
from noctule.worlds.built_in.warehouse import warehouse
from noctule.worlds.scene import Scene


class BuiltIn(NamedTuple):
    """A scene that is made, not read."""

    make: Callable[[int], Scene]  # of a seed
    summary: str


BUILT_IN = {
    "asteroids": BuiltIn(asteroids, "a ship among rocks that turn and drift; y up"),
    "cave": BuiltIn(cave, "tunnels with bats; y up"),
    "city": BuiltIn(city, "a drone between buildings and other drones; z up, metres"),
    "warehouse": BuiltIn(warehouse, "a drone above forklifts and moving shelves; z up, metres"),
}
