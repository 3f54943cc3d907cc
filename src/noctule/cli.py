"""The `noctule` command: list of commands, and error messages.

The commands are in `noctule.commands`. They are imported when called, and import Numba only for
computations, so `--help` is fast.
"""

import atexit
import gc
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cyclopts import App, CycloptsError

from noctule import __version__

BAD_INPUT = 2  # exit code; 0: a path was found, 1: none
STOPPED = 130  # exit code after Ctrl-C

COMMANDS = {
    "fly": (
        "Fly through a scene of moving bodies, once or many times.",
        """\
  noctule fly
  noctule fly --algorithm lazy-theta --destination horizontal --picture flight.png
  noctule fly --runs 50 --seed 1 --json
  noctule fly my-scene.json --neighbours 6 --trace flight.npz
  noctule fly --record flight.html --gif flight.gif

The first flies through the scene test-environment and saves a picture.
Exit code: 0 all flights arrived, 1 not all arrived, 2 wrong input.""",
    ),
    "play": (
        "Play Lost in Space: asteroids, and enemies that hunt you.",
        """\
  noctule play
  noctule play --difficulty hard --seed 7
  noctule play --demo --record demo.mp4 --seconds 30
  noctule play --demo --headless --seconds 120 --seed 1 --json

Needs panda3d: pip install 'noctule[game]'; --headless does not. F1 in the game shows the controls.
Exit code: 0 played, 2 wrong input or no display.""",
    ),
    "view": (
        "Watch live flights in the browser, and disturb them.",
        """\
  noctule view
  noctule view --algorithm theta --graph hybrid --destination horizontal
  noctule view my-scene.json --no-open --port 8080
  noctule view city.3dmap --from 12.5,40.5,7.5 --to 80.5,3.5,22.5 --algorithms taut,theta

Needs viser: pip install 'noctule[viewer]'.""",
    ),
    "replay": (
        "Play a saved flight, or save it as a page or clip.",
        """\
  noctule replay flight.npz
  noctule replay flight.npz --record flight.html --gif flight.gif

'noctule fly --trace flight.npz' saves a flight.""",
    ),
    "plan": (
        "Plan a path through a map, or run a file of scenarios.",
        """\
  noctule plan
  noctule plan city.3dmap 12.5,40.5,7.5 80.5,3.5,22.5 --algorithm theta --radius 0.4
  noctule plan house.npy 1.2,1.2,1 9.1,7.4,3 --cell 0.1 --radius 0.3 --up z
  noctule plan rooms.map 3,4 60,12 --cells --picture rooms.png
  noctule plan building.bt 1,2,1 9,4,2 --radius 0.3 --home 48.1,11.5,520 --out survey.plan
  noctule plan city.3dmap --scenarios city.3dscen --every 100 --json

The first plans through a built-in map and saves a picture. Points, radius and results are in world
units: cells, unless --cell says how large a cell is. With --cells, points are indices of cells.
Exit code: 0 found (or all lengths match), 1 not found, 2 wrong input.""",
    ),
    "compare": (
        "Compare several algorithms on one map.",
        """\
  noctule compare
  noctule compare city.3dmap 12.5,40.5,7.5 80.5,3.5,22.5 --radius 0.4
  noctule compare rooms.map 3,4 60,12 --cells --algorithms astar,theta,lazy-theta
  noctule compare city.3dmap --scenarios city.3dscen --every 100 --csv rows.csv --workers 2

The first runs all algorithms on a built-in map. --scenarios plans many queries and prints means
with confidence intervals.""",
    ),
    "info": (
        "Report what a map, mesh, point cloud, OctoMap or terrain holds.",
        """\
  noctule info building.bt
  noctule info scan.xyz --cell 0.1 --min-points 1 --picture scan.png
  noctule info part.stl --scale 0.001 --cell 0.02 --solid --json

Meshes need pip install 'noctule[mesh]', .las and .laz 'noctule[cloud]', terrain 'noctule[geo]'.
Exit code: 0 read, 2 wrong input.""",
    ),
    "verify": (
        "Prove that a mission is free of the solids of a world.",
        """\
  noctule verify survey.plan building.bt --radius 0.3
  noctule verify route.csv scan.xyz --cell 0.1 --radius 0.4 --json

For other projects' tests: it shares no code with the searches.
Exit code: 0 free, 1 not free, 2 wrong input.""",
    ),
    "bench": (
        "Measure noctule and other installed packages.",
        """\
  noctule bench
  noctule bench --cases C2,C3 --peers noctule,dijkstra3d --picture bench.png
  noctule bench city.3dmap --json

The first takes minutes; pip install 'noctule[peers]' installs the other packages.""",
    ),
    "study": (
        "Repeat a published experiment and compare the numbers.",
        """\
  noctule study
  noctule study lazy-theta --quick
  noctule study dynamic --out results --jobs 2
  noctule study my-study.toml --cluster tcp://host:8786
  noctule study all --quick --maps FOLDER

The first lists the studies. Each writes a folder with a page (index.html).
Exit code: 0 finished, 2 wrong input, 130 stopped by Ctrl-C (continue with --resume).""",
    ),
    "warm-up": (
        "Compile kernels before they are needed.",
        """\
  noctule warm-up
  noctule warm-up --all
  noctule warm-up --algorithms theta,mt-d-star-lite

For container images and CI. The first compiles the kernels for the commands of the README.
Exit code: 0 ready, 1 kernels cannot be saved on disk, 2 wrong input.""",
    ),
    "scenes": (
        "List the built-in scenes.",
        """\
  noctule scenes
  noctule scenes --picture scenes.png
  noctule scenes --json""",
    ),
    "doctor": (
        "Report versions and settings, and run a self-test.",
        """\
  noctule doctor
  noctule doctor --json

Paste its output into a report of a bug. The test takes about ten seconds, more on first use.
Exit code: 0 all is well, 1 a test failed.""",
    ),
    "algorithms": (
        "List the algorithms and their properties.",
        """\
  noctule algorithms
  noctule algorithms --json""",
    ),
}

FOLDERS = {"info": "maps.", "verify": "maps."}  # where a command is, unless in noctule.commands

app = App(
    name="noctule",
    help="Short, provably free paths for a flying body in a 3D world that keeps changing.",
    help_epilogue="Start with: noctule fly",
    help_format="plaintext",
    version=__version__,
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
for _place, (_name, (_summary, _examples)) in enumerate(COMMANDS.items()):
    app.command(
        f"noctule.commands.{FOLDERS.get(_name, '')}{_name}:{_name}".replace("-", "_"),
        name=_name,
        help=_summary,
        sort_key=_place,
        help_epilogue=f"Examples:\n\n{_examples}",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after `noctule`. [default: those of this process]

    Returns
    -------
    int
        The exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with _few_collections():
            code = app(words, exit_on_error=False, print_error=False)
    except (CycloptsError, ValueError, OSError, ModuleNotFoundError) as error:
        from noctule.commands.shared.tables import notes, print_json, styled

        if "--json" in words:
            print_json({"error": explain(error), "exit_code": BAD_INPUT})
        else:
            notes().print(styled(f"error: {explain(error)}", "red"), soft_wrap=True)
        return BAD_INPUT
    except KeyboardInterrupt as stop:
        from noctule.commands.shared.tables import notes

        notes().print(": ".join(["Stopped", *map(str, stop.args)]), soft_wrap=True)
        return STOPPED
    return code or 0  # help and version return nothing


@contextmanager
def _few_collections() -> Iterator[None]:
    """Run fewer garbage collections: imported modules are never garbage, and slow to scan."""
    atexit.register(gc.freeze)  # skips the scan at exit
    usual = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def explain(error: Exception) -> str:
    """Return the message of an error; for an OSError, the file and the reason."""
    unused = re.match(r"Unused Tokens: (.*)\.$", str(error))
    if unused:
        return (
            f"too many arguments: {unused[1]}. Write a point with commas and no blanks: "
            "1.5,1.5,1.5 18.5,18.5,8.5"
        )
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {(error.strerror or 'not readable').lower()}"
    return str(error)
