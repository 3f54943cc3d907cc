"""What mypy says of a script that uses the public interface, and of the package itself."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RIGHT = """
import numpy as np

import noctule as nt

grid = nt.Grid(np.zeros((8, 8, 8), dtype=bool))
start, goal = (0.5, 0.5, 0.5), grid.centre((7, 7, 7))
path: nt.Path = nt.plan(grid, start, goal, radius=0.4)
paths: list[nt.Path] = nt.plan_many(grid, [(start, goal)], "theta*", threads=2, weight=1.5)
planner = nt.Planner(grid, "ara*", heuristic="straight", cost="steps", max_expanded=900)
lengths: list[float] = [path.length for path in planner.improve(start, goal, time_limit=0.1)]
free: bool = nt.verify(nt.smooth(path, grid), grid)
quick: nt.SearchOptions = {"weight": 2.0, "time_limit": 0.01, "timing": nt.Timing(window=2.0)}
scene = nt.Scene.load("test-environment")
result: nt.FlightResult = nt.Flight(scene, "cells", "a*", seed=1, **quick).run()
with nt.Navigator(scene, nt.CellGrid(scene), speed=3.0, radius=0.4) as navigator:
    step: nt.Step = navigator.step(0.0, start, goal, budget_ms=4)
graph: nt.SearchGraph = nt.Graph([(0, 0, 0), (1, 0, 0)], [(0, 1)])
"""

WRONG = {  # a line, and what mypy says of it
    "nt.plan(grid, a, b, radus=0.4)": 'Unexpected keyword argument "radus" for "plan"',
    "nt.plan_many(grid, [(a, b)], radus=0.4)": 'Unexpected keyword argument "radus"',
    "nt.Planner(grid, radus=0.4)": 'Unexpected keyword argument "radus" for "Planner"',
    "nt.Flight(scene, radus=0.4)": 'Unexpected keyword argument "radus" for "Flight"',
    "nt.Navigator(scene, radus=0.4)": 'Unexpected keyword argument "radus" for "Navigator"',
    "nt.plan(grid, a, b, radius='wide')": 'Argument "radius" to "plan" has incompatible type',
    "nt.plan(grid, a, b, heuristic='far')": 'Argument "heuristic" to "plan" has incompatible type',
    "nt.plan(scene, a, b)": 'Argument 1 to "plan" has incompatible type "Scene"',
    "nt.Timing(windw=1.0)": 'Unexpected keyword argument "windw" for "Timing"',
    "nt.plan(grid, a, b).lenght": '"Path" has no attribute "lenght"',
}
SETUP = """
import noctule as nt

grid, scene, a, b = nt.Grid([[0, 0]]), nt.Scene.load("test-environment"), (0, 0), (1, 0)
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """Errors of `mypy --strict`, by file name and line."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(SETUP + "\n".join(WRONG) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "right.py", "wrong.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 1, done.stdout + done.stderr
    found = re.findall(r"^(\w+)\.py:(\d+): error: (.*)$", done.stdout, re.M)
    return {(name, int(line)): text for name, line, text in found}


def test_a_right_script_passes(complaints):
    assert not {place: text for place, text in complaints.items() if place[0] == "right"}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_is_rejected(complaints, line):
    number = SETUP.count("\n") + 1 + list(WRONG).index(line)
    assert WRONG[line] in complaints["wrong", number]


def test_the_package_is_strictly_typed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert settings["strict"]
    command = [sys.executable, "-m", "mypy", "--strict", "src/noctule"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_modules_without_types_hold_kernels():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    untyped = [
        rule["module"]
        for rule in settings["overrides"]
        if not rule.get("disallow_untyped_defs", True)
    ]
    assert len(untyped) == 1
    for module in untyped[0]:
        source = (ROOT / "src" / f"{module.replace('.', '/')}.py").read_text()
        decorated = re.search(
            r"^ *@(kernel|per_type|lower_builtin|intrinsic|\w+\.register)", source, re.M
        )
        assert decorated, f"{module} has no kernel"
