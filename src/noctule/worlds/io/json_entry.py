"""Entries of a scene file: values with their place in the file, and checked access to them."""

import json
import sys
from typing import Any

NOTES = ("about", "note", "notes", "certainty", "ideal_cycle", "checks", "units", "versions")


class EntryError(ValueError):
    """A wrong value; the message starts with its place in the file."""


class Entry:
    """A value of the file and its place, as in ``obstacles[3].motion``."""

    def __init__(self, value: Any, place: str) -> None:
        self.value, self.place = value, place

    def fail(self, expected: str) -> EntryError:
        """Return an error with the place, the value and the expectation."""
        shown = json.dumps(self.value)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return EntryError(f"{self.place or 'the file'}: is {shown}; expected {expected}")

    def has(self, key: str) -> bool:
        """Whether the key exists with a value other than null."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def object(self, *allowed: str) -> "Entry":
        """Return itself; raise EntryError unless it is an object with only these keys and notes."""
        for key in self.any_object().value:
            if key not in allowed and key not in NOTES:
                place = f"{self.place}.{key}".lstrip(".")
                raise EntryError(f"{place}: unknown; allowed are {', '.join(allowed)}")
        return self

    def any_object(self) -> "Entry":
        """Return itself; raise EntryError unless it is an object."""
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
        """Return a text; if `allowed` is given, it must be one of these."""
        if not isinstance(self.value, str) or (allowed and self.value not in allowed):
            raise self.fail("one of " + ", ".join(allowed) if allowed else "a text")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.fail("true or false")
        return self.value

    def number(self, above: float | None = None, at_least: float | None = None) -> float:
        """Return a finite number that respects the limit."""
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
        """Return `n` numbers as a tuple."""
        if not isinstance(self.value, list) or len(self.value) != n:
            raise self.fail(f"{n} numbers")
        return tuple(item.number(above=above) for item in self.items())
