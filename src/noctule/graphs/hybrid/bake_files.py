"""Files with the nodes and edges of a hybrid graph, and a fingerprint of its scene."""

import hashlib
import json

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import as_edges
from noctule.files import File, FileError, read_arrays, reading, write_arrays
from noctule.worlds.scene import Scene

VERSION = 1
MOST_ABOUT = 10_000  # bytes
MOST_BYTES = 1 + 26 * 16  # of a cell: its use, and a pair of numbers for each edge


def fingerprint(
    scene: Scene, sample: float | None, safety: bool, region: NDArray[np.bool_] | None = None
) -> str:
    """Return a digest of everything that a bake depends on."""
    touched = "" if region is None or not region.any() else np.packbits(region).tobytes().hex()
    digest = hashlib.sha256(repr((VERSION, sample, safety, scene.space, touched)).encode())
    for body in scene.bodies:
        motion = {k: v for k, v in vars(body.motion).items() if not k.startswith("_")}
        kind = type(body.motion).__name__
        digest.update(repr((body.name, body.home, kind, sorted(motion.items()))).encode())
        for shape in (body.shape, *body.safety):
            digest.update(shape.vertices.tobytes() + repr(shape.radius).encode())
    return digest.hexdigest()


def write_bake(
    file: File, fingerprint: str, kind: NDArray[np.uint8], edges: NDArray[np.int64]
) -> None:
    """Write a bake into one compressed file (.npz)."""
    about = json.dumps({"version": VERSION, "fingerprint": fingerprint})
    write_arrays(file, about=np.array(about), kind=kind, edges=edges)


def read_bake(
    file: File, fingerprint: str, shape: tuple[int, ...], nodes: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the use of each cell and the long edges; refuse those of another scene."""
    expected = "a bake of a hybrid graph"
    (about,) = read_arrays(file, ("about",), MOST_ABOUT, expected, hint="")
    with reading(file, expected):
        same = json.loads(str(about))["fingerprint"] == fingerprint
    if not same:
        raise FileError(
            f"{file}: a bake of another scene, or with other options; "
            f"leave `bake` out to make a new one, and `save` it"
        )
    kind, edges = read_arrays(file, ("kind", "edges"), MOST_BYTES * nodes, expected, hint="")
    with reading(file, expected):
        if kind.shape != shape or kind.dtype != np.uint8:
            raise ValueError(f"cells of shape {kind.shape} and type {kind.dtype}")
        return kind, as_edges(edges, nodes)
