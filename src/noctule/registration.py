"""Register algorithms of other packages: a function in plain Python, then kernels for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from noctule.plugins.outside_search import Kernels, OutsideAlgorithm, Search, check_kernels
from noctule.registry import check_new, find_algorithm, outside_row, register

Function = TypeVar("Function", bound=Search)


def register_algorithm(
    name: str,
    *,
    summary: str = "",
    optimal: bool = False,
    any_angle: bool = False,
    replace: bool = False,
) -> Callable[[Function], Function]:
    """Register a search in plain Python as an algorithm, as a decorator.

    The function is called with a `GraphView`, the numbers of the start and goal nodes, and
    `Limits`; it returns a `SearchResult`. It runs wherever a name of an algorithm is taken: `plan`,
    `Planner`, `Flight`, `Navigator`, the commands and studies. A start or goal that is no node is
    joined to the nearest node that it sees.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and "-", "_", "*", "+" or ".".
    summary : str
        One line for lists of algorithms; unless given, the first one of the docstring.
    optimal : bool
        Whether it finds a shortest path along edges.
    any_angle : bool
        Whether its paths may leave edges where there is line of sight.
    replace : bool
        Whether to replace what is registered with this name, as a notebook does.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.

    Examples
    --------
    >>> import noctule as nt
    >>> @nt.register_algorithm("breadth-first", summary="fewest edges", replace=True)
    ... def breadth_first(graph, start, goal, limits):
    ...     parent, queue = {start: start}, [start]
    ...     for expanded, s in enumerate(queue):
    ...         if s == goal or limits.reached(expanded):
    ...             return nt.SearchResult.from_parents(parent, s, expanded, found=s == goal)
    ...         for t, _ in graph.neighbours(s):
    ...             if t not in parent:
    ...                 parent[t] = s
    ...                 queue.append(t)
    ...     return nt.SearchResult.not_found(len(queue))
    >>> graph = nt.Graph([(0, 0), (1, 5), (2, 0), (9, 0)], [(0, 1), (1, 2), (2, 3), (1, 3)])
    >>> nt.plan(graph, (0, 0), (9, 0), "breadth-first").nodes.tolist()
    [0, 1, 3]
    """
    check_new(name, replace)

    def decorate(function: Function) -> Function:
        register(outside_row(name, function, summary, optimal, any_angle))
        return function

    return decorate


def register_kernels(
    name: str, new_memory: Callable[[int], Any], search: Callable[..., Any]
) -> None:
    """Register the compiled version of a registered algorithm.

    It runs instead of the Python function, unless `engine="reference"` asks for that. Compiled
    code is cached on disk; a change of any module of the package that holds the kernel discards it.

    Parameters
    ----------
    name : str
        Of a registered algorithm.
    new_memory : callable
        Returns the NamedTuple of arrays that a search needs on a graph of so many nodes. The next
        search gets it as the last one left it.
    search : kernel
        `search(graph, memory, start, goal, max_expanded, nodes)`, under the decorator
        `noctule.core.jit.kernel`. `graph` is a kernel graph, read by the functions of
        `noctule.graphs.protocol`; its lengths are in its own unit. The kernel writes the path into
        the array `nodes`, from the goal back to the start, and returns the number of nodes that
        it expanded and that of the path: 0 if it found none. With a time limit it is called with
        growing values of `max_expanded`.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> import numpy as np
    >>> import noctule as nt
    >>> from noctule.core.jit import kernel
    >>> from noctule.graphs.protocol import distance, neighbours
    >>> class Steps(NamedTuple):
    ...     nodes: np.ndarray
    >>> @nt.register_algorithm("downhill", summary="always to the neighbour nearest the goal")
    ... def downhill(graph, start, goal, limits):
    ...     path = [start]
    ...     while path[-1] != goal and not limits.reached(len(path)):
    ...         best = min((graph.distance(t, goal), t) for t, _ in graph.neighbours(path[-1]))
    ...         if best >= (graph.distance(path[-1], goal), path[-1]):
    ...             break
    ...         path.append(best[1])
    ...     return nt.SearchResult(path, len(path), found=path[-1] == goal)
    >>> @kernel
    ... def search(graph, memory, start, goal, max_expanded, nodes):
    ...     s, n = start, 0
    ...     memory.nodes[0] = s
    ...     while s != goal and n + 1 < max_expanded:
    ...         best = s
    ...         for t, _ in neighbours(graph, s):
    ...             if distance(graph, t, goal) < distance(graph, best, goal):
    ...                 best = t
    ...         if best == s:
    ...             return n + 1, 0
    ...         s, n = best, n + 1
    ...         memory.nodes[n] = s
    ...     for i in range(n + 1):
    ...         nodes[i] = memory.nodes[n - i]
    ...     return n + 1, n + 1 if s == goal else 0
    >>> nt.register_kernels("downhill", lambda n: Steps(np.empty(n, np.int64)), search)
    >>> grid = nt.Grid(np.zeros((5, 4), bool))
    >>> path = nt.plan(grid, (0.5, 0.5), (4.5, 3.5), "downhill")
    >>> path.found, path.engine, round(path.length, 3)
    (True, 'kernels', 5.243)
    """
    row = find_algorithm(name)
    if not isinstance(row.search, OutsideAlgorithm):
        raise ValueError(f"name is {name!r}; expected one that register_algorithm was given")
    check_kernels(new_memory, search)
    row.search.kernels = Kernels(new_memory, search)
