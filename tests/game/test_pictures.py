"""Pictures of the game, drawn without a window; windows that change or close; no display."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("panda3d")

PLAYED = """
import os, sys
import numpy as np
from noctule.game.app import App, CLOSE
from noctule.game.devices.inputs import Inputs
from noctule.game.session import Session
from noctule.game.storage import Storage
from noctule.game.view.stage import Stage
from pathlib import Path

folder = Path(sys.argv[1])
session = Session(Inputs(), Storage(folder), 3, {"algorithm": "straight", "enemies": 3})
app = App(session, Stage((320, 192), offscreen=True))
base, pictures = app.stage.base, {}

def show(name, frames=2):
    for _ in range(frames):
        app.picture(1 / 60)
    pictures[name] = app.stage.picture()

def press(*keys):
    for key in keys:
        base.messenger.send(key)
        app.picture(1 / 60)
        base.messenger.send(key + "-up")
        while session.state == "loading":
            app.picture(1 / 60)
"""


def run(code, tmp_path, **environment):
    """Run code after `PLAYED` in a process of its own: there is one window a process."""
    import os

    done = subprocess.run(
        [sys.executable, "-c", PLAYED + code, str(tmp_path)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_screens_differ_and_keys_reach_the_game(tmp_path):
    code = """
show("title")
press("enter")
assert session.state == "play", session.state
show("flight", 30)
base.messenger.send("d")
before = session.game.player.heading
for _ in range(30): app.picture(1 / 60)
base.messenger.send("d-up")
assert (before - session.game.player.heading) % 360 > 20
base.messenger.send("space")
for _ in range(30): app.picture(1 / 60)
base.messenger.send("space-up")
assert session.game.counts["fire"] > 0
press("c", "v"); show("ai")
assert session.chase and session.ai
press("p"); show("pause")
press("f1"); show("help")
press("escape", "escape"); show("again")
assert session.state == "play"
session.game.player.health = 1.0; session.game.player.shield = 0.0
session.game._harm(5.0); session._end(); show("over")
assert app.devices.has_gamepad is False
app.close()
np.savez(folder / "pictures.npz", **pictures)
"""
    run(code, tmp_path)
    pictures = dict(np.load(tmp_path / "pictures.npz"))
    assert {p.shape for p in pictures.values()} == {(192, 320, 3)}
    names = list(pictures)
    for name in names:
        assert pictures[name].std() > 3.0, f"{name} is empty"
    for a, b in itertools.pairwise(names):
        assert np.abs(pictures[a].astype(int) - pictures[b]).mean() > 1.0, (a, b)


def test_a_window_that_is_closed_in_mid_game_ends_it_and_one_that_is_resized_does_not(tmp_path):
    code = """
press("enter"); show("flight", 5)
app._window_changed(base.win)
assert not session.ended and session.state == "play"
base.messenger.send("connect-device", [type("Device", (), {"device_class": None})()])
base.messenger.send("disconnect-device", [object()])
app.picture(1 / 60)
class Window:
    def __init__(self, open, front): self.open, self.front = open, front
    def getProperties(self): return self
    def getOpen(self): return self.open
    def getForeground(self): return self.front
real, base.win = base.win, Window(True, False)
base.adjustWindowAspectRatio = lambda ratio: None
base.getAspectRatio = lambda *_: 1.5
app._window_changed(base.win)
assert session.state == "pause"
base.win = Window(False, False)
app._window_changed(base.win)
assert session.ended
base.win = real
app.close()
"""
    run(code, tmp_path)


def test_effects_of_events_are_drawn_and_end(tmp_path):
    code = """
from noctule.game.simulation.events import Event
session.start(); session.chase = True
show("before", 3)
place = session.game.player.position + 40 * session.game.player.forward
app._space.effects.add(Event("broken", place, 12.0))
session.state = "pause"; session.state = "play"
show("explosion", 3)
lit = pictures["explosion"].astype(int).sum() - pictures["before"].astype(int).sum()
assert lit > 20000, lit
for _ in range(80): app.picture(1 / 60)
assert not app._space.effects._lit
app.close()
"""
    run(code, tmp_path)


def test_a_clip_is_saved_without_a_display(tmp_path):
    from noctule.cli import main

    file = tmp_path / "demo.gif"
    done = subprocess.run(
        [sys.executable, "-m", "noctule", "play", "--demo", "--algorithm", "straight",
         "--seconds", "1", "--record", str(file)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    from PIL import Image

    clip = Image.open(file)
    assert clip.n_frames == 12
    assert clip.size == (480, 272)
    assert main(["play", "--record", str(tmp_path / "demo.avi")]) == 2


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the check is for Linux")
def test_no_display_is_a_clear_message(monkeypatch, capsys):
    from noctule.cli import main

    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert main(["play"]) == 2
    assert "there is no display" in capsys.readouterr().err


def test_the_command_refuses_what_makes_no_sense(capsys):
    from noctule.cli import main

    for words, message in (
        (["--headless"], "--headless needs --demo"),
        (["--seed", "-1"], "--seed is -1"),
        (["--enemies", "-2"], "--enemies is -2"),
        (["--seconds", "0"], "--seconds is 0"),
        (["--demo", "--headless", "--algorithm", "nobody"], "nobody"),
    ):
        assert main(["play", *words]) == 2
        assert message in capsys.readouterr().err


def test_missing_panda3d_is_a_clear_message(monkeypatch):
    from noctule.game import requirements

    monkeypatch.setattr(requirements, "find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'noctule\[game\]'"):
        requirements.require_panda3d()
