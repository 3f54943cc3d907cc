"""`App`: the window, from picture to picture. `run` plays until the player quits."""

from __future__ import annotations

import gc
from dataclasses import asdict
from time import perf_counter
from typing import Any

from noctule.game.devices.inputs import Inputs
from noctule.game.devices.panda import PandaDevices
from noctule.game.requirements import require_display
from noctule.game.session import OVER, PLAY, Session
from noctule.game.simulation.events import Event
from noctule.game.simulation.game import Game
from noctule.game.sound.speaker import Speaker
from noctule.game.storage import Storage
from noctule.game.view.ai_view import AiView
from noctule.game.view.hud import Hud
from noctule.game.view.screens import Screens
from noctule.game.view.space import SpaceView
from noctule.game.view.stage import Stage

CLOSE = "close-requested"
SIZE = (1280, 720)
TITLE_SEED = 12  # of the asteroids behind the title
TITLE_LOOK = (-26.0, 4.0)  # the ship is beside the menu


class App:
    """The game with picture and sound.

    Parameters
    ----------
    session : Session
        What is played.
    stage : Stage
        Where it is drawn.
    sound : bool
        Whether to make sounds; without a device there are none.
    """

    def __init__(self, session: Session, stage: Stage, sound: bool = False) -> None:
        self.session, self.stage = session, stage
        base = stage.base
        self.devices = PandaDevices(base, session.inputs)
        self.hud, self.ai, self.screens = Hud(base), AiView(base), Screens(base)
        self.speaker = Speaker(base if sound else None)
        self._title = Game(TITLE_SEED, algorithm="straight", enemies=0)
        self._game: Game | None = None
        self._space: SpaceView | None = None
        self._fullscreen = False
        self._shake = 0.0
        self._unseen: list[Event] = []
        base.accept("window-event", self._window_changed)
        if base.win is not None and hasattr(base.win, "setCloseRequestEvent"):
            base.win.setCloseRequestEvent(CLOSE)
            base.accept(CLOSE, session.quit)

    def picture(self, seconds: float) -> None:
        """Play for some seconds, and draw the next picture."""
        session = self.session
        self.devices.poll()
        events = [*self._unseen, *session.advance(seconds)]
        self._unseen = []
        if session.fullscreen != self._fullscreen:
            self._toggle_fullscreen()
        shown = session.game
        if shown is None:
            shown = self._title
            shown.tick()
            shown.player.heading += 4.0 * seconds
            shown.player.look = TITLE_LOOK
        if shown is not self._game:
            self._show(shown)
        assert self._space is not None
        pace = 0.25 if session.slow and session.state == PLAY else 1.0
        is_title = shown is self._title
        chase = session.chase or is_title
        self._space.update(pace * seconds if session.state in (PLAY, OVER) else 0.0, events, chase)
        self._tell(events)
        self.hud.show(session.state == PLAY, not chase)
        self.hud.update(shown, seconds)
        if session.ai and not is_title and session.state == PLAY:
            self.ai.update(shown)
        else:
            self.ai.clear()
        self._shake = max(self._shake - 2.0 * seconds, 0.0)
        self.stage.aim(shown.player, chase, self._shake if session.state == PLAY else 0.0)
        self.screens.update(session)
        self.speaker.set_volume(0.0 if session.mute else session.settings.volume)
        self.speaker.hum(session.state == PLAY, shown.player.speed)
        self.stage.draw()

    def play_unseen(self, seconds: float) -> None:
        """Play for some seconds without a picture; the next one shows what happened."""
        self._unseen += self.session.advance(seconds)

    def close(self) -> None:
        """End everything."""
        self.speaker.close()
        self.stage.close()

    def _show(self, game: Game) -> None:
        if self._space is not None:
            self._space.remove()
        self._game, self._space = game, SpaceView(self.stage.base.render, game)
        gc.collect()
        gc.freeze()  # what was loaded stays; collections need not look at it

    def _tell(self, events: list[Event]) -> None:
        """Show and sound what happened."""
        for event in events:
            self.speaker.play(event, self.session.game)
            if event.what in ("bumped", "caught"):
                self.hud.hurt()
                self._shake = 1.0
            if event.what == "wave" and self.session.game is not None:
                self.hud.say(f"wave {self.session.game.wave}")

    def _toggle_fullscreen(self) -> None:
        from panda3d.core import WindowProperties

        self._fullscreen = self.session.fullscreen
        wished = WindowProperties()
        wished.setFullscreen(self._fullscreen)
        if not self._fullscreen:
            wished.setSize(*SIZE)
        if hasattr(self.stage.base.win, "requestProperties"):
            self.stage.base.win.requestProperties(wished)

    def _window_changed(self, window: Any) -> None:
        if window is not self.stage.base.win or not hasattr(window, "getProperties"):
            return
        properties = window.getProperties()
        if not properties.getOpen():
            self.session.quit()
        elif not properties.getForeground():
            self.session.lose_focus()
        self.stage.base.adjustWindowAspectRatio(self.stage.base.getAspectRatio())


def run(
    seed: int,
    difficulty: str | None,
    options: dict[str, Any],
    demo: bool,
    seconds: float | None,
    sound: bool,
    fullscreen: bool,
) -> list[dict[str, Any]]:
    """Open a window and play until the player quits, or time is up; return the high scores."""
    require_display()
    given = {name: value for name, value in options.items() if value is not None}
    if difficulty is not None:
        given["difficulty"] = difficulty
    if demo:
        given["immortal"] = True
    session = Session(Inputs(), Storage(), seed, given, demo)
    stage = Stage(SIZE, sound=sound, fullscreen=fullscreen)
    app = App(session, stage, sound)
    if demo:
        session.prepare()
        session.chase = True
    began = last = perf_counter()
    try:
        while not session.ended:
            now = perf_counter()
            app.picture(now - last)
            last = now
            if seconds is not None and now - began >= seconds:
                session.quit()
    finally:
        app.close()
    return [asdict(score) for score in session.storage.scores()]
