"""`Menu`: a list of entries that is moved through with four keys and one to choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Entry:
    """A line of a menu.

    Attributes
    ----------
    label : function
        Returns its text.
    choose : function, optional
        What happens when it is chosen.
    change : function, optional
        What happens when it is moved to a side: -1 or 1.
    """

    label: Callable[[], str]
    choose: Callable[[], None] | None = None
    change: Callable[[int], None] | None = None


@dataclass
class Menu:
    """Entries, of which one is marked."""

    title: str
    entries: list[Entry] = field(default_factory=list)
    marked: int = 0

    def handle(self, action: str) -> bool:
        """Do what an action asks for; return whether it was one for a menu."""
        entry = self.entries[self.marked]
        if action in ("up", "down"):
            step = 1 if action == "down" else -1
            self.marked = (self.marked + step) % len(self.entries)
        elif action in ("left", "right"):
            if entry.change is not None:
                entry.change(1 if action == "right" else -1)
        elif action == "choose":
            if entry.choose is not None:
                entry.choose()
            elif entry.change is not None:
                entry.change(1)
        else:
            return False
        return True
