"""Meshes, point clouds, MagicaVoxel and terrain: each as another reader or writer has it."""

import gzip
import struct

import numpy as np
import pytest

import noctule as nt

CLOUD = np.array([(0.1, 0.2, 0.3), (1.6, 0.2, 0.3), (0.1, 2.2, 0.9), (-0.4, 0.2, 0.3)])
HEADER = """# .PCD v0.7
VERSION 0.7
FIELDS {fields}
SIZE {size}
TYPE {type}
COUNT {count}
WIDTH 4
HEIGHT 1
VIEWPOINT 0 0 0 1 0 0 0
POINTS 4
DATA {data}
"""
ASCII = HEADER.format(
    fields="x y z", size="4 4 4", type="F F F", count="1 1 1", data="ascii"
) + "\n".join(" ".join(map(str, point)) for point in CLOUD)


def holds_the_cloud(grid):
    expected = nt.Grid.from_points(CLOUD, cell=0.5)
    return np.array_equal(grid.blocked, expected.blocked) and (grid.origin == expected.origin).all()


# ---------------------------------------------------------------------- point clouds


def test_text_clouds(tmp_path):
    texts = {
        "a.pcd": ASCII,
        "b.xyz": "# x y z\n" + "\n".join(" ".join(map(str, point)) for point in CLOUD),
        "c.xyz": "\n".join(",".join(map(str, [*point, 255, 0, 9])) for point in CLOUD),
        "d.xyz": "\n".join(" ".join(map(str, p)) for p in [*CLOUD, (np.nan, 0, 0)]),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        assert holds_the_cloud(nt.load_world(tmp_path / name, cell=0.5)), name
        assert holds_the_cloud(nt.load_world(tmp_path / f"{name}.gz", cell=0.5)), name


def test_binary_pcd(tmp_path):
    kind = [("rgb", "<u4"), ("x", "<f4"), ("n", "<f4", 3), ("y", "<f4"), ("z", "<f8")]
    rows = np.zeros(4, kind)
    rows["x"], rows["y"], rows["z"] = CLOUD.T
    head = HEADER.format(
        fields="rgb x n y z", size="4 4 4 4 8", type="U F F F F", count="1 1 3 1 1", data="binary"
    )
    (tmp_path / "a.pcd").write_bytes(head.encode() + rows.tobytes())
    assert holds_the_cloud(nt.load_world(tmp_path / "a.pcd", cell=0.5))


@pytest.mark.parametrize("suffix", [".las", ".laz"])
def test_las(tmp_path, suffix):
    laspy = pytest.importorskip("laspy", reason="the extra 'cloud' is not installed")
    cloud = laspy.create(point_format=3, file_version="1.2")
    cloud.header.scales = [0.001] * 3
    cloud.x, cloud.y, cloud.z = CLOUD.T
    cloud.write(str(tmp_path / f"a{suffix}"))
    assert holds_the_cloud(nt.load_world(tmp_path / f"a{suffix}", cell=0.5))


def test_published_clouds(data):
    file = data / "pointcloud" / "pillar.pcd.gz"
    grid = nt.load_world(file, cell=0.2)
    rows = gzip.decompress(file.read_bytes()).decode().split("DATA ascii\n")[1].split()
    points = np.array(rows, float).reshape(-1, 3)
    expected = np.zeros(grid.shape, bool)
    cells = np.floor((points - grid.origin) / 0.2 + 1e-9).astype(int)
    expected[tuple(cells.T)] = True
    assert np.array_equal(grid.blocked, expected)


# ---------------------------------------------------------------------- meshes


@pytest.fixture
def trimesh():
    return pytest.importorskip("trimesh", reason="the extra 'mesh' is not installed")


def shape(trimesh):
    mesh = trimesh.creation.icosphere(2, 1.3)
    mesh.apply_transform(trimesh.transformations.rotation_matrix(0.3, (1, 2, 3)))
    mesh.apply_scale((1, 2, 3))
    return mesh


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off", "glb", "3mf"])
@pytest.mark.parametrize("solid", [False, True])
def test_meshes(tmp_path, trimesh, suffix, solid):
    if suffix == "3mf":
        pytest.importorskip("lxml", reason="the extra 'mesh' is not installed")
    mesh = shape(trimesh)
    mesh.export(tmp_path / f"a.{suffix}")
    again = trimesh.load_mesh(tmp_path / f"a.{suffix}")
    options = {"scale": 1.0} if suffix == "3mf" else {}
    grid = nt.load_world(tmp_path / f"a.{suffix}", cell=0.25, solid=solid, up="z", **options)
    expected = nt.Grid.from_mesh(again, cell=0.25, solid=solid)
    assert np.array_equal(grid.blocked, expected.blocked)
    assert grid.origin.tolist() == expected.origin.tolist()


def test_gltf_has_y_up_and_3mf_millimetres(tmp_path, trimesh):
    pytest.importorskip("lxml", reason="the extra 'mesh' is not installed")
    box = trimesh.creation.box((1, 2, 4))
    box.export(tmp_path / "a.glb")
    assert nt.load_world(tmp_path / "a.glb", cell=0.5).shape == (2, 8, 4)
    assert nt.load_world(tmp_path / "a.glb", cell=0.5, up="z").shape == (2, 4, 8)
    box.export(tmp_path / "a.3mf")
    assert nt.load_world(tmp_path / "a.3mf", cell=0.0005).shape == (2, 4, 8)


def test_a_transform_moves_and_turns(tmp_path, trimesh):
    trimesh.creation.box((1, 2, 4)).export(tmp_path / "a.stl")
    matrix = [(0, -1, 0, 5), (1, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)]
    grid = nt.load_world(tmp_path / "a.stl", cell=0.5, transform=matrix, scale=2, margin=1)
    assert grid.origin.tolist() == [2, -2, -5]
    assert grid.shape == (12, 8, 20)


def test_scenes_place_their_parts(tmp_path, trimesh):
    scene = trimesh.Scene()
    for x in (0, 10):
        scene.add_geometry(trimesh.creation.box((1, 1, 1)), transform=[
            [1, 0, 0, x + 0.5], [0, 1, 0, 0.5], [0, 0, 1, 0.5], [0, 0, 0, 1],
        ])  # fmt: skip
    scene.export(tmp_path / "two.glb")
    grid = nt.load_world(tmp_path / "two.glb", cell=1.0, up="z", solid=True)
    assert grid.blocked[:, 0, 0].tolist() == [True] + [False] * 9 + [True]


def test_points_in_ply(tmp_path, trimesh):
    trimesh.PointCloud(CLOUD).export(tmp_path / "a.ply")
    assert holds_the_cloud(nt.load_world(tmp_path / "a.ply", cell=0.5))
    with pytest.raises(nt.FileError, match="solid is True, but it is not for what this file"):
        nt.load_world(tmp_path / "a.ply", cell=0.5, solid=True)


def test_a_published_mesh(data, trimesh):
    file = data / "mesh" / "meshFlat.stl"
    grid = nt.load_world(file, cell=0.1)
    mesh = trimesh.load_mesh(file)
    points, _ = trimesh.sample.sample_surface(mesh, 50_000, seed=0)
    cells = np.floor((points - grid.origin) / grid.cell).astype(int)
    assert grid.blocked[tuple(cells.T)].all()
    assert nt.load_world(file, cell=0.1, solid=True).blocked.sum() > 0


# ---------------------------------------------------------------------- MagicaVoxel


def chunk(name, content=b"", children=b""):
    return name + struct.pack("<2i", len(content), len(children)) + content + children


def model(size, voxels):
    rows = b"".join(bytes([*voxel, 1]) for voxel in voxels)
    return chunk(b"SIZE", struct.pack("<3i", *size)) + chunk(
        b"XYZI", struct.pack("<i", len(voxels)) + rows
    )


def text(value):
    return struct.pack("<i", len(value)) + value.encode()


def transform(number, child, **attributes):
    words = b"".join(text(f"_{key}") + text(value) for key, value in attributes.items())
    head = struct.pack("<2i", number, 0) + struct.pack("<4i", child, -1, -1, 1)
    return chunk(b"nTRN", head + struct.pack("<i", len(attributes)) + words)


def vox(folder, children, head=b"VOX \x96\x00\x00\x00"):
    (folder / "a.vox").write_bytes(head + chunk(b"MAIN", b"", children))
    return folder / "a.vox"


def test_vox(tmp_path):
    voxels = [(0, 0, 0), (2, 1, 4), (1, 1, 1)]
    grid = nt.load_world(vox(tmp_path, model((3, 2, 5), voxels)), cell=0.5)
    assert grid.shape == (3, 2, 5)
    assert np.argwhere(grid.blocked).tolist() == sorted(map(list, voxels))


def test_vox_scenes_turn_and_move_models(tmp_path):
    # Two copies of a bar of 3 x 1 x 1: one at its place, one turned by a quarter about z.
    bar = model((3, 1, 1), [(0, 0, 0), (1, 0, 0), (2, 0, 0)])
    group = chunk(b"nGRP", struct.pack("<3i", 1, 0, 2) + struct.pack("<2i", 2, 4))
    shapes = b"".join(chunk(b"nSHP", struct.pack("<5i", number, 0, 1, 0, 0)) for number in (3, 5))
    quarter = str(1 | 0 << 2 | 1 << 4)  # x of the world is -y of the model, y is x
    scene = transform(0, 1) + group + transform(2, 3, t="10 0 0") + shapes
    scene += transform(4, 5, t="0 20 0", r=quarter)
    grid = nt.load_world(vox(tmp_path, bar + scene))
    cells = {tuple(cell) for cell in (np.argwhere(grid.blocked) + grid.origin).astype(int)}
    along_x = {cell for cell in cells if cell[0] > 5}
    assert along_x == {(9, 0, 0), (10, 0, 0), (11, 0, 0)}
    assert {(y, z) for _, y, z in cells - along_x} == {(19, 0), (20, 0), (21, 0)}
    assert len({x for x, _, _ in cells - along_x}) == 1


# ---------------------------------------------------------------------- terrain


@pytest.fixture
def rasterio():
    return pytest.importorskip("rasterio", reason="the extra 'geo' is not installed")


def raster(rasterio, file, heights, crs="EPSG:32632", **options):
    how = {"driver": "GTiff", "count": 1, "dtype": "float32", "crs": crs} | options
    how |= {"width": heights.shape[1], "height": heights.shape[0]}
    place = {"transform": rasterio.transform.from_origin(500_000, 5_500_000, 2.0, 2.0)}
    with rasterio.open(file, "w", **place | how) as out:
        for band in range(how["count"]):
            out.write(heights.astype(how["dtype"]), band + 1)
    return file


def test_geotiff(tmp_path, rasterio):
    rows = np.array([(100.0, 101, 102), (104, -9999, 108)])  # north first
    file = raster(rasterio, tmp_path / "a.tif", rows, nodata=-9999)
    grid = nt.load_world(file, height=112)
    assert grid.cell == 2
    assert grid.origin.tolist() == [500_000, 5_499_996, 100]
    assert grid.shape == (3, 2, 6)
    assert grid.blocked.sum(axis=2).tolist() == [[2, 0], [6, 1], [4, 1]]
    assert nt.load_world(file, origin=(0, 0)).origin.tolist() == [0, 0, 100]


def test_degrees_are_refused(tmp_path, rasterio):
    file = raster(rasterio, tmp_path / "a.tif", np.zeros((2, 2)), crs="EPSG:4326")
    with pytest.raises(nt.FileError, match=r"pixels are in degrees .*gdalwarp"):
        nt.load_world(file)


def test_pictures_of_colours_are_refused(tmp_path, rasterio):
    file = raster(rasterio, tmp_path / "a.tif", np.zeros((2, 2)), count=3)
    with pytest.raises(nt.FileError, match="3 bands; expected one of heights"):
        nt.load_world(file)


def test_height_map_without_place(tmp_path, rasterio):
    values = np.array([(0, 50), (100, 200)], np.uint8)
    how = {"driver": "PNG", "dtype": "uint8", "crs": None, "transform": None}
    file = raster(rasterio, tmp_path / "a.png", values, **how)
    grid = nt.load_world(file, scale=0.02, height=5)
    assert grid.blocked.sum(axis=2).tolist() == [[2, 0], [4, 1]]


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.docx", b"", {}, r"expected a name that ends in one of .3dmap\[.gz\], .map"),
        ("a.stl.gz", b"", {}, "expected a name that ends in"),
        ("a.stl", b"solid x\nfacet", {"cell": 1}, "a.stl: "),
        ("a.stl", b"", {"cell": 1}, "a.stl: "),
        ("a.glb", b"glTF\x02\x00\x00\x00\xff\xff\xff\xff", {"cell": 1}, "expected a complete mesh"),
        ("a.obj", b"# nothing\n", {"cell": 1}, "a.obj: "),
        ("a.pcd", b"POINTS 4\n", {"cell": 1}, "a.pcd:2: expected a PCD header"),
        ("a.pcd", b"PK\x03\x04 zip\n", {"cell": 1}, "a.pcd:1: expected a line of a PCD header"),
        ("a.pcd", ASCII.replace("x y z", "x y w").encode(), {"cell": 1}, "fields x y w"),
        ("a.pcd", ASCII.replace("POINTS 4", "POINTS 5").encode(), {"cell": 1}, "4 of 5 points"),
        ("a.pcd", ASCII[:-40].replace("ascii", "binary").encode(), {"cell": 1}, "of 48 bytes"),
        ("a.pcd", ASCII.replace("ascii", "binary_compressed").encode(), {"cell": 1}, "allowed are"),
        ("a.pcd", ASCII.replace("POINTS 4", "POINTS 999999999").encode(), {"cell": 1}, "at most"),
        ("a.xyz", b"", {"cell": 1}, "no line of numbers"),
        ("a.xyz", b"1 2\n", {"cell": 1}, "lines that begin with three numbers"),
        ("a.xyz", b"nan nan nan\n", {"cell": 1}, "it holds no point"),
        ("a.xyz.gz", b"1 2 3", {"cell": 1}, "complete gzip data"),
        ("a.xyz", b"1 2 3\n9 9 9\n", {}, "cell is missing; the content measures 8 x 7 x 6"),
        ("a.xyz", b"1 2 3\n9e6 9 9\n", {"cell": 0.1}, "scale=0.001 if these are millimetres"),
        (
            "a.xyz",
            b"1 2 3\n9 9 9\n",
            {"cell": 1, "solid": True},
            "solid is True, but it is not for",
        ),
        ("a.xyz", b"1 2 3\n9 9 9\n", {"cell": 1, "up": "x"}, "up is 'x'; allowed are 'y' and 'z'"),
        ("a.xyz", b"1 2 3\n9 9 9\n", {"cell": 1, "scale": 0}, "scale is 0"),
        ("a.xyz", b"1 2 3\n9 9 9\n", {"cell": 1, "transform": [1]}, "transform has shape"),
        ("a.xyz", b"1 2 3\n9 9 9\n", {"cell": 1, "max_cells": 10}, "at most 10"),
        ("a.las", b"LASF", {"cell": 1}, "a complete .las or .laz file"),
        ("a.vox", b"hello", {}, "begins with 'VOX '"),
        ("a.vox", b"VOX \x96\0\0\0MAIN\0\0\0\0\xff\0\0\0", {}, "complete chunks"),
        ("a.vox", b"VOX \x96\0\0\0MAIN\0\0\0\0\0\0\0\0", {}, "it holds no voxel"),
        ("a.tif", b"II*\0", {}, "expected a raster of heights"),
    ],
)
def test_wrong_files(tmp_path, name, content, options, message):
    needs = {
        "stl": "trimesh",
        "glb": "trimesh",
        "obj": "trimesh",
        "las": "laspy",
        "tif": "rasterio",
    }
    if name[2:] in needs:
        pytest.importorskip(needs[name[2:]], reason="the extra that reads it is not installed")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message) as problem:
        nt.load_world(tmp_path / name, **options)
    if "it is not for" not in message:
        assert isinstance(problem.value, nt.FileError)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("a.stl", "trimesh", "mesh"), ("a.laz", "laspy", "cloud"), ("a.tif", "rasterio", "geo")],
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, name, package, extra):
    (tmp_path / name).write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(
        ModuleNotFoundError, match=rf"need {package}: pip install 'noctule\[{extra}\]'"
    ):
        nt.load_world(tmp_path / name, cell=1.0)
