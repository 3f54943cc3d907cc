"""Styles of algorithms in all plots and pictures; they can be told apart in grey, too."""

import colorsys
import hashlib
from typing import NamedTuple


class Style(NamedTuple):
    """Style of an algorithm."""

    colour: str
    marker: str
    hatch: str
    line: str


INK, FAINT = "#1f2937", "#9ca3af"

STYLES = {
    "dijkstra": Style("#6b7280", "x", "", ":"),
    "a*": Style("#12304f", "o", "", "-"),
    "jps": Style("#4f86c6", "s", "//", "--"),
    "theta*": Style("#c8364b", "^", "", "-"),
    "theta*-fast": Style("#ef8f9c", "v", "\\\\", "--"),
    "lazy-theta*": Style("#efb13a", "D", "..", "-."),
    "taut": Style("#2a9d8f", "H", "--", "-"),
    "visibility": Style("#8d99ae", "+", "", ":"),
    "ara*": Style("#7a4f9a", "P", "xx", "--"),
    "d*": Style("#5f7f4f", "<", "--", ":"),
    "d*-lite": Style("#65a30d", "v", "", "-"),
    "field-d*": Style("#9dbb75", ">", "||", "-."),
    "ad*": Style("#b79ad0", "X", "oo", ":"),
    "basic-mt-d*-lite": Style("#8fd0b0", "<", "//", "--"),
    "mt-d*-lite": Style("#0f766e", ">", "", "-"),
    "aamt-d*-lite": Style("#d97706", "p", "", "-"),
    "aamt-d*-lite-fast": Style("#f6c453", "h", "\\\\", "--"),
    "safe-intervals": Style("#111111", "*", "**", "-."),
    "ap-theta*": Style("#7f1d1d", "d", "++", ":"),
}
MARKERS, HATCHES, LINES = "o^vs<>DPXph*", ("", "//", "xx", "..", "||", "++"), ("-", "--", "-.", ":")


def style_of(algorithm: str) -> Style:
    """Return the style of an algorithm; that of one from another package follows from its name.

    >>> style_of("greedy") == style_of("greedy") != style_of("breadth-first")
    True
    """
    return STYLES.get(algorithm) or _style_by_name(algorithm)


def _style_by_name(name: str) -> Style:
    """Return a style drawn by a hash of the name; its colour is neither pale nor dark."""
    hue, lightness, saturation, *rest = hashlib.sha256(name.encode()).digest()
    parts = colorsys.hls_to_rgb(hue / 256, 0.35 + lightness / 1024, 0.45 + saturation / 768)
    colour = "#" + "".join(f"{round(255 * part):02x}" for part in parts)
    marker, hatch, line = (
        kinds[byte % len(kinds)]
        for kinds, byte in zip((MARKERS, HATCHES, LINES), rest[:3], strict=True)
    )
    return Style(colour, marker, hatch, line)
