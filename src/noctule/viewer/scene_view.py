"""`Stage`: bodies, agent, destination and paths on a viser scene, for flights and for traces."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Colour = tuple[int, int, int]

# Colours of the bodies, as the theses have them, for a dark background.
COLOURS: dict[str, Colour] = {
    "white": (236, 239, 245),
    "green": (46, 160, 67),
    "red": (207, 52, 46),
    "dark blue": (38, 74, 178),
    "light blue": (96, 190, 235),
    "orange": (222, 120, 20),
}
OTHER: Colour = (140, 120, 170)
AGENT: Colour = (255, 214, 10)
DESTINATION: Colour = (255, 64, 196)
PATH: Colour = (255, 150, 20)
FLOWN: Colour = (170, 110, 255)
FRAME: Colour = (90, 98, 112)

STILL = "white"  # bodies of this colour never move, and stand around: one sees through them
PAST, MOVING = 0.35, 0.8  # how much those hide, and how much the others
SEEN = 0.01  # of the world's size: a smaller agent is drawn as large as that
GONE = 1e-4  # the size of a body that is not there
NO_POINTS = np.zeros((1, 2, 3))  # viser draws at least one segment

_CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_SIDES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)


class Form(NamedTuple):
    """A body as one of many of the same mesh: how large, and where its middle is."""

    vertices: Array
    triangles: NDArray[np.int64]
    size: Array
    middle: Array


class _Group(NamedTuple):
    """Bodies that are drawn together."""

    handle: Any
    members: NDArray[np.int64]
    size: Array
    middle: Array
    poses: Array  # as they are drawn


class Stage:
    """Draws what moves in a flight; `about` describes it, as in `Trace.about`.

    Parameters
    ----------
    server : viser.ViserServer
        Where to draw.
    about : dict
        What `Trace.about` holds.
    """

    def __init__(self, server: Any, about: dict[str, Any]) -> None:
        self._server = server
        self._groups: list[_Group] = []
        scene = server.scene
        seen = SEEN * max(about["cells"]) * about["cell"]
        ball: dict[str, Any] = {"subdivisions": 3, "cast_shadow": False, "receive_shadow": False}
        self._agent = scene.add_icosphere(
            "/agent",
            radius=max(about["agent_radius"], seen),
            color=AGENT,
            material="standard",
            **ball,
        )
        self.destination = scene.add_icosphere(
            "/destination",
            radius=max(about["destination_radius"], seen),
            color=DESTINATION,
            material="standard",
            **ball,
        )
        self.lines = {
            name: scene.add_line_segments(
                f"/{name}", NO_POINTS, colour, thickness=width, thickness_units="screen"
            )
            for name, colour, width in (
                ("path", PATH, 6.0),
                ("flown", FLOWN, 5.0),
                ("destination-way", DESTINATION, 1.5),
            )
        }
        low = np.array(about["origin"], float)
        high = low + np.array(about["cells"]) * about["cell"]
        scene.add_line_segments(
            "/frame", _edges(low, high), FRAME, thickness=1.0, thickness_units="screen"
        )
        self.set_bodies(about)

    def set_bodies(self, about: dict[str, Any]) -> None:
        """Draw other bodies from now on."""
        for group in self._groups:
            group.handle.remove()
        self._groups = []
        alike: dict[Any, list[tuple[int, Form, Colour]]] = {}
        for number, body in enumerate(about["bodies"]):
            form = form_of(body)
            colour = colour_of(body["colour"])
            still = body["colour"] == STILL
            key = (form.vertices.tobytes(), form.triangles.tobytes(), still)
            alike.setdefault(key, []).append((number, form, colour))
        for place, ((*_, still), members) in enumerate(alike.items()):
            self._groups.append(self._group(f"/bodies/{place}", members, still))

    def _group(self, name: str, members: list[tuple[int, Form, Colour]], still: bool) -> _Group:
        numbers, forms, colours = zip(*members, strict=True)
        n = len(numbers)
        handle = self._server.scene.add_batched_meshes_simple(
            name,
            forms[0].vertices,
            forms[0].triangles,
            batched_wxyzs=np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
            batched_positions=np.zeros((n, 3)),
            batched_scales=np.full((n, 3), GONE),
            batched_colors=np.array(colours, np.uint8),
            opacity=PAST if still else MOVING,
            lod="off",
            flat_shading=True,
            cast_shadow=False,
            receive_shadow=False,
        )
        size = np.array([form.size for form in forms])
        middle = np.array([form.middle for form in forms])
        return _Group(handle, np.array(numbers), size, middle, np.full((n, 8), np.nan))

    def show(self, poses: Array, agent: Any, destination: Any) -> None:
        """Take everything to where it is."""
        for group in self._groups:
            pose, before = poses[group.members], group.poses
            if (pose == before).all():
                continue
            off_centre = group.middle.any()
            group.handle.batched_positions = (
                pose[:, :3] + turned(group.middle, pose) if off_centre else pose[:, :3]
            )
            group.handle.batched_wxyzs = pose[:, [6, 3, 4, 5]]
            if (pose[:, 7] != before[:, 7]).any():
                group.handle.batched_scales = np.where(pose[:, 7:] > 0, group.size, GONE)
            before[:] = pose
        self._agent.position = agent
        self.destination.position = destination

    def show_line(self, name: str, points: Any) -> None:
        """Draw a polyline: the `path`, what was `flown`, or the `destination-way`."""
        line = np.asarray(points, float).reshape(-1, 3)
        segments = np.stack([line[:-1], line[1:]], axis=1) if len(line) > 1 else NO_POINTS
        self.lines[name].points = segments.astype(np.float32)


def form_of(body: dict[str, Any]) -> Form:
    """The mesh of a described body; all boxes share one, and so do all balls."""
    vertices = np.array(body["vertices"], float)
    if body["radius"] > 0:
        return Form(*_sphere(), np.full(3, body["radius"]), vertices[0])
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    corners = np.isclose(vertices, low) | np.isclose(vertices, high)
    if len(vertices) == 8 and corners.all() and len(np.unique(vertices > (low + high) / 2, axis=0)):
        return Form(_CUBE, _SIDES, high - low, (low + high) / 2)
    triangles = np.array(body["triangles"], np.int64)
    return Form(vertices, triangles, np.ones(3), np.zeros(3))


def colour_of(name: str) -> Colour:
    """A colour by the name that scenes have for it, or like #a0b1c2."""
    if name in COLOURS:
        return COLOURS[name]
    digits = name.removeprefix("#")
    if len(digits) == 6 and all(d in "0123456789abcdef" for d in digits.lower()):
        r, g, b = bytes.fromhex(digits)
        return (r, g, b)
    return OTHER


def turned(points: Array, poses: Array) -> Array:
    """Points relative to bodies, turned as these are."""
    q, w = poses[:, 3:6], poses[:, 6:7]
    return points + 2 * np.cross(q, np.cross(q, points) + w * points)


def _sphere() -> tuple[Array, NDArray[np.int64]]:
    """A ball of radius 1, as a mesh of rings."""
    rings, sides = 12, 24
    across, around = np.meshgrid(
        np.linspace(0, np.pi, rings + 1), np.arange(sides) * 2 * np.pi / sides, indexing="ij"
    )
    points = np.stack(
        [np.sin(across) * np.cos(around), np.cos(across), -np.sin(across) * np.sin(around)], axis=-1
    ).reshape(-1, 3)
    a = (np.arange(rings)[:, None] * sides + np.arange(sides)).reshape(-1)
    b = (np.arange(rings)[:, None] * sides + (np.arange(sides) + 1) % sides).reshape(-1)
    faces = np.concatenate(
        [np.stack([a, a + sides, b], axis=1), np.stack([b, a + sides, b + sides], axis=1)]
    )
    return points, faces


def _edges(low: Array, high: Array) -> Array:
    """The twelve edges of a box."""
    corners = low + (_CUBE + 0.5) * (high - low)
    pairs = [(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit]
    return corners[np.array(pairs)]
