"""Meshes, read by trimesh: .stl .obj .ply .glb .gltf .off .3mf."""

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.extras import require
from noctule.files import File, FileError, check_size, reading

METRES = {"millimeter": 1e-3, "centimeter": 1e-2, "meter": 1.0, "inch": 0.0254, "foot": 0.3048}


class MeshData(NamedTuple):
    """What a mesh file holds: triangles, or only points."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    metres: float | None  # one unit of the file, if it states its unit


def read_mesh(file: File, max_bytes: int) -> MeshData:
    """Read all meshes of a file, placed as its scene says."""
    trimesh = require("trimesh", "mesh", "meshes")
    if os.fspath(file).lower().endswith(".3mf"):
        for package in ("networkx", "lxml"):
            require(package, "mesh", "3MF files")
    check_size(file, "bytes", os.stat(file).st_size, max_bytes)
    with reading(file, "a complete mesh"):
        scene = trimesh.load_scene(os.fspath(file))
        parts = scene.dump()
    meshes = [part for part in parts if len(getattr(part, "faces", ()))]
    if not meshes:
        points = [np.asarray(part.vertices) for part in parts if hasattr(part, "vertices")]
        return MeshData(_stacked(points), np.empty((0, 3), np.int64), _metres(scene))
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [np.asarray(mesh.faces) + n for mesh, n in zip(meshes, first, strict=False)]
    vertices = _stacked([np.asarray(mesh.vertices) for mesh in meshes])
    if not np.isfinite(vertices).all():
        raise FileError(f"{os.fspath(file)}: a vertex whose coordinates are not finite")
    return MeshData(vertices, np.concatenate(faces).astype(np.int64), _metres(scene))


def _stacked(points: list[Any]) -> NDArray[np.float64]:
    return np.concatenate([np.empty((0, 3)), *points]).astype(np.float64)


def _metres(scene: Any) -> float | None:
    return METRES.get(str(scene.units or "").removesuffix("s").replace("feet", "foot"))
