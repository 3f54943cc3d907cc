"""A live flight in the browser: drawing and controls."""

import threading
import time

import numpy as np
import pytest

from noctule.viewer.camera import camera_for
from noctule.viewer.live_page import LivePage
from noctule.viewer.scene_view import AGENT, COLOURS, PATH, colour_of
from noctule.viewer.session import BOX_COLOUR, Settings, prepare
from viewer.conftest import close_notice, coloured, on_page, pixels, wait_until


@pytest.fixture
def alone(course):
    """A page without browser and without running loop."""
    page = LivePage(prepare(Settings(course, seed=3)))
    yield page
    page.loop.stop()
    page.loop.run()


@pytest.fixture
def live(course):
    page = LivePage(prepare(Settings(course, seed=3)))
    thread = threading.Thread(target=page.loop.run, daemon=True)
    thread.start()
    yield page
    page.loop.stop()
    thread.join(30)
    assert not thread.is_alive()


def choose(page, label, value):
    """Pick a value from a list."""
    page.get_by_label(label, exact=True).first.click()
    page.get_by_role("option", name=value, exact=True).click()


def test_a_flight_is_seen_and_steered(live, visit):
    page = visit(live.loop.url)
    page.get_by_text("flying").wait_for()
    close_notice(page)

    seen = pixels(page)
    for name in ("green", "red", "dark blue"):
        assert coloured(seen, COLOURS[name]) > 500, name
    assert coloured(seen, PATH) > 100

    numbers = page.locator("#numbers")
    first = numbers.inner_text()
    wait_until(lambda: numbers.inner_text() != first)

    page.get_by_role("button", name="Pause").click()
    wait_until(lambda: live.paused)
    page.get_by_text("paused").wait_for()
    before = live.session.frame.time
    page.get_by_text("Step", exact=True).click()
    wait_until(lambda: live.session.frame.time > before)
    assert live.session.frame.time == pytest.approx(before + live.session.flight.frame)

    page.get_by_text("1/4", exact=True).click()
    wait_until(lambda: live.speed == 0.25)
    (client,) = live.server.get_clients().values()
    page.get_by_text("follow", exact=True).click()
    agent = live.session.frame.agent
    wait_until(lambda: np.allclose(client.camera.look_at, agent, atol=0.01))
    assert coloured(pixels(page), AGENT) > 100  # nothing hides it
    page.get_by_text("front", exact=True).click()
    wait_until(lambda: not np.allclose(client.camera.look_at, agent, atol=0.5))

    choose(page, "Algorithm", "lazy-theta*")
    wait_until(lambda: live.session.world.settings.algorithm == "lazy-theta*")
    assert live.session.frame.time == pytest.approx(before, abs=1.0)  # the flight continues
    choose(page, "Graph", "hybrid")
    wait_until(lambda: live.session.world.settings.graph == "hybrid", 120)

    wait_until(lambda: live._preparing is None)
    assert live.session.world.settings.algorithm == "lazy-theta*"

    other = visit(live.loop.url)  # a second page sees the same
    other.get_by_text("paused").wait_for()
    page.get_by_role("button", name="Continue").click()
    other.get_by_text("flying").wait_for()
    assert len(live.server.get_clients()) == 2


def test_the_world_is_disturbed(live, visit):
    page = visit(live.loop.url)
    page.get_by_text("flying").wait_for()
    close_notice(page)
    page.get_by_role("button", name="Pause").click()
    wait_until(lambda: live.paused)

    before, path = live.session.frame.destination, live.session.frame.path
    space = live.session.world.scene.space
    front = camera_for("front", space.origin, space.high)
    x, y = on_page(page, front, before)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(x - 20 * step, y - 10 * step)
        time.sleep(0.1)
    page.mouse.up()
    wait_until(lambda: live.session.frame.destination != before)
    wait_until(lambda: live.session.frame.destination[0] < before[0] - 2)
    wait_until(lambda: leads_there(live))
    assert live.session.frame.path is not path

    page.get_by_role("tab", name="Disturb").click()
    page.get_by_text("Add box on path").click()
    wait_until(lambda: "box-1" in [body.name for body in live.session.world.scene.bodies])
    wait_until(lambda: not meets(live, "box-1"))
    seen = pixels(page)
    assert coloured(seen, colour_of(BOX_COLOUR)) > 50
    page.get_by_text("Remove box").click()
    wait_until(lambda: "box-1" not in [body.name for body in live.session.world.scene.bodies])

    choose(page, "A click", "moves the goal")
    wait_until(lambda: live._click_action == "moves the goal")
    goal = (17.0, 12.0, live.session.frame.destination[2])
    page.mouse.click(*on_page(page, front, goal))
    wait_until(lambda: np.allclose(live.session.frame.destination, goal, atol=0.3))
    wait_until(lambda: leads_there(live))

    places = {body.name: body.position for body in live.session.world.scene.bodies}
    choose(page, "A click", "adds a box")
    wait_until(lambda: live._click_action == "adds a box")
    page.mouse.click(*on_page(page, front, goal))
    wait_until(lambda: len(live.session.world.scene.bodies) > len(places))
    (box,) = (b for b in live.session.world.scene.bodies if b.name not in places)
    choose(page, "A click", "removes a box")
    wait_until(lambda: live._click_action == "removes a box")
    page.mouse.click(*on_page(page, front, box.position))
    wait_until(lambda: len(live.session.world.scene.bodies) == len(places))


def test_every_control_reaches_the_flight(alone):
    asked = {"weight": 2.5, "radius": 0.3, "prediction": False, "foresee": False, "seed": 5}
    asked |= {"destination": "static", "algorithm": "ara*"}
    assert asked.keys() | {"graph", "scene"} == alone.panel.settings.keys()
    for name, value in asked.items():
        alone._act(name, value, None)
    finish(alone)
    settings = alone.session.world.settings
    assert {name: getattr(settings, name) for name in asked} == asked
    alone.session.step()  # the first plan is there after a frame
    alone.session.step()
    assert alone.session.planner.options.weight == 2.5
    assert alone.session.frame.path.radius == 0.3
    assert {name: alone.panel.settings[name].value for name in asked} == asked

    alone.panel.settings["weight"].value = 0.5
    alone._act("weight", 0.5, None)  # refused: the slider is reset
    finish(alone)
    assert alone.session.world.settings.weight == 2.5
    assert alone.panel.settings["weight"].value == 2.5

    alone.session.step()
    began, run = alone.session.start_time, alone.session.run
    for word, time_flown, number in (("Restart", 0, run), ("Step", 1, run), ("Next", 0, run + 1)):
        alone._act("flight", word, None)
        finish(alone)
        flown = alone.session.frame.time - alone.session.start_time
        assert flown == pytest.approx(time_flown * alone.session.flight.frame), word
        assert alone.session.run == number
    assert alone.session.start_time != began

    alone._act("scene", "test-environment (2019)", None)
    finish(alone)
    settings = alone.session.world.settings
    assert (settings.scene, settings.variant, settings.seed) == ("test-environment", "2019", 5)


def finish(live):
    """Handle all requests, and wait for preparations."""
    end = time.monotonic() + 120
    while not live._requests.empty() or live._preparing is not None:
        live.update(0.0)
        assert time.monotonic() < end
        time.sleep(0.01)


def leads_there(live):
    """Whether the path leads to the goal."""
    frame = live.session.frame
    return np.allclose(frame.path.points[-1], frame.destination)


def meets(live, name):
    """Whether the path leads through a body."""
    session = live.session
    path, body = session.frame.path, session.world.scene[name]
    half = body.shape.size / 2
    return any(
        session.world.graph.body_on(p, q, 0.0) is body
        for p, q in zip(path.points[:-1], path.points[1:], strict=True)
    ) or any((abs(point - body.position) < half).all() for point in path.points)
