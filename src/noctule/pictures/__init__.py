"""Pictures of paths on maps and of flights through scenes, drawn with matplotlib."""

from noctule.pictures.drawing import Picture, draw
from noctule.pictures.figures import require_matplotlib
from noctule.pictures.flights import flight_picture
from noctule.pictures.maps import picture

__all__ = ["Picture", "draw", "flight_picture", "picture", "require_matplotlib"]
