"""`SceneView`: draw bodies, agent, goal and paths of flights and traces with viser."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.pictures.body_drawing import hex_colour, in_world, space_of

Array = NDArray[np.float64]
Colour = tuple[int, int, int]

# Colours of the bodies, as in the theses, for a dark background.
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

STATIC = "white"  # colour of static bodies, which are drawn more translucent
STATIC_OPACITY, OPACITY, ZONE_OPACITY = 0.35, 0.8, 0.22
MIN_SIZE = 0.01  # part of the world's size; smallest radius of agent and goal as drawn
ABSENT = 1e-4  # scale of an absent body
NO_POINTS = np.zeros((1, 2, 3))  # viser draws at least one segment

_CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_SIDES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)


class Mesh(NamedTuple):
    """The mesh of a body, with its scale and centre."""

    vertices: Array
    triangles: NDArray[np.int64]
    size: Array
    middle: Array


class _Group(NamedTuple):
    """Bodies that are drawn together."""

    handle: Any
    members: list[int]
    size: Array
    middle: Array
    poses: Array  # as they are drawn


class SceneView:
    """Draws bodies, agent, goal and paths; `about` describes the scene, as in `Trace.about`."""

    def __init__(self, server: Any, about: dict[str, Any]) -> None:
        self._scene = scene = server.scene
        self._groups: list[_Group] = []
        smallest = MIN_SIZE * max(about["cells"]) * about["cell"]
        self._agent, self.destination = (
            scene.add_icosphere(
                f"/{name}",
                radius=max(about[f"{name}_radius"], smallest),
                color=colour,
                material="standard",
                subdivisions=3,
                cast_shadow=False,
                receive_shadow=False,
            )
            for name, colour in (("agent", AGENT), ("destination", DESTINATION))
        )
        styles = {
            "path": (NO_POINTS, PATH, 6.0),
            "flown": (NO_POINTS, FLOWN, 5.0),
            "goal-path": (NO_POINTS, DESTINATION, 1.5),
            "frame": (_edges(*space_of(about)), FRAME, 1.0),
        }
        self.lines = {
            name: add_lines(scene, f"/{name}", points, colour, width)
            for name, (points, colour, width) in styles.items()
        }
        self.set_bodies(about)

    def set_bodies(self, about: dict[str, Any]) -> None:
        """Replace bodies and zones; those with the same mesh and opacity are one batch."""
        for group in self._groups:
            group.handle.remove()
        bodies = about["bodies"]
        meshes = [mesh_of(body) for body in bodies]
        alike: dict[Any, list[int]] = {}
        for i, (body, mesh) in enumerate(zip(bodies, meshes, strict=True)):
            key = mesh.vertices.tobytes(), mesh.triangles.tobytes()
            alike.setdefault((key, opacity_of(body)), []).append(i)
        self._groups = []
        for (_, opacity), members in alike.items():
            n = len(members)
            colours = [colour_of(bodies[i]["colour"]) for i in members]
            handle = self._scene.add_batched_meshes_simple(
                f"/bodies/{len(self._groups)}",
                meshes[members[0]].vertices,
                meshes[members[0]].triangles,
                batched_wxyzs=np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
                batched_positions=np.zeros((n, 3)),
                batched_scales=np.full((n, 3), ABSENT),
                batched_colors=np.array(colours, np.uint8),
                opacity=opacity,
                lod="off",
                flat_shading=True,
                cast_shadow=False,
                receive_shadow=False,
            )
            size = np.array([meshes[i].size for i in members])
            middle = np.array([meshes[i].middle for i in members])
            self._groups.append(_Group(handle, members, size, middle, np.full((n, 8), np.nan)))

    def show(self, poses: Array, agent: Any, destination: Any) -> None:
        """Move bodies, agent and goal to these poses and positions."""
        for group in self._groups:
            pose, before = poses[group.members], group.poses
            if (pose == before).all():
                continue
            group.handle.batched_positions = in_world(group.middle, pose)
            group.handle.batched_wxyzs = pose[:, [6, 3, 4, 5]]
            if (pose[:, 7] != before[:, 7]).any():
                group.handle.batched_scales = np.where(pose[:, 7:] > 0, group.size, ABSENT)
            before[:] = pose
        self._agent.position = agent
        self.destination.position = destination

    def show_line(self, name: str, points: Any) -> None:
        """Draw a polyline: `path`, `flown` or `goal-path`."""
        self.lines[name].points = segments(points).astype(np.float32)


def segments(points: Any) -> Array:
    """Return the segments (n, 2, 3) of a polyline in space."""
    line = np.asarray(points, float).reshape(-1, 3)
    return np.stack([line[:-1], line[1:]], axis=1) if len(line) > 1 else NO_POINTS


def mesh_of(body: dict[str, Any]) -> Mesh:
    """Return the mesh of a body; all boxes share one mesh, and so do all balls."""
    vertices = np.array(body["vertices"], float)
    if body["radius"] > 0:
        return Mesh(*_sphere(), np.full(3, body["radius"]), vertices[0])
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    corners = np.isclose(vertices, low) | np.isclose(vertices, high)
    if len(vertices) == 8 and corners.all():
        return Mesh(_CUBE, _SIDES, high - low, (low + high) / 2)
    return Mesh(vertices, np.array(body["triangles"], np.int64), np.ones(3), np.zeros(3))


def opacity_of(body: dict[str, Any]) -> float:
    """Return how opaque a body is drawn; zones, which cost, let most through."""
    if "cost" in body:
        return ZONE_OPACITY
    return STATIC_OPACITY if body["colour"] == STATIC else OPACITY


def colour_of(name: str) -> Colour:
    """Return the colour of a name in scenes or of a text like #a0b1c2."""
    return COLOURS.get(name) or hex_colour(name) or OTHER


def _sphere() -> tuple[Array, NDArray[np.int64]]:
    """Return a ball of radius 1 as a mesh of rings."""
    rings, sides = 12, 24
    across, around = np.meshgrid(
        np.linspace(0, np.pi, rings + 1), np.arange(sides) * 2 * np.pi / sides, indexing="ij"
    )
    points = np.stack(
        [np.sin(across) * np.cos(around), np.cos(across), -np.sin(across) * np.sin(around)], axis=-1
    ).reshape(-1, 3)
    numbers = np.arange(rings * sides).reshape(rings, sides)
    a, b = numbers.reshape(-1), np.roll(numbers, -1, axis=1).reshape(-1)
    faces = np.array([[a, a + sides, b], [b, a + sides, b + sides]])
    return points, faces.swapaxes(1, 2).reshape(-1, 3)


def _edges(low: Array, high: Array) -> Array:
    """Return the twelve edges of a box."""
    corners = low + (_CUBE + 0.5) * (high - low)
    pairs = [(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit]
    lines: NDArray[np.float64] = corners[np.array(pairs)]
    return lines


def add_lines(scene: Any, name: str, points: Any, colours: Any, width: float) -> Any:
    """Add segments, `width` pixels wide."""
    return scene.add_line_segments(name, points, colours, thickness=width, thickness_units="screen")


def add_cloud(scene: Any, name: str, points: Any, colours: Any, size: float) -> Any:
    """Add points as flat discs."""
    return scene.add_point_cloud(
        name,
        points,
        colours,
        point_size=size,
        point_shape="circle",
        point_shading="flat",
        precision="float32",
    )
