"""Count the functions and files that three calls enter: the amount of code to read to follow them.

    python benchmarks/hops.py [--list] [--json] [--walk plan|replan|frame]

The walks: a plan on a new grid, a replan after cells were blocked, and a frame of a flight. They
run with NUMBA_DISABLE_JIT=1, so kernels count as well. A function counts once. Comprehensions and
lambdas belong to the enclosing function. Code of modules and classes and compiler intrinsics do
not count. The reference is the state before the code was restructured, commit 75b00a1.
"""

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import noctule as nt

PACKAGE = Path(nt.__file__).parent
INTRINSICS = ("kernels.py", "core/jit.py", "core/intrinsics.py")
SCENE = "test-environment"
START = 100.0  # seconds; the scene at which the flight starts
FRAMES = 3  # frames before the counted one
REFERENCE = {
    "plan": ("nt.plan, lazy-theta*", 100, 26),
    "replan": ("grid.block, then Planner.plan, mt-d*-lite", 94, 20),
    "frame": ("a frame of a Flight, aamt-d*-lite, hybrid, prediction", 230, 46),
}


def passed(call):
    """Return (file, function) of every function of the package that a call enters, in order."""
    codes = {}

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_name[0] != "<":
            codes.setdefault(code)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    sources = [(Path(code.co_filename), code.co_qualname) for code in codes]
    inside = [
        (file.relative_to(PACKAGE).as_posix(), name)
        for file, name in sources
        if file.is_relative_to(PACKAGE)
    ]
    return [(file, name) for file, name in inside if file not in INTRINSICS]


def world():
    blocked = np.random.default_rng(3).random((12, 12, 6)) < 0.2
    grid = nt.Grid(blocked)
    grid.free([(0, 0, 0), (11, 11, 5)])
    return grid, (0.5, 0.5, 0.5), (11.5, 11.5, 5.5)


def walk_plan():
    grid, start, goal = world()
    nt.plan  # noqa: B018 - import what it needs
    return passed(lambda: nt.plan(grid, start, goal, "lazy-theta*", radius=0.4))


def walk_replan():
    grid, start, goal = world()
    planner = nt.Planner(grid, "mt-d*-lite")
    path = planner.plan(start, goal)

    def replan():
        grid.block(path.nodes[len(path.nodes) // 2])
        planner.plan(start, goal)

    return passed(replan)


def walk_frame(bake):
    scene = nt.Scene.load(SCENE)
    graph = nt.Hybrid(scene, bake=bake)
    flight = nt.Flight(scene, graph, "aamt-d*-lite", start=START, prediction=True)
    flight.warm_up = lambda: None  # it compiles
    frames = flight.frames()
    for _ in range(FRAMES):
        next(frames)
    return passed(lambda: next(frames))


WALKS = {"plan": walk_plan, "replan": walk_replan, "frame": walk_frame}


def interpreted(walk):
    """Return the functions of a walk, counted in a process that runs kernels as plain Python."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    with tempfile.TemporaryDirectory() as folder:
        arguments = []
        if walk == "frame":  # bake here: in plain Python it takes an hour
            arguments = [str(Path(folder) / "bake.npz")]
            nt.Hybrid(nt.Scene.load(SCENE)).save(arguments[0])
        command = [sys.executable, __file__, "--count", walk, *arguments]
        result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true", help="name the functions, in order")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--walk", choices=WALKS, help="only this one")
    parser.add_argument("--count", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.count:
        walk, *arguments = asked.count
        print(json.dumps(WALKS[walk](*arguments)))
        return
    results = {}
    for walk in [asked.walk] if asked.walk else WALKS:
        name, functions, files = REFERENCE[walk]
        found = interpreted(walk)
        now = len(found), len({file for file, _ in found})
        results[walk] = {"functions": now[0], "files": now[1], "passed": found}
        if asked.json:
            continue
        print(
            f"{name}: {functions} functions, {files} files; now {now[0]}, {now[1]}: "
            f"{now[0] / functions:.2f}, {now[1] / files:.2f} of that"
        )
        if asked.list:
            print(*(f"    {file}: {function}" for file, function in found), sep="\n")
    if asked.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
