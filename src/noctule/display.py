"""`Displayed`: pictures of objects in notebooks, drawn by a module that is imported when needed.

A path or a world is used without any picture most of the time, and lies below the pictures in the
order of imports.
"""

from importlib import import_module
from typing import Any


class Displayed:
    """Shows itself in notebooks as a picture with its numbers; without matplotlib as text."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        html: str | None = _drawn("html_of", self)
        return html

    def _repr_png_(self) -> bytes | None:
        png: bytes | None = _drawn("png_of", self)
        return png


def draw(world: Any, *paths: Any, **options: Any) -> Any:
    """Call `noctule.draw`, which is imported now."""
    return import_module("noctule.pictures.drawing").draw(world, *paths, **options)


def _drawn(name: str, value: Any) -> Any:
    try:
        return getattr(import_module("noctule.pictures.notebook"), name)(value)
    except ModuleNotFoundError:
        return None
