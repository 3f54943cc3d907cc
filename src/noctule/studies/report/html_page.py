"""The page of a study: one self-contained HTML file."""

import base64
from collections.abc import Iterable
from html import escape
from pathlib import Path

from noctule.studies.analysis.claims import (
    CONFIRMED,
    NOT_TESTED,
    OPEN,
    REFUTED,
    PublishedResult,
    StatementResult,
)
from noctule.studies.analysis.measures import MEASURES, format_value
from noctule.studies.analysis.summaries import MaybeInterval, Summary
from noctule.studies.report.report import Report

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2937; background: #fff;
       max-width: 68rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #e5e7eb; }
.source, .faint { color: #6b7280; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; margin: .8rem 0; }
th { text-align: left; border-bottom: 2px solid #9ca3af; }
th, td { padding: .25rem .7rem .25rem 0; vertical-align: top; }
td { border-bottom: 1px solid #eef0f3; }
td:first-child { min-width: 11rem; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; } th { vertical-align: bottom; }
.verdict { display: inline-block; min-width: 6.5rem; font-weight: 600; }
.confirmed { color: #166534; } .refuted { color: #b91c1c; }
.open, .untested { color: #92400e; }
figure { margin: 1.2rem 0; } figure img { max-width: 100%; }
li { margin: .5rem 0; } code { background: #f3f4f6; padding: 0 .25rem; }
"""

WORDS = {CONFIRMED: "confirmed", REFUTED: "refuted", OPEN: "open", NOT_TESTED: "untested"}

HEAD_COLUMNS = 7  # largest number of measures in the table on the page

CLOCKS = {
    "paths": "Single plans: CPU time, minimum of some rounds.",
    "replans": "Plans in every frame: CPU time of each plan, including the first.",
    "flights": "Flights: CPU time of each plan, including the first; elapsed time of graph "
    "updates.",
    "hunts": "Games: CPU time for all enemies, frame by frame.",
}


def page(report: Report, plots: Iterable[str], folder: Path, command: str) -> bytes:
    """Return the page as bytes."""
    study = report.study
    parts = [
        f"<h1>{escape(study.title)}</h1>",
        f'<p class="source">{escape(study.source)}</p>' if study.source else "",
        *(f"<p>{escape(text)}</p>" for text in study.about.strip().split("\n\n") if text),
        _statements(report.statements),
        _published(report.published),
        _plots(plots, folder),
        _series(report),
        _times(report),
        _left_out(report),
        _conditions(report, command),
    ]
    head = f'<meta charset="utf-8"><title>{escape(study.title)}</title><style>{STYLE}</style>'
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    text = f'<!doctype html>\n<html lang="en"><head>{head}{viewport}</head>\n<body>\n'
    return (text + "\n".join(part for part in parts if part) + "\n</body></html>\n").encode()


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _row(texts: Iterable[str], numbers: Iterable[str], tag: str = "td", last: str = "") -> str:
    cells = [f"<{tag}>{text}</{tag}>" for text in texts]
    cells += [f'<{tag} class="number">{number}</{tag}>' for number in numbers]
    return f"<tr>{''.join(cells)}{last}</tr>"


def _table(rows: Iterable[str]) -> str:
    return f'<div class="wide"><table>{"".join(rows)}</table></div>'


def _range(measure: str, interval: MaybeInterval) -> str:
    low, high = interval
    if low is None or high is None or high <= low:
        return ""
    return f"{format_value(measure, low)} to {format_value(measure, high)}"


def _statements(statements: list[StatementResult]) -> str:
    if not statements:
        return ""
    items = []
    for one in statements:
        checks = "".join(
            f'<li class="faint">{escape(check.text)} <i>({check.verdict})</i></li>'
            for check in one.checks
        )
        source = f' <span class="faint">({escape(one.source)})</span>' if one.source else ""
        remark = f"<br>{escape(one.remark)}" if one.remark else ""
        mark = f'<span class="verdict {WORDS[one.verdict]}">{one.verdict}</span>'
        items.append(f"{mark} {escape(one.text)}{source}{remark}<ul>{checks}</ul>")
    return (
        f"<h2>Published claims and our results</h2>{_list(items)}"
        '<p class="faint">In brackets: 95 % interval of the ratio over paired runs, if there is '
        "more than one run. Not decided: the interval includes both outcomes. Not tested: this "
        "version cannot run it.</p>"
    )


def _published(published: list[PublishedResult]) -> str:
    if not published:
        return ""
    names = ("published", "ours", "95 % interval", "ratio")
    rows = [_row([""], names, "th", "<th>explanation</th>")]
    for one in published:
        numbers = [
            format_value(one.measure, one.published),
            "not in this version" if one.ours is None else format_value(one.measure, one.ours),
            _range(one.measure, (one.low, one.high)),
            "" if one.ratio is None else f"{one.ratio:.4g}",
        ]
        what = f'{escape(one.what)}<br><span class="faint">{escape(one.source)}</span>'
        rows.append(_row([what], numbers, last=f"<td>{escape(one.why)}</td>"))
    return f"<h2>Published numbers and ours</h2>{_table(rows)}"


def _plots(names: Iterable[str], folder: Path) -> str:
    figures = []
    for name in names:
        data = base64.b64encode((folder / f"{name}.svg").read_bytes()).decode()
        image = f'<img alt="{name}" src="data:image/svg+xml;base64,{data}">'
        figures.append(f"<figure>{image}</figure>")
    return f"<h2>Plots</h2>{''.join(figures)}" if figures else ""


def _series(report: Report) -> str:
    measures = _columns(report)
    rows = [_row(["series"], ["runs", *(escape(MEASURES[m].title) for m in measures)], "th")]
    units = "".join(f'<td class="number faint">{escape(MEASURES[m].unit)}</td>' for m in measures)
    rows.append(_row(["", ""], [], last=units))
    for one in report.summaries:
        runs = next(iter(one.numbers.values()))["runs"]
        rows.append(_row([escape(one.label)], [str(runs), *(_mean(one, m) for m in measures)]))
    return f"<h2>All series: means with 95 % intervals</h2>{_table(rows)}"


def _columns(report: Report) -> list[str]:
    """Return the measures of the table: those of the study file, or the first measured ones."""
    wanted = report.study.columns or [
        name for name in MEASURES if not name.startswith("calibration")
    ]
    found = [name for name in wanted if any(name in one.numbers for one in report.summaries)]
    return found if report.study.columns else found[:HEAD_COLUMNS]


def _mean(one: Summary, measure: str) -> str:
    text, between = (
        format_value(measure, one.number(measure)),
        _range(measure, one.interval(measure)),
    )
    return f'{text}<br><span class="faint">{between}</span>' if between else text


def _times(report: Report) -> str:
    names = ("mean", "p50", "p95", "p99", "max")
    rows = [_row(["series", ""], names, "th")]
    for measure in ("plan_ms", "update_ms"):
        for one in report.summaries:
            if one.number(measure, "n"):
                texts = [escape(one.label), escape(MEASURES[measure].title)]
                rows.append(
                    _row(texts, (format_value(measure, one.number(measure, n)) for n in names))
                )
    return f"<h2>Times, in milliseconds</h2>{_table(rows)}"


def _left_out(report: Report) -> str:
    text = ""
    if report.skipped:
        items = [f"{escape(label)}: {escape(reason)}" for label, reason in report.skipped]
        text += f"<h2>Published, but not run</h2>{_list(items)}"
    if report.failures:
        items = []
        for label, reasons in report.failures.items():
            more = f" and {len(reasons) - 12} more" if len(reasons) > 12 else ""
            items.append(f"{escape(label)}: {escape('; '.join(reasons[:12]))}{more}")
        text += f"<h2>Flights that did not arrive</h2>{_list(items)}"
    return text


def _conditions(report: Report, command: str) -> str:
    about = dict(report.conditions)
    calibration, clock = about.pop("calibration_ms"), about.pop("calibration_clock_ms")
    kinds = {one.settings["kind"] for one in report.summaries}
    items = [
        f"Command: <code>{escape(command)}</code> (size {report.size}, "
        f"seed {report.study.seed}). Lengths, expansions and arrivals are the same on every "
        "machine; <code>counted.json</code> has them for each task.",
        escape("; ".join(f"{key} {value}" for key, value in about.items())) + ".",
        "Times depend on this machine and its load. Calibration: A* on the walls C2 of "
        f"<code>noctule bench</code>, measured with each task, took {calibration['median']:.2f} "
        f"ms of CPU time ({calibration['least']:.2f} to {calibration['most']:.2f}) and "
        f"{clock['median']:.2f} ms of elapsed time (at most {clock['most']:.2f}). To compare "
        "machines, scale times by the ratio of their calibrations.",
        "Kernels are compiled and warmed up before the measurement. "
        + " ".join(text for kind, text in CLOCKS.items() if kind in kinds),
        *map(escape, report.study.remarks),
    ]
    rows = []
    for one in report.summaries:
        settings = ", ".join(f"{key} {value}" for key, value in one.settings.items())
        rows.append(_row([escape(one.label), escape(settings)], []))
    return (
        f"<h2>Method</h2>{_list(items)}"
        f"<details><summary>All settings</summary>{_table(rows)}</details>"
    )
