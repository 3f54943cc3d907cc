"""`Study`: what is run, measured, drawn and claimed, read from a TOML file."""

import difflib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from noctule.studies.analysis.measures import MEASURES

LIBRARY = Path(__file__).parent / "library"

# The order in which the studies are listed and `all` runs them.
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
)

SIZES = ("full", "quick", "tiny")  # tiny is for tests: it shows that everything works, no more

SEARCH = {"algorithm", "weight", "heuristic", "step", "direct", "radius"}
SCENE = {"scene", "variant", "graph", "neighbours", "safety", "destination"}
KEYS = {
    "flights": SEARCH
    | SCENE
    | {"static_agent", "latency", "every", "window", "foresee", "prediction", "limit", "frame"},
    "replans": SEARCH
    | SCENE
    | {"agent", "bodies", "direction", "frame", "frames", "decrease", "limit"},
    "paths": SEARCH
    | {"world", "maps", "maps_most", "percent", "side", "preset", "queries", "rounds"}
    | {"neighbours", "nodes", "smooth", "reference"},
}
EVERYWHERE = {"kind", "label", "repeat"}
TOP = {
    "title": str,
    "after": str,
    "source": str,
    "about": str,
    "seed": int,
    "skip_unavailable": bool,
    "defaults": dict,
    "runs": list,
    "published": list,
    "statements": list,
    "plots": list,
    "remarks": list,
    "columns": list,
}
PLOTS = {
    "bars": {"measures", "series"},
    "lines": {"x", "measures", "series"},
    "frames": {"measures", "series"},
    "bubbles": {"x", "y", "size", "series"},
    "scatter": {"x", "y", "series"},
}
SPARE = {"kind", "title", "log"}  # what every plot may have, too


class StudyError(ValueError):
    """Something is wrong with a study file, or with a study that was to be run."""


@dataclass(frozen=True)
class Study:
    """A study as its file has it; sizes are not chosen yet."""

    name: str
    file: Path
    title: str
    runs: list[dict[str, Any]]
    after: str = ""  # the source in a few words
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

    @property
    def folder(self) -> Path:
        """Where maps and scenes with relative names are looked for."""
        return self.file.parent


def load_study(name: str) -> Study:
    """One of the built-in studies by its name, or a study file (.toml)."""
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
    try:
        with open(file, "rb") as source:
            content = tomllib.load(source)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise StudyError(f"{file}: not a TOML file: {problem}") from None
    _check_keys(file, "the study", content, set(TOP))
    for key, kind in TOP.items():
        if key in content and not isinstance(content[key], kind):
            raise StudyError(f"{file}: {key} is {content[key]!r}; expected a {kind.__name__}")
    runs = [content.get("defaults", {}) | run for run in content.get("runs", [])]
    if not runs:
        raise StudyError(f"{file}: it has no runs; expected at least one [[runs]]")
    for number, run in enumerate(runs, 1):
        _check_run(file, f"run {number}", run)
    for number, plot in enumerate(content.get("plots", []), 1):
        _check_plot(file, f"plot {number}", plot)
    for number, entry in enumerate(content.get("published", []), 1):
        _check_published(file, f"published {number}", entry)
    for number, entry in enumerate(content.get("statements", []), 1):
        _check_statement(file, f"statement {number}", entry)
    _check_measures(file, "columns", content.get("columns", []))
    return Study(**{"title": file.stem} | content | {"name": file.stem, "file": file, "runs": runs})


def _check_run(file: Path, where: str, run: dict[str, Any]) -> None:
    kind = run.get("kind")
    if kind not in KEYS:
        raise StudyError(f"{file}: {where}: kind is {kind!r}; allowed are {', '.join(KEYS)}")
    _check_keys(file, where, run, KEYS[kind] | EVERYWHERE)
    if "algorithm" not in run:
        raise StudyError(f"{file}: {where}: algorithm is missing; expected a name or a list")
    for key, value in run.items():
        if value == []:
            raise StudyError(f"{file}: {where}: {key} is an empty list; nothing would be run")
        if isinstance(value, dict):
            unknown = set(value) - set(SIZES)
            if unknown or "full" not in value:
                raise StudyError(f"{file}: {where}: {key} is {value!r}; expected full and quick")


def _check_plot(file: Path, where: str, plot: dict[str, Any]) -> None:
    kind = plot.get("kind")
    if kind not in PLOTS:
        raise StudyError(f"{file}: {where}: kind is {kind!r}; allowed are {', '.join(PLOTS)}")
    _check_keys(file, where, plot, PLOTS[kind] | SPARE)
    for key in PLOTS[kind] - {"series"}:
        if key not in plot:
            raise StudyError(f"{file}: {where}: {key} is missing")
    axes = [plot[key] for key in ("y", "size") if key in plot]
    axes += [plot["x"]] if kind in ("bubbles", "scatter") else []
    _check_measures(file, where, [*plot.get("measures", []), *axes])


def _check_published(file: Path, where: str, entry: dict[str, Any]) -> None:
    _check_keys(
        file, where, entry, {"what", "series", "to", "measure", "statistic", "value", "why", "text"}
    )
    for key in ("series", "measure", "value"):
        if key not in entry:
            raise StudyError(f"{file}: {where}: {key} is missing")
    _check_measures(file, where, [entry["measure"]])


def _check_statement(file: Path, where: str, entry: dict[str, Any]) -> None:
    _check_keys(file, where, entry, {"text", "source", "checks", "remark"})
    if not entry.get("text") or not entry.get("checks"):
        raise StudyError(f"{file}: {where}: text or checks are missing")
    for check in entry["checks"]:
        _check_keys(
            file, where, check, {"measure", "statistic", "series", "than", "times", "is", "value"}
        )
        _check_measures(file, where, [check.get("measure", "")])
        if check.get("is") not in ("less", "more", "like", "at least", "at most"):
            raise StudyError(
                f"{file}: {where}: is is {check.get('is')!r}; "
                f"allowed are less, more, like, at least, at most"
            )
        if "series" not in check or ("than" in check) == ("value" in check):
            raise StudyError(f"{file}: {where}: a check needs series, and than or value")


def _check_keys(file: Path, where: str, table: dict[str, Any], known: set[str]) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            allowed = ", ".join(sorted(known))
            raise StudyError(
                f"{file}: {where} has an unknown key {key!r}; {hint}known are {allowed}"
            )


def _check_measures(file: Path, where: str, names: list[str]) -> None:
    for name in names:
        if name not in MEASURES:
            raise StudyError(
                f"{file}: {where}: unknown measure {name!r}; known are {', '.join(MEASURES)}"
            )
