"""Sounds: what is synthesised, and what is played of it."""

import io
import wave

import numpy as np
import pytest

from noctule.game.simulation.events import Event
from noctule.game.simulation.game import Game
from noctule.game.sound.speaker import HEARD, OF_EVENT, Speaker
from noctule.game.sound.synthesis import RATE, SOUNDS, as_wav


@pytest.mark.parametrize("name", SOUNDS)
def test_sounds_are_heard_and_not_distorted(name):
    samples = SOUNDS[name]()
    assert 0.03 < len(samples) / RATE < 2.0
    assert np.isfinite(samples).all()
    assert 0.1 < np.abs(samples).max() <= 1.0
    if name != "engine":  # it is repeated without a gap
        assert np.abs(samples[-20:]).max() < 0.15


def test_the_engine_joins_its_own_beginning():
    samples = SOUNDS["engine"]()
    step = np.abs(np.diff(samples)).max()
    assert abs(samples[0] - samples[-1]) <= step


def test_wav_files_hold_the_samples():
    samples = SOUNDS["hit"]()
    with wave.open(io.BytesIO(as_wav(samples))) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        read = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767.0
    assert np.abs(read - samples).max() < 1e-4


def test_every_event_has_a_sound_that_exists():
    assert set(OF_EVENT.values()) <= set(SOUNDS)


def test_without_a_device_it_is_silent_and_farther_events_are_softer():
    speaker, game = Speaker(None), Game(0, algorithm="straight", enemies=0)
    assert not speaker.has_device
    loudness = []
    for far in (0.0, 100.0, HEARD + 1.0):
        speaker.play(Event("broken", np.array([0.0, far, 0.0])), game)
        ((name, loud),) = speaker.played
        assert name == "explosion"
        loudness.append(loud)
    assert loudness[0] == 1.0 > loudness[1] > loudness[2] == 0.0
    speaker.play(Event("fire", game.player.position), game)
    assert speaker.played[0][0] == "rail gun"
    speaker.hum(True, 25.0)
    speaker.close()
