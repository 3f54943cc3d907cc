"""Scene files: JSON, described in docs/scenes.md and by `scene.schema.json`.

What is wrong in a file is refused with its place, as in ``obstacles[3].motion.speed``.
"""

import copy
import json
from importlib import resources
from os import PathLike, fspath
from pathlib import Path as File
from typing import Any

from noctule.worlds.io.json_entry import Entry, SceneError
from noctule.worlds.io.scene_reader import SceneReader
from noctule.worlds.scene import Scene


def scenes() -> dict[str, list[str]]:
    """The scenes that come with noctule, and the variants of each.

    >>> import noctule as nt
    >>> nt.scenes()["test-environment"]
    ['2019']
    """
    found = {}
    for file in sorted(_library().iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            found[file.name[:-5]] = list(json.loads(file.read_text("utf-8")).get("variants", {}))
    return found


def _library() -> Any:
    return resources.files("noctule.worlds") / "library"


def load_scene(
    source: str | PathLike[str], variant: str | None = None, frame: float | None = None
) -> Scene:
    """Read a scene by name or from a file."""
    name = fspath(source)
    if name in scenes():
        text = (_library() / f"{name}.json").read_text("utf-8")
    elif File(name).suffix == ".json" or File(name).is_file():
        text = File(name).read_text("utf-8")
    else:
        raise ValueError(
            f"scene is {name!r}; expected one of {', '.join(scenes())}, or a .json file"
        )
    try:
        data = json.loads(text)
    except ValueError as problem:
        raise SceneError(f"{name}: not JSON: {problem}") from None
    try:
        return read_scene(data, File(name).stem, variant, frame)
    except SceneError as problem:
        raise SceneError(f"{name}: {problem}") from None


def read_scene(
    data: Any, name: str = "scene", variant: str | None = None, frame: float | None = None
) -> Scene:
    """Make a scene from the content of a file."""
    root = Entry(data, "").object(
        "space",
        "agent",
        "destination",
        "obstacles",
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
            reader.agent(root["agent"]),
            reader.destination(root["destination"]),
            [reader.body(entry) for entry in root["obstacles"].items()],
            name,
        )
    except SceneError:
        raise
    except ValueError as problem:  # what only the scene as a whole can know
        raise SceneError(str(problem)) from None


def _varied(root: Entry, variant: str) -> Entry:
    """Apply one of its variants to a file; bodies are matched by name."""
    variants = root.value.get("variants", {})
    if variant not in variants:
        known = ", ".join(variants) if variants else "none"
        raise SceneError(f"variants: there is no {variant!r}; there are {known}")
    data = copy.deepcopy(root.value)
    over = copy.deepcopy(variants[variant])
    bodies = over.pop("obstacles", {})
    _lay_over(data, over)
    named = {body["name"]: body for body in data["obstacles"] if "name" in body}
    for name, changes in bodies.items():
        place = f"variants.{variant}.obstacles.{name}"
        if name not in named:
            raise SceneError(f"{place}: there is no body of this name")
        _lay_over(named[name], {k: v for k, v in changes.items() if k != "live_update_uses"})
    return Entry(data, "")


def _lay_over(data: dict[str, Any], over: dict[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(data.get(key), dict):
            _lay_over(data[key], value)
        else:
            data[key] = value
