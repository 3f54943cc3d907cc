"""The measures of studies: names, units and digits."""

from typing import NamedTuple


class Measure(NamedTuple):
    """A measure."""

    title: str
    unit: str = ""
    digits: int = 2  # after the decimal point
    rate: bool = False  # mean of values 0 and 1


MEASURES = {
    "length": Measure("path length", "units"),
    "smoothed": Measure("rubber-banded path length", "units"),
    "cost": Measure("path cost", "units"),
    "ratio": Measure("length or cost / reference", "", 4),
    "expanded": Measure("expanded nodes per plan", "", 0),
    "expanded_run": Measure("expanded nodes per run", "", 0),
    "sight_checks": Measure("sight checks per plan", "", 0),
    "sight_walks": Measure("sight checks that visited cells", "", 0),
    "found": Measure("paths found", "", 1, rate=True),
    "verified": Measure("paths verified", "", 1, rate=True),
    "optimal": Measure("lengths as published", "", 1, rate=True),
    "restarted": Measure("plans from scratch", "", 1, rate=True),
    "reached": Measure("flights that arrived", "", 1, rate=True),
    "travelled": Measure("flown length", "units"),
    "seconds": Measure("duration of a flight", "s"),
    "catches": Measure("catches in a minute", "", 2),
    "crashes": Measure("enemies lost to asteroids in a minute", "", 2),
    "nodes": Measure("nodes of the graph", "", 0),
    "changed": Measure("cells changed per update", "", 0),
    "plan_ms": Measure("time per plan", "ms", 3),
    "plan_ms_run": Measure("planning time per run", "ms", 1),
    "peak_ms": Measure("longest plan after the first", "ms", 2),
    "update_ms": Measure("graph update", "ms", 3),
    "calibration_ms": Measure("calibration, CPU time", "ms", 3),
    "calibration_clock_ms": Measure("calibration, elapsed time", "ms", 3),
}


def format_value(name: str, value: float | None) -> str:
    """Return a value of a measure as text."""
    if value is None:
        return "-"
    measure = MEASURES[name]
    if measure.rate:
        return f"{100 * value:.{measure.digits}f} %"
    return f"{value:,.{measure.digits}f}"
