"""`Background`: one thread that handles one request at a time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Request = TypeVar("Request")
Result = TypeVar("Result")


class Background(Generic[Request, Result]):
    """Runs a function on a thread of its own; `poll` returns its result or raises its error.

    >>> with Background(lambda x: 2 * x) as doubling:
    ...     doubling.post(21)
    ...     doubling.wait(5.0)
    ...     doubling.poll()
    42
    """

    def __init__(self, work: Callable[[Request], Result]) -> None:
        self._work = work
        self._changed = threading.Condition()
        self._request: list[Request] = []
        self._result: list[Result] = []
        self._fault: BaseException | None = None
        self._busy = self._closed = False
        self._thread = threading.Thread(target=self._run, name="noctule", daemon=True)
        self._thread.start()

    def __enter__(self) -> "Background[Request, Result]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def idle(self) -> bool:
        """Whether a request can be posted."""
        with self._changed:
            return not self._busy and not self._closed

    def post(self, request: Request) -> None:
        """Start a request; only when idle."""
        with self._changed:
            assert not self._busy
            self._busy = True
            self._request = [request]
            self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Wait until the request is done, at most so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._busy, seconds)

    def poll(self) -> Result | None:
        """Return the result once, None while there is none; raise if the work failed."""
        with self._changed:
            if self._fault is not None:
                fault, self._fault = self._fault, None
                raise RuntimeError(f"planning on the background thread failed: {fault}") from fault
            return self._result.pop() if self._result else None

    def close(self) -> None:
        """Stop the thread after its current request."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._request or self._closed)
                if self._closed:
                    return
                request = self._request.pop()
            result: list[Result] = []
            fault: BaseException | None = None
            try:
                result.append(self._work(request))
            except Exception as problem:
                fault = problem
            with self._changed:
                self._result, self._fault, self._busy = result, fault, False
                self._changed.notify_all()
