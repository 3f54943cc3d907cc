"""Play without a picture, and report what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from noctule.game.simulation import rules
from noctule.game.simulation.game import Game
from noctule.game.simulation.pilots import DemoPilot, EvenPilot

PILOTS: dict[str, Callable[[Game], DemoPilot | EvenPilot]] = {
    "demo": DemoPilot,
    "unarmed": lambda game: DemoPilot(game, shoots=False),
    "even": EvenPilot,
}

WARM_UP_FRAMES = 90
_warm: set[str] = set()


def frames(game: Game, seconds: float, pilot: str = "demo") -> Iterator[int]:
    """Play for some seconds, or until the game is over; yield the number of each frame."""
    if pilot not in PILOTS:
        raise ValueError(f"pilot is {pilot!r}; allowed are {', '.join(PILOTS)}")
    flown = PILOTS[pilot](game)
    for frame in range(1, frame_count(seconds) + 1):
        game.tick(flown.controls())
        yield frame
        if game.over:
            break


def frame_count(seconds: float) -> int:
    """Return how many frames there are in so many seconds."""
    return max(round(seconds / rules.FRAME), 1)


def play_headless(game: Game, seconds: float, pilot: str = "demo") -> dict[str, Any]:
    """Play for some seconds, or until the game is over; return a report."""
    for _ in frames(game, seconds, pilot):
        pass
    return report(game)


def warm_up(algorithm: str) -> None:
    """Play another game for a moment, so that everything has been compiled or loaded."""
    if algorithm in _warm:
        return
    game = Game(2019, algorithm=algorithm, enemies=8, immortal=True)
    pilot = DemoPilot(game)
    for _ in range(WARM_UP_FRAMES):
        game.tick(pilot.controls())
    _warm.add(algorithm)


def report(game: Game) -> dict[str, Any]:
    """Return what has happened in a game, as numbers.

    They are the same for the same game, except `planning_ms` and `planning_cpu_ms`.
    """
    counts, spent = game.counts, game.enemies.spent
    return {
        "seed": game.seed,
        "difficulty": game.difficulty.name,
        "algorithm": game.enemies.algorithm,
        "asteroids": len(game.field),
        "frames": game.frame,
        "seconds": game.time,
        "wave": game.wave,
        "score": game.score,
        "health": game.player.health,
        "defeats": counts["over"],
        "catches": counts["caught"],
        "mean_seconds_to_catch": float(np.mean(game.hunted_for)) if game.hunted_for else None,
        "contacts": {
            "enemy with asteroid": counts["crashed: asteroid"],
            "enemy with fragment": counts["crashed: fragment"],
            "enemy with enemy": counts["collided"] // 2,
            "player with asteroid": counts["bumped"],
        },
        "enemies": {
            "appeared": counts["spawned"],
            "shot": counts["killed"],
            "lost the player": counts["lost"],
        },
        "travelled": game.enemies.travelled,
        "expanded": spent.expanded,
        "planning_ms": _spread(spent.milliseconds),
        "planning_cpu_ms": _spread(spent.cpu_milliseconds),
    }


def _spread(times: list[float]) -> dict[str, float]:
    """Return median, percentiles and the worst of some times."""
    if not times:
        return {"median": 0.0, "p99": 0.0, "p99.9": 0.0, "worst": 0.0}
    median, p99, p999, worst = np.percentile(times, (50, 99, 99.9, 100)).tolist()
    return {"median": median, "p99": p99, "p99.9": p999, "worst": worst}
