"""Flights among random bodies: contact is judged again at many moments of each frame."""

import itertools
import math
from dataclasses import replace

import numpy as np
from random_scenes import distance_from, random_scene

import noctule as nt
from noctule.flight.collision import CollisionCheck, poses_between
from noctule.worlds.geometry.solids import PRESENT

MOMENTS = 12  # of a frame
DEEP = 1e-5  # by so much less than the radius is contact beyond doubt


def position(flown, durations, t):
    """Return where the agent is at part `t` of the frame."""
    lengths = durations or [math.dist(p, q) for p, q in itertools.pairwise(flown)]
    total, done = sum(lengths), 0.0
    for p, q, length in zip(flown, flown[1:], lengths, strict=False):
        if length > 0 and t * total <= done + length:
            part = (t * total - done) / length
            return np.array(p) + part * (np.array(q) - np.array(p))
        done += length
    return np.array(flown[-1])


def nearest(bodies, before, after, flown, durations, t):
    """Return how far the agent is from the nearest body at part `t` of the frame."""
    here, poses = position(flown, durations, t), np.empty_like(before)
    poses_between(before, after, t, poses)
    gaps = [math.inf]
    # A body that disappears is gone for the whole frame, one that appears is there at its end.
    here_now = after[:, PRESENT] * (1.0 if t == 1.0 else before[:, PRESENT])
    for body, pose, present in zip(bodies, poses, here_now, strict=True):
        around = np.linalg.norm(body.shape.vertices, axis=1).max() + body.shape.radius
        if present and np.linalg.norm(pose[:3] - here) < around + 1.0:
            gaps.append(distance_from(body, pose, here))
    return min(gaps)


def judge(scene, radius, before, after, flown, durations, outcome):
    """Check the outcome of a frame; return how near the agent came, and whether it hit a body."""
    end = 1.0 if outcome is None else outcome.moment
    moments = np.linspace(0.0, end, MOMENTS)
    gaps = [nearest(scene.bodies, before, after, flown, durations, t) for t in moments]
    hit = outcome is not None and outcome.body >= 0
    if hit:
        assert gaps[-1] < radius + 1e-3
    if radius > 2 * DEEP and end > 0:  # until then nothing was touched
        assert min(gaps[:-1] if hit else gaps) > radius - DEEP
    return min(gaps), hit


def test_flights(cases, monkeypatch):
    """Many of them: `pytest --cases 8000 tests/fuzz/test_flights.py`.

    In each frame of a flight other agents fly straight through the scene, most of them into a body.
    """
    frame, judged = CollisionCheck.frame, []

    def spy(self, solids, before, after, flown, destination, durations=None):
        outcome = frame(self, solids, before, after, flown, destination, durations)
        before, after = before.copy(), after.copy()
        judged.append((scene.agent.radius, before, after, list(flown), durations, outcome))
        far = ((1e6, 0.0, 0.0),) * 2
        radius = float(rng.choice([0.0, 1e-6, 0.1, 0.45]))
        p = np.array(flown[0]) + rng.normal(size=3) * scene.space.cell
        line = [tuple(p.tolist()), tuple((p + rng.normal(size=3)).tolist())]
        other = frame(CollisionCheck(radius, 0.1, 1e-9), solids, before, after, line, far)
        judged.append((radius, before, after, line, None, other))
        return outcome

    monkeypatch.setattr(CollisionCheck, "frame", spy)
    hits = near = flights = 0
    for seed in range(cases // 40):
        rng = np.random.default_rng([seed, 2])
        scene = random_scene(seed)
        graph = nt.CellGrid(scene)
        free = np.argwhere(~graph.blocked)
        if not len(free):
            continue
        scene.agent = replace(scene.agent, start=graph.centre(rng.choice(free).tolist()))
        algorithm = str(rng.choice(["a*", "theta*", "d*-lite", "safe-intervals"]))
        prediction = bool(rng.integers(2))
        judged.clear()
        flight = nt.Flight(scene, graph, algorithm, start=0.0, limit=1.0, prediction=prediction)
        flight.run()
        flights += 1
        for k, one in enumerate(judged):
            try:
                gap, hit = judge(scene, *one)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, {algorithm}, frame {k // 2}: {one}") from error
            near += gap < one[0] + 0.3
            hits += hit
    assert near > flights
    assert hits >= flights // 2
