"""`Fleet`: many agents in one scene that avoid its bodies and one another."""

from __future__ import annotations

import math
from collections.abc import Iterable
from time import perf_counter
from typing import Any, Unpack

import numpy as np

from noctule.core.manifest import flight_group
from noctule.core.preparation import prepare
from noctule.core.validation import PointLike, positive, show
from noctule.fleet.agents import FleetAgent, Goal, place_of, size_of
from noctule.fleet.avoidance import Avoidance, towards
from noctule.fleet.hunting import Hunt, SharedField, Tactic
from noctule.fleet.planning import FleetPlanning, deadline_of, first_corner
from noctule.fleet.surroundings import ForecastPoses
from noctule.flight.corridor import Point
from noctule.flight.forecast.placed_bodies import PlacedBodies
from noctule.flight.step import Step
from noctule.graphs.grid.scene_grid import CellGrid
from noctule.graphs.scene_graphs import SceneGraph, graph_of
from noctule.planning.search_options import SearchOptions, named_options
from noctule.registry import find_algorithm
from noctule.worlds.bodies import Body
from noctule.worlds.scene import Scene

DENSEST = 0.5  # part of the space that the balls of the agents may fill
ASIDE = 0.01  # of the speed; agents that face each other leave the line between them
GOLDEN = math.pi * (3.0 - math.sqrt(5.0))


class Fleet:
    """Many agents that fly to their goals through one scene, and avoid bodies and one another.

    Parameters
    ----------
    scene : Scene
        The world. It needs no agent and no destination of its own.
    graph : str or graph, optional
        "cells", "hybrid", or a graph that was made of the scene; cells without the safety shapes
        of bodies unless given.
    algorithm : str
        One of `algorithms()` that does not plan in time.
    budget_ms : float, optional
        Plan for so many milliseconds in a step at most; the agents that need it most come first.
        Without a budget, the same calls give the same results.
    frame : float
        Seconds from step to step.
    prediction : bool
        Whether to plan around the cells that bodies are about to touch.
    avoidance : "checked" or "orca"
        With "orca", for comparison: agents do not plan but fly straight at their goals, and take
        velocities as the linear program gives them, unchecked.
    **search
        Options of the search, as in `plan`; `radius` is that of each agent.

    Attributes
    ----------
    scene : Scene
        The world.
    graph : CellGrid
        Its graph.
    agents : list of FleetAgent
        The agents, in the order in which they were added.

    Examples
    --------
    >>> import noctule as nt
    >>> scene = nt.Scene(nt.Space((0, 0, 0), (20, 8, 8)))
    >>> scene.add(nt.Body("rock", nt.Ball(2.0), position=(10, 4, 4)))
    >>> fleet = nt.Fleet(scene)
    >>> there = fleet.add((1, 4, 4), goal=(19, 4, 4))
    >>> back = fleet.add((19, 4, 4), goal=(1, 4, 4))
    >>> for frame in range(360):
    ...     steps = fleet.step(frame * fleet.frame)
    ...     fleet.fly()
    >>> there.arrived, back.arrived
    (True, True)
    """

    @named_options
    def __init__(
        self,
        scene: Scene,
        graph: SceneGraph | str | None = None,
        *,
        algorithm: str = "lazy-theta*",
        budget_ms: float | None = None,
        frame: float = 1 / 60,
        prediction: bool = True,
        avoidance: str = "checked",
        **search: Unpack[SearchOptions],
    ) -> None:
        if not isinstance(scene, Scene):
            raise ValueError(f"scene is {scene!r}; expected a noctule.Scene")
        found = CellGrid(scene, safety=False) if graph is None else graph_of(scene, graph)
        if not isinstance(found, CellGrid):
            raise ValueError(f"graph is {graph!r}; a fleet works on cells and hybrid")
        if avoidance not in ("checked", "orca"):
            raise ValueError(f"avoidance is {avoidance!r}; allowed are 'checked' and 'orca'")
        self._plans = avoidance == "checked"
        self.scene, self.graph = scene, found
        self.frame = positive("frame", frame)
        deadline_of(budget_ms)
        self.budget_ms = budget_ms
        self.agents: list[FleetAgent] = []
        self._numbers = 0
        self._hunts: list[Hunt] = []
        prepare(flight_group(find_algorithm(algorithm).name, "fleet"))
        placed = PlacedBodies(found)
        self._planning = FleetPlanning(
            found, algorithm, placed, bool(prediction), self.frame, search
        )
        self._avoidance = Avoidance(found, ForecastPoses(found, placed), not self._plans)

    def __repr__(self) -> str:
        return f"Fleet({len(self.agents)} agents in {self.scene.name!r})"

    def add(
        self,
        position: PointLike,
        goal: Goal = None,
        *,
        radius: float | None = None,
        speed: float | None = None,
        max_acceleration: float | None = None,
        max_turn_rate: float | None = None,
        arrive_within: float | None = None,
    ) -> FleetAgent:
        """Add an agent.

        Parameters
        ----------
        position : sequence of float
            Where it is, in world units.
        goal : point, function of time, FleetAgent, Body or None
            Where it is to go; None to stay, and give way to others.
        radius, speed : float, optional
            Its size and highest speed; those of the scene's agent, or 0.45 and 4, unless given.
        max_acceleration : float, optional
            World units a second squared; unlimited unless given.
        max_turn_rate : float, optional
            Degrees a second; unlimited unless given.
        arrive_within : float, optional
            So near to its goal it has arrived; its radius unless given.

        Returns
        -------
        FleetAgent
            The agent.

        Examples
        --------
        >>> import noctule as nt
        >>> fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (9, 9, 9))))
        >>> prey = fleet.add((1, 1, 1), goal=(8, 8, 1))
        >>> hunter = fleet.add((5, 8, 8), goal=prey, speed=5.0)
        >>> len(fleet.agents)
        2
        """
        own = self.scene._agent
        agent = FleetAgent(
            self._numbers,
            position,
            goal,
            radius if radius is not None else own.radius if own is not None else 0.45,
            speed if speed is not None else own.speed if own is not None else 4.0,
            max_acceleration,
            max_turn_rate,
            arrive_within,
        )
        space = self.scene.space
        inside = zip(space.origin, agent.position, space.high, strict=True)
        if not all(low <= v <= high for low, v, high in inside):
            raise ValueError(
                f"position {show(agent.position)} lies outside the space, "
                f"which spans {show(space.origin)} to {show(space.high)}"
            )
        room = math.prod(space.cells) * space.cell**3
        balls = sum(4 / 3 * math.pi * other.radius**3 for other in (*self.agents, agent))
        if balls > DENSEST * room:
            raise ValueError(
                f"{len(self.agents) + 1} agents fill {100 * balls / room:.0f} % of the space; "
                f"at most {100 * DENSEST:.0f} % is allowed"
            )
        self._planning.join(agent)
        self._numbers += 1
        self.agents.append(agent)
        return agent

    def remove(self, agent: FleetAgent) -> None:
        """Remove an agent; others that have it as their goal stay where they are.

        Parameters
        ----------
        agent : FleetAgent
            An agent of this fleet.

        Raises
        ------
        ValueError
            If it is none.

        Examples
        --------
        >>> import noctule as nt
        >>> fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (9, 9, 9))))
        >>> fleet.remove(fleet.add((1, 1, 1)))
        >>> fleet.agents
        []
        """
        if not any(agent is other for other in self.agents):
            raise ValueError(f"{agent!r} is no agent of this fleet")
        self.agents = [other for other in self.agents if other is not agent]

    def warm_up(self) -> None:
        """Compile, or load, all kernels that a step may need, so that no step has to.

        Call it when the first agents have been added.
        """
        frame, agents = (
            self.frame,
            self.agents or [FleetAgent(-1, self.graph.origin, None, 1.0, 1.0, None, None, None)],
        )
        wanted = np.zeros((len(agents), 3))
        self._avoidance.velocities(agents, wanted, frame, [-1] * len(agents))
        self._planning.warm_up(self.agents)

    def step(self, now: float) -> list[Step]:
        """Update the world, plan for the agents that need it most, and choose all velocities.

        Parameters
        ----------
        now : float
            The time; bodies of the scene are moved there.

        Returns
        -------
        list of Step
            One for each of `agents`, in their order: where to fly, and how fast. `path` is that of
            the last plan; `FleetAgent.path` is what is left of it.
        """
        began = perf_counter()
        deadline = deadline_of(self.budget_ms)
        self.graph.update(now, np.array([a.position for a in self.agents]).reshape(-1, 3))
        self._planning.observe()
        self._hunts = [hunt for hunt in self._hunts if self._goes_on(hunt)]
        for hunt in self._hunts:
            hunt.look(now)
        for agent in self.agents:
            self._look_for_goal(agent, now)
        if self._plans:
            for hunt in self._hunts:
                hunt.update_field(now)
            self._planning.plan(self.agents, deadline)
        if not self.agents:
            return []
        wanted = np.array([self._wanted(agent) for agent in self.agents])
        spared = [self._number_of(agent.goal) for agent in self.agents]
        chosen = self._avoidance.velocities(self.agents, wanted, self.frame, spared)
        seconds = perf_counter() - began
        for agent, velocity in zip(self.agents, chosen.tolist(), strict=True):
            self._report(agent, tuple(velocity), seconds)
        return [agent.step for agent in self.agents]

    def fly(self, seconds: float | None = None) -> None:
        """Move all agents as their last steps say.

        Parameters
        ----------
        seconds : float, optional
            How long; a frame unless given. Velocities are chosen for one frame.
        """
        seconds = self.frame if seconds is None else positive("seconds", seconds)
        for agent in self.agents:
            x, y, z = (p + seconds * v for p, v in zip(agent.position, agent.velocity, strict=True))
            agent.position = (x, y, z)

    def hunt(
        self,
        agents: Iterable[FleetAgent],
        target: Goal,
        tactic: Tactic = "chase",
        share: bool = False,
    ) -> None:
        """Let several agents hunt one target.

        The hunt ends for an agent that gets another goal. An agent that has caught the target has
        `arrived`.

        Parameters
        ----------
        agents : iterable of FleetAgent
            The hunters.
        target : point, function of time, FleetAgent or Body
            What they hunt.
        tactic : "chase", "intercept" or "surround"
            Fly to where the target is; to where an agent meets it if it keeps its velocity; or
            come from all sides, and close in together.
        share : bool
            Whether hunters that do not see the target follow one `DistanceField` instead of
            searching one by one. It pays off for many hunters in narrow worlds.

        Examples
        --------
        >>> import noctule as nt
        >>> fleet = nt.Fleet(nt.Scene(nt.Space((0, 0, 0), (20, 9, 9))))
        >>> prey = fleet.add((10, 4, 4), goal=(18, 4, 4), speed=2.0)
        >>> hunters = [fleet.add((1, y, 4)) for y in (1, 4, 7)]
        >>> fleet.hunt(hunters, prey, "intercept")
        >>> while not any(hunter.arrived for hunter in hunters):
        ...     steps = fleet.step(fleet.scene.time + fleet.frame)
        ...     fleet.fly()
        >>> round(fleet.scene.time)
        4
        """
        hunters = list(agents)
        for agent in hunters:
            if not any(agent is other for other in self.agents):
                raise ValueError(f"{agent!r} is no agent of this fleet")
        if target is None:
            raise ValueError("target is None; expected a point, function, FleetAgent or Body")
        hunt = Hunt(hunters, target, tactic)
        for agent in hunters:
            agent.goal = target
            agent._hunt = hunt
        if share and hunters:
            hunt.field = SharedField(self.graph, max(agent.radius for agent in hunters))
        self._hunts.append(hunt)

    def _goes_on(self, hunt: Hunt) -> bool:
        """Whether somebody still hunts, and the target is still there."""
        hunt.agents = [
            agent for agent in self.agents if agent._hunt is hunt and not self._is_gone(agent.goal)
        ]
        return bool(hunt.agents)

    # ------------------------------------------------------------------ one step

    def _look_for_goal(self, agent: FleetAgent, now: float) -> None:
        """Find out where the goal of an agent is, and whether it has arrived."""
        goal, agent._there = agent.goal, None
        agent.arrived = False
        is_gone = self._is_gone(goal)
        if goal is None or is_gone:
            reason = "its target is no longer there" if is_gone else "it has no goal"
            agent.step = Step(agent.position, None, reason, False, 0, 0.0)
            return
        there = place_of(goal, now)
        where = there if agent._hunt is None else agent._hunt.place_for(agent)
        near = agent.arrive_within + size_of(goal) + (0.0 if size_of(goal) == 0.0 else agent.radius)
        agent.arrived = math.dist(agent.position, there) <= near
        agent._there = self.scene.space.inside(where, agent.radius)

    def _is_gone(self, goal: Goal) -> bool:
        """Whether a goal was an agent or a body that is no longer there."""
        if isinstance(goal, FleetAgent):
            return not any(goal is agent for agent in self.agents)
        return isinstance(goal, Body) and self._number_of(goal) < 0

    def _number_of(self, goal: Any) -> int:
        """Return the number of a goal among the bodies; -1 if it is none of them."""
        if not isinstance(goal, Body):
            return -1
        return next((i for i, body in enumerate(self.graph.bodies) if body is goal), -1)

    def _wanted(self, agent: FleetAgent) -> Point:
        """Return the velocity that an agent would have if it were alone."""
        there = agent._there
        if there is None:
            return (0.0, 0.0, 0.0)
        here, step = agent.position, agent.speed * self.frame
        corner: Point | None = there
        if self._plans:
            corner = first_corner(agent, max(1.5 * step, 0.25 * agent.radius))
        if corner is None:  # a window of cells has left the agent behind: it flies after it
            return (0.0,) * 3 if self.graph.contains(here) else towards(here, there, agent.speed)
        route = agent._guide.route if agent._guide is not None else None
        is_last = route is None or len(route.corners) == 1
        far = math.dist(here, corner)
        speed = min(agent.speed, far / self.frame) if is_last else agent.speed
        if is_last and agent.max_acceleration is not None:
            speed = min(speed, math.sqrt(2.0 * agent.max_acceleration * far))
        x, y, z = towards(here, corner, speed)
        if far < 2.0 * agent.radius:
            return (x, y, z)
        turn, up = GOLDEN * agent.number, (0.5 + agent.number) * 0.618 % 1.0 * 2.0 - 1.0
        flat, aside = math.sqrt(1.0 - up * up), ASIDE * agent.speed
        return (
            x + aside * flat * math.cos(turn),
            y + aside * flat * math.sin(turn),
            z + aside * up,
        )

    def _report(self, agent: FleetAgent, velocity: Any, seconds: float) -> None:
        """Write the step of an agent."""
        agent.velocity = velocity
        last, guide = agent.step, agent._guide
        corners = guide.route.corners if guide is not None and guide.route is not None else ()
        agent.step = Step(
            corners[0] if corners and agent._there is not None else agent.position,
            last.path,
            last.reason,
            agent._planned_at != self._planning.frame,
            last.expanded if agent._planned_at == self._planning.frame else 0,
            seconds,
            last.left_out,
            velocity,
        )
