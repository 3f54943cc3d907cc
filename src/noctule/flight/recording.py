"""`Trace`: a recorded flight, saved as one self-contained compressed file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from noctule.flight.corridor import Point
from noctule.path import Path
from noctule.worlds.scene import Scene
from noctule.worlds.shapes import Shape

VERSION = 1


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
        triangles and colours: all that is needed to show the flight.
    time : array (n,)
        The time of each frame.
    agent, destination : array (n, 3)
        Their positions.
    poses : array (n, bodies, 8)
        Position, quaternion and presence of each body.
    paths : list of n arrays (m, 3)
        The path being flown; empty without one.
    """

    about: dict[str, Any]
    time: NDArray[np.float64]
    agent: NDArray[np.float64]
    destination: NDArray[np.float64]
    poses: NDArray[np.float64]
    paths: list[NDArray[np.float64]]

    def save(self, file: str | PathLike[str]) -> None:
        """Write a compressed file (.npz)."""
        ends = np.cumsum([len(path) for path in self.paths], dtype=np.int64)
        points = np.concatenate([np.empty((0, 3)), *self.paths])
        moving = np.flatnonzero((self.poses != self.poses[:1]).any(axis=(0, 2)))
        with open(file, "wb") as out:
            np.savez_compressed(
                out,
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
    def load(cls, file: str | PathLike[str]) -> "Trace":
        """Read a file written by `save`."""
        try:
            with np.load(file, allow_pickle=False) as data:
                about = json.loads(str(data["about"]))
        except (KeyError, ValueError, EOFError, BadZipFile) as problem:
            raise ValueError(f"{file}: not a trace of a flight ({problem})") from None
        if about.get("version", VERSION) > VERSION:
            raise ValueError(
                f"{file}: a trace of version {about['version']}, made by a newer noctule; "
                f"this one reads versions up to {VERSION}"
            )
        try:
            with np.load(file, allow_pickle=False) as data:
                n = len(data["time"])
                poses = np.repeat(data["still"][None], n, axis=0)
                poses[:, data["moving"]] = data["moved"]
                paths = np.split(data["path_points"], data["path_ends"][:-1])
                return cls(about, data["time"], data["agent"], data["destination"], poses, paths)
        except (KeyError, ValueError, EOFError, BadZipFile) as problem:
            raise ValueError(f"{file}: not a trace of a flight ({problem})") from None


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
        "agent_radius": scene.agent.radius,
        "destination_radius": scene.destination.radius,
        "bodies": [_described(body.name, body.colour, body.shape) for body in scene.bodies],
    }


def _points(path: Any) -> NDArray[np.float64]:
    return np.empty((0, 3)) if path is None else path.points


def _described(name: str, colour: str, shape: Shape) -> dict[str, Any]:
    corners: Sequence[Any] = shape.vertices.tolist()
    return {
        "name": name,
        "colour": colour,
        "radius": shape.radius,
        "vertices": corners,
        "triangles": shape.triangles.tolist(),
    }
