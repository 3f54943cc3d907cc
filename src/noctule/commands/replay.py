"""`noctule replay`: a saved flight in the browser, or as a file to share."""

from pathlib import Path as File
from typing import Annotated

from cyclopts import Parameter

from noctule.commands.flights.flight_export import Gif, Mp4, Record, check_clips, save_clips
from noctule.commands.shared.options import Json, MaxCells, Picture, check_picture
from noctule.commands.shared.tables import console, print_json
from noctule.commands.view import NoOpen, Port, watch
from noctule.files import MAX_CELLS


def replay(
    trace: Annotated[
        File, Parameter(name="TRACE", help="A .npz file that 'noctule fly --trace' wrote.")
    ],
    /,
    *,
    record: Record = None,
    gif: Gif = None,
    mp4: Mp4 = None,
    picture: Picture = None,
    max_cells: MaxCells = MAX_CELLS,
    port: Port = None,
    no_open: NoOpen = False,
    as_json: Json = False,
) -> int:
    """Watch a saved flight again, or save it as a page, a clip or a picture."""
    check_picture(picture)
    check_clips(record, gif, mp4)
    from noctule.flight.recording import Trace

    saved = Trace.load(trace, max_cells)
    files = {"record": record, "gif": gif, "mp4": mp4, "picture": picture}
    wanted = {name: str(file) for name, file in files.items() if file is not None}
    if not wanted:
        from noctule.viewer.replay_page import ReplayPage

        watch(ReplayPage(saved, port), no_open, as_json, {"trace": str(trace)})
        return 0
    save_clips(saved, record, gif, mp4)
    if picture is not None:
        from noctule.pictures import flight_picture

        flight_picture(saved, picture, f"{saved.about['scene']}: {saved.about['algorithm']}")
    if as_json:
        print_json({"trace": str(trace), "saved": wanted})
    else:
        console().print("\n".join(f"Saved: {file}" for file in wanted.values()), soft_wrap=True)
    return 0
