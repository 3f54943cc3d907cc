"""`Mission`: what a file needs to know of a path."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import as_points, positive
from noctule.missions.geodesy import Home, as_home

Array = NDArray[np.float64]


class Mission(NamedTuple):
    """Points to fly to, and what autopilots ask besides."""

    points: Array  # (n, 3), z up
    times: Array | None
    facts: dict[str, Any]  # radius, length, algorithm
    home: Home | None = None
    relative: bool = True  # whether altitudes are stored relative to home
    speed: float | None = None
    frame_id: str = "map"

    def on_earth(self, suffix: str) -> tuple[Home, Array]:
        """Return the home and the points as latitude, longitude, altitude; refuse if unknown."""
        if self.home is None:
            raise ValueError(
                f"home is missing; {suffix} files need the latitude, longitude and altitude of "
                f"the origin of the world, like (48.1, 11.5, 520)"
            )
        return self.home, self.home.to_earth(self.points)


def mission_of(
    points: Array,
    times: Array | None,
    facts: dict[str, Any],
    *,
    home: object = None,
    heading: float = 0.0,
    altitude: Literal["relative", "absolute"] = "relative",
    speed: float | None = None,
    up: Literal["y", "z"] = "z",
    frame_id: str = "map",
) -> Mission:
    """Check options, and turn points so that z is up."""
    array = as_points(points)
    if not len(array):
        raise ValueError(f"there is no path to save: {facts.get('reason') or 'it has no points'}")
    if up not in ("y", "z"):
        raise ValueError(f"up is {up!r}; allowed are 'y' and 'z'")
    if altitude not in ("relative", "absolute"):
        raise ValueError(f"altitude is {altitude!r}; allowed are 'relative' and 'absolute'")
    if array.shape[1] == 2:
        array = np.column_stack([array, np.zeros(len(array))])
    elif up == "y":
        array = np.column_stack([array[:, 0], -array[:, 2], array[:, 1]])
    place = None if home is None else as_home(home, heading)
    pace = None if speed is None else positive("speed", speed)
    return Mission(array, times, facts, place, altitude == "relative", pace, frame_id)
