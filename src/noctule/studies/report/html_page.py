"""The page of a study: one HTML file that opens from disk and needs nothing else."""

import base64
from collections.abc import Iterable
from html import escape
from pathlib import Path

from noctule.studies.analysis.claims import CONFIRMED, OPEN, REFUTED, UNTESTED, Compared, Judged
from noctule.studies.analysis.measures import MEASURES, written
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

WORDS = {CONFIRMED: "confirmed", REFUTED: "refuted", OPEN: "open", UNTESTED: "untested"}

HEAD_COLUMNS = 7  # largest number of measures in the table on the page

CLOCKS = {
    "paths": "Single plans: CPU time, the least of some rounds.",
    "replans": "Plans frame by frame: CPU time, each once, the first one included.",
    "flights": "Flights: CPU time of each plan, the first one included; updates of the graph "
    "are on the clock.",
}


def page(report: Report, plots: Iterable[str], folder: Path, command: str) -> bytes:
    """Return the whole page."""
    study = report.study
    parts = [
        f"<h1>{escape(study.title)}</h1>",
        f'<p class="source">{escape(study.source)}</p>' if study.source else "",
        *(f"<p>{escape(text)}</p>" for text in study.about.strip().split("\n\n") if text),
        _statements(report.judged),
        _published(report.compared),
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
    return f"{written(measure, low)} to {written(measure, high)}"


def _statements(judged: list[Judged]) -> str:
    if not judged:
        return ""
    items = []
    for one in judged:
        checks = "".join(
            f'<li class="faint">{escape(check.text)} <i>({check.verdict})</i></li>'
            for check in one.checks
        )
        source = f' <span class="faint">({escape(one.source)})</span>' if one.source else ""
        remark = f"<br>{escape(one.remark)}" if one.remark else ""
        mark = f'<span class="verdict {WORDS[one.verdict]}">{one.verdict}</span>'
        items.append(f"{mark} {escape(one.text)}{source}{remark}<ul>{checks}</ul>")
    return (
        f"<h2>What was concluded, and whether it holds here</h2>{_list(items)}"
        '<p class="faint">In brackets: 95 % interval of the ratio, over paired runs. Not decided: '
        "the interval holds both answers. Not tested: this version can't run it.</p>"
    )


def _published(compared: list[Compared]) -> str:
    if not compared:
        return ""
    names = ("published", "ours", "95 % interval", "ratio")
    rows = [_row([""], names, "th", "<th>what explains it</th>")]
    for one in compared:
        numbers = [
            written(one.measure, one.published),
            "not in this version" if one.ours is None else written(one.measure, one.ours),
            _range(one.measure, (one.low, one.high)),
            "" if one.ratio is None else f"{one.ratio:.4g}",
        ]
        what = f'{escape(one.what)}<br><span class="faint">{escape(one.source)}</span>'
        rows.append(_row([what], numbers, last=f"<td>{escape(one.why)}</td>"))
    return f"<h2>Published, and ours</h2>{_table(rows)}"


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
    return f"<h2>All series: means, and their 95 % intervals</h2>{_table(rows)}"


def _columns(report: Report) -> list[str]:
    """Return the measures of the table: those that the study names, or the first that exist."""
    wanted = report.study.columns or [
        name for name in MEASURES if not name.startswith("calibration")
    ]
    there = [name for name in wanted if any(name in one.numbers for one in report.summaries)]
    return there if report.study.columns else there[:HEAD_COLUMNS]


def _mean(one: Summary, measure: str) -> str:
    text, between = written(measure, one.number(measure)), _range(measure, one.interval(measure))
    return f'{text}<br><span class="faint">{between}</span>' if between else text


def _times(report: Report) -> str:
    names = ("mean", "p50", "p95", "p99", "max")
    rows = [_row(["series", ""], names, "th")]
    for measure in ("plan_ms", "update_ms"):
        for one in report.summaries:
            if one.number(measure, "n"):
                texts = [escape(one.label), escape(MEASURES[measure].title)]
                rows.append(_row(texts, (written(measure, one.number(measure, n)) for n in names)))
    return f"<h2>Times, in milliseconds</h2>{_table(rows)}"


def _left_out(report: Report) -> str:
    text = ""
    if report.left_out:
        items = [f"{escape(label)}: {escape(reason)}" for label, reason in report.left_out]
        text += f"<h2>Published, but not run here</h2>{_list(items)}"
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
        f"To repeat it: <code>{escape(command)}</code> (size {report.size}, "
        f"seed {report.study.seed}). Lengths, expansions and arrivals come out the same on every "
        "machine; <code>counted.json</code> holds them, task by task.",
        escape("; ".join(f"{key} {value}" for key, value in about.items())) + ".",
        "Times are of this machine, under the load that it had. Calibration: A* through the "
        f"walls C2 of <code>noctule bench</code> took {calibration['median']:.2f} ms beside the "
        f"tasks ({calibration['least']:.2f} to {calibration['most']:.2f}) of CPU time, "
        f"{clock['median']:.2f} on the clock (to {clock['most']:.2f}). Multiply by the ratio to "
        "your figure to compare machines.",
        "Compiling, loading and a first plan of each kind are done before time is taken. "
        + " ".join(text for kind, text in CLOCKS.items() if kind in kinds),
        *map(escape, report.study.remarks),
    ]
    rows = []
    for one in report.summaries:
        settings = ", ".join(f"{key} {value}" for key, value in one.settings.items())
        rows.append(_row([escape(one.label), escape(settings)], []))
    return (
        f"<h2>How it was measured</h2>{_list(items)}"
        f"<details><summary>All settings</summary>{_table(rows)}</details>"
    )
