"""MagicaVoxel files: .vox, with the models where its scene places them."""

import math
import os
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.files import MAX_CELLS, File, FileError, check_size, error_in, reading

Ints = NDArray[np.int64]
DEEPEST = 100  # nodes below one another


class Model(NamedTuple):
    """Voxels of one model."""

    size: Ints
    voxels: Ints


class Node(NamedTuple):
    """A node of the scene: where its children are, or which models it shows."""

    children: list[int]
    models: list[int]
    rotation: Ints
    translation: Ints


def read_vox(file: File, max_cells: int = MAX_CELLS) -> tuple[NDArray[np.bool_], Ints]:
    """Return which cells are solid, and the place of the first one, in voxels; z is up."""
    check_size(file, "bytes", os.stat(file).st_size, max_cells)
    with open(file, "rb") as stream:
        raw = stream.read()
    if raw[:4] != b"VOX " or len(raw) < 20:
        raise error_in(file, None, "a MagicaVoxel file, which begins with 'VOX '", repr(raw[:8]))
    models: list[Model] = []
    nodes: dict[int, Node] = {}
    with reading(file, "complete chunks of a MagicaVoxel file"):
        size: Ints | None = None
        for name, content in _chunks(raw):
            if name == b"SIZE":
                size = np.array(struct.unpack_from("<3i", content), np.int64)
            elif name == b"XYZI" and size is not None:
                models.append(_model(size, content))
            elif name in (b"nTRN", b"nGRP", b"nSHP"):
                number, node = _node(name, content)
                nodes[number] = node
        placed = list(_placed(nodes, models, 0, np.eye(3, dtype=np.int64), np.zeros(3, np.int64)))
    voxels = np.concatenate([np.empty((0, 3), np.int64), *placed])
    if not len(voxels):
        raise FileError(f"{os.fspath(file)}: it holds no voxel")
    low, shape = voxels.min(axis=0), np.ptp(voxels, axis=0) + 1
    check_size(file, "cells", math.prod(shape.tolist()), max_cells)
    blocked = np.zeros(tuple(shape), bool)
    blocked[tuple((voxels - low).T)] = True
    return blocked, low


def _chunks(raw: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the names and contents of the chunks within MAIN."""
    name, own, children = struct.unpack_from("<4s2i", raw, 8)
    if name != b"MAIN" or own < 0 or 20 + own + children != len(raw):
        raise ValueError(f"{len(raw)} bytes; its chunks take {20 + own + children}")
    at = 20 + own
    while at < len(raw):
        name, length, _ = struct.unpack_from("<4s2i", raw, at)
        if length < 0 or at + 12 + length > len(raw):
            raise ValueError(f"a chunk {name!r} of {length} bytes at {at}")
        yield name, raw[at + 12 : at + 12 + length]
        at += 12 + length


def _model(size: Ints, content: bytes) -> Model:
    (n,) = struct.unpack_from("<i", content)
    rows = np.frombuffer(content, np.uint8, 4 * n, 4).reshape(n, 4)[:, :3].astype(np.int64)
    if (rows >= size).any():
        raise ValueError("a voxel outside its model")
    return Model(size, rows)


class _Reader:
    """Numbers, texts and dicts of a chunk, one after another."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def int(self) -> Any:
        (value,) = struct.unpack_from("<i", self.content, self.at)
        self.at += 4
        return value

    def dict(self) -> dict[str, str]:
        return {self._text(): self._text() for _ in range(self.int())}

    def _text(self) -> str:
        n = self.int()
        if n < 0 or self.at + n > len(self.content):
            raise ValueError(f"a text of {n} bytes")
        self.at += n
        return self.content[self.at - n : self.at].decode("latin-1")


def _node(name: bytes, content: bytes) -> tuple[int, Node]:
    read = _Reader(content)
    number = read.int()
    read.dict()
    rotation, translation = np.eye(3, dtype=np.int64), np.zeros(3, np.int64)
    if name == b"nTRN":
        child, _, _, frames = read.int(), read.int(), read.int(), read.int()
        placed = read.dict() if frames else {}
        if "_t" in placed:
            translation = np.array([int(v) for v in placed["_t"].split()], np.int64)
        if "_r" in placed:
            rotation = _rotation(int(placed["_r"]))
        return number, Node([child], [], rotation, translation)
    found = []
    for _ in range(read.int()):
        found.append(read.int())
        if name == b"nSHP":
            read.dict()
    if name == b"nGRP":
        return number, Node(found, [], rotation, translation)
    return number, Node([], found, rotation, translation)


def _rotation(bits: int) -> Ints:
    """Return a matrix: bits 0-1 and 2-3 say where rows 1 and 2 are not zero, bits 4-6 the signs."""
    first, second = bits & 3, bits >> 2 & 3
    if first == second or 3 in (first, second):
        raise ValueError(f"rotation {bits}")
    matrix = np.zeros((3, 3), np.int64)
    for row, column in enumerate((first, second, 3 - first - second)):
        matrix[row, column] = -1 if bits >> 4 + row & 1 else 1
    return matrix


def _placed(
    nodes: dict[int, Node],
    models: list[Model],
    number: int,
    rotation: Ints,
    translation: Ints,
    depth: int = 0,
) -> Iterator[Ints]:
    """Yield the voxels of all models at their places; without a scene, each at its own origin."""
    if not nodes:
        yield from (model.voxels for model in models)
        return
    if depth > DEEPEST:
        raise ValueError(f"nodes more than {DEEPEST} deep")
    node = nodes[number]
    translation = rotation @ node.translation + translation
    rotation = rotation @ node.rotation
    for child in node.children:
        yield from _placed(nodes, models, child, rotation, translation, depth + 1)
    for i in node.models:
        # A model turns about its middle voxel; twice the place of a voxel's centre is whole.
        twice = 2 * models[i].voxels + 1 - 2 * (models[i].size // 2)
        yield (twice @ rotation.T) // 2 + translation
