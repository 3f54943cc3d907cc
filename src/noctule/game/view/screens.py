"""`Screens`: title, pause, settings, controls and game over."""

from __future__ import annotations

from typing import Any

from noctule.game.devices.bindings import HELP as CONTROLS
from noctule.game.session import HELP, LOADING, OVER, PLAY, TITLE, Session
from noctule.game.view import colours
from noctule.game.view.hud import panel, text

LINE = 0.105
SHOWN_SCORES = 5


class Screens:
    """Draws the menu of a session, and what belongs to it.

    Parameters
    ----------
    base : ShowBase
        Panda3D's application.
    """

    def __init__(self, base: Any) -> None:
        self._base = base
        self._root: Any = None
        self._shown: Any = None

    def update(self, session: Session) -> None:
        """Show what the session shows; nothing while it is played."""
        now = self._content(session)
        if now == self._shown:
            return
        self._shown = now
        if self._root is not None:
            self._root.removeNode()
        self._root = self._base.aspect2d.attachNewNode("screen")
        self._root.setBin("fixed", 60)
        if session.state == PLAY:
            return
        dark = 0.35 if session.state == TITLE else 0.72
        panel(self._root, (-3.0, 3.0, -1.0, 1.0), (0.0, 0.0, 0.02, dark))
        if session.state == LOADING:
            self._write("preparing ...", 0.0, 0.08)
        elif session.state == HELP:
            self._controls()
        else:
            self._menu(session, now)

    def _content(self, session: Session) -> Any:
        """Return all that is shown, to see whether it has changed."""
        menu = session.menu
        labels = [entry.label() for entry in menu.entries] if menu is not None else []
        return session.state, labels, menu.marked if menu is not None else 0, session.rank

    def _menu(self, session: Session, content: Any) -> None:
        _, labels, marked, _ = content
        menu = session.menu
        assert menu is not None
        is_title = session.state == TITLE
        size = 0.2 if is_title else 0.13
        self._write(menu.title, 0.55, size, colours.WARNING)
        y = 0.2
        if is_title:
            words = "fly through the asteroids; they plan their way to you"
            self._write(words, 0.43, 0.05, colours.DIM)
        if session.state == OVER and session.game is not None:
            game = session.game
            self._write(
                f"{game.score} points, wave {game.wave}, {game.time:.0f} seconds", 0.38, 0.06
            )
            place = f"number {session.rank} of the high scores" if session.rank else ""
            self._write(place, 0.29, 0.05, colours.GOOD)
            y = 0.12
        for k, label in enumerate(labels):
            colour = colours.SHIP if k == marked else colours.TEXT
            mark = f"> {label} <" if k == marked else label
            self._write(mark, y - k * LINE, 0.065, colour)
        if is_title or session.state == OVER:
            self._scores(session, y - (len(labels) + 0.6) * LINE)

    def _scores(self, session: Session, y: float) -> None:
        scores = session.storage.scores()[:SHOWN_SCORES]
        for k, score in enumerate(scores):
            words = f"{k + 1}.  {score.points:06}   wave {score.wave}   "
            words += f"{score.difficulty}, {score.algorithm}"
            self._write(words, y - 0.055 * k, 0.042, colours.DIM)

    def _controls(self) -> None:
        self._write("CONTROLS", 0.62, 0.11, colours.WARNING)
        for k, line in enumerate(CONTROLS.splitlines()):
            y, colour = 0.45 - 0.075 * k, colours.DIM if k == 0 else colours.TEXT
            for x, words in ((-1.05, line[:21]), (-0.45, line[21:53]), (0.6, line[53:])):
                text(self._root, (x, y), 0.048, colour).setText(words.strip())
        self._write("escape: back", -0.75, 0.05, colours.DIM)

    def _write(self, words: str, y: float, size: float, colour: Any = colours.TEXT) -> None:
        text(self._root, (0.0, y), size, colour, "center").setText(words)
