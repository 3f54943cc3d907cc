"""
Through an asteroid field
=========================

A 3D world of cells, a path along the edges of the grid and one that is pulled taut. The agent is
drawn at its true radius.
"""

import noctule as nt
from noctule.worlds.generated import asteroid_field, field_ends

grid = nt.Grid(asteroid_field(seed=1))
start, goal = (grid.centre(cell) for cell in field_ends(grid.shape))
paths = [nt.plan(grid, start, goal, name, radius=0.4) for name in ("a*", "taut")]
picture = nt.draw(grid, *paths, title="an agent of radius 0.4 among asteroids")

# %%
# Both are proven free:

[nt.verify(path, grid, radius=0.4) for path in paths]
