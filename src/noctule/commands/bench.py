"""`noctule bench`: noctule against the other packages that are installed."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from noctule.commands.shared.options import WORLD, Json, MaxCells, Picture, check_picture, option
from noctule.commands.shared.tables import columns, console, notes, print_json, stoppable
from noctule.files import MAX_CELLS, replacing

if TYPE_CHECKING:
    from noctule.benchmarking.peers import Peer
    from noctule.benchmarking.timing import Measured
    from noctule.worlds.generated import Case

QUERIES = 10  # on a map of the user


def bench(
    *maps: Annotated[File, Parameter(name="MAPS", help="Maps to use instead of seeded cases.")],
    cases: Annotated[
        str | None, option("C1-10, C1-20, C1-30, C2, C3, C4, with commas between.", WORLD)
    ] = None,
    peers: Annotated[
        str | None, option("Only those whose names hold one of these words, with commas between.")
    ] = None,
    seconds: Annotated[
        float, option("Time for each in two turns, after which no round begins.")
    ] = 4.0,
    max_cells: MaxCells = MAX_CELLS,
    picture: Picture = None,
    as_json: Json = False,
) -> int:
    """Measure noctule against the other packages that are installed."""
    check_picture(picture)
    from noctule.benchmarking.timing import measure

    asked = _select_peers(peers)
    chosen = _select_cases(maps, cases, max_cells)
    rows: list[Measured] = []
    measured: list[str] = []
    kept = f"of {len(chosen)} cases were measured; nothing was kept"
    with stoppable(lambda: f"{len(measured)} {kept}"), notes().status("") as status:
        for make in chosen:
            status.update("making the world")
            case = make()
            rows += measure(case, asked, seconds, status.update)
            measured.append(case.name)
    if as_json:
        print_json([row._asdict() for row in rows])
    else:
        _report(rows)
    if picture is not None:
        _draw(rows, picture)
        notes().print(f"Picture saved: {picture}", soft_wrap=True)
    return 0


def _select_peers(words: str | None) -> list["Peer"]:
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


def _select_cases(
    maps: tuple[File, ...], names: str | None, max_cells: int
) -> list[Callable[[], "Case"]]:
    from noctule.benchmarking.timing import map_case
    from noctule.worlds.generated import CASES

    if maps:
        if names is not None:
            raise ValueError("--cases and maps are both given; expected one of them")
        return [partial(map_case, file, QUERIES, max_cells=max_cells) for file in maps]
    chosen = list(CASES) if names is None else [name.strip() for name in names.split(",")]
    for name in chosen:
        if name not in CASES:
            raise ValueError(f"--cases has {name!r}; known are {', '.join(CASES)}")
    return [CASES[name] for name in chosen]


def _report(rows: list["Measured"]) -> None:
    table = columns(
        "case", "", "rule", "least\nms", "median\nms", "times\nours", "length", "free", left=3
    )
    ours: dict[str, float] = {}  # time of our faster search for the shortest path
    for row in rows:
        if row.peer in ("noctule jps", "noctule a*"):
            ours[row.case] = min(row.least_ms, ours.get(row.case, math.inf))
    last = ""
    for row in rows:
        if last not in ("", row.case):
            table.add_section()
        times = [f"{ms:,.3f}" if ms < 10 else f"{ms:,.1f}" for ms in (row.least_ms, row.median_ms)]
        table.add_row(
            "" if row.case == last else row.case,
            row.peer,
            row.rule,
            *times,
            f"{row.least_ms / ours.get(row.case, math.nan):,.1f}",
            f"{row.length:.2f}",
            f"{row.free}/{row.queries}",
        )
        last = row.case
    console().print(table)
    console().print(
        "CPU time a query. 'times ours' is to the faster of noctule jps and a*; 'free' counts the "
        "paths that are proven free for a point. Who cuts corners solves an easier problem."
    )


def _draw(rows: list["Measured"], file: File) -> None:
    from noctule.pictures import require_matplotlib

    names = list(dict.fromkeys(row.peer for row in rows))
    size = (8, 0.3 * len(names) + 1.5)
    figure = require_matplotlib()(figsize=size, layout="constrained")
    axes = figure.subplots()
    for case in dict.fromkeys(row.case for row in rows):
        points = [(row.least_ms, names.index(row.peer)) for row in rows if row.case == case]
        axes.plot(*zip(*points, strict=True), "o", label=case)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("CPU time a query, ms")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside right upper")
    with replacing(file) as half:
        figure.savefig(half, dpi=150)
