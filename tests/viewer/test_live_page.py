"""A flight in the browser: what a person sees, and what a person does."""

import threading
import time

import numpy as np
import pytest

from noctule.viewer.live import LivePage
from noctule.viewer.sessions import Settings, prepare
from noctule.viewer.stage import COLOURS, PATH
from viewer.conftest import close_notice, coloured, pixels, wait_until


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

    choose(page, "Algorithm", "lazy-theta*")
    wait_until(lambda: live.session.world.settings.algorithm == "lazy-theta*")
    assert live.session.frame.time == pytest.approx(before, abs=1.0)  # it flies on from there
    choose(page, "Graph", "hybrid")
    wait_until(lambda: live.session.world.settings.graph == "hybrid", 120)

    choose(page, "Algorithm", "jps")  # which does not run on it
    page.get_by_text("jps jumps along rows").first.wait_for()
    wait_until(lambda: live._wanted is None)
    assert live.session.world.settings.algorithm == "lazy-theta*"

    other = visit(live.loop.url)  # a second page sees the same
    other.get_by_text("paused").wait_for()
    page.get_by_role("button", name="Go on").click()
    other.get_by_text("flying").wait_for()
    assert len(live.server.get_clients()) == 2


def test_the_world_is_disturbed(live, visit):
    page = visit(live.loop.url)
    page.get_by_text("flying").wait_for()
    close_notice(page)
    page.get_by_role("button", name="Pause").click()
    wait_until(lambda: live.paused)

    before, path = live.session.frame.destination, live.session.frame.path
    x, y = where(page, live, before)
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
    page.get_by_text("Box in the way").click()
    wait_until(lambda: "box-1" in [body.name for body in live.session.world.scene.bodies])
    wait_until(lambda: not meets(live, "box-1"))
    seen = pixels(page)
    assert coloured(seen, COLOURS["orange"]) > 50
    page.get_by_text("Take box away").click()
    wait_until(lambda: "box-1" not in [body.name for body in live.session.world.scene.bodies])


def leads_there(live):
    """Whether the path leads to where the destination is."""
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


def where(page, live, point):
    """The place of a point on the page, as the first camera sees it."""
    import math

    from noctule.viewer.pages import FOV

    eye, middle = live._shot("front")
    depth = eye[2] - point[2]
    scale = 720 / 2 / math.tan(FOV / 2) / depth
    width = page.locator("canvas").first.bounding_box()["width"]
    return width / 2 + (point[0] - middle[0]) * scale, 360 - (point[1] - middle[1]) * scale
