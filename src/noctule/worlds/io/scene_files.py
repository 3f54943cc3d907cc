"""Read scene files: JSON, described in docs/scenes.md and by `scene.schema.json`.

Error messages name the place in the file, as in ``obstacles[3].motion.speed``.
"""

import copy
import json
import math
from importlib import resources
from os import PathLike, fspath
from pathlib import Path as File
from typing import Any

from noctule.files import MAX_CELLS, FileError, check_size, read_text, reading
from noctule.worlds.built_in import BUILT_IN
from noctule.worlds.io.json_entry import Entry, EntryError
from noctule.worlds.io.scene_reader import SceneReader
from noctule.worlds.scene import Scene


def scenes() -> dict[str, list[str]]:
    """Return the built-in scenes and the variants of each.

    Returns
    -------
    dict of str to list of str
        The names of the scenes and of their variants.

    Examples
    --------
    >>> import noctule as nt
    >>> nt.scenes()["test-environment"]
    ['2019']
    """
    found: dict[str, list[str]] = {name: [] for name in BUILT_IN}
    for file in sorted(_library().iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            found[file.name[:-5]] = list(json.loads(file.read_text("utf-8")).get("variants", {}))
    return dict(sorted(found.items()))


def _library() -> Any:
    return resources.files("noctule.worlds") / "library"


def load_scene(
    source: str | PathLike[str],
    variant: str | None = None,
    frame: float | None = None,
    max_cells: int = MAX_CELLS,
) -> Scene:
    """Read a scene by name or from a file; `Scene.load` describes the parameters."""
    name = fspath(source)
    if name in BUILT_IN:
        if variant is not None:
            raise ValueError(f"variant is {variant!r}; {name} has none")
        scene = BUILT_IN[name].make(1)
        check_size(name, "cells", math.prod(scene.space.cells), max_cells)
        return scene
    if name in scenes():
        text = (_library() / f"{name}.json").read_text("utf-8")
    elif File(name).suffix == ".json" or File(name).is_file():
        text = read_text(name, max_cells // 4)
    else:
        raise ValueError(
            f"scene is {name!r}; expected one of {', '.join(scenes())}, or a .json file"
        )
    with reading(name, "JSON"):
        data = json.loads(text)
    try:
        with reading(name, "a scene"):
            scene = read_scene(data, File(name).stem, variant, frame)
    except FileError as problem:
        if isinstance(problem.__cause__, EntryError):  # its message has the place in the file
            raise FileError(f"{name}: {problem.__cause__}") from None
        raise
    check_size(name, "cells", math.prod(scene.space.cells), max_cells)
    return scene


def read_scene(
    data: Any, name: str = "scene", variant: str | None = None, frame: float | None = None
) -> Scene:
    """Build a scene from the content of a file."""
    root = Entry(data, "").object(
        "space",
        "agent",
        "destination",
        "obstacles",
        "zones",
        "hulls",
        "variants",
        "patrol_targets",
        "planner_defaults",
    )
    if variant is not None:
        root = _varied(root, variant)
        name = f"{name} ({variant})"
    reader = SceneReader(root, frame)
    try:
        return Scene(
            reader.space(root["space"]),
            reader.agent(root["agent"]) if root.has("agent") else None,
            reader.destination(root["destination"]) if root.has("destination") else None,
            [reader.body(entry) for entry in root["obstacles"].items()],
            name,
            [reader.zone(entry) for entry in root["zones"].items()] if root.has("zones") else (),
        )
    except EntryError:
        raise
    except ValueError as problem:  # found only in the complete scene
        raise EntryError(str(problem)) from None


def _varied(root: Entry, variant: str) -> Entry:
    """Return the content of a file with a variant applied; bodies are matched by name."""
    root = Entry(copy.deepcopy(root.value), "")
    variants = root["variants"].any_object().value if root.has("variants") else {}
    if variant not in variants:
        known = ", ".join(variants) if variants else "none"
        raise EntryError(f"variants: there is no {variant!r}; available: {known}")
    over = Entry(variants[variant], f"variants.{variant}").any_object()
    parts = {key: over.value.pop(key, {}) for key in ("obstacles", "zones")}
    _lay_over(root.value, over.value)
    for key, changed in parts.items():
        bodies = Entry(changed, f"{over.place}.{key}").any_object()
        listed = root[key].items() if root.has(key) else []
        named = {body["name"].text(): body for body in listed}
        for name in bodies.value:
            changes = bodies[name].any_object()
            if name not in named:
                raise EntryError(f"{changes.place}: there is no body of this name")
            changes.value.pop("live_update_uses", None)
            _lay_over(named[name].value, changes.value)
    return root


def _lay_over(data: dict[str, Any], over: dict[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(data.get(key), dict):
            _lay_over(data[key], value)
        else:
            data[key] = value
