"""The same study on one process, on a pool and on a dask cluster; interrupted, killed, resumed."""

import errno
import json
import multiprocessing
import os
import signal

import pytest
from small_study import BARE, TASKS, write

from noctule.studies import executors as running
from noctule.studies import result_store as store
from noctule.studies import runner
from noctule.studies.definition import StudyError, load_study
from noctule.studies.executors import run_here, run_on_cluster, run_on_pool
from noctule.studies.experiments import expand
from noctule.studies.runner import RunOptions, run_study


def quiet(done, total):
    pass


def counted(out):
    return (out / "counted.json").read_bytes()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return load_study(str(write(tmp_path_factory.mktemp("study"), BARE)))


@pytest.fixture(scope="module")
def one_process(study, tmp_path_factory):
    """The folder of the study after a run in one process."""
    out = tmp_path_factory.mktemp("one") / "out"
    run_study(study, out, RunOptions(), quiet, "noctule study small.toml")
    return out


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        yield cluster


def tasks_of(study):
    return [task for one in expand(study)[0] for task in one.tasks]


def test_two_runs_are_equal(study, one_process, tmp_path):
    run_study(study, tmp_path / "again", RunOptions(), quiet, "")
    assert counted(one_process) == counted(tmp_path / "again")
    rows = json.loads(counted(one_process))["tasks"]
    assert len(rows) == TASKS
    assert all(row["counted"] for row in rows)


def test_pool(study, one_process, tmp_path):
    run_study(study, tmp_path / "pool", RunOptions(jobs=2), quiet, "")
    assert counted(one_process) == counted(tmp_path / "pool")


def test_dask(study, one_process, tmp_path, cluster):
    how = RunOptions(cluster=cluster.scheduler_address)
    run_study(study, tmp_path / "dask", how, quiet, "")
    assert counted(one_process) == counted(tmp_path / "dask")


def test_a_process_of_the_pool_dies(study):
    tasks = tasks_of(study)
    wanted = {task.key: result["counted"] for task, result in run_here(tasks)}
    found, killed = {}, False
    for task, result in run_on_pool(tasks, 2):
        found[task.key] = result["counted"]
        if not killed:
            os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)
            killed = True
    assert found == wanted


def test_a_worker_of_the_cluster_dies(study, cluster):
    from distributed import Client

    tasks = tasks_of(study)
    found, killed = set(), False
    with Client(cluster.scheduler_address) as client:
        for task, _ in run_on_cluster(tasks, cluster.scheduler_address, 2):
            found.add(task.key)
            if not killed:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
                killed = True
    assert found == {task.key for task in tasks}


def test_a_task_that_always_kills_its_process(study, monkeypatch):
    """The study stops after some retries and names the task."""
    monkeypatch.setattr(running, "run_task", die)
    monkeypatch.setattr(running, "TRIES", 2)
    with pytest.raises(StudyError, match=r"algorithm a\*.*died 2 times"):
        list(run_on_pool(tasks_of(study)[:1], 1))


def die(settings):
    os.kill(os.getpid(), signal.SIGKILL)


def test_resume_does_not_repeat(study, one_process, tmp_path, monkeypatch):
    out = tmp_path / "out"

    def interrupt(done, total):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(study, out, RunOptions(), interrupt, "")
    assert not (out / "index.html").exists()
    assert not json.loads((out / "study.json").read_text())["finished"]
    results = out / "results.jsonl"
    whole = results.read_bytes()
    results.write_bytes(whole + b'{"key": "half a li')  # as a power cut leaves it
    asked = []
    monkeypatch.setattr(
        running, "run_here", lambda tasks, run: asked.append(len(tasks)) or run_here(tasks, run)
    )
    run_study(study, out, RunOptions(resume=True), quiet, "")
    assert asked == [TASKS - 5]
    assert results.read_bytes().startswith(whole)
    assert counted(one_process) == counted(out)
    assert json.loads((out / "study.json").read_text())["finished"]
    run_study(
        study, out, RunOptions(resume=True), quiet, ""
    )  # nothing left to do: draws the page again
    assert asked == [TASKS - 5, 0]


def test_results_are_not_overwritten(study, one_process):
    with pytest.raises(StudyError, match="--resume continues with them"):
        run_study(study, one_process, RunOptions(), quiet, "")
    with pytest.raises(StudyError, match="its size is full, not quick"):
        run_study(study, one_process, RunOptions(size="quick", resume=True), quiet, "")


def test_a_folder_with_other_files_is_refused(study, tmp_path):
    (tmp_path / "thesis.tex").write_text("do not touch")
    with pytest.raises(StudyError, match="not empty"):
        run_study(study, tmp_path, RunOptions(), quiet, "")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_no_scheduler(study, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(running, "CONNECT", 0.5)
    how = RunOptions(cluster="tcp://127.0.0.1:9")
    with pytest.raises(StudyError, match=r"no dask scheduler answers there.*or local"):
        run_study(study, tmp_path / "out", how, quiet, "")
    assert not (tmp_path / "out" / "index.html").exists()


def test_a_folder_that_cannot_be_written(study, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="can't write into"):
        run_study(study, tmp_path / "file" / "out", RunOptions(), quiet, "")


def test_a_folder_on_a_disk_that_is_read_only(study, tmp_path, monkeypatch):
    def refuse(**_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(runner.tempfile, "TemporaryFile", refuse)
    with pytest.raises(StudyError, match=r"can't write into .*: read-only file system"):
        run_study(study, tmp_path / "out", RunOptions(), quiet, "")
    assert not list((tmp_path / "out").iterdir())


def test_a_full_disk(study, tmp_path, monkeypatch):
    """No unfinished result looks finished, and the study can be resumed later."""
    real, lines = os.write, []

    def write(where, line):
        lines.append(line)
        return real(where, line[:10]) if len(lines) == 3 else real(where, line)

    monkeypatch.setattr(store.os, "write", write)
    out = tmp_path / "out"
    with pytest.raises(OSError, match="disk is full"):
        run_study(study, out, RunOptions(), quiet, "")
    assert not (out / "index.html").exists()
    monkeypatch.undo()
    run_study(study, out, RunOptions(resume=True), quiet, "")
    assert (out / "index.html").exists()
