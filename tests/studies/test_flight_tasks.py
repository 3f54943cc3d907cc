"""Flights of studies: the time of a plan is its CPU time."""

import itertools

import numpy as np
import pytest

import noctule as nt
from noctule.studies import flight_tasks, path_tasks, tasks
from noctule.worlds.motions import Way

TASK = {"kind": "flights", "seed": 0, "run": 0, "limit": 1.0}


@pytest.fixture
def scene():
    slider = nt.Body("slider", nt.Ball(0.5), (4, 4, 4), motion=Way([(4, 1, 4), (4, 4, 4)], 2.0))
    agent, target = nt.Agent((1.5, 2.5, 2.5), 0.4, 4.0), nt.Destination((10.5, 2.5, 2.5), 0.4)
    return nt.Scene(nt.Space((0, 0, 0), (12, 5, 5)), agent, target, [slider])


class Ticking:
    """A clock that advances by a second per call."""

    def __init__(self):
        self._ticks = itertools.count()

    def thread_time(self):
        return float(next(self._ticks))

    def perf_counter(self):
        raise AssertionError("elapsed time depends on what else the machine does")


@pytest.mark.parametrize(
    "more",
    [
        {"algorithm": "a*"},
        {"algorithm": "d*-lite", "every": 3},
        {"algorithm": "a*", "prediction": True},
        {"algorithm": "safe-intervals"},
        {"algorithm": "theta*", "static_agent": True, "limit": 0.2},
    ],
    ids=str,
)
def test_each_plan_of_a_flight_is_timed_once(scene, monkeypatch, more):
    graph = nt.CellGrid(scene)
    monkeypatch.setattr(flight_tasks, "scene_and_graph", lambda task: (scene, graph))
    monkeypatch.setattr(flight_tasks, "time", Ticking())
    done = flight_tasks.fly(TASK | more)
    plans = len(done["counted"]["expanded"])
    assert plans > 1
    assert done["timed"]["plan_ms"] == [1000.0] * plans
    assert done["timed"]["plan_ms_run"] == [1000.0 * plans]


def test_incremental_searches_are_timed_from_scratch(monkeypatch):
    """A repeated query would take no time."""
    planned = []

    class Spy(nt.Planner):
        def plan(self, start, goal):
            path = super().plan(start, goal)
            planned.append(path.expanded)
            return path

    monkeypatch.setattr(nt, "Planner", Spy, raising=False)
    blocked = np.zeros((9, 9), bool)
    blocked[4, 1:] = True
    task = {"kind": "paths", "world": "noise", "side": 8, "percent": 20, "queries": 2, "seed": 1}
    path_tasks.plan_paths(task | {"run": 0, "rounds": 3, "algorithm": "d*-lite"})
    assert len(planned) == 2 * (1 + 3)
    assert len(set(planned[:4])) == len(set(planned[4:])) == 1
    assert min(planned) > 0


def test_the_calibration_measures_elapsed_time(monkeypatch):
    """Both clocks advance by a second per call, and have different origins, as real ones do."""
    elapsed = itertools.count(1e6)
    ticking = Ticking()
    ticking.perf_counter = lambda: float(next(elapsed))
    monkeypatch.setattr(tasks, "time", ticking)
    cpu, clock = tasks.calibrate()
    assert cpu == 1e3
    assert clock == pytest.approx(1e3 / tasks.ROUNDS, abs=1e-4)
