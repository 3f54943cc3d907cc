"""
Through a building, coarse blocks first
=======================================

Four floors of rooms. ``hierarchical=True`` plans through blocks of 8 x 8 x 8 cells first and then
searches the cells along that way: less work, a path that is a little longer. The picture is cut
above the path.
"""

import noctule as nt
from noctule.worlds.generated import building

rooms = nt.Grid(building(90, 15, 4, seed=4), cell=0.25)
start, goal = rooms.centre((2, 2, 2)), rooms.centre((87, 87, 29))
best = nt.plan(rooms, start, goal, "a*")
quick = nt.plan(rooms, start, goal, "a*", hierarchical=True)
picture = nt.draw(
    rooms,
    best,
    quick,
    up="z",
    unit="m",
    labels=[
        f"all cells: {best.length:.1f} m, {best.expanded:,} expanded",
        f"blocks first: {quick.length:.1f} m, {quick.expanded:,} expanded",
    ],
)
