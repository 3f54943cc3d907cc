"""`noctule algorithms`: the registered algorithms."""

import noctule as nt
from noctule.commands.shared.options import Json
from noctule.commands.shared.tables import columns, console, print_json, styled

HEADS = {
    "any_angle": "any\nangle",
    "optimal": "opti-\nmal",
    "incremental": "incre-\nmental",
    "moving_target": "moving\ntarget",
    "anytime": "any-\ntime",
}


def algorithms(*, as_json: Json = False) -> int:
    """List the algorithms and their properties."""
    rows = nt.algorithms()
    if as_json:
        fields = ("name", *HEADS, "summary")
        print_json([{field: getattr(row, field) for field in fields} for row in rows])
        return 0
    table = columns("algorithm", *HEADS.values(), "summary", left=len(HEADS) + 2)
    table.columns[0].no_wrap = True
    for column in table.columns[1:-1]:
        column.justify = "center"
    for row in rows:
        marks = [styled("yes", "green") if getattr(row, name) else "" for name in HEADS]
        table.add_row(styled(row.name, "bold"), *marks, row.summary)
    console().print(table)
    return 0
