"""Read maps from files: voxel maps, 2D grid maps and NumPy arrays.

- ``.3dmap``: ``voxel X Y Z``, then one blocked voxel ``x y z`` per line, counted from 0; or
  ``rev_voxel X Y Z``, then the free ones.
- ``.map``: a 2D grid of characters, of which ``.``, ``G`` and ``S`` are free.
- ``.npy``, ``.npz``: an array of booleans, or of 0 and 1; true means blocked.

The text formats may be compressed, with ``.gz`` appended to the name.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from typing import IO
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from noctule.core.memory import reserve
from noctule.files import (
    MAX_CELLS,
    File,
    FileError,
    array_header,
    check_size,
    error_in,
    read_items,
    read_text,
    reading,
)

_WHOLE = re.compile(r"-?[0-9]{1,18}")  # 18 digits always fit into an int64
_SIDE = "(0*[1-9][0-9]{0,17})"
PART = 1 << 24  # items; size of the parts in which an array is read


def load_map(file: File, max_cells: int = MAX_CELLS) -> NDArray[np.bool_]:
    """Read the blocked cells of a map; the suffix of the name selects the format.

    Parameters
    ----------
    file : str or path
        From a ``.npz`` file the array named ``blocked`` is read, or its only array.
    max_cells : int
        Limit of the number of cells, and of the bytes of a text (a quarter of it for ``.3dmap``).

    Returns
    -------
    bool array
        C-ordered, true if blocked, indexed ``[x, y, z]`` or ``[x, y]``.
        In a ``.map`` file x is the column and y the row.

    Raises
    ------
    FileError
        If the content violates the format, the suffix is unknown, or the map is too large.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "room.3dmap")
    ...     _ = file.write_text("voxel 2 3 4\\n0 0 0\\n1 2 3\\n")
    ...     blocked = load_map(file)
    >>> blocked.shape, int(blocked.sum()), bool(blocked[1, 2, 3])
    ((2, 3, 4), 2, True)
    """
    suffix = suffix_of(file, text=(".3dmap", ".map"), binary=(".npy", ".npz"))
    if suffix == ".3dmap":
        return _voxels(file, read_text(file, max_cells // 4), max_cells)
    if suffix == ".map":
        return _grid(file, read_text(file, max_cells), max_cells)
    return _array(file, suffix, max_cells)


def quoted(text: str) -> str:
    """Return `text` in quotes, cut to 60 characters."""
    return repr(text if len(text) <= 60 else text[:57] + "...") if text else "an empty line"


def lines_in(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that are not blank, without leading blanks."""
    return re.finditer(r"\S[^\n]*", text)


def suffix_of(file: File, text: tuple[str, ...], binary: tuple[str, ...] = ()) -> str:
    """Return the suffix of a file name without ``.gz``; raise FileError unless it is allowed."""
    name = os.path.basename(os.fspath(file))
    for suffix in text + binary:
        if name.lower().endswith((suffix, suffix + ".gz") if suffix in text else suffix):
            return suffix
    allowed = ", ".join([f"{suffix}[.gz]" for suffix in text] + list(binary))
    raise error_in(file, None, f"a name that ends in one of {allowed}", repr(name))


def _voxels(file: File, text: str, max_cells: int) -> NDArray[np.bool_]:
    """Read the text of a ``.3dmap`` file."""
    heading, _, body = text.partition("\n")
    match = re.fullmatch(f"(rev_)?voxel {_SIDE} {_SIDE} {_SIDE}", " ".join(heading.split()))
    if match is None:
        raise error_in(file, 1, "'voxel X Y Z' or 'rev_voxel X Y Z'", quoted(heading))
    size = (int(match[2]), int(match[3]), int(match[4]))
    check_size(file, "cells", math.prod(size), max_cells)
    listed = match[1] is None
    try:
        blocked = reserve(size, bool, large=1 << 22) if listed else np.ones(size, bool)
    except (MemoryError, OSError, OverflowError, ValueError) as problem:
        raise error_in(file, 1, "a box that fits into memory", quoted(heading)) from problem
    voxels = _voxel_rows(file, body, size)
    blocked[voxels[:, 0], voxels[:, 1], voxels[:, 2]] = listed
    return blocked


def _voxel_rows(file: File, body: str, size: tuple[int, int, int]) -> NDArray[np.int64]:
    """Return the voxels listed in `body` as rows, each inside a box of `size`."""
    if not body.strip():
        return np.empty((0, 3), np.int64)
    rows = _plain_rows(body.encode())
    if rows is not None and (rows < size).all():
        return rows
    found = []  # this slow scan accepts the same texts, and reports the line with the error
    for line in lines_in(body):
        words = line[0].split()
        if len(words) != 3 or not all(_WHOLE.fullmatch(word) for word in words):
            number = 2 + body.count("\n", 0, line.start())
            raise error_in(file, number, "three whole numbers 'x y z'", quoted(line[0]))
        voxel = (int(words[0]), int(words[1]), int(words[2]))
        if not all(0 <= at < side for at, side in zip(voxel, size, strict=True)):
            number, box = 2 + body.count("\n", 0, line.start()), " x ".join(map(str, size))
            raise FileError(f"{os.fspath(file)}:{number}: voxel {voxel} lies outside the box {box}")
        found.append(voxel)
    return np.array(found, dtype=np.int64)


def _plain_rows(body: bytes) -> NDArray[np.int64] | None:
    """Read lines of three numbers, separated by one blank, in bulk; None for any other text."""
    between = body.translate(None, b"0123456789").removesuffix(b"\n") + b"\n"
    lines = len(between) // 3
    if between != b"  \n" * lines:
        return None
    numbers = np.fromstring(body, np.int64, sep=" ")  # one that is too large becomes the largest
    return numbers.reshape(-1, 3) if len(numbers) == 3 * lines else None


def _grid(file: File, text: str, max_cells: int) -> NDArray[np.bool_]:
    """Read the text of a ``.map`` file."""
    *lines, body = (text + 4 * "\n").split("\n", 4)
    forms = ["type octile", "height H", "width W", "map"]
    if lines[1].split()[:1] == ["width"]:
        forms[1:3] = forms[2], forms[1]
    sides = {}
    for number, (form, line) in enumerate(zip(forms, lines, strict=False), 1):
        match = re.fullmatch(re.sub("[HW]$", _SIDE, form), " ".join(line.split()))
        if match is None:
            raise error_in(file, number, f"'{form}'", quoted(line))
        if match.lastindex:
            sides[form[0]] = int(match[1])
    width, height = sides["w"], sides["h"]

    check_size(file, "cells", width * height, max_cells)
    body = body.rstrip("\n")
    rows = body.split("\n", height) if body else []
    for number, row in enumerate(rows[:height], 5):
        if len(row) != width:
            raise error_in(file, number, f"a row of {width} characters", len(row))
    if len(rows) != height:
        raise error_in(file, None, f"{height} rows", body.count("\n") + 1 if body else 0)
    codes = np.frombuffer("".join(rows).encode("utf-32-le"), dtype="<u4").reshape(height, width)
    return np.ascontiguousarray(~np.isin(codes, [ord(free) for free in ".GS"]).T)


def _array(file: File, suffix: str, max_cells: int) -> NDArray[np.bool_]:
    """Read a ``.npy`` or ``.npz`` file."""
    expected = "complete NumPy data without pickles"
    with open(file, "rb") as stream, reading(file, expected):
        if suffix == ".npy":
            return _cells(file, stream, max_cells)
        with ZipFile(stream) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
            if "blocked" not in names and len(names) != 1:
                raise error_in(file, None, "an array 'blocked' or a single array", names[:20])
            name = "blocked" if "blocked" in names else names[0]
            with archive.open(f"{name}.npy") as entry:
                return _cells(file, entry, max_cells)


def _cells(file: File, stream: IO[bytes], max_cells: int) -> NDArray[np.bool_]:
    """Read an array in parts: integers then need no more memory than booleans."""
    shape, fortran, dtype = array_header(stream)
    n = math.prod(shape)
    if len(shape) not in (2, 3) or n == 0:
        got = f"shape {shape}"
        raise error_in(file, None, "an array of 2 or 3 dimensions, none of them empty", got)
    if dtype.kind not in "biu":
        raise error_in(file, None, "booleans, or integers 0 and 1", f"dtype {dtype}")
    check_size(file, "cells", n, max_cells)
    blocked = np.empty(n, bool)
    for first in range(0, n, PART):
        part = read_items(stream, min(PART, n - first), dtype)
        if dtype.kind != "b" and (part.min() < 0 or part.max() > 1):
            got = f"values from {part.min()} to {part.max()}"
            raise error_in(file, None, "booleans, or integers 0 and 1", got)
        blocked[first : first + len(part)] = part.view(np.uint8) if dtype.kind == "b" else part
    return np.ascontiguousarray(blocked.reshape(shape, order="F" if fortran else "C"))
