"""Expand a study into series and tasks."""

import hashlib
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from noctule import __version__
from noctule.studies.definition import SIZES, Study, StudyError

Settings = dict[str, Any]


class Task(NamedTuple):
    """One run."""

    settings: Settings  # determine its result; values for JSON

    @property
    def key(self) -> str:
        """Identifier of settings and package version."""
        text = json.dumps([__version__, self.settings], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Series(NamedTuple):
    """Runs with the same settings: one row of the table."""

    label: str
    settings: Settings
    tasks: list[Task]


class SkippedSeries(NamedTuple):
    """A series that cannot be run, and the reason."""

    label: str
    reason: str


def expand(
    study: Study, size: str = "full", maps: Path | None = None
) -> tuple[list[Series], list[SkippedSeries]]:
    """Return all series of a study at a size, and those that cannot be run.

    Each combination of list values in a run is a series, run `repeat` times. All maps belong to one
    series unless the label contains the map.
    """
    series: list[Series] = []
    skipped: list[SkippedSeries] = []
    sizes = SIZES[SIZES.index(size) :: -1]  # if a size is missing, the next larger one is used
    for run in study.runs:
        sized = {key: _sized(value, sizes) for key, value in run.items()}
        if str(sized.get("scene", "")).endswith(".json"):
            sized["scene"] = str(_existing(study, sized["scene"], "scene"))
        cases: list[Settings] = [{}]
        if "maps" in sized:
            found, problem = _find_maps(study, sized["maps"], maps)
            if problem:
                joined = {key: _joined(value) for key, value in sized.items()}
                label = _label(joined | {"map": sized["maps"]}, sized)
                skipped.append(SkippedSeries(label, problem))
                continue
            del sized["maps"]
            files = [str(file) for file in found[: sized.pop("maps_most", None)]]
            if "{map}" in sized.get("label", ""):
                sized["map"] = files
            else:
                cases = [{"map": file} for file in files]
        for settings in _combinations(sized):
            label, repeat = _label(settings, sized), settings.pop("repeat", 1)
            tasks = [
                Task(settings | case | {"seed": study.seed, "run": number})
                for number in range(repeat)
                for case in cases
            ]
            if not tasks:
                raise StudyError(f"{study.file}: repeat is below 1; nothing would be run")
            if any(label == other.label for other in series):
                raise StudyError(f"{study.file}: two series are named {label!r}; give a label")
            series.append(Series(label, settings, tasks))
    return series, skipped


def _sized(value: Any, sizes: Sequence[str]) -> Any:
    if isinstance(value, dict):
        return next(value[name] for name in sizes if name in value)
    return value


def _joined(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _combinations(run: Settings) -> list[Settings]:
    lists = {key: value for key, value in run.items() if isinstance(value, list)}
    fixed = {key: value for key, value in run.items() if key != "label"}
    chosen = itertools.product(*lists.values())
    return [fixed | dict(zip(lists, values, strict=True)) for values in chosen]


def _label(settings: Settings, run: Settings) -> str:
    """Return the formatted label of the run, or the algorithm and the settings that differ."""
    if "label" in run:
        name = settings.get("map")
        if isinstance(name, str):
            settings = settings | {"map": _without_suffix(Path(name))}
        try:
            return str(run["label"]).format_map(settings)
        except (KeyError, IndexError, ValueError) as problem:
            raise StudyError(f"label {run['label']!r} can't be filled in: {problem}") from None
    several = [key for key, value in run.items() if isinstance(value, list) and len(value) > 1]
    parts = [f"{key} {settings[key]}" for key in several if key != "algorithm"]
    return ", ".join([str(settings["algorithm"]), *parts])


def _find_maps(study: Study, asked: Any, folder: Path | None) -> tuple[list[Path], str]:
    """Return the maps of a list of names or a pattern of scenario files, or why there are none.

    Maps found by a pattern are sorted by size.
    """
    if isinstance(asked, list):
        return [_existing(study, name, "map") for name in asked], ""
    if folder is None:
        needs = f"needs maps ({asked}), which are not part of noctule"
        return [], f"{needs}: give their folder with --maps FOLDER"

    def size(file: Path) -> int:
        map_file = map_beside(file, _without_suffix(file))
        return 0 if map_file is None else map_file.stat().st_size

    files = sorted(folder.glob(asked), key=lambda file: (size(file), file.name))
    return files, "" if files else f"there is no {asked} in {folder}"


def _existing(study: Study, name: str, what: str) -> Path:
    """Return a file that a study names, relative to the study file."""
    file = study.file.parent / name
    if not file.is_file():
        raise StudyError(f"{study.file}: there is no {what} {file}")
    return file


def _without_suffix(scenarios: Path) -> str:
    return scenarios.name.removesuffix(".scen").removesuffix(".3dscen")


def map_beside(scenarios: Path, name: str) -> Path | None:
    """Return the map of this name, possibly compressed, in the folder of a scenario file."""
    candidates = (scenarios.parent / name, scenarios.parent / f"{name}.gz")
    return next((file for file in candidates if file.is_file()), None)
