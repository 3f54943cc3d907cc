"""Run every command of README, docs and help as a reader would.

    python tools/documented_commands.py                run them all, in a fresh environment
    python tools/documented_commands.py --list         print them, with what is done with each
    python tools/documented_commands.py --only plan    those that contain a text
    python tools/documented_commands.py --python PATH  with this Python, which has noctule

A fresh environment is a new venv with `pip install '.[all]'`. Commands run in an empty folder that
has the maps and scenes that the documents name. They run in bash, where a pattern that matches no
file is an error, as zsh has it; and in zsh, if it is installed. Exit codes 0 and 1 (a result that
is no success) pass; 2 and a traceback do not.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import numpy as np

from noctule.cli import COMMANDS

ROOT = Path(__file__).parents[1]
START = ("noctule ", "pip ", "python ", "pytest", "sphinx-build ")
SERVE = 20.0  # seconds after which a command that shows a page gets Ctrl-C
LIMIT = 1800.0

# Not run, and why. The first pattern that a command begins with counts.
LEFT_OUT = {
    "pip install '.[all]' && ": "",  # the rest is run: the environment has it
    "pip install '.[docs]' && sphinx-build": "built by .ci/run",
    "pip install -e '.[test]'": "run by .ci/run",
    "pip install": "prepares other commands; needs the internet",
    "python -m build": "a release: compiles all kernels",
    "python benchmarks/": "measurements of many minutes",
    "python tools/": "for developers; rewrites files",
    "noctule bench": "measures for minutes, and needs the other packages",
    "noctule study all": "hours",
    "noctule study dynamic": "hours without --quick",
    "noctule study my-study.toml --cluster": "needs a cluster",
    "noctule warm-up --all": "minutes",
}

SCENE = """{
 "space": {"origin": [0, 0, 0], "cells": [16, 8, 8], "cell_size": 1.0},
 "agent": {"start": [1, 1, 1], "radius": 0.3, "speed": 2},
 "destination": {"start": [14, 5, 3], "radius": 0.3},
 "obstacles": [{"name": "crate", "shape": "box", "centre": [8, 4, 2], "size": [1, 2, 1]}]
}"""

STUDY = """title = "A small study"
[[runs]]
kind = "paths"
label = "{algorithm}"
world = "noise"
percent = 10
side = 12
algorithm = ["a*", "theta*"]
queries = 2
"""


def documents() -> list[Path]:
    """Return README and the pages of the site that are written by hand."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    made = {"command-line.md"}
    return [ROOT / "README.md", *(page for page in pages if page.name not in made)]


def commands(document: Path) -> list[str]:
    """Return the commands of a document: lines of indented blocks, and of blocks of bash."""
    found: list[str] = []
    fence, language = "", ""
    for line in document.read_text(encoding="utf-8").splitlines():
        mark = re.match(r" *(`{3,}|:{3,}|~{3,})(.*)", line)
        if mark and not fence:
            fence, language = mark[1], mark[2].strip()
        elif mark and mark[1] == fence and not mark[2]:
            fence, language = "", ""
        text = line.strip()
        shell = language in ("bash", "sh", "console") if fence else line.startswith("    ")
        if shell and text.removeprefix("$ ").startswith(START):
            found.append(re.sub(r"\s{2,}#.*", "", text.removeprefix("$ ")))
    return found


def treatment(command: str) -> tuple[str, str]:
    """Return what is run of a command, and why nothing is."""
    for begin, reason in LEFT_OUT.items():
        if command.startswith(begin):
            return ("", reason) if reason else (command.removeprefix(begin), "")
    return command, ""


def all_commands() -> dict[str, str]:
    """Return each command of the documents and of the help, with the first place that has it."""
    found: dict[str, str] = {}
    for document in documents():
        for command in commands(document):
            found.setdefault(command, str(document.relative_to(ROOT)))
    for name, (_, examples) in COMMANDS.items():
        for line in examples.splitlines():
            if line.startswith("  noctule"):
                found.setdefault(line.strip(), f"noctule {name} --help")
    return found


def stl(corners: list[tuple[int, int, int]]) -> str:
    """Return a tetrahedron as text."""
    lines = ["solid part"]
    for a, b, c in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)):
        rows = [f"vertex {x} {y} {z}" for x, y, z in (corners[a], corners[b], corners[c])]
        lines += ["facet normal 0 0 0", "outer loop", *rows, "endloop", "endfacet"]
    return "\n".join([*lines, "endsolid part", ""])


STL = stl([(0, 0, 0), (900, 0, 0), (0, 900, 0), (0, 0, 900)])  # millimetres


def prepare(folder: Path) -> None:
    """Write the files that the commands name."""
    size = 96, 48, 48
    solid = [f"{x} {y} {z}" for x in (40, 41) for y in range(40) for z in range(48)]
    text = "\n".join([f"voxel {size[0]} {size[1]} {size[2]}", *solid, ""])
    (folder / "city.3dmap").write_text(text)
    queries = ["version 1", "city.3dmap", "12 40 7 30 40 7 18 1.0", ""]
    (folder / "city.3dscen").write_text("\n".join(queries))
    rows = ["." * 64 if y % 10 else "." * 20 + "@" * 24 + "." * 20 for y in range(64)]
    (folder / "rooms.map").write_text(
        "\n".join(["type octile", "height 64", "width 64", "map", *rows, ""])
    )
    (folder / "my-scene.json").write_text(SCENE)
    (folder / "my-study.toml").write_text(STUDY)
    (folder / "FOLDER").mkdir()
    house = np.zeros((120, 90, 50), dtype=bool)
    house[60:62, :70] = True
    np.save(folder / "house.npy", house)
    head = b"# Octomap OcTree binary file\nid OcTree\nsize 12\nres 0.25\ndata\n"
    free = b"\x00\xc0" + b"\x03\x00" * 8 + b"\x09\x00"  # 64 x 64 x 64 cells from 0 on
    (folder / "building.bt").write_bytes(head + free)
    (folder / "scan.xyz").write_text("0 0 0\n4 2 4\n8 8 4\n")
    (folder / "route.csv").write_text("x,y,z\n1,1,1\n6,6,2\n")
    (folder / "part.stl").write_text(STL)


def run(command: str, shell: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command; return what is wrong, or nothing."""
    serves = command.startswith("noctule view") or command == "noctule replay flight.npz"
    process = subprocess.Popen(
        [*shell, "exec " + command if serves else command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        output, _ = process.communicate(timeout=SERVE if serves else LIMIT)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            return f"does not end: {output[-500:]}"
        if not serves:
            return f"takes longer than {LIMIT:.0f} s"
    good = (0, 1, 130) if serves else (0, 1)
    if process.returncode in good and "Traceback" not in output and "no match" not in output:
        return ""
    return f"exit code {process.returncode}: {output[-800:]}"


def fresh_environment(folder: Path) -> Path:
    """Make a venv with noctule and all extras for users; return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", f"{ROOT}[all]"], check=True)
    return python


def shells() -> list[list[str]]:
    """Return bash, told to be as strict as zsh about patterns, and zsh if there is one."""
    zsh = shutil.which("zsh")
    return [["bash", "-O", "failglob", "-c"], *([[zsh, "-f", "-c"]] if zsh else [])]


def main() -> int:
    """Run the commands; return the number of those that failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the commands only")
    parser.add_argument("--only", default="", help="commands that contain this text")
    parser.add_argument("--python", type=Path, help="a Python that has noctule with all extras")
    asked = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    chosen = [(c, where) for c, where in all_commands().items() if asked.only in c]
    if asked.list:
        for command, where in chosen:
            reason = treatment(command)[1]
            print(f"{where}: {command}" + (f"   (left out: {reason})" if reason else ""))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # The path of the link, not where it leads to: a venv is known by it.
        python = asked.python.absolute() if asked.python else fresh_environment(folder / "venv")
        failed = run_all(chosen, folder, python)
    print(f"{failed} failed")
    return min(failed, 99)


def run_all(chosen: list[tuple[str, str]], folder: Path, python: Path) -> int:
    """Run the chosen commands in each shell; return how many failed."""
    environment = os.environ | {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "BROWSER": "true",  # a command that opens no page
    }
    failed = 0
    for shell in shells():
        work = folder / Path(shell[0]).name
        work.mkdir()
        prepare(work)
        for command, where in chosen:
            what, reason = treatment(command)
            began = time.perf_counter()
            wrong = run(what, shell, work, environment) if what else ""
            result = f"left out: {reason}" if not what else wrong or "ok"
            seconds = time.perf_counter() - began
            print(f"{where}: {command}\n    {result} ({seconds:.0f} s)", flush=True)
            failed += bool(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main())
