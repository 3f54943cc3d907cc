"""`save_clip`: a flight as a short GIF or MP4."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path as File
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.flight.recording import Trace
from noctule.pictures.body_drawing import draw_bodies
from noctule.pictures.rendering import Canvas, Colour, View, view_of

RATE = 12.5  # pictures a second; a GIF counts in hundredths
SPEED = 2.0  # times as fast as it was flown
MOST = 500  # pictures
SEEN = 0.012  # of the world's size: a smaller agent is drawn as large as that
WIDTH = {".gif": 480, ".mp4": 960}
PAPER: Colour = (1.0, 1.0, 1.0)
FLOWN: Colour = (0.51, 0.31, 0.87)
PLANNED: Colour = (0.89, 0.38, 0.04)
AGENT: Colour = (0.98, 0.78, 0.05)
GOAL: Colour = (0.86, 0.15, 0.55)
EDGES: Colour = (0.62, 0.65, 0.70)

Progress = Callable[[int, int], None]


def save_clip(trace: Trace, file: str | os.PathLike[str], progress: Progress | None = None) -> None:
    """Write a clip of a flight, twice as fast as it was flown.

    Parameters
    ----------
    trace : Trace
        The flight.
    file : path
        Where to save: .gif, or .mp4 where imageio-ffmpeg is installed.
    progress : function, optional
        Called with the number of pictures drawn and their number in all.
    """
    target = File(file)
    write = {".gif": _write_gif, ".mp4": _write_mp4}[target.suffix.lower()]
    frames = shown_frames(trace)
    pictures = images(trace, frames, WIDTH[target.suffix.lower()])
    half = target.with_name(f"half-{target.name}")  # nothing half-written under the name
    try:
        write(half, _counted(pictures, len(frames), progress))
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)


def require_writer(suffix: str) -> Any:
    """What writes such files, or an error that says how to get it."""
    try:
        if suffix == ".mp4":
            import imageio_ffmpeg

            return imageio_ffmpeg
        import PIL.Image

        return PIL.Image
    except ModuleNotFoundError as missing:
        extra = "video" if suffix == ".mp4" else "plot"
        message = f"{suffix} clips need {missing.name}: pip install 'noctule[{extra}]'"
        raise ModuleNotFoundError(message, name=missing.name) from None


def shown_frames(trace: Trace) -> NDArray[np.int64]:
    """The frames of a trace that become pictures; the last one stays a second."""
    if not len(trace.time):
        raise ValueError("the trace is empty: there is nothing to show")
    seconds = float(trace.time[-1] - trace.time[0]) / SPEED
    count = min(max(int(seconds * RATE), 1), MOST)
    last = len(trace.time) - 1
    frames = np.linspace(0, last, count).round().astype(np.int64)
    return np.append(frames, [last] * int(RATE))


def images(
    trace: Trace, frames: NDArray[np.int64], width: int, angled: bool = True
) -> Iterator[NDArray[np.uint8]]:
    """Pictures of frames; what never moves is drawn once."""
    low = np.array(trace.about["origin"], float)
    high = low + np.array(trace.about["cells"]) * trace.about["cell"]
    view = view_of(low, high, width, angled)
    still = ~(trace.poses != trace.poses[:1]).any(axis=(0, 2))
    ground = Canvas(view, PAPER)
    draw_bodies(ground, trace, 0, np.flatnonzero(still))
    for i in frames.tolist():
        canvas = ground.copy()
        draw_bodies(canvas, trace, i, np.flatnonzero(~still))
        _draw_flight(canvas, trace, i, view)
        yield canvas.image()


def _draw_flight(canvas: Canvas, trace: Trace, i: int, view: View) -> None:
    about = trace.about
    wide = max(view.size[0] / 160, 1.5)
    path = trace.paths[i]
    if len(path):
        ahead = np.concatenate([trace.agent[i][None], path[1:]]) if len(path) > 1 else path
        canvas.line(ahead, PLANNED, wide)
    canvas.line(trace.agent[: i + 1], FLOWN, wide)
    least = SEEN * max(about["cells"]) * about["cell"]
    canvas.ball(trace.destination[i], max(about["destination_radius"], least), GOAL, True)
    canvas.ball(trace.agent[i], max(about["agent_radius"], least), AGENT, True)


def _counted(
    pictures: Iterator[NDArray[np.uint8]], total: int, progress: Progress | None
) -> Iterator[NDArray[np.uint8]]:
    for n, image in enumerate(pictures, 1):
        if progress is not None:
            progress(n, total)
        yield image


def _write_gif(file: File, pictures: Iterator[NDArray[np.uint8]]) -> None:
    image = require_writer(".gif")
    first = next(pictures)
    palette = image.fromarray(np.concatenate([first, _swatches(first.shape[1])])).quantize(128)
    frames = (
        image.fromarray(p).quantize(palette=palette, dither=0)
        for p in itertools.chain([first], pictures)
    )
    start = next(frames)
    start.save(
        file, "GIF", save_all=True, append_images=frames, duration=round(1000 / RATE), loop=0
    )


def _swatches(width: int) -> NDArray[np.uint8]:
    """Rows of the colours that the first picture has little of, bright and over grey."""
    rows = [
        np.array(colour) * light * part + 0.7 * (1 - part)
        for colour in (FLOWN, PLANNED, GOAL, AGENT)
        for light, part in ((1.0, 1.0), (0.75, 1.0), (1.0, 0.6))
    ]
    wide = np.repeat(np.array(rows)[:, None], width, axis=1).repeat(4, axis=0)
    return (255 * wide).astype(np.uint8)


def _write_mp4(file: File, pictures: Iterator[NDArray[np.uint8]]) -> None:
    ffmpeg = require_writer(".mp4")
    first = next(pictures)
    height, width = first.shape[:2]
    writer = ffmpeg.write_frames(str(file), (width, height), fps=RATE, macro_block_size=16)
    writer.send(None)
    for picture in itertools.chain([first], pictures):
        writer.send(np.ascontiguousarray(picture))
    writer.close()
