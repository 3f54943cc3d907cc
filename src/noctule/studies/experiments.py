"""From a study to its series (what is compared) and their tasks (what is run)."""

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any, NamedTuple

from noctule import __version__
from noctule.studies.definition import Study, StudyError

Settings = dict[str, Any]


class Task(NamedTuple):
    """One run: everything that decides its result."""

    series: int
    settings: Settings  # values that JSON can hold

    @property
    def key(self) -> str:
        """Tells tasks apart, also from those of other versions."""
        text = json.dumps([__version__, self.settings], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Series(NamedTuple):
    """What is compared with others: one line of the table."""

    label: str
    settings: Settings
    tasks: list[Task]


class LeftOut(NamedTuple):
    """A series that can't be run, and why."""

    label: str
    reason: str


def expand(
    study: Study, size: str = "full", maps: Path | None = None
) -> tuple[list[Series], list[LeftOut]]:
    """All the series of a study at a size, and those that can't be run.

    Lists in a run multiply: each combination is a series, run `repeat` times. All maps together
    make one series, unless the label names the map.
    """
    series: list[Series] = []
    left_out: list[LeftOut] = []
    for run in study.runs:
        sized = {key: _sized(value, size) for key, value in run.items()}
        if str(sized.get("scene", "")).endswith(".json"):
            sized["scene"] = str(_existing(study, sized["scene"], "scene"))
        cases: list[Settings] = [{}]
        if "maps" in sized:
            try:
                found = _maps(study, sized["maps"], maps, sized.pop("maps_most", None))
            except _NoMapsError as reason:
                left_out.append(LeftOut(_label(_joined(sized), sized), str(reason)))
                continue
            del sized["maps"]
            if "{map}" in sized.get("label", ""):
                sized["map"] = [str(file) for file in found]
            else:
                cases = [{"map": str(file)} for file in found]
        for settings in _combinations(sized):
            label, repeat = _label(settings, sized), settings.pop("repeat", 1)
            tasks = [
                Task(len(series), settings | case | {"seed": study.seed, "run": number})
                for number in range(repeat)
                for case in cases
            ]
            if not tasks:
                raise StudyError(f"{study.file}: repeat is below 1; nothing would be run")
            if any(label == other.label for other in series):
                raise StudyError(f"{study.file}: two series are called {label!r}; give a label")
            series.append(Series(label, settings, tasks))
    return series, left_out


def _sized(value: Any, size: str) -> Any:
    if not isinstance(value, dict):
        return value
    for name in (size, "quick", "full"):
        if name in value and (size != "full" or name == "full"):
            return value[name]
    return value["full"]


def _combinations(run: Settings) -> list[Settings]:
    lists = {key: value for key, value in run.items() if isinstance(value, list)}
    chosen = itertools.product(*lists.values())
    fixed = {key: value for key, value in run.items() if key != "label"}
    return [fixed | dict(zip(lists, values, strict=True)) for values in chosen]


def _joined(run: Settings) -> Settings:
    """All the series of a run in one; its maps by what names them."""
    values = {k: ", ".join(map(str, v)) if isinstance(v, list) else v for k, v in run.items()}
    return values | {"map": run["maps"]}


def _label(settings: Settings, run: Settings) -> str:
    """The run's label filled in, or the algorithm and whatever differs."""
    if "label" in run:
        try:
            return str(run["label"]).format_map(settings | _map_name(settings))
        except (KeyError, IndexError, ValueError) as problem:
            raise StudyError(f"label {run['label']!r} can't be filled in: {problem}") from None
    several = [key for key, value in run.items() if isinstance(value, list) and len(value) > 1]
    parts = [f"{key} {settings[key]}" for key in several if key != "algorithm"]
    return ", ".join([str(settings["algorithm"]), *parts])


def _map_name(settings: Settings) -> Settings:
    """The map by its name, without folder and what scenario files add to it."""
    if "map" not in settings or isinstance(settings["map"], list):
        return {}
    return {"map": Path(settings["map"]).name.removesuffix(".scen").removesuffix(".3dscen")}


class _NoMapsError(Exception):
    """Maps were not given."""


def _maps(study: Study, asked: Any, folder: Path | None, most: int | None) -> list[Path]:
    """The scenario files of the maps that are asked for: a list of names, or a kind of file."""
    if isinstance(asked, list):
        return [_existing(study, name, "map") for name in asked]
    if folder is None:
        raise _NoMapsError(
            f"needs maps ({asked}), which are not part of noctule: "
            f"--maps FOLDER names where they are"
        )
    files = sorted(folder.glob(asked), key=lambda file: (_map_size(file), file.name))
    if not files:
        raise _NoMapsError(f"there is no {asked} in {folder}")
    return files[:most]


def _existing(study: Study, name: str, what: str) -> Path:
    """A file that a study names; relative names begin at the study file."""
    file = study.folder / name
    if not file.is_file():
        raise StudyError(f"{study.file}: there is no {what} {file}")
    return file


def _map_size(scenarios: Path) -> int:
    """Bytes of the map that belongs to a file of scenarios; small maps come first."""
    stem = scenarios.name.removesuffix(".3dscen").removesuffix(".scen")
    for name in (stem, f"{stem}.gz"):
        if (scenarios.parent / name).is_file():
            return (scenarios.parent / name).stat().st_size
    return 0
