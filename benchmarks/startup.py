"""Measure start-up: CPU time of whole processes, including imports.

    python benchmarks/startup.py [ROUNDS] [--empty]

Every process runs once to fill the cache of compiled kernels; then all run in turns, and the
minimum counts. With `--empty`, each runs once with an empty cache.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

NUMBA = 'python -c "import numpy, numba"'
PLAN = """
import numpy as np, noctule as nt
grid = nt.Grid(np.zeros((9, 9, 9), bool))
nt.plan(grid, (0.5, 0.5, 0.5), (8.5, 4.5, 0.5))
"""
NOCTULE = ["-m", "noctule"]
CASES = {  # by name: arguments of Python
    NUMBA: ["-c", "import numpy, numba"],
    'python -c "import noctule"': ["-c", "import noctule"],
    "noctule --help": [*NOCTULE, "--help"],
    "noctule --version": [*NOCTULE, "--version"],
    "import noctule, first nt.plan": ["-c", PLAN],
    "noctule plan small.npy": [*NOCTULE, "plan", "small.npy", "0,0,0", "11,11,11"],
    "noctule plan, with its picture": [*NOCTULE, "plan"],
    "noctule fly --json": [*NOCTULE, "fly", "--json"],
    "noctule fly, with its picture": [*NOCTULE, "fly"],
}


def cpu_seconds(arguments, folder, cache=None):
    """Return user and system time (seconds) of a Python process and its child processes."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, cwd=folder, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"python {' '.join(arguments)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def measure_empty(folder):
    """Return the time of each case with an empty cache."""
    times = {}
    for name, arguments in CASES.items():
        with tempfile.TemporaryDirectory() as cache:
            times[name] = cpu_seconds(arguments, folder, cache)
    return times


def measure_warm(folder, rounds):
    """Return the minimum time of each case with a filled cache; the cases run in turns."""
    for arguments in CASES.values():
        cpu_seconds(arguments, folder)
    runs = [{name: cpu_seconds(CASES[name], folder) for name in CASES} for _ in range(rounds)]
    return {name: min(run[name] for run in runs) for name in CASES}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", nargs="?", type=int, default=5)
    parser.add_argument("--empty", action="store_true", help="measure with empty caches")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "small.npy"), np.zeros((12, 12, 12), bool))
        times = measure_empty(folder) if asked.empty else measure_warm(folder, asked.rounds)
    print(f"| {'empty' if asked.empty else 'warm'} cache | CPU s | ratio | beyond |")
    print("| --- | --- | --- | --- |")
    for name, seconds in times.items():
        ratio, beyond = seconds / times[NUMBA], seconds - times[NUMBA]
        print(f"| `{name}` | {seconds:.3f} | {ratio:.2f} | {beyond:+.2f} |")


if __name__ == "__main__":
    main()
