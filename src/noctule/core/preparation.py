"""Compile ahead what a job needs and the cache lacks, in as many processes as there are cores.

`prepare` asks the manifest what a job needs. Where nothing is missing, as on every start but the
first, it takes some microseconds.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from numba import config

from noctule.core import jit, kernel_cache, manifest, progress
from noctule.core.self_check import python_path

# Called with the number of kernels ready, of all, and about how many seconds are left.
Report = Callable[[int, int, float | None], None]

SMALL = 400  # kB of machine code that one process compiles as soon as two, started for it

_prepared: set[str] = set()  # groups that this process has asked for
_flown: set[str] = set()  # algorithms prepared for flights, whose plans need nothing else


def prepare_plans(algorithms: Iterable[str], graph: Any, kernel_graph: Any) -> int:
    """Prepare plans by some algorithms on a graph, if that is worth starting processes for."""
    names = [name for name in algorithms if name not in _flown]
    groups = [manifest.plan_group(name, graph, kernel_graph) for name in names]
    return prepare(*groups, least=SMALL)


def prepare_flights(algorithm: str, graph: str, report: Report | None = None) -> int:
    """Prepare flights by an algorithm on "cells", "hybrid" or "waypoints"."""
    _flown.add(algorithm)
    return prepare(manifest.flight_group(algorithm, graph), report=report)


def jobs() -> int:
    """Return how many processes compile: one a core, or what NOCTULE_JOBS says."""
    given = os.environ.get("NOCTULE_JOBS", "")
    if given.isdecimal():
        return int(given)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def prepare(*groups: str, report: Report | None = None, least: int = 0) -> int:
    """Compile the kernels of these groups that the cache lacks; return how many.

    Each group is looked up once in a process. With NOCTULE_JOBS=0, or where kernels are not
    compiled by `linking`, nothing is prepared: kernels are compiled when they are called.

    Parameters
    ----------
    *groups : str
        Names in the manifest; unknown ones are ignored.
    report : callable, optional
        Called now and then, instead of writing a line to the standard error.
    least : int
        Prepare nothing if less is missing, in kB of machine code: kernels are compiled when called.
    """
    fresh = [group for group in groups if group not in _prepared]
    _prepared.update(fresh)
    if not fresh or config.DISABLE_JIT or not jit.LINKING or jobs() == 0:
        return 0
    fresh = [group for group in fresh if not kernel_cache.holds(_marker(group))]
    entries = manifest.missing(fresh)
    if not entries or sum(entry.size for entry in entries) < least:
        return 0
    work = _Work(entries, report or _show)
    workers = min(jobs(), len(entries))
    try:
        if workers > 1 and sys.executable and kernel_cache.mark("writable"):
            work.share(workers)
        work.rest()
    except KeyboardInterrupt:
        kept = f"{work.ready} of {work.total} kernels are compiled and kept"
        raise KeyboardInterrupt(kept) from None
    finally:
        if report is None:
            progress.clear()
    for group in fresh:  # also if some could not be compiled: those are no longer called
        kernel_cache.mark(_marker(group))
    return len(entries)


def _marker(group: str) -> str:
    """Return the name of a file that says that a group has been prepared."""
    return "prepared " + group.replace("*", "-star")


class _Work:
    """Kernels to compile, and how far that is."""

    def __init__(self, entries: list[manifest.Entry], report: Report) -> None:
        self.waiting = deque(entries)
        self.left = sum(entry.size for entry in entries)
        self.total, self.ready, self.done = len(entries), 0, 0
        self.began = time.monotonic()
        self.report = report
        self.lock = threading.Lock()

    def finished(self, entry: manifest.Entry) -> None:
        """Count a kernel as ready and say how far the work is."""
        with self.lock:
            self.ready += 1
            self.done += entry.size
            self.left -= entry.size

    def tell(self) -> None:
        """Report how many kernels are ready, and the seconds left at the pace so far."""
        seconds = time.monotonic() - self.began
        left = seconds / self.done * self.left if self.done else None
        self.report(self.ready, self.total, left)

    def rest(self) -> None:
        """Compile in this process what is still waiting."""
        quiet, progress.quiet = progress.quiet, True
        try:
            while self.waiting:
                self.tell()
                entry = self.waiting.popleft()
                with suppress(Exception):  # no longer there: compiled when it is called
                    entry.compile()
                self.finished(entry)
            self.tell()
        finally:
            progress.quiet = quiet

    def share(self, workers: int) -> None:
        """Compile in several processes; what they leave stays waiting."""
        command = [sys.executable, "-P", "-m", "noctule.core.preparation"]
        environment = {**os.environ, "PYTHONPATH": python_path(), "NOCTULE_JOBS": "0"}
        processes: list[subprocess.Popen[str]] = []
        threads = []
        try:
            for _ in range(workers):
                process = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
                processes.append(process)
                thread = threading.Thread(target=self._feed, args=(process,), daemon=True)
                thread.start()
                threads.append(thread)
            while any(thread.is_alive() for thread in threads):
                self.tell()
                threads[-1].join(0.2)
                threads = [thread for thread in threads if thread.is_alive()]
        except OSError:  # no process can be started: compile in this one
            pass
        finally:
            for process in processes:
                process.kill()
                process.wait()

    def _feed(self, process: subprocess.Popen[str]) -> None:
        """Give a worker one kernel after the other until none is left or the worker ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        package = ""
        while True:
            with self.lock:
                if not self.waiting:
                    return
                # Kernels of a package call the same kernels, which are lowered once a process.
                near = (entry for entry in self.waiting if entry.package == package)
                entry = next(near, self.waiting[0])
                self.waiting.remove(entry)
                package = entry.package
            try:
                process.stdin.write(json.dumps(entry) + "\n")
                process.stdin.flush()
                answer = process.stdout.readline()
            except OSError:
                answer = ""
            if not answer:  # the worker has ended; someone else compiles this one
                self.waiting.append(entry)
                return
            self.finished(entry)


def _show(ready: int, total: int, left: float | None) -> None:
    about = "" if left is None else f", about {left:.0f} s left"
    progress.show(f"Preparing Noctule (once): {ready} of {total}{about}")


def work() -> None:
    """Compile the kernels named on the standard input, and answer each on the standard output."""
    gc.set_threshold(50_000, 20, 100)  # what the compiler makes stays: do not look for garbage
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    for line in sys.stdin:
        entry = manifest.Entry(*json.loads(line))
        try:
            if not kernel_cache.holds(entry.file):
                entry.compile()
            answer = "compiled"
        except Exception as error:
            answer = repr(error).replace("\n", " ")
        print(answer, flush=True)


if __name__ == "__main__":
    work()
