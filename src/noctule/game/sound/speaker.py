"""`Speaker`: plays the sounds of events; silent where there is no sound device."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from noctule.game.simulation.events import Event
from noctule.game.simulation.game import Game
from noctule.game.sound.synthesis import SOUNDS, as_wav

HEARD = 450.0  # farther away, nothing is heard
# Which sound an event has.
OF_EVENT = {
    "empty": "empty",
    "swap": "click",
    "reload": "reload",
    "hit": "hit",
    "broken": "explosion",
    "killed": "explosion",
    "crashed": "explosion",
    "collided": "explosion",
    "caught": "hurt",
    "bumped": "hurt",
    "wave": "wave",
    "over": "over",
}


class Speaker:
    """Plays sounds.

    Parameters
    ----------
    base : ShowBase or None
        Panda3D's application; None for no sound.

    Attributes
    ----------
    played : list of (str, float)
        The sounds of the last call of `play`, and how loud they were.
    """

    def __init__(self, base: Any) -> None:
        self._sounds: dict[str, Any] = {}
        self._volume = 1.0
        self.played: list[tuple[str, float]] = []
        managers = [] if base is None else [m for m in base.sfxManagerList if m.isValid()]
        self.has_device = bool(managers)
        if not self.has_device:
            return
        self._folder = tempfile.TemporaryDirectory(prefix="noctule-sounds-")
        for name, make in SOUNDS.items():
            file = Path(self._folder.name) / f"{name}.wav"
            file.write_bytes(as_wav(make()))
            self._sounds[name] = base.loader.loadSfx(str(file))

    def play(self, event: Event, game: Game | None) -> None:
        """Play the sound of an event, the softer the farther away."""
        self.played = []
        name = OF_EVENT.get(event.what)
        if event.what == "fire" and game is not None:
            name = game.guns.weapon.name
        if name is None:
            return
        far = 0.0
        if game is not None:
            away = event.position - game.player.position
            far = float((away @ away) ** 0.5)
        loudness = max(1.0 - far / HEARD, 0.0) ** 2
        self.played.append((name, loudness))
        sound = self._sounds.get(name)
        if sound is not None and loudness > 0.0:
            sound.setVolume(self._volume * loudness)
            sound.play()

    def hum(self, on: bool, speed: float) -> None:
        """Let the engine hum, the higher the faster."""
        engine = self._sounds.get("engine")
        if engine is None:
            return
        engine.setPlayRate(0.6 + speed / 60.0)
        engine.setVolume(0.35 * self._volume if on else 0.0)
        if on and engine.status() != engine.PLAYING:
            engine.setLoop(True)
            engine.play()

    def set_volume(self, volume: float) -> None:
        """Set the volume of all sounds, from 0 to 1."""
        self._volume = volume

    def close(self) -> None:
        """Stop all sounds."""
        for sound in self._sounds.values():
            sound.stop()
        self._sounds.clear()
        if self.has_device:
            self._folder.cleanup()
