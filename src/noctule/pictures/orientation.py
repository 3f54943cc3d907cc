"""`Orientation`: which axis of the world points up, as pictures see it.

Pictures are drawn in coordinates to the right, up, and towards the viewer. With `up="y"` these are
x, y and z; with `up="z"` they are x, z and -y.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Up = Literal["y", "z", "-y"]


class Orientation(NamedTuple):
    """Axes of the world to the right, up, and towards the viewer."""

    names: str  # of these axes
    order: tuple[int, ...]
    signs: tuple[int, ...]

    def points(self, points: Any) -> NDArray[np.float64]:
        """Return points of the world in coordinates of the picture.

        >>> orientation_of("z", 3).points([(1, 2, 3)]).tolist()
        [[1.0, 3.0, -2.0]]
        """
        array = np.asarray(points, float)
        turned: NDArray[np.float64] = array[..., list(self.order)] * np.array(self.signs)
        return turned

    def back(self, points: Any) -> NDArray[np.float64]:
        """Return points of the picture in coordinates of the world.

        >>> orientation_of("z", 3).back((1, 3, -2)).tolist()
        [1.0, 2.0, 3.0]
        """
        array: NDArray[np.float64] = np.asarray(points, float) * np.array(self.signs)
        world = np.empty_like(array)
        world[..., list(self.order)] = array
        return world

    def cells(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return an array of cells along the axes of the picture."""
        turned = cells.transpose(self.order)
        return turned[tuple(slice(None, None, sign) for sign in self.signs)]

    def box(self, low: Any, high: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the corners of a box of the world in coordinates of the picture."""
        ends = self.points(np.array([low, high]))
        return ends.min(axis=0), ends.max(axis=0)


def orientation_of(up: str, dimension: int) -> Orientation:
    """Return the orientation with this axis upwards; raise ValueError for another name."""
    if up not in ("y", "z", "-y"):
        raise ValueError(f"up is {up!r}; allowed are 'y' and 'z', and '-y' for 2D maps")
    if dimension == 2:
        return Orientation("xy", (0, 1), (1, 1))
    if up == "-y":
        return Orientation("xyz", (0, 1, 2), (1, -1, -1))
    if up == "z":
        return Orientation("xzy", (0, 2, 1), (1, 1, -1))
    return Orientation("xyz", (0, 1, 2), (1, 1, 1))
