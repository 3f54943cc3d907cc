"""`LivePage`: a flight in the browser, as it is flown."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from noctule.viewer.clicks import near_line, nearest_box, on_plane
from noctule.viewer.drawing import Drawing
from noctule.viewer.pages import Shot, begin_with, close_server, open_server, shot, take_shot
from noctule.viewer.panel import CLICKS, LAYERS, OWN, Panel
from noctule.viewer.sessions import Session, Settings, World, prepare

UPDATES = 30  # a second, of what moves
NUMBERS_EVERY = 6  # updates between two
SHOWN_ENDED = 2.0  # seconds that the end of a flight stays on the page
CLOSED_FOR = 5.0  # seconds without any page until all ends


class LivePage:
    """Flies and draws until it is told to end; pages may come and go.

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
        self.paused, self.speed = False, 1.0
        self.work_ms: deque[float] = deque(maxlen=600)  # of drawing, for who wants to know
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wanted: Settings | None = None  # being prepared
        self._next: Settings | None = None  # to be prepared after that
        self._follows: set[int] = set()  # pages whose camera follows the agent
        self._click_does = CLICKS[0]
        self._seen_pages, self._alone_since = False, time.monotonic()
        self._count = 0
        self._ended_at: float | None = None
        self._stop = threading.Event()
        self.panel = Panel(self.server, world.settings, self._modes(), self._act)
        self._drawing = Drawing(self.server, self.session, self.panel.shows)
        self._set_out()
        self.server.scene.on_click()(self._clicked)

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.server.get_port()}"

    # ------------------------------------------------------------------ the loop

    def run(self, end_with_page: bool = False) -> None:
        """Fly and draw until `stop`, or until the last page has been closed."""
        last = time.perf_counter()
        while not self._stop.is_set() and not (end_with_page and self._is_left()):
            now = time.perf_counter()
            self.update(now - last)
            last = now
            self._stop.wait(max(0.0, now + 1 / UPDATES - time.perf_counter()))

    def stop(self) -> None:
        """Let `run` return."""
        self._stop.set()

    def close(self) -> None:
        """End the server and all its threads."""
        self.stop()
        close_server(self.server)

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

    def _is_left(self) -> bool:
        """Whether there was a page, and there has been none for a while."""
        if self.server.get_clients():
            self._seen_pages, self._alone_since = True, time.monotonic()
        return self._seen_pages and time.monotonic() - self._alone_since > CLOSED_FOR

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
            return self.session.result.reason
        path = self.session.frame.path
        if path is not None and not path.found:
            return path.reason
        return "paused" if self.paused else "flying"

    # ------------------------------------------------------------------ cameras

    def _set_out(self) -> None:
        """In a new world: cameras see all of it, and its destination can be dragged."""
        begin_with(self.server, self._shot("front"))
        self._drawing.stage.destination.on_drag("left")(self._dragged)

    def _shot(self, view: str) -> Shot:
        space = self.session.world.scene.space
        return shot(view, space.origin, space.high, agent=self.session.frame.agent)

    def _follow(self) -> None:
        if self._follows:
            for number, client in self.server.get_clients().items():
                if number in self._follows:
                    take_shot(client, self._shot("follow"))

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
            over = value.split("/")
            self.speed = float(over[0]) / float(over[-1]) if len(over) == 2 else float(value)
        elif name == "camera":
            self._follows.discard(client.client_id)
            if value == "follow":
                self._follows.add(client.client_id)
            take_shot(client, self._shot(value))
        elif name == "click":
            self._click_does = value
        elif name.removeprefix("show ") in LAYERS:
            self._drawing.choose_layers()
        elif name == "Box in the way":
            session.put_box()
        elif name == "Take box away":
            session.take_box()
        elif name == "Let destination move":
            session.release()
        else:
            self._set(name, value)

    def _command(self, value: str) -> None:
        if value == "Step":
            self.paused = True
            self.panel.pause.label = "Go on"
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
            if self._next is None:
                self.panel.set_back(self.session.world.settings)
        elif self._next is None:
            same = world.settings.scene == self.session.world.settings.scene
            self.session.change(world)
            if not same:
                self.panel.settings["destination"].options = [OWN, *self._modes()]
            self._drawing.begin()
            self._set_out()
        self._prepare_next()

    def _modes(self) -> list[str]:
        return list(self.session.world.scene.destination.modes)

    async def _dragged(self, event: Any) -> None:
        point = event.end_position
        self._asked.put(lambda: self._head_for(point))

    def _clicked(self, event: Any) -> None:
        ray = np.array(event.ray_origin), np.array(event.ray_direction)
        self._asked.put(lambda: self._click(*ray))

    def _click(self, eye: Any, ray: Any) -> None:
        session = self.session
        if self._click_does == CLICKS[1]:
            self._head_for(on_plane(eye, ray, session.frame.destination))
        elif self._click_does == CLICKS[2]:
            path = session.frame.path
            points = path.points if path is not None else np.empty((0, 3))
            session.put_box(near_line(eye, ray, points, session.frame.agent))
        elif self._click_does == CLICKS[3]:
            boxes = [b for b in session.world.scene.bodies if b.kind == "put"]
            session.take_box(nearest_box(eye, ray, {b.name: b.position for b in boxes}))

    def _head_for(self, point: Any) -> None:
        self.session.head_for(point)
        if self.paused:  # a plan takes a frame to be made, and another one to be flown
            self.session.step()
            self.session.step()
