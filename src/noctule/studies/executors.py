"""Run tasks in this process, in a process pool, or on a dask cluster, with equal results.

If a worker dies, its tasks are retried.
"""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from noctule.processes import worker_pool
from noctule.studies.definition import StudyError
from noctule.studies.experiments import Task
from noctule.studies.tasks import Result, run_task

TRIES = 3  # of a task whose worker died
CONNECT = 10.0  # seconds; timeout for the connection to a cluster

Done = Iterator[tuple[Task, Result]]
Work = Callable[[dict[str, Any]], Result]


def run_tasks(
    tasks: list[Task], jobs: int, cluster: str | None = None, run: Work | None = None
) -> Done:
    """Run tasks where the options say; yield results as they finish."""
    if cluster is not None:
        return run_on_cluster(tasks, cluster, jobs, run)
    if jobs > 1 and len(tasks) > 1:
        return run_on_pool(tasks, min(jobs, len(tasks)), run)
    return run_here(tasks, run)


def run_here(tasks: list[Task], run: Work | None = None) -> Done:
    """Run tasks in this process."""
    for task in tasks:
        yield task, _checked(task, run or run_task, task.settings)


def run_on_pool(tasks: list[Task], jobs: int, run: Work | None = None) -> Done:
    """Run tasks in `jobs` processes; a broken pool is replaced by a new one."""
    waiting, tries = list(tasks), dict.fromkeys((task.key for task in tasks), 0)
    while waiting:
        with worker_pool(jobs) as pool:
            for task, result in _submit(pool, waiting, lambda: jobs, BrokenProcessPool, run):
                if result is not None:
                    yield task, result
                    continue
                tries[task.key] += 1
                if tries[task.key] == TRIES:
                    raise _lost(task)
                waiting.append(task)


def run_on_cluster(tasks: list[Task], address: str, jobs: int, run: Work | None = None) -> Done:
    """Run tasks on a dask.distributed cluster at `address`, or on a `local` one."""
    with cluster_client(address, jobs) as client:
        from distributed import KilledWorker

        executor = client.get_executor(pure=False, retries=0)
        try:
            flow = _submit(executor, list(tasks), lambda: len(client.nthreads()), KilledWorker, run)
            for task, result in flow:
                if result is None:
                    raise _lost(task)
                yield task, result
        finally:
            executor.shutdown(wait=False)


def _submit(
    executor: Executor,
    waiting: list[Task],
    workers: Callable[[], int],
    died: type[Exception],
    run: Work | None,
) -> Iterator[tuple[Task, Result | None]]:
    """Yield results as they finish; None if the worker died, and then submit no more tasks."""
    running: dict[Future[Result], Task] = {}
    broken = False
    while running or (waiting and not broken):
        limit = 2 * max(1, workers())
        while waiting and len(running) < limit and not broken:
            task = waiting.pop(0)
            running[executor.submit(run or run_task, task.settings)] = task
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            task = running.pop(future)
            if isinstance(future.exception(), died):
                broken = True
                yield task, None
            else:
                yield task, _checked(task, future.result)


@contextmanager
def cluster_client(address: str, jobs: int) -> Iterator[Any]:
    """Yield a client of the dask cluster at `address`, or of a `local` one of `jobs` processes."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "--cluster needs dask.distributed: pip install 'noctule[cluster]'"
        ) from None
    for name in ("distributed", "tornado.application"):  # a closing cluster logs a lot
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set({"distributed.scheduler.allowed-failures": TRIES - 1})
    if address == "local":
        options = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=CONNECT)
    except (OSError, ValueError, TimeoutError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else "no answer"
        raise StudyError(
            f"--cluster is {address!r}, but no dask scheduler answers there ({reason}); "
            f"expected an address like tcp://host:8786, or local"
        ) from None
    with client:
        yield client


def _checked(task: Task, run: Callable[..., Result], *arguments: Any) -> Result:
    """Return the result of a task; an error names its settings."""
    try:
        return run(*arguments)
    except (ValueError, OSError) as problem:
        raise StudyError(f"{_describe(task)}: {problem}") from problem


def _lost(task: Task) -> StudyError:
    return StudyError(
        f"{_describe(task)}: its worker died {TRIES} times; --resume continues with the others"
    )


def _describe(task: Task) -> str:
    shown = ("kind", "algorithm", "graph", "world", "map", "run")
    return ", ".join(f"{key} {task.settings[key]}" for key in shown if key in task.settings)
