"""Files are written completely or not at all, and no temporary file stays behind."""

import errno
import gzip
import io
import json
import os
import stat
import threading
import tracemalloc
import zipfile

import numpy as np
import pytest

import noctule as nt
from noctule.cli import main
from noctule.commands.bench import _draw
from noctule.core import kernel_cache
from noctule.files import replacing, write_arrays, write_whole
from noctule.flight.recording import Trace, describe
from noctule.pictures import clips, flight_picture, picture
from noctule.pictures.clips import save_clip
from noctule.studies.definition import load_study
from noctule.studies.report import plots
from noctule.studies.result_store import Store
from noctule.viewer.export_html import record

OLD = b"what was there before"


@pytest.fixture(scope="module")
def scene():
    ball = nt.Body("ball", nt.Ball(0.5), (3, 3, 3))
    agent, target = nt.Agent((1.5, 1.5, 1.5)), nt.Destination((4.5, 4.5, 4.5), 0.4)
    return nt.Scene(nt.Space((0, 0, 0), (6, 6, 6)), agent, target, [ball])


@pytest.fixture(scope="module")
def trace(scene):
    time = np.arange(3) / 60
    agent, there = np.full((3, 3), 1.5), np.full((3, 3), 4.5)
    poses = np.tile([3.0, 3, 3, 0, 0, 0, 1, 1], (3, 1, 1))
    return Trace(
        describe(scene, "a*"), time, agent, there, poses, [np.array([[1.5] * 3, [4.5] * 3])] * 3
    )


@pytest.fixture(scope="module")
def writers(scene, trace):
    """Suffix and function of everything that writes a file."""
    grid = nt.Grid(np.zeros((5, 5), bool))
    path = nt.plan(grid, (0.5, 0.5), (4.5, 4.5), "a*")
    hybrid = nt.Hybrid(scene)
    return {
        "trace": (".npz", trace.save),
        "bake": (".npz", hybrid.save),
        "page": (".html", lambda file: record(trace, file)),
        "clip": (".gif", lambda file: save_clip(trace, file)),
        "map picture": (".png", lambda file: picture(grid, [path], file)),
        "map drawing": (".svg", lambda file: picture(grid, [path], file)),
        "flight picture": (".pdf", lambda file: flight_picture(trace, file)),
        "benchmark picture": (".png", lambda file: _draw([], file)),
        "results": (".json", lambda file: write_whole(file, b"{}")),
    }


NAMES = [
    *("trace", "bake", "page", "clip", "map picture", "map drawing", "flight picture"),
    *("benchmark picture", "results"),
]


@pytest.fixture(params=["full disk", "Ctrl-C"])
def failure(request, monkeypatch):
    """Every write fails after some bytes, as on a full disk or when it is interrupted."""

    def fail():
        if request.param == "Ctrl-C":
            raise KeyboardInterrupt
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Failing(io.FileIO):
        """A file that takes ten bytes."""

        def write(self, content):
            super().write(bytes(content)[:10])
            fail()

    real = open

    def open_failing(file, mode="r", *arguments, **options):
        if isinstance(file, int | str | os.PathLike) and set(mode) & set("wx+"):
            return Failing(file, mode.replace("b", "").replace("t", ""))
        return real(file, mode, *arguments, **options)

    monkeypatch.setattr("builtins.open", open_failing)
    monkeypatch.setattr("io.open", open_failing)
    return KeyboardInterrupt if request.param == "Ctrl-C" else OSError


@pytest.mark.parametrize("name", NAMES)
def test_a_write_that_fails_leaves_the_old_file(name, writers, failure, tmp_path):
    suffix, write = writers[name]
    file = tmp_path / f"result{suffix}"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT)
    os.write(descriptor, OLD)
    os.close(descriptor)
    with pytest.raises(failure) as raised:
        write(file)
    if failure is OSError:
        assert raised.value.errno == errno.ENOSPC
        assert str(file) in str(raised.value)
    assert file.read_bytes() == OLD
    assert os.listdir(tmp_path) == [file.name]


@pytest.mark.parametrize("name", NAMES)
def test_a_new_file_replaces_the_old_one(name, writers, tmp_path):
    suffix, write = writers[name]
    file = tmp_path / f"result{suffix}"
    file.write_bytes(OLD)
    write(file)
    assert file.read_bytes() != OLD
    assert os.listdir(tmp_path) == [file.name]


def test_every_writer_is_tested(writers):
    assert sorted(writers) == sorted(NAMES)


def test_plots_of_a_study_are_written_whole(monkeypatch, tmp_path):
    """Drawing fails: neither the plot nor a part of it is there."""

    class Broken:
        def suptitle(self, *_, **__):
            pass

        def savefig(self, file, **_):
            file.write_bytes(b"half")
            raise KeyboardInterrupt

    monkeypatch.setitem(plots.PLOT_KINDS, "bars", lambda *_: Broken())
    study = load_study("lazy-theta")
    study.plots[:] = [{"kind": "bars", "measures": ["length"]}]
    with pytest.raises(KeyboardInterrupt):
        plots.draw(study, [], tmp_path)
    assert os.listdir(tmp_path) == []


def test_an_interrupted_video_leaves_the_old_one(trace, monkeypatch, tmp_path):
    def write_part(file, pictures):
        file.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(clips, "_write_mp4", write_part)
    file = tmp_path / "flight.mp4"
    file.write_bytes(OLD)
    with pytest.raises(KeyboardInterrupt):
        save_clip(trace, file)
    assert file.read_bytes() == OLD
    assert os.listdir(tmp_path) == [file.name]


def test_an_incomplete_last_result_is_dropped_whole(failure, tmp_path):
    file = tmp_path / "results.jsonl"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT)
    content = b'{"key": "a", "result": 1}\n{"key": "b", "res'
    os.write(descriptor, content)
    os.close(descriptor)
    with pytest.raises(failure):
        Store(file)
    assert file.read_bytes() == content
    assert os.listdir(tmp_path) == [file.name]


def test_kernels_that_cannot_be_kept(failure, monkeypatch, tmp_path):
    monkeypatch.setattr(kernel_cache, "folders", lambda: (tmp_path,))
    if failure is OSError:
        assert not kernel_cache.mark("kernel")
    else:
        with pytest.raises(KeyboardInterrupt):
            kernel_cache.mark("kernel")
    assert os.listdir(tmp_path) == []


def test_permissions_links_and_devices(tmp_path):
    file, link = tmp_path / "a.json", tmp_path / "b.json"
    write_whole(file, b"1")
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert file.stat().st_mode == plain.stat().st_mode
    file.chmod(0o640)
    link.symlink_to(file)
    write_whole(link, b"2")
    assert link.is_symlink()
    assert file.read_bytes() == b"2"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    write_whole("/dev/null", b"3")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_readers_see_all_or_nothing(tmp_path):
    """While two threads write, a third one always reads one of the two contents."""
    file = tmp_path / "a.npz"
    contents = [np.full(2000, i) for i in range(2)]
    write_arrays(file, a=contents[0])

    def write(content):
        for _ in range(30):
            write_arrays(file, a=content)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        with np.load(file) as data:
            assert data["a"].tolist() in [content.tolist() for content in contents]
    assert os.listdir(tmp_path) == [file.name]


def test_a_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match="nowhere"),
        replacing(tmp_path / "nowhere" / "a") as half,
    ):
        half.write_bytes(b"")


# Limits


def packed(file, write):
    """Write an archive whose only array is what `write` puts into it."""
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("blocked.npy", "w", force_zip64=True) as entry,
    ):
        write(entry)


def header(shape, kind="|b1"):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head


def test_what_claims_to_be_too_large_is_refused_before_it_is_read(tmp_path):
    blocks = (b"\0" * (1 << 20) for _ in range(400))
    packed(
        tmp_path / "a.npz", lambda entry: [entry.write(x) for x in [header((5, 1 << 26)), *blocks]]
    )
    (tmp_path / "a.npy").write_bytes(header((1000, 1000, 301)))
    (tmp_path / "a.3dmap").write_text("voxel 1000 1000 1000000000\n")
    (tmp_path / "b.3dmap.gz").write_bytes(
        gzip.compress(b"voxel 9 9 9\n" + b"0 0 0\n" * 15_000_000, 1)
    )
    (tmp_path / "a.map").write_text("type octile\nheight 1000000\nwidth 301\nmap\n")
    sizes = {
        "a.npz": "335,544,320 cells", "a.npy": "301,000,000 cells",
        "a.3dmap": "1,000,000,000,000,000 cells", "a.map": "301,000,000 cells",
        "b.3dmap.gz": "unpacks to more than 75,000,000 bytes",
    }  # fmt: skip
    tracemalloc.start()
    for name, size in sizes.items():
        with pytest.raises(nt.FileError, match=f"{name}: {size}.* max_cells"):
            nt.load_map(tmp_path / name)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200e6


def test_scenes_and_traces_that_are_too_large(scene, trace, tmp_path):
    data = {
        "space": {"origin": [0, 0, 0], "cells": [1000, 1000, 1000]}, "obstacles": [],
        "agent": {"start": [1, 1, 1], "radius": 0.4, "speed": 1},
        "destination": {"start": [5, 5, 5], "radius": 0.4},
    }  # fmt: skip
    file = tmp_path / "a.json"
    file.write_text(json.dumps(data))
    with pytest.raises(nt.FileError, match=r"a.json: 1,000,000,000 cells; at most 300,000,000"):
        nt.Scene.load(file)
    assert nt.Scene.load(file, max_cells=10**9).space.cells == (1000, 1000, 1000)
    trace.save(tmp_path / "a.npz")
    with pytest.raises(nt.FileError, match=r"a.npz: [0-9,]+ bytes of arrays; at most 100"):
        nt.Trace.load(tmp_path / "a.npz", max_cells=100)


def test_the_command_line_allows_more(tmp_path, capsys):
    file = tmp_path / "a.npy"
    np.save(file, np.zeros((30, 30), bool))
    words = ["plan", str(file), "1,1", "20,20", "--json", "--max-cells"]
    assert main([*words, "899"]) == 2
    assert "a.npy: 900 cells; at most 899 are read" in capsys.readouterr().out
    assert main([*words, "900"]) == 0


@pytest.mark.parametrize("name", ["x.npy", "x.npz", "x.txt"])
def test_replay_of_something_else(name, tmp_path, capsys):
    file = tmp_path / name
    with open(file, "wb") as out:
        np.save(out, np.zeros(3))
    assert main(["replay", str(file)]) == 2
    assert f"error: {file}: expected a trace of a flight" in capsys.readouterr().err
