"""Tasks of kind `hunts`: enemies of the game hunt a player that evades them, without a picture."""

from typing import Any

from noctule.game.simulation.game import Game
from noctule.game.simulation.headless import play_headless, warm_up
from noctule.studies.task_options import timed_values

SECONDS = 60.0
ENEMIES = 4


def hunt(task: dict[str, Any]) -> dict[str, Any]:
    """Play one game; `seed` and `run` draw the asteroids and where enemies appear."""
    warm_up(task["algorithm"])
    game = Game(
        1000 * task["seed"] + task["run"],
        algorithm=task["algorithm"],
        enemies=task.get("enemies", ENEMIES),
        immortal=True,
    )
    seconds = task.get("seconds", SECONDS)
    report = play_headless(game, seconds, task.get("pilot", "unarmed"))
    minutes = seconds / 60.0
    contacts = report["contacts"]
    crashed = contacts["enemy with asteroid"] + contacts["enemy with fragment"]
    counted: dict[str, list[float]] = {
        "catches": [report["catches"] / minutes],
        "crashes": [crashed / minutes],
        "seconds": [round(each, 6) for each in game.hunted_for],
        "travelled": [round(report["travelled"], 6)],
        "expanded_run": [report["expanded"]],
    }
    return {
        "counted": counted,
        "timed": timed_values(game.enemies.spent.cpu_milliseconds, []),
    }
