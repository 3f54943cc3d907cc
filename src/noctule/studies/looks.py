"""How an algorithm looks in every plot: colour, marker and hatching, told apart in grey, too."""

from typing import NamedTuple


class Look(NamedTuple):
    """How to draw an algorithm."""

    colour: str
    marker: str
    hatch: str
    line: str


INK, FAINT, PAPER = "#1f2937", "#9ca3af", "white"

LOOKS = {
    "dijkstra": Look("#6b7280", "x", "", ":"),
    "a*": Look("#12304f", "o", "", "-"),
    "jps": Look("#4f86c6", "s", "//", "--"),
    "theta*": Look("#c8364b", "^", "", "-"),
    "theta*-fast": Look("#ef8f9c", "v", "\\\\", "--"),
    "lazy-theta*": Look("#efb13a", "D", "..", "-."),
    "visibility": Look("#8d99ae", "+", "", ":"),
    "ara*": Look("#7a4f9a", "P", "xx", "--"),
    "d*": Look("#5f7f4f", "<", "--", ":"),
    "d*-lite": Look("#2a7f56", "v", "", "-"),
    "field-d*": Look("#9dbb75", ">", "||", "-."),
    "ad*": Look("#b79ad0", "X", "oo", ":"),
    "basic-mt-d*-lite": Look("#8fd0b0", "<", "//", "--"),
    "mt-d*-lite": Look("#0f766e", ">", "", "-"),
    "aamt-d*-lite": Look("#d97706", "p", "", "-"),
    "aamt-d*-lite-fast": Look("#f6c453", "h", "\\\\", "--"),
    "safe-intervals": Look("#111111", "*", "**", "-."),
    "ap-theta*": Look("#7f1d1d", "d", "++", ":"),
}
OTHER = Look("#9ca3af", "o", "", "-")


def look_of(algorithm: str) -> Look:
    """The look of an algorithm; grey for one that has none yet."""
    return LOOKS.get(algorithm, OTHER)
