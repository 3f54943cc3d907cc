"""Published optimal lengths of public benchmark maps."""

import numpy as np
import pytest

import noctule as nt

WARFRAME = ["Simple", "Complex"]
PLANE = ["arena", "den312d", "hrt201d", "AR0012SR", "maze512-32-9", "random512-20-0"]


def check(grid, scenarios, every):
    chosen = range(0, len(scenarios.lengths), every)
    pairs = [(grid.centre(scenarios.starts[i]), grid.centre(scenarios.goals[i])) for i in chosen]
    for algorithm in ("a*", "jps"):
        paths = nt.plan_many(grid, pairs, algorithm, threads=2)
        lengths = np.array([path.length for path in paths])
        wrong = np.abs(lengths - scenarios.lengths[::every]) > scenarios.tolerances[::every]
        assert not wrong.any(), (algorithm, np.flatnonzero(wrong)[:5] * every)
        assert len(paths) > 15
        for path in paths[:: max(1, len(paths) // 5)]:
            assert nt.verify(path, grid)


@pytest.mark.parametrize("name", WARFRAME)
def test_warframe(data, name):
    grid = nt.Grid(nt.load_map(data / "warframe" / f"{name}.3dmap"), neighbours=26)
    check(grid, nt.load_scenarios(data / "warframe" / f"{name}.3dmap.3dscen"), every=100)


@pytest.mark.parametrize("name", PLANE)
def test_plane(data, name):
    folder = data / "grid2d"
    grid = nt.Grid(nt.load_map(folder / f"{name}.map"), neighbours=8)
    check(grid, nt.load_scenarios(folder / f"{name}.map.scen"), every=10)
