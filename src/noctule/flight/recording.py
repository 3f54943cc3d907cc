"""`Trace`: a recorded flight, saved as one self-contained compressed file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.files import MAX_CELLS, File, FileError, check_size, read_arrays, reading, write_arrays
from noctule.flight.corridor import Point
from noctule.graphs.scene_graphs import SceneGraph
from noctule.path import Path
from noctule.worlds.bodies import Body, poses_of
from noctule.worlds.io.json_entry import Entry
from noctule.worlds.scene import Scene
from noctule.worlds.zones import Zone

VERSION = 1
WHAT = "a trace of a flight"


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame of a flight: positions and poses at its start, and the path being flown.

    The milliseconds are of the graph update and of the plan, 0 without one.
    """

    time: float
    agent: Point
    destination: Point
    path: Path | None
    poses: NDArray[np.float64]
    update_ms: float = 0.0
    plan_ms: float = 0.0


@dataclass(frozen=True, eq=False)
class Trace:
    """A recorded flight.

    Attributes
    ----------
    about : dict
        Scene, algorithm, space, agent and destination, and the bodies with their corners,
        triangles and colours: all that is needed to show the flight. Zones follow the bodies, with
        their `cost`.
    time : array (n,)
        The time of each frame.
    agent, destination : array (n, 3)
        Their positions.
    poses : array (n, bodies, 8)
        Position, quaternion and presence of each body and zone.
    paths : list of n arrays (m, 3)
        The path being flown; empty without one.

    Examples
    --------
    >>> import noctule as nt, tempfile
    >>> scene = nt.Scene.load("test-environment")
    >>> trace = nt.Flight(scene, "cells", "a*", seed=1, limit=0.1, record=True).run().trace
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trace.save(f"{folder}/flight.npz")
    ...     again = nt.Trace.load(f"{folder}/flight.npz")
    >>> bool((again.agent == trace.agent).all()), len(trace.time)
    (True, 7)
    """

    about: dict[str, Any]
    time: NDArray[np.float64]
    agent: NDArray[np.float64]
    destination: NDArray[np.float64]
    poses: NDArray[np.float64]
    paths: list[NDArray[np.float64]]

    def save(self, file: File) -> None:
        """Write a compressed file (.npz).

        Parameters
        ----------
        file : str or path
            Where to write; an existing file is replaced.
        """
        ends = np.cumsum([len(path) for path in self.paths], dtype=np.int64)
        points = np.concatenate([np.empty((0, 3)), *self.paths])
        moving = np.flatnonzero((self.poses != self.poses[:1]).any(axis=(0, 2)))
        write_arrays(
            file,
            about=np.array(json.dumps(self.about | {"version": VERSION})),
            time=self.time,
            agent=self.agent,
            destination=self.destination,
            still=self.poses[0],
            moving=moving,
            moved=self.poses[:, moving],
            path_ends=ends,
            path_points=points,
        )

    @classmethod
    def load(cls, file: File, max_cells: int = MAX_CELLS) -> Trace:
        """Read a file written by `save`; one of more than `max_cells` bytes is refused.

        Parameters
        ----------
        file : str or path
            A file written by `save`.
        max_cells : int
            A trace of more bytes is refused.

        Returns
        -------
        Trace
            The recorded flight.

        Raises
        ------
        FileError
            If the file holds no trace, or too large a one.
        """
        names = ("about", "time", "agent", "destination", "still", "moving", "moved")
        text, time, agent, destination, still, moving, moved, ends, points = read_arrays(
            file, (*names, "path_ends", "path_points"), max_cells, WHAT
        )
        with reading(file, WHAT):
            about = json.loads(str(text))
            version = Entry(about, "about")["version"].number(at_least=1)
        if version > VERSION:
            raise FileError(
                f"{file}: a trace of version {version:g}, made by a newer noctule; "
                f"this one reads versions up to {VERSION}"
            )
        with reading(file, WHAT):
            _check_about(Entry(about, "about"))
            n, bodies = len(time), len(about["bodies"])
            _check_array("time", time, (n,))
            _check_array("agent", agent, (n, 3))
            _check_array("destination", destination, (n, 3))
            _check_array("still", still, (bodies, 8))
            _check_array("moved", moved, (n, len(moving), 8))
            _check_array("path_points", points, (len(points), 3))
            _check_numbers("moving", moving, len(moving), bodies - 1)
            _check_numbers("path_ends", ends, n, len(points))
            if (np.diff(ends) < 0).any():
                raise ValueError("paths that end before they begin")
        check_size(file, "bytes of poses", n * still.nbytes, max_cells)
        poses = np.repeat(still[None], n, axis=0)
        poses[:, moving] = moved
        return cls(about, time, agent, destination, poses, np.split(points, ends)[:n])


class Recorder:
    """Collects the frames of a flight."""

    def __init__(self, scene: Scene, algorithm: str) -> None:
        self._scene, self._algorithm = scene, algorithm
        self._frames: list[Frame] = []

    def add(self, frame: Frame) -> None:
        """Add a frame."""
        self._frames.append(frame)

    def trace(self) -> Trace:
        """Return the recorded flight."""
        frames = self._frames
        return Trace(
            describe(self._scene, self._algorithm),
            np.array([frame.time for frame in frames]),
            np.array([frame.agent for frame in frames], np.float64),
            np.array([frame.destination for frame in frames], np.float64),
            np.array([frame.poses for frame in frames]).reshape(len(frames), -1, 8),
            [_points(frame.path) for frame in frames],
        )


def describe(scene: Scene, algorithm: str) -> dict[str, Any]:
    """Return what is needed to show a scene, besides poses: `Trace.about`."""
    return {
        "scene": scene.name,
        "algorithm": algorithm,
        "origin": list(scene.space.origin),
        "cells": list(scene.space.cells),
        "cell": scene.space.cell,
        "up": scene.space.up,
        "agent_radius": scene.agent.radius if scene.has_agent else 0.0,
        "destination_radius": scene.destination.radius if scene.has_destination else 0.0,
        "bodies": [_described(body) for body in (*scene.bodies, *scene.zones)],
    }


def poses_to_draw(graph: SceneGraph) -> NDArray[np.float64]:
    """Return the poses of the bodies of a graph, and those of the zones: `Frame.poses`."""
    return np.concatenate([graph.poses, poses_of(graph.scene.zones)])


def _points(path: Any) -> NDArray[np.float64]:
    return np.empty((0, 3)) if path is None else path.points


def _described(body: Body) -> dict[str, Any]:
    shape = body.shape
    return {
        "name": body.name,
        "colour": body.colour,
        "radius": shape.radius,
        "vertices": shape.vertices.tolist(),
        "triangles": shape.triangles.tolist(),
    } | ({"cost": body.cost} if isinstance(body, Zone) else {})


def _check_about(about: Entry) -> None:
    """Refuse a description that cannot be shown."""
    about["scene"].text(), about["algorithm"].text()
    about["origin"].vector(), about["cells"].vector(above=0), about["cell"].number(above=0)
    about["agent_radius"].number(at_least=0), about["destination_radius"].number(at_least=0)
    for body in about["bodies"].items():
        body["name"].text(), body["colour"].text(), body["radius"].number(at_least=0)
        if body.has("cost"):
            body["cost"].number(at_least=1)
        corners = len([corner.vector() for corner in body["vertices"].items(1)])
        for triangle in body["triangles"].items():
            if not all(0 <= i < corners and i == int(i) for i in triangle.vector()):
                raise triangle.fail(f"3 numbers of corners, of which there are {corners}")


def _check_array(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
    if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"{name}: {array.dtype} of shape {array.shape}, not numbers of {shape}")


def _check_numbers(name: str, array: NDArray[Any], n: int, most: int) -> None:
    """Refuse all but `n` whole numbers from 0 to `most`."""
    wrong = array.dtype != np.int64 or array.shape != (n,)
    if wrong or (n > 0 and not 0 <= array.min() <= array.max() <= most):
        raise ValueError(f"{name}: not {n} whole numbers from 0 to {most}")
