"""`Limits` and `SearchResult`: what a registered algorithm is told, and what it returns."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NO_LIMIT = 1 << 62  # more nodes than any graph has


@dataclass(frozen=True)
class Limits:
    """When a search has to end.

    Attributes
    ----------
    max_expanded : int
        Number of nodes that it may expand; a huge number unless the caller gave one.
    deadline : float
        Value of `time.perf_counter()` at which it has to end; infinite unless the caller gave a
        time limit.

    Examples
    --------
    >>> import noctule as nt
    >>> limits = nt.Limits(max_expanded=100)
    >>> limits.reached(99), limits.reached(100), limits.time_left
    (False, True, inf)
    """

    max_expanded: int = NO_LIMIT
    deadline: float = math.inf

    @property
    def time_left(self) -> float:
        """Seconds until the deadline; below zero after it."""
        return self.deadline - time.perf_counter()

    def reached(self, expanded: int) -> bool:
        """Whether a search has to end now.

        Parameters
        ----------
        expanded : int
            Number of nodes that it has expanded.

        Returns
        -------
        bool
            Whether one of the limits is reached.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.Limits(deadline=0.0).reached(0)
        True
        """
        return expanded >= self.max_expanded or time.perf_counter() >= self.deadline


class SearchResult(NamedTuple):
    """What a registered algorithm returns.

    Attributes
    ----------
    nodes : sequence of int
        The path from start to goal; of a search that ended early, that to the node nearest the
        goal, or nothing.
    expanded : int
        Number of nodes that were expanded.
    found : bool
        Whether the path leads to the goal.

    Examples
    --------
    >>> import noctule as nt
    >>> nt.SearchResult.from_parents({7: 7, 8: 7, 3: 8}, goal=3, expanded=2)
    SearchResult(nodes=[7, 8, 3], expanded=2, found=True)
    """

    nodes: Sequence[int]
    expanded: int
    found: bool = True

    @classmethod
    def from_parents(
        cls, parent: Mapping[int, int] | Sequence[int], goal: int, expanded: int, found: bool = True
    ) -> "SearchResult":
        """Return the path to which parents lead, back from the goal.

        Parameters
        ----------
        parent : mapping or sequence of int
            The parent of each node; that of the start is itself.
        goal : int
            Where the path ends.
        expanded : int
            Number of nodes that were expanded.
        found : bool
            False for a path that ends early, at another node than the goal.

        Returns
        -------
        SearchResult
            With the path from the start on.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.SearchResult.from_parents([0, 0, 1], goal=2, expanded=3).nodes
        [0, 1, 2]
        """
        nodes = [goal]
        while True:
            try:
                s = parent[nodes[-1]]
            except (KeyError, IndexError):
                raise ValueError(f"parent has nothing for node {nodes[-1]!r}") from None
            if s == nodes[-1]:
                return cls(nodes[::-1], expanded, found)
            if len(nodes) > len(parent):
                raise ValueError(f"the parents of node {goal!r} form a cycle: none is its own")
            nodes.append(s)

    @classmethod
    def not_found(cls, expanded: int) -> "SearchResult":
        """Return the result of a search that found no path.

        Parameters
        ----------
        expanded : int
            Number of nodes that were expanded.

        Returns
        -------
        SearchResult
            Without nodes.

        Examples
        --------
        >>> import noctule as nt
        >>> nt.SearchResult.not_found(7)
        SearchResult(nodes=[], expanded=7, found=False)
        """
        return cls([], expanded, False)
