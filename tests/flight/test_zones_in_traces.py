"""Traces of flights in scenes with zones: what is recorded, saved and drawn."""

import numpy as np
import pytest

import noctule as nt
from noctule.flight.recording import describe, poses_to_draw
from noctule.worlds.motions import Way


@pytest.fixture
def scene():
    space = nt.Space((0, 0, 0), (12, 8, 6))
    wall = nt.Body("wall", nt.Box((1, 2, 6)), (3, 1, 3))
    still = nt.Zone("mines", nt.Ball(1.5), 20, (6, 4, 3))
    moving = nt.Zone("radar", nt.Box((1, 2, 2)), 3, motion=Way([(9, 2, 3), (9, 6, 3)], 2.0, "back"))
    ends = nt.Agent((1, 4, 3), 0.2, 6.0), nt.Destination((11, 4, 3), 0.2)
    return nt.Scene(space, *ends, [wall], zones=[still, moving])


def test_zones_follow_the_bodies(scene, tmp_path):
    result = nt.Flight(scene, "cells", "a*", seed=1, record=True).run()
    trace = result.trace
    described = trace.about["bodies"]
    assert [body["name"] for body in described] == ["wall", "mines", "radar"]
    assert [body.get("cost") for body in described] == [None, 20.0, 3.0]
    assert trace.poses.shape == (len(trace.time), 3, 8)
    assert np.ptp(trace.poses[:, 1, :3], axis=0).max() == 0
    assert np.ptp(trace.poses[:, 2, 1]) > 1
    for t, row in zip(trace.time, trace.poses[:, 2], strict=True):
        assert np.allclose(row, scene["radar"].row_at(float(t)))
    trace.save(tmp_path / "flight.npz")
    again = nt.Trace.load(tmp_path / "flight.npz")
    assert (again.poses == trace.poses).all()
    assert again.about["bodies"] == described


def test_a_description_with_a_wrong_cost_is_refused(scene, tmp_path):
    trace = nt.Flight(scene, "cells", "a*", seed=1, record=True, limit=0.1).run().trace
    trace.about["bodies"][1]["cost"] = -3
    trace.save(tmp_path / "wrong.npz")
    with pytest.raises(nt.FileError, match="cost: is -3"):
        nt.Trace.load(tmp_path / "wrong.npz")


def test_zones_are_drawn_translucent(scene):
    pytest.importorskip("matplotlib")
    from noctule.flight.recording import Trace
    from noctule.pictures.body_drawing import COLOURS, draw_bodies, rgb, space_of
    from noctule.pictures.rendering import Canvas, view_of

    about, poses = describe(scene, "a*"), poses_to_draw(nt.CellGrid(scene))[None]
    place = np.zeros((1, 3))
    trace = Trace(about, np.zeros(1), place, place, poses, [np.empty((0, 3))])
    canvas = Canvas(view_of(*space_of(about), 300), (1.0, 1.0, 1.0))
    draw_bodies(canvas, trace, 0, np.arange(3))
    image = canvas.image().astype(int)
    orange = 255 * np.array(rgb(COLOURS["orange"]))
    tinted = (image[:, :, 0] - image[:, :, 2] > 20) & (image[:, :, 0] > image[:, :, 1])
    assert tinted.sum() > 500
    assert np.abs(image[tinted] - orange).max(axis=1).min() > 30  # nowhere opaque
