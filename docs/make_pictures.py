"""Makes the pictures of README and docs with the project's own commands.

    python docs/make_pictures.py            all of them
    python docs/make_pictures.py hunt       hunt.gif only

The picture of the viewer needs playwright and the system's Chromium.
"""

import shutil
import sys
import tempfile
import threading
from pathlib import Path

import hunt_clip

from noctule.cli import main

DOCS = Path(__file__).parent
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def flight():
    """A flight as a picture and as a clip."""
    with tempfile.TemporaryDirectory() as folder:
        trace = str(Path(folder) / "flight.npz")
        picture, clip = str(DOCS / "flight.png"), str(DOCS / "flight.gif")
        words = ["--algorithm", "lazy-theta*", "--seed", "1"]
        main(["fly", *words, "--trace", trace, "--picture", picture])
        main(["replay", trace, "--gif", clip])


def hunt():
    """The clip at the top of README."""
    hunt_clip.write(DOCS / "hunt.gif")


def asteroids():
    """A path through the built-in map."""
    main(["plan", "--picture", str(DOCS / "asteroids.png")])


def viewer():
    """The page of a live flight, paused after some seconds."""
    from playwright.sync_api import sync_playwright

    from noctule.viewer.live_page import LivePage
    from noctule.viewer.session import Settings, prepare

    live = LivePage(prepare(Settings(algorithm="a*", seed=1)))
    for _ in range(500):
        live.session.step()
    live.paused = True
    live.panel.pause.label = "Continue"
    thread = threading.Thread(target=live.loop.run)
    thread.start()
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.set_default_timeout(120_000)
            page.goto(live.loop.url)
            page.get_by_text("paused").wait_for()
            page.get_by_role("alert").get_by_role("button").first.click()
            page.get_by_role("button", name="angled").click()
            page.wait_for_timeout(8000)
            view = {"x": 0, "y": 0, "width": 950, "height": 720}  # without the panel
            page.screenshot(path=DOCS / "viewer.png", clip=view, timeout=120_000)
            browser.close()
    finally:
        live.loop.stop()
        thread.join()


if __name__ == "__main__":
    makers = {"hunt": hunt, "flight": flight, "asteroids": asteroids, "viewer": viewer}
    for name in sys.argv[1:] or makers:
        makers[name]()
