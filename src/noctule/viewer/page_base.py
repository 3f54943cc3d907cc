"""What all pages share: the server, the look, and where cameras stand."""

import contextlib
import io
import itertools
import math
import socket
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FOV = math.radians(42)
ASPECT = 1.3  # of the picture, once the panel has its place
VIEWS = ("front", "angled", "follow")
ANGLES = {"front": (0.0, 0.0), "angled": (-32.0, 28.0)}  # turn and tilt, in degrees
MARGIN = 1.08  # bodies may stick out of the world a little

Point = tuple[float, float, float]
Array = NDArray[np.float64]


class Shot(NamedTuple):
    """Where a camera is and what it looks at."""

    position: Point
    look_at: Point


def require_viser() -> Any:
    """The library that draws in the browser, or an error that says how to get it."""
    try:
        import viser
    except ModuleNotFoundError as missing:
        message = "the viewer needs viser: pip install 'noctule[viewer]'"
        raise ModuleNotFoundError(message, name=missing.name) from None
    return viser


def open_server(port: int | None, title: str) -> Any:
    """A server on this machine only, on the port that was asked for or on any that is free."""
    viser = require_viser()
    if port is not None:
        _check_port(port)
    with contextlib.redirect_stdout(io.StringIO()):  # it tells the address, and so do we
        server = viser.ViserServer(host="127.0.0.1", port=port or 0, label=title, verbose=False)
    server.gui.configure_theme(
        dark_mode=True, show_logo=False, show_share_button=False, control_width="medium"
    )
    server.gui.main_panel.dock_right()
    server.scene.set_up_direction("+y")
    server.scene.configure_default_lights(enabled=False)
    server.scene.configure_environment_map(hdri=None)
    light_up(server.scene)
    return server


def close_server(server: Any) -> None:
    """End the server and its threads."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def light_up(scene: Any) -> None:
    """Even light with a little shape in it: colours stay what they are."""
    scene.add_light_ambient("/light/ambient", intensity=0.9)
    scene.add_light_directional("/light/sun", intensity=1.1, position=(-0.5, 0.8, 1.0))


def _check_port(port: int) -> None:
    """Refuse a port that is taken: viser would silently take the next one."""
    if not 1 <= port <= 65535:
        raise ValueError(f"--port is {port}; expected a number from 1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as problem:
            reason = (problem.strerror or "not to be had").lower()
            raise ValueError(
                f"--port is {port}: {reason}; leave --port out to take any that is free"
            ) from None


def shot(view: str, low: Any, high: Any) -> Shot:
    """The camera of a view of the box from `low` to `high`; y is up, x to the right."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    middle = (low + high) / 2
    turn, tilt = ANGLES[view]
    right, towards = direction(turn + 90.0, 0.0), direction(turn, tilt)
    corners = np.array(list(itertools.product(*zip(low, high, strict=True)))) - middle
    across, up = np.abs(corners @ right), np.abs(corners @ np.cross(towards, right))
    # What is nearer to the camera needs more of its angle.
    needed = np.maximum(up, across / ASPECT) / math.tan(FOV / 2) + corners @ towards
    return aimed(middle, MARGIN * float(needed.max()) * towards)


def direction(turn: float, tilt: float) -> Array:
    """Towards a camera: turned around the vertical, from the front to the right, and lifted."""
    around, up = math.radians(turn), math.radians(tilt)
    across = math.cos(up)
    return np.array([math.sin(around) * across, math.sin(up), math.cos(around) * across])


def aimed(at: Any, away: Array) -> Shot:
    """A camera that looks at a point from some way away."""
    return Shot(as_point(np.asarray(at, float) + away), as_point(np.asarray(at, float)))


def as_point(values: Array) -> Point:
    """Three numbers as a tuple."""
    x, y, z = values.tolist()
    return (x, y, z)


def begin_with(server: Any, view: Shot) -> None:
    """Let every new page begin with this camera."""
    camera = server.initial_camera
    camera.fov, camera.position, camera.look_at = FOV, view.position, view.look_at


def take_shot(client: Any, view: Shot) -> None:
    """Move the camera of one page."""
    with client.atomic():
        client.camera.position = view.position
        client.camera.look_at = view.look_at
        client.camera.up_direction = (0.0, 1.0, 0.0)
