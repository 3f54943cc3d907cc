"""`Study`: runs, measures, plots and claims, read from a TOML file."""

import difflib
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_origin

from noctule.files import FileError, read_text, reading
from noctule.studies.analysis.measures import MEASURES

MAX_BYTES = 10_000_000  # largest study file
LIBRARY = Path(__file__).parent / "library"

# In the order in which they are listed and run.
BUILT_IN = (
    "static",
    "dynamic",
    "static-goal",
    "jump-points",
    "moving-target",
    "graphs",
    "any-angle-moving-target",
    "success",
    "lazy-theta",
    "plane",
    "voxel-game",
    "warframe",
    "taut",
    "field-d",
    "minefield",
    "lost-in-space",
)

SIZES = ("full", "quick", "tiny")  # "tiny" is for tests

SEARCH = {"algorithm", "weight", "heuristic", "cost", "try_straight_line", "radius"}
SCENE = {"scene", "variant", "graph", "neighbours", "safety", "destination"}
FLIGHT = {
    *("destination", "static_agent", "latency", "every", "window", "foresee", "prediction"),
    *("limit", "frame"),
}
REPLANS = {"agent", "bodies", "direction", "frame", "frames", "decrease", "limit"}
PATHS = {
    *("world", "maps", "maps_most", "percent", "side", "preset", "queries", "rounds"),
    *("neighbours", "nodes", "smooth", "reference", "dimension", "ignore_costs"),
}
HUNTS = {"algorithm", "enemies", "seconds", "pilot"}
EVERY_RUN = {"kind", "label", "repeat"}
RUNS = {
    "flights": SEARCH | SCENE | FLIGHT | EVERY_RUN,
    "replans": SEARCH | SCENE | REPLANS | EVERY_RUN,
    "paths": SEARCH | PATHS | EVERY_RUN,
    "hunts": HUNTS | EVERY_RUN,
}
PLOTS = {
    "bars": {"measures", "series"},
    "lines": {"x", "measures", "series"},
    "frames": {"measures", "series"},
    "bubbles": {"x", "y", "size", "series"},
    "scatter": {"x", "y", "series"},
}
EVERY_PLOT = {"kind", "title", "log"}
PUBLISHED = {"what", "series", "to", "measure", "statistic", "value", "source", "why"}
STATEMENT = {"text", "source", "checks", "remark"}
CHECK = {"measure", "statistic", "series", "than", "times", "is", "value"}
COMPARISONS = ("less", "more", "like", "at least", "at most")


class StudyError(ValueError):
    """A study file or a study is invalid."""


@dataclass(frozen=True)
class Study:
    """The content of a study file, for all sizes."""

    name: str
    file: Path
    title: str
    runs: list[dict[str, Any]]
    after: str = ""  # short form of the source
    source: str = ""
    about: str = ""
    seed: int = 1
    skip_unavailable: bool = False
    defaults: dict[str, Any] = field(default_factory=dict)
    published: list[dict[str, Any]] = field(default_factory=list)
    statements: list[dict[str, Any]] = field(default_factory=list)
    plots: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)


# Keys of a study file and their types.
TOP: dict[str, Any] = {f.name: get_origin(f.type) or f.type for f in fields(Study)[2:]}


def load_study(name: str) -> Study:
    """Load a built-in study by its name, or a study file (.toml)."""
    if name in BUILT_IN:
        return read_study(LIBRARY / f"{name}.toml")
    if not name.endswith(".toml"):
        near = difflib.get_close_matches(name, BUILT_IN, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}? " if near else ""
        raise StudyError(
            f"there is no study {name!r}; {hint}known are {', '.join(BUILT_IN)}, "
            f"all, or a file that ends in .toml"
        )
    return read_study(Path(name))


def read_study(file: Path) -> Study:
    """Read and check a study file."""
    text = read_text(file, MAX_BYTES, hint="")
    with reading(file, "TOML"):
        content = tomllib.loads(text)
    with reading(file, "a study"):
        return _study(file, content)


def _study(file: Path, content: dict[str, Any]) -> Study:
    """Check the content of a study file."""
    _check(file, "the study", _check_keys, content, set(TOP))
    for key, kind in TOP.items():
        if key in content and not isinstance(content[key], kind):
            raise FileError(f"{file}: {key} is {content[key]!r}; expected a {kind.__name__}")
    runs = [content.get("defaults", {}) | run for run in content.get("runs", [])]
    if not runs:
        raise FileError(f"{file}: it has no runs; expected at least one [[runs]]")
    content |= {"name": file.stem, "file": file, "runs": runs}
    for key, (name, check) in ENTRIES.items():
        for number, entry in enumerate(content.get(key, []), 1):
            _check(file, f"{name} {number}", check, entry)
    _check(file, "columns", _check_measures, content.get("columns", []))
    return Study(**{"title": file.stem} | content)


def _check(file: Path, where: str, check: Callable[..., None], *arguments: Any) -> None:
    """Run a check; its error names the file and the place."""
    try:
        check(*arguments)
    except StudyError as problem:
        raise FileError(f"{file}: {where}: {problem}") from None


def _check_run(run: dict[str, Any]) -> None:
    _check_keys(run, _known_keys(run, RUNS), ["algorithm"])
    for key, value in run.items():
        if value == []:
            raise StudyError(f"{key} is an empty list; nothing would be run")
        if isinstance(value, dict) and (set(value) - set(SIZES) or "full" not in value):
            raise StudyError(f"{key} is {value!r}; expected full and quick")


def _check_plot(plot: dict[str, Any]) -> None:
    keys = _known_keys(plot, PLOTS)
    _check_keys(plot, keys | EVERY_PLOT, keys - {"series"})
    axes = [plot[key] for key in ("y", "size") if key in plot]
    axes += [plot["x"]] if plot["kind"] in ("bubbles", "scatter") else []
    _check_measures([*plot.get("measures", []), *axes])


def _check_published(entry: dict[str, Any]) -> None:
    _check_keys(entry, PUBLISHED, ["series", "measure", "value", "source"])
    _check_measures([entry["measure"]])


def _check_statement(entry: dict[str, Any]) -> None:
    _check_keys(entry, STATEMENT)
    if not entry.get("text") or not entry.get("checks"):
        raise StudyError("text or checks are missing")
    for check in entry["checks"]:
        _check_keys(check, CHECK)
        _check_measures([check.get("measure", "")])
        if check.get("is") not in COMPARISONS:
            raise StudyError(f"is is {check.get('is')!r}; allowed are {', '.join(COMPARISONS)}")
        if "series" not in check or ("than" in check) == ("value" in check):
            raise StudyError("a check needs series, and than or value")


ENTRIES: dict[str, tuple[str, Callable[[dict[str, Any]], None]]] = {
    "runs": ("run", _check_run),
    "plots": ("plot", _check_plot),
    "published": ("published", _check_published),
    "statements": ("statement", _check_statement),
}


def _known_keys(entry: dict[str, Any], kinds: dict[str, set[str]]) -> set[str]:
    kind = entry.get("kind")
    if kind not in kinds:
        raise StudyError(f"kind is {kind!r}; allowed are {', '.join(kinds)}")
    return kinds[kind]


def _check_keys(table: dict[str, Any], known: set[str], needed: Iterable[str] = ()) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise StudyError(f"unknown key {key!r}; {hint}known are {', '.join(sorted(known))}")
    for key in needed:
        if key not in table:
            raise StudyError(f"{key} is missing")


def _check_measures(names: list[str]) -> None:
    for name in names:
        if name not in MEASURES:
            raise StudyError(f"unknown measure {name!r}; known are {', '.join(MEASURES)}")
