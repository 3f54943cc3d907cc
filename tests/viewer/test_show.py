"""`nt.show`: pages beside a running program."""

import threading
import urllib.request

import numpy as np
import pytest

import noctule as nt

pytest.importorskip("viser", reason="viser is not installed")


def answers(page):
    with urllib.request.urlopen(page.url, timeout=60) as answer:
        return b"<html" in answer.read()


@pytest.fixture
def grid():
    blocked = np.zeros((8, 6), bool)
    blocked[4, :5] = True
    return nt.Grid(blocked)


def test_a_grid_with_paths(grid):
    before = threading.active_count()
    raw = nt.plan(grid, (0.5, 0.5), (7.5, 0.5), "a*")
    smooth = nt.smooth(raw, grid, "greedy")
    with nt.show(grid, raw, smooth, browser=False) as page:
        assert answers(page)
        assert page.url in page._repr_html_()
        assert [path.algorithm for path in page._page.paths] == ["a*"]
        assert len(page._page._given) == 2
        page._page.move_end(1, (7.5, 4.5))
        assert page._page._given == []
        assert page._page.paths[0].points[-1].tolist() == [7.5, 4.5]
    assert threading.active_count() <= before + 1


def test_a_grid_without_paths_is_planned_through(grid):
    with nt.show(grid, browser=False, up="-y") as page:
        (path,) = page._page.paths
        assert path.found
        assert path.points[0].tolist() == [0.5, 0.5]
        assert page._page._camera("front").up == (0.0, -1.0, 0.0)


def test_what_cannot_be_shown(grid):
    with pytest.raises(ValueError, match="world is 3; expected a Grid, Scene"):
        nt.show(3, browser=False)
    with pytest.raises(ValueError, match="no free cell"):
        nt.show(nt.Grid([[True]]), browser=False)


def test_the_browser_is_opened_outside_of_notebooks(grid, monkeypatch):
    from noctule.viewer import show

    opened = []
    monkeypatch.setattr(show.webbrowser, "open", opened.append)
    monkeypatch.delitem(show.sys.modules, "ipykernel", raising=False)  # of another test
    page = nt.show(grid)
    page.close()
    assert opened == [page.url]
    monkeypatch.setitem(show.sys.modules, "ipykernel", object())
    nt.show(grid).close()
    assert len(opened) == 1


def test_a_scene_can_be_flown_and_a_flight_played():
    space = nt.Space((0, 0, 0), (12, 8, 8), up="z")
    scene = nt.Scene(space, nt.Agent((1, 1, 1)), nt.Destination((10, 6, 6)))
    with nt.show(scene, browser=False) as page:
        assert answers(page)
    result = nt.Flight(scene, algorithm="a*", prediction=False, limit=0.1, record=True).run()
    with nt.show(result, browser=False) as page:
        assert answers(page)
