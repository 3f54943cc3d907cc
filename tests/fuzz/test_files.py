"""Damaged and hostile files of every format: they are read, or refused with `FileError`.

Each case damages a good file in some places: bytes are changed, removed, repeated, inserted or cut
off, or a value of JSON or an array is replaced. Compressed files are damaged outside or inside.
"""

import copy
import gzip
import io
import json
import random
import zipfile

import numpy as np
import pytest

import noctule as nt
from noctule.flight.recording import Trace, describe
from noctule.studies.definition import LIBRARY, read_study

MOST = 1_000_000  # cells, so that no case takes long
VALUES = [
    None, True, -1, 0, 0.5, 1e300, 10**400, -(10**19), float("nan"), float("inf"), "", "x", "\0",
    [], {}, [1], [[]], {"a": 1}, [1, 2, 3], [1, 2], ["a", "b", "c"], [1e300] * 3, [-1, 0, 1],
]  # fmt: skip
WORDS = [
    b"-1", b"0", b"1e400", b"999999999999999999", b"4294967296", b"nan", b" ", b"\n", b"\r",
    b"\0", b"\xff", b"\xef\xbb\xbf", b"1.5", b"[" * 5000, b"voxel", b"'", b'"', b"{", b"}", b"=",
]  # fmt: skip
TYPES = ["?", "u1", "i1", "i8", ">i4", "f8", "f2", "c16", "U3", "S2", "M8[s]", "V5", "O"]


def small_scene():
    ball = nt.Body("ball", nt.Ball(0.5), (3, 3, 3))
    gate = nt.Body("gate", nt.Box((1, 2, 1)), (2, 4, 2))
    agent, target = nt.Agent((1.5, 1.5, 1.5)), nt.Destination((4.5, 4.5, 4.5), 0.4)
    return nt.Scene(nt.Space((0, 0, 0), (6, 6, 6)), agent, target, [ball, gate])


SCENE = {
    "space": {"origin": [0, 0, 0], "cells": [9, 9, 9], "cell_size": 1.0},
    "agent": {"start": [1.5, 1.5, 1.5], "radius": 0.4, "speed": 2},
    "destination": {
        "start": [7.5, 7.5, 7.5], "radius": 0.4, "speed": 1, "arrive_within": 0.1, "mode": "up",
        "modes": {"up": {"points": [[7.5, 7.5, 7.5], [7.5, 7.5, 1.5]]}},
    },
    "hulls": {"wedge": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]}},
    "obstacles": [
        {"name": "a", "shape": "box", "centre": [4, 4, 4], "size": [1, 2, 3], "colour": "red",
         "rotation_quat_xyzw": [0, 0, 0.1, 1], "safety": {"boxes": [{"size": [1, 1, 1]}]},
         "motion": {"type": "patrol", "speed": 1, "points": [[4, 4, 4], [4, 4, 6]]}},
        {"name": "b", "shape": "ball", "centre": [2, 6, 4], "radius": 0.5,
         "motion": {"type": "turn", "axis": [0, 0, 1], "rate_deg_s": 20}},
        {"name": "c", "shape": "hull", "hull": "wedge", "centre": [6, 2, 4],
         "motion": {"type": "blink", "half_period_s": 1,
                    "hold_box": {"centre": [6, 2, 4], "size": [2, 2, 2]}}},
        {"name": "d", "shape": "ball", "centre": [6, 6, 6], "radius": 0.5,
         "motion": {"type": "drift", "velocity": [0, 0, 1], "axis": [1, 0, 0], "rate_deg_s": 5}},
        {"name": "e", "shape": "ball", "centre": [2, 2, 7], "radius": 0.5,
         "motion": {"type": "way", "speed": 1, "points": [[2, 2, 7], [2, 5, 7]], "then": "back"}},
    ],
    "variants": {"other": {"agent": {"speed": 3}, "obstacles": {"b": {"radius": 0.7}}}},
}  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A good file of each format, and how it is read."""
    folder = tmp_path_factory.mktemp("good")
    scene = small_scene()
    hybrid = nt.Hybrid(scene)
    time, agent, there = np.arange(3) / 60, np.full((3, 3), 1.5), np.full((3, 3), 4.5)
    poses = np.tile([3.0, 3, 3, 0, 0, 0, 1, 1], (3, 2, 1))
    poses[1, 0, 2] = 2.5
    path = np.array([[1.5] * 3, [4.5] * 3])
    trace = Trace(describe(scene, "a*"), time, agent, there, poses, [path, path, path[:1]])
    blocked = np.random.default_rng(1).random((5, 6, 7)) < 0.3
    voxels = "".join(f"{x} {y} {z}\n" for x, y, z in np.argwhere(blocked))
    texts = {
        "a.3dmap": f"voxel 5 6 7\n{voxels}",
        "a.map": "type octile\nheight 3\nwidth 4\nmap\n.@@.\n..T.\nG.S.\n",
        "a.3dscen": "version 1\na.3dmap\n0 0 0 1 1 0 1.41421356 1.0\n2 1 0 4 5 6 7.5 1.1\n",
        "a.scen": "version 1\n0\ta.map\t4\t3\t0\t0\t3\t2\t3.82842712\n",
        "a.json": json.dumps(SCENE),
        "a.toml": (LIBRARY / "lazy-theta.toml").read_text(),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
        if name not in ("a.json", "a.toml"):
            (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    np.save(folder / "a.npy", blocked)
    np.savez_compressed(folder / "a.npz", blocked=blocked.astype(np.int8))
    trace.save(folder / "trace.npz")
    hybrid.save(folder / "bake.npz")

    def read(file):
        if file.name == "trace.npz":
            assert len(Trace.load(file, MOST).paths) <= MOST
        elif file.name == "bake.npz":
            graph = nt.Hybrid(scene, bake=file)
            assert nt.plan(graph, (1.5, 1.5, 1.5), (4.5, 4.5, 4.5), "a*").reason is not None
        elif "scen" in file.name:
            nt.load_scenarios(file, MOST)
        elif file.suffix == ".json":
            for variant in (None, "other"):
                nt.Scene.load(file, variant, max_cells=MOST)
        elif file.suffix == ".toml":
            read_study(file)
        else:
            assert nt.load_map(file, MOST).size <= MOST

    return sorted(folder.iterdir()), read


def damaged(rng, content):
    """Return bytes with one to four places damaged."""
    content = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(len(content) + 1)
        j = min(len(content), i + rng.choice((1, 2, 8, 100)))
        kind = rng.randrange(6)
        if kind == 0:
            content[i:j] = rng.randbytes(j - i)
        elif kind == 1:
            del content[i:j]
        elif kind == 2:
            content[i:i] = content[i:j] * rng.choice((1, 50))
        elif kind == 3:
            content[i:i] = rng.choice(WORDS)
        elif kind == 4 and j > i:
            content[i] ^= 1 << rng.randrange(8)
        elif rng.random() < 0.2:
            del content[i:]
    return bytes(content)


def damaged_json(rng, data):
    """Replace or remove one value anywhere in JSON."""
    data = copy.deepcopy(data)
    for _ in range(rng.randint(1, 2)):
        at, places = data, []
        while isinstance(at, dict | list) and at and (not places or rng.random() < 0.8):
            key = rng.choice(list(at)) if isinstance(at, dict) else rng.randrange(len(at))
            places.append((at, key))
            at = at[key]
        if places:
            holder, key = places[-1]
            if rng.random() < 0.2:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(rng.choice(VALUES))
    return data


def some_array(rng):
    """Return an array of any type and shape, as the content of a .npy file."""
    shape = tuple(rng.choice((0, 1, 2, 3, 7)) for _ in range(rng.randrange(4)))
    kind = np.dtype(rng.choice(TYPES))
    out = io.BytesIO()
    if rng.random() < 0.3:  # a claim
        side = rng.choice((-1, 10**6, 10**9, 2**63, 10**30))
        head = f"{{'descr': '{kind.str}', 'fortran_order': False, 'shape': ({side}, 3, 2), }}\n"
        out.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
    else:
        array = np.zeros(shape, kind)
        if kind.kind in "iuf":
            array[...] = rng.choice((0, 1, 3, -1, 100)) if kind.kind != "u" else 1
        np.save(out, array)
    return out.getvalue()


def damaged_archive(rng, content):
    """Damage one array in an archive, replace it, or leave it out."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    kind = rng.randrange(4)
    if name == "about.npy" and kind < 2:
        about = json.loads(str(np.load(io.BytesIO(members[name]))))
        out = io.BytesIO()
        np.save(out, np.array(json.dumps(damaged_json(rng, about))))
        members[name] = out.getvalue()
    elif kind == 0:
        members[name] = damaged(rng, members[name])
    elif kind == 3:
        del members[name]
    else:
        members[name] = some_array(rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return out.getvalue()


def damage(rng, file):
    """Return the damaged content of a good file."""
    content = file.read_bytes()
    if file.suffix == ".npz" and rng.random() < 0.7:
        return damaged_archive(rng, content)
    if file.suffix == ".gz" and rng.random() < 0.7:
        return gzip.compress(damaged(rng, gzip.decompress(content)))
    if file.suffix == ".json" and rng.random() < 0.8:
        return json.dumps(damaged_json(rng, json.loads(content))).encode()
    if file.suffix == ".npy" and rng.random() < 0.3:
        return some_array(rng)
    return damaged(rng, content)


def test_good_files_are_read(good):
    files, read = good
    assert len(files) == 14
    for file in files:
        read(file)


def test_damaged_files_are_read_or_refused(good, cases, tmp_path):
    """Many of them: `pytest --cases 50000 tests/fuzz/test_files.py`."""
    files, read = good
    refused = dict.fromkeys((file.name for file in files), 0)
    for seed in range(cases * 4):
        rng = random.Random(seed)
        file = files[seed % len(files)]
        bad = tmp_path / file.name
        bad.write_bytes(damage(rng, file))
        try:
            read(bad)
        except nt.FileError as error:
            assert str(error).startswith(str(bad)), f"seed {seed}: {error}"  # noqa: PT017
            refused[file.name] += 1
        except BaseException as error:
            raise AssertionError(f"seed {seed}, {file.name}") from error
    least = cases * 4 // len(files) // 4
    assert min(refused.values()) >= least, refused


@pytest.mark.parametrize("name", ["a.3dmap", "a.map", "a.3dscen", "a.scen", "a.json", "a.toml"])
def test_a_byte_order_mark_is_accepted(good, tmp_path, name):
    files, read = good
    content = next(file for file in files if file.name == name).read_bytes()
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content)
    read(tmp_path / name)


def test_deep_json_and_toml(tmp_path):
    for name, content in (("a.json", b"[" * 100_000), ("a.toml", b"a = " + b"[" * 100_000)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(nt.FileError, match=f"{name}: expected"):
            nt.Scene.load(tmp_path / name) if name == "a.json" else read_study(tmp_path / name)
