"""`Event`: what happened in a frame, for sounds, pictures and counts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Event(NamedTuple):
    """Something that happened.

    Attributes
    ----------
    what : str
        "fire", "empty", "swap", "reload"; "hit" (a shot hit something), "broken" (an asteroid),
        "killed" (an enemy, by a shot), "crashed" (an enemy, on an asteroid), "collided" (two
        enemies), "caught" (an enemy reached the player), "bumped" (the player hit an asteroid),
        "spawned", "wave", "over".
    position : array
        Where.
    size : float
        How large what was hit is.
    """

    what: str
    position: NDArray[np.float64]
    size: float = 1.0
