"""Every algorithm on every kind of graph gives the same paths compiled and interpreted.

So does a replan after a change of the world, and after the change was taken back.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import json
import noctule as nt
from matrix_graphs import all_graphs, ends_and_radius

def change(graph, there):
    if isinstance(graph, nt.Waypoints) or isinstance(graph, nt.CellGrid):
        graph.update(0.5 if there else 0.0)
    elif isinstance(graph, nt.Graph):
        (graph.shut if there else graph.reopen)([(1, 3)])
    else:
        (graph.block if there else graph.free)([(7, 4)])

rows = []
for number, graph in enumerate(all_graphs()):
    ends, radius = ends_and_radius(graph)
    for algorithm in nt.algorithms():
        try:
            planner = nt.Planner(graph, algorithm.name, radius=radius)
        except ValueError:
            continue
        for there in (None, True, False):
            if there is not None:
                change(graph, there)
            path = planner.plan(*ends)
            found = path.points.tolist(), path.length, path.expanded, path.sight_checks
            rows.append((number, algorithm.name, there, path.reason, *found))
print(json.dumps(rows))
"""


def run(**variables):
    folder = str(Path(__file__).parents[1])
    path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    result = subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def compiled():
    return run()


@pytest.fixture(scope="module")
def interpreted():
    return run(NUMBA_DISABLE_JIT="1")


def test_all_rows_were_tried(compiled):
    pairs = {(graph, algorithm) for graph, algorithm, *_ in compiled}
    assert len({graph for graph, _ in pairs}) == 6
    assert len({algorithm for _, algorithm in pairs}) >= 16
    assert sum(length is not None for *_, length, _, _ in compiled) > 200
    assert not [row for row in compiled if row[3]]  # reasons why there is no path


def test_interpreted_equals_compiled(compiled, interpreted):
    assert len(interpreted) == len(compiled)
    for ours, theirs in zip(interpreted, compiled, strict=True):
        assert ours == theirs


def test_changes_change_paths(compiled):
    lengths = {}
    for graph, algorithm, there, _, _, length, _, _ in compiled:
        lengths.setdefault((graph, algorithm), {})[there] = length
    for found in lengths.values():
        assert found[False] == pytest.approx(found[None])
    assert sum(found[True] != pytest.approx(found[None]) for found in lengths.values()) > 60
