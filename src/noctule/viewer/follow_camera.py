"""`Follower`: a camera that flies with the agent, and moves to where it can see it."""

import itertools
from collections.abc import Callable
from typing import Any

from noctule.viewer.page_base import Array, Shot, aimed, direction

FIRST = -20.0, 32.0  # turn and tilt that it begins with
TURNS, TILTS = range(-180, 180, 30), (8, 32, 56, 80)
EASE = 0.2  # of the way to a better place, in an update


class Follower:
    """Keeps looking from where it is until something hides the agent.

    Parameters
    ----------
    distance : float
        How far from the agent to stay.
    hidden : function
        Whether something is between two points.
    """

    def __init__(self, distance: float, hidden: Callable[[Any, Any], bool]) -> None:
        self._distance, self._hidden = distance, hidden
        self._is = self._wanted = direction(*FIRST)

    def shot(self, agent: Any) -> Shot:
        """Where the camera is in the next picture."""
        if self._is_hidden(agent, self._wanted):
            self._wanted = self._better(agent)
        on_the_way = self._is + EASE * (self._wanted - self._is)
        self._is = on_the_way / max(float((on_the_way @ on_the_way) ** 0.5), 1e-9)
        return aimed(agent, self._distance * self._is)

    def _better(self, agent: Any) -> Array:
        """The nearest direction that sees the agent; the same if there is none."""
        others = [direction(*angles) for angles in itertools.product(TURNS, TILTS)]
        others.sort(key=lambda other: -float(other @ self._wanted))
        seeing = (other for other in others if not self._is_hidden(agent, other))
        return next(seeing, self._wanted)

    def _is_hidden(self, agent: Any, towards: Array) -> bool:
        return self._hidden(agent, agent + self._distance * towards)
