"""What cells cost, as translucent shells: the more a cell costs, the more shells it lies in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.pictures.cost_drawing import DEAR, relative_costs
from noctule.viewer.maps.surface_mesh import drawable_faces

SHELLS = 4  # at most
OPACITY = 0.14  # of each


def add_costs(scene: Any, grid: Grid, low: NDArray[np.float64]) -> list[Any]:
    """Draw a shell around all cells that cost more than a level, for some levels.

    `low` is the low corner of the grid in the scene.
    """
    dear = relative_costs(grid, grid.blocked, (slice(None),) * grid.dimension)
    if dear is None:
        return []
    levels = np.unique(np.ceil(dear[dear > 0] * SHELLS) / SHELLS) - 1.0 / SHELLS
    colour = tuple(round(255 * part) for part in DEAR)
    shells = []
    for k, level in enumerate(levels.tolist()):
        inside = dear > level + 1e-9 if level > 0 else dear > 0
        faces, scale = drawable_faces(inside[..., None] if grid.flat else inside)
        if faces.number:
            corners = faces.corners * (scale * grid.cell) + low
            shells.append(
                scene.add_mesh_simple(
                    f"/costs/{k}",
                    corners.astype(np.float32),
                    faces.triangles,
                    color=colour,
                    flat_shading=True,
                    side="double",
                    cast_shadow=False,
                    receive_shadow=False,
                    opacity=OPACITY,
                )
            )
    return shells
