"""Statistics of each series, from the results of its tasks."""

from typing import Any, NamedTuple

from noctule.studies.analysis.measures import MEASURES
from noctule.studies.analysis.statistics import mean_interval, mean_of, percentiles, wilson
from noctule.studies.experiments import Series, Settings

STATISTICS = ("mean", "min", "p25", "p50", "p75", "p95", "p99", "max")

Numbers = dict[str, Any]  # n, runs, mean, low, high, and the percentiles
MaybeInterval = tuple[float | None, float | None]


class Summary(NamedTuple):
    """A series with its measured values and their statistics."""

    label: str
    settings: Settings
    values: dict[str, list[list[float]]]  # by measure and run
    numbers: dict[str, Numbers]  # by measure

    @property
    def algorithm(self) -> str:
        """Name of the algorithm."""
        return str(self.settings["algorithm"])

    def number(self, measure: str, statistic: str = "mean") -> float | None:
        """Return a statistic of a measure; None if it was not measured."""
        return self.numbers.get(measure, {}).get(statistic)

    def interval(self, measure: str) -> MaybeInterval:
        """Return the 95 % interval of the mean."""
        return self.number(measure, "low"), self.number(measure, "high")


def summarise(series: list[Series], results: dict[str, Any]) -> list[Summary]:
    """Return the summaries of all series."""
    summaries = []
    for one in series:
        runs = [results[t.key]["counted"] | results[t.key]["timed"] for t in one.tasks]
        values = {m: [r.get(m, []) for r in runs] for m in MEASURES if any(m in r for r in runs)}
        numbers = {name: _numbers(name, lists) for name, lists in values.items()}
        summaries.append(Summary(one.label, one.settings, values, numbers))
    return summaries


def _numbers(measure: str, runs: list[list[float]]) -> Numbers:
    n, mean, interval = sum(map(len, runs)), mean_of(runs), mean_interval(runs)
    one_a_run = all(len(run) == 1 for run in runs)
    if MEASURES[measure].rate and one_a_run and all(run[0] in (0, 1) for run in runs):
        interval = wilson(int(sum(run[0] for run in runs)), n)
    low, high = interval if interval is not None and n else (None, None)
    return {"n": n, "runs": len(runs), "mean": mean, "low": low, "high": high} | percentiles(runs)
