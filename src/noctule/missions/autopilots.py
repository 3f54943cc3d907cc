"""QGroundControl .plan, and MAVLink .waypoints."""

import json
import math
from typing import Any

import numpy as np

from noctule.missions.mission import Array, Mission

# From the MAVLink message set "common".
WAYPOINT, CHANGE_SPEED = 16, 178
ABSOLUTE, NO_PLACE, RELATIVE = 0, 2, 3  # frames
GROUND_SPEED, ANY_THROTTLE = 1, -1
PX4, MULTIROTOR = 12, 2


def plan_file(mission: Mission) -> str:
    """Return a plan of QGroundControl: JSON of type Plan, version 1."""
    home, places = mission.on_earth(".plan")
    items: list[dict[str, Any]] = []
    if mission.speed is not None:
        items.append(_item(CHANGE_SPEED, NO_PLACE, _speed(mission.speed)))
    for latitude, longitude, altitude in places.tolist():
        height = altitude - home.altitude if mission.relative else altitude
        frame = RELATIVE if mission.relative else ABSOLUTE
        row = _item(WAYPOINT, frame, [0, 0, 0, None, latitude, longitude, height])
        mode = 1 if mission.relative else 2
        items.append(row | {"AMSLAltAboveTerrain": None, "Altitude": height, "AltitudeMode": mode})
    for number, item in enumerate(items, 1):
        item["doJumpId"] = number
    plan = {
        "fileType": "Plan",
        "groundStation": "QGroundControl",
        "version": 1,
        "mission": {
            "version": 2,
            "firmwareType": PX4,
            "vehicleType": MULTIROTOR,
            "globalPlanAltitudeMode": 1 if mission.relative else 2,
            "cruiseSpeed": mission.speed or 15,
            "hoverSpeed": mission.speed or 5,
            "plannedHomePosition": list(home[:3]),
            "items": items,
        },
        "geoFence": {"version": 2, "circles": [], "polygons": []},
        "rallyPoints": {"version": 2, "points": []},
    }
    return json.dumps(plan, indent=1, allow_nan=False) + "\n"


def _item(command: int, frame: int, params: list[Any]) -> dict[str, Any]:
    return {
        "type": "SimpleItem",
        "autoContinue": True,
        "command": command,
        "frame": frame,
        "params": params,
    }


def _speed(speed: float) -> list[float]:
    return [GROUND_SPEED, speed, ANY_THROTTLE, 0, 0, 0, 0]


def waypoints_file(mission: Mission) -> str:
    """Return a text "QGC WPL 110": home first, then the points."""
    home, places = mission.on_earth(".waypoints")
    rows: list[tuple[int, int, list[float]]] = [(ABSOLUTE, WAYPOINT, [0, 0, 0, 0, *home[:3]])]
    if mission.speed is not None:
        rows.append((NO_PLACE, CHANGE_SPEED, _speed(mission.speed)))
    frame = RELATIVE if mission.relative else ABSOLUTE
    zero = home.altitude if mission.relative else 0.0
    for latitude, longitude, altitude in places.tolist():
        rows.append((frame, WAYPOINT, [0, 0, 0, 0, latitude, longitude, altitude - zero]))
    lines = ["QGC WPL 110"]
    for number, (frame, command, params) in enumerate(rows):
        numbers = [*(f"{v:.8f}" for v in params[:4]), *(f"{v:.10f}" for v in params[4:])]
        begin = [str(number), str(int(not number)), str(frame), str(command)]
        lines.append("\t".join([*begin, *numbers, "1"]))
    return "\n".join(lines) + "\n"


def read_plan(text: str) -> tuple[list[float], Array]:
    """Return the home of a plan, and its waypoints as latitude, longitude, absolute altitude."""
    plan = json.loads(text)
    if plan.get("fileType") != "Plan":
        raise ValueError(f"fileType {plan.get('fileType')!r}, not 'Plan'")
    mission = plan["mission"]
    rows = []
    for item in mission["items"]:
        if item.get("type") != "SimpleItem":
            raise ValueError(f"an item of type {item.get('type')!r}; allowed are simple items")
        rows.append((item["frame"], item["command"], item["params"][4:7]))
    return _placed(mission["plannedHomePosition"], rows)


def read_waypoints(text: str) -> tuple[list[float], Array]:
    """Return the home of a .waypoints file, and its points, as `read_plan`."""
    first, *lines = text.splitlines()
    if first.split() != ["QGC", "WPL", "110"]:
        raise ValueError(f"a first line {first[:40]!r}, not 'QGC WPL 110'")
    rows = []
    for line in lines:
        words = line.split()
        if words and len(words) != 12:
            raise ValueError(f"a line of {len(words)} numbers, not 12")
        if words:
            rows.append((int(words[2]), int(words[3]), [float(word) for word in words[8:11]]))
    if not rows:
        raise ValueError("no home")
    return _placed(rows[0][2], rows[1:])


NAVIGATE = range(16, 96)  # commands that fly to a place


def _placed(home: list[Any], rows: list[Any]) -> tuple[list[float], Array]:
    places = []
    for frame, command, place in rows:
        if command == CHANGE_SPEED or command not in NAVIGATE:
            continue
        if command != WAYPOINT and command != 22:  # 22: take off
            raise ValueError(f"command {command}; allowed are waypoints (16) and take-off (22)")
        if frame % 5 not in (ABSOLUTE, RELATIVE):
            raise ValueError(f"frame {frame}; allowed are absolute and relative altitudes (0, 3)")
        latitude, longitude, height = map(float, place)
        places.append((latitude, longitude, height + (home[2] if frame % 5 == RELATIVE else 0.0)))
    start = [float(value) for value in home]
    if not all(math.isfinite(value) for place in places for value in place):
        raise ValueError("a waypoint without a place")
    return start, np.array(places, np.float64).reshape(-1, 3)
