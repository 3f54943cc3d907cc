"""Settings and high scores, in the user's data folder."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from noctule.files import write_whole
from noctule.game.simulation.enemies import hunting_algorithms
from noctule.game.simulation.rules import DIFFICULTIES

FOLDER = "NOCTULE_DATA"  # environment variable: another folder
BEST = 10  # scores that are kept
OF_LEVEL = "of the difficulty"


@dataclass
class Settings:
    """What the player has chosen.

    Attributes
    ----------
    volume : float
        From 0 to 1.
    invert_pitch, mouse_steers : bool
        Whether stick and mouse are swapped up and down; whether the mouse steers.
    difficulty, algorithm : str
        How the enemies hunt; `OF_LEVEL` for the algorithm of the difficulty.
    """

    volume: float = 0.7
    invert_pitch: bool = False
    mouse_steers: bool = True
    difficulty: str = "normal"
    algorithm: str = OF_LEVEL


@dataclass(frozen=True)
class Score:
    """A game that was played."""

    points: int
    wave: int
    seconds: float
    difficulty: str
    algorithm: str


def data_folder() -> Path:
    """Return the folder for data of the user; `NOCTULE_DATA` names another one."""
    if os.environ.get(FOLDER):
        return Path(os.environ[FOLDER])
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home())) / "noctule"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "noctule"
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "noctule"


class Storage:
    """Reads and writes settings and scores; a file that is missing or damaged counts as empty.

    Parameters
    ----------
    folder : Path, optional
        `data_folder()` unless given.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = data_folder() if folder is None else folder

    def settings(self) -> Settings:
        """Return the settings; what is missing or wrong has its default."""
        read, settings = self._read("settings.json"), Settings()
        if isinstance(read, dict):
            for field in fields(Settings):
                value, default = read.get(field.name), getattr(settings, field.name)
                if type(value) is type(default):
                    setattr(settings, field.name, value)
        settings.volume = min(max(settings.volume, 0.0), 1.0)
        if settings.difficulty not in DIFFICULTIES:
            settings.difficulty = Settings.difficulty
        if settings.algorithm not in hunting_algorithms():
            settings.algorithm = OF_LEVEL
        return settings

    def scores(self) -> list[Score]:
        """Return the best scores, the best one first."""
        read = self._read("scores.json")
        found = []
        for row in read if isinstance(read, list) else []:
            try:
                found.append(
                    Score(
                        int(row["points"]),
                        int(row["wave"]),
                        float(row["seconds"]),
                        str(row["difficulty"]),
                        str(row["algorithm"]),
                    )
                )
            except (KeyError, TypeError, ValueError):
                continue
        return sorted(found, key=lambda score: -score.points)[:BEST]

    def save_settings(self, settings: Settings) -> None:
        """Write the settings; a folder that cannot be written to is no error."""
        self._write("settings.json", asdict(settings))

    def add_score(self, score: Score) -> int:
        """Add a score, and return its rank from 1 on; 0 if it is not among the best."""
        scores = self.scores()
        rank = sum(other.points >= score.points for other in scores) + 1
        if rank > BEST or score.points <= 0:
            return 0
        scores.insert(rank - 1, score)
        self._write("scores.json", [asdict(each) for each in scores[:BEST]])
        return rank

    def _read(self, name: str) -> Any:
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def _write(self, name: str, content: Any) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / name, json.dumps(content, indent=1).encode())
        except OSError:
            pass
