"""`noctule warm-up`: compile kernels ahead."""

from typing import Annotated

from noctule.commands.shared.options import Json, algorithm_names, flag, option
from noctule.commands.shared.tables import console, print_json

# What the commands of the README call.
DEFAULT = ("fly cells aamt-d*-lite", "fly cells a*")


def warm_up(
    *,
    everything: Annotated[
        bool, flag("For all algorithms on all graphs: takes minutes.", name="--all")
    ] = False,
    algorithms: Annotated[
        str | None, option("Names with commas between: these on all graphs.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Compile kernels ahead, so that the first plans and flights need not wait."""
    from noctule.core import kernel_cache, manifest
    from noctule.core.preparation import prepare

    groups = manifest.groups()
    if algorithms is not None:
        chosen = set(algorithm_names(algorithms))
        groups = [group for group in groups if chosen & set(group.split(" "))]
    elif not everything:
        groups = [*DEFAULT, *(group for group in groups if group.endswith(" Grid Cells"))]
    compiled = prepare(*groups)
    folder = kernel_cache.folders()[0]
    missing = len(manifest.missing(groups))
    if as_json:
        print_json({"compiled": compiled, "missing": missing, "folder": str(folder)})
    elif missing:
        console().print(f"{missing} kernels could not be kept in {folder}", soft_wrap=True)
    else:
        console().print(f"Ready: {compiled} kernels compiled, kept in {folder}", soft_wrap=True)
    return 1 if missing else 0
