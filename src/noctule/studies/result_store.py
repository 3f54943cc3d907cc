"""`Store`: results of tasks on disk, one line of JSON each, for resuming a study."""

import json
import os
from pathlib import Path
from typing import Any

from noctule.files import reading, write_whole
from noctule.studies.experiments import Task


class Store:
    """A file to which each finished task appends a line.

    Each line is synced to disk. An incomplete last line of a killed study is removed.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.results: dict[str, Any] = {}
        lines = file.read_bytes().split(b"\n") if file.exists() else [b""]
        *whole, incomplete = lines
        with reading(file, "results of a study"):
            for line in whole:
                row = json.loads(line)
                self.results[row["key"]] = row["result"]
        if incomplete:
            write_whole(file, b"\n".join([*whole, b""]))
        self._out = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def add(self, task: Task, result: Any) -> None:
        """Append the result of a task."""
        row = {"key": task.key, "task": task.settings, "result": result}
        line = json.dumps(row, separators=(",", ":")).encode() + b"\n"
        if os.write(self._out, line) != len(line):
            raise OSError(28, "the disk is full", str(self._file))
        os.fsync(self._out)
        self.results[task.key] = result

    def close(self) -> None:
        """Close the file."""
        os.close(self._out)
