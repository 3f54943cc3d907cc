"""Pictures of paths on maps and of flights through scenes; drawn with matplotlib."""

from noctule.pictures.flights import flight_picture
from noctule.pictures.maps import picture, require_matplotlib

__all__ = ["flight_picture", "picture", "require_matplotlib"]
