"""A real browser: the system's Chromium, driven by Playwright; without it, these tests skip."""

import io
import json
import math
import shutil
import time
from urllib.parse import urlsplit

import numpy as np
import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 90_000  # milliseconds; a busy machine without a graphics card is slow
# Messages of Chromium about viser's own code while something is dragged.
KNOWN = ("Unable to preventDefault inside passive event listener",)
OURS = {"127.0.0.1", ""}  # hosts that a page may contact; a page in a file contacts none


# Small, so that a hybrid graph is baked quickly, with a body of every colour.
COURSE = {
    "space": {"origin": [0, 0, 0], "cells": [24, 16, 8], "cell_size": 1.0},
    "agent": {"start": [1.5, 1.5, 4.5], "radius": 0.4, "speed": 0.5},
    "destination": {"start": [22.5, 13.5, 3.5], "radius": 0.4},
    "obstacles": [
        {
            "name": "wall", "kind": "static", "colour": "white", "shape": "box",
            "centre": [12, 5, 4], "size": [1, 10, 8],
        },
        {
            "name": "lift", "kind": "patrol", "colour": "green", "shape": "box",
            "centre": [6, 13, 4], "size": [4, 2, 2],
            "motion": {"type": "patrol", "speed": 1, "points": [[6, 13, 2], [6, 13, 6]]},
        },
        {
            "name": "vane", "kind": "turn", "colour": "red", "shape": "box",
            "centre": [17, 5, 4], "size": [5, 1, 3],
            "motion": {"type": "turn", "axis": [0, 0, 1], "rate_deg_s": 20},
        },
        {
            "name": "drum", "kind": "turn", "colour": "dark blue", "shape": "box",
            "centre": [6, 8, 4], "size": [3, 2, 3],
            "motion": {"type": "turn", "axis": [0, 1, 0], "rate_deg_s": 30},
        },
        {
            "name": "gate", "kind": "blink", "colour": "light blue", "shape": "box",
            "centre": [12, 12, 2], "size": [1, 4, 3],
            "motion": {"type": "blink", "half_period_s": 4},
        },
    ],
}  # fmt: skip


@pytest.fixture
def course(tmp_path):
    """A scene in a file."""
    file = tmp_path / "course.json"
    file.write_text(json.dumps(COURSE))
    return str(file)


@pytest.fixture(scope="module")
def chromium():
    """The browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pytest.importorskip("viser", reason="viser is not installed")
    file = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if file is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=file, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium):
    """Open a page; it must log no errors and contact no other hosts."""
    opened, complaints, hosts = [], [], set()

    def visit(url):
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname or ""))
        page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).hostname))
        page.goto(url)
        opened.append(page)
        return page

    yield visit
    for page in opened:
        page.close()
    assert [text for text in complaints if not any(known in text for known in KNOWN)] == []
    assert hosts <= OURS


def close_notice(page):
    """Close viser's warning about a missing graphics card, which covers the view."""
    page.get_by_role("alert").get_by_role("button").first.click()


def pixels(page, width=950):
    """Return the view without the panel as an image (height, width, 3), 0 to 255."""
    from PIL import Image

    with Image.open(io.BytesIO(page.screenshot(timeout=PATIENCE))) as image:
        return np.asarray(image.convert("RGB"), int)[:, :width]


def coloured(image, colour):
    """Return the number of pixels with the hue of a colour."""
    from matplotlib.colors import rgb_to_hsv

    hue, strength, light = np.moveaxis(rgb_to_hsv(image / 255), -1, 0)
    apart = np.abs(hue - rgb_to_hsv(np.array(colour) / 255)[0])
    same = np.minimum(apart, 1 - apart) < 0.03
    return int((same & (strength > 0.35) & (light > 0.2)).sum())


def wait_until(holds, seconds=60.0):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


def on_page(page, front, point):
    """Return the pixel coordinates of a point in the front view."""
    from noctule.viewer.camera import FOV

    eye, middle = front[:2]
    scale = 720 / 2 / math.tan(FOV / 2) / (eye[2] - point[2])
    width = page.locator("canvas").first.bounding_box()["width"]
    return width / 2 + (point[0] - middle[0]) * scale, 360 - (point[1] - middle[1]) * scale
