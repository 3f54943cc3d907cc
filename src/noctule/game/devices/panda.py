"""Keyboard, mouse and gamepads of Panda3D, which feed `Inputs`."""

from __future__ import annotations

from typing import Any

from noctule.game.devices.inputs import Inputs

PREFIX = "gamepad"


class PandaDevices:
    """Listens to all devices of a window; gamepads may come and go.

    Parameters
    ----------
    base : ShowBase
        Panda3D's application.
    inputs : Inputs
        What it feeds.
    """

    def __init__(self, base: Any, inputs: Inputs) -> None:
        from panda3d.core import ModifierButtons

        self._base, self._inputs = base, inputs
        self._pad: Any = None
        for throwers in (base.buttonThrowers, base.pointerWatcherNodes):
            for node in throwers or ():
                if hasattr(node.node(), "setModifierButtons"):
                    node.node().setModifierButtons(ModifierButtons())  # shift is a key like others
        for name in Inputs.names():
            base.accept(name, inputs.press, [name])
            base.accept(f"{name}-up", inputs.release, [name])
        base.accept("connect-device", self._connect)
        base.accept("disconnect-device", self._disconnect)
        for device in base.devices.getDevices():
            self._connect(device)

    @property
    def has_gamepad(self) -> bool:
        """Whether there is a gamepad."""
        return self._pad is not None

    def poll(self) -> None:
        """Read mouse and sticks; once a picture."""
        node = self._base.mouseWatcherNode
        if node is not None and node.hasMouse():
            self._inputs.move_mouse((node.getMouseX(), node.getMouseY()))
        else:
            self._inputs.move_mouse(None)
        if self._pad is None:
            return
        from panda3d.core import InputDevice

        for name in ("left_x", "left_y", "right_x", "right_y", "left_trigger", "right_trigger"):
            axis = self._pad.findAxis(getattr(InputDevice.Axis, name))
            if axis:
                self._inputs.move_axis(name, axis.value)

    def _connect(self, device: Any) -> None:
        from panda3d.core import InputDevice

        if self._pad is None and device.device_class == InputDevice.DeviceClass.gamepad:
            self._pad = device
            self._base.attachInputDevice(device, prefix=PREFIX)

    def _disconnect(self, device: Any) -> None:
        if device == self._pad:
            self._base.detachInputDevice(device)
            self._pad = None
            self._inputs.release_all()
