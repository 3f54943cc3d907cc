"""`Canvas`: render solids and lines in parallel projection with a depth buffer.

A picture takes some hundredths of a second with NumPy alone, without screen or graphics card.
"""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.pictures.angled import SCREEN, TOWARDS, screen_of
from noctule.pictures.orientation import orientation_of

Array = NDArray[np.float64]
Colour = tuple[float, float, float]  # 0 to 1

FINER = 2  # supersampling factor for antialiasing
LIGHT = np.array([-0.25, 0.65, 0.72])
SHADE = 0.62  # brightness of an unlit face
HIDDEN, HIDDEN_BALL = 0.5, 0.7  # opacity of the hidden part of a line or ball


class View(NamedTuple):
    """A projection to pixel coordinates and depth."""

    axes: Array  # (3, 3): right and up in pixels, and towards the viewer
    shift: Array
    size: tuple[int, int]  # width and height in pixels
    light: Array = LIGHT  # direction to it, in world coordinates

    def place(self, points: Array) -> Array:
        """Return pixel coordinates x, y and depth (larger is nearer) of points."""
        return points @ self.axes + self.shift


def view_of(low: Array, high: Array, width: int, up: str = "y") -> View:
    """Return the angled view of the box between two corners, `width` pixels wide."""
    turned = orientation_of(up, 3)
    first, last = screen_of(*turned.box(low, high))
    margin = 0.02 * (last[0] - first[0])
    scale = FINER * width / (last[0] - first[0] + 2 * margin)
    height = 16 * round((last[1] - first[1] + 2 * margin) * scale / FINER / 16)
    turn = turned.points(np.eye(3))  # from the world to the picture
    axes = turn @ np.stack([SCREEN[:, 0] * scale, -SCREEN[:, 1] * scale, TOWARDS], axis=1)
    centre = np.array([FINER * width / 2, FINER * height / 2])
    shift = np.append(centre - (first + last) / 2 * [scale, -scale], 0.0)
    return View(axes, shift, (width, height), turn @ LIGHT)


class Canvas:
    """A picture with a depth buffer."""

    def __init__(self, view: View, background: Colour) -> None:
        width, height = (FINER * n for n in view.size)
        self.view = view
        self._colour = np.empty((3, height, width), np.uint8)
        self._colour[:] = _planes(_bytes(background))
        self._depth = np.full((height, width), -np.inf, np.float32)

    def image(self) -> NDArray[np.uint8]:
        """Return the picture (height, width, 3)."""
        width, height = self.view.size
        total = np.full((3, height, width), FINER**2 // 2, np.uint16)  # rounds the division
        for i, j in itertools.product(range(FINER), repeat=2):
            total += self._colour[:, i::FINER, j::FINER]
        image = np.empty((height, width, 3), np.uint8)
        np.floor_divide(total.transpose(1, 2, 0), FINER**2, out=image, casting="same_kind")
        return image

    def solid(
        self, corners: Array, triangles: NDArray[np.int64], colour: Colour, opacity: float = 1.0
    ) -> None:
        """Draw a convex polyhedron with outward triangles; a translucent one hides nothing."""
        sides = corners[triangles]
        normals = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        facing = normals @ self.view.axes[:, 2] > 1e-9
        light = SHADE + (1 - SHADE) * np.maximum(normals @ self.view.light, 0.0)
        for side, strength in zip(self.view.place(sides[facing]), light[facing], strict=True):
            self._triangle(side, np.array(colour) * strength, opacity)

    def _triangle(self, corners: Array, colour: Array, opacity: float) -> None:
        box, x, y = self._pixels(corners[:, :2].min(axis=0), corners[:, :2].max(axis=0))
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners.tolist()
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0:
            return
        # Barycentric coordinates and depth are linear: the sum of a term in x and one in y.
        vx, vy = (x - ax) * ((cy - ay) / area), (y - ay) * ((ax - cx) / area)
        wx, wy = (x - ax) * ((ay - by) / area), (y - ay) * ((bx - ax) / area)
        near = (az + vx * (bz - az) + wx * (cz - az)) + (vy * (bz - az) + wy * (cz - az))
        depth = self._depth[box]
        inside = (vy >= -vx) & (wy >= -wx) & (vy + wy <= 1 - vx - wx) & (near > depth)
        if opacity < 1.0:
            here = self._colour[:, *box]
            here[:, inside] = _blend(here[:, inside], colour[:, None], np.array(opacity))
            return
        np.copyto(depth, near, "same_kind", where=inside)
        np.copyto(self._colour[:, *box], _planes(_bytes(colour)), where=inside)

    def ball(
        self,
        centre: Any,
        radius: float,
        colour: Colour,
        through: bool = False,
        opacity: float = 1.0,
    ) -> None:
        """Draw a ball; with `through`, its hidden part is drawn translucent."""
        x0, y0, near = self.view.place(np.asarray(centre, float)).tolist()
        r = radius * float(np.linalg.norm(self.view.axes[:, 0]))
        box, x, y = self._pixels((x0 - r, y0 - r), (x0 + r, y0 + r))
        dx, dy = (x - x0) / r, (y - y0) / r
        up = np.sqrt(np.maximum(1 - dx * dx - dy * dy, 0.0))
        depth = self._depth[box]
        inside = dx * dx + dy * dy <= 1
        seen = inside & (near + radius * up > depth)
        light = SHADE + (1 - SHADE) * np.clip(0.5 * up - 0.4 * dx - 0.7 * dy, 0, 1)
        if opacity == 1.0:
            depth[seen] = (near + radius * up)[seen]
        strength = np.where(seen, opacity, HIDDEN_BALL if through else 0.0)[inside]
        here = self._colour[:, *box]
        here[:, inside] = _blend(here[:, inside], _planes(colour)[:, 0] * light[inside], strength)

    def line(self, points: Any, colour: Colour, width: float, over: float = 0.3) -> None:
        """Draw a polyline, pale where it is hidden; `over` is a depth offset towards the viewer."""
        line = np.asarray(points, float).reshape(-1, 3)
        if len(line) < 2:
            return
        spots = _along(self.view.place(line))
        spots = spots[np.argsort(spots[:, 2])]  # the nearest is written last to each pixel
        r = FINER * width / 2
        reach = np.arange(-math.ceil(r), math.ceil(r) + 1)
        disc = np.array([(i, j) for i in reach for j in reach if i * i + j * j <= r * r])
        pixels = (np.floor(spots[:, None, :2]).astype(int) + disc).reshape(-1, 2)
        near = np.repeat(spots[:, 2] + over, len(disc))
        height, long = self._depth.shape
        kept = ((pixels >= 0) & (pixels < [long, height])).all(axis=1)
        place, near = pixels[kept, 1] * long + pixels[kept, 0], near[kept].astype(np.float32)
        flat, depth = self._colour.reshape(3, -1), self._depth.reshape(-1)
        seen = near >= depth[place]
        strength = np.where(seen, 1.0, HIDDEN)
        flat[:, place] = _blend(flat[:, place], _planes(colour)[:, 0], strength)
        depth[place[seen]] = near[seen]

    def _pixels(self, low: Any, high: Any) -> tuple[tuple[slice, slice], Array, Array]:
        """Return the slices of the canvas between two corners, and x and y of its pixel centres."""
        height, width = self._depth.shape
        left, top = (max(math.floor(v), 0) for v in low)
        right, bottom = min(math.ceil(high[0]), width), min(math.ceil(high[1]), height)
        x, y = np.arange(left, right) + 0.5, np.arange(top, bottom)[:, None] + 0.5
        return (slice(top, top + len(y)), slice(left, left + len(x))), x, y


def _planes(colour: Any) -> NDArray[Any]:
    """Reshape a colour for broadcasting over images (3, height, width)."""
    return np.reshape(colour, (3, 1, 1))


def _bytes(colour: Any) -> NDArray[np.uint8]:
    """Convert colours from [0, 1] to bytes."""
    return (255 * np.asarray(colour) + 0.5).astype(np.uint8)


def _blend(under: NDArray[np.uint8], colour: Array, strength: Array) -> NDArray[np.uint8]:
    """Blend a colour over colours (3, n)."""
    return _bytes(under / 255 * (1 - strength) + colour * strength)


def _along(points: Array) -> Array:
    """Return samples of a polyline at most one pixel apart."""
    steps = np.abs(np.diff(points[:, :2], axis=0)).max(axis=1)
    along = np.concatenate([[0.0], np.cumsum(np.maximum(steps, 1e-9))])
    places = np.linspace(0.0, along[-1], max(int(along[-1]) + 2, 2))
    return np.stack([np.interp(places, along, column) for column in points.T], axis=1)
