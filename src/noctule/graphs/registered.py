"""Graphs by name: those of this package, and those that other packages register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from noctule.entry_points import load_all, load_named
from noctule.graphs.base import SearchGraph
from noctule.graphs.explicit.waypoints import Waypoints
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.hybrid.hybrid import Hybrid

Factory = TypeVar("Factory", bound=Callable[..., SearchGraph])

GROUP = "noctule.graphs"
_factories: dict[str, Callable[..., SearchGraph]] = {
    "cells": CellGrid,
    "hybrid": Hybrid,
    "waypoints": Waypoints,
}
OWN = tuple(_factories)


def register_graph(name: str, *, replace: bool = False) -> Callable[[Factory], Factory]:
    """Register a function that makes a graph, as a decorator.

    `make_graph` calls it by name. One that takes a scene, and returns a `CellGrid` or `Waypoints`
    or a subclass of them, can be flown: `noctule fly --graph NAME`.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and "-", "_", "*", "+" or ".".
    replace : bool
        Whether to replace what is registered with this name, as a notebook does.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.

    Examples
    --------
    >>> import noctule as nt
    >>> @nt.register_graph("triangle", replace=True)
    ... def triangle(width: float = 1.0) -> nt.Graph:
    ...     points = [(0.0, 0.0), (width, 0.0), (0.0, width)]
    ...     return nt.Graph(points, [(0, 1), (1, 2), (2, 0)])
    >>> nt.make_graph("triangle", width=3.0)
    Graph(3 nodes, 3 edges)
    """
    check_name("graph", name)
    taken = name in OWN or (name in _factories and not replace)
    if taken:
        raise ValueError(f"a graph {name!r} is registered already; {_how_to_replace(name in OWN)}")

    def register(factory: Factory) -> Factory:
        if not callable(factory):
            raise ValueError(f"graph {name!r} is {factory!r}; expected a function that makes one")
        _factories[name] = factory
        return factory

    return register


def make_graph(name: str, *arguments: Any, **options: Any) -> SearchGraph:
    """Make a graph by the name of its kind.

    Parameters
    ----------
    name : str
        "cells", "hybrid", "waypoints", or a registered name.
    *arguments, **options
        What the function takes: the first three take a scene.

    Returns
    -------
    SearchGraph
        A new graph.

    Examples
    --------
    >>> import noctule as nt
    >>> nt.make_graph("waypoints", nt.Scene.load("test-environment", "2019"), spacing=20.0)
    Waypoints(616, 'test-environment (2019)' at 0 s)
    """
    factory = find_graph(name)
    graph = factory(*arguments, **options)
    if not isinstance(graph, SearchGraph):
        kind = type(graph).__name__
        raise ValueError(f"graph {name!r} is a {kind}; expected a noctule.SearchGraph")
    return graph


def find_graph(name: str) -> Callable[..., SearchGraph]:
    """Return the function that makes graphs of this name; those of other packages are loaded."""
    if name not in _factories:
        load_named(GROUP, name, _add)
    if name not in _factories:
        raise ValueError(f"graph is {name!r}; expected one of {', '.join(graph_names())}")
    return _factories[name]


def graph_names() -> tuple[str, ...]:
    """Return the names of all graphs; those of other packages are loaded."""
    load_all(GROUP, _add)
    return tuple(_factories)


def _add(name: str, loaded: Any) -> None:
    if name not in _factories:  # it did not register itself
        register_graph(name)(loaded)


def check_name(kind: str, name: Any) -> None:
    """Raise ValueError unless this can be the name of an algorithm or graph."""
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-_*+.")
    if not isinstance(name, str) or not name or not set(name) <= allowed:
        raise ValueError(
            f"name of {kind} is {name!r}; expected lower-case letters, digits and -_*+."
        )


def _how_to_replace(own: bool) -> str:
    return "choose another name" if own else "choose another name, or replace=True"
