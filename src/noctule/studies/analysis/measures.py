"""The measures of studies: names, units and digits."""

from typing import NamedTuple


class Measure(NamedTuple):
    """A measure."""

    title: str
    unit: str = ""
    digits: int = 2
    rate: bool = False  # a share of yes and no, as 0 and 1


MEASURES = {
    "length": Measure("path length", "units"),
    "smoothed": Measure("rubber-banded path length", "units"),
    "ratio": Measure("length over the reference", "", 4),
    "expanded": Measure("expanded nodes a plan", "", 0),
    "expanded_run": Measure("expanded nodes a run", "", 0),
    "sight_checks": Measure("sight checks a plan", "", 0),
    "sight_walks": Measure("sight checks that were walked", "", 0),
    "found": Measure("paths found", "", 1, rate=True),
    "verified": Measure("paths proven free", "", 1, rate=True),
    "optimal": Measure("lengths as published", "", 1, rate=True),
    "restarted": Measure("plans that restarted", "", 1, rate=True),
    "reached": Measure("flights that arrived", "", 1, rate=True),
    "travelled": Measure("length flown", "units"),
    "seconds": Measure("duration of a flight", "s"),
    "nodes": Measure("nodes of the graph", "", 0),
    "changed": Measure("cells changed an update", "", 0),
    "plan_ms": Measure("time a plan", "ms", 3),
    "plan_ms_run": Measure("planning time a run", "ms", 1),
    "peak_ms": Measure("longest plan of a run but for the first", "ms", 2),
    "update_ms": Measure("graph update", "ms", 3),
    "calibration_ms": Measure("calibration, CPU time", "ms", 3),
    "calibration_clock_ms": Measure("calibration, on the clock", "ms", 3),
}


def written(name: str, value: float | None) -> str:
    """Return a value as text."""
    if value is None:
        return "-"
    measure = MEASURES[name]
    if measure.rate:
        return f"{100 * value:.{measure.digits}f} %"
    return f"{value:,.{measure.digits}f}"
