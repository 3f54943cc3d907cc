"""Compare published numbers and statements with the measured numbers."""

import fnmatch
from collections.abc import Sequence
from typing import Any, NamedTuple

from noctule.studies.analysis.measures import MEASURES, format_value
from noctule.studies.analysis.statistics import ratio_interval
from noctule.studies.analysis.summaries import MaybeInterval, Summary
from noctule.studies.definition import Study, StudyError

LIKE = 0.02  # largest difference of a ratio from 1 that counts as "like"

CONFIRMED, REFUTED, OPEN, NOT_TESTED = "confirmed", "refuted", "not decided", "not tested"


class PublishedResult(NamedTuple):
    """A published number and the measured one."""

    what: str  # description
    measure: str
    published: float
    ours: float | None  # measured
    low: float | None  # 95 % interval of the measured number
    high: float | None
    source: str  # document and place in it
    why: str  # explanation of the difference

    @property
    def ratio(self) -> float | None:
        """The measured number divided by the published one."""
        return None if self.ours is None else self.ours / self.published


class CheckResult(NamedTuple):
    """One comparison of a statement."""

    text: str
    verdict: str


class StatementResult(NamedTuple):
    """A statement, its verdict, and its comparisons."""

    text: str
    source: str
    verdict: str
    checks: list[CheckResult]
    remark: str


def compare_published(study: Study, summaries: Sequence[Summary]) -> list[PublishedResult]:
    """Return every published number of a study with the measured one."""
    return [_compared(study, entry, summaries) for entry in study.published]


def _compared(study: Study, entry: dict[str, Any], summaries: Sequence[Summary]) -> PublishedResult:
    measure, statistic = entry["measure"], entry.get("statistic", "mean")
    ones = _matching(study, entry["series"], summaries)
    what = entry.get("what") or f"{entry['series']}: {measure.replace('_', ' ')}"
    ours = low = high = None
    if ones and "to" in entry:
        ours, (low, high) = _ratio(
            measure, statistic, ones, _matching(study, entry["to"], summaries)
        )
        measure = "ratio"  # for its number of digits
    elif ones:
        ours = _mean(measure, statistic, ones)
        if len(ones) == 1 and statistic == "mean":
            low, high = ones[0].interval(measure)
    number = float(entry["value"])
    return PublishedResult(
        what, measure, number, ours, low, high, entry["source"], entry.get("why", "")
    )


def check_statements(study: Study, summaries: Sequence[Summary]) -> list[StatementResult]:
    """Return every statement of a study with its verdict."""
    results = []
    for entry in study.statements:
        checks = [_check(study, check, summaries) for check in entry["checks"]]
        verdicts = {check.verdict for check in checks}
        verdict = next((v for v in (REFUTED, NOT_TESTED, OPEN) if v in verdicts), CONFIRMED)
        results.append(
            StatementResult(
                entry["text"], entry.get("source", ""), verdict, checks, entry.get("remark", "")
            )
        )
    return results


def _check(study: Study, check: dict[str, Any], summaries: Sequence[Summary]) -> CheckResult:
    measure, statistic = check["measure"], check.get("statistic", "mean")
    ones = _matching(study, check["series"], summaries)
    if not ones:
        return CheckResult(f"{check['series']} was not run", NOT_TESTED)
    if "value" in check:
        return _check_value(check, ones)
    others = _matching(study, check["than"], summaries)
    if not others:
        return CheckResult(f"{check['than']} was not run", NOT_TESTED)
    ratio, (low, high) = _ratio(measure, statistic, ones, others)
    if ratio is None:
        return CheckResult(f"{check['series']} or {check['than']} has no {measure}", NOT_TESTED)
    a, b = (format_value(measure, _mean(measure, statistic, some)) for some in (ones, others))
    names = [w if isinstance(w, str) else " and ".join(w) for w in (check["series"], check["than"])]
    text = f"{' to '.join(names)}, {_what(measure, statistic)}: {a} against {b}, {ratio:.4g} times"
    if low is not None and high is not None:
        text += f" ({low:.4g} to {high:.4g})"
    times = float(check.get("times", 1.0))
    return CheckResult(text, _verdict(check["is"], ratio, times, (low, high)))


def _check_value(check: dict[str, Any], ones: list[Summary]) -> CheckResult:
    """Compare with a number; of several series, the worst one counts."""
    measure, statistic, wanted = check["measure"], check.get("statistic", "mean"), check["value"]
    known = [(one, value) for one in ones if (value := one.number(measure, statistic)) is not None]
    if not known:
        return CheckResult(f"{check['series']} has no {measure}", NOT_TESTED)
    worst, value = (max if check["is"] in ("less", "at most") else min)(known, key=lambda k: k[1])
    low = high = None
    shown = f"{worst.label}, {_what(measure, statistic)}: {format_value(measure, value)}"
    if statistic == "mean":
        low, high = worst.interval(measure)
        runs = worst.numbers[measure]["runs"]
        shown += f" in {runs} run{'s' if runs > 1 else ''}"
    if low is not None and high is not None and high > low:
        shown += f" ({format_value(measure, low)} to {format_value(measure, high)})"
        low, high = low / wanted, high / wanted
    text = f"{shown}; claimed: {check['is']} {format_value(measure, wanted)}"
    claim = check["is"]
    if MEASURES[measure].rate and wanted < 1:  # use the interval: a few runs prove little
        claim = {"at least": "more", "at most": "less"}.get(claim, claim)
    return CheckResult(text, _verdict(claim, value / wanted, 1.0, (low, high)))


def _verdict(wanted: str, ratio: float, times: float, interval: MaybeInterval) -> str:
    """Return the verdict on a ratio; `OPEN` if its interval contains `times`."""
    if wanted == "like":
        return CONFIRMED if abs(ratio / times - 1) <= LIKE else REFUTED
    low, high = interval
    if wanted in ("less", "more") and low is not None and high is not None and low <= times <= high:
        return OPEN
    holds = {
        "less": ratio < times,
        "at most": ratio <= times,
        "more": ratio > times,
        "at least": ratio >= times,
    }[wanted]
    return CONFIRMED if holds else REFUTED


def _ratio(
    measure: str, statistic: str, ones: list[Summary], others: list[Summary]
) -> tuple[float | None, MaybeInterval]:
    a, b = (_mean(measure, statistic, some) for some in (ones, others))
    if a is None or not b:
        return None, (None, None)
    interval = None
    if statistic == "mean" and len(ones) == len(others) == 1:
        runs, other_runs = ones[0].values[measure], others[0].values[measure]
        if len(runs) == len(other_runs):
            interval = ratio_interval(runs, other_runs)
    return a / b, interval or (None, None)


def _matching(study: Study, wanted: str | list[str], summaries: Sequence[Summary]) -> list[Summary]:
    """Return the series whose label matches one of the patterns."""
    patterns = [wanted] if isinstance(wanted, str) else wanted
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise StudyError(f"{study.file}: series is {wanted!r}; expected a label or a list of them")
    return [one for one in summaries if any(matches(one.label, p) for p in patterns)]


def matches(label: str, pattern: str) -> bool:
    """Whether a label matches a pattern, in which `%` matches any text.

    >>> matches("a* ε=1, cells", "a* ε=1, %"), matches("ara* ε=1", "a* %")
    (True, False)
    """
    exact = pattern.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")
    return fnmatch.fnmatchcase(label, exact.replace("%", "*"))


def _mean(measure: str, statistic: str, some: list[Summary]) -> float | None:
    values = [one.number(measure, statistic) for one in some]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _what(measure: str, statistic: str) -> str:
    name = measure.replace("_", " ")
    return name if statistic == "mean" else f"{statistic} of {name}"
