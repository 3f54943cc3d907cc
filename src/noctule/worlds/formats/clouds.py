"""Point clouds: .pcd (text and binary), .xyz, and .las and .laz through laspy."""

import gzip
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.extras import require
from noctule.files import File, FileError, check_size, error_in, reading

Points = NDArray[np.float64]
PCD_LINES = {"version", "fields", "size", "type", "count", "width", "height", "viewpoint", "points"}


def read_cloud(file: File, suffix: str, max_bytes: int) -> Points:
    """Return the points of a cloud; those with coordinates that are no numbers are left out."""
    if suffix in (".las", ".laz"):
        points = _read_las(file, max_bytes)
    else:
        raw = _read_bytes(file, max_bytes)
        points = _read_pcd(file, raw, max_bytes) if suffix == ".pcd" else _read_xyz(file, raw)
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        raise FileError(f"{os.fspath(file)}: it holds no point")
    return points


def _read_bytes(file: File, most: int) -> bytes:
    with open(file, "rb") as stream:
        if not os.fspath(file).lower().endswith(".gz"):
            check_size(file, "bytes", os.fstat(stream.fileno()).st_size, most)
            return stream.read()
        try:
            raw = gzip.GzipFile(fileobj=stream).read(most + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
            raise error_in(file, None, "complete gzip data", problem) from problem
    check_size(file, "bytes unpacked", len(raw), most)
    return raw


def _read_xyz(file: File, raw: bytes) -> Points:
    """Read lines of x, y, z and further numbers, separated by blanks or commas."""
    with reading(file, "lines that begin with three numbers"):
        lines = raw.decode("utf-8-sig").replace(",", " ").splitlines()
        rows = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        if not rows:
            raise ValueError("no line of numbers")
        return np.loadtxt(rows, usecols=(0, 1, 2), ndmin=2)


def _read_pcd(file: File, raw: bytes, most: int) -> Points:
    """Read a file of the Point Cloud Library, version 0.7."""
    header: dict[str, list[str]] = {}
    at = number = 0
    while "data" not in header:
        end = raw.find(b"\n", at)
        if end < 0 or number > 100:
            raise error_in(file, number + 1, "a PCD header that ends in a line 'DATA ...'", "none")
        line, at, number = raw[at:end].decode("latin-1").split("#")[0], end + 1, number + 1
        words = line.split()
        if words:
            name = words[0].lower()
            if name not in PCD_LINES | {"data"}:
                raise error_in(file, number, "a line of a PCD header", repr(line[:60]))
            header[name] = words[1:]
    with reading(file, "a complete PCD file"):
        fields = [name.lower() for name in header["fields"]]
        if not {"x", "y", "z"} <= set(fields):
            raise ValueError(f"fields {' '.join(fields)}")
        counts = [int(n) for n in header.get("count", ["1"] * len(fields))]
        kinds = zip(header["type"], header["size"], strict=True)
        layout = [
            (f"{name}{i}", np.dtype(f"<{kind.lower()}{size}"), (n,))
            for i, (name, (kind, size), n) in enumerate(zip(fields, kinds, counts, strict=True))
        ]
        n = int(header.get("points", ["0"])[0])
        check_size(file, "points", n, most)
        return _pcd_points(raw[at:], header["data"][0].lower(), fields, counts, layout, n)


def _pcd_points(
    body: bytes, form: str, fields: list[str], counts: list[int], layout: list[Any], n: int
) -> Points:
    places = [fields.index(name) for name in "xyz"]
    if form == "ascii":
        columns = [sum(counts[:i]) for i in places]
        rows = body.decode("latin-1").splitlines()
        found = np.loadtxt(rows, usecols=columns, ndmin=2) if rows else np.empty((0, 3))
        if len(found) != n:
            raise ValueError(f"{len(found)} of {n} points")
        return found
    if form != "binary":
        raise ValueError(
            f"data {form}; allowed are ascii and binary (pcl_convert_pcd_ascii_binary)"
        )
    kind = np.dtype(layout)
    if len(body) < n * kind.itemsize:
        raise ValueError(f"only {len(body)} of {n * kind.itemsize} bytes")
    table = np.frombuffer(body, kind, n)
    return np.column_stack([table[layout[i][0]][:, 0].astype(np.float64) for i in places])


def _read_las(file: File, most: int) -> Points:
    laspy: Any = require("laspy", "cloud", ".las and .laz files")
    check_size(file, "bytes", Path(file).stat().st_size, most)
    with reading(file, "a complete .las or .laz file"), laspy.open(os.fspath(file)) as stream:
        check_size(file, "points", stream.header.point_count, most // 20)
        cloud = stream.read()
        return np.column_stack([np.asarray(cloud.x), np.asarray(cloud.y), np.asarray(cloud.z)])
