"""Costs of cells read from NumPy files."""

import math
from typing import IO
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from noctule.files import MAX_CELLS, File, array_header, check_size, error_in, read_items, reading
from noctule.worlds.io.maps import suffix_of


def load_costs(file: File, max_cells: int = MAX_CELLS) -> NDArray[np.float64]:
    """Read what cells cost: of a ``.npy`` file, or the array ``cost`` of a ``.npz`` file.

    An array of more cells than `max_cells` is refused; what no cell can cost, `nt.Grid` refuses.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "danger.npy")
    ...     np.save(file, [[1, 2.5], [1, np.inf]])
    ...     load_costs(file).tolist()
    [[1.0, 2.5], [1.0, inf]]
    """
    suffix = suffix_of(file, text=(), binary=(".npy", ".npz"))
    with open(file, "rb") as stream, reading(file, "complete NumPy data without pickles"):
        if suffix == ".npy":
            return _numbers(file, stream, max_cells)
        with ZipFile(stream) as archive:
            if "cost.npy" not in archive.namelist():
                raise error_in(file, None, "an array 'cost'", archive.namelist()[:20])
            with archive.open("cost.npy") as entry:
                return _numbers(file, entry, max_cells)


def _numbers(file: File, stream: IO[bytes], max_cells: int) -> NDArray[np.float64]:
    shape, fortran, dtype = array_header(stream)
    if dtype.kind not in "iuf" or len(shape) not in (2, 3):
        got = f"{dtype} of shape {shape}"
        raise error_in(file, None, "numbers in 2 or 3 dimensions", got)
    n = math.prod(shape)
    check_size(file, "cells", n, max_cells)
    flat = read_items(stream, n, dtype).astype(np.float64)
    return flat.reshape(shape, order="F" if fortran else "C")
