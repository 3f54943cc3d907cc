"""`LivePage`: a live flight in the browser."""

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

NUMBERS_EVERY = 6  # updates between two updates of the numbers
SETTLES = 3  # frames until the agent follows a plan for a disturbance
SHOWN_ENDED = 2.0  # seconds that the end of a flight stays on the page
NEAR = 0.3  # part of the size of the world; distance of the following camera


class LivePage:
    """Flies and draws while its `loop` runs; pages may be opened and closed.

    `server` comes from `open_server`; by default, one is started on a free port.
    """

    def __init__(self, world: World, server: Any = None) -> None:
        self.session = Session(world)
        self.server = open_server(None) if server is None else server
        self.loop = Loop(self.server, self.update)
        self.paused, self.speed = False, 1.0
        self._requests: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._preparing: Settings | None = None  # being prepared
        self._next: Settings | None = None  # to be prepared after that
        self._followers: dict[int, camera.Follower] = {}  # by page
        self._click_action = CLICKS[0]
        self._count = 0
        self._ended_at: float | None = None
        self.panel = Panel(self.server, world, self._act)
        self._drawing = Drawing(self.server, self.session, self.panel.shows)
        self._show_world()
        self.server.scene.on_click()(self._clicked)

    def update(self, seconds: float) -> None:
        """Handle requests, fly for `seconds` of real time, and draw."""
        while not self._requests.empty():
            self._try(self._requests.get())
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
        """Call a function; show a ValueError on the page."""
        try:
            call()
        except ValueError as problem:
            self._notify(str(problem))

    def _notify(self, text: str) -> None:
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
        if self._preparing is not None:
            return f"preparing {self._preparing.algorithm} on {self._preparing.graph} ..."
        if self.session.result is not None:
            return self.session.result.reason + (", paused" if self.paused else "")
        path = self.session.frame.path
        if path is not None and not path.found:
            return path.reason
        slow = "" if self.speed == 1.0 else f", {self.speed:g} times as fast"
        return "paused" if self.paused else f"flying{slow}"

    # ------------------------------------------------------------------ cameras

    def _show_world(self) -> None:
        """Show all of a new world, and make the goal draggable."""
        space = self.session.world.scene.space
        front = camera.camera_for("front", space.origin, space.high, space.up)
        camera.set_initial_camera(self.server, front)
        self._drawing.view.destination.on_drag("left")(self._dragged)

    def _set_camera(self, client: Any, view: str) -> None:
        """Set the view of one page."""
        space = self.session.world.scene.space
        if view == "follow":
            far = NEAR * float(np.subtract(space.high, space.origin).max())
            self._followers[client.client_id] = camera.Follower(far, self._hidden, space.up)
        else:
            self._followers.pop(client.client_id, None)
            pose = camera.camera_for(view, space.origin, space.high, space.up)
            camera.move_camera(client, pose)

    def _hidden(self, eye: Any, point: Any) -> bool:
        return self.session.world.graph.body_on(eye, point, 0.0) is not None

    def _follow(self) -> None:
        pages = self.server.get_clients() if self._followers else {}
        self._followers = {n: one for n, one in self._followers.items() if n in pages}
        for number, follower in self._followers.items():
            camera.move_camera(pages[number], follower.camera_for(self.session.frame.agent))

    # ------------------------------------------------------------------ requests of pages

    def _act(self, name: str, value: Any, client: Any) -> None:
        """Queue an event for the thread that flies; called in a thread of the server."""
        self._requests.put(lambda: self._handle(name, value, client))

    def _handle(self, name: str, value: Any, client: Any) -> None:
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
            self._set_camera(client, value)
        elif name == "click":
            self._click_action = value
        elif name.startswith("show "):
            self._drawing.choose_layers()
        elif name == "Add box on path":
            self._disturb(session.add_box)
        elif name == "Remove box":
            self._disturb(session.remove_box)
        elif name == "Let goal move":
            self._disturb(session.release_goal)
        else:
            self._set(name, value)

    def _pause(self, paused: bool) -> None:
        self.paused = paused
        self.panel.pause.label = "Continue" if paused else "Pause"

    def _set(self, name: str, value: Any) -> None:
        """Change a setting; it is prepared in a thread while the flight continues."""
        settings = self._next or self._preparing or self.session.world.settings
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
        if self._preparing is not None or self._next is None:
            return
        self._preparing, self._next = self._next, None
        threading.Thread(target=self._prepare, args=(self._preparing,), daemon=True).start()

    def _prepare(self, settings: Settings) -> None:
        world, problem = None, ""
        try:
            world = prepare(settings)
        except (ValueError, OSError) as error:
            problem = str(error)
        self._requests.put(lambda: self._prepared(world, problem))

    def _prepared(self, world: World | None, problem: str) -> None:
        self._preparing = None
        if world is None:
            self._notify(problem)
        elif self._next is None:
            self.session.change(world)
            self._drawing.reset()
            self._show_world()
        if self._next is None:
            self.panel.show_settings(self.session.world)
        self._prepare_next()

    async def _dragged(self, event: Any) -> None:
        point = event.end_position
        self._requests.put(lambda: self._disturb(self.session.move_goal, point))

    def _clicked(self, event: Any) -> None:
        view = event.client.camera
        ahead = np.subtract(view.look_at, view.position)
        ray = np.array(event.ray_origin), np.array(event.ray_direction)
        self._requests.put(lambda: self._click(*ray, ahead))

    def _click(self, eye: Any, ray: Any, ahead: Any) -> None:
        session, frame = self.session, self.session.frame
        if self._click_action == CLICKS[1]:
            self._disturb(session.move_goal, camera.on_plane(eye, ray, ahead, frame.destination))
        elif self._click_action == CLICKS[2]:
            if frame.path is not None and len(frame.path.points) > 1:
                self._disturb(session.add_box, camera.near_line(eye, ray, frame.path.points))
            else:
                self._disturb(session.add_box, camera.near_point(eye, ray, frame.agent))
        elif self._click_action == CLICKS[3]:
            boxes = {b.name: b.position for b in session.world.scene.bodies if b.kind == "put"}
            self._disturb(session.remove_box, camera.nearest_box(eye, ray, boxes))

    def _disturb(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call a function; while paused, fly a few frames so that the new plan is visible."""
        call(*arguments)
        if self.paused:
            for _ in range(SETTLES):
                self.session.step()
