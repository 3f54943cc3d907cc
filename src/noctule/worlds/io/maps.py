"""Maps read from files: voxel maps, 2D grid maps and NumPy arrays.

- ``.3dmap``: ``voxel X Y Z``, then one blocked voxel ``x y z`` a line, counted from 0; or
  ``rev_voxel X Y Z``, then the free ones.
- ``.map``: a 2D grid of characters, of which ``.``, ``G`` and ``S`` are free.
- ``.npy``, ``.npz``: an array of booleans, or of 0 and 1; true means blocked.

The text formats may be compressed, with ``.gz`` appended to the name.
"""

import gzip
import os
import re
import zlib

import numpy as np
from numpy.typing import NDArray

from noctule.core.memory import reserve

File = str | os.PathLike[str]
_WHOLE = re.compile(r"-?[0-9]{1,18}")  # 18 digits always fit into an int64
_SIDE = "(0*[1-9][0-9]{0,17})"


class MapError(ValueError):
    """A file that breaks its format; the message begins with ``FILE:LINE:`` or ``FILE:``."""


def load_map(file: File) -> NDArray[np.bool_]:
    """Read the blocked cells of a map; the suffix of the name decides the format.

    Parameters
    ----------
    file
        Of a ``.npz`` file the array named ``blocked`` is taken, or the only one.

    Returns
    -------
    numpy.ndarray
        C-ordered booleans, true where blocked, indexed ``[x, y, z]`` or ``[x, y]``.
        In a ``.map`` file x is the column and y the row.

    Raises
    ------
    MapError
        If the content breaks the format, or the suffix is unknown.

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
        return _voxels(file, read_text(file))
    if suffix == ".map":
        return _grid(file, read_text(file).split("\n"))
    return _array(file)


def error_in(file: File, line: int | None, expected: str, got: object) -> MapError:
    """Return the exception that says what is wrong with `file`, and where."""
    place = os.fspath(file) if line is None else f"{os.fspath(file)}:{line}"
    return MapError(f"{place}: expected {expected}, got {got}")


def quoted(text: str) -> str:
    """Return `text` in quotes, cut short where a binary file makes for an endless line."""
    return repr(text if len(text) <= 60 else text[:57] + "...") if text else "an empty line"


def suffix_of(file: File, text: tuple[str, ...], binary: tuple[str, ...] = ()) -> str:
    """Return the suffix, among those allowed, that `file` ends in, without ``.gz``."""
    name = os.path.basename(os.fspath(file))
    for suffix in text + binary:
        if name.lower().endswith((suffix, suffix + ".gz") if suffix in text else suffix):
            return suffix
    allowed = ", ".join([f"{suffix}[.gz]" for suffix in text] + list(binary))
    raise error_in(file, None, f"a name that ends in one of {allowed}", repr(name))


def read_text(file: File) -> str:
    """Return the text of a plain or compressed file, with lines that end in a bare newline."""
    with open(file, "rb") as stream:
        raw = stream.read()
    if os.fspath(file).lower().endswith(".gz"):
        try:
            raw = gzip.decompress(raw)
        except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
            raise error_in(file, None, "complete gzip data", problem) from problem
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        got = f"byte 0x{problem.object[problem.start]:02x}"
        raise error_in(file, line, "UTF-8 text", got) from problem
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _voxels(file: File, text: str) -> NDArray[np.bool_]:
    """Read the text of a ``.3dmap`` file."""
    heading, _, body = text.partition("\n")
    match = re.fullmatch(f"(rev_)?voxel {_SIDE} {_SIDE} {_SIDE}", " ".join(heading.split()))
    if match is None:
        raise error_in(file, 1, "'voxel X Y Z' or 'rev_voxel X Y Z'", quoted(heading))
    size = (int(match[2]), int(match[3]), int(match[4]))
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
    found = []  # what the slow scan accepts is the same, but it names the line at fault
    for number, line in enumerate(body.split("\n"), 2):
        words = line.split()
        if not words:
            continue
        if len(words) != 3 or not all(_WHOLE.fullmatch(word) for word in words):
            raise error_in(file, number, "three whole numbers 'x y z'", quoted(line))
        voxel = (int(words[0]), int(words[1]), int(words[2]))
        if not all(0 <= at < side for at, side in zip(voxel, size, strict=True)):
            box = " x ".join(map(str, size))
            raise MapError(f"{os.fspath(file)}:{number}: voxel {voxel} lies outside the box {box}")
        found.append(voxel)
    return np.array(found, dtype=np.int64)


def _plain_rows(body: bytes) -> NDArray[np.int64] | None:
    """Read lines of three numbers in bulk, which makes large maps load fast.

    None unless that is all there is, with one blank between numbers.
    """
    between = body.translate(None, b"0123456789").removesuffix(b"\n") + b"\n"
    lines = len(between) // 3
    if between != b"  \n" * lines:
        return None
    numbers = np.fromstring(body, np.int64, sep=" ")  # one that is too large becomes the largest
    return numbers.reshape(-1, 3) if len(numbers) == 3 * lines else None


def _grid(file: File, lines: list[str]) -> NDArray[np.bool_]:
    """Read the lines of a ``.map`` file."""
    lines = lines + [""] * (4 - len(lines))
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

    rows = lines[4:]
    while rows and not rows[-1]:
        rows.pop()
    for number, row in enumerate(rows[:height], 5):
        if len(row) != width:
            raise error_in(file, number, f"a row of {width} characters", len(row))
    if len(rows) != height:
        raise error_in(file, None, f"{height} rows", len(rows))
    codes = np.frombuffer("".join(rows).encode("utf-32-le"), dtype="<u4").reshape(height, width)
    return np.ascontiguousarray(~np.isin(codes, [ord(free) for free in ".GS"]).T)


def _array(file: File) -> NDArray[np.bool_]:
    """Read a ``.npy`` or ``.npz`` file."""
    with open(file, "rb") as stream:
        try:
            content = np.load(stream, allow_pickle=False)
            if isinstance(content, np.lib.npyio.NpzFile):
                names = content.files
                if "blocked" not in names and len(names) != 1:
                    raise error_in(file, None, "an array 'blocked' or a single array", names)
                content = content["blocked" if "blocked" in names else names[0]]
        except (MapError, MemoryError):
            raise
        # Broken headers and archives surface as nearly any kind of exception.
        except Exception as problem:
            raise error_in(file, None, "complete NumPy data without pickles", problem) from problem
    if not isinstance(content, np.ndarray) or content.ndim not in (2, 3) or content.size == 0:
        got = f"shape {np.shape(content)}"
        raise error_in(file, None, "an array of 2 or 3 dimensions, none of them empty", got)
    if content.dtype.kind not in "biu":
        raise error_in(file, None, "booleans, or integers 0 and 1", f"dtype {content.dtype}")
    if content.dtype.kind != "b" and (content.min() < 0 or content.max() > 1):
        got = f"values from {content.min()} to {content.max()}"
        raise error_in(file, None, "booleans, or integers 0 and 1", got)
    return np.ascontiguousarray(content, dtype=bool)
