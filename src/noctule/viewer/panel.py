"""`Panel`: the controls and numbers beside a live flight."""

import html
from collections.abc import Callable
from typing import Any

import numpy as np

from noctule.graphs.scene_graphs import GRAPHS
from noctule.registry import algorithms
from noctule.viewer import scene_view as stage
from noctule.viewer import search_layers as layers
from noctule.viewer.page_base import VIEWS
from noctule.viewer.session import BOX_COLOUR, Session, World
from noctule.worlds.io.scene_files import scenes

FRAME_MS = 1000 / 60  # what a frame has
SPEEDS = ("1/8", "1/4", "1/2", "1", "2", "4")
PLAN, UPDATE = "#ff9614", "#3fb6ff"  # in the chart
MARKS = {"plan": PLAN, "update": UPDATE}
OWN = "as the scene has it"
CLICKS = ("turns the view", "moves the destination", "puts a box", "takes a box away")

Act = Callable[..., None]

# What can be shown: name, and whether it is shown at first.
LAYERS = {
    "expanded nodes": True,
    "open list": True,
    "just expanded": True,
    "danger cells": True,
    "lines of sight": False,
    "path": True,
    "flown": True,
    "graph": False,
}

_LEGEND = (
    ("static", stage.COLOURS["white"]),
    ("patrols", stage.COLOURS["green"]),
    ("turns", stage.COLOURS["red"]),
    ("rotates", stage.COLOURS["dark blue"]),
    ("comes and goes", stage.COLOURS["light blue"]),
    ("box", stage.colour_of(BOX_COLOUR)),
    ("agent", stage.AGENT),
    ("destination", stage.DESTINATION),
    ("path", stage.PATH),
    ("flown", stage.FLOWN),
    ("open list", layers.OPEN),
    ("just expanded", layers.AGAIN),
    ("danger soon", layers.DANGER),
)


class Panel:
    """Controls; what they ask for is handed to `act` by name, with a value.

    Parameters
    ----------
    server : viser.ViserServer
        Where to put them.
    world : World
        What is flown at first.
    act : function
        Called as `act(name, value, client)` when somebody does something.
    """

    def __init__(self, server: Any, world: World, act: Act) -> None:
        self._gui, self._act = server.gui, act
        self._numbers = self._gui.add_html(_table([("", "preparing")]))
        self._chart = self._add_chart()
        self.pause = self._gui.add_button("Pause")
        self._tell(self.pause.on_click, "pause")
        buttons = self._gui.add_button_group("Flight", ("Step", "Restart", "Next"))
        self._tell(buttons.on_click, "flight")
        self._speed = self._gui.add_button_group("Speed", SPEEDS)
        self._tell(self._speed.on_click, "speed")
        views = self._gui.add_button_group("Camera", VIEWS)
        self._tell(views.on_click, "camera")
        tabs = self._gui.add_tab_group()
        with tabs.add_tab("Fly"):
            self._add_settings(world)
        with tabs.add_tab("Show"):
            self._add_layers()
        with tabs.add_tab("Disturb"):
            self._add_disturbances()

    def _tell(self, on: Any, name: str) -> None:
        """Hand an event of a page on; what Python itself sets is no event."""

        @on
        def _(event: Any) -> None:
            if event.client is not None:
                self._act(name, getattr(event.target, "value", None), event.client)

    def _add_settings(self, world: World) -> None:
        gui, settings = self._gui, world.settings
        weight, radius = settings.weight, world.scene.agent.radius
        known = [(name, v) for name, variants in scenes().items() for v in (None, *variants)]
        chosen = settings.scene, settings.variant
        self.scenes = {scene_label(*key): key for key in dict.fromkeys([chosen, *known])}
        spatial = [row.name for row in algorithms() if not row.plane_only]
        self.settings = {
            "algorithm": gui.add_dropdown("Algorithm", spatial, initial_value=settings.algorithm),
            "graph": gui.add_dropdown("Graph", GRAPHS, initial_value=settings.graph),
            "weight": gui.add_slider("Weight", 1.0, max(5.0, weight), 0.1, weight),
            "radius": gui.add_slider("Radius", 0.0, max(1.5, radius), 0.05, radius),
            "destination": gui.add_dropdown(
                "Destination", _modes(world), initial_value=settings.destination or OWN
            ),
            "prediction": gui.add_checkbox(
                "Prediction",
                settings.prediction,
                hint="Keep out of cells that bodies will touch soon; else out of safety boxes.",
            ),
            "foresee": gui.add_checkbox(
                "Foresee",
                settings.foresee,
                hint="Whether a search in time knows how the destination will move.",
            ),
            "seed": gui.add_number("Seed", settings.seed, min=0, step=1),
            "scene": gui.add_dropdown(
                "Scene", list(self.scenes), initial_value=scene_label(*chosen)
            ),
        }
        for name, handle in self.settings.items():
            self._tell(handle.on_update, name)

    def _add_layers(self) -> None:
        self.layers = {
            name: self._gui.add_checkbox(name.capitalize(), shown) for name, shown in LAYERS.items()
        }
        for name, handle in self.layers.items():
            self._tell(handle.on_update, f"show {name}")
        self._gui.add_html(_legend())

    def _add_disturbances(self) -> None:
        gui = self._gui
        self._click = gui.add_dropdown("A click", CLICKS)
        self._tell(self._click.on_update, "click")
        for label in ("Box in the way", "Take box away", "Let destination move"):
            self._tell(gui.add_button(label).on_click, label)
        gui.add_markdown("Or drag the destination with the mouse.")

    def _add_chart(self) -> Any:
        empty = np.zeros(2)
        return self._gui.add_uplot(
            (np.arange(2.0), empty, empty, empty + FRAME_MS),
            (
                {"label": "s"},
                {"label": "plan, ms", "stroke": PLAN, "width": 1.5},
                {"label": "update, ms", "stroke": UPDATE, "width": 1.5},
                {"label": "a frame", "stroke": "#ff4040", "width": 1, "dash": (6, 4)},
            ),
            scales={"x": {"time": False}, "y": {"range": (0.0, 25.0)}},
            legend={"show": False},
            axes=(
                {"stroke": "#9aa4b2", "size": 24, "grid": {"show": False}},
                {"stroke": "#9aa4b2", "size": 34, "grid": {"stroke": "#303640"}},
            ),
            height=110,
        )

    # ------------------------------------------------------------------ what is shown

    def show(self, session: Session, note: str, expanded: int) -> None:
        """Bring numbers and chart up to date."""
        frame, path = session.frame, session.frame.path
        times = np.array(session.history).reshape(-1, 3)
        planned = times[times[:, 2] > 0, 2]
        rows = [
            ("time", f"{frame.time - session.began:.1f} s of flight {session.run}"),
            ("path", "none" if path is None or not path.found else f"{path.length:.2f} units"),
            ("expanded", f"{expanded:,} nodes"),
            ("update", f"{_mean(times[:, 1]):.2f} ms, max {_most(times[:, 1]):.1f}"),
            ("plan", f"{_mean(planned):.2f} ms, max {_most(planned):.1f} of {FRAME_MS:.1f}"),
            ("reached", f"{session.reached} of {session.flown}"),
            ("now", note),
        ]
        self._numbers.content = _table(rows)
        if len(times) > 1:
            line = np.full(len(times), FRAME_MS)
            plan = np.where(times[:, 2] > 0, times[:, 2], np.nan)
            x = times[:, 0] - session.began
            self._chart.data = (x, _filled(plan), times[:, 1].copy(), line)

    def shows(self, layer: str) -> bool:
        """Whether a layer is wanted."""
        return bool(self.layers[layer].value)

    def show_settings(self, world: World) -> None:
        """Show the settings that are in force."""
        settings = world.settings
        if list(self.settings["destination"].options) != _modes(world):
            self.settings["destination"].options = _modes(world)
        shown = {
            "destination": settings.destination or OWN,
            "scene": scene_label(settings.scene, settings.variant),
            "radius": world.scene.agent.radius,
        }
        for name, handle in self.settings.items():
            value = shown[name] if name in shown else getattr(settings, name)
            if handle.value != value:
                handle.value = value


def scene_label(name: str, variant: str | None) -> str:
    """How a scene is called in the list."""
    return name if variant is None else f"{name} ({variant})"


def _modes(world: World) -> list[str]:
    """How the destination may move."""
    return [OWN, *world.scene.destination.modes]


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else 0.0


def _most(values: Any) -> float:
    return float(values.max()) if len(values) else 0.0


def _filled(values: Any) -> Any:
    """With the last known value where nothing was measured."""
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return np.zeros(len(values))
    return np.interp(np.arange(len(values)), known, values[known])


def _table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><td style="padding-right:.8em"><span style="opacity:.6">{html.escape(name)}</span>'
        f"{_mark(name)}</td><td>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    style = "font-size:13px;line-height:1.35;margin:.3em .9em;font-variant-numeric:tabular-nums"
    return f'<table id="numbers" style="{style}">{cells}</table>'


def _mark(name: str) -> str:
    """The colour of a number in the chart below."""
    return f' <span style="color:{MARKS[name]}">&#9644;</span>' if name in MARKS else ""


def _legend() -> str:
    entries = "".join(
        f'<span style="display:inline-block;width:49%"><span style="color:rgb{colour}">&#9632;'
        f"</span> {name}</span>"
        for name, colour in _LEGEND
    )
    order = ",".join(f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in layers.in_order(5))
    bar = f'<div style="height:8px;background:linear-gradient(90deg,{order})"></div>'
    style = "font-size:12px;line-height:1.5;margin:.3em .9em"
    return f'<div style="{style}">{entries}expanded, first to last{bar}</div>'
