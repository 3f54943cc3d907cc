"""`LivePage`: a flight in the browser, as it is flown."""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from noctule.viewer import camera
from noctule.viewer.flight_view import Drawing
from noctule.viewer.page_base import Loop, open_server, speed_of
from noctule.viewer.panel import CLICKS, OWN, Panel
from noctule.viewer.session import Session, Settings, World, prepare

NUMBERS_EVERY = 6  # updates between two
SETTLES = 3  # frames until the agent follows a plan for a disturbance
SHOWN_ENDED = 2.0  # seconds that the end of a flight stays on the page
NEAR = 0.3  # of the size of the world: distance of a camera that follows the agent


class LivePage:
    """Flies and draws while its `loop` runs; pages may come and go.

    The server is one that `open_server` has started, by default on any free port.
    """

    def __init__(self, world: World, server: Any = None) -> None:
        self.session = Session(world)
        self.server = open_server(None) if server is None else server
        self.loop = Loop(self.server, self.update)
        self.paused, self.speed = False, 1.0
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wanted: Settings | None = None  # being prepared
        self._next: Settings | None = None  # to be prepared after that
        self._followers: dict[int, camera.Follower] = {}  # by page
        self._click_does = CLICKS[0]
        self._count = 0
        self._ended_at: float | None = None
        self.panel = Panel(self.server, world, self._act)
        self._drawing = Drawing(self.server, self.session, self.panel.shows)
        self._set_out()
        self.server.scene.on_click()(self._clicked)

    def update(self, seconds: float) -> None:
        """Do what was asked for, fly for so many seconds of real time, and draw."""
        while not self._asked.empty():
            self._try(self._asked.get())
        if not self.server.get_clients():
            return  # no page is open: wait
        if not self.paused:
            self._try(lambda: self._fly(min(seconds, 0.25)))
        with self.server.atomic():
            self._draw()

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
        """Call; show an error on the page."""
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
        """In a new world: show all of it, and let the destination be dragged."""
        space = self.session.world.scene.space
        camera.begin_with(self.server, camera.shot("front", space.origin, space.high))
        self._drawing.stage.destination.on_drag("left")(self._dragged)

    def _look(self, client: Any, view: str) -> None:
        """Move the camera of a page."""
        space = self.session.world.scene.space
        if view == "follow":
            far = NEAR * float(np.subtract(space.high, space.origin).max())
            self._followers[client.client_id] = camera.Follower(far, self._hidden)
        else:
            self._followers.pop(client.client_id, None)
            camera.take_shot(client, camera.shot(view, space.origin, space.high))

    def _hidden(self, eye: Any, point: Any) -> bool:
        return self.session.world.graph.body_on(eye, point, 0.0) is not None

    def _follow(self) -> None:
        pages = self.server.get_clients() if self._followers else {}
        self._followers = {n: one for n, one in self._followers.items() if n in pages}
        for number, follower in self._followers.items():
            camera.take_shot(pages[number], follower.shot(self.session.frame.agent))

    # ------------------------------------------------------------------ what pages ask for

    def _act(self, name: str, value: Any, client: Any) -> None:
        """Called in a thread of the server: do it in the thread that flies."""
        self._asked.put(lambda: self._do(name, value, client))

    def _do(self, name: str, value: Any, client: Any) -> None:
        session = self.session
        if name == "pause":
            self._pause(not self.paused)
        elif name == "flight" and value == "Step":
            self._pause(True)
            if session.result is not None:
                session.restart(session.run + 1)
            session.step()
        elif name == "flight":
            session.restart(session.run + (value == "Next"))
        elif name == "speed":
            self.speed = speed_of(value)
        elif name == "camera":
            self._look(client, value)
        elif name == "click":
            self._click_does = value
        elif name.startswith("show "):
            self._drawing.choose_layers()
        elif name == "Box in the way":
            self._disturb(session.put_box)
        elif name == "Take box away":
            self._disturb(session.take_box)
        elif name == "Let destination move":
            self._disturb(session.release)
        else:
            self._set(name, value)

    def _pause(self, paused: bool) -> None:
        self.paused = paused
        self.panel.pause.label = "Go on" if paused else "Pause"

    def _set(self, name: str, value: Any) -> None:
        """Change a setting: prepare it in a thread while the flight continues."""
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
        world, problem = None, ""
        try:
            world = prepare(settings)
        except (ValueError, OSError) as error:
            problem = str(error)
        self._asked.put(lambda: self._prepared(world, problem))

    def _prepared(self, world: World | None, problem: str) -> None:
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
        self._asked.put(lambda: self._disturb(self.session.head_for, point))

    def _clicked(self, event: Any) -> None:
        view = event.client.camera
        ahead = np.subtract(view.look_at, view.position)
        ray = np.array(event.ray_origin), np.array(event.ray_direction)
        self._asked.put(lambda: self._click(*ray, ahead))

    def _click(self, eye: Any, ray: Any, ahead: Any) -> None:
        session, frame = self.session, self.session.frame
        if self._click_does == CLICKS[1]:
            self._disturb(session.head_for, camera.on_plane(eye, ray, ahead, frame.destination))
        elif self._click_does == CLICKS[2]:
            if frame.path is not None and len(frame.path.points) > 1:
                self._disturb(session.put_box, camera.near_line(eye, ray, frame.path.points))
            else:
                self._disturb(session.put_box, camera.near_point(eye, ray, frame.agent))
        elif self._click_does == CLICKS[3]:
            boxes = {b.name: b.position for b in session.world.scene.bodies if b.kind == "put"}
            self._disturb(session.take_box, camera.nearest_box(eye, ray, boxes))

    def _disturb(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call; in a pause, fly on just until the disturbance is planned for, so that it shows."""
        call(*arguments)
        if self.paused:
            for _ in range(SETTLES):
                self.session.step()
