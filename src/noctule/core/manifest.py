"""Which kernels a job needs, for preparing them before they are called.

`manifest.json` lists groups of kernels with their signatures: one group for each pair of algorithm
and graph that plans or flies. `python tools/record_kernels.py` writes it. A kernel that is missing
there is compiled when it is called; one that no longer exists is skipped.
"""

import importlib
import json
import logging
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from noctule.core import kernel_cache
from noctule.core.signatures import decode
from noctule.files import write_whole

FILE = Path(__file__).with_name("manifest.json")

_log = logging.getLogger("noctule")


class Entry(NamedTuple):
    """A kernel with a signature."""

    file: str  # its name in the cache
    kernel: str  # "module:function"
    signature: Any  # encoded types of its arguments
    size: int  # of its machine code in kB: the time to compile it grows with that

    @property
    def package(self) -> str:
        """The package that the kernel is in, below noctule."""
        return self.kernel.split(".")[1]

    def compile(self) -> None:
        """Compile the kernel into the cache."""
        module, _, name = self.kernel.partition(":")
        kernel = getattr(importlib.import_module(module), name)
        kernel.compile(tuple(decode(kind) for kind in self.signature))


def plan_group(algorithm: str, graph: Any, kernel_graph: Any) -> str:
    """Return the name of the group for plans by an algorithm on a graph."""
    return f"plan {algorithm} {type(graph).__name__} {type(kernel_graph).__name__}"


def flight_group(algorithm: str, graph: str) -> str:
    """Return the name of the group for flights by an algorithm on "cells", "hybrid", ..."""
    return f"fly {graph} {algorithm}"


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    return {"types": [], "kernels": {}, "groups": {}} | content


def groups() -> list[str]:
    """Return the names of all groups."""
    return list(_content()["groups"])


def missing(names: Iterable[str]) -> list[Entry]:
    """Return what these groups need and the cache lacks, the largest first."""
    content = _content()
    files = {file for name in names for file in content["groups"].get(name, ())}
    found = [_entry(content, file) for file in sorted(files) if not kernel_cache.holds(file)]
    return sorted(found, key=lambda entry: -entry.size)


def _entry(content: dict[str, Any], file: str) -> Entry:
    kernel, signature, size = content["kernels"][file]
    return Entry(file, kernel, [_expand(content["types"], kind) for kind in signature], size)


def _expand(kinds: list[Any], kind: Any) -> Any:
    """Put shared types in the place of their numbers."""
    if isinstance(kind, dict):
        return _expand(kinds, kinds[kind["type"]])
    return [_expand(kinds, part) for part in kind] if isinstance(kind, list) else kind


def recorded() -> dict[str, dict[str, tuple[str, Any, int]]]:
    """Return what `write` has written."""
    content = _content()
    return {
        group: {name: tuple(_entry(content, name)[1:]) for name in files}
        for group, files in content["groups"].items()
    }


def write(file: Path, found: dict[str, dict[str, tuple[str, Any, int]]]) -> None:
    """Write a manifest: for each group and file, a kernel, its signature and its size."""
    kinds: dict[str, int] = {}

    def share(kind: Any) -> Any:
        """Put a number in the place of a type that may occur again."""
        if not isinstance(kind, list) or kind[0] not in ("named", "array", "record"):
            return kind
        whole = [kind[0], kind[1], [share(k) for k in kind[2]]] if kind[0] == "named" else kind
        return {"type": kinds.setdefault(json.dumps(whole), len(kinds))}

    kernels = {
        name: (kernel, [share(kind) for kind in signature], size)
        for group in found.values()
        for name, (kernel, signature, size) in group.items()
    }
    lists = {
        "types": [json.loads(kind) for kind in kinds],
        "kernels": dict(sorted(kernels.items())),
        "groups": {group: sorted(names) for group, names in sorted(found.items())},
    }
    parts = []
    for title, content in lists.items():  # one line each: changes show line by line
        items = content.items() if isinstance(content, dict) else [(None, c) for c in content]
        rows = [
            (f"{json.dumps(name)}: " if name is not None else "") + json.dumps(value)
            for name, value in items
        ]
        opening, closing = "{}" if isinstance(content, dict) else "[]"
        parts.append(f'"{title}": {opening}\n' + ",\n".join(rows) + f"\n{closing}")
    write_whole(file, ("{\n" + ",\n".join(parts) + "\n}\n").encode())
