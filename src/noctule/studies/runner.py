"""`conduct`: run a study from its file to its page."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from noctule import __version__
from noctule.pictures import require_matplotlib
from noctule.studies.analysis.claims import compare, judge
from noctule.studies.analysis.summaries import summarise
from noctule.studies.definition import Study, StudyError
from noctule.studies.executors import Done, run_here, run_on_cluster, run_on_pool
from noctule.studies.experiments import LeftOut, Series, Task, expand
from noctule.studies.report.html_page import page
from noctule.studies.report.plots import draw
from noctule.studies.report.report import (
    Report,
    as_values,
    conditions,
    counted_json,
    csv_of,
    json_of,
)
from noctule.studies.result_store import Store, write_whole
from noctule.studies.task_options import check_available

Progress = Callable[[int, int], None]  # tasks done, and tasks in all


class How(NamedTuple):
    """Where a study is run, and at which size."""

    size: str = "full"
    jobs: int = 1
    cluster: str | None = None
    resume: bool = False
    maps: Path | None = None


def conduct(study: Study, out: Path, how: How, progress: Progress, command: str) -> Report:
    """Run what is not done yet, and write tables, plots and page into a folder.

    Parameters
    ----------
    study : Study
        What to run.
    out : Path
        The folder; it is made if it is not there.
    how : How
        Size, processes or cluster, and whether to go on with what the folder has.
    progress : function
        Told how many tasks are done, of how many.
    command : str
        What one types to repeat it, for the page.
    """
    require_matplotlib()  # before time is spent on what it shows
    series, left_out = available(study, *expand(study, how.size, how.maps))
    if not series:
        raise StudyError(f"{study.name}: nothing can be run: {left_out[0].reason}")
    # First runs first: then processes begin with different series, and compile each of them once.
    tasks = sorted((task for one in series for task in one.tasks), key=lambda t: t.settings["run"])
    _open_folder(study, out, how, tasks)
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
    return _finish(study, out, how, series, left_out, store.results, command)


def available(
    study: Study, series: list[Series], left_out: list[LeftOut]
) -> tuple[list[Series], list[LeftOut]]:
    """The series that this version can run; the others are an error, unless the study skips."""
    kept: list[Series] = []
    for one in series:
        try:
            check_available(one.tasks[0].settings)
        except (ValueError, OSError) as problem:
            if not study.skip_unavailable:
                raise StudyError(f"{study.file}: {one.label}: {problem}") from None
            reason = str(problem).partition(";")[0]  # what there is instead is of no use here
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


def _open_folder(study: Study, out: Path, how: How, tasks: list[Task]) -> None:
    """Make the folder, or see whether it has the beginning of this very study."""
    about = out / "study.json"
    wanted = {"study": study.name, "size": how.size, "noctule": __version__, "tasks": len(tasks)}
    if about.exists():
        found = json.loads(about.read_bytes())
        if not how.resume and _has_results(out):
            raise StudyError(
                f"{out} has results of {found.get('study')} ({found.get('size')}) already; "
                f"--resume goes on with them, --out names another folder"
            )
        for key, value in wanted.items():
            if how.resume and found.get(key) != value:
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
    (out / "index.html").unlink(missing_ok=True)  # a page is there when the study is finished
    write_whole(about, json_of(wanted | {"finished": False}))


def _has_results(out: Path) -> bool:
    file = out / "results.jsonl"
    return file.exists() and file.stat().st_size > 0


def _finish(
    study: Study,
    out: Path,
    how: How,
    series: list[Series],
    left_out: list[LeftOut],
    results: dict[str, Any],
    command: str,
) -> Report:
    summaries = summarise(series, results)
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
    write_whole(out / "table.csv", csv_of(summaries, study))
    write_whole(out / "table.json", json_of(as_values(report)))
    plots = draw(study, summaries, out)
    content = page(report, plots, out, command)
    about = json.loads((out / "study.json").read_bytes())
    write_whole(out / "study.json", json_of(about | {"finished": True}))
    write_whole(out / "index.html", content)
    return report


def cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
