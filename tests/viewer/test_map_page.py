"""Maps with paths in the browser, and errors of the command."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import pytest

import noctule as nt
from noctule.cli import main
from noctule.commands import view
from noctule.pictures.styles import STYLES
from noctule.viewer import page_base as loops
from noctule.viewer.map_page import MapPage, on_dark
from noctule.viewer.maps import surface_mesh as faces
from viewer.conftest import close_notice, coloured, on_page, pixels, wait_until


@pytest.fixture
def blocked():
    blocked = np.zeros((20, 16, 12), bool)
    blocked[10, :14] = True
    return blocked


def shown(grid, names, ends):
    return MapPage(grid, [nt.Planner(grid, name) for name in names], ends, "a map")


def end(page):
    page.loop.stop()
    page.loop.run()


def test_paths_side_by_side(blocked, visit):
    grid = nt.Grid(blocked)
    page = shown(grid, ["a*", "theta*"], [(2.5, 2.5, 6.5), (17.5, 2.5, 6.5)])
    thread = threading.Thread(target=page.loop.run, daemon=True)
    thread.start()
    try:
        tab = visit(page.loop.url)
        tab.locator("#paths").wait_for()
        close_notice(tab)
        table = tab.locator("#paths").inner_text()
        for path in page.paths:
            assert path.algorithm in table
            assert f"{path.length:.2f}" in table
        seen = pixels(tab)
        for path in page.paths:  # in the colours of the studies
            assert coloured(seen, on_dark(STYLES[path.algorithm].colour)) > 30, path.algorithm
        before = table
        page._requests.put(lambda: page.move_end(1, (17.5, 12.5, 6.5)))
        wait_until(lambda: tab.locator("#paths").inner_text() != before)
        tab.get_by_text("front", exact=True).click()
        (client,) = page.server.get_clients().values()
        straight = page._camera("front")
        wait_until(lambda: np.allclose(client.camera.position, straight.position, atol=0.01))
        time.sleep(1.0)
        x, y = on_page(tab, straight, page._ends[1])
        tab.mouse.move(x, y)
        tab.mouse.down()
        for step in range(1, 9):
            tab.mouse.move(x, y + 10 * step)
            time.sleep(0.1)
        tab.mouse.up()
        wait_until(lambda: page.paths[0].points[-1][1] < 11.5)
        wait_until(lambda: f"{page.paths[1].length:.2f}" in tab.locator("#paths").inner_text())
    finally:
        page.loop.stop()
        thread.join(30)
    assert not thread.is_alive()


def test_closed_pages_leave_nothing_behind(blocked, visit, monkeypatch):
    monkeypatch.setattr(loops, "CLOSED_FOR", 600.0)
    grid = nt.Grid(blocked)
    before = threading.active_count()
    page = shown(grid, ["a*"], [(2.5, 2.5, 6.5), (17.5, 2.5, 6.5)])
    thread = threading.Thread(target=page.loop.run, args=(True,), daemon=True)
    thread.start()
    left = []
    for _ in range(3):
        tab = visit(page.loop.url)
        tab.locator("#paths").wait_for()
        tab.close()
        wait_until(lambda: not page.server.get_clients())
        left.append(threading.active_count())
    assert len(set(left)) == 1
    monkeypatch.setattr(loops, "CLOSED_FOR", 0.1)  # the loop ends after this time without a page
    thread.join(30)
    assert not thread.is_alive()
    assert threading.active_count() == before


def test_ends_stay_on_the_map(blocked):
    grid = nt.Grid(blocked)
    page = shown(grid, ["a*"], [(2.5, 2.5, 6.5), (17.5, 2.5, 6.5)])
    try:
        page.move_end(1, (99, 1, 1))
        assert page.paths[0].found
        assert page.paths[0].points[-1].tolist() == [19.5, 1, 1]
        page.move_end(1, (10.5, 1, 1))  # in the wall
        assert not page.paths[0].found
        assert "blocked" in page._table.content
    finally:
        end(page)


def test_a_2d_map():
    blocked = np.zeros((12, 9), bool)
    blocked[6, :7] = True
    page = shown(nt.Grid(blocked), ["theta*"], [(1.5, 1.5), (10.5, 1.5)])
    try:
        assert page.paths[0].found
        page.move_end(0, (1.5, 8.5, 0.2))
        assert page.paths[0].points[0].tolist() == [1.5, 8.5]
    finally:
        end(page)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["view", "--port", "70000"], "--port is 70000"),
        (["view", "MAP", "--to", "3,3,3"], "--from is missing"),
        (["view", "MAP", "--from", "1,1,1", "--to", "1,1"], "--to is '1,1'"),
        (["view", "MAP", "--from", "1,1,1", "--to", "99,1,1"], "outside the map"),
        (["view", "--from", "1,1,1"], "that is for maps"),
        (["view", "--algorithm", "b*"], "unknown algorithm"),
        (["view", "nowhere.json"], "nowhere.json"),
    ],
)
def test_wrong_input_is_named(words, said, blocked, tmp_path, capsys):
    np.save(tmp_path / "map.npy", blocked)
    words = [str(tmp_path / "map.npy") if word == "MAP" else word for word in words]
    assert main([*words, "--no-open"]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def words(blocked, tmp_path):
    """Arguments that show a map."""
    np.save(tmp_path / "map.npy", blocked)
    return ["view", str(tmp_path / "map.npy"), "--from", "1,1,1", "--to", "3,3,3"]


def test_a_taken_port_is_named(words, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main([*words, "--no-open", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert f"--port is {port}" in said
    assert "in use" in said


def test_ctrl_c_ends_it_without_output(words):
    process = subprocess.Popen(
        [sys.executable, "-m", "noctule", *words, "--no-open", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Whoever runs the tests in the background ignores Ctrl-C, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        url = json.loads(process.stdout.readline())["url"]
        with urllib.request.urlopen(url, timeout=60) as page:
            assert b"<html" in page.read()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in out + said


def test_without_a_display_the_address_is_printed(words, monkeypatch, capsys):
    monkeypatch.setattr(view.webbrowser, "open", lambda url: False)
    monkeypatch.setattr(loops.Loop, "run", lambda loop, end_with_page: loop._server.stop())
    assert main(words) == 0
    said = capsys.readouterr()
    assert "Watch it at http://127.0.0.1:" in said.out
    assert "No browser could be opened here" in said.err


def test_a_huge_map_is_thinned_and_says_so(words, monkeypatch, capsys):
    monkeypatch.setattr(faces, "MAX_FACES", 5)
    monkeypatch.setattr(loops.Loop, "run", lambda loop, end_with_page: loop._server.stop())
    assert main([*words, "--no-open"]) == 0
    assert "cells a side joined: it has too many faces" in capsys.readouterr().err
