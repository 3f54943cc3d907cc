"""Compiled kernels on disk: one file for each kernel and signature.

Two folders are read: the user's, which kernels are written to, and `_kernels` in the package, which
a wheel may bring along. Their names hold a digest of all sources that kernels depend on, the
versions of Python and Numba, and the processor that the code is for. A file that is missing,
damaged or made for another configuration is not used: the kernel is compiled.
"""

import copy
import hashlib
import json
import logging
import os
import pickle
import platform
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import numba
from llvmlite import binding as llvm
from numba import config
from numba.core import serialize

from noctule.core.signatures import encode
from noctule.files import write_whole

PACKAGE = Path(__file__).parents[1]
SHIPPED = PACKAGE / "_kernels"
_WITHOUT_KERNELS = (
    "__main__.py",
    "_kernels",
    "benchmarking",
    "cli.py",
    "commands",
    "entry_points.py",
    "files.py",
    "game",
    "pictures",
    "processes.py",
    "registration.py",
    "studies",
    "testing",
    "viewer",
)

# What shipped kernels are compiled for, by architecture: LLVM's name for it, and the features that
# the processor must have.
BASELINES = {
    "x86_64": (
        "x86-64-v3",
        "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 sse4.2 ssse3 xsave",
    ),
    "aarch64": ("generic", "neon"),
    "arm64": ("apple-m1", "neon"),
}

_log = logging.getLogger("noctule")


class Stored(NamedTuple):
    """What is kept of a compiled kernel."""

    code: bytes  # an object file
    symbols: list[str]  # that it defines
    descriptor: Any  # Numba's description of the function
    environment: Any
    environments: list[Any]  # of functions that it calls
    signature: Any


@cache
def source_digest() -> str:
    """Return a digest of every source that a kernel could depend on."""
    digest = hashlib.sha256()
    for source in sorted(PACKAGE.rglob("*.py")):
        if source.relative_to(PACKAGE).parts[0] not in _WITHOUT_KERNELS and source.is_file():
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def user_folder() -> Path:
    """Beside the package where that can be written to, else in the user's cache folder."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR)
    if os.access(PACKAGE, os.W_OK):
        return PACKAGE / "__pycache__"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "noctule"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "noctule"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "noctule"


def folder_name(processor: str, features: str) -> str:
    """Return the name of the folder for code that these versions compile for this processor."""
    triple = re.sub(r"[\d.]+$", "", llvm.get_process_triple())  # without the version of macOS
    names = ("OPT", "ENABLE_AVX", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE")
    options = [f"{name}={getattr(config, name, None)}" for name in names]
    python = f"{sys.implementation.name}{sys.version_info.major}{sys.version_info.minor}"
    rest = f"{triple} {features} {llvmlite.__version__} {options}"
    digest = hashlib.sha256(rest.encode()).hexdigest()[:8]
    return f"{source_digest()}-{python}-numba{numba.__version__}-{processor}-{digest}"


@cache
def folders() -> tuple[Path, ...]:
    """Return the folders to read from; the first is the one to write to."""
    processor = config.CPU_NAME or llvm.get_host_cpu_name()
    host = llvm.get_host_cpu_features()
    features = host.flatten() if config.CPU_FEATURES is None else config.CPU_FEATURES
    found = [user_folder() / "kernels" / folder_name(processor, features)]
    baseline, needed = BASELINES.get(platform.machine().lower(), ("", ""))
    if baseline and all(host.get(feature) for feature in needed.split()):
        found.append(SHIPPED / folder_name(baseline, ""))
    return tuple(found)


def file_name(kernel: str, arguments: tuple[Any, ...]) -> str:
    """Return the name of the file for a kernel, "module:function", and a signature.

    Where kernel or types come from other packages, it depends on the sources of these. It is empty
    if one has no source to be read, as in a notebook: such a kernel is not kept.
    """
    signature = json.dumps([encode(argument) for argument in arguments])
    for place in sorted({kernel, *_NAMED.findall(signature)}):
        if not place.startswith("noctule."):
            sources = outside_digest(place)
            if not sources:
                return ""
            signature += sources
    digest = hashlib.sha256(signature.encode()).hexdigest()[:12]
    return f"{kernel.removeprefix('noctule.').replace(':', '.')}-{digest}"


_NAMED = re.compile(r'"named", "([^"]+)"')  # "module:class" in an encoded signature


@cache
def outside_digest(place: str) -> str:
    """Return a digest of the package of another package's "module:name"; empty without source.

    It covers all modules of the package, like that of Noctule.
    """
    module, _, name = place.partition(":")
    found: Any = sys.modules.get(module)
    file = getattr(found, "__file__", None)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None or file is None or not Path(file).is_file():
        return ""
    top = getattr(sys.modules.get(module.partition(".")[0]), "__path__", ())
    sources = {Path(file), *(path for folder in top for path in Path(folder).rglob("*.py"))}
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def holds(name: str) -> bool:
    """Return whether there is a file of this name."""
    return any((folder / name).is_file() for folder in folders())


def load(kernel: str, arguments: tuple[Any, ...], restore: Callable[[Stored], Any]) -> Any:
    """Return a compiled kernel, or None where it must be compiled."""
    name = file_name(kernel, arguments)
    for folder in folders() if name else ():
        try:
            content = (folder / name).read_bytes()
        except OSError:
            continue
        digest, data = content[:32], content[32:]
        if hashlib.sha256(data).digest() != digest:
            _log.warning("%s is damaged: the kernel is compiled again", folder / name)
            continue
        try:
            return restore(pickle.loads(data))
        except Exception as error:
            _log.warning("%s can't be used (%s): the kernel is compiled", folder / name, error)
    return None


def save(kernel: str, arguments: tuple[Any, ...], result: Any) -> None:
    """Write a compiled kernel, if the folder can be written to."""
    name = file_name(kernel, arguments)
    if not name:
        return
    data = serialize.dumps(reduce(result))
    try:
        _write(name, hashlib.sha256(data).digest() + data)
    except OSError as error:
        _log.info("compiled kernels are not kept: %s", error)


def reduce(result: Any) -> Stored:
    """Return what is kept of a compiled kernel."""
    descriptor = copy.copy(result.fndesc)
    descriptor.typemap = descriptor.calltypes = None
    library = result.library
    variables = library._final_module.global_variables
    symbols = [descriptor.llvm_cpython_wrapper_name]
    symbols += [variable.name for variable in variables if not variable.is_declaration]
    code, environments = library._get_compiled_object(), result._find_referenced_environments()
    return Stored(code, symbols, descriptor, result.environment, environments, result.signature)


def _write(name: str, content: bytes) -> None:
    file = folders()[0] / name
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, content)


def mark(name: str) -> bool:
    """Write an empty file of this name, and return whether that was possible."""
    try:
        _write(name, b"")
    except OSError as error:
        _log.info("compiled kernels are not kept: %s", error)
        return False
    return True
