"""`noctule bench`: noctule against the other packages that are installed."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

import noctule as nt
from noctule.commands.shared_options import WORLD, Json, Picture, check_picture
from noctule.commands.tables import columns, console, notes, print_json

if TYPE_CHECKING:
    from noctule.benchmarking.peers import Peer
    from noctule.benchmarking.timing import Measured
    from noctule.worlds.generated import Case

QUERIES = 10  # on a map of the user's


def bench(
    *maps: Annotated[File, Parameter(name="MAPS", help="Maps to use instead of seeded cases.")],
    cases: Annotated[
        str | None,
        Parameter(group=WORLD, help="C1-10, C1-20, C1-30, C2, C3, C4, with commas between."),
    ] = None,
    peers: Annotated[
        str | None,
        Parameter(help="Only those whose names hold one of these words, with commas between."),
    ] = None,
    seconds: Annotated[
        float, Parameter(help="Time for each in two turns, after which no round begins.")
    ] = 4.0,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Measure noctule against the other packages that are installed."""
    check_picture(picture)
    from noctule.benchmarking.timing import measure

    asked = _asked(peers)
    chosen = _cases(maps, cases)
    rows: list[Measured] = []
    screen = notes()
    with screen.status("") as status:  # shows itself on terminals only
        for make in chosen:
            status.update("making the world")
            rows += measure(make(), asked, seconds, status.update)
    if as_json:
        print_json([row._asdict() for row in rows])
    else:
        _report(rows)
    if picture is not None:
        _draw(rows, picture)
    return 0


def _asked(words: str | None) -> list["Peer"]:
    from noctule.benchmarking.peers import PEERS, peers_here

    here = peers_here()
    if words is None:
        return here
    parts = [word.strip().lower() for word in words.split(",") if word.strip()]
    found = [peer for peer in here if any(part in peer.name.lower() for part in parts)]
    if not found:
        known = ", ".join(peer.name for peer in PEERS)
        raise ValueError(f"--peers is {words!r}; known are {known}; installed: {len(here)} of them")
    return found


def _cases(maps: tuple[File, ...], names: str | None) -> list[Callable[[], "Case"]]:
    from noctule.worlds.generated import CASES

    if maps:
        if names is not None:
            raise ValueError("--cases and maps are both given; expected one of them")
        return [partial(_map_case, file) for file in maps]
    chosen = list(CASES) if names is None else [name.strip() for name in names.split(",")]
    for name in chosen:
        if name not in CASES:
            raise ValueError(f"--cases has {name!r}; known are {', '.join(CASES)}")
    return [CASES[name] for name in chosen]


def _map_case(file: File) -> "Case":
    from noctule.benchmarking.timing import random_pairs
    from noctule.worlds.generated import Case

    blocked = nt.load_map(file)
    pairs = random_pairs(blocked, QUERIES)
    if not pairs:
        raise ValueError(f"{file}: no two free cells with a way between them were found")
    return Case(file.name, blocked, pairs)


def _report(rows: list["Measured"]) -> None:
    table = columns(
        "case", "", "rule", "least\nms", "median\nms", "times\nours", "length", "free", left=3
    )
    base = _ours(rows)
    last = ""
    for row in rows:
        if last not in ("", row.case):
            table.add_section()
        ratio = row.least_ms / base[row.case] if row.case in base else math.nan
        table.add_row(
            "" if row.case == last else row.case,
            row.peer,
            row.rule,
            f"{row.least_ms:,.3f}" if row.least_ms < 10 else f"{row.least_ms:,.1f}",
            f"{row.median_ms:,.3f}" if row.median_ms < 10 else f"{row.median_ms:,.1f}",
            f"{ratio:,.1f}",
            f"{row.length:.2f}",
            f"{row.free}/{row.queries}",
        )
        last = row.case
    console().print(table)
    console().print(
        "CPU time a query. 'times ours' is to the faster of noctule jps and a*; 'free' counts the "
        "paths that are proven free for a point. Who cuts corners solves an easier problem."
    )


def _ours(rows: list["Measured"]) -> dict[str, float]:
    """For each case the time of the faster of our two searches for the shortest path."""
    best: dict[str, float] = {}
    for row in rows:
        if row.peer in ("noctule jps", "noctule a*"):
            best[row.case] = min(row.least_ms, best.get(row.case, math.inf))
    return best


def _draw(rows: list["Measured"], file: File) -> None:
    from noctule.pictures import require_matplotlib

    require_matplotlib()
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    cases = list(dict.fromkeys(row.case for row in rows))
    names = list(dict.fromkeys(row.peer for row in rows))
    figure, axes = pyplot.subplots(figsize=(8, 0.3 * len(names) + 1.5), layout="constrained")
    for place, case in enumerate(cases):
        at = [names.index(row.peer) for row in rows if row.case == case]
        ms = [row.least_ms for row in rows if row.case == case]
        axes.plot(ms, at, "o", color=f"C{place}", label=case)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("CPU time a query, ms")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside right upper")
    figure.savefig(file, dpi=150)
    pyplot.close(figure)
    notes().print(f"Picture saved: {file}", soft_wrap=True)
