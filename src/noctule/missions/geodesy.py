"""`Home`: from metres around a place on the earth to latitude and longitude (WGS 84), and back."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import finite_point, is_number

Array = NDArray[np.float64]

RADIUS = 6_378_137.0  # at the equator, in metres
FLATTENING = 1 / 298.257223563
SQUARED = FLATTENING * (2 - FLATTENING)  # eccentricity
ROUNDS = 6  # of the iteration for the latitude; each gains two digits and more


class Home(NamedTuple):
    """Where the origin of the world is: x goes east and y north, if the heading is zero."""

    latitude: float  # degrees
    longitude: float
    altitude: float  # metres; heights of a mission refer to the same zero
    heading: float = 0.0  # of the y axis, in degrees, clockwise from north

    def to_earth(self, points: Array) -> Array:
        """Return points of the world (metres, z up) as rows of latitude, longitude, altitude.

        >>> Home(48.1, 11.5, 500.0).to_earth(np.array([[0.0, 0.0, 2.0]])).round(6).tolist()
        [[48.1, 11.5, 502.0]]
        """
        axes = self._axes()
        x, y, z = (_from_centre(*self[:3]) + points @ axes).T
        longitude, level = np.arctan2(y, x), np.hypot(x, y)
        latitude = np.arctan2(z, level * (1 - SQUARED))
        for _ in range(ROUNDS):
            bend = RADIUS / np.sqrt(1 - SQUARED * np.sin(latitude) ** 2)
            latitude = np.arctan2(z + SQUARED * bend * np.sin(latitude), level)
        bend = RADIUS / np.sqrt(1 - SQUARED * np.sin(latitude) ** 2)
        sine, cosine = np.sin(latitude), np.cos(latitude)
        altitude = level * cosine + z * sine - bend * (1 - SQUARED * sine**2)
        return np.column_stack([np.degrees(latitude), np.degrees(longitude), altitude])

    def to_world(self, places: Array) -> Array:
        """Return rows of latitude, longitude, altitude as points of the world.

        >>> home = Home(48.1, 11.5, 500.0, 30.0)
        >>> home.to_world(home.to_earth(np.array([[100.0, -50.0, 7.0]]))).round(6).tolist()
        [[100.0, -50.0, 7.0]]
        """
        rows = np.stack([_from_centre(*place) for place in places.tolist()])
        world: Array = (rows - _from_centre(*self[:3])) @ self._axes().T
        return world

    def _axes(self) -> Array:
        """Return the directions of x, y and z, seen from the centre of the earth."""
        p, q, h = (math.radians(v) for v in (self.latitude, self.longitude, self.heading))
        east = np.array([-math.sin(q), math.cos(q), 0.0])
        north = np.array(
            [-math.sin(p) * math.cos(q), -math.sin(p) * math.sin(q), math.cos(p)],
        )
        up = np.array([math.cos(p) * math.cos(q), math.cos(p) * math.sin(q), math.sin(p)])
        x = math.cos(h) * east - math.sin(h) * north
        y = math.sin(h) * east + math.cos(h) * north
        return np.stack([x, y, up])


def _from_centre(latitude: float, longitude: float, altitude: float) -> Array:
    """Return a place as a point in metres from the centre of the earth."""
    p, q = math.radians(latitude), math.radians(longitude)
    bend = RADIUS / math.sqrt(1 - SQUARED * math.sin(p) ** 2)
    level = (bend + altitude) * math.cos(p)
    z = (bend * (1 - SQUARED) + altitude) * math.sin(p)
    return np.array([level * math.cos(q), level * math.sin(q), z])


def as_home(home: object, heading: float = 0.0) -> Home:
    """Return a checked place, given as latitude, longitude and altitude."""
    if isinstance(home, Home):
        return home
    latitude, longitude, altitude = finite_point("home", home, 3).tolist()
    if not (-90 < latitude < 90 and -180 <= longitude <= 180):
        raise ValueError(
            f"home is {latitude:g}, {longitude:g}; expected a latitude between -90 and 90 "
            f"and a longitude from -180 to 180, in degrees"
        )
    if not is_number(heading) or not math.isfinite(heading):
        raise ValueError(f"heading is {heading!r}; expected degrees")
    return Home(latitude, longitude, altitude, float(heading))
