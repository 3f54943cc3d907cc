"""Load what other packages offer by entry points, when a name is not known or all are listed.

A package says in its pyproject.toml what it offers:

    [project.entry-points."noctule.algorithms"]
    greedy = "mypackage:greedy"

Reading what is installed takes some milliseconds, so `import noctule` does not do it.
"""

import logging
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

_log = logging.getLogger("noctule")
_loaded: set[tuple[str, str, str]] = set()  # group, name and value, also of what failed


def load_named(group: str, name: str, add: Callable[[str, Any], None]) -> None:
    """Load the entry points of this name.

    Parameters
    ----------
    group : str
        "noctule.algorithms" or "noctule.graphs".
    name : str
        The name that was asked for.
    add : callable
        Called with the name and what was loaded, which may have registered itself already.

    Raises
    ------
    ValueError
        If one cannot be loaded.
    """
    for entry in entry_points(group=group, name=name):
        if not _is_new(entry):
            continue
        try:
            add(entry.name, entry.load())
        except Exception as error:
            raise ValueError(f"{_describe(entry)} can't be loaded: {error}") from error
        _note(entry)


def load_all(group: str, add: Callable[[str, Any], None]) -> None:
    """Load all entry points of a group; warn of those that cannot be loaded."""
    for entry in entry_points(group=group):
        if not _is_new(entry):
            continue
        _note(entry)
        try:
            add(entry.name, entry.load())
        except Exception as error:
            _log.warning("%s can't be loaded: %s", _describe(entry), error)


def _key(entry: EntryPoint) -> tuple[str, str, str]:
    return entry.group, entry.name, entry.value


def _is_new(entry: EntryPoint) -> bool:
    return _key(entry) not in _loaded


def _note(entry: EntryPoint) -> None:
    _loaded.add(_key(entry))


def _describe(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist is not None else "a package"
    return f"entry point {entry.name} = {entry.value!r} of {package}"
