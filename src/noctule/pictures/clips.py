"""`save_clip`: write a flight as a short GIF or MP4."""

import copy
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.files import File, replacing
from noctule.flight.recording import Trace
from noctule.pictures.body_drawing import draw_bodies, space_of
from noctule.pictures.rendering import Canvas, Colour, view_of

RATE = 12.5  # pictures per second; GIF durations are in hundredths of a second
SPEED = 2.0  # seconds of flight per second of the clip
MAX_PICTURES = 500
MIN_SIZE = 0.012  # part of the world's size; smallest radius of balls as drawn
WIDTH = {".gif": 480, ".mp4": 960}
PAPER: Colour = (1.0, 1.0, 1.0)
FLOWN: Colour = (0.51, 0.31, 0.87)
PLANNED: Colour = (0.89, 0.38, 0.04)
AGENT: Colour = (0.98, 0.78, 0.05)
GOAL: Colour = (0.86, 0.15, 0.55)
EDGES: Colour = (0.62, 0.65, 0.70)

Progress = Callable[[int, int], None]


def save_clip(trace: Trace, file: File, progress: Progress | None = None) -> None:
    """Write a clip of a flight (.gif or .mp4) at twice the speed of the flight.

    `progress` is called with the number of pictures drawn and their total number.
    """
    suffix = Path(file).suffix.lower()
    pictures = images(trace, shown_frames(trace), WIDTH[suffix], progress)
    with replacing(file) as half:
        {".gif": _write_gif, ".mp4": _write_mp4}[suffix](half, pictures)


def require_writer(suffix: str) -> Any:
    """Import the library that writes files of this suffix; the error names the missing extra."""
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
    """Return the frames of a trace to draw; the last one is repeated for a second."""
    if not len(trace.time):
        raise ValueError("the trace is empty: there is nothing to show")
    seconds = float(trace.time[-1] - trace.time[0]) / SPEED
    count = min(max(int(seconds * RATE), 1), MAX_PICTURES)
    last = len(trace.time) - 1
    frames = np.linspace(0, last, count).round().astype(np.int64)
    return np.append(frames, [last] * int(RATE))


def images(
    trace: Trace, frames: NDArray[np.int64], width: int, progress: Progress | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield pictures of frames; static bodies are drawn once."""
    about = trace.about
    static = ~(trace.poses != trace.poses[:1]).any(axis=(0, 2))
    background = Canvas(view_of(*space_of(about), width, about.get("up", "y")), PAPER)
    draw_bodies(background, trace, 0, np.flatnonzero(static))
    line_width, smallest = max(width / 160, 1.5), MIN_SIZE * max(about["cells"]) * about["cell"]
    for n, i in enumerate(frames.tolist(), 1):
        canvas = copy.deepcopy(background)
        draw_bodies(canvas, trace, i, np.flatnonzero(~static))
        canvas.line([*trace.agent[i : i + 1], *trace.paths[i][1:]], PLANNED, line_width)
        canvas.line(trace.agent[: i + 1], FLOWN, line_width)
        canvas.ball(trace.destination[i], max(about["destination_radius"], smallest), GOAL, True)
        canvas.ball(trace.agent[i], max(about["agent_radius"], smallest), AGENT, True)
        if progress is not None:
            progress(n, len(frames))
        yield canvas.image()


def _write_gif(file: Path, pictures: Iterator[NDArray[np.uint8]]) -> None:
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
    """Return rows of the colours that are rare in the first picture, so the palette has them."""
    rows = [
        np.array(colour) * light * part + 0.7 * (1 - part)
        for colour in (FLOWN, PLANNED, GOAL, AGENT)
        for light, part in ((1.0, 1.0), (0.75, 1.0), (1.0, 0.6))
    ]
    wide = np.repeat(np.array(rows)[:, None], width, axis=1).repeat(4, axis=0)
    return (255 * wide).astype(np.uint8)


def _write_mp4(file: Path, pictures: Iterator[NDArray[np.uint8]]) -> None:
    ffmpeg = require_writer(".mp4")
    first = next(pictures)
    height, width = first.shape[:2]
    writer = ffmpeg.write_frames(str(file), (width, height), fps=RATE, macro_block_size=16)
    writer.send(None)
    for picture in itertools.chain([first], pictures):
        writer.send(np.ascontiguousarray(picture))
    writer.close()
