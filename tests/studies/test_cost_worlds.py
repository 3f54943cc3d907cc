"""Worlds with costs of the studies, and the least cost known of paths through them."""

import numpy as np
import pytest

import noctule as nt
from noctule.studies.cost_worlds import COST_WORLDS, least_cost
from noctule.studies.definition import StudyError
from noctule.studies.path_tasks import plan_paths
from noctule.studies.task_worlds import queries

TASK = {"kind": "paths", "seed": 1, "run": 0, "rounds": 1, "queries": 2, "side": 14}


@pytest.mark.parametrize("world", COST_WORLDS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_worlds_are_the_same_each_time(world, dimension):
    task = TASK | {"world": world, "dimension": dimension, "nodes": "corners"}
    first, second = queries(task), queries(task)
    assert len(first) == 2
    for a, b in zip(first, second, strict=True):
        assert a.grid.shape == (14,) * dimension
        assert (a.grid.cost == b.grid.cost).all()
        assert (a.grid.blocked == b.grid.blocked).all()
        assert a.start.tolist() == b.start.tolist()
        assert a.grid.cost.max() > 1.5
    other = queries(task | {"run": 1})
    assert (other[0].grid.cost != first[0].grid.cost).any()


def test_no_path_costs_less_than_the_least_known():
    for world in ("zones", "each-cell"):
        for query in queries(TASK | {"world": world, "nodes": "corners"}):
            least = least_cost(query.grid, query.start, query.goal)
            costs = {n: nt.plan(*query[:3], n).cost for n in ("a*", "theta*", "field-d*", "taut")}
            assert least <= min(costs.values()) * 1.002, costs
            assert costs["a*"] <= 1.2 * least


def test_blind_searches_pay_for_the_mines():
    task = TASK | {"world": "mines", "side": 24, "algorithm": "theta*", "queries": 4}
    seeing, blind = (plan_paths(task | {"ignore_costs": v})["counted"] for v in (False, True))
    assert sum(blind["cost"]) > 1.5 * sum(seeing["cost"])
    assert sum(blind["length"]) < sum(seeing["length"])
    assert all(seeing["verified"] + blind["verified"])
    assert all(np.array(seeing["cost"]) >= seeing["length"])


def test_worlds_have_two_or_three_dimensions():
    with pytest.raises(StudyError, match="dimension is 4; allowed are 2 and 3"):
        queries(TASK | {"world": "zones", "dimension": 4})
