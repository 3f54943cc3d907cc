"""
Scenes to try
=============

The built-in scenes besides the test environment, each at its start: ``nt.Scene.load("city")`` loads
one, ``noctule fly city`` flies through it and ``noctule view city`` shows it live.
"""

import matplotlib.pyplot as plt

import noctule as nt

names = [name for name in nt.scenes() if name != "test-environment"]
figure, views = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
for axes, name in zip(views.flat, names, strict=True):
    scene = nt.Scene.load(name)
    moving = sum(body.moves for body in scene.bodies)
    nt.draw(scene, ax=axes, title=f"{name}: {len(scene.bodies)} bodies, {moving} moving")
