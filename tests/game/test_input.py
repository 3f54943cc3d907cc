"""Input: every key, button and axis, and what the session does with it."""

import pytest

from noctule.game.devices.bindings import ACTIONS, AXES, DEAD_ZONE, HELP, KEYS
from noctule.game.devices.inputs import Inputs
from noctule.game.menus import Entry, Menu
from noctule.game.session import HELP as HELP_STATE
from noctule.game.session import LOADING, OVER, PAUSE, PLAY, SETTINGS, TITLE, Session
from noctule.game.simulation.controls import NEUTRAL, Controls
from noctule.game.simulation.rules import FRAME
from noctule.game.storage import BEST, OF_LEVEL, Score, Settings, Storage, data_folder

ONCE = ("swap", "reload")
HELD = {name: value for name, value in KEYS.items() if value[0] not in (*ONCE, "look")}


@pytest.mark.parametrize("name", HELD)
def test_held_keys_and_buttons_hold_their_control(name):
    inputs, (control, value) = Inputs(), HELD[name]
    inputs.press(name)
    for _ in range(2):
        assert getattr(inputs.controls(), control) == value
    inputs.release(name)
    assert inputs.controls() == NEUTRAL


@pytest.mark.parametrize("name", [name for name, (control, _) in KEYS.items() if control in ONCE])
def test_swap_and_reload_count_once(name):
    inputs = Inputs()
    inputs.press(name)
    inputs.press(name)  # keys repeat while they are held
    assert getattr(inputs.controls(), KEYS[name][0])
    assert inputs.controls() == NEUTRAL
    inputs.release(name)
    inputs.press(name)
    assert getattr(inputs.controls(), KEYS[name][0])


@pytest.mark.parametrize(
    ("axis", "value", "controls"),
    [
        ("left_x", 1.0, Controls(yaw=1.0)),
        ("left_x", -1.0, Controls(yaw=-1.0)),
        ("left_y", 1.0, Controls(pitch=-1.0)),
        ("left_y", -1.0, Controls(pitch=1.0)),
        ("right_x", -1.0, Controls(look_x=-1.0)),
        ("right_y", 1.0, Controls(look_y=1.0)),
        ("left_trigger", 0.6, Controls(fire=True)),
        ("right_trigger", 1.0, Controls(fire=True)),
        ("right_trigger", 0.4, NEUTRAL),
        ("left_x", DEAD_ZONE, NEUTRAL),
    ],
)
def test_axes(axis, value, controls):
    inputs = Inputs()
    inputs.move_axis(axis, value)
    assert inputs.controls() == controls


def test_an_unknown_axis_is_refused():
    with pytest.raises(ValueError, match="axis is 'wheel'; allowed are left_x"):
        Inputs().move_axis("wheel", 1.0)
    assert set(AXES.values()) <= set(Controls.__dataclass_fields__)


def test_the_mouse_steers_or_looks_around_while_its_right_button_is_held():
    inputs = Inputs()
    inputs.move_mouse((1.0, -1.0))
    assert inputs.controls() == Controls(yaw=1.0, pitch=-1.0)
    inputs.press("mouse3")
    assert inputs.controls() == Controls(look_x=1.0, look_y=-1.0)
    inputs.release("mouse3")
    inputs.mouse_steers = False
    assert inputs.controls() == NEUTRAL
    inputs.mouse_steers = True
    inputs.move_mouse((0.02, 0.02))
    assert inputs.controls() == NEUTRAL
    inputs.move_mouse(None)
    assert inputs.controls() == NEUTRAL


def test_opposite_keys_cancel_each_other_and_devices_add_up_to_one():
    inputs = Inputs()
    inputs.press("a")
    inputs.press("d")
    assert inputs.controls() == NEUTRAL
    inputs.release("a")
    inputs.move_axis("left_x", 1.0)
    assert inputs.controls().yaw == 1.0


def test_pitch_can_be_inverted():
    inputs = Inputs()
    inputs.invert_pitch = True
    inputs.press("w")
    assert inputs.controls().pitch == 1.0


def test_nothing_is_held_after_the_focus_was_lost():
    inputs = Inputs()
    inputs.press("d")
    inputs.press("r")
    inputs.move_axis("left_y", 1.0)
    inputs.move_mouse((1.0, 1.0))
    inputs.release_all()
    assert inputs.controls() == NEUTRAL


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_come_once_in_their_order(name):
    inputs = Inputs()
    inputs.press(name)
    assert inputs.take_actions() == list(ACTIONS[name])
    assert inputs.take_actions() == []


def test_the_help_names_every_control():
    for words in ("A D, W S", "arrows", "space", "left shift", "R", "E, Q", "triggers", "X", "B"):
        assert words in HELP


# ---------------------------------------------------------------------- menus and session


def test_menus_go_round():
    chosen, moved = [], []
    menu = Menu("m", [Entry(lambda: "a", lambda: chosen.append(1)),
                      Entry(lambda: "b", change=moved.append)])  # fmt: skip
    for action in ("choose", "down", "right", "left", "choose", "down"):
        assert menu.handle(action)
    assert (chosen, moved, menu.marked) == ([1], [1, -1, 1], 0)
    menu.handle("up")
    assert menu.marked == 1
    assert not menu.handle("pause")


@pytest.fixture
def session(tmp_path):
    return Session(Inputs(), Storage(tmp_path), 1, {"algorithm": "straight"})


def press(session, *names):
    for name in names:
        session.inputs.press(name)
        session.inputs.release(name)
        session.advance(FRAME)
        while session.state == LOADING:
            session.advance(FRAME)


def choose(session, label):
    menu = session.menu
    while not menu.entries[menu.marked].label().startswith(label):
        press(session, "arrow_down")
    press(session, "enter")


def test_the_keyboard_plays_a_whole_game(session):
    assert session.state == TITLE
    press(session, "enter")
    assert session.state == PLAY
    first = session.game
    session.inputs.press("space")
    for _ in range(30):
        session.advance(FRAME)
    session.inputs.release("space")
    assert first.counts["fire"] >= 1
    press(session, "c", "v", "t")
    assert session.chase
    assert session.ai
    assert session.slow
    press(session, "p")
    assert session.state == PAUSE
    frame = first.frame
    press(session, "f1")
    assert session.state == HELP_STATE
    press(session, "escape")
    assert session.state == PAUSE
    assert first.frame == frame
    choose(session, "restart")
    assert session.state == PLAY
    assert session.game is not first
    press(session, "escape")
    choose(session, "quit")
    assert session.ended


def test_slow_motion_is_a_quarter(session):
    session.start()
    session.slow = True
    for _ in range(40):
        session.advance(FRAME)
    assert session.game.frame == 10


def test_a_slow_machine_plays_few_frames_for_a_picture(session):
    session.start()
    session.advance(10.0)
    assert session.game.frame <= 4


def test_game_over_keeps_the_score_and_plays_again(session):
    session.start()
    session.game.score = 500
    session.game.player.health, session.game.player.shield = 1.0, 0.0
    session.game._harm(5.0)
    session.game.over = False
    session.game.tick = lambda _: setattr(session.game, "over", True) or []
    session.advance(FRAME)
    assert session.state == OVER
    assert session.rank == 1
    assert session.storage.scores()[0].points == 500
    choose(session, "play again")
    assert session.state == PLAY


def test_the_window_without_focus_pauses(session):
    session.start()
    session.inputs.press("d")
    session.lose_focus()
    assert session.state == PAUSE
    assert session.inputs.controls() == NEUTRAL


def test_settings_persist(session, tmp_path):
    choose(session, "settings")
    assert session.state == SETTINGS
    choose(session, "invert")
    assert session.inputs.invert_pitch
    while not session.menu.entries[session.menu.marked].label().startswith("volume"):
        press(session, "arrow_up")
    press(session, "arrow_left", "arrow_left")
    choose(session, "back")
    assert session.state == TITLE
    again = Storage(tmp_path).settings()
    assert (again.invert_pitch, again.volume) == (True, 0.5)


def test_the_menu_offers_every_algorithm_and_difficulty(session):
    session._options.clear()
    menu = session.menu
    menu.marked = next(i for i, e in enumerate(menu.entries) if e.label().startswith("algorithm"))
    seen = set()
    for _ in range(40):
        seen.add(menu.entries[menu.marked].label().split(": ")[1])
        press(session, "arrow_right")
    assert {"straight", "a*", "ad*", "lazy-theta*", OF_LEVEL} <= seen


# ---------------------------------------------------------------------- storage


def test_only_the_best_scores_are_kept(tmp_path):
    storage = Storage(tmp_path / "new" / "folder")
    ranks = [storage.add_score(Score(p, 1, 2.0, "easy", "a*")) for p in range(10, 10 + BEST + 3)]
    assert ranks == [1] * (BEST + 3)
    assert len(storage.scores()) == BEST
    assert storage.add_score(Score(1, 1, 1.0, "easy", "a*")) == 0
    assert storage.add_score(Score(0, 1, 1.0, "easy", "a*")) == 0


@pytest.mark.parametrize("content", ["", "{", "[1, {}]", '{"volume": "loud", "difficulty": "x"}'])
def test_damaged_files_count_as_empty(tmp_path, content):
    for name in ("settings.json", "scores.json"):
        (tmp_path / name).write_text(content)
    assert Storage(tmp_path).settings() == Settings()
    assert Storage(tmp_path).scores() == []


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    storage = Storage(tmp_path / "file" / "below")
    storage.save_settings(Settings())
    assert storage.add_score(Score(5, 1, 1.0, "easy", "a*")) == 1


def test_the_folder_can_be_named(monkeypatch, tmp_path):
    monkeypatch.setenv("NOCTULE_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("NOCTULE_DATA")
    assert data_folder().name == "noctule"
