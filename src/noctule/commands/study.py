"""`noctule study`: a published experiment, repeated."""

import shlex
from functools import partial
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from noctule.commands.shared.options import OUTPUT, Json, flag, option
from noctule.commands.shared.tables import (
    columns,
    console,
    notes,
    print_json,
    progress_bar,
    stoppable,
    styled,
)

if TYPE_CHECKING:
    from noctule.studies.definition import Study
    from noctule.studies.report.report import Report
    from noctule.studies.runner import RunOptions

FOLDER = "noctule-studies"
COLOURS = {"confirmed": "green", "refuted": "bold red"}


def study(
    name: Annotated[
        str | None,
        Parameter(name="NAME", help="A study, a file of your own (.toml), or all; else a list."),
    ] = None,
    /,
    *,
    quick: Annotated[bool, flag("Fewer runs: under two minutes.")] = False,
    out: Annotated[
        File | None, option(f"The folder for results. [default: {FOLDER}/NAME]", OUTPUT)
    ] = None,
    resume: Annotated[bool, flag("Continue a stopped study in its folder.")] = False,
    jobs: Annotated[int | None, option("Processes that run at once. [default: one a core]")] = None,
    cluster: Annotated[
        str | None, option("Run on the dask cluster with this address, or on a 'local' one.")
    ] = None,
    maps: Annotated[
        File | None, option("Folder of benchmark maps with their scenarios (plane, warframe).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Repeat a published experiment: table, plots, and a page with published and own numbers."""
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs is {jobs}; expected a whole number from 1 on")
    if maps is not None and not maps.is_dir():
        raise ValueError(f"--maps is '{maps}'; there is no such folder")
    from noctule.studies.definition import BUILT_IN, load_study

    every = name in (None, "all")
    studies = [load_study(one) for one in (BUILT_IN if every else [str(name)])]
    if name is None:
        _list(studies, as_json)
        return 0
    from noctule.studies.runner import RunOptions, cores

    how = RunOptions("quick" if quick else "full", jobs or cores(), cluster, resume, maps)
    values = []
    for one in studies:
        folder = one.name if how.size == "full" else f"{one.name}-{how.size}"
        target = File(FOLDER) / folder if out is None else out / folder if every else out
        with stoppable(partial(_kept, target)):
            report = _conduct(one, target, how, name)
        if report is None:
            continue
        values.append(report.values() | {"folder": str(target)})
        if not as_json:
            _show(report, target)
    if as_json:
        print_json(values if every else values[0])
    return 0


def _kept(folder: File) -> str:
    """Say what a stopped study has left."""
    results = folder / "results.jsonl"
    lines = results.read_bytes().count(b"\n") if results.exists() else 0
    if not lines:
        return "nothing was kept"
    return f"{lines} results are kept in {folder}; to go on, add --resume"


def _list(studies: "list[Study]", as_json: bool) -> None:
    if as_json:
        print_json([{"name": s.name, "title": s.title, "source": s.source} for s in studies])
        return
    table = columns("study", "what it compares", "after", left=3)
    for one in studies:
        table.add_row(styled(one.name, "bold"), one.title, one.after)
    console().print(table)
    console().print("\nBegin with: noctule study lazy-theta --quick")


def _conduct(study: "Study", folder: File, how: "RunOptions", asked: str) -> "Report | None":
    """Run one study under a progress bar; of all, skip one that cannot be run."""
    from noctule.studies.definition import StudyError
    from noctule.studies.runner import run_study

    words = ["noctule", "study", study.name if asked == "all" else asked]
    words += ["--quick"] if how.size == "quick" else []
    words += ["--maps", "FOLDER"] if how.maps else []
    with progress_bar() as bar:
        line = bar.add_task(f"{study.name}: preparing", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(line, description=study.name, completed=done, total=total)

        try:
            return run_study(study, folder, how, progress, shlex.join(words))
        except StudyError as problem:
            if asked != "all" or "nothing can be run" not in str(problem):
                raise
            notes().print(f"left out: {problem}", soft_wrap=True)
            return None


def _show(report: "Report", folder: File) -> None:
    from noctule.studies.analysis.measures import format_value

    screen = console()
    screen.print(styled(f"\n{report.study.title}", "bold"))
    for one in report.statements:
        screen.print(styled(f"  {one.verdict:12}", COLOURS.get(one.verdict, "yellow")), one.text)
    if report.published:
        table = columns("", "published", "ours", "ratio")
        for row in report.published:
            ratio = "-" if row.ratio is None else f"{row.ratio:.4g}"
            numbers = (format_value(row.measure, value) for value in (row.published, row.ours))
            table.add_row(row.what, *numbers, ratio)
        screen.print(table)
    reasons: dict[str, list[str]] = {}
    for label, reason in report.skipped:
        reasons.setdefault(reason, []).append(label)
    for reason, labels in reasons.items():
        screen.print(f"not run: {'; '.join(labels)}: {reason}", soft_wrap=True)
    screen.print(f"\nPage: {folder / 'index.html'}", soft_wrap=True)
