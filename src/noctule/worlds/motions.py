"""Motions of bodies: each returns a pose for any time.

A motion has no state, so scenes can be moved to any time. The one exception is a gate (`Blink`),
which an agent can hold: its body stores when it toggled.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from noctule.core.validation import at_least, finite_point, is_number, positive
from noctule.worlds.geometry.rotations import (
    Quaternion,
    Vector,
    compose,
    normalised,
    rotation_about,
)
from noctule.worlds.tracks import PolylineTrack, SteppedTrack

Pose = tuple[Vector, Quaternion]


class Motion(Protocol):
    """Interface of a motion."""

    def pose(self, t: float, home: Pose) -> Pose:
        """Return position and rotation at time `t` (seconds); `home` is the initial pose."""
        ...


def as_vector(name: str, value: Any) -> Vector:
    """Convert to three finite numbers; raise a ValueError that gives `name` if impossible."""
    x, y, z = finite_point(name, value, 3).tolist()
    return (x, y, z)


def as_quaternion(name: str, value: Any) -> Quaternion:
    """Convert to a unit quaternion (x, y, z, w); raise a ValueError that gives `name` if not."""
    x, y, z, w = finite_point(name, value, 4).tolist()
    if math.hypot(x, y, z, w) < 1e-6:
        raise ValueError(f"{name} is {value!r}; a quaternion has a length above 0")
    return normalised((x, y, z, w))


class Still:
    """No motion: the home pose at all times."""

    def pose(self, t: float, home: Pose) -> Pose:
        """Return the home pose."""
        return home


class Patrol:
    """Endless flight from target to target; turns to the next one shortly before each.

    Parameters
    ----------
    targets : sequence of points
        Cyclic sequence of positions. The flight starts at the home position, towards the first.
    speed : float
        World units per second.
    arrive_within : float
        Distance from a target (world units) at which it turns to the next.
    frame : float, optional
        Seconds. Default: continuous motion. If given, the body moves and turns only once per frame,
        as in the theses.
    """

    def __init__(
        self,
        targets: Sequence[Any],
        speed: float,
        arrive_within: float = 0.5,
        frame: float | None = None,
    ) -> None:
        if not len(targets):
            raise ValueError("targets are empty; a patrol has at least one")
        self.targets = [as_vector("target", target) for target in targets]
        self.speed = positive("speed", speed)
        self.arrive_within = at_least(0, "arrive_within", arrive_within)
        self.frame = None if frame is None else positive("frame", frame)
        self._tracks: dict[Vector, PolylineTrack | SteppedTrack] = {}

    def pose(self, t: float, home: Pose) -> Pose:
        """Return the pose at time `t`."""
        return self.track(home[0]).at(t), home[1]

    def track(self, home: Vector) -> PolylineTrack | SteppedTrack:
        """Return the positions over time, from this home position."""
        track = self._tracks.get(home)
        if track is None:
            track = self._tracks[home] = self._new_track(home)
        return track

    def with_frame(self, frame: float) -> "Patrol":
        """Return the same patrol, moving once per frame (seconds)."""
        return Patrol(self.targets, self.speed, self.arrive_within, frame)

    def coverage_time(self, home: Vector) -> float:
        """Return the time (seconds) after which it visits no new position."""
        return self._knots(home)[0][-1][0]

    def turning_points(self, home: Vector) -> tuple[list[Vector], float]:
        """Return the turning points of its final cycle, and the period (seconds)."""
        knots, cycle, _ = self._knots(home)
        last = knots[cycle:]
        return [p for _, p in last[1:]], last[-1][0] - last[0][0]

    def _new_track(self, home: Vector) -> PolylineTrack | SteppedTrack:
        if self.frame is not None:
            return SteppedTrack(home, self.targets, self.speed, self.arrive_within, self.frame)
        knots, cycle, moves = self._knots(home)
        return PolylineTrack(knots, cycle if moves else None)

    def _knots(self, home: Vector) -> tuple[list[tuple[float, Vector]], int, bool]:
        """Return times and positions of turns, the index where the cycle starts, and if it moves.

        Each turning point lies on the line from the last one to the target, so the first rounds
        differ. They converge quickly: the first round that repeats the one before is the cycle.
        """
        knots = [(0.0, home)]
        starts: list[int] = []
        for _ in range(200):
            starts.append(len(knots) - 1)
            for target in self.targets:
                time, position = knots[-1]
                left = math.dist(position, target) - self.arrive_within
                if left > 0:
                    part = left / (left + self.arrive_within)
                    turn = tuple(p + part * (q - p) for p, q in zip(position, target, strict=True))
                    knots.append((time + left / self.speed, (turn[0], turn[1], turn[2])))
            if len(knots) - 1 == starts[-1]:
                return knots, len(knots) - 1, False  # it has come to rest
            if math.dist(knots[-1][1], knots[starts[-1]][1]) < 1e-12:
                return knots, starts[-1], True
        return knots, starts[-1], True


class Turn:
    """Rotation at a constant rate (degrees per second) about an axis through the origin."""

    def __init__(self, axis: Any, rate: float) -> None:
        self.axis = as_vector("axis", axis)
        if math.hypot(*self.axis) == 0:
            raise ValueError(f"axis is {self.axis}; it must have a length above 0")
        self.rate = _finite("rate", rate)  # degrees per second

    def pose(self, t: float, home: Pose) -> Pose:
        """Return the home position with the rotation at time `t`."""
        position, rotation = home
        return position, compose(
            rotation, rotation_about(self.axis, math.fmod(self.rate * t, 360.0))
        )


class Drift:
    """Constant velocity (world units per second), and rotation as in `Turn`."""

    def __init__(self, velocity: Any, axis: Any = (0, 0, 1), rate: float = 0.0) -> None:
        self.velocity = as_vector("velocity", velocity)
        self._turn = Turn(axis, rate)
        self.rate = self._turn.rate

    def pose(self, t: float, home: Pose) -> Pose:
        """Return the pose at time `t`."""
        (x, y, z), rotation = self._turn.pose(t, home)
        vx, vy, vz = self.velocity
        return (x + t * vx, y + t * vy, z + t * vz), rotation


class Way:
    """Flight through points at a constant speed (world units per second).

    `then` is "again" (a closed loop), "back" (to and fro) or "stay" (once).
    """

    def __init__(self, points: Sequence[Any], speed: float, then: str = "again") -> None:
        if len(points) < 2:
            raise ValueError(f"points are {len(points)}; a way has at least 2")
        if then not in ("again", "back", "stay"):
            raise ValueError(f"then is {then!r}; allowed are 'again', 'back' and 'stay'")
        self.points = [as_vector("point", point) for point in points]
        self.speed = positive("speed", speed)
        self.then = then
        stops = list(self.points)
        if then == "again":
            stops.append(stops[0])
        elif then == "back":
            stops += stops[-2::-1]
        knots = [(0.0, stops[0])]
        for stop in stops[1:]:
            time, place = knots[-1]
            if stop != place:
                knots.append((time + math.dist(place, stop) / self.speed, stop))
        self.duration = knots[-1][0]  # of one round, in seconds
        self._track = PolylineTrack(knots, None if then == "stay" else 0)

    def pose(self, t: float, home: Pose) -> Pose:
        """Return the pose at time `t`; the home position is ignored."""
        return self._track.at(t), home[1]

    def track(self, home: Vector) -> PolylineTrack:
        """Return the positions over time; the home position is ignored."""
        return self._track


class Blink:
    """A gate: present for half a period (seconds), then absent for half a period.

    While the centre of the agent is inside `hold_box` (low and high corner) the gate does not
    toggle. If it is overdue, it toggles as soon as the agent has left, and the timer restarts.
    """

    def __init__(
        self, half_period: float, present: bool = True, hold_box: tuple[Any, Any] | None = None
    ) -> None:
        self.half_period = positive("half_period", half_period)
        self.present_at_start = bool(present)
        self.hold_box = None
        if hold_box is not None:
            low, high = (as_vector("hold_box", corner) for corner in hold_box)
            if not all(a < b for a, b in zip(low, high, strict=True)):
                raise ValueError(f"hold_box is {low} to {high}; the second must be the higher")
            self.hold_box = low, high

    def pose(self, t: float, home: Pose) -> Pose:
        """Return the home pose."""
        return home

    def present(self, t: float, since: float = 0.0) -> bool:
        """Whether it is present, if its timer started at `since` in its first state."""
        return self.present_at_start == (math.floor((t - since) / self.half_period) % 2 == 0)

    def holds(self, agent: Vector) -> bool:
        """Whether an agent at this position is in the hold box."""
        if self.hold_box is None:
            return False
        (ax, ay, az), (bx, by, bz) = self.hold_box
        x, y, z = agent
        return ax < x < bx and ay < y < by and az < z < bz


class Call:
    """A user function of time that returns a position, or a position and a rotation."""

    def __init__(self, function: Callable[[float], Any]) -> None:
        self.function = function

    def pose(self, t: float, home: Pose) -> Pose:
        """Return the result of the function; raise ValueError if it is no pose."""
        name = getattr(self.function, "__name__", "function")
        value = self.function(t)
        try:
            if len(value) == 2:
                position, rotation = value
            else:
                position, rotation = value, home[1]
            return as_vector("position", position), as_quaternion("rotation", rotation)
        except (TypeError, ValueError) as problem:
            raise ValueError(
                f"motion {name}({t:g}) returned {value!r}; expected a position of 3 numbers, "
                f"or a position and a quaternion of 4 ({problem})"
            ) from None


def _finite(name: str, value: Any) -> float:
    if not is_number(value) or not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}; it must be a finite number")
    return float(value)


def top_speed(motion: Motion) -> float:
    """Return the highest speed of the origin of a body (world units/s); infinite if unknown."""
    if isinstance(motion, Patrol):
        return motion.speed if motion.frame is None else math.inf  # it jumps once per frame
    if isinstance(motion, Way):
        return motion.speed
    if isinstance(motion, Drift):
        return math.hypot(*motion.velocity)
    return 0.0 if isinstance(motion, Still | Turn | Blink) else math.inf
