"""Compiling ahead: the manifest lists what is called, and several processes compile it once."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

from noctule.core import jit, kernel_cache, manifest, preparation
from noctule.core.linking import kernels
from noctule.core.signatures import decode, encode
from noctule.registry import algorithms

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

ROOT = Path(__file__).parents[2]

# The most kernels that a first use may compile, and their machine code in kB. A change that needs
# more makes newcomers wait longer: see whether it can do with less.
FIRST_FLIGHT = 33, 2300
FLIGHTS = {
    "cells": (26, 1800),
    "hybrid": (38, 2600),
    "waypoints": (24, 1900),
    "fleet": (16, 900),
}
PLANS = 26, 1900


def entries(group):
    """Return what the manifest lists for a group: files and their entries."""
    return manifest.recorded()[group]


@pytest.mark.parametrize("group", manifest.groups())
def test_a_first_use_compiles_few_kernels(group):
    found = entries(group)
    job, *words = group.split(" ", 2)
    most, size = PLANS if job == "plan" else FLIGHTS[words[0]]
    if group == "fly hybrid aamt-d*-lite":
        most, size = FIRST_FLIGHT
    assert len(found) <= most
    assert sum(entry[-1] for entry in found.values()) <= size


def test_every_algorithm_and_graph_is_listed():
    groups = set(manifest.groups())
    for row in algorithms():
        plans = {group for group in groups if group.startswith(f"plan {row.name} ")}
        flights = {group for group in groups if group.split(" ")[0::2] == ["fly", row.name]}
        assert plans or flights
    assert {group.split(" ")[1] for group in groups if group.startswith("fly")} == set(FLIGHTS)


def test_the_manifest_names_kernels_and_types_that_exist():
    for group in manifest.groups():
        for file, (kernel, signature, _) in entries(group).items():
            module, _, name = kernel.partition(":")
            __import__(module)
            assert kernels[kernel].__name__ == name
            kinds = tuple(decode(kind) for kind in signature)
            assert [encode(kind) for kind in kinds] == signature
            assert kernel_cache.file_name(kernel, kinds) == file


RECORDED = [
    "plan a* Grid Cells",
    "plan lazy-theta* Grid WideCells",
    "plan mt-d*-lite Grid Cells",
    "plan aamt-d*-lite Hybrid HybridCells",
    "fly hybrid aamt-d*-lite",
]


@pytest.mark.parametrize("group", RECORDED)
def test_the_manifest_lists_what_is_called(group, tmp_path):
    """If this fails after a change of kernels, run python tools/record_kernels.py."""
    tool = ROOT / "tools" / "record_kernels.py"
    if not tool.is_file():
        pytest.skip("tools/ is only in a checkout")
    command = [sys.executable, str(tool), "--run", group, str(tmp_path / "found.json")]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    called = json.loads((tmp_path / "found.json").read_text())
    assert set(called) == set(entries(group))


def warm_up(folder, *words, **environment):
    command = [sys.executable, "-m", "noctule", "warm-up", *words]
    return subprocess.run(
        command,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), "NOCTULE_JOBS": "2", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_two_processes_compile_and_say_how_far_they_are(tmp_path):
    done = warm_up(tmp_path, "--algorithms", "dijkstra", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["compiled"] > 10
    assert found["missing"] == 0
    assert re.match(r"Preparing Noctule \(once\): 0 of \d+\n", done.stderr)
    again = warm_up(tmp_path, "--algorithms", "dijkstra", "--json")
    assert json.loads(again.stdout)["compiled"] == 0
    assert again.stderr == ""


def test_what_workers_do_not_compile_is_compiled_here(tmp_path, monkeypatch):
    """Workers that end at once, and entries that no longer fit the kernels."""
    monkeypatch.setattr(preparation, "_prepared", set())
    monkeypatch.setenv("NOCTULE_JOBS", "2")
    monkeypatch.setattr(preparation.sys, "executable", "/bin/false")
    compiled = []
    monkeypatch.setattr(manifest.Entry, "compile", lambda entry: compiled.append(entry.file))
    wanted = [manifest.Entry(name, f"noctule.gone:{name}", [], 1) for name in "abc"]
    monkeypatch.setattr(manifest, "missing", lambda groups: list(wanted))
    reports = []
    assert preparation.prepare("group", report=lambda *state: reports.append(state)) == 3
    assert sorted(compiled) == ["a", "b", "c"]
    assert reports[-1][1] == 3

    def fails(entry):
        raise AttributeError(entry.kernel)

    monkeypatch.setattr(manifest.Entry, "compile", fails)
    monkeypatch.setenv("NOCTULE_JOBS", "1")
    assert preparation.prepare("another group", report=lambda *state: None) == 3


def test_nothing_is_prepared_twice(monkeypatch):
    monkeypatch.setattr(preparation, "_prepared", set())
    monkeypatch.setenv("NOCTULE_JOBS", "1")
    asked = []
    monkeypatch.setattr(manifest, "missing", lambda groups: asked.append(list(groups)) or [])
    for _ in range(2):
        preparation.prepare("a", "b")
    assert asked == [["a", "b"]]
    assert jit.LINKING


def test_an_unwritable_cache_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    done = warm_up(tmp_path / "file", "--algorithms", "dijkstra", NOCTULE_JOBS="0")
    assert done.returncode == 1
    assert "could not be kept" in done.stdout


def test_jobs(monkeypatch):
    monkeypatch.setenv("NOCTULE_JOBS", "3")
    assert preparation.jobs() == 3
    monkeypatch.setenv("NOCTULE_JOBS", "")
    assert preparation.jobs() >= 1
