"""`run_study`: run a study and write its report."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from noctule import __version__
from noctule.files import reading, write_whole
from noctule.pictures import require_matplotlib
from noctule.studies.analysis.claims import check_statements, compare_published
from noctule.studies.analysis.summaries import summarise
from noctule.studies.definition import Study, StudyError
from noctule.studies.executors import run_tasks
from noctule.studies.experiments import Series, SkippedSeries, expand
from noctule.studies.report.html_page import page
from noctule.studies.report.plots import draw
from noctule.studies.report.report import Report, conditions, counted_json, to_json
from noctule.studies.result_store import Store
from noctule.studies.task_options import check_available

Progress = Callable[[int, int], None]  # finished tasks, all tasks


class RunOptions(NamedTuple):
    """Options of a run of a study."""

    size: str = "full"  # one of `SIZES`
    jobs: int = 1  # processes
    cluster: str | None = None  # address of a dask scheduler, or "local"
    resume: bool = False  # reuse the results in the folder
    maps: Path | None = None  # folder of benchmark maps


def run_study(
    study: Study, out: Path, options: RunOptions, progress: Progress, command: str
) -> Report:
    """Run the tasks that have no results yet; write tables, plots and page to the folder `out`.

    `progress` is called with the number of finished tasks and their total number. `command` is
    printed on the page: it repeats the study.
    """
    require_matplotlib()  # fails early if it is missing
    series, skipped = available(study, *expand(study, options.size, options.maps))
    if not series:
        raise StudyError(f"{study.name}: nothing can be run: {skipped[0].reason}")
    # Sort by run, so that processes start with different series and compile each of them once.
    tasks = sorted((task for one in series for task in one.tasks), key=lambda t: t.settings["run"])
    about = {"study": study.name, "size": options.size, "noctule": __version__, "tasks": len(tasks)}
    _open_folder(out, options.resume, about)
    store = Store(out / "results.jsonl")
    try:
        waiting = [task for task in tasks if task.key not in store.results]
        done = len(tasks) - len(waiting)
        progress(done, len(tasks))
        for task, result in run_tasks(waiting, options.jobs, options.cluster):
            store.add(task, json.loads(json.dumps(result)))
            done += 1
            progress(done, len(tasks))
    finally:
        store.close()
    results, summaries = store.results, summarise(series, store.results)
    where = f"the dask cluster {options.cluster}" if options.cluster else "processes of one machine"
    failures = {
        one.label: reasons
        for one in series
        if (reasons := [w for task in one.tasks if (w := results[task.key].get("why"))])
    }
    report = Report(
        study,
        options.size,
        conditions(where, options.jobs, summaries),
        summaries,
        skipped,
        compare_published(study, summaries),
        check_statements(study, summaries),
        failures,
    )
    write_whole(out / "counted.json", counted_json(study, series, results))
    write_whole(out / "table.csv", report.csv())
    write_whole(out / "table.json", to_json(report.values()))
    content = page(report, draw(study, summaries, out), out, command)
    write_whole(out / "study.json", to_json(about | {"finished": True}))
    write_whole(out / "index.html", content)
    return report


def available(
    study: Study, series: list[Series], skipped: list[SkippedSeries]
) -> tuple[list[Series], list[SkippedSeries]]:
    """Return the series that this version can run, and those that are skipped.

    Raises StudyError for the latter unless the study allows it.
    """
    kept: list[Series] = []
    for one in series:
        try:
            check_available(one.tasks[0].settings)
        except (ValueError, OSError) as problem:
            if not study.skip_unavailable:
                raise StudyError(f"{study.file}: {one.label}: {problem}") from None
            reason = str(problem).partition(";")[0]
            skipped.append(SkippedSeries(one.label, f"not in this version: {reason}"))
        else:
            kept.append(one)
    return kept, skipped


def _open_folder(out: Path, resume: bool, wanted: dict[str, Any]) -> None:
    """Create the folder; refuse one with other files, or with results that are not resumed."""
    about, results = out / "study.json", out / "results.jsonl"
    if about.exists():
        with reading(about, "a description of a study"):
            found = dict(json.loads(about.read_bytes()))
        if not resume and results.exists() and results.stat().st_size > 0:
            raise StudyError(
                f"{out} has results of {found.get('study')} ({found.get('size')}) already; "
                f"--resume continues with them, --out names another folder"
            )
        for key, value in wanted.items():
            if resume and found.get(key) != value:
                raise StudyError(
                    f"{out} can't be resumed: its {key} is {found.get(key)}, not {value}; "
                    f"--out names another folder"
                )
    elif out.is_dir() and any(out.iterdir()):
        raise StudyError(f"{out} is not empty, and not of a study; --out names another folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as problem:
        raise StudyError(f"can't write into {out}: {(problem.strerror or '').lower()}") from None
    (out / "index.html").unlink(missing_ok=True)  # written again when the study is finished
    write_whole(about, to_json(wanted | {"finished": False}))


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
