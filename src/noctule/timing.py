"""`Timing`: the options that only a search in time has."""

from dataclasses import dataclass

from noctule.core.validation import at_least, positive

LONGEST_WINDOW = 5.0  # seconds


@dataclass(frozen=True)
class Timing:
    """Options of `safe-intervals`, the search that plans in time.

    Parameters
    ----------
    window : float
        Seconds ahead in which moving bodies are avoided: more than 0, at most 5. Beyond it, only
        walls count.
    margin : float
        Seconds for which a cell must be free before and after the agent uses it.
    speed : float, optional
        Speed of the agent in units a second; that of the scene's agent unless given.
    smooth : bool
        Whether to shorten the path by straight lines at any angle. Otherwise it keeps to steps
        between cells.

    Raises
    ------
    ValueError
        If a value is out of range.

    Examples
    --------
    >>> import noctule as nt
    >>> nt.Timing(window=2.0)
    Timing(window=2.0, margin=0.1, speed=None, smooth=True)
    >>> nt.Timing(window=60)
    Traceback (most recent call last):
    ValueError: window is 60; it must be at most 5 seconds
    """

    window: float = 3.0
    margin: float = 0.1
    speed: float | None = None
    smooth: bool = True

    def __post_init__(self) -> None:
        if positive("window", self.window) > LONGEST_WINDOW:
            raise ValueError(
                f"window is {self.window:g}; it must be at most {LONGEST_WINDOW:g} seconds"
            )
        at_least(0, "margin", self.margin)
        if self.speed is not None:
            positive("speed", self.speed)
