"""Scene files: JSON, described in docs/scenes.md and by `scene.schema.json`.

What is wrong in a file is refused with its place, as in ``obstacles[3].motion.speed``.
"""

import copy
import json
from importlib import resources
from os import PathLike, fspath
from pathlib import Path as File
from typing import Any

from noctule.worlds.bodies import Body
from noctule.worlds.motions import Blink, Drift, Motion, Patrol, Still, Turn, Way
from noctule.worlds.rotations import IDENTITY
from noctule.worlds.scenes import Agent, Destination, Scene, Space
from noctule.worlds.shapes import Ball, Box, Hull, Shape

NOTES = ("about", "note", "notes", "certainty", "ideal_cycle", "checks", "units", "versions")
KINDS = {"static": "white", "patrol": "green", "turn_z": "red", "turn_x": "dark blue"}


class SceneError(ValueError):
    """A scene file that can't be read, with the place of the fault in it."""


class Entry:
    """A value of the file and its place in it."""

    def __init__(self, value: Any, place: str) -> None:
        self.value, self.place = value, place

    def fail(self, expected: str) -> SceneError:
        """An error that says what would be right."""
        shown = json.dumps(self.value)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return SceneError(f"{self.place or 'the file'}: is {shown}; expected {expected}")

    def has(self, key: str) -> bool:
        """Whether there is something under this key; null is nothing."""
        return self.value.get(key) is not None

    def object(self, *allowed: str) -> "Entry":
        """Itself, refused unless an object with no other keys than these and notes."""
        if not isinstance(self.value, dict):
            raise self.fail("an object")
        for key in self.value:
            if key not in allowed and key not in NOTES:
                place = f"{self.place}.{key}".lstrip(".")
                raise SceneError(f"{place}: unknown; allowed are {', '.join(allowed)}")
        return self

    def __getitem__(self, key: str) -> "Entry":
        place = f"{self.place}.{key}".lstrip(".")
        if key not in self.value:
            raise SceneError(f"{place}: is missing")
        return Entry(self.value[key], place)

    def items(self, at_least: int = 0) -> list["Entry"]:
        """The entries of a list."""
        if not isinstance(self.value, list) or len(self.value) < at_least:
            raise self.fail(f"a list of at least {at_least}" if at_least else "a list")
        return [Entry(item, f"{self.place}[{i}]") for i, item in enumerate(self.value)]

    def text(self, *allowed: str) -> str:
        """A text, one of those allowed if any are given."""
        if not isinstance(self.value, str) or (allowed and self.value not in allowed):
            raise self.fail("one of " + ", ".join(allowed) if allowed else "a text")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.fail("true or false")
        return self.value

    def number(self, above: float | None = None, at_least: float | None = None) -> float:
        """A finite number, above or at least a limit."""
        value, limit = self.value, ""
        right = isinstance(value, int | float) and not isinstance(value, bool)
        right = right and abs(value) < float("inf")
        if above is not None:
            limit, right = f" above {above:g}", right and value > above
        if at_least is not None:
            limit, right = f" of at least {at_least:g}", right and value >= at_least
        if not right:
            raise self.fail(f"a number{limit}")
        return float(value)

    def vector(self, n: int = 3, above: float | None = None) -> Any:
        """A list of `n` numbers."""
        if not isinstance(self.value, list) or len(self.value) != n:
            raise self.fail(f"{n} numbers")
        return tuple(item.number(above=above) for item in self.items())


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
    """A scene from what a file holds."""
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
    reader = _Reader(root, frame)
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
    """The file with one of its variants laid over it; bodies are matched by name."""
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


class _Reader:
    """Makes the parts of a scene from the entries of a file."""

    def __init__(self, root: Entry, frame: float | None) -> None:
        self._root, self._frame = root, frame
        self._home_first = True  # whether patrols begin and end a round at home
        if root.has("patrol_targets"):
            points = ("points", "points only (home is not a target)")
            self._home_first = root["patrol_targets"].text("home and points", *points) not in points

    def space(self, entry: Entry) -> Space:
        entry.object(
            "origin",
            "cells",
            "cell_size",
            "first_cell_centre",
            "far_corner",
            "cell_count",
            "neighbours",
            "blocked_rule",
            "point_to_cell_2019",
            "point_to_cell_2021",
            "if_blocked",
            "waypoint_bounds",
        )
        cells = entry["cells"].vector()
        if not all(n >= 1 and n == int(n) for n in cells):
            raise entry["cells"].fail("3 whole numbers of at least 1")
        size = entry["cell_size"].number(above=0) if entry.has("cell_size") else 1.0
        x, y, z = map(int, cells)
        return Space(entry["origin"].vector(), (x, y, z), size)

    def agent(self, entry: Entry) -> Agent:
        entry.object(
            "start",
            "radius",
            "speed",
            "clearance_radius",
            "node_reached_within",
            "start_cell_2019",
            "start_cell_2021",
            "touch_destination_at",
            "on_collision",
            "on_touch_destination",
        )
        return Agent(
            entry["start"].vector(), entry["radius"].number(at_least=0), entry["speed"].number(0)
        )

    def destination(self, entry: Entry) -> Destination:
        entry.object(
            "start",
            "radius",
            "speed",
            "arrive_within",
            "goal_cell_at_start_2019",
            "goal_cell_at_start_2021",
            "modes",
            "mode",
        )
        modes: dict[str, Motion] = {"static": Still()}
        if entry.has("modes"):
            listed = entry["modes"]
            for name in listed.object(
                *listed.value if isinstance(listed.value, dict) else ()
            ).value:
                if not listed.has(name):  # a variant took it away
                    continue
                points = [p.vector() for p in listed[name].object("points")["points"].items(1)]
                if len(points) > 1:
                    speed = entry["speed"].number(above=0)
                    near = entry["arrive_within"].number(at_least=0)
                    modes[name] = Patrol(points, speed, near, self._frame)
        mode = "static"
        if entry.has("mode"):
            mode = entry["mode"].text(*modes)
        elif "vertical" in modes:
            mode = "vertical"
        return Destination(entry["start"].vector(), entry["radius"].number(at_least=0), modes, mode)

    def body(self, entry: Entry) -> Body:
        entry.object(
            "name",
            "kind",
            "colour",
            "shape",
            "hull",
            "vertices",
            "radius",
            "centre",
            "size",
            "rotation_quat_xyzw",
            "motion",
            "safety",
        )
        name, kind = entry["name"].text(), "static"
        turned = IDENTITY
        if entry.has("rotation_quat_xyzw"):
            turned = entry["rotation_quat_xyzw"].vector(4)
            if sum(v * v for v in turned) < 1e-12:
                raise entry["rotation_quat_xyzw"].fail("a quaternion with a length above 0")
        motion = self.motion(entry["motion"]) if entry.has("motion") else Still()
        if entry.has("kind"):
            kind = entry["kind"].text()
        elif not isinstance(motion, Still):
            kind = type(motion).__name__.lower()
        colour = entry["colour"].text() if entry.has("colour") else KINDS.get(kind, "light blue")
        safety = []
        if entry.has("safety"):
            for box in entry["safety"].object("boxes")["boxes"].items():
                size = box.object("offset", "size")["size"].vector(above=0)
                offset = box["offset"].vector() if box.has("offset") else (0.0, 0.0, 0.0)
                safety.append(Box(size).shifted(offset))
        return Body(
            name, self.shape(entry), entry["centre"].vector(), turned, motion, safety, kind, colour
        )

    def shape(self, entry: Entry) -> Shape:
        kind = entry["shape"].text("box", "hull", "ball")
        if kind == "box":
            return Box(entry["size"].vector(above=0))
        if kind == "ball":
            return Ball(entry["radius"].number(above=0))
        source = entry
        if entry.has("hull"):
            hulls = self._root["hulls"]
            source = hulls[entry["hull"].text(*hulls.value)]
        vertices = source["vertices"]
        try:
            return Hull([vertex.vector() for vertex in vertices.items(4)])
        except SceneError:
            raise
        except ValueError as problem:
            raise SceneError(f"{vertices.place}: {problem}") from None

    def motion(self, entry: Entry) -> Motion:
        kind = entry.object(*entry.value if isinstance(entry.value, dict) else ())["type"].text(
            "none", "patrol", "turn", "blink", "drift", "way"
        )
        return getattr(self, f"_{kind}")(entry)

    def _none(self, entry: Entry) -> Motion:
        entry.object("type")
        return Still()

    def _patrol(self, entry: Entry) -> Motion:
        entry.object("type", "speed", "home", "points", "arrive_within")
        targets = [point.vector() for point in entry["points"].items(1)]
        if entry.has("home") and self._home_first:
            home = entry["home"].vector()
            targets = [home, *targets, home]
        near = entry["arrive_within"].number(at_least=0) if entry.has("arrive_within") else 0.5
        return Patrol(targets, entry["speed"].number(above=0), near, self._frame)

    def _turn(self, entry: Entry) -> Motion:
        entry.object("type", "axis", "axis_frame", "rate_deg_s", "angle_deg_at_start", "period_s")
        return Turn(self._axis(entry), entry["rate_deg_s"].number())

    def _axis(self, entry: Entry) -> Any:
        axis = entry["axis"].vector()
        if not any(axis):
            raise entry["axis"].fail("an axis with a length above 0")
        return axis

    def _blink(self, entry: Entry) -> Motion:
        entry.object("type", "half_period_s", "present_at_start", "hold_box")
        held = None
        if entry.has("hold_box"):
            box = entry["hold_box"].object("centre", "size")
            centre, size = box["centre"].vector(), box["size"].vector(above=0)
            low = [c - s / 2 for c, s in zip(centre, size, strict=True)]
            held = low, [c + s / 2 for c, s in zip(centre, size, strict=True)]
        present = entry["present_at_start"].flag() if entry.has("present_at_start") else True
        return Blink(entry["half_period_s"].number(above=0), present, held)

    def _drift(self, entry: Entry) -> Motion:
        entry.object("type", "velocity", "axis", "rate_deg_s")
        if not entry.has("rate_deg_s"):
            return Drift(entry["velocity"].vector())
        return Drift(entry["velocity"].vector(), self._axis(entry), entry["rate_deg_s"].number())

    def _way(self, entry: Entry) -> Motion:
        entry.object("type", "points", "speed", "then")
        points = [point.vector() for point in entry["points"].items(2)]
        then = entry["then"].text("again", "back", "stay") if entry.has("then") else "again"
        return Way(points, entry["speed"].number(above=0), then)
