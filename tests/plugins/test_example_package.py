"""The example package, installed from its folder beside Noctule: `examples/plugin`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import noctule

EXAMPLE = Path(noctule.__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Environment variables with which Python finds the installed package."""
    if not EXAMPLE.is_dir():
        pytest.skip("the examples are beside the sources")
    target = tmp_path_factory.mktemp("installed")
    pytest.importorskip("hatchling")
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    install = [sys.executable, "-m", "pip", "install", "-q", *offline, "--target", str(target)]
    run([*install, str(EXAMPLE)], os.environ)
    return {**os.environ, "PYTHONPATH": str(target)}


def run(command, environment, **options):
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, **options
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return result.stdout


def command(*words):
    return [sys.executable, "-m", "noctule", *words]


def test_its_tests_pass(environment, tmp_path):
    """Interpreted: the checks take long to compile."""
    pytest_command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    place = ["-c", os.devnull, "--rootdir", str(EXAMPLE), str(EXAMPLE / "tests")]
    interpreted = {**environment, "NUMBA_DISABLE_JIT": "1"}
    assert "3 passed" in run([*pytest_command, *place], interpreted, cwd=tmp_path)


def test_the_commands_know_it(environment, tmp_path):
    listed = json.loads(run(command("algorithms", "--json"), environment, cwd=tmp_path))
    (row,) = (row for row in listed if row["name"] == "greedy")
    assert row["summary"] == "greedy best-first search"
    known = run(
        [sys.executable, "-c", "import noctule as nt; print(nt.make_graph('ring'))"],
        environment,
        cwd=tmp_path,
    )
    assert known == "Graph(12 nodes, 12 edges)\n"


def test_it_flies(environment, tmp_path):
    fly = command("fly", "--graph", "cells", "--algorithm", "greedy", "--json")
    result = json.loads(run(fly, environment, cwd=tmp_path))
    assert result["algorithm"] == "greedy"
    assert result["reached"] == result["runs"] == 1
    assert result["collisions"] == 0


def test_nobody_imports_it_before_it_is_asked_for(environment, tmp_path):
    code = "import sys, noctule as nt; nt.Planner; print('noctule_greedy' in sys.modules)"
    assert run([sys.executable, "-c", code], environment, cwd=tmp_path) == "False\n"
