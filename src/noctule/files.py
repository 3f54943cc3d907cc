"""Write files atomically; read files with a limit of their size.

Wrong content of a file raises `FileError`, whose message starts with the name of the file. Errors
of the operating system, such as a missing file, remain OSErrors. NumPy is imported only when an
array is read or written.
"""

import gzip
import math
import os
import secrets
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZipFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

File = str | os.PathLike[str]

MAX_CELLS = 300_000_000  # limit of the cells of a map or scene, and of the bytes of a trace
ALLOW = "; max_cells (--max-cells) allows more"


class FileError(ValueError):
    """A file with wrong content; the message starts with ``FILE:LINE:`` or ``FILE:``."""


# ---------------------------------------------------------------------- writing


@contextmanager
def replacing(file: File) -> Iterator[Path]:
    """Yield a temporary file in the same folder, which replaces `file` at the end of the block.

    If the block fails, the temporary file is removed and the old file is unchanged. The temporary
    file has the same suffix. A pipe or device is yielded itself.
    """
    target = Path(os.path.realpath(file))
    if target.exists() and not target.is_file():
        yield target
        return
    half = target.with_name(f".{secrets.token_hex(8)}{target.suffix}")
    try:
        yield half
        if target.exists():
            half.chmod(target.stat().st_mode & 0o7777)
        half.replace(target)
    except OSError as problem:
        if problem.errno is None:
            raise
        raise OSError(problem.errno, problem.strerror, os.fspath(file)) from problem
    finally:
        half.unlink(missing_ok=True)


def write_whole(file: File, content: bytes) -> None:
    """Write a file atomically: readers see the complete new content or the old one."""
    with replacing(file) as half:
        half.write_bytes(content)


def write_arrays(file: File, **arrays: Any) -> None:
    """Write named arrays into one compressed file (.npz)."""
    import numpy as np

    with replacing(file) as half, open(half, "wb") as out:
        np.savez_compressed(out, **arrays)


# ---------------------------------------------------------------------- reading


def error_in(file: File, line: int | None, expected: str, got: object) -> FileError:
    """Return a FileError with the place, the expectation and the wrong content."""
    place = os.fspath(file) if line is None else f"{os.fspath(file)}:{line}"
    return FileError(f"{place}: expected {expected}, got {got}")


def check_size(file: File, what: str, size: int, most: int, hint: str = ALLOW) -> None:
    """Raise FileError if a size exceeds the limit."""
    if size > most:
        raise FileError(f"{os.fspath(file)}: {size:,} {what}; at most {most:,} are read{hint}")


@contextmanager
def reading(file: File, expected: str) -> Iterator[None]:
    """Convert any exception of the block to a FileError."""
    try:
        yield
    except FileError:
        raise
    # Damaged headers and archives raise many kinds of exceptions.
    except Exception as problem:
        got = str(problem) or type(problem).__name__
        raise error_in(file, None, expected, got[:200]) from problem


def read_text(file: File, most: int, hint: str = ALLOW) -> str:
    """Return the text of a plain or compressed (.gz) file of at most `most` bytes.

    Line ends are converted to newlines, and a byte order mark is removed.
    """
    with open(file, "rb") as stream:
        if os.fspath(file).lower().endswith(".gz"):
            try:
                raw = gzip.GzipFile(fileobj=stream).read(most + 1)
            except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
                raise error_in(file, None, "complete gzip data", problem) from problem
            if len(raw) > most:
                raise FileError(f"{os.fspath(file)}: unpacks to more than {most:,} bytes{hint}")
        else:
            check_size(file, "bytes of text", os.fstat(stream.fileno()).st_size, most, hint)
            raw = stream.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        got = f"byte 0x{problem.object[problem.start]:02x}"
        raise error_in(file, line, "UTF-8 text", got) from problem
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_arrays(
    file: File, names: Sequence[str], most: int, expected: str, hint: str = ALLOW
) -> "list[NDArray[Any]]":
    """Return named arrays of a file written by `write_arrays`, of at most `most` bytes in total."""
    with open(file, "rb") as stream, reading(file, expected), ZipFile(stream) as archive:
        size = 0
        for name in names:
            with archive.open(f"{name}.npy") as entry:
                shape, _, dtype = array_header(entry)
            size += math.prod(shape) * dtype.itemsize
        check_size(file, "bytes of arrays", size, most, hint)
        arrays = []
        for name in names:
            with archive.open(f"{name}.npy") as entry:
                shape, fortran, dtype = array_header(entry)
                flat = read_items(entry, math.prod(shape), dtype)
                arrays.append(flat.reshape(shape, order="F" if fortran else "C").copy())
                if entry.read(1):
                    raise ValueError(f"{name} is longer than its header says")
    return arrays


def array_header(stream: IO[bytes]) -> "tuple[tuple[int, ...], bool, np.dtype[Any]]":
    """Read the header of NumPy data: shape, whether the order is Fortran's, and dtype."""
    import numpy as np

    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    else:
        shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
    if dtype.hasobject or any(side < 0 for side in shape):
        raise ValueError(f"an array of type {dtype} and shape {shape}")
    return shape, fortran, dtype


def read_items(stream: IO[bytes], n: int, dtype: "np.dtype[Any]") -> "NDArray[Any]":
    """Read the next `n` items of an array."""
    import numpy as np

    raw = stream.read(n * dtype.itemsize)
    if len(raw) != n * dtype.itemsize:
        raise ValueError(f"only {len(raw)} of {n * dtype.itemsize} bytes")
    return np.frombuffer(raw, dtype, n) if dtype.itemsize else np.zeros(n, dtype)
