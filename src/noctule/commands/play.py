"""`noctule play`: the game Lost in Space."""

from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, Literal

from noctule.commands.shared.options import OUTPUT, SEARCH, Json, check_file, flag, option
from noctule.commands.shared.tables import (
    console,
    facts,
    print_json,
    print_note,
    stoppable,
    tracked,
)

if TYPE_CHECKING:
    from noctule.game.simulation.game import Game

BUDGET_MS = 8.0  # of the 16.7 ms of a frame
RECORDED = 20.0  # seconds of a recording
HEADLESS = 60.0


def play(
    *,
    seed: Annotated[int, option("Draws asteroids and enemies.")] = 0,
    difficulty: Annotated[
        Literal["easy", "normal", "hard"] | None,
        option("Speed and algorithm of the enemies. [default: as in the settings, or normal]"),
    ] = None,
    algorithm: Annotated[
        str | None,
        option(
            "How enemies plan: one of 'noctule algorithms', or straight. "
            "[default: that of the difficulty]",
            SEARCH,
        ),
    ] = None,
    enemies: Annotated[
        int | None, option("So many enemies all the time. [default: waves of 1 to 8]")
    ] = None,
    demo: Annotated[bool, flag("Let Noctule fly the player, too.")] = False,
    pilot: Annotated[
        Literal["demo", "unarmed", "even"],
        option("Who flies with --headless: demo, demo without guns, or straight on."),
    ] = "demo",
    seconds: Annotated[
        float | None,
        option("End after so much time. [default: 60 with --headless, 20 with --record]"),
    ] = None,
    budget_ms: Annotated[
        float | None,
        option(
            "Milliseconds for planning in a frame. [default: 8; no limit if --headless]", SEARCH
        ),
    ] = None,
    headless: Annotated[bool, flag("Play without picture and sound, and report.", OUTPUT)] = False,
    record: Annotated[File | None, option("Save a clip of the demo: .mp4 or .gif.", OUTPUT)] = None,
    sound: Annotated[bool, option("Whether there is sound.", OUTPUT)] = True,
    fullscreen: Annotated[bool, flag("Use the whole screen.", OUTPUT)] = False,
    as_json: Json = False,
) -> int:
    """Play Lost in Space."""
    _check(seed, enemies, seconds, demo, headless, record)
    options: dict[str, Any] = {"algorithm": algorithm, "enemies": enemies}
    if headless:
        from noctule.game.simulation.game import Game

        level = difficulty or "normal"
        game = Game(seed, level, **options, budget_ms=budget_ms, immortal=True)
        return _play_headless(game, HEADLESS if seconds is None else seconds, pilot, as_json)
    from noctule.game.requirements import require_panda3d

    require_panda3d()
    options["budget_ms"] = BUDGET_MS if budget_ms is None else budget_ms
    if record is not None:
        from noctule.game.record import record_demo

        frames = record_demo(
            record, RECORDED if seconds is None else seconds, seed, difficulty or "normal", options
        )
        print_note(f"Saved: {record} ({frames} pictures)", as_json)
        return 0
    from noctule.game.app import run

    scores = run(seed, difficulty, options, demo, seconds, sound, fullscreen)
    if as_json:
        print_json({"scores": scores})
    return 0


def _check(
    seed: int,
    enemies: int | None,
    seconds: float | None,
    demo: bool,
    headless: bool,
    record: File | None,
) -> None:
    if seed < 0:
        raise ValueError(f"--seed is {seed}; expected a whole number from 0 on")
    if enemies is not None and enemies < 0:
        raise ValueError(f"--enemies is {enemies}; expected a whole number from 0 on")
    if seconds is not None and not 0 < seconds < 1e6:
        raise ValueError(f"--seconds is {seconds:g}; expected a number above 0")
    if headless and not demo:
        raise ValueError("--headless needs --demo: there is nobody to fly")
    if record is not None:
        check_file("--record", record, ".mp4", ".gif")
        if headless:
            raise ValueError("--record needs pictures; leave out --headless")
        from noctule.pictures.clips import require_writer

        require_writer(record.suffix.lower())


def _play_headless(game: "Game", seconds: float, pilot: str, as_json: bool) -> int:
    """Play without pictures, and print what happened."""
    import gc

    from noctule.game.simulation.headless import frame_count, frames, report, warm_up

    warm_up(game.enemies.algorithm)
    gc.collect()
    gc.freeze()
    with stoppable(lambda: f"{game.time:.0f} of {seconds:g} seconds were played"):
        for _ in tracked(frames(game, seconds, pilot), frame_count(seconds), "playing"):
            pass
    result = report(game)
    if as_json:
        print_json(result)
    else:
        _print(result)
    return 0


def _print(result: dict[str, Any]) -> None:
    """Print a report for people."""
    contacts = ", ".join(f"{n} {what}" for what, n in result["contacts"].items() if n)
    wall, cpu = result["planning_ms"], result["planning_cpu_ms"]
    console().print(
        facts(
            [
                ("enemies", f"{result['algorithm']}, {result['difficulty']}"),
                ("played", f"{result['seconds']:.0f} s, {result['frames']} frames"),
                ("score", f"{result['score']}, wave {result['wave']}"),
                ("catches", str(result["catches"])),
                ("contacts", contacts or "none"),
                ("planning", _times(wall) + "; " + _times(cpu) + " of the processor"),
            ]
        )
    )


def _times(spread: dict[str, float]) -> str:
    return f"{spread['median']:.1f} ms (99 %: {spread['p99']:.1f}, worst {spread['worst']:.1f})"
