"""Bars of the game: contacts and planning times over seeds, and a long demo with pictures.

    python benchmarks/game.py hunts --seeds 10 --seconds 120
    python benchmarks/game.py even --seeds 10 --seconds 60
    python benchmarks/game.py demo --seconds 600

Times are those of the processor and of the clock; on a busy machine only the first count.
"""

import argparse
import gc
import json
import time

import numpy as np

from noctule.game.simulation.game import Game
from noctule.game.simulation.headless import play_headless, warm_up

HUNTERS = 8


def hunts(seeds: int, seconds: float, algorithm: str) -> list[dict]:
    """Return the reports of games of eight hunters and a player that does not shoot."""
    warm_up(algorithm)
    reports = []
    for seed in range(seeds):
        game = Game(seed, algorithm=algorithm, enemies=HUNTERS, immortal=True)
        reports.append(play_headless(game, seconds, "unarmed"))
        print(json.dumps(reports[-1]), flush=True)
    return reports


def even(seeds: int, seconds: float, algorithm: str) -> None:
    """Print how often a player that flies straight on is caught by one hunter."""
    for seed in range(seeds):
        game = Game(seed, algorithm=algorithm, enemies=1, immortal=True)
        report = play_headless(game, seconds, "even")
        print(seed, report["catches"], "catches", report["contacts"], flush=True)


def demo(seconds: float, seed: int) -> None:
    """Print memory and the times of frames of a demo that is drawn without a window."""
    from noctule.game.app import App
    from noctule.game.devices.inputs import Inputs
    from noctule.game.session import Session
    from noctule.game.storage import Storage
    from noctule.game.view.stage import Stage

    options = {"immortal": True, "budget_ms": 8.0}
    session = Session(Inputs(), Storage(), seed, options, demo=True)
    session.start()
    app = App(session, Stage((1280, 720), offscreen=True))
    wall, cpu = [], []
    for frame in range(round(60 * seconds)):
        began, spent = time.perf_counter(), time.process_time()
        app.picture(1 / 60)
        wall.append(1e3 * (time.perf_counter() - began))
        cpu.append(1e3 * (time.process_time() - spent))
        if frame % 600 == 0:
            gc.collect()
            print(f"{frame / 60:.0f} s: {_memory_mb():.1f} MB", flush=True)
    for name, times in (("clock", wall[60:]), ("processor", cpu[60:])):
        median, p99, worst = np.percentile(times, (50, 99, 100))
        late = int((np.array(times) > 50.0).sum())
        print(f"{name}: median {median:.1f} ms, 99 % {p99:.1f}, worst {worst:.1f}, {late} above 50")
    app.close()


def _memory_mb() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("hunts", "even", "demo"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--algorithm", default="lazy-theta*")
    given = parser.parse_args()
    if given.what == "hunts":
        reports = hunts(given.seeds, given.seconds, given.algorithm)
        print("catches", sum(r["catches"] for r in reports))
        for name in reports[0]["contacts"]:
            print(name, sum(r["contacts"][name] for r in reports))
        for name in ("p99", "p99.9", "worst"):
            print(name, max(r["planning_cpu_ms"][name] for r in reports), "ms of the processor")
    elif given.what == "even":
        even(given.seeds, given.seconds, given.algorithm)
    else:
        demo(given.seconds, given.seed)
