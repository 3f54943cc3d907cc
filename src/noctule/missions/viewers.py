"""CSV for spreadsheets; .ply and .glb for engines and viewers."""

import json
import struct

import numpy as np

from noctule.missions.mission import Array, Mission

FLOAT, LINES, JSON_CHUNK, BIN_CHUNK = 5126, 1, 0x4E4F534A, 0x004E4942


def csv_file(mission: Mission) -> str:
    """Return rows of x, y, z and, if the path has times, t; places on earth, if there is a home."""
    columns, names = [mission.points], ["x", "y", "z"]
    if mission.times is not None:
        columns.append(mission.times[:, None])
        names.append("t")
    if mission.home is not None:
        columns.append(mission.home.to_earth(mission.points))
        names += ["latitude", "longitude", "altitude"]
    rows = np.concatenate(columns, axis=1).tolist()
    return "\n".join([",".join(names), *(",".join(map(repr, row)) for row in rows)]) + "\n"


def ply_file(mission: Mission) -> str:
    """Return the points, and the edges between them."""
    n = len(mission.points)
    lines = ["ply", "format ascii 1.0", f"element vertex {n}"]
    lines += [f"property double {axis}" for axis in "xyz"]
    lines += [f"element edge {n - 1}", "property int vertex1", "property int vertex2", "end_header"]
    lines += [" ".join(map(repr, row)) for row in mission.points.tolist()]
    lines += [f"{i} {i + 1}" for i in range(n - 1)]
    return "\n".join(lines) + "\n"


def glb_file(mission: Mission) -> bytes:
    """Return a line in glTF 2.0, y up: (x, y, z) becomes (x, z, -y).

    Single floats hold the places relative to the first point, where the node is.
    """
    turned = mission.points[:, [0, 2, 1]] * (1, 1, -1)
    ends = np.stack([turned[:-1], turned[1:]], axis=1).reshape(-1, 3)  # of each segment
    places = ((ends if len(ends) else turned) - turned[0]).astype("<f4")
    body = places.tobytes()
    accessor = {
        "bufferView": 0,
        "componentType": FLOAT,
        "count": len(places),
        "type": "VEC3",
        "min": places.min(axis=0).tolist(),
        "max": places.max(axis=0).tolist(),
    }
    line = {"attributes": {"POSITION": 0}, "mode": LINES}
    scene = {
        "asset": {"version": "2.0", "generator": "noctule"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "path", "mesh": 0, "translation": turned[0].tolist()}],
        "meshes": [{"name": "path", "primitives": [line]}],
        "accessors": [accessor],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": len(body)}],
        "buffers": [{"byteLength": len(body)}],
    }
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<2I", len(text), JSON_CHUNK) + text
    chunks += struct.pack("<2I", len(body), BIN_CHUNK) + body
    head: bytes = struct.pack("<4s2I", b"glTF", 2, 12 + len(chunks))
    return bytes(head + chunks)


def read_csv(text: str) -> Array:
    """Return the columns x, y and z (or x and y), or the first three of a file without names."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise ValueError("no row")
    names = [word.strip().lower() for word in lines[0].split(",")]
    if "x" in names:
        picked = [names.index(axis) for axis in ("x", "y", "z") if axis in names]
        lines = lines[1:]
    else:
        picked = list(range(min(3, len(names))))
    rows = [[float(line.split(",")[i]) for i in picked] for line in lines]
    return np.array(rows, np.float64).reshape(-1, len(picked))


def read_json(text: str) -> Array:
    """Return the points that `noctule plan --json` printed, or a list of points."""
    found = json.loads(text)
    return np.array(found["points"] if isinstance(found, dict) else found, np.float64)
