"""Which algorithms fly on which graphs: what is offered is what can be made."""

import pytest

import noctule as nt
from noctule.flight.simulation import runs_on

GRAPHS = ("cells", "hybrid", "waypoints")


@pytest.fixture(scope="module")
def graphs():
    space = nt.Space((0, 0, 0), (8, 6, 6))
    wall = nt.Body("wall", nt.Box((1, 4, 4)), (4, 3, 3))
    scene = nt.Scene(space, nt.Agent((1, 1, 1)), nt.Destination((7, 5, 5)), [wall])
    return scene, {name: nt.make_graph(name, scene) for name in GRAPHS}


@pytest.mark.parametrize("algorithm", [row.name for row in nt.algorithms()])
@pytest.mark.parametrize("graph", GRAPHS)
def test_what_is_offered_can_be_made(graphs, graph, algorithm):
    scene, made = graphs
    try:
        nt.Planner(made[graph], algorithm, radius=scene.agent.radius)
        able = True
    except ValueError:
        able = False
    assert runs_on(algorithm, graph) == able
