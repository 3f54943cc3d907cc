"""Export of flights as pages and clips, for the commands that have a trace."""

from functools import partial
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any

from noctule.commands.shared.options import OUTPUT, check_file, option
from noctule.commands.shared.tables import notes

if TYPE_CHECKING:
    from rich.progress import Progress

    from noctule.flight.recording import Trace

Record = Annotated[
    File | None, option("Save a page that plays the flight, with no network: .html.", OUTPUT)
]
Gif = Annotated[File | None, option("Save a short clip: .gif.", OUTPUT)]
Mp4 = Annotated[File | None, option("Save a short clip: .mp4.", OUTPUT)]


def check_clips(record: File | None, gif: File | None, mp4: File | None) -> None:
    """Refuse files that could not be saved, before time is spent on their content."""
    if record is not None:
        check_file("--record", record, ".html")
        from noctule.viewer.page_base import require_viser

        require_viser()
    for suffix, file in ((".gif", gif), (".mp4", mp4)):
        if file is not None:
            check_file(f"--{suffix[1:]}", file, suffix)
            from noctule.pictures.clips import require_writer

            require_writer(suffix)


def save_clips(
    trace: "Trace", record: File | None, gif: File | None, mp4: File | None
) -> list[File]:
    """Save the page and clips that were asked for, and return the files."""
    jobs: list[tuple[Any, File]] = []
    if record is not None:
        from noctule.viewer.export_html import record as save_page

        jobs.append((save_page, record))
    for file in (gif, mp4):
        if file is not None:
            from noctule.pictures.clips import save_clip

            jobs.append((save_clip, file))
    if not jobs:
        return []
    from rich.progress import Progress

    with Progress(console=notes(), transient=True) as bar:
        for save, file in jobs:
            save(trace, file, partial(_show, bar, bar.add_task(f"writing {file.name}")))
    return [file for _, file in jobs]


def _show(bar: "Progress", task: Any, n: int, total: int) -> None:
    bar.update(task, completed=n, total=total)
