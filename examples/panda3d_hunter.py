"""Enemies that plan, in a Panda3D program of one page: pip install 'noctule[game]'.

Bodies are placed in each frame, the window of cells follows the player through unbounded space, and
agents come and go. `python examples/panda3d_hunter.py picture.png` draws without a window."""

import random
import sys

from direct.showbase.ShowBase import ShowBase
from panda3d.core import DirectionalLight, Vec3

import noctule as nt

ROCKS, HUNTERS, RADIUS, SEEN = 60, 4, 1.0, 90.0
dice = random.Random(1)
base = ShowBase(windowType="offscreen" if len(sys.argv) > 1 else "onscreen")
base.disableMouse()
base.render.setLight(base.render.attachNewNode(DirectionalLight("sun")))


def ball(size, colour):
    """Return a ball of Panda3D's own model."""
    node = base.loader.loadModel("models/misc/sphere")
    node.reparentTo(base.render)
    node.setColorScale(*colour, 1)
    node.setScale(size)
    return node


def place_at_rim(centre):
    """Return a place as far away as one sees."""
    way = Vec3(dice.gauss(0, 1), dice.gauss(0, 1), dice.gauss(0, 0.4))
    return centre + way.normalized() * SEEN


player = ball(RADIUS, (0.3, 0.7, 0.9))  # an object of the game
rocks = []  # node, body, velocity
space = nt.Space((-120, -120, -120), (40, 40, 40), 6.0, follow=lambda t: player.getPos())
scene = nt.Scene(space)
for k in range(ROCKS):
    size = dice.uniform(3, 9)
    node = ball(size, (0.5, 0.47, 0.42))
    node.setPos(place_at_rim(player.getPos()) * dice.uniform(0.3, 1.0))
    body = nt.Body(f"rock {k}", nt.Ball(size), position=node.getPos())
    scene.add(body)
    rocks.append((node, body, Vec3(*(dice.uniform(-4, 4) for _ in range(3)))))

fleet = nt.Fleet(scene, budget_ms=8.0)  # one budget for all hunters
hunters = {}  # agent -> node


def frame(task):
    """Move everything by a frame."""
    dt = fleet.frame
    player.setPos(player, 0, 15 * dt, 0)
    player.setH(player, 30 * dt)
    for node, body, velocity in rocks:
        node.setPos(node.getPos() + velocity * dt)
        body.place(node.getPos())  # the fleet sees how it moves
    if len(hunters) < HUNTERS:
        agent = fleet.add(place_at_rim(player.getPos()), radius=RADIUS, speed=18.0)
        fleet.hunt([agent], lambda t: player.getPos(), "intercept")
        hunters[agent] = ball(RADIUS, (0.85, 0.4, 0.0))
    fleet.step(scene.time + dt)
    fleet.fly()
    for agent, node in list(hunters.items()):
        node.setPos(*agent.position)
        if (node.getPos() - player.getPos()).length() < 2.5 * RADIUS:  # caught
            fleet.remove(agent)
            hunters.pop(agent).removeNode()
    base.camera.setPosHpr(player.getPos() + Vec3(0, -60, 40), Vec3(0, -33, 0))
    return task.cont


base.taskMgr.add(frame, "frame")
if len(sys.argv) == 1:
    base.run()
for _ in range(120):
    base.taskMgr.step()
base.win.saveScreenshot(sys.argv[1])
