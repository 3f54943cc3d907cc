"""`Report`: the results of a finished study, and its tables (CSV, JSON)."""

import csv
import io
import json
import os
import platform
from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np

from noctule import __version__
from noctule.studies.analysis.claims import PublishedResult, StatementResult
from noctule.studies.analysis.measures import MEASURES
from noctule.studies.analysis.summaries import STATISTICS, Summary
from noctule.studies.definition import Study
from noctule.studies.experiments import Series, SkippedSeries


class Report(NamedTuple):
    """A finished study."""

    study: Study
    size: str
    conditions: dict[str, Any]
    summaries: list[Summary]
    skipped: list[SkippedSeries]
    published: list[PublishedResult]
    statements: list[StatementResult]
    failures: dict[str, list[str]]  # reasons of flights that did not arrive, by series

    def values(self) -> dict[str, Any]:
        """Return the report as JSON values, without the values of single runs."""
        return {
            "study": self.study.name,
            "title": self.study.title,
            "source": self.study.source,
            "size": self.size,
            "seed": self.study.seed,
            "conditions": self.conditions,
            "series": [
                {"label": one.label, "settings": one.settings, "measures": one.numbers}
                for one in self.summaries
            ],
            "published": [entry._asdict() | {"ratio": entry.ratio} for entry in self.published],
            "statements": [
                entry._asdict() | {"checks": [check._asdict() for check in entry.checks]}
                for entry in self.statements
            ],
            "left_out": [entry._asdict() for entry in self.skipped],
            "did_not_arrive": self.failures,
        }

    def csv(self) -> bytes:
        """Return a CSV table with a row per series and measure."""
        settings = sorted({key for one in self.summaries for key in one.settings})
        statistics = ("n", "runs", "mean", "low", "high", *STATISTICS[1:])
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        about = ("study", "series", "measure", "unit")
        writer.writerow([*about, *statistics, "seed", "noctule", *settings])
        for one in self.summaries:
            for name, numbers in one.numbers.items():
                unit = "share" if MEASURES[name].rate else MEASURES[name].unit
                row: list[Any] = [self.study.name, one.label, name, unit]
                row += [numbers[statistic] for statistic in statistics]
                row += [self.study.seed, __version__]
                writer.writerow([*row, *(one.settings.get(key, "") for key in settings)])
        return out.getvalue().encode()


def conditions(how: str, jobs: int, summaries: Sequence[Summary]) -> dict[str, Any]:
    """Return the conditions that affect times: versions, machine, calibration."""
    about = {
        "noctule": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "run on": how,
        "processes": jobs,
    }
    calibration = {}
    for measure in ("calibration_ms", "calibration_clock_ms"):
        values = [value for one in summaries for run in one.values[measure] for value in run]
        low, median, high = np.percentile(values, [0, 50, 100]).tolist()
        calibration[measure] = {"least": low, "median": median, "most": high}
    return about | calibration


def to_json(value: Any) -> bytes:
    """Return indented JSON."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def counted_json(study: Study, series: list[Series], results: dict[str, Any]) -> bytes:
    """Return the counted results of each task as JSON, with equal bytes on every machine."""
    rows = [
        {"series": one.label, "task": task.settings, "counted": results[task.key]["counted"]}
        for one in series
        for task in one.tasks
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    return f'{{"study": {json.dumps(study.name)}, "tasks": [\n{lines}\n]}}\n'.encode()
