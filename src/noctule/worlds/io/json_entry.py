"""Entries of a scene file: values that know their place in it, and refuse what is wrong there."""

import json
import sys
from typing import Any

NOTES = ("about", "note", "notes", "certainty", "ideal_cycle", "checks", "units", "versions")


class EntryError(ValueError):
    """A wrong value, with its place in the file."""


class Entry:
    """A value of the file and its place in it."""

    def __init__(self, value: Any, place: str) -> None:
        self.value, self.place = value, place

    def fail(self, expected: str) -> EntryError:
        """An error that says what would be right."""
        shown = json.dumps(self.value)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return EntryError(f"{self.place or 'the file'}: is {shown}; expected {expected}")

    def has(self, key: str) -> bool:
        """Whether there is something under this key; null is nothing."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def object(self, *allowed: str) -> "Entry":
        """Itself, refused unless an object with no other keys than these and notes."""
        for key in self.any_object().value:
            if key not in allowed and key not in NOTES:
                place = f"{self.place}.{key}".lstrip(".")
                raise EntryError(f"{place}: unknown; allowed are {', '.join(allowed)}")
        return self

    def any_object(self) -> "Entry":
        """Itself, refused unless an object."""
        if not isinstance(self.value, dict):
            raise self.fail("an object")
        return self

    def __getitem__(self, key: str) -> "Entry":
        place = f"{self.place}.{key}".lstrip(".")
        if key not in self.any_object().value:
            raise EntryError(f"{place}: is missing")
        return Entry(self.value[key], place)

    def items(self, at_least: int = 0) -> list["Entry"]:
        """Return the entries of a list."""
        if not isinstance(self.value, list) or len(self.value) < at_least:
            raise self.fail(f"a list of at least {at_least}" if at_least else "a list")
        return [Entry(item, f"{self.place}[{i}]") for i, item in enumerate(self.value)]

    def text(self, *allowed: str) -> str:
        """Return a text, one of those allowed if any are given."""
        if not isinstance(self.value, str) or (allowed and self.value not in allowed):
            raise self.fail("one of " + ", ".join(allowed) if allowed else "a text")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.fail("true or false")
        return self.value

    def number(self, above: float | None = None, at_least: float | None = None) -> float:
        """Return a finite number, above or at least a limit."""
        value, limit = self.value, ""
        right = isinstance(value, int | float) and not isinstance(value, bool)
        right = right and abs(value) <= sys.float_info.max
        if above is not None:
            limit, right = f" above {above:g}", right and value > above
        if at_least is not None:
            limit, right = f" of at least {at_least:g}", right and value >= at_least
        if not right:
            raise self.fail(f"a number{limit}")
        return float(value)

    def vector(self, n: int = 3, above: float | None = None) -> Any:
        """Return a list of `n` numbers."""
        if not isinstance(self.value, list) or len(self.value) != n:
            raise self.fail(f"{n} numbers")
        return tuple(item.number(above=above) for item in self.items())
