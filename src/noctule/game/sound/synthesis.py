"""Sounds as arrays of samples from -1 to 1, made of sines and noise."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float64]

RATE = 22050  # samples a second


def rail_gun() -> Samples:
    """A short tone that falls."""
    t = _times(0.18)
    return _swept(t, 1500.0, 260.0) * np.exp(-16.0 * t) * 0.5


def rocket() -> Samples:
    """A hiss that grows and dies away."""
    t = _times(0.6)
    return _low_pass(_noise(t, 1), 0.25) * np.sin(np.pi * np.minimum(t / 0.6, 1.0)) ** 0.6 * 0.7


def explosion() -> Samples:
    """Noise over a deep tone."""
    t = _times(1.1)
    rumble = _low_pass(_noise(t, 2), 0.08) * 2.2
    return np.clip((rumble + 0.6 * _swept(t, 95.0, 30.0)) * np.exp(-3.6 * t), -1.0, 1.0)


def hit() -> Samples:
    """A crack."""
    t = _times(0.12)
    return _low_pass(_noise(t, 3), 0.5) * np.exp(-38.0 * t) * 0.6


def hurt() -> Samples:
    """Two falling tones beside each other."""
    t = _times(0.5)
    return (_swept(t, 420.0, 110.0) + _swept(t, 437.0, 118.0)) * np.exp(-5.0 * t) * 0.4


def click() -> Samples:
    """A click."""
    t = _times(0.05)
    return np.sin(2.0 * np.pi * 900.0 * t) * np.exp(-90.0 * t) * 0.4


def empty() -> Samples:
    """A dull click."""
    t = _times(0.07)
    return np.sin(2.0 * np.pi * 220.0 * t) * np.exp(-60.0 * t) * 0.4


def reload() -> Samples:
    """Three rising clicks."""
    return 0.4 * _one_after_another(0.36, (330.0, 440.0, 660.0), 0.12, 60.0)


def new_wave() -> Samples:
    """Four rising tones."""
    return 0.25 * _one_after_another(0.9, (262.0, 330.0, 392.0, 523.0), 0.16, 3.0)


def over() -> Samples:
    """Three falling tones."""
    return 0.3 * _one_after_another(1.6, (392.0, 311.0, 196.0), 0.3, 2.5)


def engine() -> Samples:
    """A hum of one second that joins its own beginning."""
    t = _times(1.0)
    tones = np.zeros(len(t))
    for k, tone in enumerate((55.0, 110.0, 165.0, 222.0), 1):
        tones += np.sin(2.0 * np.pi * tone * t) / k
    return tones * (1.0 + 0.15 * np.sin(2.0 * np.pi * 6.0 * t)) * 0.22


SOUNDS: dict[str, Callable[[], Samples]] = {
    "rail gun": rail_gun,
    "rocket launcher": rocket,
    "explosion": explosion,
    "hit": hit,
    "hurt": hurt,
    "click": click,
    "empty": empty,
    "reload": reload,
    "wave": new_wave,
    "over": over,
    "engine": engine,
}


def as_wav(samples: Samples) -> bytes:
    """Return samples as a WAV file of 16 bits."""
    whole = (32767.0 * np.clip(samples, -1.0, 1.0)).astype("<i2")
    held = io.BytesIO()
    with wave.open(held, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(whole.tobytes())
    return held.getvalue()


def _times(seconds: float) -> Samples:
    return np.arange(round(seconds * RATE)) / RATE


def _one_after_another(
    seconds: float, tones: tuple[float, ...], apart: float, fading: float
) -> Samples:
    """Return tones that begin one after another and die away."""
    t, sum_of_all = _times(seconds), np.zeros(round(seconds * RATE))
    for k, tone in enumerate(tones):
        since = t - k * apart
        fade = np.exp(-fading * np.maximum(since, 0.0))
        sum_of_all += np.where(since >= 0.0, np.sin(2.0 * np.pi * tone * since) * fade, 0.0)
    return sum_of_all


def _swept(t: Samples, first: float, last: float) -> Samples:
    """Return a sine whose pitch goes from one frequency to another."""
    frequency = first * (last / first) ** (t / t[-1])
    tone: Samples = np.sin(2.0 * np.pi * np.cumsum(frequency) / RATE)
    return tone


def _noise(t: Samples, seed: int) -> Samples:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, len(t))


def _low_pass(samples: Samples, part: float) -> Samples:
    """Return the low tones of samples: the mean of some of them, with falling weights."""
    weights = np.exp(-part * np.arange(round(6.0 / part)))
    passed: Samples = np.convolve(samples, weights / weights.sum())[: len(samples)] / part**0.5
    return passed
