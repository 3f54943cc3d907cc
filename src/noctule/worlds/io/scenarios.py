"""Read scenarios from files: path queries on a map, with published lengths.

``.3dscen`` and ``.scen`` files hold start and goal cells in 3D and 2D. They may be compressed, with
``.gz`` appended to the name.
"""

import math
import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.files import MAX_CELLS, File, error_in, read_text
from noctule.worlds.io.maps import lines_in, quoted, suffix_of

_CELL = re.compile(r"[0-9]{1,18}")
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
_ROUNDING = 1e-6  # sums of square roots in another order differ by less than this
_QUERY_3D = "sx sy sz gx gy gz length ratio"
_QUERY_2D = "bucket map width height sx sy gx gy length"


class Scenarios(NamedTuple):
    """Path queries on one map, with published lengths.

    Attributes
    ----------
    map_name : str
        The name of the map in the file, often with a folder.
    starts, goals : int array
        Cells, one row per query: (n, 3) for voxel maps, (n, 2) for grids.
    lengths : float array
        Published optimal lengths, in cells.
    tolerances : float array
        Largest difference between a correct length and the published one, from its printed digits.

    Examples
    --------
    >>> import noctule as nt, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "room.scen")
    ...     _ = file.write_text("version 1\\n0 room.map 4 4 0 0 1 1 1.41421356\\n")
    ...     queries = nt.load_scenarios(file)
    >>> queries.starts.tolist(), queries.goals.tolist()
    ([[0, 0]], [[1, 1]])
    """

    map_name: str
    starts: NDArray[np.int64]
    goals: NDArray[np.int64]
    lengths: NDArray[np.float64]
    tolerances: NDArray[np.float64]


def load_scenarios(file: File, max_bytes: int = MAX_CELLS // 4) -> Scenarios:
    """Read the queries of a ``.3dscen`` or ``.scen`` file, which may end in ``.gz``.

    Parameters
    ----------
    file : str or path
        The file to read.
    max_bytes : int
        Limit of the length of its text.

    Returns
    -------
    Scenarios
        The queries and the published lengths.

    Raises
    ------
    FileError
        If the content violates the format, the suffix is unknown, or the text is too long.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "room.3dscen")
    ...     _ = file.write_text("version 1\\nroom.3dmap\\n0 0 0 1 1 0 1.41421356 1.000\\n")
    ...     scenarios = load_scenarios(file)
    >>> scenarios.map_name, scenarios.goals.tolist(), scenarios.lengths.tolist()
    ('room.3dmap', [[1, 1, 0]], [1.41421356])
    """
    voxels = suffix_of(file, text=(".3dscen", ".scen")) == ".3dscen"
    text = read_text(file, max_bytes)
    lines = text.split("\n", 2)
    version = " ".join(lines[0].split())
    versions = ("version 1", "version 2" if voxels else "version 1.0")
    if version not in versions:
        raise error_in(file, 1, " or ".join(map(repr, versions)), quoted(lines[0]))
    map_name = lines[1].strip() if voxels and len(lines) > 1 else ""
    if voxels and not map_name:
        raise error_in(file, 2, "the name of the map", quoted(""))
    form, heading, first, last = (_QUERY_3D, 2, 0, 6) if voxels else (_QUERY_2D, 1, 4, 8)
    columns = len(form.split())
    cells, printed = [], []
    queries = "\n".join(lines[heading:])
    for match in lines_in(queries):
        line = match[0].strip()
        # If tabs separate the fields, a map name may contain spaces.
        fields = line.split("\t") if line.count("\t") >= columns - 1 else line.split()
        fields = [field.strip() for field in fields]
        if not (
            (len(fields) == columns or (len(fields) > columns and version == "version 2"))
            and all(_CELL.fullmatch(field) for field in fields[first:last])
            and _DECIMAL.fullmatch(fields[last])
            and math.isfinite(float(fields[last]))
        ):
            number = heading + 1 + queries.count("\n", 0, match.start())
            raise error_in(file, number, f"the {columns} fields '{form}'", quoted(line))
        map_name = map_name or fields[1]
        cells.append([int(field) for field in fields[first:last]])
        printed.append(fields[last])
    if not cells:
        raise error_in(file, None, f"at least one line '{form}'", "none")
    starts, goals = np.array(cells, dtype=np.int64).reshape(len(cells), 2, -1).swapaxes(0, 1).copy()
    lengths = np.array([float(text) for text in printed])
    return Scenarios(map_name, starts, goals, lengths, np.array(_tolerances(printed)))


def _tolerances(printed: list[str]) -> list[float]:
    """Return the tolerance of each printed length; the number format is common to all lengths."""
    decimals = {-1 if "e" in text.lower() else len(text.partition(".")[2]) for text in printed}
    if len(decimals) == 1 and min(decimals) > 0:
        return [0.5 * 10.0 ** -decimals.pop() + _ROUNDING] * len(printed)
    # The default of C++ streams: six significant digits without trailing zeros. Whole numbers only
    # are read likewise: as rounded lengths they would check nothing. Such files contain sums in
    # single precision: 418.7645 may be printed as 418.764.
    return [
        _ROUNDING
        + (
            0.5 * 10.0 ** (math.floor(math.log10(length)) - 5) + length * 2.0**-23
            if length
            else 0.0
        )
        for length in map(float, printed)
    ]
