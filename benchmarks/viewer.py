"""Cost of the viewer: CPU time per picture, memory over time, and leaks of closed pages.

    python benchmarks/viewer.py --minutes 10 --pages 20

Needs the extra `viewer`, playwright, and the system's Chromium.
"""

import argparse
import json
import os
import resource
import shutil
import threading
import time

import numpy as np

from noctule.viewer.live_page import LivePage
from noctule.viewer.session import Settings, prepare

FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--minutes", type=float, default=1.0)
    words.add_argument("--pages", type=int, default=20)
    words.add_argument("--algorithm", default="a*")
    asked = words.parse_args()
    from playwright.sync_api import sync_playwright

    live = LivePage(prepare(Settings(algorithm=asked.algorithm)))
    costs = []
    thread = threading.Thread(target=run, args=(live, costs))
    thread.start()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        before = left_behind()
        for _ in range(asked.pages):
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(live.loop.url)
            page.get_by_text("flying").first.wait_for(timeout=120_000)
            page.close()
        wait_for_no_pages(live)
        after = left_behind()
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(live.loop.url)
        page.get_by_text("flying").first.wait_for(timeout=120_000)
        costs.clear()
        memory = watch(live, 60 * asked.minutes)
        browser.close()
    work = costs_of(costs)
    live.loop.stop()
    thread.join()
    print(json.dumps({
        "algorithm": asked.algorithm,
        "pages": {"opened": asked.pages, "threads, files before": before, "after": after},
        "threads at the end": [t.name for t in threading.enumerate()],
        "ms of CPU per picture": work,
        "flights": [live.session.reached, live.session.flown],
        "MB after each tenth of the time": memory,
    }, indent=1))  # fmt: skip


def run(live, costs):
    """Measure the CPU time of each update without the flight: drawing and sending."""
    update, draw = live.update, live._draw
    drawn = [0.0]

    def timed_draw():
        started = time.thread_time()
        draw()
        drawn[0] = time.thread_time() - started

    def timed_update(seconds):
        drawn[0] = 0.0
        here, everywhere = time.thread_time(), time.process_time()
        update(seconds)
        if drawn[0]:
            flying = time.thread_time() - here - drawn[0]
            costs.append((drawn[0], flying, everywhere))

    live._draw = timed_draw
    live.loop._update = timed_update
    live.loop.run()


def costs_of(costs):
    """Return statistics of drawing, and of the other CPU time between two updates (sending)."""
    drawn, flying, everywhere = np.array(costs).T
    rest = np.diff(everywhere) - drawn[:-1] - flying[:-1]
    sums = drawn[:-1] + rest
    return {what: spread(values) for what, values in (("drawing", drawn), ("sending", rest))} | {
        "both": spread(sums),
        "updates": len(costs),
    }


def spread(seconds):
    numbers = [seconds.mean(), *np.percentile(seconds, (50, 95, 99))]
    return dict(
        zip(("mean", "p50", "p95", "p99"), [round(1e3 * n, 3) for n in numbers], strict=True)
    )


def left_behind():
    """Return the number of threads and of open files of this process."""
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


def wait_for_no_pages(live):
    end = time.monotonic() + 30
    while live.server.get_clients() and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1.0)


def watch(live, seconds):
    memory = []
    for _ in range(11):
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[1])
        memory.append(round(pages * resource.getpagesize() / 1e6, 1))
        time.sleep(seconds / 10)
    return memory


if __name__ == "__main__":
    main()
