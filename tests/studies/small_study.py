"""A study that takes a second: each kind of run, in a scene with one moving body."""

import json

SCENE = {
    "space": {"origin": [0, 0, 0], "cells": [10, 8, 6], "cell_size": 1.0},
    "agent": {"start": [1.2, 1.5, 1.5], "radius": 0.3, "speed": 4},
    "destination": {
        "start": [8.5, 6.5, 3.5],
        "radius": 0.3,
        "speed": 2,
        "arrive_within": 0.5,
        "modes": {"vertical": {"points": [[8.5, 6.5, 3.5], [8.5, 1.5, 3.5]]}},
        "mode": "vertical",
    },
    "obstacles": [
        {
            "name": "lift",
            "shape": "box",
            "centre": [5, 4, 3],
            "size": [1, 3, 5],
            "motion": {"type": "patrol", "speed": 1, "points": [[5, 2, 3], [5, 6, 3]]},
        }
    ],
}

STUDY = """
title = "Small"
source = "nobody"
seed = 3

[[runs]]
kind = "flights"
label = "{algorithm} flies"
scene = "scene.json"
neighbours = 6
algorithm = ["a*", "theta*"]
limit = 1
repeat = 3

[[runs]]
kind = "replans"
label = "{algorithm} {direction}"
scene = "scene.json"
neighbours = 6
algorithm = ["a*", "mt-d*-lite"]
direction = ["forwards", "backwards"]
agent = "rests"
frame = 0.1
frames = 12
repeat = 2

[[runs]]
kind = "paths"
label = "{algorithm} in noise"
world = "noise"
side = 10
percent = 20
queries = 3
algorithm = ["a*", "theta*"]
repeat = 2

[[published]]
what = "an invented length"
series = "a* in noise"
measure = "length"
value = 123.25
source = "Nobody (2000), figure 1"
why = "It is invented."

[[published]]
what = "a search that is not there"
series = "b* in noise"
measure = "length"
value = 7
source = "Nobody (2000), figure 2"

[[statements]]
text = "Theta* is shorter."
checks = [{ measure = "length", series = "theta* in noise", than = "a* in noise", is = "less" }]

[[statements]]
text = "Theta* is half as long."
[[statements.checks]]
measure = "length"
series = "theta* in noise"
than = "a* in noise"
is = "less"
times = 0.5

[[statements]]
text = "B* is better."
checks = [{ measure = "length", series = "b* in noise", than = "a* in noise", is = "less" }]

[[plots]]
kind = "bars"
measures = ["length", "expanded", "reached"]

[[plots]]
kind = "frames"
series = ["%wards"]
measures = ["expanded", "plan_ms"]
log = true

[[plots]]
kind = "bubbles"
x = "plan_ms_run"
y = "peak_ms"
size = "expanded_run"

[[plots]]
kind = "scatter"
x = "expanded"
y = "plan_ms"

[[plots]]
kind = "lines"
x = "percent"
measures = ["length"]
"""

BARE = STUDY.partition("[[plots]]")[0]  # plots take longer than all tasks

TASKS = 2 * 3 + 4 * 2 + 2 * 2


def write(folder, study=STUDY):
    """Write scene and study; returns the study file."""
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "scene.json").write_text(json.dumps(SCENE))
    file = folder / "small.toml"
    file.write_text(study)
    return file
