"""Options of missions: the file, and where the world is on the earth."""

from dataclasses import dataclass
from pathlib import Path as File
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from noctule.commands.maps.units import read_numbers

if TYPE_CHECKING:
    from noctule.path import Path

MISSION = Group("Missions", sort_key=4)

Home = Annotated[
    str | None,
    Parameter(
        help="Latitude, longitude, altitude of the world's origin, like 48.1,11.5,520.",
        group=MISSION,
        allow_leading_hyphen=True,
    ),
]
Heading = Annotated[
    float,
    Parameter(help="Direction of the y axis in degrees, clockwise from north.", group=MISSION),
]


def read_home(text: str | None) -> list[float] | None:
    """Parse --home."""
    return None if text is None else read_numbers("--home", text, 3, False)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class MissionOptions:
    """Where a path is saved, and what autopilots need to know."""

    out: Annotated[
        File | None,
        Parameter(
            help="Save the path: .plan, .waypoints, .mcap, .yaml, .geojson, .kml, .gpx, .csv, "
            ".ply or .glb.",
            group=MISSION,
        ),
    ] = None
    home: Home = None
    heading: Heading = 0.0
    altitude: Annotated[
        Literal["relative", "absolute"],
        Parameter(help="Altitudes for autopilots: above home, or absolute.", group=MISSION),
    ] = "relative"
    speed: Annotated[
        float | None, Parameter(help="Speed for autopilots, in metres a second.", group=MISSION)
    ] = None

    def check(self) -> None:
        """Refuse a file that could not be written, before the search."""
        if self.out is not None:
            from noctule.commands.shared.options import check_file
            from noctule.missions.load import ON_EARTH, WITH_HOME
            from noctule.missions.save import SUFFIXES

            check_file("--out", self.out, *SUFFIXES)
            on_earth = self.out.suffix.lower() in (*ON_EARTH, *WITH_HOME)
            if read_home(self.home) is None and on_earth:
                raise ValueError(
                    f"--home is missing; {self.out.suffix} files need the latitude, longitude "
                    f"and altitude of the origin of the world, like --home 48.1,11.5,520"
                )

    def save(self, path: "Path", up: str) -> None:
        """Save the path, if a file was named."""
        if self.out is not None:
            axis: Any = "y" if up == "y" else "z"
            path.save(
                self.out,
                home=read_home(self.home),
                heading=self.heading,
                altitude=self.altitude,
                speed=self.speed,
                up=axis,
            )
