"""Save a clip of the demo; no window and no display are needed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.files import replacing
from noctule.game.app import App
from noctule.game.devices.inputs import Inputs
from noctule.game.session import Session
from noctule.game.simulation.rules import DIFFICULTIES, FRAME
from noctule.game.storage import Storage
from noctule.game.view.stage import Stage
from noctule.pictures.clips import require_writer

Pixels = NDArray[np.uint8]

SIZES = {".mp4": (960, 544), ".gif": (480, 272)}
STEPS = {".mp4": 2, ".gif": 5}  # frames of the game for one picture
AI_FROM, AI_TO = 0.35, 0.7  # part of the clip in which the plans are shown
COLOURS = 96  # of a GIF
CHUNK = 8  # pictures from which the colours of a GIF are taken


def record_demo(
    file: Path, seconds: float, seed: int, difficulty: str, options: dict[str, Any]
) -> int:
    """Save a clip (.mp4 or .gif) of the demo; return the number of pictures."""
    suffix = file.suffix.lower()
    given = {name: value for name, value in options.items() if value is not None}
    given |= {"difficulty": difficulty, "immortal": True, "budget_ms": None}
    given.setdefault("algorithm", DIFFICULTIES[difficulty].algorithm)
    session = Session(Inputs(), Storage(), seed, given, demo=True)
    session.start()
    stage = Stage(SIZES[suffix], offscreen=True)
    app = App(session, stage)
    step = STEPS[suffix]
    count = max(round(seconds / (step * FRAME)), 1)
    try:
        pictures = _pictures(app, count, step)
        with replacing(file) as half:
            (_write_mp4 if suffix == ".mp4" else _write_gif)(half, pictures, step * FRAME)
    finally:
        app.close()
    return count


def _pictures(app: App, count: int, step: int) -> Iterator[Pixels]:
    session = app.session
    for k in range(count):
        session.ai = AI_FROM <= k / count < AI_TO
        session.chase = not 0.15 <= k / count < AI_FROM
        for _ in range(step - 1):
            app.play_unseen(FRAME)
        app.picture(FRAME)
        yield app.stage.picture()


def _write_mp4(file: Path, pictures: Iterator[Pixels], seconds: float) -> None:
    ffmpeg = require_writer(".mp4")
    first = next(pictures)
    height, width = first.shape[:2]
    writer = ffmpeg.write_frames(
        str(file), (width, height), fps=1.0 / seconds, macro_block_size=16, quality=7
    )
    writer.send(None)
    for picture in itertools.chain([first], pictures):
        writer.send(picture.tobytes())
    writer.close()


def _write_gif(file: Path, pictures: Iterator[Pixels], seconds: float) -> None:
    image = require_writer(".gif")
    shown = list(pictures)
    sample = np.concatenate(shown[:: max(len(shown) // CHUNK, 1)])
    palette = image.fromarray(sample).quantize(COLOURS)
    first, *rest = (image.fromarray(p).quantize(palette=palette, dither=0) for p in shown)
    first.save(
        file, "GIF", save_all=True, append_images=rest, duration=round(1e3 * seconds), loop=0
    )
