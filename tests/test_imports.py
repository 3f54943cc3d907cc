"""What is imported when: a process that does little must not wait for much."""

import subprocess
import sys

import pytest

SAY = "\nimport sys; print(*sorted(sys.modules), file=sys.stderr)"
MAIN = "from noctule.cli import main\nmain({!r})"
PLAN = """
import noctule as nt
nt.Grid, nt.Planner, nt.plan
"""


def imported(code):
    """The modules that a new process has imported once it ran this."""
    done = subprocess.run(
        [sys.executable, "-c", code + SAY], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    modules = done.stderr.splitlines()[-1].split()
    assert "noctule" in modules
    return modules


def among(modules, *names):
    """Those modules that are one of these, or in one of these packages."""
    return [m for m in modules if any(m == name or m.startswith(f"{name}.") for name in names)]


def test_import_noctule_is_all_but_empty():
    found = imported("import noctule")
    assert among(found, "noctule") == ["noctule"]
    assert not among(found, "numpy", "numba", "matplotlib", "cyclopts", "rich", "asyncio")


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["plan", "--help"]], ids=" ".join)
def test_help_needs_neither_arrays_nor_pictures(words):
    found = imported(MAIN.format(words))
    assert not among(found, "numpy", "numba", "matplotlib", "rich.progress", "rich.live", "asyncio")
    assert not among(found, "noctule.core", "noctule.planning", "noctule.flight")


@pytest.mark.parametrize("name", ["algorithms", "scenes"])
def test_json_needs_no_tables(name):
    assert not among(imported(MAIN.format([name, "--json"])), "rich", "matplotlib")
    assert among(imported(MAIN.format([name])), "rich")


def test_a_plan_needs_no_flight():
    found = imported(PLAN)
    assert among(found, "noctule.planning.planner", "numba")
    assert not among(found, "noctule.flight", "noctule.sipp", "noctule.verification")
    assert not among(found, "matplotlib", "rich", "cyclopts", "multiprocessing")


def test_a_flight_along_paths_needs_no_search_in_time():
    found = imported("import noctule as nt; nt.Flight; import noctule.flight.simulation")
    assert among(found, "noctule.flight")
    assert not among(found, "noctule.sipp", "matplotlib", "multiprocessing")


def test_a_snapshot_needs_no_other_import():
    """The readers of the memory of searches are found, whatever else is imported."""
    code = (
        "import noctule as nt; planner = nt.Planner(nt.Grid([[0, 0], [0, 0]]), 'a*');"
        "planner.plan((0.5, 0.5), (1.5, 1.5)); assert len(planner.search_snapshot().expanded)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
