"""From the results of tasks to the numbers of each series."""

from typing import Any, NamedTuple

from noctule.studies.analysis.measures import MEASURES
from noctule.studies.analysis.statistics import mean_interval, mean_of, spread, wilson
from noctule.studies.experiments import Series, Settings

STATISTICS = ("mean", "min", "p25", "p50", "p75", "p95", "p99", "max")

Numbers = dict[str, Any]  # n, runs, mean, low, high, and the percentiles


class Summary(NamedTuple):
    """A series with what was measured: values run by run, and the numbers of them."""

    label: str
    settings: Settings
    values: dict[str, list[list[float]]]
    numbers: dict[str, Numbers]

    @property
    def algorithm(self) -> str:
        """The algorithm that it is about."""
        return str(self.settings["algorithm"])

    def number(self, measure: str, statistic: str = "mean") -> float | None:
        """One of the numbers, if it was measured."""
        return self.numbers.get(measure, {}).get(statistic)


def summarise(series: list[Series], results: dict[str, Any]) -> list[Summary]:
    """The numbers of every series."""
    return [_summary(one, [results[task.key] for task in one.tasks]) for one in series]


def _summary(series: Series, results: list[Any]) -> Summary:
    values: dict[str, list[list[float]]] = {}
    for measure in MEASURES:
        for part in ("counted", "timed"):
            if any(measure in result[part] for result in results):
                values[measure] = [result[part].get(measure, []) for result in results]
    numbers = {name: _numbers(name, runs) for name, runs in values.items()}
    return Summary(series.label, series.settings, values, numbers)


def _numbers(measure: str, runs: list[list[float]]) -> Numbers:
    n = sum(map(len, runs))
    mean = mean_of(runs)
    interval = mean_interval(runs)
    one_a_run = all(len(run) == 1 for run in runs)
    if MEASURES[measure].rate and one_a_run and all(run[0] in (0, 1) for run in runs):
        interval = wilson(int(sum(run[0] for run in runs)), n)
    low, high = interval if interval is not None and n else (None, None)
    return {"n": n, "runs": len(runs), "mean": mean, "low": low, "high": high} | spread(runs)
