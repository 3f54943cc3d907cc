"""`Timetable`: which cells moving bodies will meet, and when.

Time is cut into bins of a tenth of a second. Each cell has one word with a bit for each bin ahead;
as time goes on all words are shifted, and the bins that come into view are filled in. A body is
looked at three times a bin and grown by as much as it moves in between, so that a cell whose bit is
not set stays free for the whole bin. What can only be guessed anew for each plan (see `forecasts`)
is laid over the words and taken off again.
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
MOST_BINS = 62  # of a word: its sign stays clear, and one more bit can be set past the last
SLACK = 10  # bins that are filled in beyond those asked for, when there are any to fill in
LOOKS = 3  # at a body in each bin


class Group(NamedTuple):
    """Bodies as kernels see them, and memory to find their cells."""

    bodies: list[Body]
    solids: Solids
    rows: Rows
    scratch: Scratch


class Timetable:
    """The cells that the bodies of a scene will meet, by time; safety shapes are left out.

    Attributes
    ----------
    start, bins : int
        The bins that the words tell about: `start` is the number of the first one since time 0.
    walls : list of Body
        What never moves.
    layout : int
        Another number whenever `walls` are others.
    built : float
        Seconds spent on filling in bins so far.

    Examples
    --------
    >>> import noctule as nt
    >>> from noctule.worlds.occupancy.timetable import Timetable
    >>> table = Timetable(nt.Scene.load("test-environment"))
    >>> table.look(0.0, 3.0)
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
        self._words, self._guess = new_words(n), new_words(n)
        self.start = self.bins = 0
        self._filled = 0  # the first bin that is not filled in yet
        self.layout = 0
        self.built = 0.0
        self.walls: list[Body] = []
        self._stock: list[Body] | None = None  # what moved at the last look
        self._seen: list[tuple[Body, Motion | None]] = []
        self._moving = self._group([])
        self._tracked = self._group([])  # those that somebody places
        self._tracks: dict[int, Track] = {}
        self._gates: list[GateForecast] = []
        self._covered: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # cells, their words

    def __repr__(self) -> str:
        size, spent = f"{self.bytes / 1e6:.1f} MB", f"{1e3 * self.built:.0f} ms"
        busy = f"{self.cells} cells are busy in some of {self.bins} bins"
        return f"Timetable({busy}; {size}, filled in within {spent})"

    @property
    def words(self) -> NDArray[np.int64]:
        """One word a cell, numbered as in a `Grid`; bit k is set while it is busy in bin k."""
        return self._words.word

    @property
    def cells(self) -> int:
        """Return how many cells some body will meet."""
        return int(self._words.size[0])

    @property
    def bytes(self) -> int:
        """Memory that the words take."""
        return int(sum(part.nbytes for words in (self._words, self._guess) for part in words))

    def look(
        self, now: float, until: float, agent: Vector | None = None, speed: float = 1.0
    ) -> None:
        """Tell about the time from `now` to `until`, with an agent there that may hold gates."""
        began = perf_counter()
        start = math.floor(now / BIN + 1e-9)
        bins = min(math.ceil(until / BIN - 1e-9) - start + 1, MOST_BINS)
        new = self._take_stock(now)
        others = [gate.look(now, (start + bins) * BIN, agent, speed) for gate in self._gates]
        same = (start, bins) == (self.start, self.bins) and not (new or self._tracked.bodies)
        if same and not any(others):
            return
        self._take_off()
        if new or start < self.start:
            self._forget(start)
        if start > self.start:
            shift(self._words, min(start - self.start, 63))
        filled = max(self._filled - start, 0)
        self.start, self.bins = start, bins
        if filled < bins:
            end = min(bins + SLACK, MOST_BINS)
            self._fill(self._moving, self._words, filled, end)
            filled = end
        self._filled = start + filled
        self._lay_guesses_over()
        self.built += perf_counter() - began

    def busy_cells(self) -> Iterator[NDArray[np.int64]]:
        """Numbers of the cells that are busy in any of the bins, some of them more than once."""
        yield self._words.touched[: self._words.size[0]]
        for cells, _ in self._covered:
            yield cells

    def deviates_from_forecast(self, now: float) -> list[Body]:
        """Return the bodies that are not where they were expected at this time."""
        seen = self._with_motions()
        if seen != self._seen:
            return [body for body, _ in set(seen) ^ set(self._seen)]
        near = 0.25 * self.scene.space.cell
        return [gate.body for gate in self._gates if gate.deviates_from_forecast(now)] + [
            track.body for track in self._tracks.values() if track.deviates_from_forecast(now, near)
        ]

    def _take_stock(self, now: float) -> bool:
        """Sort bodies into walls, moving ones, gates and tracked ones; whether any is new."""
        if self.scene.moving is self._stock and not self._tracked.bodies:
            return False  # nothing has happened to any body but what time does
        self._stock = self.scene.moving
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
            self.layout += 1
        if bodies == self._seen:
            return False
        self._seen = bodies
        moving = [body for body, _ in bodies if body.moves]
        self._gates = [
            GateForecast(body, self._met_by(body), self.scene.space)
            for body in moving
            if _is_gate(body)
        ]
        self._moving = self._group([body for body in moving if not _is_gate(body)])
        return True

    def _with_motions(self) -> list[tuple[Body, Motion | None]]:
        """Return the bodies and their motions; None for those that stand."""
        return [(body, body.motion if body.moves else None) for body in self.scene.bodies]

    def _forget(self, start: int) -> None:
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
        looks = np.arange(-1, LOOKS * (end - first) + 1) + 0.5
        times = ((self.start + first + looks / LOOKS) * BIN).tolist()
        poses = np.array(
            [[(*p, *q, 1.0) for p, q in map(self._poses(body), times)] for body in bodies]
        ).transpose(1, 0, 2)
        # A body that jumps farther than two cells is not taken to sweep all that lies between.
        grown = np.minimum(_growth(poses, solids.reach) / self._cells.size, 1.0)
        looks = np.ascontiguousarray(poses[1:-1]).reshape(end - first, LOOKS, len(bodies), 8)
        mark_bins(solids, looks, grown, self._cells, rows, scratch, words, first)

    def _poses(self, body: Body) -> Callable[[float], Pose]:
        track = self._tracks.get(id(body))
        return body.pose if track is None else track.pose

    def _met_by(self, body: Body) -> NDArray[np.int64]:
        """Return the cells that a body meets where it is, present or not."""
        _, solids, rows, scratch = self._group([body])
        poses, grown = np.array([[[(*body.row[:7], 1.0)]]]), np.zeros((1, 1))
        mark_bins(solids, poses, grown, self._cells, rows, scratch, self._guess, 0)
        return self._take_guess()[0]

    def _take_guess(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cells and words of what was put into `_guess`, which is empty afterwards."""
        cells = self._guess.touched[: self._guess.size[0]].copy()
        bits = self._guess.word[cells]
        shift(self._guess, 63)
        return cells, bits

    def _lay_guesses_over(self) -> None:
        """Add what is guessed for this plan only, and remember what was there."""
        for gate in self._gates:
            for cells, spans in ((gate.cells, gate.present), (gate.hold_cells, gate.held)):
                bits = self._bits(spans)
                if bits:
                    self._cover(cells, bits)
        if self._tracked.bodies:
            self._fill(self._tracked, self._guess, 0, self.bins)
            self._cover(*self._take_guess())

    def _cover(self, cells: NDArray[np.int64], bits: NDArray[np.int64] | int) -> None:
        self._covered.append((cells, self._words.word[cells]))
        self._words.word[cells] |= bits

    def _take_off(self) -> None:
        while self._covered:
            cells, words = self._covered.pop()
            self._words.word[cells] = words

    def _bits(self, spans: list[tuple[float, float]]) -> int:
        """Return a word with the bins set that time spans meet."""
        mask = 0
        for a, b in spans:
            low = min(max(math.floor(a / BIN + 1e-9) - self.start, 0), self.bins)
            high = min(max(math.ceil(b / BIN - 1e-9) - self.start, low), self.bins)
            mask |= (1 << high) - (1 << low)
        return mask


def _is_gate(body: Body) -> bool:
    return isinstance(body.motion, Blink)


def _growth(poses: NDArray[np.float64], reach: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each bin and body half the longest path of a point of it between two samples.

    The samples just before and after a bin count, too: where a body turns round between two samples
    it has gone farther than they are apart, but not farther than between others beside them.
    """
    moved = np.linalg.norm(np.diff(poses[:, :, :3], axis=0), axis=2)
    p, q = poses[:-1, :, 3:7], poses[1:, :, 3:7]
    gap = np.minimum(np.linalg.norm(p - q, axis=2), np.linalg.norm(p + q, axis=2))
    steps = moved + reach * 4.0 * np.arcsin(np.minimum(0.5 * gap, 1.0))
    bins = (len(steps) - 1) // LOOKS
    within = np.stack([steps[k : k + LOOKS * bins] for k in (0, 1)]).reshape(2, bins, LOOKS, -1)
    halves: NDArray[np.float64] = 0.5 * within.max(axis=(0, 2))
    return halves
