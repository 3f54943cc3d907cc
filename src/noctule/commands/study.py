"""`noctule study`: a published experiment, reproduced."""

import shlex
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from noctule.commands.shared_options import OUTPUT, Json
from noctule.commands.tables import columns, console, notes, print_json

if TYPE_CHECKING:
    from noctule.studies.definition import Study
    from noctule.studies.report.report import Report
    from noctule.studies.runner import How

FOLDER = "noctule-studies"
STOPPED = 130  # exit code after Ctrl-C
COLOURS = {"confirmed": "green", "refuted": "bold red"}


def study(
    name: Annotated[
        str | None,
        Parameter(name="NAME", help="A study, a file of your own (.toml), or all; else a list."),
    ] = None,
    /,
    *,
    quick: Annotated[
        bool, Parameter(negative="", show_default=False, help="Fewer runs: under two minutes.")
    ] = False,
    out: Annotated[
        File | None,
        Parameter(group=OUTPUT, help=f"The folder for results. [default: {FOLDER}/NAME]"),
    ] = None,
    resume: Annotated[
        bool,
        Parameter(
            negative="", show_default=False, help="Go on where a study stopped, in its folder."
        ),
    ] = False,
    jobs: Annotated[
        int | None, Parameter(help="Processes that run at once. [default: one a core]")
    ] = None,
    cluster: Annotated[
        str | None,
        Parameter(help="Run on the dask cluster with this address, or on a 'local' one."),
    ] = None,
    maps: Annotated[
        File | None,
        Parameter(help="Folder of benchmark maps with their scenarios (plane, warframe)."),
    ] = None,
    as_json: Json = False,
) -> int:
    """Repeat a published experiment: table, plots, and a page with published and own numbers."""
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs is {jobs}; expected a whole number from 1 on")
    if maps is not None and not maps.is_dir():
        raise ValueError(f"--maps is '{maps}'; there is no such folder")
    from noctule.studies.definition import BUILT_IN, load_study

    if name is None:
        return _list(as_json)
    names = list(BUILT_IN) if name == "all" else [name]
    studies = [load_study(one) for one in names]
    from noctule.studies.runner import How, cores

    how = How("quick" if quick else "full", jobs or cores(), cluster, resume, maps)
    reports = []
    for one in studies:
        folder = _folder(one, how, out, several=name == "all")
        try:
            report = _conduct(one, folder, how, name)
        except KeyboardInterrupt:
            notes().print(f"\nStopped. To go on: add --resume (results are in {folder})")
            return STOPPED
        if report is not None:
            reports.append((report, folder))
            if not as_json:
                _show(report, folder)
    if as_json:
        from noctule.studies.report.report import as_values

        values = [as_values(report) | {"folder": str(folder)} for report, folder in reports]
        print_json(values if name == "all" else values[0])
    return 0


def _list(as_json: bool) -> int:
    from noctule.studies.definition import BUILT_IN, load_study

    studies = [load_study(name) for name in BUILT_IN]
    if as_json:
        print_json([{"name": s.name, "title": s.title, "source": s.source} for s in studies])
        return 0
    table = columns("study", "what it compares", "after", left=3)
    for one in studies:
        table.add_row(Text(one.name, "bold"), one.title, one.after)
    console().print(table)
    console().print("\nBegin with: noctule study lazy-theta --quick")
    return 0


def _folder(study: "Study", how: "How", out: File | None, several: bool) -> File:
    """Where results go: a folder for each study and size."""
    name = study.name if how.size == "full" else f"{study.name}-{how.size}"
    if out is None:
        return File(FOLDER) / name
    return out / name if several else out


def _conduct(study: "Study", folder: File, how: "How", asked: str) -> "Report | None":
    """Run one study under a bar; of several, one that can't be run is told and left out."""
    from noctule.studies.definition import StudyError
    from noctule.studies.runner import conduct

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=notes(),
        transient=True,
    )
    with bar:
        line = bar.add_task(f"{study.name}: preparing", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(line, description=study.name, completed=done, total=total)

        try:
            return conduct(study, folder, how, progress, _command(asked, study, how))
        except StudyError as problem:
            if asked != "all" or "nothing can be run" not in str(problem):
                raise
            notes().print(f"left out: {problem}", soft_wrap=True)
            return None


def _command(asked: str, study: "Study", how: "How") -> str:
    words = ["noctule", "study", study.name if asked == "all" else asked]
    words += ["--quick"] if how.size == "quick" else []
    words += ["--maps", "FOLDER"] if how.maps else []
    return shlex.join(words)


def _show(report: "Report", folder: File) -> None:
    screen = console()
    screen.print(Text(f"\n{report.study.title}", "bold"))
    for one in report.judged:
        screen.print(Text(f"  {one.verdict:12}", COLOURS.get(one.verdict, "yellow")), one.text)
    if report.compared:
        screen.print(_compared(report))
    reasons: dict[str, list[str]] = {}
    for left_out in report.left_out:
        reasons.setdefault(left_out.reason, []).append(left_out.label)
    for reason, labels in reasons.items():
        screen.print(f"not run: {'; '.join(labels)}: {reason}", soft_wrap=True)
    screen.print(f"\nPage: {folder / 'index.html'}", soft_wrap=True)


def _compared(report: "Report") -> Any:
    from noctule.studies.analysis.measures import written

    table = columns("", "published", "ours", "ratio")
    for one in report.compared:
        ratio = "-" if one.ratio is None else f"{one.ratio:.4g}"
        ours = written(one.measure, one.ours)
        table.add_row(one.what, written(one.measure, one.published), ours, ratio)
    return table
