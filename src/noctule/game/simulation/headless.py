"""Play without a picture, and report what happened."""

from __future__ import annotations

from collections.abc import Callable
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


def play_headless(
    game: Game,
    seconds: float,
    pilot: str = "demo",
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Play for some seconds, or until the game is over; return a report.

    All that it says is the same for the same game, except `planning_ms` and `planning_cpu_ms`.
    """
    if pilot not in PILOTS:
        raise ValueError(f"pilot is {pilot!r}; allowed are {', '.join(PILOTS)}")
    flown, frames = PILOTS[pilot](game), round(seconds / rules.FRAME)
    travelled = 0.0
    for frame in range(frames):
        game.tick(flown.controls())
        travelled += sum(float(np.linalg.norm(s.position - s.before)) for s in game.enemies.ships)
        if progress is not None:
            progress(frame + 1, frames)
        if game.over:
            break
    return report(game, travelled)


def report(game: Game, travelled: float) -> dict[str, Any]:
    """Return what has happened in a game, as numbers."""
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
        "over": game.over,
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
        "travelled": travelled,
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
