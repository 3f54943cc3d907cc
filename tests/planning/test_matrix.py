"""Every row of the catalogue on every kind of graph: a free path, or an error that says why not.

The table in docs/guide.md says which.
"""

from pathlib import Path

import numpy as np
import pytest

import noctule as nt

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"
NAMES = [row.name for row in nt.algorithms()]
REASONS = {
    "jps": "jumps along rows of cells",
    "visibility": "needs a world in the plane with nodes at corners",
    "safe-intervals": "needs a noctule.CellGrid or Hybrid, whose scene knows how bodies move",
    "theta*": "needs lines of sight",
    "lazy-theta*": "needs lines of sight",
}


def table():
    """What the guide says of each algorithm and graph."""
    lines = GUIDE.read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("| | `Grid`"))
    rows = [line.strip("|").split("|") for line in lines[head:] if line.startswith("|")]
    graphs = [cell.strip() for cell in rows[0][1:]]
    said = {}
    for name, *cells in rows[2:]:
        if name.strip().strip("`") in NAMES:
            for graph, cell in zip(graphs, cells, strict=False):
                said.setdefault((name.strip().strip("`"), graph), cell.strip())
    return said


SAID = table()
GRAPHS = list(dict.fromkeys(graph for _, graph in SAID))


def scene():
    agent, target = nt.Agent((1.5, 1.5, 1.5), 0.3), nt.Destination((10.5, 1.5, 1.5), 0.3)
    wall = nt.Body("wall", nt.Box((1, 3, 2)), (6, 2, 3))
    door = nt.Body("door", nt.Box((1, 1, 1)), (4, 4, 4), motion=lambda t: (4, 3 + t % 2, 4))
    return nt.Scene(nt.Space((0, 0, 0), (12, 7, 6)), agent, target, [wall, door])


def roads(sight):
    points = [(1.5, 1.5, 1.5), (6, 6, 1.5), (6, 6, 5), (10.5, 1.5, 1.5)]
    return nt.Graph(points, [(0, 1), (1, 2), (2, 3), (1, 3)], sight=sight)


@pytest.fixture(scope="module")
def graphs():
    blocked = np.zeros((12, 7), bool)
    blocked[5, :6] = True
    made = (
        nt.Grid(blocked, nodes="corners"),
        nt.CellGrid(scene()),
        nt.Hybrid(scene()),
        nt.Waypoints(scene()),
        roads(lambda x0, y0, z0, x1, y1, z1: abs(x1 - x0) < 8),
        roads(None),
    )
    return dict(zip(GRAPHS, made, strict=True))


def test_the_guide_has_every_algorithm():
    assert sorted({name for name, _ in SAID}) == sorted(NAMES)
    assert len(GRAPHS) == 6
    assert set(SAID.values()) == {"yes", "no"}


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("algorithm", NAMES)
def test_a_free_path_or_a_reason(graphs, algorithm, kind):
    graph = graphs[kind]
    plane = graph.dimension == 2
    ends = ((1, 1), (11, 1)) if plane else ((1.5, 1.5, 1.5), (10.5, 1.5, 1.5))
    radius = 0.0 if plane or isinstance(graph, nt.Graph) else 0.3
    radius = 0.3 if isinstance(graph, nt.Waypoints) else radius
    if SAID[algorithm, kind] == "no":
        with pytest.raises(ValueError, match=REASONS.get(algorithm, "needs|jumps")):
            nt.Planner(graph, algorithm, radius=radius)
        return
    path = nt.Planner(graph, algorithm, radius=radius).plan(*ends)
    assert path.found, path.reason
    assert nt.verify(path, graph)
