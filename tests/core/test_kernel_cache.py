"""Compiled kernels on disk: found again, never trusted blindly, and never needed."""

import json
import os
import subprocess
import sys

import pytest
from numba import config

from noctule.core import kernel_cache

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

COUNTED = """\
from noctule.core.linking import KernelDispatcher
compiled = []
finish = KernelDispatcher.finish
def counted(self, arguments):
    compiled.append(self.name)
    return finish(self, arguments)
KernelDispatcher.finish = counted"""

PLAN = """
import json, sys
import numpy as np
%(before)s
import noctule as nt
from noctule.core import jit, kernel_cache
%(count)s
%(then)s
grid = nt.Grid(np.random.default_rng(5).random((9, 8, 7)) < 0.2)
path = nt.plan(grid, (0.5, 0.5, 0.5), (8.5, 7.5, 6.5), "a*", radius=0.4)
assert nt.verify(path, grid, radius=0.4)
points = path.points.tolist()
print(json.dumps({"compiled": len(compiled), "points": points, "linking": jit.LINKING}))
"""


def command(before="", then="", count=COUNTED):
    return [sys.executable, "-c", PLAN % {"before": before, "then": then, "count": count}]


def plan(folder, before="", then="", count=COUNTED, **environment):
    result = subprocess.run(
        command(before, then, count),
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout) | {"stderr": result.stderr}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with the kernels of the plan, and its result."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, plan(folder)


def files(folder):
    return [file for file in folder.rglob("*") if file.is_file() and "-" in file.name]


def test_the_next_process_compiles_nothing(filled):
    folder, first = filled
    assert first["compiled"] > 0
    assert not [file for file in files(folder) if file.name.startswith(".")]
    again = plan(folder)
    assert again["compiled"] == 0
    assert again["points"] == first["points"]


def test_a_damaged_file_is_compiled_again(filled, tmp_path):
    folder, first = filled
    for place in files(folder):
        copy = tmp_path / place.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(place.read_bytes())
    damaged = [file for file in files(tmp_path) if "linking" not in file.name]
    damaged[0].write_bytes(damaged[0].read_bytes()[:-100])
    damaged[1].write_bytes(b"")
    again = plan(tmp_path)
    assert 0 < again["compiled"] <= 2
    assert again["points"] == first["points"]
    assert "damaged" in again["stderr"]


@pytest.mark.parametrize(
    "forged",
    [
        "import numba; numba.__version__ = '0.1'",
        "import llvmlite.binding as b; b.get_host_cpu_name = lambda: 'i486'",
    ],
)
def test_files_of_another_configuration_are_not_used(filled, forged):
    folder, first = filled
    again = plan(folder, forged)
    assert again["compiled"] == first["compiled"]
    assert again["points"] == first["points"]


def test_the_digest_follows_the_sources(monkeypatch, tmp_path):
    kernel_cache.source_digest.cache_clear()
    before = kernel_cache.source_digest()
    monkeypatch.setattr(kernel_cache, "PACKAGE", tmp_path)
    found = {before}
    for text in ("x = 1\n", "x = 2\n"):
        (tmp_path / "a.py").write_text(text)
        kernel_cache.source_digest.cache_clear()
        found.add(kernel_cache.source_digest())
    kernel_cache.source_digest.cache_clear()
    assert len(found) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work differently there")
def test_the_folder_for_a_read_only_package(monkeypatch, tmp_path):
    monkeypatch.setattr(kernel_cache.config, "CACHE_DIR", "")
    monkeypatch.setattr(kernel_cache.os, "access", lambda path, mode: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kernel_cache.sys, "platform", "linux")
    assert kernel_cache.user_folder() == tmp_path / "noctule"
    monkeypatch.setattr(kernel_cache.os, "access", lambda path, mode: True)
    assert kernel_cache.user_folder() == kernel_cache.PACKAGE / "__pycache__"


def test_a_cache_that_cannot_be_written_to(filled, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the place of the folder")
    again = plan(blocked)
    assert again["compiled"] == filled[1]["compiled"]
    assert again["points"] == filled[1]["points"]


def test_a_full_disk(filled, tmp_path):
    full = """
import os, errno
def no_space(*names):
    raise OSError(errno.ENOSPC, "No space left on device")
os.replace = no_space
"""
    again = plan(tmp_path, full)
    assert again["points"] == filled[1]["points"]
    assert not [file for file in tmp_path.rglob("*") if file.is_file()], (
        "half-written files are removed"
    )


def test_two_processes_at_once(filled, tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    both = [
        subprocess.Popen(command(), env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in both:
        found, _ = process.communicate()
        assert json.loads(found)["points"] == filled[1]["points"]
    assert plan(tmp_path)["compiled"] == 0


def test_shipped_kernels(filled, tmp_path):
    """Kernels for the baseline processor give the same result, and are used where they fit."""
    processor, needed = kernel_cache.BASELINES[kernel_cache.platform.machine().lower()]
    host = kernel_cache.llvm.get_host_cpu_features()
    if not all(host.get(feature) for feature in needed.split()):
        pytest.skip(f"this processor is older than {processor}")
    built = plan(tmp_path / "wheel", NUMBA_CPU_NAME=processor, NUMBA_CPU_FEATURES="")
    assert built["points"] == filled[1]["points"]
    shipped = f"""
from noctule.core import kernel_cache
from pathlib import Path
kernel_cache.SHIPPED = Path({str(tmp_path / "wheel" / "kernels")!r})
"""
    used = plan(tmp_path / "user", shipped)
    assert used["compiled"] == 0
    assert used["points"] == built["points"]
    older = "import llvmlite.binding as b; b.get_host_cpu_features = lambda: b.FeatureMap()"
    assert plan(tmp_path / "user", older + shipped)["compiled"] > 0


@pytest.mark.parametrize(
    "broken",
    [
        "import sys; sys.modules['noctule.core.linking'] = None",
        "import noctule.core.linking as l; del l.KernelDispatcher.restore",
        "import noctule.core.linking as l; l.KernelLibrary.reached = lambda self: []",
    ],
)
def test_kernels_compile_in_numbas_own_way_where_linking_fails(filled, tmp_path, broken):
    """The check runs in another process, which must be broken as well: by a file for both."""
    (tmp_path / "sitecustomize.py").write_text(broken + "\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    for _ in range(2):
        found = plan(tmp_path / "cache", count="compiled = []", PYTHONPATH=path)
        assert not found["linking"]
        assert found["points"] == filled[1]["points"]


OUTSIDE = """
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import outside
from noctule.core import kernel_cache
from noctule.core.linking import KernelDispatcher
compiled = []
finish = KernelDispatcher.finish
def counted(self, arguments):
    compiled.append(self.name)
    return finish(self, arguments)
KernelDispatcher.finish = counted
print(json.dumps({"result": outside.double(outside.Pair(np.ones(3), 2)), "compiled": compiled}))
"""

MODULE = """
from typing import NamedTuple
import numpy as np
from noctule.core.jit import kernel
from outside.factor import FACTOR
class Pair(NamedTuple):
    array: np.ndarray
    number: int
@kernel
def double(pair):
    return FACTOR * pair.number * len(pair.array)
"""


def test_kernels_of_other_packages_follow_their_sources(tmp_path):
    """A change of any module of the package discards what was compiled."""
    package = tmp_path / "site" / "outside"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(MODULE)

    def call(factor):
        (package / "factor.py").write_text(f"FACTOR = {factor}\n")
        result = subprocess.run(
            [sys.executable, "-c", OUTSIDE, str(package.parent)],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(result.stdout)

    assert call(2) == {"result": 12, "compiled": ["outside:double"]}
    assert call(2) == {"result": 12, "compiled": []}
    assert call(5) == {"result": 30, "compiled": ["outside:double"]}
    kept = {file.name for file in files(tmp_path / "cache") if file.name.startswith("outside")}
    assert len(kept) == 2


def test_kernels_without_source_are_not_kept():
    assert kernel_cache.file_name("noctule.path:add_up_legs", ())
    assert kernel_cache.outside_digest("no_such_module:search") == ""
    assert kernel_cache.file_name("no_such_module:search", ()) == ""
    assert kernel_cache.file_name("json:loads", ()).startswith("json.loads-")
