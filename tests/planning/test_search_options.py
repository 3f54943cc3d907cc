"""The options of a search have the same names everywhere, and a wrong name gets the right one."""

import inspect
from dataclasses import fields

import numpy as np
import pytest

import noctule as nt
from noctule.commands.shared import options as shared_options
from noctule.planning.search_options import RENAMED

NAMES = list(nt.SearchOptions.__annotations__)
GRID = nt.Grid(np.zeros((4, 4), dtype=bool))
CORNERS = (0.5, 0.5), (3.5, 3.5)


@pytest.fixture(scope="module")
def callables():
    """Everything that takes options of a search, with the arguments that it needs."""
    scene = nt.Scene.load("test-environment")
    planner = nt.Planner(GRID, "ara*")
    return {
        "plan": lambda **options: nt.plan(GRID, *CORNERS, **options),
        "plan_many": lambda **options: nt.plan_many(GRID, [CORNERS], **options),
        "Planner": lambda **options: nt.Planner(GRID, **options),
        "Flight": lambda **options: nt.Flight(scene, **options),
        "Navigator": lambda **options: nt.Navigator(scene, **options),
        "Planner.plan": lambda **options: planner.plan(*CORNERS, **options),
        "Planner.improve": lambda **options: planner.improve(*CORNERS, **options),
    }


WITH_SEARCH = ["plan", "plan_many", "Planner", "Flight", "Navigator"]


OF_MANY = "threads", "client"


@pytest.mark.parametrize("function", [nt.plan, nt.plan_many, nt.Planner])
def test_signatures_have_the_options(function):
    parameters = inspect.signature(function).parameters.values()
    keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in OF_MANY]
    assert [p.name for p in keywords] == NAMES
    defaults = inspect.signature(nt.plan).parameters
    assert all(p.default == defaults[p.name].default for p in keywords)


@pytest.mark.parametrize("function", [nt.Flight, nt.Navigator])
def test_flights_take_all_options(function):
    parameters = inspect.signature(function).parameters
    assert parameters["search"].annotation == "Unpack[SearchOptions]"
    assert not set(parameters) & set(NAMES)


def test_commands_have_the_options():
    """Except those that a scene needs, and those of goals that cannot be reached."""
    offered = {field.name for field in fields(shared_options.SearchOptions)}
    offered = offered - {"fewest_steps"} | {"cost"}
    assert offered - {"algorithm"} == set(NAMES) - {"timing", "nearest", "goal_tolerance"}


@pytest.mark.parametrize("name", WITH_SEARCH)
def test_a_misspelt_option_gets_a_suggestion(callables, name):
    with pytest.raises(TypeError, match=r"^unknown option 'radus'; did you mean 'radius'[?]$"):
        callables[name](radus=1)
    with pytest.raises(TypeError, match=r"^unknown option 'time_limt'; did you mean 'time_limit'"):
        callables[name](time_limt=1)
    with pytest.raises(TypeError, match=r"^unknown option 'xyzzy'; allowed are (?!self).*weight"):
        callables[name](xyzzy=1)


@pytest.mark.parametrize("name", WITH_SEARCH)
@pytest.mark.parametrize("old", sorted(set(RENAMED) - {"grid"}))
def test_an_old_name_gets_the_new_one(callables, name, old):
    if (name, old) in (("Navigator", "speed"), ("Navigator", "smooth"), ("Flight", "smooth")):
        return
    new = RENAMED[old] if RENAMED[old] != "timing" else f"timing=Timing({old}=...)"
    with pytest.raises(TypeError) as error:
        callables[name](**{old: 1})
    assert str(error.value) == f"option {old!r} is now {new!r}"


@pytest.mark.parametrize("name", ["Planner.plan", "Planner.improve"])
def test_single_plans_know_their_options(callables, name):
    with pytest.raises(TypeError, match=r"^option 'budget' is now 'time_limit'$"):
        callables[name](budget=1.0)
    with pytest.raises(TypeError, match=r"^unknown option 'coarse'; allowed are start, goal, "):
        callables[name](coarse=True)


def test_the_graph_has_a_new_name():
    with pytest.raises(TypeError, match=r"^option 'grid' is now 'graph'$"):
        nt.Planner(grid=GRID)
    assert nt.Planner(graph=GRID).graph is GRID


def test_the_module_lists_public_names_only():
    assert dir(nt) == nt.__all__ == sorted(nt.__all__)
