"""One set of defaults for flights, whoever asks for them."""

import inspect

import noctule as nt
from noctule.commands.fly import fly
from noctule.commands.view import view
from noctule.flight.simulation import Plan
from noctule.viewer.session import Settings


def default(function, name):
    return inspect.signature(function).parameters[name].default


def test_flights_have_the_same_defaults():
    callers = nt.Flight, nt.Navigator, fly, view, Plan, Settings
    assert {default(caller, "algorithm") for caller in callers} == {"aamt-d*-lite"}
    assert {default(caller, "graph") for caller in (fly, view, Plan, Settings)} == {"cells"}
    predicting = nt.Flight, nt.Navigator, fly, view, Settings
    assert {default(caller, "prediction") for caller in predicting} == {True}


def test_prediction_replaces_safety_boxes():
    space = nt.Space((0, 0, 0), (8, 6, 6))
    boxed = nt.Body("b", nt.Box((1, 1, 1)), (4, 3, 3), safety=[nt.Box((3, 3, 3))])
    scene = nt.Scene(space, nt.Agent((1, 1, 1)), nt.Destination((7, 5, 5)), [boxed])
    blocked = {
        prediction: int(nt.Flight(scene, prediction=prediction).graph.blocked.sum())
        for prediction in (True, False)
    }
    assert 0 < blocked[True] < blocked[False]
