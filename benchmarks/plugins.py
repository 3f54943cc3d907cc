"""A plan of the example plug-in on the theses' test environment: compiled, and plain Python.

`pip install examples/plugin` first; times are CPU times.
"""

import time

import noctule as nt

PLANS = 20


def main():
    scene = nt.Scene.load("test-environment")
    grid = nt.CellGrid(scene)
    ends = scene.agent.start, scene.destination.at(0.0)
    for engine in ("fast", "reference"):
        planner = nt.Planner(grid, "greedy", radius=scene.agent.radius, engine=engine)
        path = [planner.plan(*ends) for _ in range(3)][-1]  # compiles
        began = time.process_time()
        for _ in range(PLANS):
            planner.plan(*ends)
        each = (time.process_time() - began) / PLANS
        print(f"{path.engine}: {1e3 * each:.2f} ms, {path.expanded} expanded")


if __name__ == "__main__":
    main()
