"""Run tasks: here, in processes of this machine, or on a dask cluster. Results are the same.

A worker that dies costs the tasks that it may have been at another try, not the study.
"""

import logging
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from noctule.studies.definition import StudyError
from noctule.studies.experiments import Task
from noctule.studies.tasks import Result, run_task

TRIES = 3  # of a task whose worker died
CONNECT = 10.0  # seconds to wait for a cluster

Done = Iterator[tuple[Task, Result]]


def run_here(tasks: list[Task]) -> Done:
    """One after the other in this process."""
    for task in tasks:
        yield task, _checked(task, lambda task=task: run_task(task.settings))  # type: ignore[misc]


def run_on_pool(tasks: list[Task], jobs: int) -> Done:
    """In so many processes; a new pool takes over from one that broke."""
    waiting, tries = list(tasks), dict.fromkeys((task.key for task in tasks), 0)
    context = multiprocessing.get_context("spawn")
    while waiting:
        with ProcessPoolExecutor(jobs, context, _end_quietly) as pool:
            for task, result in _flow(pool, waiting, 2 * jobs):
                if result is not None:
                    yield task, result
                    continue
                tries[task.key] += 1
                if tries[task.key] == TRIES:
                    raise StudyError(_died(task, TRIES))
                waiting.append(task)


def _end_quietly() -> None:
    """Let Ctrl-C end a process of the pool without a word: the study says what happened."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _flow(pool: Executor, waiting: list[Task], most: int) -> Iterator[tuple[Task, Result | None]]:
    """Results as they come, never more than `most` tasks under way; None where a worker died."""
    under_way: dict[Future[Result], Task] = {}
    broken = False
    try:
        while under_way or (waiting and not broken):
            while waiting and len(under_way) < most and not broken:
                task = waiting.pop(0)
                under_way[pool.submit(run_task, task.settings)] = task
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                task = under_way.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    broken = True
                    yield task, None
                else:
                    yield task, _checked(task, future.result)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def run_on_cluster(tasks: list[Task], address: str, jobs: int) -> Done:
    """On a dask.distributed cluster: one that listens on `address`, or a `local` one."""
    with _client(address, jobs) as client:
        from distributed import KilledWorker

        executor = client.get_executor(pure=False, retries=0)
        waiting = list(tasks)
        under_way: dict[Future[Result], Task] = {}
        try:
            while waiting or under_way:
                most = 2 * max(1, len(client.nthreads()))
                while waiting and len(under_way) < most:
                    task = waiting.pop(0)
                    under_way[executor.submit(run_task, task.settings)] = task
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    task = under_way.pop(future)
                    if isinstance(future.exception(), KilledWorker):
                        raise StudyError(_died(task, TRIES))
                    yield task, _checked(task, future.result)
        finally:
            executor.shutdown(wait=False)


@contextmanager
def _client(address: str, jobs: int) -> Iterator[Any]:
    try:
        import dask
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "--cluster needs dask.distributed: pip install 'noctule[cluster]'"
        ) from None
    for name in ("distributed", "tornado.application"):  # a closing cluster is talkative
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
        reason = str(problem).splitlines()[0] if str(problem) else "nobody answers"
        raise StudyError(
            f"--cluster is {address!r}, but no dask scheduler listens there ({reason}); "
            f"expected an address like tcp://host:8786, or local"
        ) from None
    with client:
        yield client


def _checked(task: Task, result: Callable[[], Result]) -> Result:
    """The result of a task; what is wrong with it is told with its settings."""
    try:
        return result()
    except (ValueError, OSError) as problem:
        raise StudyError(f"{_described(task)}: {problem}") from problem


def _died(task: Task, tries: int) -> str:
    return f"{_described(task)}: its worker died {tries} times; --resume goes on with the others"


def _described(task: Task) -> str:
    shown = ("kind", "algorithm", "graph", "world", "map", "run")
    return ", ".join(f"{key} {task.settings[key]}" for key in shown if key in task.settings)
