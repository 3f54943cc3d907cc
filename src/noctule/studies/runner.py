"""`conduct`: run a study and write its page."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from noctule import __version__
from noctule.files import reading, write_whole
from noctule.pictures import require_matplotlib
from noctule.studies.analysis.claims import compare, judge
from noctule.studies.analysis.summaries import summarise
from noctule.studies.definition import Study, StudyError
from noctule.studies.executors import Done, run_here, run_on_cluster, run_on_pool
from noctule.studies.experiments import LeftOut, Series, Task, expand
from noctule.studies.report.html_page import page
from noctule.studies.report.plots import draw
from noctule.studies.report.report import Report, conditions, counted_json, to_json
from noctule.studies.result_store import Store
from noctule.studies.task_options import check_available

Progress = Callable[[int, int], None]  # finished tasks, all tasks


class How(NamedTuple):
    """How to run a study: size, processes or cluster, whether to resume."""

    size: str = "full"
    jobs: int = 1
    cluster: str | None = None
    resume: bool = False
    maps: Path | None = None


def conduct(study: Study, out: Path, how: How, progress: Progress, command: str) -> Report:
    """Run the tasks without results, and write tables, plots and page into the folder `out`.

    `progress` is called with the numbers of finished and of all tasks; `command` is shown on the
    page as the way to repeat the study.
    """
    require_matplotlib()  # before time is spent on the content of the plots
    series, left_out = available(study, *expand(study, how.size, how.maps))
    if not series:
        raise StudyError(f"{study.name}: nothing can be run: {left_out[0].reason}")
    # First runs first: then processes begin with different series, and compile each of them once.
    tasks = sorted((task for one in series for task in one.tasks), key=lambda t: t.settings["run"])
    about = {"study": study.name, "size": how.size, "noctule": __version__, "tasks": len(tasks)}
    _open_folder(out, how.resume, about)
    store = Store(out / "results.jsonl")
    try:
        waiting = [task for task in tasks if task.key not in store.results]
        done = len(tasks) - len(waiting)
        progress(done, len(tasks))
        for task, result in _run(waiting, how):
            store.keep(task, json.loads(json.dumps(result)))
            done += 1
            progress(done, len(tasks))
    finally:
        store.close()
    results, summaries = store.results, summarise(series, store.results)
    where = f"the dask cluster {how.cluster}" if how.cluster else "processes of one machine"
    failures = {
        one.label: reasons
        for one in series
        if (reasons := [w for task in one.tasks if (w := results[task.key].get("why"))])
    }
    report = Report(
        study,
        how.size,
        conditions(where, how.jobs, summaries),
        summaries,
        left_out,
        compare(study, summaries),
        judge(study, summaries),
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
    study: Study, series: list[Series], left_out: list[LeftOut]
) -> tuple[list[Series], list[LeftOut]]:
    """Return the series that this version can run; others are left out or an error."""
    kept: list[Series] = []
    for one in series:
        try:
            check_available(one.tasks[0].settings)
        except (ValueError, OSError) as problem:
            if not study.skip_unavailable:
                raise StudyError(f"{study.file}: {one.label}: {problem}") from None
            reason = str(problem).partition(";")[0]
            left_out.append(LeftOut(one.label, f"not in this version: {reason}"))
        else:
            kept.append(one)
    return kept, left_out


def _run(tasks: list[Task], how: How) -> Done:
    if how.cluster is not None:
        return run_on_cluster(tasks, how.cluster, how.jobs)
    if how.jobs > 1 and len(tasks) > 1:
        return run_on_pool(tasks, min(how.jobs, len(tasks)))
    return run_here(tasks)


def _open_folder(out: Path, resume: bool, wanted: dict[str, Any]) -> None:
    """Make the folder; refuse one with other files, or with results that are not resumed."""
    about, results = out / "study.json", out / "results.jsonl"
    if about.exists():
        with reading(about, "a description of a study"):
            found = dict(json.loads(about.read_bytes()))
        if not resume and results.exists() and results.stat().st_size > 0:
            raise StudyError(
                f"{out} has results of {found.get('study')} ({found.get('size')}) already; "
                f"--resume goes on with them, --out names another folder"
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
    (out / "index.html").unlink(missing_ok=True)  # there is a page when the study is finished
    write_whole(about, to_json(wanted | {"finished": False}))


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
