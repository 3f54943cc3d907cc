"""Escape from busy cells: check the segments to nearby nodes against the moving bodies.

Cells cover more space than bodies do, so an agent may be in busy cells though no body touches it.
Then the flight to each nearby node is simulated frame by frame.
"""

import math
from typing import Any

import numpy as np

from noctule.core.jit import kernel
from noctule.graphs.entry_nodes import Entries
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.worlds.geometry.contact import first_contact
from noctule.worlds.geometry.solids import pack
from noctule.worlds.scene import Scene

FRAME = 1 / 60  # seconds
FARTHEST = 2.0  # cells; longest segment that is checked


@kernel
def touches(solids: Any, before: Any, after: Any, p: Any, q: Any, radius: Any, stack: Any) -> Any:
    """Whether a ball touches a body while it flies from `p` to `q` in one frame."""
    body, _ = first_contact(solids, before, after, p, q, radius, stack)
    return body >= 0


def free_entries(
    scene: Scene, p: Any, walls: CellGrid, starts: Entries, t0: float, speed: float, radius: float
) -> Entries:
    """Return the entries near `p` that a ball reaches without touching a body.

    The ball leaves `p` at time `t0` (seconds).
    """
    bodies = scene.bodies
    solids = pack([(k, body.shape) for k, body in enumerate(bodies)])
    stack = np.empty((64, 2))
    poses: dict[int, Any] = {}

    def at(frame: int) -> Any:
        if frame not in poses:
            t = t0 + frame * FRAME
            rows = [(*body.pose(t)[0], *body.pose(t)[1], body.present_at(t)) for body in bodies]
            poses[frame] = np.array(rows, np.float64).reshape(-1, 8)
        return poses[frame]

    def is_free(node: int, length: float) -> bool:
        q = walls.positions(np.array([node]))[0]
        frames = max(1, math.ceil(length * walls.cell / speed / FRAME))
        stops = [tuple((p + (q - p) * k / frames).tolist()) for k in range(frames + 1)]
        return not any(
            touches(solids, at(k), at(k + 1), stops[k], stops[k + 1], radius, stack)
            for k in range(frames)
        )

    nodes, lengths = starts
    near = lengths <= FARTHEST
    pairs = zip(nodes[near].tolist(), lengths[near].tolist(), strict=True)
    free = [is_free(node, length) for node, length in pairs]
    return nodes[near][free], lengths[near][free]
