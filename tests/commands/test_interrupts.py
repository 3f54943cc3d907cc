"""Ctrl-C: one line says what was done and kept, and the exit code is 130."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

STUDY = """
title = "Small"
seed = 3
[[runs]]
kind = "paths"
world = "noise"
side = 16
percent = 20
queries = 2
repeat = 100000
algorithm = "a*"
"""


def interrupted(words, folder, ready, jobs="0"):
    """Run a command, send Ctrl-C to its group when it is `ready`; return code, output and errors.

    As from a terminal: the command and all processes that it has started get the signal.
    """
    errors = folder / "errors.txt"
    with open(errors, "wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "noctule", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
            env=os.environ | {"NOCTULE_JOBS": jobs},
            # Whoever runs the tests in the background ignores Ctrl-C, and so would what they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            end = time.monotonic() + 300
            while not ready(process):
                assert process.poll() is None, errors.read_text()
                assert time.monotonic() < end, "waited too long"
                time.sleep(0.02)
            os.killpg(process.pid, signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert is_gone(process.pid)
    return process.returncode, out, errors.read_text()


def is_gone(group):
    """Whether no process of a group is left, after a moment."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def said_only(result, text):
    """Check that nothing but one line was written, with this text in it."""
    code, out, errors = result
    lines = [line for line in errors.splitlines() if not line.startswith("Preparing Noctule")]
    assert (code, out, len(lines)) == (130, "", 1), result
    assert lines[0].startswith("Stopped: ")
    assert text in lines[0]


def has_workers(count):
    """Whether so many worker processes run."""

    def ready(process):
        names = []
        for folder in os.listdir("/proc"):
            if folder.isdigit():
                try:
                    with open(f"/proc/{folder}/stat") as stat, open(f"/proc/{folder}/cmdline") as f:
                        group, words = int(stat.read().rpartition(")")[2].split()[2]), f.read()
                except OSError:
                    continue
                if group == process.pid and "spawn_main" in words:
                    names.append(words)
        return len(names) >= count

    return ready


def after(seconds):
    """Whether so many seconds have passed."""
    began = time.monotonic()
    return lambda process: time.monotonic() - began > seconds


pytestmark = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at /proc")


@pytest.mark.parametrize("wait", [0.0, 1.0])
def test_flights_in_several_processes(tmp_path, wait):
    """While the workers start, and a moment later."""
    ready, delay = has_workers(2), []

    def later(process):
        if ready(process) and not delay:
            delay.append(after(wait))
        return bool(delay) and delay[0](process)

    words = ["fly", "--runs", "5000", "--jobs", "2", "--graph", "cells", "--algorithm", "a*"]
    said_only(interrupted(words, tmp_path, later), "of 5000 flights were flown")
    assert sorted(os.listdir(tmp_path)) == ["errors.txt"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_study_keeps_its_results(tmp_path, jobs):
    (tmp_path / "small.toml").write_text(STUDY)
    results = tmp_path / "out" / "results.jsonl"

    def ready(process):
        return results.exists() and results.read_bytes().count(b"\n") >= 3

    words = ["study", "small.toml", "--out", "out", "--jobs", jobs]
    said_only(interrupted(words, tmp_path, ready), "results are kept in out; to go on, add")
    lines = results.read_text().split("\n")
    assert lines.pop() == ""
    assert all("result" in json.loads(line) for line in lines)
    about = json.loads((tmp_path / "out" / "study.json").read_text())
    assert not about["finished"]
    assert sorted(os.listdir(tmp_path / "out")) == ["results.jsonl", "study.json"]


def test_comparisons(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(1).random((1500, 1500)) < 0.2)
    words = ["compare", "a.npy", "0,0", "1499,1499", "--cells", "--algorithms", "a*,jps,theta*"]
    free = np.load(tmp_path / "a.npy")
    free[0, 0] = free[-1, -1] = False
    np.save(tmp_path / "a.npy", free)
    said_only(interrupted(words, tmp_path, after(2.5)), "of 3 algorithms were run; nothing")


def test_benchmarks(tmp_path):
    pytest.importorskip("scipy", reason="the cases of noctule bench need SciPy")
    words = ["bench", "--cases", "C2,C3", "--peers", "noctule", "--seconds", "60"]
    said_only(interrupted(words, tmp_path, after(2.5)), "0 of 2 cases were measured; nothing")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_compilation(tmp_path, jobs, monkeypatch):
    """Here kernels are compiled into a folder that is empty; those that are ready stay there."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))

    def ready(process):
        kernels = ("algorithms.", "engines.", "graphs.", "path.", "planning.")
        return any(f.name.startswith(kernels) for f in (tmp_path / "cache").rglob("*"))

    result = interrupted(["warm-up", "--algorithms", "a*"], tmp_path, ready, jobs)
    said_only(result, "kernels are compiled and kept")
    assert not [f for f in (tmp_path / "cache").rglob(".*") if f.is_file()]
