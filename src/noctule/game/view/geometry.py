"""Meshes, points, lines and glowing discs for Panda3D, made of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import (
    CardMaker,
    ColorBlendAttrib,
    Geom,
    GeomLines,
    GeomNode,
    GeomPoints,
    GeomTriangles,
    GeomVertexData,
    GeomVertexFormat,
    NodePath,
    PNMImage,
    TransparencyAttrib,
)
from panda3d.core import Texture as PandaTexture

Array = NDArray[np.float64]
Colour = tuple[float, float, float, float]

GLOW_SIZE = 64  # pixels of the texture of a glow


def mesh(corners: Array, colours: Array, name: str = "mesh") -> Any:
    """Return triangles (n, 3, 3) with flat shading; colours (n, 4) are those of the triangles."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    layout = np.dtype([("p", "<f4", 3), ("n", "<f4", 3), ("c", "u1", 4)])
    rows = np.zeros(3 * len(corners), layout)
    rows["p"] = corners.reshape(-1, 3)
    rows["n"] = np.repeat(normals, 3, axis=0)
    rows["c"] = np.repeat(_bytes(colours), 3, axis=0)
    data = _vertices(rows, GeomVertexFormat.get_v3n3c4())
    triangles = GeomTriangles(Geom.UHStatic)
    triangles.addNextVertices(len(rows))
    return _node(data, triangles, name)


def points(places: Array, colour: Colour | Array, size: float, name: str = "points") -> Any:
    """Return points of a size in pixels, without light."""
    found = _flat(_coloured(places, colour), GeomPoints, name)
    found.setRenderModeThickness(size)
    return found


def lines(ends: Array, colour: Colour, width: float, name: str = "lines") -> Any:
    """Return segments: the points 0 and 1, 2 and 3, ... are joined."""
    found = _flat(_coloured(ends, colour), GeomLines, name)
    found.setRenderModeThickness(width)
    return found


def polyline(corners: Array) -> Array:
    """Return the ends of the segments of a polyline, for `lines`."""
    return np.repeat(corners, 2, axis=0)[1:-1]


def glow(colour: Colour, size: float) -> Any:
    """Return a disc of light that always faces the camera."""
    maker = CardMaker("glow")
    maker.setFrame(-0.5 * size, 0.5 * size, -0.5 * size, 0.5 * size)
    disc = NodePath(maker.generate())
    disc.setTexture(_glow_texture())
    disc.setColor(*colour)
    disc.setBillboardPointEye()
    disc.setLightOff()
    disc.setDepthWrite(False)
    disc.setBin("fixed", 10)
    disc.setAttrib(
        ColorBlendAttrib.make(
            ColorBlendAttrib.MAdd, ColorBlendAttrib.OIncomingAlpha, ColorBlendAttrib.OOne
        )
    )
    return disc


def see_through(node: Any) -> None:
    """Let a node be drawn with its alpha."""
    node.setTransparency(TransparencyAttrib.MAlpha)


_textures: dict[str, Any] = {}


def _glow_texture() -> Any:
    if "glow" not in _textures:
        image = PNMImage(GLOW_SIZE, GLOW_SIZE, 4)
        middle = 0.5 * (GLOW_SIZE - 1)
        for x in range(GLOW_SIZE):
            for y in range(GLOW_SIZE):
                far = min(np.hypot(x - middle, y - middle) / middle, 1.0)
                image.setXelA(x, y, 1.0, 1.0, 1.0, float((1.0 - far) ** 2))
        texture = PandaTexture("glow")
        texture.load(image)
        _textures["glow"] = texture
    return _textures["glow"]


def _coloured(places: Array, colour: Colour | Array) -> NDArray[np.void]:
    layout = np.dtype([("p", "<f4", 3), ("c", "u1", 4)])
    rows = np.zeros(len(places), layout)
    rows["p"] = places
    rows["c"] = _bytes(np.broadcast_to(np.asarray(colour, np.float64), (len(places), 4)))
    return rows


def _flat(rows: NDArray[np.void], kind: Any, name: str) -> Any:
    data = _vertices(rows, GeomVertexFormat.get_v3c4())
    primitive = kind(Geom.UHStatic)
    if len(rows):
        primitive.addNextVertices(len(rows))
    found = _node(data, primitive, name)
    found.setLightOff()
    return found


def _vertices(rows: NDArray[np.void], layout: Any) -> Any:
    data = GeomVertexData("vertices", layout, Geom.UHStatic)
    data.uncleanSetNumRows(len(rows))
    data.modifyArrayHandle(0).copyDataFrom(rows.tobytes())
    return data


def _node(data: Any, primitive: Any, name: str) -> Any:
    geom = Geom(data)
    geom.addPrimitive(primitive)
    node = GeomNode(name)
    node.addGeom(geom)
    return NodePath(node)


def _bytes(colours: Array) -> NDArray[np.uint8]:
    """Return colours from 0 to 1 as bytes."""
    found: NDArray[np.uint8] = (255.0 * np.clip(colours, 0.0, 1.0)).astype(np.uint8)
    return found
