"""`Controls`: what the pilot does in a frame, whatever device it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Controls:
    """The state of all controls of the ship in one frame.

    Attributes
    ----------
    yaw, pitch : float
        From -1 to 1: turn to the right, raise the nose.
    look_x, look_y : float
        From -1 to 1: look to the right, look up.
    boost, brake, fire : bool
        Whether these are held.
    swap, reload : bool
        Whether these were pressed in this frame.
    """

    yaw: float = 0.0
    pitch: float = 0.0
    look_x: float = 0.0
    look_y: float = 0.0
    boost: bool = False
    brake: bool = False
    fire: bool = False
    swap: bool = False
    reload: bool = False


NEUTRAL = Controls()
