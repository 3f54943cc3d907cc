"""Check once for each version of Numba that `linking` works with it, with small kernels."""

import logging
import os
import pickle
import subprocess
import sys
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numba.core import serialize

from noctule.core import kernel_cache

_PASSED, _FAILED = "linking-works", "linking-fails"  # names of files that say so

_log = logging.getLogger("noctule")


class Numbers(NamedTuple):
    """What the example works on."""

    values: np.ndarray[Any, np.dtype[np.float64]]


def every(numbers, n):
    """Yield the first numbers."""
    for i in range(n):
        yield numbers.values[i]


def linking_works() -> bool:
    """Return whether kernels can be compiled by `linking`, and remember that on disk.

    The example is compiled in another process: an error in LLVM would end this one.
    """
    if kernel_cache.holds(_PASSED):
        return True
    failed = kernel_cache.holds(_FAILED)
    if not failed:
        failed = not _example_works()
        kernel_cache.mark(_FAILED if failed else _PASSED)
    if failed:
        _log.warning("kernels are compiled in Numba's own way, which takes longer")
    return not failed


def _example_works() -> bool:
    if not sys.executable:
        return False
    command = [sys.executable, "-P", "-m", __name__]
    environment = {**os.environ, "PYTHONPATH": python_path()}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        _log.info("the example does not compile: %s", done.stderr.strip())
    return done.returncode == 0


def python_path() -> str:
    """Return the search path with which another process finds this package."""
    folders = (str(kernel_cache.PACKAGE.parent), os.environ.get("PYTHONPATH"))
    return os.pathsep.join(folder for folder in folders if folder)


def compile_example() -> bool:
    """Compile, store, load and call a kernel that calls kernels, and compare the results."""
    from noctule.core.linking import GenericDispatcher, KernelDispatcher
    from noctule.core.options import OPTIONS

    @singledispatch
    def scale(numbers):
        raise TypeError

    @scale.register
    def of_numbers(numbers: Numbers):
        return numbers.values[-1]

    GenericDispatcher(scale, scale.dispatch(object), OPTIONS)
    first = KernelDispatcher(every, OPTIONS)

    def total(numbers, n):
        found = 0.0
        for value in first(numbers, n):
            found += value
        return found * scale(numbers)

    inner = KernelDispatcher(total, {**OPTIONS, "forceinline": False})

    def sums(numbers, n):
        return inner(numbers, n) + inner(numbers, 1)

    kernel = KernelDispatcher(sums, OPTIONS)
    numbers = Numbers(np.array([1.0, 2.0, 4.0]))
    arguments = tuple(map(kernel.typeof_pyval, (numbers, 2)))
    result = kernel.finish(arguments)
    stored = pickle.loads(serialize.dumps(kernel_cache.reduce(result)))
    restored = KernelDispatcher(sums, OPTIONS).restore(stored)
    found = [form.entry_point(numbers, 2) for form in (result, restored)]
    return found == [16.0, 16.0]


if __name__ == "__main__":
    sys.exit(not compile_example())
