"""`noctule algorithms`: the catalogue."""

from rich.text import Text

import noctule as nt
from noctule.commands.shared_options import Json
from noctule.commands.tables import columns, console, print_json

PROPERTIES = ("any_angle", "optimal", "incremental", "moving_target", "anytime")


def algorithms(*, as_json: Json = False) -> int:
    """List the algorithms and what can be expected of them."""
    rows = nt.algorithms()
    if as_json:
        fields = ("name", *PROPERTIES, "summary")
        print_json([{field: getattr(row, field) for field in fields} for row in rows])
        return 0
    table = columns("algorithm", *(name.replace("_", "\n") for name in PROPERTIES), "summary")
    table.columns[0].no_wrap = True
    for column in table.columns[1:-1]:
        column.justify = "center"
    table.columns[-1].justify = "left"
    for row in rows:
        marks = [Text("yes", "green") if getattr(row, name) else "" for name in PROPERTIES]
        table.add_row(Text(row.name, "bold"), *marks, row.summary)
    console().print(table)
    return 0
