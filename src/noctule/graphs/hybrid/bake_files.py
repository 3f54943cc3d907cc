"""Files with the nodes and edges of a hybrid graph, and a fingerprint of its scene."""

import hashlib
import json
from os import PathLike
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.scene import Scene

VERSION = 1


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
    file: str | PathLike[str],
    fingerprint: str,
    kind: NDArray[np.uint8],
    edges: NDArray[np.int64],
) -> None:
    """Write a bake into one compressed file (.npz)."""
    about = json.dumps({"version": VERSION, "fingerprint": fingerprint})
    with open(file, "wb") as out:
        np.savez_compressed(out, about=np.array(about), kind=kind, edges=edges)


def read_bake(
    file: str | PathLike[str], fingerprint: str
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the use of each cell and the long edges; raise if the fingerprint differs."""
    try:
        with np.load(file, allow_pickle=False) as data:
            about = json.loads(str(data["about"]))
            kind, edges = data["kind"], data["edges"]
    except (KeyError, ValueError, EOFError, BadZipFile) as problem:
        raise ValueError(f"{file}: not a bake of a hybrid graph ({problem})") from None
    if about.get("fingerprint") != fingerprint:
        raise ValueError(
            f"{file}: a bake of another scene, or with other options; "
            f"leave `bake` out to make a new one, and `save` it"
        )
    return kind, edges
