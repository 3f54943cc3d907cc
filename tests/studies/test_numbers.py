"""Statistics, verdicts and the worlds of studies."""

import numpy as np
import pytest

import noctule as nt
from noctule.studies.analysis.claims import _check_value, _verdict
from noctule.studies.analysis.statistics import (
    mean_interval,
    mean_of,
    percentiles,
    ratio_interval,
    wilson,
)
from noctule.studies.analysis.summaries import Summary, _numbers
from noctule.studies.report.bubble_chart import free_places
from noctule.studies.task_worlds import PRESETS, game_world, queries


def test_wilson_against_the_literature():
    """Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    for (k, n), bounds in {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }.items():
        assert wilson(k, n) == pytest.approx(bounds, abs=5e-5)


def test_intervals_have_the_stated_coverage():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        runs = [rng.normal(rng.normal(5.0, 2.0), 1.0, 7).tolist() for _ in range(30)]
        low, high = mean_interval(runs)
        held += low <= 5.0 <= high
    assert 175 <= held <= 199  # of 200 at 95 %, with runs whose values hang together


def test_runs_are_drawn_not_values():
    """A hundred copies of a value in a run contain no more information than one."""
    few = [[1.0], [2.0], [4.0]]
    many = [100 * run for run in few]
    assert mean_interval(few) == mean_interval(many)


def test_intervals_of_pairs_are_narrower():
    rng = np.random.default_rng(2)
    hard = rng.uniform(1, 100, 20)
    a, b = [[x] for x in hard], [[0.9 * x + rng.normal(0, 0.1)] for x in hard]
    low, high = ratio_interval(b, a)
    assert 0.88 < low < 0.9 < high < 0.92
    alone = mean_interval(b)
    assert alone[1] / alone[0] > 1.2


def test_empty_runs():
    assert mean_of([[], []]) is None
    assert mean_interval([[], [1.0]]) is None
    assert percentiles([[]])["p99"] is None
    assert ratio_interval([[1.0], []], [[1.0], [2.0]]) is None


@pytest.mark.parametrize(
    ("asked", "ratio", "interval", "verdict"),
    [
        ("less", 0.8, (0.7, 0.9), "confirmed"),
        ("less", 0.8, (0.7, 1.1), "not decided"),
        ("less", 1.2, (1.1, 1.3), "refuted"),
        ("more", 1.2, (None, None), "confirmed"),
        ("more", 1.0, (None, None), "refuted"),
        ("at least", 1.0, (None, None), "confirmed"),
        ("at most", 1.01, (None, None), "refuted"),
        ("like", 1.015, (1.0, 1.1), "confirmed"),
        ("like", 0.97, (0.9, 1.1), "refuted"),
    ],
)
def test_verdicts(asked, ratio, interval, verdict):
    assert _verdict(asked, ratio, 1.0, interval) == verdict


@pytest.mark.parametrize(
    ("outcomes", "asked", "value", "verdict"),
    [
        ([1.0], "more", 0.93, "not decided"),  # one flight proves little
        ([1.0] * 60, "more", 0.93, "confirmed"),
        ([0.0] * 60, "more", 0.93, "refuted"),
        ([1.0], "at least", 0.93, "not decided"),
        ([1.0] * 60, "at least", 0.93, "confirmed"),
        ([1.0], "at least", 1.0, "confirmed"),  # every time: no number of flights would prove more
        ([1.0, 0.0], "at least", 1.0, "refuted"),
    ],
)
def test_claims_on_rates_use_their_intervals(outcomes, asked, value, verdict):
    runs = [[outcome] for outcome in outcomes]
    one = Summary("a*", {}, {"reached": runs}, {"reached": _numbers("reached", runs)})
    check = {"measure": "reached", "series": "a*", "is": asked, "value": value}
    judged = _check_value(check, [one])
    assert judged.verdict == verdict
    assert f"in {len(outcomes)} run" in judged.text


def test_texts_in_a_chart_do_not_overlap():
    middles = np.array([[100.0, 100.0], [101.0, 100.0], [100.0, 260.0]])
    places = free_places(middles, np.array([20.0, 20.0, 20.0]), ["one\n1 ms", "two\n2 ms", "far"])
    (a, b, c) = (middle + place for middle, place in zip(middles, places, strict=True))
    assert abs(a - b).max() > 20
    assert c[1] > 260


def test_presets_of_the_game():
    grid = nt.Grid(game_world(1))
    assert grid.shape == (50, 80, 30)
    for number, (start, goal) in PRESETS.items():
        ends = grid.centre(start), grid.centre(goal)
        assert nt.plan(grid, *ends, "a*").found
        assert grid.line_of_sight(*ends) == (number == 3)


def test_queries_of_a_map(tmp_path):
    blocked = np.zeros((6, 6, 6), bool)
    blocked[3, :5] = True
    np.save(tmp_path / "wall.npy", blocked)
    task = {"map": str(tmp_path / "wall.npy"), "queries": 4, "seed": 1, "run": 0}
    asked = queries(task)
    assert len(asked) == 4
    again = queries(task)
    for one, other in zip(asked, again, strict=True):
        assert (one.start == other.start).all()
        assert nt.plan(one.grid, one.start, one.goal, "a*").found
