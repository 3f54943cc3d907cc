"""`noctule bench` with noctule as its own peer, so that no other package is needed."""

import json

import naive
import numpy as np
import pytest

from noctule.benchmarking import timing as measuring
from noctule.benchmarking.peers import PEERS, Peer, peers_here, strict_edges
from noctule.benchmarking.timing import measure, random_pairs
from noctule.cli import main
from noctule.worlds.generated import Case


@pytest.mark.parametrize("shape", [(4, 5), (3, 4, 3)])
def test_strict_edges_are_the_moves_of_the_graph(shape):
    blocked = np.random.default_rng(1).random(shape) < 0.3
    a, b, length = strict_edges(blocked)
    cells = [tuple(map(int, np.unravel_index(i, shape))) for i in range(blocked.size)]
    found = {frozenset((cells[i], cells[j])) for i, j in zip(a, b, strict=True)}
    twin = naive.Graph(blocked, max({2: (4, 8), 3: (6, 18, 26)}[len(shape)]))
    expected = {frozenset((s, t)) for s in cells if not blocked[s] for t, _ in twin.neighbours(s)}
    assert found == expected
    assert len(a) == len(found)
    apart = np.array(cells)[a] - np.array(cells)[b]
    assert np.allclose(length, np.linalg.norm(apart, axis=1))


def test_measure_counts_free_paths():
    blocked = np.zeros((6, 6, 6), bool)
    blocked[3, :5, :] = True
    case = Case("small", blocked, [((0, 0, 0), (5, 0, 0)), ((0, 0, 0), (0, 0, 5))])
    through = Peer("through walls", "numpy", "none", lambda _: lambda s, t: [s, t])
    small = Peer("for less", "numpy", "none", lambda _: lambda s, t: [s, t], most_cells=10)
    flat = Peer("in the plane", "numpy", "none", lambda _: lambda s, t: [s, t], dimension=2)
    ours = [peer for peer in PEERS if peer.name == "noctule jps"]
    said = []
    jps, other = measure(case, [*ours, through, small, flat], 0.1, said.append)
    assert (jps.free, other.free, jps.queries) == (2, 1, 2)
    assert other.length == 5.0
    assert jps.length > other.length
    assert 0 < jps.least_ms <= jps.median_ms
    names = ["small: noctule jps", "small: through walls"]
    assert said == [f"{name}, turn {turn} of 2" for turn in (1, 2) for name in names]


def test_the_faster_of_two_turns_counts(monkeypatch):
    """A peer that is slow in one turn only is not slower in the result."""
    clock, built = [0.0], []
    monkeypatch.setattr(measuring.time, "process_time", lambda: clock[0])

    def build(blocked):
        built.append(blocked.shape)
        needs = 0.05 if len(built) == 1 else 0.01

        def query(s, t):
            clock[0] += needs
            return [s, t]

        return query

    case = Case("small", np.zeros((4, 4), bool), [((0, 0), (3, 0))])
    (row,) = measure(case, [Peer("slow at first", "numpy", "none", build)], 0.0, lambda _: None)
    assert len(built) == 2
    assert row.least_ms == pytest.approx(10)
    assert row.median_ms == pytest.approx(30)


def test_random_pairs_have_a_path():
    blocked = np.zeros((5, 5), bool)
    blocked[2] = True
    pairs = random_pairs(blocked, 8)
    assert len(pairs) == 8
    assert all((s[0] < 2) == (t[0] < 2) for s, t in pairs)
    assert pairs == random_pairs(blocked, 8)


def test_only_installed_peers_are_used():
    assert {peer.package for peer in PEERS} >= {"dijkstra3d", "skimage", "networkx", "scipy"}
    assert {"noctule jps", "noctule a*"} <= {peer.name for peer in peers_here()}


def test_the_command(tmp_path, capsys):
    picture = tmp_path / "bench.png"
    words = ["bench", "--cases", "C2", "--peers", "noctule jps, noctule a*, six", "--seconds", "0"]
    assert main([*words, "--json", "--picture", str(picture)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["case"] for row in rows} == {"C2"}
    assert all(row["free"] == row["queries"] for row in rows)
    assert len({round(row["length"], 6) for row in rows if row["rule"] == "strict"}) <= 2
    assert picture.stat().st_size > 5000


def test_the_command_on_a_map(tmp_path, capsys):
    file = tmp_path / "small.npy"
    np.save(file, np.zeros((9, 9), bool))
    assert main(["bench", str(file), "--peers", "noctule jps"]) == 0
    out = capsys.readouterr().out
    assert "small.npy" in out
    assert "10/10" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--cases", "C9"], "known are C1-10"),
        (["--peers", "nobody"], "known are noctule jps"),
        (["map.npy", "--cases", "C2"], "both given"),
    ],
)
def test_wrong_input(words, said, capsys):
    assert main(["bench", *words]) == 2
    assert said in capsys.readouterr().err.replace("\n", " ")
