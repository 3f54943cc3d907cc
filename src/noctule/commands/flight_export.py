"""Flights as files to share: pages and clips, for the commands that have a trace."""

from functools import partial
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.progress import Progress

from noctule.commands.shared_options import OUTPUT
from noctule.commands.tables import notes

if TYPE_CHECKING:
    from noctule.flight.recording import Trace

Record = Annotated[
    File | None,
    Parameter(group=OUTPUT, help="Save a page that plays the flight, with no network: .html."),
]
Gif = Annotated[File | None, Parameter(group=OUTPUT, help="Save a short clip: .gif.")]
Mp4 = Annotated[File | None, Parameter(group=OUTPUT, help="Save a short clip: .mp4.")]


def check_clips(record: File | None, gif: File | None, mp4: File | None) -> None:
    """Refuse what could not be saved, before time is spent on what it shows."""
    for name, file in (("record", record), ("gif", gif), ("mp4", mp4)):
        if file is None:
            continue
        suffix = ".html" if name == "record" else f".{name}"
        if file.suffix.lower() != suffix:
            raise ValueError(f"--{name} is '{file}'; expected a name that ends in {suffix}")
        if not file.parent.is_dir():
            raise ValueError(f"--{name} is '{file}'; there is no folder '{file.parent}'")
        if name == "record":
            from noctule.viewer.page_base import require_viser

            require_viser()
        else:
            from noctule.pictures.clips import require_writer

            require_writer(suffix)


def save_clips(
    trace: "Trace", record: File | None, gif: File | None, mp4: File | None
) -> list[File]:
    """Save what was asked for; returns the files."""
    jobs: list[tuple[Any, File]] = []
    if record is not None:
        from noctule.viewer.export_html import record as save_page

        jobs.append((save_page, record))
    for file in (gif, mp4):
        if file is not None:
            from noctule.pictures.clips import save_clip

            jobs.append((save_clip, file))
    with Progress(console=notes(), transient=True) as bar:
        for save, file in jobs:
            save(trace, file, partial(_show, bar, bar.add_task(f"writing {file.name}")))
    return [file for _, file in jobs]


def _show(bar: Progress, task: Any, n: int, total: int) -> None:
    bar.update(task, completed=n, total=total)
