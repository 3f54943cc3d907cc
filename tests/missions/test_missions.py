"""Missions, read back by other people's readers, and by `load_mission`."""

import csv
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import noctule as nt
from noctule.cli import main
from noctule.missions.geodesy import Home
from noctule.missions.load import READABLE, load_mission
from noctule.missions.save import SUFFIXES

HOME = (48.137, 11.575, 520.0)
HEADING = 25.0
A_MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def path():
    blocked = np.zeros((20, 16, 8), bool)
    blocked[8:10, :12, :6] = True
    world = nt.Grid(blocked, cell=2.0, origin=(-20, -16, 0))
    found = nt.plan(world, (-17.3, -12.1, 4.2), (15.5, -11, 9), radius=0.7)
    assert len(found.points) > 2
    return found


@pytest.fixture
def save(path, tmp_path):
    def save(suffix, **options):
        file = tmp_path / f"path{suffix}"
        path.save(file, **{"home": HOME, "heading": HEADING} | options)
        return file

    return save


def metres_from(path, places):
    """Return the largest distance of places on earth from the path, on an ellipsoid of ours."""
    worst = 0.0
    for point, (latitude, longitude, altitude) in zip(path.points, places, strict=True):
        turn = np.radians(HEADING)
        east = np.cos(turn) * point[0] + np.sin(turn) * point[1]
        north = np.cos(turn) * point[1] - np.sin(turn) * point[0]
        sine = np.sin(np.radians(HOME[0]))
        squared, equator = 6.69437999014e-3, 6378137.0
        across = equator / np.sqrt(1 - squared * sine**2)
        along = across * (1 - squared) / (1 - squared * sine**2)
        there = (
            np.radians(longitude - HOME[1]) * (across + HOME[2]) * np.cos(np.radians(HOME[0])),
            np.radians(latitude - HOME[0]) * (along + HOME[2]),
            altitude - HOME[2],
        )
        worst = max(worst, float(np.abs(np.subtract(there, (east, north, point[2]))).max()))
    return worst


def test_places_on_earth(path):
    home = Home(*HOME, HEADING)
    assert metres_from(path, home.to_earth(path.points)) < A_MILLIMETRE
    rng = np.random.default_rng(1)
    points = rng.uniform(-20_000, 20_000, (50, 3))
    for place in [(0.0, 0.0, 0.0), (-89.0, 179.9, 100.0), (70.0, -180.0, -50.0), HOME]:
        home = Home(*place, rng.uniform(-180, 180))
        assert np.abs(home.to_world(home.to_earth(points)) - points).max() < 1e-7


@pytest.mark.parametrize("suffix", READABLE)
def test_our_reader_finds_the_same_points(path, save, tmp_path, suffix):
    if suffix == ".json":
        file = tmp_path / "path.json"
        file.write_text(json.dumps(path.to_dict()))
    else:
        file = save(suffix)
    points = load_mission(file, HOME, HEADING)
    error = 1e-4 if suffix == ".waypoints" else 1e-8
    assert np.abs(points - path.points).max() < error


@pytest.mark.parametrize("altitude", ["relative", "absolute"])
@pytest.mark.parametrize("speed", [None, 3.5])
def test_waypoints_as_pymavlink_reads_them(path, save, altitude, speed):
    mavwp = pytest.importorskip("pymavlink.mavwp", reason="pymavlink is the other reader")
    loader = mavwp.MAVWPLoader()
    loader.load(str(save(".waypoints", altitude=altitude, speed=speed)))
    items = [loader.item(i) for i in range(loader.count())]
    assert (items[0].x, items[0].y, items[0].z) == HOME
    assert items[0].current == 1
    points = [item for item in items[1:] if item.command == 16]
    zero = HOME[2] if altitude == "relative" else 0
    assert {item.frame for item in points} == {3 if zero else 0}
    assert metres_from(path, [(p.x, p.y, p.z + zero) for p in points]) < A_MILLIMETRE
    speeds = [item for item in items if item.command == 178]
    assert [(item.param1, item.param2) for item in speeds] == ([(1, 3.5)] if speed else [])


# The published structure of a .plan file: QGroundControl's developer guide, "Plan File Format".
PLAN = {
    "type": "object",
    "required": ["fileType", "version", "groundStation", "mission", "geoFence", "rallyPoints"],
    "properties": {
        "fileType": {"const": "Plan"},
        "version": {"const": 1},
        "geoFence": {"required": ["version", "circles", "polygons"]},
        "rallyPoints": {"required": ["version", "points"]},
        "mission": {
            "required": [
                "version", "firmwareType", "vehicleType", "globalPlanAltitudeMode",
                "cruiseSpeed", "hoverSpeed", "plannedHomePosition", "items",
            ],
            "properties": {
                "version": {"const": 2},
                "plannedHomePosition": {"type": "array", "minItems": 3, "maxItems": 3},
                "items": {
                    "type": "array",
                    "items": {
                        "required": [
                            "type", "autoContinue", "command", "doJumpId", "frame", "params",
                        ],
                        "properties": {
                            "type": {"const": "SimpleItem"},
                            "command": {"type": "integer"},
                            "params": {"minItems": 7, "maxItems": 7,
                                       "items": {"type": ["number", "null"]}},
                        },
                    },
                },
            },
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("altitude", ["relative", "absolute"])
def test_plans_have_the_published_structure(path, save, altitude):
    jsonschema = pytest.importorskip("jsonschema")
    plan = json.loads(save(".plan", altitude=altitude, speed=2).read_text())
    jsonschema.validate(plan, PLAN)
    items = plan["mission"]["items"]
    assert [item["doJumpId"] for item in items] == list(range(1, len(path.points) + 2))
    assert items[0]["command"] == 178
    zero = HOME[2] if altitude == "relative" else 0
    places = [item["params"][4:] for item in items[1:]]
    assert metres_from(path, [(p, q, z + zero) for p, q, z in places]) < A_MILLIMETRE
    assert {item["AltitudeMode"] for item in items[1:]} == {1 if zero else 2}


def test_mcap_as_others_read_it(path, save):
    mcap = pytest.importorskip("mcap.reader", reason="mcap is the other reader")
    typesys = pytest.importorskip("rosbags.typesys", reason="the extra 'ros' is not installed")
    with open(save(".mcap", frame_id="odom"), "rb") as stream:
        ((schema, channel, message),) = mcap.make_reader(stream).iter_messages()
    assert schema.name == "nav_msgs/msg/Path"
    assert channel.topic == "/path"
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    found = store.deserialize_cdr(message.data, schema.name)
    assert found.header.frame_id == "odom"
    places = [pose.pose.position for pose in found.poses]
    assert [(p.x, p.y, p.z) for p in places] == [tuple(p) for p in path.points.tolist()]


def test_yaml(path, save):
    yaml = pytest.importorskip("yaml", reason="PyYAML is the other reader")
    found = yaml.safe_load(save(".yaml").read_text())
    places = [pose["pose"]["position"] for pose in found["poses"]]
    assert [[p["x"], p["y"], p["z"]] for p in places] == path.points.tolist()
    assert found["header"]["frame_id"] == "map"


def test_maps(path, save):
    line = json.loads(save(".geojson").read_text())["features"][0]["geometry"]
    assert line["type"] == "LineString"
    assert metres_from(path, [(q, p, z) for p, q, z in line["coordinates"]]) < A_MILLIMETRE
    space = {"k": "http://www.opengis.net/kml/2.2", "g": "http://www.topografix.com/GPX/1/1"}
    words = ET.parse(save(".kml")).find(".//k:coordinates", space).text.split()
    rows = [tuple(map(float, word.split(","))) for word in words]
    assert metres_from(path, [(q, p, z) for p, q, z in rows]) < A_MILLIMETRE
    route = ET.parse(save(".gpx")).findall(".//g:rtept", space)
    rows = [(p.get("lat"), p.get("lon"), p.find("g:ele", space).text) for p in route]
    assert metres_from(path, [tuple(map(float, row)) for row in rows]) < A_MILLIMETRE


def test_csv(path, save):
    with open(save(".csv", home=None), newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [[float(row[axis]) for axis in "xyz"] for row in rows] == path.points.tolist()
    assert "latitude" not in rows[0]


def test_glb_as_trimesh_reads_it(path, save):
    trimesh = pytest.importorskip("trimesh", reason="the extra 'mesh' is not installed")
    scene = trimesh.load_scene(save(".glb"))
    matrix, name = scene.graph[scene.graph.nodes_geometry[0]]
    line = scene.geometry[name]
    turned = path.points[:, [0, 2, 1]] * (1, 1, -1)
    pairs = np.concatenate([part.nodes for part in line.entities])
    ends = trimesh.transform_points(line.vertices, matrix)[pairs][::2]  # it joins the segments
    assert np.abs(ends - np.stack([turned[:-1], turned[1:]], axis=1)).max() < 1e-5


def test_ply_as_trimesh_reads_it(path, save):
    trimesh = pytest.importorskip("trimesh", reason="the extra 'mesh' is not installed")
    pytest.importorskip("scipy", reason="trimesh reads edges with SciPy, which is not installed")
    (shape,) = trimesh.load_scene(save(".ply")).geometry.values()
    assert np.abs(shape.vertices - path.points).max() < 1e-12


def test_y_up_is_turned(path, tmp_path):
    path.save(tmp_path / "a.csv", up="y")
    points = load_mission(tmp_path / "a.csv")
    assert np.array_equal(points, path.points[:, [0, 2, 1]] * (1, -1, 1))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.txt", {}, "expected a name that ends in one of .plan, .waypoints"),
        ("a.plan", {"home": None}, "home is missing; .plan files need the latitude"),
        ("a.plan", {"home": (91, 0, 0)}, "home is 91, 0; expected a latitude"),
        ("a.plan", {"home": (1, 2)}, "home has shape"),
        ("a.plan", {"heading": float("nan")}, "heading is nan"),
        ("a.plan", {"altitude": "low"}, "altitude is 'low'; allowed are"),
        ("a.plan", {"speed": 0}, "speed is 0"),
        ("a.csv", {"up": "x"}, "up is 'x'"),
    ],
)
def test_wrong_options(path, tmp_path, name, options, message):
    with pytest.raises(ValueError, match=message):
        path.save(tmp_path / name, **{"home": HOME} | options)
    assert not list(tmp_path.iterdir())


def test_no_path_is_not_saved(tmp_path):
    grid = nt.Grid([[False, True, False]])
    path = nt.plan(grid, (0.5, 0.5), (0.5, 2.5))
    with pytest.raises(ValueError, match="there is no path to save"):
        path.save(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.xml", "", "expected a name that ends in one of .plan"),
        ("a.plan", "{}", "fileType None"),
        ("a.plan", "not json", "expected a complete .plan file"),
        ("a.waypoints", "QGC WPL 120\n", "a first line 'QGC WPL 120'"),
        ("a.waypoints", "QGC WPL 110\n0 1 2\n", "a line of 3 numbers"),
        ("a.waypoints", "QGC WPL 110\n0 1 0 16 0 0 0 0 48 11 500 1\n", "no points"),
        ("a.csv", "", "no row"),
        ("a.csv", "x,y,z\n1,2,nan\n", "points that are not finite"),
        ("a.gpx", "<!DOCTYPE a><gpx/>", "a document type"),
        ("a.kml", "<kml>", "expected a complete .kml file"),
        ("a.geojson", '{"type": "FeatureCollection", "features": []}', "0 lines, not one"),
    ],
)
def test_wrong_files(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(nt.FileError, match=message):
        load_mission(tmp_path / name, HOME)


# ---------------------------------------------------------------------- the commands


@pytest.fixture
def house(tmp_path):
    blocked = np.zeros((20, 12, 6), bool)
    blocked[9, :8] = True
    np.save(tmp_path / "house.npy", blocked)
    return tmp_path


def run(capsys, *words):
    code = main([*map(str, words)])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("up", ["y", "z"])
def test_plan_saves_and_verify_proves(house, capsys, suffix, up):
    if suffix == ".mcap":
        pytest.importorskip("rosbags", reason="the extra 'ros' is not installed")
    world = [house / "house.npy", "--cell", "0.5", "--up", up, "--home", "48.1,11.5,520"]
    file = house / f"path{suffix}"
    points = ["1,1,1", "9,1,1", "--radius", "0.4", "--out", file]
    code, out, err = run(capsys, "plan", world[0], *points, *world[1:])
    assert code == 0, err
    assert "Path saved" in out
    if suffix not in READABLE or (suffix == ".csv" and up == "y"):
        return
    code, out, _ = run(capsys, "verify", file, *world, "--radius", "0.4")
    assert code == 0, out
    code, out, _ = run(capsys, "verify", file, *world, "--radius", "0.45", "--json")
    assert code == 1
    assert json.loads(out)["violations"]


def test_verify_names_what_is_wrong(house, capsys):
    (house / "a.csv").write_text("x,y,z\n1,1,1\n99,1,1\n")
    code, out, _ = run(capsys, "verify", house / "a.csv", house / "house.npy", "--radius", "0.4")
    assert code == 1
    assert "point 1 at 99,1,1 is outside the world" in out
    (house / "a.csv").write_text("x,y\n1,1\n")
    code, _, err = run(capsys, "verify", house / "a.csv", house / "house.npy", "--radius", "0.4")
    assert code == 2
    assert "the world has 3 axes" in err


def test_files_that_cannot_be_saved_are_refused_first(house, capsys):
    words = "plan", house / "house.npy", "1,1,1", "9,1,1", "--out"
    code, _, err = run(capsys, *words, house / "a.doc")
    assert code == 2
    assert "--out" in err
    code, _, err = run(capsys, *words, house / "a.plan")
    assert code == 2
    assert "--home is missing" in err
