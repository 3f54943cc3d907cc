"""`Stage`: the window, or the picture without a window, with lights, sky and camera."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.game.simulation.player import Player
from noctule.game.view import colours
from noctule.game.view.geometry import glow, points

STARS = 2600
FAR = 3000.0
FIELD_OF_VIEW = 75.0
BEHIND, ABOVE, DOWN = 15.0, 5.0, 12.0  # units and degrees, of the camera that follows the ship

Pixels = NDArray[np.uint8]


class Stage:
    """Panda3D's application with an empty sky.

    Parameters
    ----------
    size : (int, int)
        Width and height in pixels.
    offscreen : bool
        Whether to draw without a window; no display is needed then.
    sound, fullscreen : bool
        Whether to open a sound device, and to use the whole screen.
    """

    def __init__(
        self,
        size: tuple[int, int] = (1280, 720),
        offscreen: bool = False,
        sound: bool = False,
        fullscreen: bool = False,
    ) -> None:
        from panda3d.core import loadPrcFileData

        settings = [
            f"win-size {size[0]} {size[1]}",
            "window-title Lost in Space",
            f"sync-video {int(not offscreen)}",
            "show-frame-rate-meter false",
            "notify-level-display error",
            "notify-level-audio fatal",
            "audio-music-active false",
            f"fullscreen {int(fullscreen)}",
        ]
        if not sound:
            settings.append("audio-library-name null")
        if offscreen:
            settings.append("load-display p3headlessgl")
        loadPrcFileData("", "\n".join(settings))
        from direct.showbase.ShowBase import ShowBase

        self.base: Any = ShowBase(windowType="offscreen" if offscreen else "onscreen")
        self.base.disableMouse()
        self.base.setBackgroundColor(*colours.SKY)
        self.base.camLens.setNearFar(0.5, FAR)
        self.base.camLens.setFov(FIELD_OF_VIEW)
        self.sky = self._sky()
        self._lights()

    def aim(self, player: Player, chase: bool, shake: float = 0.0) -> None:
        """Put the camera into the cockpit, or behind the ship."""
        camera = self.base.camera
        x, y, z = player.position.tolist()
        heading, pitch = player.heading, player.pitch
        right, up = player.look
        if chase:
            back = -BEHIND * player.forward
            camera.setPos(x + back[0], y + back[1], z + back[2] + ABOVE)
            camera.setHpr(heading - right, pitch + up - DOWN, 0.0)
        else:
            camera.setPos(x, y, z + 0.8)
            camera.setHpr(heading - right, pitch + up, 8.0 * player.turning)
        if shake > 0.0:
            camera.setHpr(camera, *(1.5 * shake * np.random.default_rng().normal(size=3)))
        self.sky.setPos(camera.getPos())

    def draw(self) -> None:
        """Draw one picture."""
        self.base.taskMgr.step()

    def picture(self) -> Pixels:
        """Return the last picture as rows of red, green and blue."""
        texture = self.base.win.getScreenshot()
        height, width = texture.getYSize(), texture.getXSize()
        image = np.frombuffer(bytes(texture.getRamImageAs("RGB")), np.uint8)
        return np.ascontiguousarray(image.reshape(height, width, 3)[::-1])

    def close(self) -> None:
        """Close the window."""
        self.base.destroy()

    def _lights(self) -> None:
        from panda3d.core import AmbientLight, DirectionalLight

        ambient = AmbientLight("ambient")
        ambient.setColor((0.20, 0.22, 0.30, 1.0))
        sun = DirectionalLight("sun")
        sun.setColor((1.1, 1.05, 0.95, 1.0))
        back = DirectionalLight("back")
        back.setColor((0.16, 0.2, 0.34, 1.0))
        render = self.base.render
        for light, hpr in ((ambient, None), (sun, (40.0, -35.0, 0.0)), (back, (200.0, 20.0, 0.0))):
            node = render.attachNewNode(light)
            if hpr is not None:
                node.setHpr(*hpr)
            render.setLight(node)

    def _sky(self) -> Any:
        """Return stars and a sun, which stay at the camera and lie behind everything."""
        random = np.random.default_rng(7)
        sky = self.base.render.attachNewNode("sky")
        sky.setBin("background", 0)
        sky.setDepthWrite(False)
        sky.setDepthTest(False)
        sky.setLightOff()
        away = random.normal(size=(STARS, 3))
        away *= 1000.0 / np.linalg.norm(away, axis=1, keepdims=True)
        light = random.uniform(0.25, 1.0, STARS) ** 2
        tint = np.column_stack(
            (0.85 + 0.15 * random.random(STARS), np.full(STARS, 0.92), np.ones(STARS))
        )
        for size, part in (
            (1.4, slice(0, 2200)),
            (2.4, slice(2200, 2550)),
            (3.6, slice(2550, STARS)),
        ):
            shades = np.column_stack((tint[part] * light[part, None], np.ones(len(tint[part]))))
            points(away[part], shades, size, "stars").reparentTo(sky)
        for colour, size, place in (
            ((1.0, 0.93, 0.75, 1.0), 260.0, (-480.0, -640.0, 560.0)),
            ((0.35, 0.25, 0.75, 0.35), 1100.0, (500.0, 780.0, 180.0)),
            ((0.1, 0.4, 0.55, 0.3), 1300.0, (-800.0, 500.0, -250.0)),
        ):
            disc = glow(colour, size)
            disc.setPos(*place)
            disc.setDepthTest(False)
            disc.setBin("background", 1)
            disc.reparentTo(sky)
        return sky
