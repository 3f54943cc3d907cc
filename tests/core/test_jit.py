"""Compiling: once, cached for the next process, and equal to the same source interpreted."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from noctule.core.jit import bind, kernel

RUN = """
import json, sys
import numpy as np
import noctule as nt
from numba import config
compiled = []
if not config.DISABLE_JIT:
    from noctule.core.linking import KernelDispatcher
    finish = KernelDispatcher.finish
    def counted(self, arguments):
        compiled.append(self.name)
        return finish(self, arguments)
    KernelDispatcher.finish = counted
rng = np.random.default_rng(7)
rows = []
for shape in ((7, 6, 5), (12, 11)):
    for nodes in ("centres", "corners"):
        grid = nt.Grid(rng.random(shape) < 0.2, nodes=nodes)
        start, goal = [0.5] * len(shape), [n - 0.5 for n in shape]
        grid.free([[0] * len(shape), [n - 1 for n in shape]])
        for algorithm in %(algorithms)r:
            for radius in %(radii)r:
                path = nt.plan(grid, start, goal, algorithm, radius=radius)
                assert nt.verify(path, grid, radius=radius)
                row = path.to_dict()
                del row["seconds"]
                rows.append(row)
print(json.dumps({"compiled": len(compiled), "rows": rows}))
"""


def run(
    cache,
    interpreted=False,
    algorithms=("a*", "jps", "theta*", "lazy-theta*"),
    radii=(0.0, 0.4, 0.7),
):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    if interpreted:
        environment["NUMBA_DISABLE_JIT"] = "1"
    code = RUN % {"algorithms": algorithms, "radii": radii}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_interpreted_equals_compiled():
    compiled = run(os.environ.get("NUMBA_CACHE_DIR", ""))
    interpreted = run("", interpreted=True)
    assert interpreted["compiled"] == 0
    assert len(compiled["rows"]) == 48
    assert sum(row["found"] for row in compiled["rows"]) > 20
    assert interpreted["rows"] == compiled["rows"]


def test_a_kernel_that_allocates_is_refused():
    if os.environ.get("NUMBA_DISABLE_JIT"):
        pytest.skip("nothing is compiled")
    import numpy as np

    from noctule.core.jit import kernel

    @kernel
    def allocates(n):
        return np.zeros(n)

    with pytest.raises(Exception, match="Only accept returning of array passed"):
        allocates(3)


@kernel
def weighted_sum(numbers, weight):
    total = 0 * weight
    for number in numbers:
        total += weight * number
    return total


def test_a_shortcut_tells_arrays_and_numbers_apart():
    call = bind(weighted_sum)
    whole = np.arange(12)
    arguments = [
        (whole, 2),
        (whole, 2.5),
        (whole[::3], 2),  # not side by side in memory
        (whole.astype(np.float32), 2),
        (whole.astype(np.int32), 2),
        (whole, np.int32(2)),
    ]
    for _ in range(4):  # the first calls find the way, the later ones take it
        for given in arguments:
            result, expected = call(*given), weighted_sum.py_func(*given)
            assert result == expected
            assert isinstance(result, float) == isinstance(expected, float | np.floating)


class Weighted(NamedTuple):
    numbers: np.ndarray
    weight: float


@kernel
def sum_of(weighted):
    return weighted_sum(weighted.numbers, weighted.weight)


def test_shortcuts_of_several_callers_tell_what_is_in_tuples():
    """Each caller has its own types; what one has found must not be taken for another's."""
    whole = np.arange(12)
    fixed = np.arange(12)
    fixed.flags.writeable = False
    numbers = [whole, whole.astype(np.float32), whole[::3], whole.astype(np.int8), fixed]
    for _ in range(2):
        for given in [Weighted(array, weight) for array in numbers for weight in (2, 2.5)]:
            call = bind(sum_of)
            results = [call(given) for _ in range(4)]
            assert results == [sum_of.py_func(given)] * 4
