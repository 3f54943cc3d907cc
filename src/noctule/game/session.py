"""`Session`: title, game, pause, settings and game over, without any picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from noctule.game.devices.inputs import Inputs
from noctule.game.menus import Entry, Menu
from noctule.game.simulation import rules
from noctule.game.simulation.enemies import hunting_algorithms
from noctule.game.simulation.events import Event
from noctule.game.simulation.game import Game
from noctule.game.simulation.headless import warm_up
from noctule.game.simulation.pilots import DemoPilot
from noctule.game.storage import OF_LEVEL, Score, Settings, Storage

MOST_TICKS = 4  # frames of the game for one picture; a slower machine plays more slowly
SLOW = 0.25
VOLUME_STEP = 0.1

TITLE, LOADING, PLAY, PAUSE = "title", "loading", "play", "pause"
SETTINGS, HELP, OVER = "settings", "help", "over"


class Session:
    """What is shown now, and the game that is played.

    Parameters
    ----------
    inputs : Inputs
        Where controls and actions come from.
    storage : Storage
        Settings and scores.
    seed : int
        Of the first game; later ones count on.
    options : dict
        Further options of `Game`, which count more than the settings.
    demo : bool
        Whether Noctule flies the player.

    Attributes
    ----------
    state : str
        "title", "loading", "play", "pause", "settings", "help" or "over".
    game : Game or None
        The game, from its start until the title is shown again.
    chase, ai, slow, mute : bool
        The camera behind the ship, the view of the plans, slow motion, no sound.
    ended : bool
        Whether the player has quit.
    rank : int
        Of the last score among the best; 0 if it is none of them.
    """

    def __init__(
        self,
        inputs: Inputs,
        storage: Storage,
        seed: int = 0,
        options: dict[str, Any] | None = None,
        demo: bool = False,
    ) -> None:
        self.inputs, self.storage, self.demo = inputs, storage, demo
        self.settings: Settings = storage.settings()
        self._seed, self._options = seed, options or {}
        self.state, self._back = TITLE, TITLE
        self.game: Game | None = None
        self._pilot: DemoPilot | None = None
        self.chase = self.ai = self.slow = self.mute = self.ended = self.fullscreen = False
        self.rank, self._left, self._announced = 0, 0.0, False
        self.menus = self._menus()
        self._apply()

    @property
    def menu(self) -> Menu | None:
        """The menu that is shown."""
        return self.menus.get(self.state)

    def prepare(self) -> None:
        """Start a new game after the next picture, which says that it is being prepared."""
        self.state, self._announced = LOADING, False

    def start(self) -> None:
        """Start a new game now."""
        options = {"difficulty": self.settings.difficulty, **self._options}
        if options.get("algorithm") is None and self.settings.algorithm != OF_LEVEL:
            options["algorithm"] = self.settings.algorithm
        self.game = Game(self._seed, **options)
        warm_up(self.game.enemies.algorithm)
        self._seed += 1
        self._pilot = DemoPilot(self.game) if self.demo else None
        self.state, self.rank, self._left = PLAY, 0, 0.0
        self.inputs.controls()  # what was pressed in the menu does not count

    def advance(self, seconds: float) -> list[Event]:
        """Handle the actions, and play the frames of the game that are due."""
        for action in self.inputs.take_actions():
            self.handle(action)
        if self.state == LOADING:
            if self._announced:
                self.start()
            self._announced = True
            return []
        if self.state != PLAY or self.game is None:
            self._left = 0.0
            return []
        self._left += min(seconds, MOST_TICKS * rules.FRAME) * (SLOW if self.slow else 1.0)
        events: list[Event] = []
        while self._left >= rules.FRAME - 1e-9:
            self._left -= rules.FRAME
            pilot = self._pilot
            events += self.game.tick(self.inputs.controls() if pilot is None else pilot.controls())
            if self.game.over:
                self._end()
                break
        return events

    def handle(self, action: str) -> None:
        """Do what an action asks for."""
        if self.menu is not None and self.menu.handle(action):
            return
        if action == "pause":
            self._pause_or_back()
        elif action == "help":
            self._show(HELP)
        elif action in ("mute", "fullscreen"):
            setattr(self, action, not getattr(self, action))
        elif self.state == PLAY and action in ("camera", "ai", "slow"):
            name = "chase" if action == "camera" else action
            setattr(self, name, not getattr(self, name))
        elif self.state == HELP and action == "choose":
            self.state = self._back

    def lose_focus(self) -> None:
        """Pause, because the window is no longer the one in use."""
        self.inputs.release_all()
        if self.state == PLAY and not self.demo:
            self.state = PAUSE

    def quit(self) -> None:
        """End everything."""
        self.storage.save_settings(self.settings)
        self.ended = True

    def _pause_or_back(self) -> None:
        if self.state == PLAY:
            self.state = PAUSE
        elif self.state == PAUSE:
            self.state = PLAY
        elif self.state in (SETTINGS, HELP):
            self._leave()
        elif self.state == OVER:
            self.to_title()

    def _show(self, state: str) -> None:
        if self.state != state:
            self._back = PAUSE if self.state == PLAY else self.state
            self.state = state

    def _leave(self) -> None:
        self.storage.save_settings(self.settings)
        self.state = self._back

    def to_title(self) -> None:
        """End the game, and show the title."""
        self.state, self.game, self._pilot = TITLE, None, None

    def _end(self) -> None:
        game = self.game
        assert game is not None
        self.state = OVER
        if not self.demo:
            self.rank = self.storage.add_score(
                Score(
                    game.score, game.wave, game.time, game.difficulty.name, game.enemies.algorithm
                )
            )

    # ------------------------------------------------------------------ menus

    def _menus(self) -> dict[str, Menu]:
        settings = Entry(lambda: "settings", lambda: self._show(SETTINGS))
        controls = Entry(lambda: "controls", lambda: self._show(HELP))
        to_title = Entry(lambda: "title screen", self.to_title)
        return {
            TITLE: Menu(
                "LOST IN SPACE",
                [
                    Entry(lambda: "play", self.prepare),
                    self._choice("difficulty", tuple(rules.DIFFICULTIES)),
                    self._choice("algorithm", (OF_LEVEL, *hunting_algorithms())),
                    settings,
                    controls,
                    Entry(lambda: "quit", self.quit),
                ],
            ),
            PAUSE: Menu(
                "PAUSE",
                [
                    Entry(lambda: "go on", self._pause_or_back),
                    Entry(lambda: "restart", self.prepare),
                    settings,
                    controls,
                    to_title,
                    Entry(lambda: "quit", self.quit),
                ],
            ),
            OVER: Menu("GAME OVER", [Entry(lambda: "play again", self.prepare), to_title]),
            SETTINGS: Menu(
                "SETTINGS",
                [
                    Entry(
                        lambda: f"volume: {round(100 * self.settings.volume)} %",
                        change=self._change_volume,
                    ),
                    self._switch("invert up and down", "invert_pitch"),
                    self._switch("mouse steers", "mouse_steers"),
                    Entry(lambda: "back", self._leave),
                ],
            ),
        }

    def _choice(self, name: str, values: tuple[str, ...]) -> Entry:
        def change(step: int) -> None:
            now = values.index(getattr(self.settings, name))
            setattr(self.settings, name, values[(now + step) % len(values)])
            self._options.pop(name, None)  # the menu counts more than the command line

        def label() -> str:
            return f"{name}: {self._options.get(name) or getattr(self.settings, name)}"

        return Entry(label, change=change)

    def _switch(self, text: str, name: str) -> Entry:
        def change(_: int) -> None:
            setattr(self.settings, name, not getattr(self.settings, name))
            self._apply()

        label: Callable[[], str] = lambda: (  # noqa: E731
            f"{text}: {'on' if getattr(self.settings, name) else 'off'}"
        )
        return Entry(label, change=change)

    def _change_volume(self, step: int) -> None:
        volume = round(self.settings.volume + step * VOLUME_STEP, 1)
        self.settings.volume = min(max(volume, 0.0), 1.0)

    def _apply(self) -> None:
        self.inputs.invert_pitch = self.settings.invert_pitch
        self.inputs.mouse_steers = self.settings.mouse_steers
