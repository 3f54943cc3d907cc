"""`load_world`: a grid from any file that holds a world."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from noctule.core.validation import PointLike
from noctule.files import MAX_CELLS, File, FileError, error_in
from noctule.graphs.grid.grid import Grid
from noctule.worlds.formats.clouds import read_cloud
from noctule.worlds.formats.heights import read_heights
from noctule.worlds.formats.magica_voxel import read_vox
from noctule.worlds.formats.meshes import read_mesh
from noctule.worlds.formats.octomap import read_octomap
from noctule.worlds.io.maps import load_map
from noctule.worlds.voxels.frame import turned
from noctule.worlds.voxels.solids import (
    Voxels,
    voxels_of_heights,
    voxels_of_mesh,
    voxels_of_points,
)

MAPS = (".3dmap", ".map", ".npy", ".npz")
MESHES = (".stl", ".obj", ".ply", ".glb", ".gltf", ".off", ".3mf")
CLOUDS = (".pcd", ".xyz", ".las", ".laz")
OCTOMAPS = (".bt", ".ot")
VOXELS = (".vox",)
RASTERS = (".tif", ".tiff", ".asc", ".png")
COMPRESSED = (".3dmap", ".map", ".pcd", ".xyz")  # may end in .gz, too
SUFFIXES = MAPS + MESHES + CLOUDS + OCTOMAPS + VOXELS + RASTERS

PLACED = frozenset({"up", "scale", "transform", "margin", "bounds"})
OF_MESHES = PLACED | {"solid"}
OF_POINTS = PLACED | {"min_points", "point_radius"}
AT_ORIGIN = frozenset({"origin"})
ALLOWED = {
    **dict.fromkeys(MAPS, AT_ORIGIN),
    **dict.fromkeys(MESHES, OF_MESHES),
    **dict.fromkeys(CLOUDS, OF_POINTS),
    **dict.fromkeys(OCTOMAPS, frozenset({"unknown", "bounds"})),
    **dict.fromkeys(VOXELS, AT_ORIGIN),
    **dict.fromkeys(RASTERS, AT_ORIGIN | {"scale", "height"}),
    ".ply": OF_MESHES | OF_POINTS,
}


def load_world(
    file: File,
    cell: float | None = None,
    *,
    solid: bool | None = None,
    unknown: Literal["free", "solid"] | float | None = None,
    min_points: int | None = None,
    point_radius: float | None = None,
    up: Literal["y", "z"] | None = None,
    scale: float | None = None,
    transform: ArrayLike | None = None,
    margin: float | None = None,
    bounds: ArrayLike | None = None,
    origin: PointLike | None = None,
    height: float | None = None,
    neighbours: int | None = None,
    nodes: Literal["centres", "corners"] = "centres",
    max_cells: int = MAX_CELLS,
) -> Grid:
    """Load a world of cells from a file of another program.

    Meshes (``.stl .obj .ply .glb .gltf .off .3mf``), point clouds (``.pcd .xyz .las .laz``, and
    ``.ply`` without triangles), OctoMaps (``.bt .ot``), MagicaVoxel (``.vox``), terrain and height
    maps (``.tif .asc .png``), and what `load_map` reads. In the result z is up, except for maps and
    arrays, which stay as they are.

    Parameters
    ----------
    file : path
        The file. The text formats, and ``.pcd``, may end in ``.gz``.
    cell : float, optional
        Edge length of a cell in world units. Necessary for meshes and point clouds; unless given,
        OctoMaps and terrain have cells as in the file, and others cells of 1.
    solid : bool, optional
        Meshes: whether the inside of a closed mesh is solid, too.
    unknown : "free", "solid" or float, optional
        OctoMaps: what unknown cells are; "solid" unless given. A number is their cost.
    min_points, point_radius : int, float, optional
        Point clouds: as in `Grid.from_points`.
    up : "y" or "z", optional
        Meshes and clouds: the axis of the file that points up. Unless given, y for ``.glb`` and
        ``.gltf``, else z. With y, (x, y, z) becomes (x, -z, y).
    scale : float, optional
        World units for one unit of the file: 0.001 for a file in millimetres. Unless given, what
        makes metres of the unit that a ``.3mf`` file states, else 1. For terrain, of heights only.
    transform : float array (4, 4), optional
        Meshes and clouds: where the points of the file are, applied after `up` and `scale`.
    margin : float, optional
        Meshes and clouds: free room around, in world units.
    bounds : two points, optional
        Meshes, clouds, OctoMaps: low and high corner of the part to load.
    origin : sequence of float, optional
        Maps, arrays, ``.vox`` and terrain: the low corner in world units.
    height : float, optional
        Terrain: top of the world; unless given, ten cells above the highest ground.
    neighbours, nodes : int, "centres" or "corners"
        As in `Grid`.
    max_cells : int
        Limit of the number of cells, and of the bytes of the file.

    Returns
    -------
    Grid
        The world.

    Raises
    ------
    FileError
        If the content violates the format, is empty or too large, or the suffix is unknown.
    ModuleNotFoundError
        If a package that reads such files is missing; the message names the command to install it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import noctule as nt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "scan.xyz")
    ...     _ = file.write_text("0.1 0.1 0.1\\n1.4 0.2 0.3\\n")
    ...     nt.load_world(file, cell=0.5).blocked.tolist()
    [[[True]], [[False]], [[True]]]
    """
    given = {
        "solid": solid,
        "unknown": unknown,
        "min_points": min_points,
        "point_radius": point_radius,
        "up": up,
        "scale": scale,
        "transform": transform,
        "margin": margin,
        "bounds": bounds,
        "origin": origin,
        "height": height,
    }
    options = {name: value for name, value in given.items() if value is not None}
    suffix = world_suffix(file)
    for name in options.keys() - ALLOWED[suffix]:
        takers = ", ".join(end for end in SUFFIXES if name in ALLOWED[end])
        raise ValueError(f"{name} is {given[name]!r}, but it is not for {suffix}; for {takers}")
    read = next(reader for ends, reader in READERS if suffix in ends)
    try:
        found = read(file, suffix, cell, options, max_cells)
    except FileError:
        raise
    except ValueError as problem:
        raise FileError(f"{os.fspath(file)}: {problem}") from problem
    return Grid(found.blocked, found.cell, found.origin, neighbours, nodes, found.cost)


def world_suffix(file: File) -> str:
    """Return the suffix of a file name, without ``.gz``; raise FileError unless it is known."""
    name = os.path.basename(os.fspath(file))
    lowered = name.lower()
    plain = lowered.removesuffix(".gz")
    suffix = os.path.splitext(plain)[1]
    if suffix not in SUFFIXES or (plain != lowered and suffix not in COMPRESSED):
        allowed = ", ".join(
            f"{end}[.gz]" if end in COMPRESSED else end for end in dict.fromkeys(SUFFIXES)
        )
        raise error_in(file, None, f"a name that ends in one of {allowed}", repr(name))
    return suffix


def up_of(file: File) -> str:
    """Return the axis that points up in a loaded world: y in maps and arrays, else z."""
    return "y" if world_suffix(file) in MAPS else "z"


def _map(file: File, _: str, cell: float | None, options: Any, most: int) -> Voxels:
    return Voxels(load_map(file, most), 1.0 if cell is None else cell, options.get("origin"))


def _mesh(file: File, suffix: str, cell: float | None, options: Any, most: int) -> Voxels:
    mesh = read_mesh(file, most)
    kind = OF_MESHES if len(mesh.faces) else OF_POINTS
    for name in options.keys() - kind:
        raise ValueError(f"{name} is {options[name]!r}, but it is not for what this file holds")
    up = options.pop("up", "y" if suffix in (".glb", ".gltf") else "z")
    scale = options.pop("scale", 1.0 if mesh.metres is None else mesh.metres)
    points = turned(mesh.vertices, up, scale, options.pop("transform", None))
    if not len(mesh.faces):
        return voxels_of_points(points, cell, **options, max_cells=most)
    return voxels_of_mesh(points, mesh.faces, cell, **options, max_cells=most)


def _cloud(file: File, suffix: str, cell: float | None, options: Any, most: int) -> Voxels:
    up, scale = options.pop("up", "z"), options.pop("scale", 1.0)
    points = turned(read_cloud(file, suffix, most), up, scale, options.pop("transform", None))
    return voxels_of_points(points, cell, **options, max_cells=most)


def _octomap(file: File, _: str, cell: float | None, options: Any, most: int) -> Voxels:
    return read_octomap(file, cell, options.get("unknown", "solid"), options.get("bounds"), most)


def _vox(file: File, _: str, cell: float | None, options: Any, most: int) -> Voxels:
    blocked, low = read_vox(file, most)
    size = 1.0 if cell is None else cell
    return Voxels(blocked, size, options.get("origin", low * size))


def _raster(file: File, _: str, cell: float | None, options: Any, most: int) -> Voxels:
    heights = read_heights(file, most)
    values = heights.values * options.get("scale", 1.0)
    origin = np.asarray(options.get("origin", heights.origin))[:2]
    return voxels_of_heights(
        values,
        heights.pixel,
        cell,
        origin=origin,
        height=options.get("height"),
        max_cells=most,
    )


READERS: tuple[tuple[tuple[str, ...], Callable[..., Voxels]], ...] = (
    (MAPS, _map),
    (MESHES, _mesh),
    (CLOUDS, _cloud),
    (OCTOMAPS, _octomap),
    (VOXELS, _vox),
    (RASTERS, _raster),
)
