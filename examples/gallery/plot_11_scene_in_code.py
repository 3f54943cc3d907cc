"""
A scene in code
===============

Bodies that stay, patrol, turn and appear, an agent and its goal. ``nt.draw`` shows the scene at its
current time; :doc:`/how-to/scene-in-code` explains each line.
"""

import noctule as nt
from noctule.worlds.motions import Blink, Patrol, Turn, Way

scene = nt.Scene(
    space=nt.Space(origin=(-10, 0, 0), cells=(40, 20, 20), cell=0.5),
    agent=nt.Agent(start=(-9, 5, 5), radius=0.4, speed=4),
    destination=nt.Destination(start=(9, 5, 5), radius=0.4),
    bodies=[
        nt.Body("pillar", nt.Box((1, 10, 1)), position=(-4, 5, 5)),
        nt.Body(
            "lift",
            nt.Box((3, 0.5, 3)),
            position=(0, 1, 5),
            motion=Patrol([(0, 1, 5), (0, 9, 5)], speed=2),
            colour="green",
        ),
        nt.Body(
            "mill",
            nt.Box((6, 0.6, 0.6)),
            position=(3, 5, 5),
            motion=Turn(axis=(0, 0, 1), rate=90),
            colour="red",
        ),
        nt.Body(
            "guard",
            nt.Ball(0.7),
            position=(8, 2, 2),
            motion=Way([(8, 2, 2), (8, 2, 8), (8, 8, 8)], speed=3, then="back"),
            colour="dark blue",
        ),
        nt.Body(
            "gate",
            nt.Box((0.5, 6, 6)),
            position=(6.25, 5, 5),
            motion=Blink(half_period=2.0),
            colour="light blue",
        ),
    ],
    name="workshop",
)
scene.move(0.4)
picture = nt.draw(scene, title="workshop, after 0.4 s")

# %%
# A flight through it, drawn with the path flown and the bodies at its start:

flight = nt.Flight(scene, nt.CellGrid(scene), "a*", start=0.0, limit=20, record=True).run()
flown = nt.draw(flight)
