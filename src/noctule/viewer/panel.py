"""`Panel`: controls and numbers of a live flight."""

import html
from collections.abc import Callable
from typing import Any

import numpy as np

from noctule.flight.simulation import runs_on
from noctule.graphs.scene_graphs import GRAPHS
from noctule.registry import algorithms
from noctule.viewer import scene_view
from noctule.viewer import search_layers as layers
from noctule.viewer.camera import VIEWS
from noctule.viewer.session import BOX_COLOUR, Session, Settings, World
from noctule.worlds.io.scene_files import scenes
from noctule.worlds.scene import Scene

FRAME_MS = 1000 / 60  # duration of a frame
BUTTONS = {
    "Flight": ("Step", "Restart", "Next"),
    "Speed": ("1/8", "1/4", "1/2", "1", "2", "4"),
    "Camera": VIEWS,
}
MARKS = {"plan": "#ff9614", "update": "#3fb6ff"}  # colours in the chart
OWN = "as the scene has it"
CLICKS = ("turns the view", "moves the goal", "adds a box", "removes a box")

# Layers, and whether they are shown initially.
LAYERS = {
    "expanded nodes": True,
    "open list": True,
    "re-expanded": True,
    "predicted cells": True,
    "lines of sight": False,
    "path": True,
    "flown": True,
    "graph": False,
}

_LEGEND = (
    ("static", scene_view.COLOURS["white"]),
    ("patrols", scene_view.COLOURS["green"]),
    ("turns", scene_view.COLOURS["red"]),
    ("rotates", scene_view.COLOURS["dark blue"]),
    ("gate", scene_view.COLOURS["light blue"]),
    ("box", scene_view.colour_of(BOX_COLOUR)),
    ("agent", scene_view.AGENT),
    ("goal", scene_view.DESTINATION),
    ("path", scene_view.PATH),
    ("flown", scene_view.FLOWN),
    ("open list", layers.OPEN),
    ("re-expanded", layers.REEXPANDED),
    ("predicted cells", layers.PREDICTED),
)


class Panel:
    """The controls; each calls `act(name, value, client)`."""

    def __init__(self, server: Any, world: World, act: Callable[[str, Any, Any], None]) -> None:
        self._gui, self._act = server.gui, act
        self._numbers = self._gui.add_html(_table([("", "preparing")]))
        self._chart = self._add_chart()
        self.pause = self._gui.add_button("Pause")
        self._tell(self.pause.on_click, "pause")
        for label, words in BUTTONS.items():
            self._tell(self._gui.add_button_group(label, words).on_click, label.lower())
        tabs = self._gui.add_tab_group()
        with tabs.add_tab("Fly"):
            self._add_settings(world)
        with tabs.add_tab("Show"):
            self.layers = {
                name: self._gui.add_checkbox(name.capitalize(), initially)
                for name, initially in LAYERS.items()
            }
            self._gui.add_html(_legend())
        for name, handle in self.layers.items():
            self._tell(handle.on_update, f"show {name}")
        with tabs.add_tab("Disturb"):
            self._tell(self._gui.add_dropdown("A click", CLICKS).on_update, "click")
            for label in ("Add box on path", "Remove box", "Let goal move"):
                self._tell(self._gui.add_button(label).on_click, label)
            self._gui.add_markdown("Or drag the goal with the mouse.")

    def _tell(self, on: Any, name: str) -> None:
        """Forward events of pages to `act`; changes of values made here are no events."""

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
        able, graphs = _combinations(settings)
        self.settings = {
            "algorithm": gui.add_dropdown("Algorithm", able, initial_value=settings.algorithm),
            "graph": gui.add_dropdown("Graph", graphs, initial_value=settings.graph),
            "weight": gui.add_slider("Weight", 1.0, max(5.0, weight), 0.1, weight),
            "radius": gui.add_slider("Radius", 0.0, max(1.5, radius), 0.05, radius),
            "destination": gui.add_dropdown(
                "Goal", _modes(world), initial_value=settings.destination or OWN
            ),
            "prediction": gui.add_checkbox(
                "Prediction",
                settings.prediction,
                hint="Avoid cells that bodies will touch soon; if off, avoid safety boxes.",
            ),
            "foresee": gui.add_checkbox(
                "Foresee",
                settings.foresee,
                hint="Timed searches know the motion of the goal; if off, they extrapolate it.",
            ),
            "seed": gui.add_number("Seed", settings.seed, min=0, step=1),
            "scene": gui.add_dropdown(
                "Scene", list(self.scenes), initial_value=scene_label(*chosen)
            ),
        }
        for name, handle in self.settings.items():
            self._tell(handle.on_update, name)

    def _add_chart(self) -> Any:
        empty = np.zeros(2)
        return self._gui.add_uplot(
            (np.arange(2.0), empty, empty, empty + FRAME_MS),
            (
                {"label": "s"},
                {"label": "plan, ms", "stroke": MARKS["plan"], "width": 1.5},
                {"label": "update, ms", "stroke": MARKS["update"], "width": 1.5},
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

    # ------------------------------------------------------------------ output

    def show(self, session: Session, note: str, expanded: int) -> None:
        """Update numbers and chart."""
        frame, path = session.frame, session.frame.path
        times = np.array(session.history).reshape(-1, 3)
        plans = np.flatnonzero(times[:, 2])
        planned = times[plans, 2]
        rows = [
            ("time", f"{frame.time - session.start_time:.1f} s of flight {session.run}"),
            ("path", "none" if path is None or not path.found else f"{path.length:.2f} units"),
            ("expanded", f"{expanded:,} nodes"),
            ("update", _mean_and_max(times[:, 1])),
            ("plan", f"{_mean_and_max(planned)} of {FRAME_MS:.1f}"),
            ("reached", f"{session.reached} of {session.flown}"),
            ("now", note),
        ]
        self._numbers.content = _table(rows)
        if len(times) > 1:
            x, line = times[:, 0] - session.start_time, np.full(len(times), FRAME_MS)
            plan = np.interp(np.arange(len(times)), plans, planned) if len(plans) else 0 * line
            self._chart.data = (x, plan, times[:, 1].copy(), line)

    def shows(self, layer: str) -> bool:
        """Whether a layer is selected."""
        return bool(self.layers[layer].value)

    def show_settings(self, world: World) -> None:
        """Show the current settings."""
        settings = world.settings
        if list(self.settings["destination"].options) != _modes(world):
            self.settings["destination"].options = _modes(world)
        for name, able in zip(("algorithm", "graph"), _combinations(settings), strict=True):
            if list(self.settings[name].options) != able:
                self.settings[name].options = able
        shown = {
            "destination": settings.destination or OWN,
            "scene": scene_label(settings.scene, settings.variant),
            "radius": world.scene.agent.radius,
        }
        for name, handle in self.settings.items():
            value = shown[name] if name in shown else getattr(settings, name)
            if handle.value != value:
                handle.value = value


def scene_label(scene: str | Scene, variant: str | None) -> str:
    """Return the label of a scene in the list."""
    name = scene.name if isinstance(scene, Scene) else scene
    return name if variant is None else f"{name} ({variant})"


def _combinations(settings: Settings) -> tuple[list[str], list[str]]:
    """Return the algorithms that run on the current graph, and the graphs for the algorithm."""
    able = [row.name for row in algorithms() if runs_on(row.name, settings.graph)]
    return able, [graph for graph in GRAPHS if runs_on(settings.algorithm, graph)]


def _modes(world: World) -> list[str]:
    """Return the motions of the goal to choose from."""
    return [OWN, *world.scene.destination.modes]


def _mean_and_max(values: Any) -> str:
    mean = values.mean() if len(values) else 0.0
    return f"{mean:.2f} ms, max {values.max(initial=0.0):.1f}"


def _table(rows: list[tuple[str, str]]) -> str:
    marks = {  # colours of the lines in the chart
        name: f' <span style="color:{colour}">&#9644;</span>' for name, colour in MARKS.items()
    }
    cells = "".join(
        f'<tr><td style="padding-right:.8em"><span style="opacity:.6">{html.escape(name)}</span>'
        f"{marks.get(name, '')}</td><td>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    style = "font-size:13px;line-height:1.35;margin:.3em .9em;font-variant-numeric:tabular-nums"
    return f'<table id="numbers" style="{style}">{cells}</table>'


def _legend() -> str:
    entries = "".join(
        f'<span style="display:inline-block;width:49%"><span style="color:rgb{colour}">&#9632;'
        f"</span> {name}</span>"
        for name, colour in _LEGEND
    )
    order = ",".join(f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in layers.order_colours(5))
    bar = f'<div style="height:8px;background:linear-gradient(90deg,{order})"></div>'
    style = "font-size:12px;line-height:1.5;margin:.3em .9em"
    return f'<div style="{style}">{entries}expanded, first to last{bar}</div>'
