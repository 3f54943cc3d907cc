"""`plan_on`: queries in other processes, or on other machines."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from noctule.core.validation import PointLike
from noctule.graphs.base import SearchGraph
from noctule.graphs.grid.grid import Grid
from noctule.path import Path
from noctule.planning.planner import Planner

PARTS = 4  # for each worker, so that none waits long for the last one
EXECUTOR_PARTS = 16  # where nobody says how many workers there are

Pair = tuple[PointLike, PointLike]


def plan_on(
    client: Any, graph: SearchGraph, pairs: Sequence[Pair], algorithm: str, options: dict[str, Any]
) -> list[Path]:
    """Plan on a dask client or a `concurrent.futures` executor; the paths are in order."""
    Planner(graph, algorithm, **options)  # wrong options are reported here
    is_dask = hasattr(client, "scatter")
    if not is_dask and not hasattr(client, "submit"):
        raise ValueError(
            f"client is {client!r}; expected a dask.distributed.Client, or an executor of "
            f"concurrent.futures"
        )
    workers = max(1, len(client.nthreads())) if is_dask else 0
    count = PARTS * workers or EXECUTOR_PARTS
    size = max(1, -(-len(pairs) // count))
    parts = [list(pairs[k : k + size]) for k in range(0, len(pairs), size)]
    world = client.scatter(graph, broadcast=True) if is_dask else graph
    own = {"pure": False} if is_dask else {}
    futures = [client.submit(plan_part, world, algorithm, options, part, **own) for part in parts]
    paths = [path for future in futures for path in future.result()]
    return [replace(path, world=graph) for path in paths] if isinstance(graph, Grid) else paths


def plan_part(
    graph: SearchGraph, algorithm: str, options: dict[str, Any], pairs: list[Pair]
) -> list[Path]:
    """Plan some of the queries, in a worker."""
    return Planner(graph, algorithm, **options).plan_many(pairs, threads=1)
