"""Every algorithm passes `check_algorithm`; `test_checks` runs this file without compiling."""

import pytest

import noctule as nt
from noctule.testing import check_algorithm, check_graph


@pytest.mark.parametrize("name", [row.name for row in nt.algorithms()])
def test_algorithm(name):
    check_algorithm(name, worlds=1)


@pytest.mark.parametrize("kind", ["cells", "hybrid", "waypoints"])
def test_graph_of_a_scene(kind):
    wall = nt.Body("wall", nt.Box((1, 5, 3)), (6, 3, 1.5))
    ends = nt.Agent((1.5, 1.5, 1.5), 0.3), nt.Destination((8.5, 1.5, 1.5), 0.3)
    scene = nt.Scene(nt.Space((0, 0, 0), (10, 8, 5)), *ends, [wall])
    check_graph(nt.make_graph(kind, scene), radius=0.3, queries=1)
