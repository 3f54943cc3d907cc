"""`noctule doctor`: versions, compiled code, threads, and a self-test, for reports of bugs."""

import importlib.metadata
import os
import platform
import sys
import time
from typing import TYPE_CHECKING, Any

import noctule as nt
from noctule.commands.shared.options import Json
from noctule.commands.shared.tables import columns, console, facts, notes, print_json, styled

if TYPE_CHECKING:
    from rich.text import Text

# Each extra and the packages that it needs.
EXTRAS = {
    "plot": ("matplotlib", "pillow"),
    "viewer": ("viser",),
    "cluster": ("dask", "distributed"),
    "video": ("imageio-ffmpeg",),
    "mesh": ("trimesh", "networkx", "lxml"),
    "cloud": ("trimesh", "laspy", "lazrs"),
    "geo": ("rasterio",),
    "ros": ("rosbags",),
    "peers": ("scipy",),
}
NEEDED = ("numpy", "numba", "llvmlite", "cyclopts", "rich")
SECONDS = 10.0  # the self-test ends after about as long


def doctor(*, as_json: Json = False) -> int:
    """Report versions, compiled code and threads, and test that plans are right."""
    about = {
        "noctule": nt.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count() or 1,
        "packages": {name: _version(name) for name in NEEDED},
        "extras": {name: _missing(wanted) for name, wanted in EXTRAS.items()},
        "cache": _cache(),
        "threads": _threads(),
    }
    with notes().status("testing for about ten seconds"):
        checks = run_checks(SECONDS)
    fine = all(check["passed"] for check in checks)
    if as_json:
        print_json(about | {"checks": checks, "passed": fine})
    else:
        _report(about, checks)
    return 0 if fine else 1


def run_checks(seconds: float) -> list[dict[str, Any]]:
    """Plan on small worlds with known answers until the time is up, and say what was right."""
    from noctule.worlds.generated import asteroid_field, field_ends

    began = time.perf_counter()
    checks: list[dict[str, Any]] = []
    grid = nt.Grid(asteroid_field(2, (16, 12, 12), 8))
    start, goal = (grid.centre(cell) for cell in field_ends(grid.shape))
    shortest = None
    for name in ("dijkstra", "a*", "jps", "theta*", "lazy-theta*", "d*-lite"):
        if checks and time.perf_counter() - began > seconds:
            checks.append({"check": name, "passed": True, "result": "left out: time is up"})
            continue
        started = time.perf_counter()
        try:
            path = nt.plan(grid, start, goal, name)
            shortest = path.length if shortest is None else shortest
            free = bool(path) and nt.verify(path, grid)
            right = free and path.length <= shortest * (1 + 1e-9)
            result = f"length {path.length:.4f}, " + ("verified" if free else "NOT FREE")
        except Exception as error:
            right, result = False, f"{type(error).__name__}: {error}"
        took = f"{time.perf_counter() - started:.2f} s"
        checks.append({"check": name, "passed": right, "result": f"{result}, {took}"})
    checks.append(_check_repeat(grid, (start, goal)))
    return checks


def _check_repeat(grid: "nt.Grid", ends: Any) -> dict[str, Any]:
    """Check that the same query gives the same path again, on threads, too."""
    once = nt.plan(grid, ends[0], ends[1], "a*")
    many = nt.plan_many(grid, [ends] * 8, "a*", threads=2)
    same = all(path.points.tolist() == once.points.tolist() for path in many)
    result = "same path from 2 threads" if same else "another path from 2 threads"
    return {"check": "plan_many", "passed": same, "result": result}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _missing(packages: tuple[str, ...]) -> list[str]:
    return [name for name in packages if _version(name) is None]


def _cache() -> dict[str, Any]:
    """Return where compiled code is kept, how much of it is there, and whether it can be kept."""
    from noctule.core import kernel_cache, manifest

    folder = kernel_cache.folders()[0]
    files = list(folder.glob("*")) if folder.is_dir() else []
    groups = manifest.groups()
    parent = next(path for path in (folder, *folder.parents) if path.exists())
    return {
        "folder": str(folder),
        "files": len(files),
        "megabytes": round(sum(file.stat().st_size for file in files) / 1e6, 1),
        "missing": len(manifest.missing(groups)),
        "writable": os.access(parent, os.W_OK),
    }


def _threads() -> dict[str, Any]:
    import numba

    names = ("NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT", "NOCTULE_JOBS", "OMP_NUM_THREADS")
    return {
        "numba": numba.config.NUMBA_NUM_THREADS,
        "switch_interval": sys.getswitchinterval(),
        "set": {name: os.environ[name] for name in names if name in os.environ},
    }


def _report(about: dict[str, Any], checks: list[dict[str, Any]]) -> None:
    cache, threads = about["cache"], about["threads"]
    packages = ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    extras = ", ".join(
        name if not missing else f"{name} (missing: {', '.join(missing)})"
        for name, missing in about["extras"].items()
    )
    state = f"{cache['files']} files, {cache['megabytes']} MB; {cache['missing']} not yet compiled"
    settings = ", ".join(f"{name}={value}" for name, value in threads["set"].items())
    rows: list[tuple[str, str | Text]] = [
        ("noctule", about["noctule"]),
        ("python", f"{about['python']} on {about['system']}"),
        ("packages", packages),
        ("extras", extras),
        ("cores", f"{about['cores']}, {threads['numba']} threads of numba"),
        *([("set", settings)] if settings else []),
        ("compiled code", f"{cache['folder']}"),
        ("", state if cache["writable"] else styled(f"{state}; NOT WRITABLE", "bold red")),
    ]
    table = columns("test", "", "result", left=3)
    for check in checks:
        mark = styled("passed", "green") if check["passed"] else styled("FAILED", "bold red")
        table.add_row(styled(check["check"], "bold"), mark, check["result"])
    console().print(facts(rows), "", table)
