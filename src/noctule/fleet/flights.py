"""`FleetFlight`: fly a fleet through its scene, frame by frame, and judge it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noctule.core.validation import positive
from noctule.fleet.fleet import Fleet
from noctule.fleet.judge import Contact, FleetJudge
from noctule.worlds.scene import Scene


@dataclass(frozen=True, eq=False)
class FleetResult:
    """Result of the flight of a fleet.

    Attributes
    ----------
    agents, arrived : int
        How many agents flew, and how many were at their goals at some time.
    contacts : list of Contact
        When which agent touched which body or agent.
    seconds : float
        Duration of the flight.
    travelled, ideal : float
        Lengths of all ways flown, and of the straight lines from starts to goals.
    step_ms : array
        Milliseconds of CPU time of each step.
    positions : array (frames + 1, agents, 3)
        Where all agents were.
    """

    agents: int
    arrived: int
    contacts: list[Contact]
    seconds: float
    travelled: float
    ideal: float
    step_ms: NDArray[np.float64]
    positions: NDArray[np.float64]

    @property
    def agent_contacts(self) -> int:
        """Number of contacts between agents."""
        return sum(not isinstance(contact.other, str) for contact in self.contacts)

    @property
    def body_contacts(self) -> int:
        """Number of contacts with bodies."""
        return len(self.contacts) - self.agent_contacts

    def summary(self) -> dict[str, Any]:
        """Return the result as numbers."""
        p50, p99 = np.percentile(self.step_ms, (50, 99)).tolist()
        return {
            "agents": self.agents,
            "arrived": self.arrived,
            "agent_contacts": self.agent_contacts,
            "body_contacts": self.body_contacts,
            "seconds": self.seconds,
            "travelled": self.travelled,
            "ideal": self.ideal,
            "step_ms": {"p50": p50, "p99": p99, "max": float(self.step_ms.max())},
        }


class FleetFlight:
    """Flies a fleet until all agents have been at their goals, or time is up.

    Parameters
    ----------
    fleet : Fleet
        The fleet; its agents have goals.
    start : float
        The time at the start.
    limit : float
        Seconds after which the flight ends.
    any_arrival : bool
        Whether the first arrival ends the flight: a target is caught.
    """

    def __init__(
        self, fleet: Fleet, start: float = 0.0, limit: float = 60.0, any_arrival: bool = False
    ) -> None:
        self.fleet, self.start = fleet, start
        self.limit, self._any = positive("limit", limit), any_arrival
        self.judge = FleetJudge(fleet.graph)

    @property
    def scene(self) -> Scene:
        """The world."""
        return self.fleet.scene

    def run(self) -> FleetResult:
        """Fly to the end."""
        *_, last = self.frames()
        assert isinstance(last, FleetResult)
        return last

    def frames(self) -> Iterator[NDArray[np.float64] | FleetResult]:
        """Fly, and yield the positions of all agents after each frame; the result comes last."""
        fleet, frame = self.fleet, self.fleet.frame
        radius = np.array([agent.radius for agent in fleet.agents])
        numbers = [agent.number for agent in fleet.agents]
        flown, times = [self._positions()], []
        there: set[int] = set()
        ideal = math.nan
        before: NDArray[np.float64] | None = None
        for k in range(math.ceil(self.limit / frame - 1e-9)):
            now = self.start + k * frame
            began = thread_time()
            fleet.step(now)
            times.append(1e3 * (thread_time() - began))
            if before is not None:  # the bodies have moved; so have the agents, in the last frame
                self.judge.frame(now, before, numbers, flown[-2], flown[-1], radius)
            else:
                goals = [(a.position, a._there) for a in fleet.agents if a._there is not None]
                ideal = sum(math.dist(p, q) for p, q in goals)
            before = fleet.graph.poses.copy()
            there |= {agent.number for agent in fleet.agents if agent.arrived}
            if len(there) == len(numbers) or (self._any and there):
                break
            fleet.fly()
            flown.append(self._positions())
            yield flown[-1]
        positions = np.array(flown)
        travelled = float(np.linalg.norm(np.diff(positions, axis=0), axis=2).sum())
        yield FleetResult(
            len(numbers),
            len(there),
            self.judge.contacts,
            (len(flown) - 1) * frame,
            travelled,
            ideal,
            np.array(times),
            positions,
        )

    def _positions(self) -> NDArray[np.float64]:
        return np.array([agent.position for agent in self.fleet.agents]).reshape(-1, 3)
