"""`LivePage`: a flight in the browser, as it is flown."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from noctule.viewer.flight_view import Drawing
from noctule.viewer.follow_camera import Follower
from noctule.viewer.page_base import begin_with, open_server, shot, take_shot
from noctule.viewer.panel import CLICKS, OWN, Panel
from noctule.viewer.picking import near_line, nearest_box, on_plane
from noctule.viewer.refresh_loop import Loop, speed_of
from noctule.viewer.session import Session, Settings, World, prepare

NUMBERS_EVERY = 6  # updates between two
SETTLES = 3  # frames until a new destination is known, planned for, and flown to
SHOWN_ENDED = 2.0  # seconds that the end of a flight stays on the page
NEAR = 0.3  # of the size of the world: how far a camera stays that follows the agent


class LivePage:
    """Flies and draws while its `loop` runs; pages may come and go.

    Parameters
    ----------
    world : World
        What to fly.
    port : int, optional
        On this machine; any that is free unless given.
    """

    def __init__(self, world: World, port: int | None = None) -> None:
        self.session = Session(world)
        self.server = open_server(port, "Noctule")
        self.loop = Loop(self.server, self.update)
        self.paused, self.speed = False, 1.0
        self.work_ms: deque[float] = deque(maxlen=600)  # of drawing, for who wants to know
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wanted: Settings | None = None  # being prepared
        self._next: Settings | None = None  # to be prepared after that
        self._followers: dict[int, Follower] = {}  # of the pages whose camera follows the agent
        self._click_does = CLICKS[0]
        self._count = 0
        self._ended_at: float | None = None
        self.panel = Panel(self.server, world, self._act)
        self._drawing = Drawing(self.server, self.session, self.panel.shows)
        self._set_out()
        self.server.scene.on_click()(self._clicked)

    def update(self, seconds: float) -> None:
        """Do what was asked for, fly on for so many seconds of ours, and draw."""
        while not self._asked.empty():
            self._try(self._asked.get())
        if not self.server.get_clients():
            return  # nobody looks: nothing is flown
        if not self.paused:
            self._try(lambda: self._fly(min(seconds, 0.25)))
        began = time.perf_counter()
        with self.server.atomic():
            self._draw()
        self.work_ms.append(1e3 * (time.perf_counter() - began))

    def _fly(self, seconds: float) -> None:
        session = self.session
        session.advance(seconds * self.speed)
        if session.result is None:
            self._ended_at = None
        elif self._ended_at is None:
            self._ended_at = time.monotonic()
        elif time.monotonic() - self._ended_at > SHOWN_ENDED:
            session.restart(session.run + 1)

    def _try(self, call: Callable[[], None]) -> None:
        """Do something; what can't be done is said on the page."""
        try:
            call()
        except ValueError as problem:
            self._say(str(problem))

    def _say(self, text: str) -> None:
        for client in self.server.get_clients().values():
            client.add_notification("Noctule", text, auto_close_seconds=8.0)

    # ------------------------------------------------------------------ drawing

    def _draw(self) -> None:
        self._count += 1
        self._drawing.update(at_once=self.paused)
        self._follow()
        if self._count % NUMBERS_EVERY == 0:
            self.panel.show(self.session, self._note(), self._drawing.expanded)

    def _note(self) -> str:
        if self._wanted is not None:
            return f"preparing {self._wanted.algorithm} on {self._wanted.graph} ..."
        if self.session.result is not None:
            return self.session.result.reason + (", paused" if self.paused else "")
        path = self.session.frame.path
        if path is not None and not path.found:
            return path.reason
        slow = "" if self.speed == 1.0 else f", {self.speed:g} times as fast"
        return "paused" if self.paused else f"flying{slow}"

    # ------------------------------------------------------------------ cameras

    def _set_out(self) -> None:
        """In a new world: cameras see all of it, and its destination can be dragged."""
        space = self.session.world.scene.space
        begin_with(self.server, shot("front", space.origin, space.high))
        self._drawing.stage.destination.on_drag("left")(self._dragged)

    def _look(self, client: Any, view: str) -> None:
        """Move the camera of a page."""
        space = self.session.world.scene.space
        if view == "follow":
            far = NEAR * float(np.subtract(space.high, space.origin).max())
            self._followers[client.client_id] = Follower(far, self._hidden)
        else:
            self._followers.pop(client.client_id, None)
            take_shot(client, shot(view, space.origin, space.high))

    def _hidden(self, eye: Any, point: Any) -> bool:
        return self.session.world.graph.body_on(eye, point, 0.0) is not None

    def _follow(self) -> None:
        if self._followers:
            pages = self.server.get_clients()
            self._followers = {n: one for n, one in self._followers.items() if n in pages}
            for number, follower in self._followers.items():
                take_shot(pages[number], follower.shot(self.session.frame.agent))

    # ------------------------------------------------------------------ what pages ask for

    def _act(self, name: str, value: Any, client: Any) -> None:
        """Called in a thread of the server: do it in the thread that flies."""
        self._asked.put(lambda: self._do(name, value, client))

    def _do(self, name: str, value: Any, client: Any) -> None:
        session = self.session
        if name == "pause":
            self.paused = not self.paused
            self.panel.pause.label = "Go on" if self.paused else "Pause"
        elif name == "flight":
            self._command(value)
        elif name == "speed":
            self.speed = speed_of(value)
        elif name == "camera":
            self._look(client, value)
        elif name == "click":
            self._click_does = value
        elif name.startswith("show "):
            self._drawing.choose_layers()
        elif name == "Box in the way":
            session.put_box()
            self._settle()
        elif name == "Take box away":
            session.take_box()
            self._settle()
        elif name == "Let destination move":
            session.release()
            self._settle()
        else:
            self._set(name, value)

    def _command(self, value: str) -> None:
        if value == "Step":
            self.paused = True
            self.panel.pause.label = "Go on"
            if self.session.result is not None:
                self.session.restart(self.session.run + 1)
            self.session.step()
        else:
            self.session.restart(self.session.run + (value == "Next"))

    def _set(self, name: str, value: Any) -> None:
        """Another setting: prepared beside the flight, which goes on until then."""
        settings = self._next or self._wanted or self.session.world.settings
        if name == "scene":
            scene, variant = self.panel.scenes[value]
            settings = replace(settings, scene=scene, variant=variant, destination=None)
        elif name == "destination":
            settings = replace(settings, destination=None if value == OWN else value)
        else:
            settings = replace(settings, **{name: value})
        self._next = settings
        self._prepare_next()

    def _prepare_next(self) -> None:
        if self._wanted is not None or self._next is None:
            return
        self._wanted, self._next = self._next, None
        threading.Thread(target=self._prepare, args=(self._wanted,), daemon=True).start()

    def _prepare(self, settings: Settings) -> None:
        try:
            world = prepare(settings)
        except (ValueError, OSError) as problem:
            text = str(problem)
            self._asked.put(lambda: self._prepared(None, text))
        else:
            self._asked.put(lambda: self._prepared(world))

    def _prepared(self, world: World | None, problem: str = "") -> None:
        self._wanted = None
        if world is None:
            self._say(problem)
        elif self._next is None:
            self.session.change(world)
            self._drawing.begin()
            self._set_out()
        if self._next is None:
            self.panel.show_settings(self.session.world)
        self._prepare_next()

    async def _dragged(self, event: Any) -> None:
        point = event.end_position
        self._asked.put(lambda: self._head_for(point))

    def _clicked(self, event: Any) -> None:
        camera = event.client.camera
        ahead = np.subtract(camera.look_at, camera.position)
        ray = np.array(event.ray_origin), np.array(event.ray_direction)
        self._asked.put(lambda: self._click(*ray, ahead))

    def _click(self, eye: Any, ray: Any, ahead: Any) -> None:
        session = self.session
        if self._click_does == CLICKS[1]:
            self._head_for(on_plane(eye, ray, ahead, session.frame.destination))
        elif self._click_does == CLICKS[2]:
            path = session.frame.path
            points = path.points if path is not None else np.empty((0, 3))
            session.put_box(near_line(eye, ray, points, session.frame.agent))
            self._settle()
        elif self._click_does == CLICKS[3]:
            boxes = [b for b in session.world.scene.bodies if b.kind == "put"]
            session.take_box(nearest_box(eye, ray, {b.name: b.position for b in boxes}))
            self._settle()

    def _head_for(self, point: Any) -> None:
        self.session.head_for(point)
        self._settle()

    def _settle(self) -> None:
        """In a pause, fly on just until the disturbance is planned for, so that it is seen."""
        if self.paused:
            for _ in range(SETTLES):
                self.session.step()
