"""`load_mission`: the points of a path in a file, in the coordinates of the world."""

import os
from collections.abc import Callable

import numpy as np

from noctule.files import File, FileError, read_text, reading
from noctule.missions.autopilots import read_plan, read_waypoints
from noctule.missions.geodesy import as_home
from noctule.missions.maps import read_geojson, read_gpx, read_kml
from noctule.missions.mission import Array
from noctule.missions.save import mission_suffix
from noctule.missions.viewers import read_csv, read_json

WITH_HOME = {".plan": read_plan, ".waypoints": read_waypoints}
ON_EARTH: dict[str, Callable[[str], Array]] = {
    ".geojson": read_geojson,
    ".kml": read_kml,
    ".gpx": read_gpx,
}
IN_WORLD: dict[str, Callable[[str], Array]] = {".csv": read_csv, ".json": read_json}
READABLE = (*WITH_HOME, *ON_EARTH, *IN_WORLD)
MOST_BYTES = 100_000_000


def load_mission(file: File, home: object = None, heading: float = 0.0) -> Array:
    """Return the points of a mission; `home` is where the origin of the world is on the earth.

    Unless given, it is the home of the mission.
    """
    suffix = mission_suffix(file, READABLE)
    text = read_text(file, MOST_BYTES, "")
    with reading(file, f"a complete {suffix} file"):
        if suffix in IN_WORLD:
            points = IN_WORLD[suffix](text)
        elif suffix in WITH_HOME:
            own, points = WITH_HOME[suffix](text)
            home = own if home is None else home
        else:
            points = ON_EARTH[suffix](text)
        if points.ndim != 2 or not len(points) or not np.isfinite(points).all():
            raise ValueError("no points" if not points.size else "points that are not finite")
    if suffix in IN_WORLD:
        return points
    if home is None:
        raise FileError(
            f"{os.fspath(file)}: home is missing: the latitude, longitude and altitude of the "
            f"origin of the world; {suffix} files do not hold it"
        )
    return as_home(home, heading).to_world(points)
