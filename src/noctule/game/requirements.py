"""What the game needs to be seen: Panda3D, and a display."""

import os
import sys
from importlib.util import find_spec


def require_panda3d() -> None:
    """Raise an error that says how to install Panda3D, if it is missing."""
    if find_spec("panda3d") is None:
        message = "the game needs panda3d: pip install 'noctule[game]'"
        raise ModuleNotFoundError(message, name="panda3d")


def require_display() -> None:
    """Raise an error if there is no display to open a window on."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        raise OSError(
            "there is no display to open a window on; 'noctule play --demo --headless' "
            "plays without one, and 'noctule play --record demo.mp4' saves a clip"
        )
