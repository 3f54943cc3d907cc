"""What a study leaves: tables (CSV, JSON) and all that the page shows, as plain values."""

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
from noctule.studies.analysis.claims import Compared, Judged
from noctule.studies.analysis.measures import MEASURES
from noctule.studies.analysis.summaries import STATISTICS, Summary
from noctule.studies.definition import Study
from noctule.studies.experiments import LeftOut, Series


class Report(NamedTuple):
    """Everything about a finished study."""

    study: Study
    size: str
    conditions: dict[str, Any]
    summaries: list[Summary]
    left_out: list[LeftOut]
    compared: list[Compared]
    judged: list[Judged]
    failures: dict[str, list[str]]  # why flights of a series did not arrive


def conditions(how: str, jobs: int, summaries: Sequence[Summary]) -> dict[str, Any]:
    """What the times depend on, with the calibration beside it."""
    return {
        "noctule": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "run on": how,
        "processes": jobs,
        "calibration_ms": _middle("calibration_ms", summaries),
        "calibration_clock_ms": _middle("calibration_clock_ms", summaries),
    }


def _middle(measure: str, summaries: Sequence[Summary]) -> dict[str, float]:
    values = [value for one in summaries for run in one.values[measure] for value in run]
    low, middle, high = np.percentile(values, [0, 50, 100]).tolist()
    return {"least": low, "median": middle, "most": high}


def as_values(report: Report) -> dict[str, Any]:
    """The report as values that JSON can hold, without the values run by run."""
    study = report.study
    return {
        "study": study.name,
        "title": study.title,
        "source": study.source,
        "size": report.size,
        "seed": study.seed,
        "conditions": report.conditions,
        "series": [
            {"label": one.label, "settings": one.settings, "measures": one.numbers}
            for one in report.summaries
        ],
        "published": [entry._asdict() | {"ratio": entry.ratio} for entry in report.compared],
        "statements": [
            entry._asdict() | {"checks": [check._asdict() for check in entry.checks]}
            for entry in report.judged
        ],
        "left_out": [entry._asdict() for entry in report.left_out],
        "did_not_arrive": report.failures,
    }


def json_of(value: Any) -> bytes:
    """Readable JSON."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def counted_json(study: Study, series: list[Series], results: dict[str, Any]) -> bytes:
    """What does not depend on the machine, task by task: the same bytes in every run."""
    rows = [
        {"series": one.label, "task": task.settings, "counted": results[task.key]["counted"]}
        for one in series
        for task in one.tasks
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    return f'{{"study": {json.dumps(study.name)}, "tasks": [\n{lines}\n]}}\n'.encode()


def csv_of(summaries: Sequence[Summary], study: Study) -> bytes:
    """One row a series and measure, with all settings."""
    settings = sorted({key for one in summaries for key in one.settings})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    statistics = ("n", "runs", "mean", "low", "high", *STATISTICS[1:])
    head = ["study", "series", "measure", "unit", *statistics, "seed", "noctule", *settings]
    writer.writerow(head)
    for one in summaries:
        for measure, numbers in one.numbers.items():
            about = MEASURES[measure]
            row: list[Any] = [study.name, one.label, measure, "share" if about.rate else about.unit]
            row += [numbers[name] for name in statistics]
            row += [study.seed, __version__, *(one.settings.get(key, "") for key in settings)]
            writer.writerow(row)
    return out.getvalue().encode()
