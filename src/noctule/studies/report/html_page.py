"""The page of a study: one HTML file that opens from disk and needs nothing else."""

import base64
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from noctule.studies.analysis.claims import CONFIRMED, OPEN, REFUTED, UNTESTED, Compared, Judged
from noctule.studies.analysis.measures import MEASURES, written
from noctule.studies.analysis.summaries import Summary
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

HEAD_COLUMNS = 7  # measures that the table on the page shows at most


def page(report: Report, plots: Iterable[str], folder: Path, command: str) -> bytes:
    """The whole page."""
    study = report.study
    parts = [
        f"<h1>{escape(study.title)}</h1>",
        f'<p class="source">{escape(study.source)}</p>' if study.source else "",
        *(f"<p>{escape(text)}</p>" for text in study.about.strip().split("\n\n") if text),
        _statements(report.judged),
        _published(report.compared),
        _plots(plots, folder),
        _series(report),
        _left_out(report),
        _conditions(report, command),
    ]
    head = f'<meta charset="utf-8"><title>{escape(study.title)}</title><style>{STYLE}</style>'
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    text = f'<!doctype html>\n<html lang="en"><head>{head}{viewport}</head>\n<body>\n'
    return (text + "\n".join(part for part in parts if part) + "\n</body></html>\n").encode()


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
        items.append(f"<li>{mark} {escape(one.text)}{source}{remark}<ul>{checks}</ul></li>")
    return (
        "<h2>What was concluded, and whether it holds here</h2>"
        f"<ul>{''.join(items)}</ul>"
        '<p class="faint">In brackets: 95 % interval of the ratio, over paired runs. Not decided: '
        "the interval holds both answers. Not tested: this version can't run it.</p>"
    )


def _published(compared: list[Compared]) -> str:
    if not compared:
        return ""
    rows = []
    for one in compared:
        ours = "not in this version" if one.ours is None else written(one.measure, one.ours)
        between = ""
        if one.low is not None and one.high is not None and one.high > one.low:
            between = f"{written(one.measure, one.low)} to {written(one.measure, one.high)}"
        ratio = "" if one.ratio is None else f"{one.ratio:.4g}"
        cells = [written(one.measure, one.published), ours, between, ratio]
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
        rows.append(f"<tr><td>{escape(one.what)}</td>{numbers}<td>{escape(one.why)}</td></tr>")
    head = "".join(
        f'<th class="number">{name}</th>'
        for name in ("published", "ours", "95 % interval", "ratio")
    )
    return (
        "<h2>Published, and ours</h2>"
        f'<div class="wide"><table><tr><th></th>{head}<th>what explains it</th></tr>'
        f"{''.join(rows)}</table></div>"
    )


def _plots(names: Iterable[str], folder: Path) -> str:
    figures = []
    for name in names:
        data = base64.b64encode((folder / f"{name}.svg").read_bytes()).decode()
        image = f'<img alt="{name}" src="data:image/svg+xml;base64,{data}">'
        figures.append(f"<figure>{image}</figure>")
    return f"<h2>Plots</h2>{''.join(figures)}" if figures else ""


def columns_of(report: Report) -> list[str]:
    """The measures that tables show: those that the study names, or the first that there are."""
    wanted = report.study.columns or [
        name for name in MEASURES if not name.startswith("calibration")
    ]
    there = [name for name in wanted if any(name in one.numbers for one in report.summaries)]
    return there if report.study.columns else there[:HEAD_COLUMNS]


def _series(report: Report) -> str:
    measures = columns_of(report)
    head = "".join(f'<th class="number">{escape(MEASURES[m].title)}</th>' for m in measures)
    units = "".join(f'<td class="number faint">{_unit(m)}</td>' for m in measures)
    rows = []
    for one in report.summaries:
        cells = "".join(f'<td class="number">{_mean(one, m)}</td>' for m in measures)
        runs = next(iter(one.numbers.values()))["runs"]
        rows.append(f'<tr><td>{escape(one.label)}</td><td class="number">{runs}</td>{cells}</tr>')
    table = (
        f'<div class="wide"><table><tr><th>series</th><th class="number">runs</th>{head}</tr>'
        f"<tr><td></td><td></td>{units}</tr>{''.join(rows)}</table></div>"
    )
    return f"<h2>All series: means, and their 95 % intervals</h2>{table}{_times(report)}"


def _unit(measure: str) -> str:
    return escape(MEASURES[measure].unit)


def _mean(one: Summary, measure: str) -> str:
    text = written(measure, one.number(measure))
    low, high = one.number(measure, "low"), one.number(measure, "high")
    if low is None or high is None or high <= low:
        return text
    return (
        f'{text}<br><span class="faint">{written(measure, low)} to {written(measure, high)}</span>'
    )


def _times(report: Report) -> str:
    """How times are spread: the mean says little of a frame that comes too late."""
    names = ("mean", "p50", "p95", "p99", "max")
    head = "".join(f'<th class="number">{name}</th>' for name in names)
    rows = []
    for measure in ("plan_ms", "update_ms"):
        for one in report.summaries:
            if one.numbers.get(measure, {}).get("n"):
                cells = "".join(
                    f'<td class="number">{written(measure, one.number(measure, name))}</td>'
                    for name in names
                )
                title = escape(MEASURES[measure].title)
                rows.append(f"<tr><td>{escape(one.label)}</td><td>{title}</td>{cells}</tr>")
    return (
        "<h2>Times, in milliseconds</h2>"
        f'<div class="wide"><table><tr><th>series</th><th></th>{head}</tr>{"".join(rows)}'
        "</table></div>"
    )


def _left_out(report: Report) -> str:
    items = [f"<li>{escape(one.label)}: {escape(one.reason)}</li>" for one in report.left_out]
    text = ""
    if items:
        text += f"<h2>Published, but not run here</h2><ul>{''.join(items)}</ul>"
    if report.failures:
        reasons = "".join(
            f"<li>{escape(label)}: {escape('; '.join(why[:12]))}"
            f"{f' and {len(why) - 12} more' if len(why) > 12 else ''}</li>"
            for label, why in report.failures.items()
        )
        text += f"<h2>Flights that did not arrive</h2><ul>{reasons}</ul>"
    return text


def _conditions(report: Report, command: str) -> str:
    about = dict(report.conditions)
    calibration, clock = about.pop("calibration_ms"), about.pop("calibration_clock_ms")
    facts = "; ".join(f"{key} {value}" for key, value in about.items())
    remarks = "".join(f"<li>{escape(text)}</li>" for text in report.study.remarks)
    return (
        "<h2>How it was measured</h2><ul>"
        f"<li>To repeat it: <code>{escape(command)}</code> (size {report.size}, "
        f"seed {report.study.seed}). Lengths, expansions and arrivals come out the same on every "
        "machine; <code>counted.json</code> holds them, task by task.</li>"
        f"<li>{escape(facts)}.</li>"
        f"<li>Times are of this machine, under the load that it had. Calibration: A* through the "
        f"walls C2 of <code>noctule bench</code> took {calibration['median']:.2f} ms beside the "
        f"tasks ({calibration['least']:.2f} to {calibration['most']:.2f}) of CPU time, "
        f"{clock['median']:.2f} on the clock (to {clock['most']:.2f}). Multiply by the ratio to "
        f"your figure to compare machines.</li>"
        "<li>Compiling, loading and a first plan of each kind are done before time is taken. "
        f"{_clocks(report)}</li>"
        f"{remarks}</ul>{_settings(report)}"
    )


def _clocks(report: Report) -> str:
    kinds = {one.settings["kind"] for one in report.summaries}
    texts = {
        "paths": "Single plans: CPU time, the least of some rounds.",
        "replans": "Plans frame by frame: CPU time, each once, the first one included.",
        "flights": "Flights: CPU time of each plan, the first one included; updates of the graph, "
        "and plans that look ahead (safe-intervals, prediction), are on the clock.",
    }
    return " ".join(text for kind, text in texts.items() if kind in kinds)


def _settings(report: Report) -> str:
    def shown(settings: dict[str, Any]) -> str:
        return ", ".join(f"{key} {value}" for key, value in settings.items())

    rows = "".join(
        f"<tr><td>{escape(one.label)}</td><td>{escape(shown(one.settings))}</td></tr>"
        for one in report.summaries
    )
    return (
        "<details><summary>All settings</summary>"
        f'<div class="wide"><table>{rows}</table></div></details>'
    )
