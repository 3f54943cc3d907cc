"""Every row of the catalogue on every kind of graph: a free path, or an error that says why not.

The table in docs/guide.md says which.
"""

from pathlib import Path

import pytest
from matrix_graphs import all_graphs, ends_and_radius

import noctule as nt

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"
NAMES = [row.name for row in nt.algorithms()]
REASONS = {
    "jps": "jumps along rows of cells",
    "visibility": "needs a world in the plane with nodes at corners",
    "safe-intervals": "needs a noctule.CellGrid or Hybrid, whose scene knows how bodies move",
    "ap-theta*": "works in the plane only|needs a world in the plane",
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


@pytest.fixture(scope="module")
def graphs():
    return dict(zip(GRAPHS, all_graphs(), strict=True))


def test_the_guide_has_every_algorithm():
    assert sorted({name for name, _ in SAID}) == sorted(NAMES)
    assert len(GRAPHS) == 6
    assert set(SAID.values()) == {"yes", "no"}


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("algorithm", NAMES)
def test_a_free_path_or_a_reason(graphs, algorithm, kind):
    graph = graphs[kind]
    ends, radius = ends_and_radius(graph)
    if SAID[algorithm, kind] == "no":
        with pytest.raises(ValueError, match=REASONS.get(algorithm, "needs|jumps")):
            nt.Planner(graph, algorithm, radius=radius)
        return
    path = nt.Planner(graph, algorithm, radius=radius).plan(*ends)
    assert path.found, path.reason
    assert nt.verify(path, graph)
