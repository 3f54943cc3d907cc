"""Every engine finds what the algorithm's own file finds: `gate`, and public scenarios."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import noctule as nt

ROWS = [row.name for row in nt.algorithms() if row.search is not None and not row.corners_only]
GATE = Path(__file__).with_name("gate.py")


def test_the_equality_gate_interpreted():
    """All algorithms on generated worlds and on every graph, in plain Python."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", str(GATE)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    root = GATE.parents[2]
    result = subprocess.run(
        command, env=environment, cwd=root, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout[-3000:]
    assert " passed" in result.stdout


@pytest.mark.parametrize("name", ["a*", "jps", "theta*", "lazy-theta*"])
def test_on_published_scenarios(data, name):
    folder = data / "warframe"
    grid = nt.Grid(nt.load_map(folder / "Simple.3dmap"), neighbours=26)
    scenarios = nt.load_scenarios(folder / "Simple.3dmap.3dscen")
    fast, reference = (nt.Planner(grid, name, engine=e) for e in ("fast", "reference"))
    ratios = []
    for i in range(0, len(scenarios.lengths), max(1, len(scenarios.lengths) // 20)):
        ends = grid.centre(scenarios.starts[i]), grid.centre(scenarios.goals[i])
        ours, theirs = fast.plan(*ends), reference.plan(*ends)
        assert theirs.engine == "reference"
        assert ours.engine != "reference"
        assert nt.verify(ours, grid)
        ratios.append(ours.length / theirs.length)
    tolerance = 1e-9 if name in ("a*", "jps") else 0.005
    assert abs(np.mean(ratios) - 1.0) < tolerance


@pytest.mark.parametrize("name", ROWS)
def test_only_the_last_engine_is_the_reference(name):
    """Where an engine exists for a query, or for the search that stands in, it comes first."""
    planner = nt.Planner(nt.Grid(np.zeros((6, 6, 6), bool)), name)
    assert all(engine.name != "reference" for engine in planner._engines[:-1])
    assert planner._engines[0].name != "reference"
    if len(planner._engines) > 1:
        assert planner._engines[1].name != "reference" or len(planner._engines) == 2
    if name.startswith("aamt"):
        assert planner._engines[1].name == "lattice A*"
