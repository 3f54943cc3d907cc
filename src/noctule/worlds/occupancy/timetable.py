"""`Timetable`: the cells that moving bodies will meet, by time.

Time is divided into bins of 0.1 s. Each cell has a word with one bit per future bin. As time
passes, all words are shifted and the new bins are filled in. A body is sampled three times per bin
and grown by its motion between samples, so a cell whose bit is not set is free for the whole bin.
Predictions that change from plan to plan (see `forecasts`) form an overlay: they are added to the
words and removed again at the next update.
"""

import math
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.worlds.bodies import Body
from noctule.worlds.geometry.rotations import Vector
from noctule.worlds.geometry.solids import Solids, pack
from noctule.worlds.motions import Blink, Motion, Pose
from noctule.worlds.occupancy.busy_bits import Words, mark_bins, new_words, shift
from noctule.worlds.occupancy.forecasts import GateForecast, Track
from noctule.worlds.occupancy.occupancy import rows_for, scratch_for
from noctule.worlds.occupancy.voxelize import Rows, Scratch, cells_of
from noctule.worlds.scene import Scene

BIN = 0.1  # seconds
MAX_BINS = 62  # per word: the sign bit stays clear, and one bit past the last bin can be set
SLACK = 10  # bins that are filled in beyond those requested
SAMPLES = 3  # poses per bin


class Group(NamedTuple):
    """Bodies packed for kernels, and memory to find their cells."""

    bodies: list[Body]
    solids: Solids
    rows: Rows
    scratch: Scratch


class Timetable:
    """The cells that the bodies of a scene will meet, by time; safety shapes are ignored.

    Attributes
    ----------
    start, bins : int
        The words cover the bins `start` to `start + bins - 1`, counted from time 0.
    walls : list of Body
        The static bodies.
    layout_version : int
        Incremented when `walls` changes.
    build_seconds : float
        Total time spent on filling in bins.

    Examples
    --------
    >>> import noctule as nt
    >>> from noctule.worlds.occupancy.timetable import Timetable
    >>> table = Timetable(nt.Scene.load("test-environment"))
    >>> table.update(0.0, 3.0)
    >>> table.bins, len(table.walls), table.cells > 1000, table.bytes < 10e6
    (31, 44, True, True)
    >>> print(table)  # doctest: +ELLIPSIS
    Timetable(... cells are busy in some of 31 bins; ... MB, filled in within ... ms)
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        space = scene.space
        self._cells = cells_of(space)
        n = math.prod(count + 2 for count in space.cells)
        self._words, self._overlay = new_words(n), new_words(n)
        self.start = self.bins = 0
        self._filled = 0  # first bin that is not filled in yet
        self.layout_version = 0
        self.build_seconds = 0.0
        self.walls: list[Body] = []
        self._moving_before: list[Body] | None = None  # `scene.moving` at the last update
        self._bodies: list[tuple[Body, Motion | None]] = []
        self._moving = self._group([])
        self._tracked = self._group([])  # bodies moved by `place`
        self._tracks: dict[int, Track] = {}
        self._gates: list[GateForecast] = []
        self._replaced: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # cells, old words

    def __repr__(self) -> str:
        size, spent = f"{self.bytes / 1e6:.1f} MB", f"{1e3 * self.build_seconds:.0f} ms"
        busy = f"{self.cells} cells are busy in some of {self.bins} bins"
        return f"Timetable({busy}; {size}, filled in within {spent})"

    @property
    def words(self) -> NDArray[np.int64]:
        """One word per cell, numbered as in a `Grid`; bit k is set if it is busy in bin k."""
        return self._words.word

    @property
    def cells(self) -> int:
        """Number of cells that are busy in any bin."""
        return int(self._words.size[0])

    @property
    def bytes(self) -> int:
        """Memory of the words, in bytes."""
        return int(sum(part.nbytes for words in (self._words, self._overlay) for part in words))

    def update(
        self, now: float, until: float, agent: Vector | None = None, speed: float = 1.0
    ) -> None:
        """Update the words for the time from `now` to `until` (seconds).

        An agent at this position, with this speed, may hold gates.
        """
        started = perf_counter()
        start = math.floor(now / BIN + 1e-9)
        bins = min(math.ceil(until / BIN - 1e-9) - start + 1, MAX_BINS)
        new = self._classify_bodies(now)
        changed = [gate.update(now, (start + bins) * BIN, agent, speed) for gate in self._gates]
        same = (start, bins) == (self.start, self.bins) and not (new or self._tracked.bodies)
        if same and not any(changed):
            return
        self._remove_overlay()
        if new or start < self.start:
            self._clear(start)
        if start > self.start:
            shift(self._words, min(start - self.start, 63))
        filled = max(self._filled - start, 0)
        self.start, self.bins = start, bins
        if filled < bins:
            end = min(bins + SLACK, MAX_BINS)
            self._fill(self._moving, self._words, filled, end)
            filled = end
        self._filled = start + filled
        self._apply_overlay()
        self.build_seconds += perf_counter() - started

    def busy_cells(self) -> Iterator[NDArray[np.int64]]:
        """Yield the cells that are busy in any bin; a cell may occur more than once."""
        yield self._words.touched[: self._words.size[0]]
        for cells, _ in self._replaced:
            yield cells

    def deviates_from_forecast(self, now: float) -> list[Body]:
        """Return the bodies that are not at their forecast pose."""
        bodies = self._with_motions()
        if bodies != self._bodies:
            return [body for body, _ in set(bodies) ^ set(self._bodies)]
        near = 0.25 * self.scene.space.cell
        return [gate.body for gate in self._gates if gate.deviates_from_forecast(now)] + [
            track.body for track in self._tracks.values() if track.deviates_from_forecast(now, near)
        ]

    def _classify_bodies(self, now: float) -> bool:
        """Sort bodies into walls, moving, gates and tracked ones; return whether any is new."""
        if self.scene.moving is self._moving_before and not self._tracked.bodies:
            return False  # bodies only followed their motions
        self._moving_before = self.scene.moving
        bodies = self._with_motions()
        still = [body for body in self.scene.bodies if not body.moves]
        self._tracks = {id(b): self._tracks.get(id(b)) or Track(b, now) for b in still}
        for track in self._tracks.values():
            track.observe(now)
        tracked = [body for body in still if self._tracks[id(body)].placed]
        if tracked != self._tracked.bodies:
            self._tracked = self._group(tracked)
        walls = [body for body in still if not self._tracks[id(body)].placed]
        if walls != self.walls:
            self.walls = walls
            self.layout_version += 1
        if bodies == self._bodies:
            return False
        self._bodies = bodies
        moving = [body for body, _ in bodies if body.moves]
        self._gates = [
            GateForecast(body, self._cells_of_body(body), self.scene.space)
            for body in moving
            if _is_gate(body)
        ]
        self._moving = self._group([body for body in moving if not _is_gate(body)])
        return True

    def _with_motions(self) -> list[tuple[Body, Motion | None]]:
        """Return each body with its motion; None if it is static."""
        return [(body, body.motion if body.moves else None) for body in self.scene.bodies]

    def _clear(self, start: int) -> None:
        shift(self._words, 63)
        self.start = self._filled = start

    def _group(self, bodies: list[Body]) -> Group:
        solids = pack([(k, body.shape) for k, body in enumerate(bodies)])
        rows = rows_for(solids.reach + self._cells.size, self._cells)
        return Group(bodies, solids, rows, scratch_for(solids))

    def _fill(self, group: Group, words: Words, first: int, end: int) -> None:
        """Set the bits of bodies in bins `first` to `end` - 1."""
        bodies, solids, rows, scratch = group
        if first >= end or not bodies:
            return
        samples = np.arange(-1, SAMPLES * (end - first) + 1) + 0.5
        times = ((self.start + first + samples / SAMPLES) * BIN).tolist()
        poses = np.array(
            [[(*p, *q, 1.0) for p, q in map(self._poses(body), times)] for body in bodies]
        ).transpose(1, 0, 2)
        # The growth is capped at one cell: a body that jumps farther does not sweep the gap.
        grown = np.minimum(_motion_margins(poses, solids.reach) / self._cells.size, 1.0)
        samples = np.ascontiguousarray(poses[1:-1]).reshape(end - first, SAMPLES, len(bodies), 8)
        mark_bins(solids, samples, grown, self._cells, rows, scratch, words, first)

    def _poses(self, body: Body) -> Callable[[float], Pose]:
        track = self._tracks.get(id(body))
        return body.pose if track is None else track.pose

    def _cells_of_body(self, body: Body) -> NDArray[np.int64]:
        """Return the cells that a body meets at its current pose, whether it is present or not."""
        _, solids, rows, scratch = self._group([body])
        poses, grown = np.array([[[(*body.row[:7], 1.0)]]]), np.zeros((1, 1))
        mark_bins(solids, poses, grown, self._cells, rows, scratch, self._overlay, 0)
        return self._take_overlay()[0]

    def _take_overlay(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cells and words in `_overlay`, and clear it."""
        cells = self._overlay.touched[: self._overlay.size[0]].copy()
        bits = self._overlay.word[cells]
        shift(self._overlay, 63)
        return cells, bits

    def _apply_overlay(self) -> None:
        """Add the predictions for gates and tracked bodies to the words; keep the old words."""
        for gate in self._gates:
            for cells, spans in ((gate.cells, gate.present), (gate.hold_cells, gate.held)):
                bits = self._bits(spans)
                if bits:
                    self._overlay_bits(cells, bits)
        if self._tracked.bodies:
            self._fill(self._tracked, self._overlay, 0, self.bins)
            self._overlay_bits(*self._take_overlay())

    def _overlay_bits(self, cells: NDArray[np.int64], bits: NDArray[np.int64] | int) -> None:
        self._replaced.append((cells, self._words.word[cells]))
        self._words.word[cells] |= bits

    def _remove_overlay(self) -> None:
        while self._replaced:
            cells, words = self._replaced.pop()
            self._words.word[cells] = words

    def _bits(self, spans: list[tuple[float, float]]) -> int:
        """Return a word with a bit set for each bin that the time spans overlap."""
        mask = 0
        for a, b in spans:
            low = min(max(math.floor(a / BIN + 1e-9) - self.start, 0), self.bins)
            high = min(max(math.ceil(b / BIN - 1e-9) - self.start, low), self.bins)
            mask |= (1 << high) - (1 << low)
        return mask


def _is_gate(body: Body) -> bool:
    return isinstance(body.motion, Blink)


def _motion_margins(poses: NDArray[np.float64], reach: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return half the largest displacement between two samples, per bin and body.

    The samples just before and after a bin are included. A body that reverses between two samples
    moves farther than their distance, but not farther than between the samples beside them.
    """
    moved = np.linalg.norm(np.diff(poses[:, :, :3], axis=0), axis=2)
    p, q = poses[:-1, :, 3:7], poses[1:, :, 3:7]
    gap = np.minimum(np.linalg.norm(p - q, axis=2), np.linalg.norm(p + q, axis=2))
    steps = moved + reach * 4.0 * np.arcsin(np.minimum(0.5 * gap, 1.0))
    bins = (len(steps) - 1) // SAMPLES
    within = np.stack([steps[k : k + SAMPLES * bins] for k in (0, 1)]).reshape(2, bins, SAMPLES, -1)
    halves: NDArray[np.float64] = 0.5 * within.max(axis=(0, 2))
    return halves
