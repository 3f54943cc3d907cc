"""Flights as files: pages that play, clips, and foreign traces."""

import json
import sys

import numpy as np
import pytest
from PIL import Image

import noctule as nt
from noctule.cli import main
from noctule.viewer.export_html import pictures_of, record
from noctule.viewer.replay_page import ReplayPage
from noctule.viewer.scene_view import COLOURS
from viewer.conftest import coloured, pixels, wait_until


@pytest.fixture
def trace(course):
    scene = nt.Scene.load(course)
    flight = nt.Flight(scene, "cells", "a*", seed=3, limit=8.0, record=True)
    return flight.run().trace


def test_a_recording_plays_from_a_file(trace, tmp_path, visit):
    file = tmp_path / "flight.html"
    count = record(trace, file)
    assert count == len(pictures_of(trace)) == pytest.approx(161, abs=2)
    assert [child.name for child in tmp_path.iterdir() if "html" in child.name] == ["flight.html"]
    page = visit(file.as_uri())
    page.locator("canvas").first.wait_for()
    clock = page.locator("input").first  # of the player
    clock.wait_for()
    first = clock.input_value()
    wait_until(lambda: clock.input_value() != first)
    seen = pixels(page, 1280)
    for name in ("green", "red", "dark blue"):
        assert coloured(seen, COLOURS[name]) > 300, name


def test_a_trace_is_played_again(trace):
    page = ReplayPage(trace)
    try:
        assert page.length == pytest.approx(8.0)
        page.server.get_clients = lambda: {0: None}  # as if a page were open
        page.update(2.0)
        assert trace.time[page.frame] - trace.time[0] == pytest.approx(2.0, abs=0.02)
        page.speed = 4.0
        page.update(2.0)
        assert page.frame == len(trace.time) - 1
        assert page.paused
    finally:
        page.loop.stop()
        page.loop.run()


def test_a_clip_shows_the_flight(trace, tmp_path, capsys):
    trace.save(tmp_path / "flight.npz")
    gif = tmp_path / "flight.gif"
    assert main(["replay", str(tmp_path / "flight.npz"), "--gif", str(gif), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["saved"] == {"gif": str(gif)}
    with Image.open(gif) as clip:
        assert clip.n_frames > 20
        assert clip.size[0] == 480
        first = np.asarray(clip.convert("RGB"), int)
        clip.seek(clip.n_frames - 1)
        last = np.asarray(clip.convert("RGB"), int)
    assert coloured(first, (88, 165, 92)) > 100  # green
    assert coloured(last, (130, 79, 222)) > coloured(first, (130, 79, 222)) + 20  # flown


def test_an_mp4_needs_its_extra(trace, tmp_path, capsys):
    trace.save(tmp_path / "flight.npz")
    words = ["replay", str(tmp_path / "flight.npz"), "--mp4", str(tmp_path / "flight.mp4")]
    try:
        import imageio_ffmpeg  # noqa: F401
    except ModuleNotFoundError:
        assert main(words) == 2
        assert "pip install 'noctule[video]'" in capsys.readouterr().err
    else:
        assert main(words) == 0
        assert (tmp_path / "flight.mp4").stat().st_size > 1000


def test_a_newer_trace_is_refused(trace, tmp_path, capsys):
    file = tmp_path / "flight.npz"
    trace.save(file)
    with np.load(file) as data:
        parts = dict(data)
    about = json.loads(str(parts["about"])) | {"version": 99}
    np.savez(file, **parts | {"about": np.array(json.dumps(about))})
    assert main(["replay", str(file)]) == 2
    said = capsys.readouterr().err
    assert "version 99" in said
    assert "newer" in said


def test_files_that_are_no_traces_are_refused(tmp_path, capsys):
    file = tmp_path / "flight.npz"
    file.write_bytes(b"nonsense")
    assert main(["replay", str(file)]) == 2
    assert "expected a trace" in capsys.readouterr().err
    assert main(["replay", str(tmp_path / "none.npz")]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--record", "flight.htm"], "ends in .html"),
        (["--gif", "nowhere/flight.gif"], "there is no folder 'nowhere'"),
        (["--mp4", "flight.gif"], "ends in .mp4"),
    ],
)
def test_wrong_names_are_refused_at_once(words, said, capsys):
    assert main(["fly", *words]) == 2
    assert said in capsys.readouterr().err


def test_without_viser_it_says_what_to_install(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "viser", None)
    for words in (["view"], ["fly", "--record", str(tmp_path / "flight.html")]):
        assert main(words) == 2
        assert "pip install 'noctule[viewer]'" in capsys.readouterr().err
