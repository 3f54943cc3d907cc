"""Plans on a time_limit: how often they look at the clock, and what they return in time."""

import math

import numpy as np
import pytest

import noctule as nt
from noctule.planning import run

SHAPE = (30, 30, 12)
NAMES = [row.name for row in nt.algorithms() if not (row.corners_only or row.timed)]


class Clock:
    """A clock that goes on by so many seconds with each expansion of the searches it watches."""

    def __init__(self, seconds):
        self.seconds, self.now, self.slices = seconds, 0.0, []

    def perf_counter(self):
        return self.now

    def watch(self, engine):
        search = engine.search

        def slow_search(memory, start, goal, limit, partial):
            before = 0 if start is not None else memory.stats[0].expanded
            answer = search(memory, start, goal, limit, partial)
            self.slices.append(int(memory.stats[0].expanded - before))
            self.now += self.seconds * self.slices[-1]
            return answer

        engine.search = slow_search


@pytest.fixture
def planner(monkeypatch):
    def make(name, seconds, **options):
        rng = np.random.default_rng(3)
        blocked = rng.random(SHAPE) < 0.2
        blocked[:2], blocked[-2:] = False, False
        made = nt.Planner(nt.Grid(blocked), name, **options)
        clock = Clock(seconds)
        for engine in made._engines:
            clock.watch(engine)
        monkeypatch.setattr(run, "time", clock)
        monkeypatch.setattr("noctule.planning.planner.time", clock)
        return made, clock

    return make


START, GOAL = (0.5, 0.5, 0.5), (29.5, 29.5, 11.5)


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_ends_soon_after_its_budget_however_slow_the_search(planner, name):
    """As with memory that was never touched, or a large agent."""
    made, clock = planner(name, 4e-5)
    made.plan(START, GOAL, time_limit=0.002)
    assert clock.now <= 0.004
    if name != "jps":  # few expansions
        assert len(clock.slices) > 1


@pytest.mark.parametrize("name", ["a*", "d*-lite"])
def test_slices_grow_as_long_as_they_are_quick(planner, name):
    made, clock = planner(name, 1e-7)
    assert made.plan(START, GOAL, time_limit=1.0).found
    assert clock.slices[0] <= run.FIRST_SLICE
    assert max(clock.slices) > 8 * run.FIRST_SLICE


@pytest.mark.parametrize("name", ["ara*", "ad*"])
def test_searches_that_improve_look_at_the_clock_between_two_weights(planner, name):
    made, _ = planner(name, 1e-6)
    whole = made.plan(START, GOAL)
    assert whole.bound == 1.0
    fresh, _ = planner(name, 1e-3)
    path = fresh.plan(START, GOAL, time_limit=0.2)
    assert path.found
    assert 1.0 < path.bound < 3.0
    assert nt.verify(path, fresh.graph)
    for _ in range(200):  # each plan goes on where the last one ended
        path = fresh.plan(START, GOAL, time_limit=0.02)
        if path.bound == 1.0:
            break
    assert math.isclose(path.length, whole.length, rel_tol=1e-9)


@pytest.mark.parametrize("name", ["ara*", "ad*"])
@pytest.mark.parametrize("weight", [1e4, 1e12])
def test_a_huge_weight_is_left_at_once(planner, name, weight):
    """The next weight is smaller than what the path is proven to be, not only than the last one."""
    made, clock = planner(name, 0.0, weight=weight)
    path = made.plan(START, GOAL, time_limit=1.0)  # the clock stands still
    assert path.bound == 1.0
    assert len(clock.slices) < 200


@pytest.mark.parametrize("time_limit", [math.nan, -1, math.inf, "soon", True])
def test_impossible_time_limits_are_refused(time_limit):
    planner = nt.Planner(nt.Grid(np.zeros((4, 4), bool)), "ara*")
    message = "time_limit is .*; it must be a number of at least 0"
    with pytest.raises(ValueError, match=message):
        planner.plan((0.5, 0.5), (3.5, 3.5), time_limit=time_limit)
    with pytest.raises(ValueError, match=message):
        planner.improve((0.5, 0.5), (3.5, 3.5), time_limit=time_limit)
    with pytest.raises(ValueError, match=message):
        nt.Planner(planner.graph, "a*", time_limit=time_limit)


@pytest.mark.parametrize("name", ["a*", "jps", "lazy-theta*"])
def test_nothing_is_compiled_after_a_warm_up(monkeypatch, name):
    """Not even for paths that end early."""
    blocked = np.zeros(SHAPE, bool)
    blocked[20:24, 1:] = True
    planner = nt.Planner(nt.Grid(blocked), name)
    planner.warm_up((0.5, 0.5, 0.5), (3.5, 2.5, 1.5))
    compiled = []
    where = "noctule.core.linking.KernelDispatcher.compile"
    monkeypatch.setattr(where, lambda *asked: compiled.append(asked))
    assert not planner.plan(START, GOAL, time_limit=0.0).found
    assert compiled == []
