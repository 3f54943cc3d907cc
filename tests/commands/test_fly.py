"""`noctule fly` and `noctule scenes` as people and programs call them."""

import json

import numpy as np
import pytest

import noctule as nt
from noctule.cli import main

KEYS = (
    "scene graph algorithm runs reached success collisions travelled path_length expanded "
    "update_ms plan_ms"
)


def run(capsys, *words):
    code = main(["fly", *words])
    return code, *capsys.readouterr()


def without_times(text):
    values = json.loads(text)
    assert set(values.pop("update_ms")) == {"mean", "p50", "p95", "p99", "max"}
    assert set(values.pop("plan_ms")) == {"mean", "p50", "p95", "p99", "max"}
    return values


def test_json_is_the_same_twice(capsys):
    words = ("--runs", "2", "--seed", "1", "--json", "--limit", "1")
    code, first, _ = run(capsys, *words)
    assert code == 1  # one second is not enough
    _, again, _ = run(capsys, *words)
    assert set(KEYS.split()) <= set(json.loads(first))
    values = without_times(first)
    assert values == without_times(again)
    assert values["flights"][0]["reason"] == "not there after 1 s"
    assert set(values["travelled"]) == {"mean", "median", "min", "max"}


def test_flight_with_picture_and_trace(capsys, tmp_path):
    picture, trace = tmp_path / "flight.png", tmp_path / "flight.npz"
    code, out, _ = run(capsys, "--seed", "2", "--picture", str(picture), "--trace", str(trace))
    assert code == 0
    assert "1 of 1 (100.0 %)" in out
    assert picture.read_bytes().startswith(b"\x89PNG")
    flown = nt.Trace.load(trace)
    last = np.linalg.norm(flown.agent[-1] - flown.destination[-1])
    assert last == pytest.approx(0.9, abs=0.1)


def test_the_default_flight_draws_a_picture(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "--limit", "0.1")
    assert code == 1
    assert "Picture saved: noctule-flight.png" in out
    assert (tmp_path / "noctule-flight.png").exists()


def test_static_agent(capsys):
    words = ("--static-agent", "--destination", "static", "--limit", "0.2", "--json")
    theses = ("--algorithm", "a*", "--neighbours", "6", "--variant", "2019", "--no-prediction")
    code, out, _ = run(capsys, *words, *theses)
    assert code == 0
    values = json.loads(out)
    assert values["travelled"]["mean"] is None
    assert values["path_length"]["mean"] > 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "expected one of"),
        (["--runs", "0"], "--runs is 0"),
        (["--graph", "dots"], "--graph is 'dots'"),
        (["--algorithm", "tehta*"], "did you mean theta*"),
        (["--destination", "sideways"], "this scene has static, vertical, horizontal"),
        (["--variant", "1999"], "there is no '1999'"),
        (["--latency", "soon"], "--latency is 'soon'"),
        (["--trace", "x.txt"], "--trace is 'x.txt'"),
        (["--neighbours", "7"], "neighbours is 7"),
        (["--neighbours", "6", "--graph", "hybrid"], "--neighbours is 6; it is for --graph cells"),
        (["--window", "2"], "--window is 2; it is for safe-intervals"),
        (["--window", "9", "--algorithm", "safe-intervals"], "window is 9"),
        (["--budget-ms", "-1"], "--budget-ms is -1"),
        (["--limit", "0"], "limit is 0"),
    ],
)
def test_wrong_input(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err
    code, out, err = run(capsys, "--json", *words)
    assert (code, err) == (2, "")
    assert message in json.loads(out)["error"]


def test_scenes(capsys):
    assert main(["scenes", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == sorted(nt.scenes())
    row = next(row for row in rows if row["name"] == "test-environment")
    assert (row["bodies"], row["moving"], row["variants"]) == (60, 16, ["2019"])
    assert all(row["summary"] for row in rows)
    assert main(["scenes"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in nt.scenes())


def test_thumbnails_of_scenes(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    assert main(["scenes", "--picture", str(tmp_path / "scenes.png"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(nt.scenes())
    assert (tmp_path / "scenes.png").read_bytes().startswith(b"\x89PNG")


def test_flights_on_waypoints(capsys):
    words = ("--graph", "waypoints", "--static-agent", "--limit", "0.1", "--json")
    code, out, _ = run(capsys, *words, "--algorithm", "theta*")
    assert code == 0
    values = json.loads(out)
    assert values["graph"] == "waypoints"
    assert values["path_length"]["mean"] > 90


@pytest.fixture
def room(tmp_path):
    """A small scene without bodies."""
    scene = {
        "space": {"origin": [0, 0, 0], "cells": [8, 6, 6]},
        "agent": {"start": [1.5, 1.5, 1.5], "radius": 0.3, "speed": 4},
        "destination": {"start": [6.5, 4.5, 4.5], "radius": 0.3},
        "obstacles": [],
    }
    (tmp_path / "room.json").write_text(json.dumps(scene))
    return str(tmp_path / "room.json")


def test_a_name_is_printed_as_it_is_registered(capsys, room):
    code, out, _ = run(capsys, room, "--algorithm", "lazytheta", "--json")
    assert code == 2
    assert "did you mean lazy-theta*" in json.loads(out)["error"]
    code, out, _ = run(capsys, room, "--algorithm", "thetastar", "--json")
    assert (code, json.loads(out)["algorithm"]) == (0, "theta*")
    assert "(units)" in run(capsys, room, "--algorithm", "thetastar")[1]


def test_flights_on_a_cluster_and_in_processes_are_those_flown_here(capsys, room):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")

    def flown(*how):
        words = ("--algorithm", "a*", "--runs", "3", "--json", *how)
        code, out, _ = run(capsys, room, *words)
        assert code == 0
        return json.loads(out)["flights"]

    here = flown("--workers", "1")
    assert flown("--workers", "1", "--cluster", "local") == here
    assert flown("--jobs", "2") == here


@pytest.mark.parametrize("hunt", [False, True])
def test_a_fleet(capsys, tmp_path, hunt):
    picture = tmp_path / "fleet.png"
    words = ["--agents", "3", "--seed", "1", "--picture", str(picture)]
    code, out, _ = run(capsys, *words, *["--hunt"][: int(hunt)], "--json")
    values = json.loads(out)
    assert code == 0
    assert values["successes"] == values["runs"] == 1
    flight = values["flights"][0]
    assert flight["agents"] == 3
    assert flight["arrived"] >= (1 if hunt else 3)
    assert flight["agent_contacts"] == flight["body_contacts"] == 0
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--agents", "0"], "--agents is 0"),
        (["--hunt"], "--hunt is for fleets"),
        (["--agents", "2", "--record", "flight.html"], "it records no flight"),
    ],
)
def test_fleets_that_cannot_fly(capsys, words, message):
    code, _, err = run(capsys, *words)
    assert code == 2
    assert message in err
