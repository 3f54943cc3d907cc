"""Convert the entries of a scene file to the parts of a scene."""

from typing import Any, Literal, cast

from noctule.core.validation import DEAREST
from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import IDENTITY
from noctule.worlds.io.json_entry import Entry, EntryError
from noctule.worlds.motions import Blink, Drift, Motion, Patrol, Still, Turn, Way
from noctule.worlds.scene import Agent, Destination
from noctule.worlds.shapes import Ball, Box, Hull, Shape
from noctule.worlds.space import Space
from noctule.worlds.zones import Zone

KINDS = {"static": "white", "patrol": "green", "turn_z": "red", "turn_x": "dark blue"}


class SceneReader:
    """Builds the parts of a scene from the entries of a file."""

    def __init__(self, root: Entry, frame: float | None) -> None:
        self._root, self._frame = root, frame
        self._home_first = True  # whether home is the first and last target of a patrol
        if root.has("patrol_targets"):
            points = ("points", "points only (home is not a target)")
            self._home_first = root["patrol_targets"].text("home and points", *points) not in points

    def space(self, entry: Entry) -> Space:
        """Read the box of the world and its cells."""
        entry.object(
            "origin",
            "cells",
            "cell_size",
            "up",
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
        up = entry["up"].text() if entry.has("up") else "y"
        if up not in ("y", "z"):
            raise entry["up"].fail("'y' or 'z'")
        x, y, z = map(int, cells)
        return Space(entry["origin"].vector(), (x, y, z), size, cast(Literal["y", "z"], up))

    def agent(self, entry: Entry) -> Agent:
        """Read the agent."""
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
        """Read the destination and its motion."""
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
            for name in listed.any_object().value:
                if not listed.has(name):  # a variant removed it
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
        """Read an obstacle."""
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
        turned, motion = self._pose(entry)
        kind = "static"
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
        name, centre = entry["name"].text(), entry["centre"].vector()
        return Body(name, self.shape(entry), centre, turned, motion, safety, kind, colour)

    def zone(self, entry: Entry) -> Zone:
        """Read a zone."""
        entry.object(
            "name",
            "kind",
            "colour",
            "cost",
            "shape",
            "hull",
            "vertices",
            "radius",
            "centre",
            "size",
            "rotation_quat_xyzw",
            "motion",
        )
        turned, motion = self._pose(entry)
        cost = entry["cost"].number(at_least=1)
        if cost > DEAREST:
            raise entry["cost"].fail(f"a number from 1 to {DEAREST:,.0f}")
        name, centre = entry["name"].text(), entry["centre"].vector()
        kind = entry["kind"].text() if entry.has("kind") else "zone"
        colour = entry["colour"].text() if entry.has("colour") else "orange"
        return Zone(name, self.shape(entry), cost, centre, turned, motion, kind, colour)

    def _pose(self, entry: Entry) -> tuple[Any, Motion]:
        """Read the rotation of a body at time 0, and its motion."""
        turned = IDENTITY
        if entry.has("rotation_quat_xyzw"):
            turned = entry["rotation_quat_xyzw"].vector(4)
            if sum(v * v for v in turned) < 1e-12:
                raise entry["rotation_quat_xyzw"].fail("a quaternion with a length above 0")
        return turned, self.motion(entry["motion"]) if entry.has("motion") else Still()

    def shape(self, entry: Entry) -> Shape:
        """Read the shape of a body."""
        kind = entry["shape"].text("box", "hull", "ball")
        if kind == "box":
            return Box(entry["size"].vector(above=0))
        if kind == "ball":
            return Ball(entry["radius"].number(above=0))
        source = entry
        if entry.has("hull"):
            hulls = self._root["hulls"].any_object()
            source = hulls[entry["hull"].text(*hulls.value)]
        vertices = source["vertices"]
        try:
            return Hull([vertex.vector() for vertex in vertices.items(4)])
        except EntryError:
            raise
        except ValueError as problem:
            raise EntryError(f"{vertices.place}: {problem}") from None

    def motion(self, entry: Entry) -> Motion:
        """Read the motion of a body."""
        kinds = ("none", "patrol", "turn", "blink", "drift", "way")
        kind = entry.any_object()["type"].text(*kinds)
        motion: Motion = getattr(self, f"_{kind}")(entry)
        return motion

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
