"""Pools of worker processes that end silently on Ctrl-C."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


@contextmanager
def worker_pool(
    jobs: int, initializer: Callable[..., None] | None = None, *arguments: Any
) -> "Iterator[ProcessPoolExecutor]":
    """Yield a pool of new processes; if the block fails, they are killed at once.

    A terminal sends Ctrl-C to all processes. The workers ignore it; this process reports it and
    kills them.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer, arguments)
    try:
        with _without_interrupts():  # inherited by the processes
            for _ in range(jobs):
                pool.submit(int)  # starts a process, as no other is idle yet
        yield pool
    except BaseException:
        workers = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C during the block, if the system supports it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
