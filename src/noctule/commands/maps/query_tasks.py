"""Run the queries of a scenario file: here, in processes, or on a dask cluster."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path as File
from typing import Any, NamedTuple

import noctule as nt
from noctule.commands.maps.map_query import read_grid, warm_up
from noctule.commands.maps.units import check_cell, point_of, show_numbers
from noctule.commands.shared.options import GraphOptions
from noctule.commands.shared.tables import tracked
from noctule.registry import find_algorithm

PART = 16  # queries of a task

Row = dict[str, Any]


class Queries(NamedTuple):
    """Queries of a scenario file on a map, and the algorithms that plan them."""

    map_file: File
    scenario_file: File
    graph: GraphOptions
    grid: "nt.Grid"
    scenarios: "nt.Scenarios"
    picked: range

    @classmethod
    def read(
        cls, map_file: File, scenario_file: File, every: int, graph: GraphOptions
    ) -> "Queries":
        """Read a map and every `every`-th query on it."""
        if every < 1:
            raise ValueError(f"--every is {every}; expected a whole number from 1 on")
        scenarios = nt.load_scenarios(scenario_file, graph.max_cells // 4)
        grid = read_grid(map_file, graph)
        dimension = scenarios.starts.shape[1]
        if dimension != grid.dimension:
            raise ValueError(
                f"{scenario_file} is for {dimension}-D maps; the map has {grid.dimension}"
            )
        for i in range(len(scenarios.lengths)):
            for name, cells in (("start", scenarios.starts), ("goal", scenarios.goals)):
                check_cell(f"{name} of query {i + 1} in {scenario_file}", cells[i].tolist(), grid)
        picked = range(0, len(scenarios.lengths), every)
        return cls(map_file, scenario_file, graph, grid, scenarios, picked)

    def run(
        self,
        algorithms: Sequence[str],
        options: dict[str, Any],
        verify: bool,
        workers: int = 1,
        cluster: str | None = None,
    ) -> Iterator[Row]:
        """Yield a row for each query and algorithm, by algorithm and number."""
        if workers < 1:
            raise ValueError(f"--workers is {workers}; expected a whole number from 1 on")
        for name in algorithms:  # wrong options are reported before any work
            nt.Planner(self.grid, name, **options)
        total = len(algorithms) * len(self.picked)
        if workers == 1 and cluster is None:
            rows: Iterator[Row] = self._here(algorithms, options, verify)
        else:
            rows = self._elsewhere(algorithms, options, verify, workers, cluster)
        yield from tracked(rows, total, "planning")

    def _here(
        self, algorithms: Sequence[str], options: dict[str, Any], verify: bool
    ) -> Iterator[Row]:
        for name in algorithms:
            warm_up(self.grid, options | {"algorithm": name})
            yield from _rows(self.grid, name, options, verify, self._numbered(self.picked))

    def _elsewhere(
        self,
        algorithms: Sequence[str],
        options: dict[str, Any],
        verify: bool,
        workers: int,
        cluster: str | None,
    ) -> Iterator[Row]:
        from noctule.studies.executors import run_tasks
        from noctule.studies.experiments import Task

        tasks = [
            Task({
                "map": str(self.map_file.resolve()),
                "graph": vars(self.graph),
                "algorithm": name,
                "options": options,
                "verify": verify,
                "run": part,
                "queries": self._numbered(self.picked[part : part + PART]),
            })
            for name in algorithms
            for part in range(0, len(self.picked), PART)
        ]  # fmt: skip
        finished: dict[str, list[Row]] = {}
        waiting = [task.key for task in tasks]
        for task, result in run_tasks(tasks, workers, cluster, run_part):
            finished[task.key] = result["rows"]
            while waiting and waiting[0] in finished:  # in their order
                yield from finished.pop(waiting.pop(0))

    def _numbered(self, numbers: range) -> list[dict[str, Any]]:
        s = self.scenarios
        return [
            {
                "query": i + 1,
                "start_cell": s.starts[i].tolist(),
                "goal_cell": s.goals[i].tolist(),
                "published": float(s.lengths[i]),
                "tolerance": float(s.tolerances[i]),
            }
            for i in numbers
        ]


def run_part(settings: dict[str, Any]) -> dict[str, Any]:
    """Plan some queries in a worker process, which keeps the map for the next ones."""
    graph, options = GraphOptions(**settings["graph"]), settings["options"]
    grid = _kept_grid(settings["map"], graph)
    _warmed_up(settings["map"], graph, settings["algorithm"], tuple(sorted(options.items())))
    queries = settings["queries"]
    return {"rows": list(_rows(grid, settings["algorithm"], options, settings["verify"], queries))}


@lru_cache(maxsize=4)
def _kept_grid(file: str, graph: GraphOptions) -> "nt.Grid":
    return read_grid(File(file), graph)


@lru_cache(maxsize=64)
def _warmed_up(file: str, graph: GraphOptions, algorithm: str, options: Any) -> None:
    warm_up(_kept_grid(file, graph), dict(options) | {"algorithm": algorithm})


def _rows(
    grid: "nt.Grid",
    algorithm: str,
    options: dict[str, Any],
    verify: bool,
    queries: Sequence[dict[str, Any]],
) -> Iterator[Row]:
    planner = nt.Planner(grid, algorithm, **options)
    keeps_search = find_algorithm(algorithm).keeps_search
    exact = must_match(algorithm, options)
    for query in queries:
        if keeps_search:  # each query is planned as the first one
            planner = nt.Planner(grid, algorithm, **options)
        start, goal = (point_of(grid, query[end]) for end in ("start_cell", "goal_cell"))
        path = planner.plan(start, goal)
        length = path.length / grid.cell  # published lengths are in cells
        difference = length - query["published"] if path.found else math.inf
        outcome = "none"
        if path.found:
            equal = abs(difference) <= query["tolerance"]
            outcome = "equal" if equal else "shorter" if difference < 0 else "longer"
        yield {
            "query": query["query"],
            "algorithm": path.algorithm,
            "start": start.tolist(),
            "goal": goal.tolist(),
            "start_cell": query["start_cell"],
            "goal_cell": query["goal_cell"],
            "found": path.found,
            "length": path.length if path.found else None,
            "published": query["published"] * grid.cell,
            "difference": difference * grid.cell,
            "outcome": outcome,
            "matches": outcome == "equal" if exact else path.found,
            "bound": path.bound if path.found else None,
            "points": len(path.points),
            "expanded": path.expanded,
            "sight_checks": path.sight_checks,
            "milliseconds": 1e3 * path.seconds,
            "verified": bool(nt.verify(path, grid)) if verify and len(path.points) else None,
            "reason": path.reason,
        }


def must_match(algorithm: str, options: dict[str, Any]) -> bool:
    """Whether paths must be as long as published: shortest along edges, with no limit."""
    row = find_algorithm(algorithm)
    loose = ("weight", "cost", "hierarchical", "allow_inadmissible", "radius", "max_expanded")
    return not row.any_angle and not {*loose, "time_limit"} & options.keys()


def describe_query(row: Row) -> str:
    """Return a query as one line: its number and cells."""
    ends = f"{show_numbers(row['start_cell'])} to {show_numbers(row['goal_cell'])}"
    return f"query {row['query']}: {ends}"
