"""`Inputs`: the state of all devices. Every control of the game passes through it."""

from __future__ import annotations

from collections.abc import Iterable

from noctule.game.devices.bindings import (
    ACTIONS,
    AXES,
    DEAD_ZONE,
    DOWNWARDS,
    HALF_WAY,
    KEYS,
    MOUSE_DEAD_ZONE,
)
from noctule.game.simulation.controls import Controls

ONCE = ("swap", "reload")  # controls that count once when pressed


class Inputs:
    """Keys and buttons that are held, axes, and where the mouse is.

    Attributes
    ----------
    invert_pitch, mouse_steers : bool
        As in the settings.
    """

    def __init__(self) -> None:
        self.invert_pitch, self.mouse_steers = False, True
        self._held: set[str] = set()
        self._axes: dict[str, float] = {}
        self._mouse: tuple[float, float] | None = None
        self._once: set[str] = set()
        self._actions: list[str] = []

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return the names of all keys and buttons that do something."""
        return tuple(dict.fromkeys([*KEYS, *ACTIONS]))

    def press(self, name: str) -> None:
        """Say that a key or button is down."""
        if name in self._held:
            return
        self._held.add(name)
        control = KEYS.get(name, ("", 0.0))[0]
        if control in ONCE:
            self._once.add(control)
        self._actions += ACTIONS.get(name, ())

    def release(self, name: str) -> None:
        """Say that a key or button is up."""
        self._held.discard(name)

    def release_all(self) -> None:
        """Forget what is held, when the window loses the focus or a device is gone."""
        self._held.clear()
        self._axes.clear()
        self._once.clear()
        self._mouse = None

    def move_axis(self, name: str, value: float) -> None:
        """Say where an axis of the gamepad is."""
        if name not in AXES:
            raise ValueError(f"axis is {name!r}; allowed are {', '.join(AXES)}")
        self._axes[name] = min(max(value, -1.0), 1.0)

    def move_mouse(self, place: tuple[float, float] | None) -> None:
        """Say where the mouse is: from -1 to 1, right and up; None outside of the window."""
        self._mouse = place

    def take_actions(self) -> list[str]:
        """Return the actions since the last call, in their order."""
        actions, self._actions = self._actions, []
        return actions

    def controls(self) -> Controls:
        """Return the controls for the next frame; what counts once is used up."""
        amount: dict[str, float] = {}
        for control, value in self._values():
            amount[control] = amount.get(control, 0.0) + value
        once, self._once = self._once, set()
        pitch = -amount.get("pitch", 0.0) if self.invert_pitch else amount.get("pitch", 0.0)
        return Controls(
            yaw=_limited(amount.get("yaw", 0.0)),
            pitch=_limited(pitch),
            look_x=_limited(amount.get("look_x", 0.0)),
            look_y=_limited(amount.get("look_y", 0.0)),
            boost=amount.get("boost", 0.0) > 0.0,
            brake=amount.get("brake", 0.0) > 0.0,
            fire=amount.get("fire", 0.0) > 0.0,
            swap="swap" in once,
            reload="reload" in once,
        )

    def _values(self) -> Iterable[tuple[str, float]]:
        for name in self._held:
            if name in KEYS:
                yield KEYS[name]
        for name, value in self._axes.items():
            if name.endswith("trigger"):
                yield AXES[name], float(value > HALF_WAY)
            else:
                sign = -1.0 if name in DOWNWARDS else 1.0
                yield AXES[name], sign * _beyond(value, DEAD_ZONE)
        if self._mouse is not None:
            x, y = (_beyond(value, MOUSE_DEAD_ZONE) for value in self._mouse)
            if "mouse3" in self._held:
                yield "look_x", x
                yield "look_y", y
            elif self.mouse_steers:
                yield "yaw", x
                yield "pitch", y


def _beyond(value: float, zone: float) -> float:
    """Return a value without its dead zone, scaled so that it still goes to 1."""
    size = (abs(value) - zone) / (1.0 - zone)
    return 0.0 if size <= 0.0 else min(size, 1.0) * (1.0 if value > 0.0 else -1.0)


def _limited(value: float) -> float:
    return min(max(value, -1.0), 1.0)
