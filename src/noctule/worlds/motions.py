"""How bodies move: each motion gives a pose for any time.

A motion never looks at the past, so scenes can be moved to any moment. The one exception is a gate
that waits for the agent to leave (`Blink`): what it waited is kept by the body, not here.
"""

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from noctule.core.validation import at_least, finite_point, is_number, positive
from noctule.worlds.geometry.rotations import Quaternion, Vector, about, after, normalised

Pose = tuple[Vector, Quaternion]


class Motion(Protocol):
    """Where a body is at a time, given the pose that it was made with."""

    def pose(self, t: float, home: Pose) -> Pose:
        """Position and rotation at time `t`."""
        ...


def as_vector(name: str, value: Any) -> Vector:
    """Three finite numbers, or an error that names them."""
    x, y, z = finite_point(name, value, 3).tolist()
    return (x, y, z)


def as_quaternion(name: str, value: Any) -> Quaternion:
    """Four finite numbers (x, y, z, w) made to length 1, or an error that names them."""
    x, y, z, w = finite_point(name, value, 4).tolist()
    if math.hypot(x, y, z, w) < 1e-6:
        raise ValueError(f"{name} is {value!r}; a quaternion has a length above 0")
    return normalised((x, y, z, w))


class Still:
    """Stays where it was made."""

    def pose(self, t: float, home: Pose) -> Pose:
        """The home pose."""
        return home


class Patrol:
    """Flies to one target after the other, for ever, and turns a little before each.

    Parameters
    ----------
    targets : sequence of points
        Where to fly, in a circle; the first one first, from the home pose.
    speed : float
        Units a second.
    arrive_within : float
        How near to a target it turns to the next.
    frame : float, optional
        Seconds. Without it, motion is continuous. With it, the body moves once a frame and looks
        where it is only then, as in the theses: it turns up to a frame's way later.
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
        self._tracks: dict[Vector, _Track | _Steps] = {}

    def pose(self, t: float, home: Pose) -> Pose:
        """On the way between two turning points."""
        position, rotation = home
        track = self._tracks.get(position)
        if track is None:
            track = self._tracks[position] = self._track(position)
        return track.at(t), rotation

    def stepped(self, frame: float) -> "Patrol":
        """The same patrol, moving once a frame."""
        return Patrol(self.targets, self.speed, self.arrive_within, frame)

    def settled(self, home: Vector) -> float:
        """Seconds after which it has been everywhere that it will be."""
        return self._knots(home)[0][-1][0]

    def turns(self, home: Vector) -> tuple[list[Vector], float]:
        """The turning points of the cycle that it ends up in, and the time of a cycle."""
        knots, begins, _ = self._knots(home)
        last = knots[begins:]
        return [p for _, p in last[1:]], last[-1][0] - last[0][0]

    def _track(self, home: Vector) -> "_Track | _Steps":
        if self.frame is not None:
            return _Steps(self, home)
        knots, begins, moves = self._knots(home)
        return _Track(knots, begins if moves else None)

    def _knots(self, home: Vector) -> tuple[list[tuple[float, Vector]], int, bool]:
        """Times and places of turns, where the cycle begins in the list, and if there is one.

        Each turn lies on the line from the last one to the target, so the first rounds differ;
        the differences shrink quickly, and when a round repeats the one before, it is the cycle.
        """
        knots = [(0.0, home)]
        starts: list[int] = []
        for _ in range(200):
            starts.append(len(knots) - 1)
            for target in self.targets:
                time, position = knots[-1]
                left = math.dist(position, target) - self.arrive_within
                if left > 0:
                    way = left / (left + self.arrive_within)
                    turn = tuple(p + way * (q - p) for p, q in zip(position, target, strict=True))
                    knots.append((time + left / self.speed, (turn[0], turn[1], turn[2])))
            if len(knots) - 1 == starts[-1]:
                return knots, len(knots) - 1, False  # it has come to rest
            if math.dist(knots[-1][1], knots[starts[-1]][1]) < 1e-12:
                return knots, starts[-1], True
        return knots, starts[-1], True


class _Track:
    """Straight ways between knots, the last ones again and again."""

    def __init__(self, knots: list[tuple[float, Vector]], cycle: int | None) -> None:
        self._times = [time for time, _ in knots]
        self._places = [place for _, place in knots]
        self._start = self._times[-1] if cycle is None else self._times[cycle]
        self._period = self._times[-1] - self._start

    def at(self, t: float) -> Vector:
        """The place at a time; before time 0, where it all began."""
        if t >= self._times[-1]:
            t = self._start + (math.fmod(t - self._start, self._period) if self._period else 0.0)
        i = bisect.bisect_right(self._times, t)
        if i == 0:
            return self._places[0]
        if i == len(self._times):
            return self._places[-1]
        part = (t - self._times[i - 1]) / (self._times[i] - self._times[i - 1])
        (ax, ay, az), (bx, by, bz) = self._places[i - 1], self._places[i]
        return (ax + part * (bx - ax), ay + part * (by - ay), az + part * (bz - az))


class _Steps:
    """A patrol that moves once a frame; the places of all frames so far are kept."""

    def __init__(self, patrol: Patrol, home: Vector) -> None:
        assert patrol.frame is not None
        self._patrol, self._frame = patrol, patrol.frame
        self._places, self._target = [home], 0

    def at(self, t: float) -> Vector:
        """The place in the frame that a time belongs to."""
        n = max(0, math.floor(t / self._frame + 1e-9))
        while len(self._places) <= n:
            self._step()
        return self._places[n]

    def _step(self) -> None:
        patrol, here = self._patrol, self._places[-1]
        target = patrol.targets[self._target]
        left = math.dist(here, target)
        part = min(1.0, patrol.speed * self._frame / left) if left > 0 else 1.0
        x, y, z = (p + part * (q - p) for p, q in zip(here, target, strict=True))
        self._places.append((x, y, z))
        if math.dist((x, y, z), target) <= patrol.arrive_within:
            self._target = (self._target + 1) % len(patrol.targets)


class Turn:
    """Turns evenly about an axis of its own through its origin."""

    def __init__(self, axis: Any, rate: float) -> None:
        self.axis = as_vector("axis", axis)
        if math.hypot(*self.axis) == 0:
            raise ValueError(f"axis is {self.axis}; it must have a length above 0")
        self.rate = _finite("rate", rate)  # degrees a second

    def pose(self, t: float, home: Pose) -> Pose:
        """The same place, turned."""
        position, rotation = home
        return position, after(rotation, about(self.axis, math.fmod(self.rate * t, 360.0)))


class Drift:
    """Flies straight on, turning about an axis if it has a rate."""

    def __init__(self, velocity: Any, axis: Any = (0, 0, 1), rate: float = 0.0) -> None:
        self.velocity = as_vector("velocity", velocity)
        self._turn = Turn(axis, rate)
        self.rate = self._turn.rate

    def pose(self, t: float, home: Pose) -> Pose:
        """Moved on from home, turned."""
        (x, y, z), rotation = self._turn.pose(t, home)
        vx, vy, vz = self.velocity
        return (x + t * vx, y + t * vy, z + t * vz), rotation


class Way:
    """Flies evenly through points: round and round, to and fro, or once."""

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
        self.duration = knots[-1][0]  # of one round
        self._track = _Track(knots, None if then == "stay" else 0)

    def pose(self, t: float, home: Pose) -> Pose:
        """On the way; the home position does not matter."""
        return self._track.at(t), home[1]


class Blink:
    """A gate: present for half a period, then absent for as long.

    While the agent's centre is inside `hold_box` (its low and high corner) the gate neither comes
    nor goes; it does so as soon as the agent has left, and the timer starts anew.
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
        """A gate stays where it is."""
        return home

    def present(self, t: float, since: float = 0.0) -> bool:
        """Whether it is there, if the timer that counts started at `since` with the gate so."""
        return self.present_at_start == (math.floor((t - since) / self.half_period) % 2 == 0)

    def holds(self, agent: Vector) -> bool:
        """Whether an agent there keeps it as it is."""
        if self.hold_box is None:
            return False
        (ax, ay, az), (bx, by, bz) = self.hold_box
        x, y, z = agent
        return ax < x < bx and ay < y < by and az < z < bz


class Call:
    """Where a function of the user says: a position, or a position and a rotation."""

    def __init__(self, function: Callable[[float], Any]) -> None:
        self.function = function

    def pose(self, t: float, home: Pose) -> Pose:
        """What the function returns, refused unless it is a pose."""
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
