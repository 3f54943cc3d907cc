"""`save_mission`: write a path into a file of the kind that its name ends in."""

import os
from collections.abc import Callable

from noctule.files import File, error_in, write_whole
from noctule.missions.autopilots import plan_file, waypoints_file
from noctule.missions.maps import geojson_file, gpx_file, kml_file
from noctule.missions.mission import Mission
from noctule.missions.ros import write_mcap, yaml_file
from noctule.missions.viewers import csv_file, glb_file, ply_file

WRITERS: dict[str, Callable[[Mission], str | bytes]] = {
    ".plan": plan_file,
    ".waypoints": waypoints_file,
    ".yaml": yaml_file,
    ".csv": csv_file,
    ".geojson": geojson_file,
    ".kml": kml_file,
    ".gpx": gpx_file,
    ".ply": ply_file,
    ".glb": glb_file,
}
SUFFIXES = (*WRITERS, ".mcap")


def save_mission(mission: Mission, file: File) -> None:
    """Write a mission; the suffix of the file selects the format."""
    suffix = mission_suffix(file, SUFFIXES)
    if suffix == ".mcap":
        write_mcap(mission, file)
    else:
        content = WRITERS[suffix](mission)
        write_whole(file, content.encode() if isinstance(content, str) else content)


def mission_suffix(file: File, allowed: tuple[str, ...]) -> str:
    """Return the suffix of a file name, or an error that names those that are allowed."""
    name = os.path.basename(os.fspath(file))
    suffix = os.path.splitext(name.lower())[1]
    if suffix not in allowed:
        raise error_in(file, None, f"a name that ends in one of {', '.join(allowed)}", repr(name))
    return suffix
