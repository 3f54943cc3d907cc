"""Scenes: the built-in one, files, adding and removing bodies."""

import copy
import json
import math
from importlib import resources
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import noctule as nt
from noctule.worlds.io.json_entry import EntryError
from noctule.worlds.io.scene_files import read_scene

PUBLISHED = Path(__file__).with_name("published-environment.json")
LIBRARY = resources.files("noctule.worlds") / "library"
SCHEMA = json.loads((resources.files("noctule.worlds") / "scene.schema.json").read_text())
SMALL = {
    "space": {"origin": [0, 0, 0], "cells": [8, 6, 4]},
    "agent": {"start": [1, 1, 1], "radius": 0.3, "speed": 2},
    "destination": {"start": [7, 5, 3], "radius": 0.3},
    "obstacles": [
        {
            "name": "lift",
            "shape": "box",
            "centre": [4, 3, 2],
            "size": [1, 2, 1],
            "motion": {"type": "patrol", "speed": 1, "points": [[4, 3, 0], [4, 3, 4]]},
        },
        {"name": "stone", "shape": "ball", "radius": 0.5, "centre": [2, 2, 2]},
        {"name": "wedge", "shape": "hull", "hull": "wedge", "centre": [6, 1, 1]},
        {
            "name": "rock",
            "shape": "hull",
            "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
            "centre": [5, 5, 1],
            "motion": {"type": "drift", "velocity": [0, 0, 1], "axis": [1, 0, 0], "rate_deg_s": 9},
        },
        {
            "name": "gate",
            "shape": "box",
            "centre": [4, 5, 2],
            "size": [1, 1, 1],
            "motion": {
                "type": "blink",
                "half_period_s": 2,
                "hold_box": {"centre": [4, 5, 2], "size": [3, 3, 3]},
            },
        },
        {
            "name": "bus",
            "shape": "ball",
            "radius": 0.2,
            "centre": [1, 5, 1],
            "motion": {"type": "way", "points": [[1, 5, 1], [2, 5, 1]], "speed": 1, "then": "back"},
        },
    ],
    "zones": [
        {"name": "mines", "shape": "ball", "radius": 1, "centre": [3, 3, 3], "cost": 20},
        {
            "name": "radar",
            "shape": "hull",
            "hull": "wedge",
            "centre": [6, 3, 1],
            "cost": 2.5,
            "colour": "red",
            "rotation_quat_xyzw": [0, 0, 1, 0],
            "motion": {"type": "drift", "velocity": [0, 1, 0]},
        },
    ],
    "hulls": {"wedge": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 1], [1, 0, 1]]}},
    "variants": {
        "slow": {
            "agent": {"speed": 1},
            "obstacles": {"lift": {"size": [2, 2, 2]}},
            "zones": {"mines": {"cost": 7}},
        }
    },
}


def with_change(path, value):
    data = copy.deepcopy(SMALL)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return data


def test_shipped_scenes_fit_the_schema():
    names = [file.name for file in LIBRARY.iterdir() if file.name.endswith(".json")]
    assert "test-environment.json" in names
    for name in names:
        jsonschema.validate(json.loads((LIBRARY / name).read_text("utf-8")), SCHEMA)
    jsonschema.validate(SMALL, SCHEMA)
    jsonschema.validate(json.loads(PUBLISHED.read_text()), SCHEMA)


@pytest.mark.parametrize("year", ["2019", "2021"])
def test_the_shipped_scene_is_the_published_one(year):
    """Except for the hold box of gate-01, which the original lacks."""
    ours = nt.Scene.load(variant="2019" if year == "2019" else None)
    theirs = nt.Scene.load(PUBLISHED, variant=None if year == "2019" else "2021")
    assert (ours.space, ours.agent) == (theirs.space, theirs.agent)
    assert ours.destination.start == theirs.destination.start
    names = [body.name for body in theirs.bodies]
    assert [body.name for body in ours.bodies] == names
    for t in (0.0, 3.0, 7.7, 100.0):
        ours.move(t)
        theirs.move(t)
        np.testing.assert_array_equal(ours.poses(), theirs.poses())
        assert ours.destination.at(t) == theirs.destination.at(t)
    for a, b in zip(ours.bodies, theirs.bodies, strict=True):
        for one, two in zip((a.shape, *a.safety), (b.shape, *b.safety), strict=True):
            np.testing.assert_array_equal(one.vertices, two.vertices)
    assert ours["gate-01"].motion.hold_box is not None
    assert theirs["gate-01"].motion.hold_box is None


def test_modes_of_the_destination():
    scene = nt.Scene.load("test-environment")
    assert list(scene.destination.modes) == ["static", "vertical", "horizontal"]
    assert scene.destination.mode == "vertical"
    assert list(nt.Scene.load(variant="2019").destination.modes) == ["static", "vertical"]
    turns, period = scene.destination.modes["vertical"].turning_points(scene.destination.start)
    assert sorted(turns) == [pytest.approx((57.1, y, -1.7)) for y in (-3.5, 18.99)]
    assert period == pytest.approx(22.49)
    with pytest.raises(ValueError, match="this scene has static, vertical"):
        scene.destination_in_mode("diagonal")


def test_small_scene_and_its_variant():
    scene = read_scene(SMALL)
    assert [body.name for body in scene.bodies] == [b["name"] for b in SMALL["obstacles"]]
    scene.move(1.0)
    assert scene["lift"].position[2] == pytest.approx(1.0)
    assert [(zone.name, zone.cost) for zone in scene.zones] == [("mines", 20.0), ("radar", 2.5)]
    assert scene["radar"].position.tolist() == [6.0, 4.0, 1.0]
    slow = read_scene(SMALL, variant="slow")
    assert slow.agent.speed == 1.0
    assert slow["mines"].cost == 7.0
    assert slow["lift"].shape.reach == pytest.approx(math.sqrt(3))
    assert read_scene(SMALL)["lift"].shape.reach < 1.3  # the file itself was not changed


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["space"], None, "space: is missing"),
        (["space", "cells"], [4, 0, 4], "space.cells: is [4, 0, 4]; expected 3 whole numbers"),
        (["space", "cells"], [4, 4], "space.cells: is [4, 4]; expected 3 numbers"),
        (["space", "cell_size"], 0, "space.cell_size: is 0; expected a number above 0"),
        (["agent", "speed"], "fast", 'agent.speed: is "fast"; expected a number above 0'),
        (["agent", "start"], [1, 1, 99], "agent start (1, 1, 99) lies outside the space"),
        (["agent", "radius"], -1, "agent.radius: is -1; expected a number of at least 0"),
        (["agent", "wings"], 2, "agent.wings: unknown; allowed are start"),
        (["obstacles", 0, "motion", "type"], "dance", "expected one of none, patrol"),
        (["obstacles", 0, "motion", "speed"], 0, "obstacles[0].motion.speed: is 0"),
        (["obstacles", 0, "motion", "sped"], 1, "obstacles[0].motion.sped: unknown"),
        (["obstacles", 0, "motion", "points"], [], "a list of at least 1"),
        (["obstacles", 0, "size"], [1, -2, 1], "obstacles[0].size[1]: is -2"),
        (["obstacles", 0, "size"], None, "obstacles[0].size: is missing"),
        (["obstacles", 0, "rotation_quat_xyzw"], [0, 0, 0, 0], "length above 0"),
        (["obstacles", 1, "name"], "lift", "there is already a body 'lift'"),
        (["obstacles", 1, "shape"], "blob", "expected one of box, hull, ball"),
        (["obstacles", 1, "centre"], [1, 2, "x"], "obstacles[1].centre[2]: is"),
        (["obstacles", 2, "hull"], "cone", "expected one of wedge"),
        (["obstacles", 3, "vertices"], [[0, 0, 0]] * 4, "obstacles[3].vertices: 1 different"),
        (["obstacles", 3, "motion", "axis"], [0, 0, 0], "an axis with a length above 0"),
        (["obstacles", 4, "motion", "hold_box", "size"], [3, 0, 3], "hold_box.size[1]: is 0"),
        (["obstacles", 5, "motion", "then"], "jump", "expected one of again, back, stay"),
        (["destination", "modes"], {"up": {"points": [[0, 0, 0], [0, 1, 0]]}}, "speed: is missing"),
        (["destination", "mode"], "up", "expected one of static"),
        (["obstacles"], {}, "obstacles: is {}; expected a list"),
        (["zones", 0, "cost"], None, "zones[0].cost: is missing"),
        (["zones", 0, "cost"], 0.5, "zones[0].cost: is 0.5; expected a number of at least 1"),
        (["zones", 0, "cost"], -3, "zones[0].cost: is -3; expected a number of at least 1"),
        (["zones", 0, "cost"], 2e6, "zones[0].cost: is 2000000.0; expected a number from 1 to"),
        (["zones", 0, "safety"], {"boxes": []}, "zones[0].safety: unknown"),
        (["zones", 1, "name"], "lift", "there is already a body 'lift'"),
        (["zones"], 3, "zones: is 3; expected a list"),
    ],
)
def test_wrong_files_are_refused_with_the_place(path, value, message, tmp_path):
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(with_change(path, value)))
    with pytest.raises(nt.FileError) as error:
        nt.Scene.load(file)
    assert message in str(error.value)
    assert str(error.value).startswith(str(file))


def test_schema_and_loader_refuse_the_same_files():
    """For all faults that a schema can express."""
    for path, value in (
        (["space"], None),
        (["space", "cells"], [4, 4]),
        (["agent", "speed"], "fast"),
        (["agent", "wings"], 2),
        (["obstacles", 0, "motion", "type"], "dance"),
        (["obstacles", 0, "motion", "sped"], 1),
        (["obstacles", 0, "size"], None),
        (["obstacles", 1, "shape"], "blob"),
        (["obstacles"], {}),
        (["zones", 0, "cost"], None),
        (["zones", 0, "cost"], -3),
        (["zones", 0, "cost"], 2e6),
        (["zones", 1, "motion", "type"], "dance"),
        (["zones", 0, "radius"], None),
        (["zones", 0, "safety"], {"boxes": []}),
        (["zones"], 3),
    ):
        data = with_change(path, value)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data, SCHEMA)
        with pytest.raises(EntryError):
            read_scene(data)


def test_unknown_names():
    with pytest.raises(ValueError, match=r"expected one of .*, test-environment"):
        nt.Scene.load("tset-environment")
    with pytest.raises(nt.FileError, match="there is no '2020'; available: 2019"):
        nt.Scene.load("test-environment", "2020")
    with pytest.raises(OSError, match="nowhere"):
        nt.Scene.load("nowhere.json")


def test_not_json(tmp_path):
    (tmp_path / "x.json").write_text("{,}")
    with pytest.raises(nt.FileError, match="expected JSON"):
        nt.Scene.load(tmp_path / "x.json")


def test_bodies_are_added_and_removed():
    scene = read_scene(SMALL)
    crate = nt.Body("crate", nt.Box((1, 1, 1)), (3, 3, 3))
    scene.add(crate)
    assert scene["crate"] is crate
    with pytest.raises(ValueError, match="already a body 'crate'"):
        scene.add(nt.Body("crate", nt.Ball(1)))
    scene.remove("crate")
    with pytest.raises(ValueError, match="there is no body 'crate'"):
        scene.remove(crate)
    with pytest.raises(KeyError, match="no body 'crate'"):
        scene["crate"]
    scene.move(5.0)
    scene.add(nt.Body("late", nt.Ball(1), motion=lambda t: (t, 0, 0)))
    assert scene["late"].position.tolist() == [5.0, 0.0, 0.0]


def test_bad_poses_are_refused_and_nothing_moves():
    scene = read_scene(SMALL)
    scene.add(nt.Body("wild", nt.Ball(0.3), motion=lambda t: (1, 1, math.nan if t > 2 else 1)))
    scene.move(1.0)
    before = scene.poses()
    with pytest.raises(ValueError, match=r"returned .*nan.*expected a position of 3 numbers"):
        scene.move(3.0)
    np.testing.assert_array_equal(scene.poses(), before)
    assert scene.time == 1.0
    for pose in ((math.nan, 0, 0), (0, 0), "here"):
        with pytest.raises(ValueError, match="position"):
            scene["stone"].place(pose)
    with pytest.raises(ValueError, match="rotation"):
        scene["stone"].place((0, 0, 0), (0, 0, 0, 0))
    with pytest.raises(ValueError, match="t is nan"):
        scene.move(math.nan)
    np.testing.assert_array_equal(scene.poses(), before)


def test_a_space_of_zero_size_is_refused():
    with pytest.raises(ValueError, match="expected 3 whole numbers above 0"):
        nt.Space((0, 0, 0), (4, 0, 4))
    with pytest.raises(ValueError, match="cell is 0"):
        nt.Space((0, 0, 0), (4, 4, 4), 0)


def test_arrays_that_change_nothing_are_read_only():
    """`body.position[0] = 7` would be lost without a word."""
    scene = nt.Scene.load("test-environment")
    graph = nt.Waypoints(scene)
    scene.move(1.0)
    arrays = [graph.origin]
    for body in scene.bodies:
        arrays += [body.position, body.rotation, body.shape.vertices, body.shape.triangles]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 7
    ball = nt.Body("ball", nt.Ball(1), (1, 2, 3))
    assert (ball.position.tolist(), ball.rotation.tolist()) == ([1, 2, 3], [0, 0, 0, 1])
