"""Apply small faults to the source, one at a time, and see whether a test notices each.

    python tests/mutants.py                    all: about a quarter of an hour on two cores
    python tests/mutants.py --only sight,heap  those whose name or file holds one of these words
    python tests/mutants.py --list

Each fault is applied to a copy of the source, and the tests named beside it run with the copy, as
plain Python unless it says `compiled`. First each of these selections has to pass without a fault.
The exit code is 1 if a fault goes unnoticed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 400  # seconds for the tests of a fault

BOUNDARIES = "tests/graphs/sight/test_boundaries.py -k one_cell"
POINTS = "tests/graphs/sight/test_boundaries.py -k between_centres"
CONTACT = "tests/worlds/test_shapes.py"
QUEUES = "tests/queues"
INCREMENTAL = "tests/algorithms/test_incremental.py"
REPAIRS = f"{INCREMENTAL}::test_repaired_paths_are_as_good_as_new_ones[4] --cases 300"
PATHS = "tests/fuzz/test_searches.py -k paths --cases 400"
ESTIMATES = "tests/graphs/test_heuristics.py"
PRUNING = "tests/engines/test_pruning.py"
VERIFICATION = "tests/verification/test_verification.py"
NEARER = "tests/verification/test_bodies.py -k a_little_nearer"
DEPTHS = "tests/verification/test_bodies.py -k depth_is"
TIMED = "tests/verification/test_bodies.py -k any_moment"


class Mutant(NamedTuple):
    """A fault: in a file, `old` becomes `new`."""

    name: str
    file: str
    old: str
    new: str
    tests: str
    compiled: bool = False


BALL, POINT = "graphs/sight/ball.py", "graphs/sight/point.py"
MEETING, DEPTH = "worlds/geometry/contact.py", "worlds/geometry/depth.py"
HEAP, OPEN, BUCKETS = "queues/heap.py", "queues/bucket_open.py", "queues/buckets.py"
D_STAR_LITE, BEST_FIRST = "algorithms/d_star_lite.py", "algorithms/best_first.py"
RULES, HEURISTICS = "engines/pruning.py", "graphs/heuristics.py"
PROOF, PROOF_BODIES = "verification/verify.py", "verification/bodies.py"
PROOF_TIMED = "verification/timed.py"

MUTANTS = [
    Mutant(
        "cells are wider by 0.05 half cells", BALL,
        "return v - low - 2\n", "return v - low - 2.05\n", BOUNDARIES,
    ),
    Mutant(
        "cells are narrower by 0.001 half cells", BALL,
        "return v - low\n", "return v - low - 0.001\n", BOUNDARIES,
    ),
    Mutant(
        "a radius is larger by a thousandth", BALL,
        "limit = reach * reach * TIE", "limit = reach * reach * 1.002", BOUNDARIES,
    ),
    Mutant(
        "a radius is smaller by a thousandth", BALL,
        "limit = reach * reach * TIE", "limit = reach * reach * 0.998", BOUNDARIES,
    ),
    Mutant(
        "slabs just within reach are left out", BALL,
        "pad = reach + 1e-6", "pad = reach - 0.1", BOUNDARIES,
    ),
    Mutant(
        "the far end of a segment is judged as the near end", BALL,
        "beyond(x + dx, lx), beyond(y + dy, ly), beyond(z + dz, lz)\n    if",
        "beyond(x, lx), beyond(y, ly), beyond(z, lz)\n    if", BOUNDARIES,
    ),
    Mutant(
        "some cells of a row free are all free", BALL,
        "return every & both == both", "return every & both != 0", BOUNDARIES,
    ),
    Mutant(
        "edges that a segment passes through are free", POINT,
        "through_b, through_c = late_b == 2 * nb, late_c == 2 * nc",
        "through_b, through_c = late_b == 2 * nb + 1, late_c == 2 * nc + 1", POINTS,
    ),
    Mutant(
        "faces are crossed in the other order", POINT,
        "between = s + kb if order < 0 else s + kc",
        "between = s + kb if order > 0 else s + kc", POINTS,
    ),
    Mutant(
        "one cell of a diagonal step is left out", POINT,
        "& free3[s + jb + jc] & 2 != 0", "& 2 != 0", POINTS,
    ),
    Mutant(
        "a segment through an edge passes one of the cells beside it", POINT,
        "both = crosses_b & crosses_c != 0 and order != 0",
        "both = crosses_b & crosses_c != 0", POINTS,
    ),
    Mutant(
        "only the centres of bodies are near", MEETING,
        "near = radius + solids.reach[i]", "near = radius", CONTACT,
    ),
    Mutant(
        "the turn of a body within a span is forgotten", MEETING,
        "signed_distance(solids, i, a, b) - deviation >= radius",
        "signed_distance(solids, i, a, b) >= radius", CONTACT,
    ),
    Mutant(
        "contact is timed to a 64th of a frame", MEETING,
        "SHORTEST = 2.0**-22", "SHORTEST = 2.0**-6", CONTACT,
    ),
    Mutant(
        "a body that appears is hit at once", MEETING,
        "        if appears and t <= 1.0:\n            t = 1.0\n", "", CONTACT,
    ),
    Mutant(
        "the heap has a wrong parent", HEAP,
        "above = (i - 1) // 4", "above = i // 4", QUEUES,
    ),
    Mutant(
        "the heap forgets a child", HEAP,
        "range(first + 1, min(first + 4, size))", "range(first + 1, min(first + 3, size))", QUEUES,
    ),
    Mutant(
        "a node that leaves a stack tears it", OPEN,
        "queue.previous[after] = before", "queue.previous[after] = NO_NODE", QUEUES,
    ),
    Mutant(
        "whole keys come first on no stack", OPEN,
        "+ (1 if key == math.floor(key) else 0)", "+ 0", QUEUES,
    ),
    Mutant(
        "the lowest stack is forgotten", BUCKETS,
        "top[_LOWEST] = min(top[_LOWEST], stack)", "top[_LOWEST] = max(top[_LOWEST], 0)", QUEUES,
    ),
    Mutant(
        "keys of raised nodes count km twice", D_STAR_LITE,
        "return g + h + km - 0.5, g", "return g + h + 2.0 * km - 0.5, g", REPAIRS,
    ),
    Mutant(
        "keys of lowered nodes count km twice", D_STAR_LITE,
        "(query.weight * h) + km, -rhs", "(query.weight * h) + 2.0 * km, -rhs", REPAIRS,
    ),
    Mutant(
        "the bound of a repair lacks km", D_STAR_LITE,
        "return cost + query.target.slack + search.stats[0].km",
        "return cost + query.target.slack", REPAIRS,
    ),
    Mutant(
        "nodes that become consistent stay open", D_STAR_LITE,
        "    else:\n        remove(search.open, s)\n", "", REPAIRS,
    ),
    Mutant(
        "the estimate of a diagonal is too high", HEURISTICS,
        "return STEP_1 * high + (STEP_2 - STEP_1) * middle + (STEP_3 - STEP_2) * low",
        "return STEP_1 * high + (STEP_2 - STEP_1) * middle + STEP_1 * low", ESTIMATES,
    ),
    Mutant(
        "a path through the parent needs no sight", "algorithms/theta_star.py",
        "if sees(graph, tree, p, t):", "if sees(graph, tree, s, t):",
        PATHS,
    ),
    Mutant(
        "costs improve without a new parent", BEST_FIRST,
        "        tree.parent[t] = s\n", "        tree.parent[t] = tree.parent[s]\n",
        PATHS,
    ),
    Mutant(
        "moves of equal cost prune each other", RULES,
        "_cost(new) < _cost(old)", "_cost(new) <= _cost(old)", PRUNING, compiled=True,
    ),
    Mutant(
        "half of the other path need not be free", RULES,
        "_box(p, middle) | _box(middle, t)", "_box(p, middle)", PRUNING, compiled=True,
    ),
    Mutant(
        "proofs against bodies are generous", PROOF_BODIES,
        "if gap < radius - slack(scene.space):", "if gap < radius - 0.001:", NEARER,
    ),
    Mutant(
        "bodies are entered from one side", PROOF_BODIES,
        ", float(-heights.max(axis=0).min())", "", DEPTHS,
    ),
    Mutant(
        "a leg in time is judged too seldom", PROOF_TIMED,
        "motion_bound = (agent + speed) * (b - a) / 2 + jump",
        "motion_bound = (agent + speed) * (b - a) / 64 + jump", TIMED,
    ),
    Mutant(
        "any length may be stated", PROOF,
        "if not (inside and length_is_right):", "if not inside:", VERIFICATION,
    ),
    Mutant(
        "a radius is taken for one in cells", PROOF,
        "_cells_near_ball(world, p, q, radius / world.cell)",
        "_cells_near_ball(world, p, q, radius)", PATHS,
    ),
    Mutant(
        "a tiny ball is proved to pass through solids", PROOF,
        "if radius / world.cell > world.resolution:", "if radius > 0.0:", VERIFICATION,
    ),
    Mutant(
        "the depth of a segment is that of its start", DEPTH,
        "    if rise0 >= 0.0:\n", "    if rise0 >= -1e300:\n", CONTACT,
    ),
]  # fmt: skip


def main() -> int:
    """Run the faults that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="words with commas between")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="list the faults, run nothing")
    asked = parser.parse_args()
    words = [word for word in asked.only.split(",") if word]
    chosen = [
        m for m in MUTANTS if not words or any(word in m.name + " " + m.file for word in words)
    ]
    if asked.list:
        for mutant in chosen:
            print(f"{mutant.file}: {mutant.name}")
        return 0
    selections = sorted({(mutant.tests, mutant.compiled) for mutant in chosen})
    with ThreadPoolExecutor(asked.jobs) as pool:
        for (tests, _), (failed, seconds) in zip(
            selections, pool.map(lambda one: run(None, *one), selections), strict=True
        ):
            print(f"{seconds:4.0f} s  without a fault: {tests}: {failed or 'passes'}", flush=True)
            if failed:
                return 1
        survived = 0
        results = pool.map(lambda m: run(m, m.tests, m.compiled), chosen)
        for mutant, (failed, seconds) in zip(chosen, results, strict=True):
            survived += not failed
            print(f"{seconds:4.0f} s  {mutant.file}: {mutant.name}: {failed or 'NOT NOTICED'}")
            sys.stdout.flush()
    print(f"{len(chosen) - survived} of {len(chosen)} faults were noticed")
    return 1 if survived else 0


def run(mutant: Mutant | None, tests: str, compiled: bool) -> tuple[str, float]:
    """Run tests with a fault; return the first test that failed, if any, and the seconds."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", copy)
        if mutant is not None:
            file = copy / "src" / "noctule" / mutant.file
            text = file.read_text()
            if text.count(mutant.old) != 1:
                raise SystemExit(
                    f"{mutant.file} holds {mutant.old!r} {text.count(mutant.old)} times"
                )
            file.write_text(text.replace(mutant.old, mutant.new))
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(copy / "src"), os.environ.get("PYTHONPATH", "")]),
            "NUMBA_DISABLE_JIT": "0" if compiled else "1",
            "NUMBA_CACHE_DIR": str(copy / "cache"),
        }
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", *tests.split()]
        try:
            done = subprocess.run(
                command, cwd=copy, env=environment, capture_output=True, text=True, timeout=LIMIT
            )
        except subprocess.TimeoutExpired:  # it searches for ever, or takes far longer
            return f"stopped after {LIMIT} s", time.monotonic() - began
        if done.returncode == 0:
            return "", time.monotonic() - began
        found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
        reason = found[1] if found else f"exit code {done.returncode}: {done.stdout[-300:]}"
        return reason, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
