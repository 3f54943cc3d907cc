"""`Game`: one game, from frame to frame."""

from __future__ import annotations

from collections import Counter

import numpy as np

from noctule.game.simulation import rules
from noctule.game.simulation.contacts import rock_on, ships_touch
from noctule.game.simulation.controls import NEUTRAL, Controls
from noctule.game.simulation.enemies import Enemies, Enemy
from noctule.game.simulation.events import Event
from noctule.game.simulation.field import Array, Field
from noctule.game.simulation.guns import Guns, Shot
from noctule.game.simulation.player import Player
from noctule.game.simulation.window import AsteroidWindow


class Game:
    """Lost in Space: fly through asteroids, and do not get caught.

    Parameters
    ----------
    seed : int
        Draws the asteroids and the places where enemies appear.
    difficulty : str
        One of `rules.DIFFICULTIES`: speed and algorithm of the enemies.
    algorithm : str, optional
        How the enemies plan; that of the difficulty unless given.
    enemies : int, optional
        So many enemies at all times, instead of waves.
    speed : float, optional
        Speed of the enemies; that of the difficulty unless given.
    budget_ms : float, optional
        Milliseconds for planning in a frame. Without it, the same seed and inputs give the same
        game.
    immortal : bool
        Whether health is refilled instead of ending the game.

    Attributes
    ----------
    frame, time : int, float
        Frames and seconds so far.
    score, wave : int
        Points, and the number of the wave, from 1 on.
    events : list of Event
        What happened in the last frame.
    counts : Counter
        How often each kind of event happened; "crashed: ..." by cause.
    over : bool
        Whether the player has lost.
    """

    def __init__(
        self,
        seed: int = 0,
        difficulty: str = "normal",
        algorithm: str | None = None,
        enemies: int | None = None,
        speed: float | None = None,
        budget_ms: float | None = None,
        immortal: bool = False,
    ) -> None:
        if difficulty not in rules.DIFFICULTIES:
            allowed = ", ".join(rules.DIFFICULTIES)
            raise ValueError(f"difficulty is {difficulty!r}; allowed are {allowed}")
        if enemies is not None and enemies < 0:
            raise ValueError(f"enemies are {enemies}; expected a whole number from 0 on")
        level = rules.DIFFICULTIES[difficulty]
        self.seed, self.difficulty, self._fixed, self._immortal = seed, level, enemies, immortal
        random = np.random.default_rng([seed, 31])
        self.player, self.guns = Player(), Guns()
        self.field = Field(random, self.player.position)
        self.window = AsteroidWindow(self.field, self.player)
        self.enemies = Enemies(
            self.field,
            self.window,
            level.algorithm if algorithm is None else algorithm,
            level.speed if speed is None else speed,
            budget_ms,
            random,
        )
        self.frame = self.score = 0
        self.wave, self.wave_left, self._kills = 1, rules.WAVE_SECONDS, 0
        self.over = False
        self.events: list[Event] = []
        self.counts: Counter[str] = Counter()
        self.hunted_for: list[float] = []  # seconds from the appearance of an enemy to its catch
        self._waiting: list[float] = [0.0] * self.enemies_wanted  # when enemies appear

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.frame * rules.FRAME

    @property
    def enemies_wanted(self) -> int:
        """How many enemies there are to be at once."""
        if self._fixed is not None:
            return self._fixed
        return rules.WAVES[min(self.wave, len(rules.WAVES)) - 1]

    def tick(self, controls: Controls = NEUTRAL) -> list[Event]:
        """Play one frame; return what happened."""
        self.events = []
        if self.over:
            return self.events
        self.frame += 1
        player, ships = self.player, [enemy.position for enemy in self.enemies.ships]
        before = player.position
        player.steer(controls, rules.FRAME)
        player.fly(rules.FRAME)
        self.field.fly(self.time, player.position, [player.position, *ships])
        self.enemies.fly(self.time, player)
        for what in self.guns.handle(controls, player):
            self._report(what, player.position)
        self.guns.fly()
        self._judge_shots()
        self._judge_enemies(before)
        self._judge_player(before)
        self._keep_up_wave()
        return self.events

    # ------------------------------------------------------------------ contacts

    def _judge_shots(self) -> None:
        ended = [shot for shot in self.guns.shots if self._shot_ends(shot)]
        self.guns.shots = [shot for shot in self.guns.shots if shot not in ended]

    def _shot_ends(self, shot: Shot) -> bool:
        """Let a shot hit what it meets first; return whether it has."""
        ends = shot.before, shot.position
        rock, moment = rock_on(self.field, *ends, shot.weapon.radius)
        struck: Enemy | None = None
        for ship in self.enemies.ships:
            near = shot.weapon.radius + rules.SHIP_RADIUS
            touch = ships_touch(*ends, ship.before, ship.position, near)
            if touch < moment:
                struck, moment = ship, touch
        if moment > 1.0:
            return False
        place = shot.before + moment * (shot.position - shot.before)
        self._report("hit", place)
        if struck is not None:
            struck.health -= shot.weapon.damage
            if struck.health <= 0.0:
                self._lose(struck, "killed")
                self._kills += 1
                self.score += rules.ENEMY_POINTS
        else:
            self._hit_rock(rock, shot.weapon.damage)
        return True

    def _hit_rock(self, rock: int, damage: float) -> None:
        kind, place = self.field.models[rock].kind, self.field.position[rock].copy()
        size = float(self.field.reach[rock])
        ships = [self.player.position, *(ship.position for ship in self.enemies.ships)]
        if self.field.hit(rock, damage, self.time, self.player.position, ships):
            self.score += rules.ROCKS[kind].points
            self._report("broken", place, size)

    def _judge_enemies(self, before: Array) -> None:
        """Find enemies that touched the player, an asteroid, or one another."""
        player, ships = self.player, list(self.enemies.ships)
        lost: dict[Enemy, str] = {}
        for ship in ships:
            rock, moment = rock_on(self.field, ship.before, ship.position, rules.SHIP_RADIUS)
            near = 2.0 * rules.SHIP_RADIUS
            touch = ships_touch(ship.before, ship.position, before, player.position, near)
            if min(moment, touch) <= 1.0:
                lost[ship] = "caught" if touch <= moment else self._cause(rock)
        for i, ship in enumerate(ships):
            for other in ships[i + 1 :]:
                near = 2.0 * rules.SHIP_RADIUS
                ends = ship.before, ship.position, other.before, other.position
                if ships_touch(*ends, near) <= 1.0:
                    lost.setdefault(ship, "collided")
                    lost.setdefault(other, "collided")
        for ship, cause in lost.items():
            if cause == "caught":
                self.hunted_for.append(self.time - ship.born)
                self._harm(rules.ENEMY_DAMAGE)
            self._lose(ship, cause)
        for ship in self.enemies.far_away(player):
            self._lose(ship, "lost")

    def _cause(self, rock: int) -> str:
        """Return why an enemy touched an asteroid."""
        is_fresh = self.time - self.field.born[rock] < rules.FRESH
        return "crashed: fragment" if is_fresh else "crashed: asteroid"

    def _judge_player(self, before: Array) -> None:
        player = self.player
        if player.shield > 0.0:
            return
        rock, moment = rock_on(self.field, before, player.position, rules.SHIP_RADIUS)
        if moment <= 1.0:
            self._report("bumped", player.position, float(self.field.reach[rock]))
            self._harm(rules.ROCK_DAMAGE)

    def _harm(self, damage: float) -> None:
        """Take health from the player, unless it has just been hit."""
        player = self.player
        if player.shield > 0.0:
            return
        player.health -= damage
        player.shield = rules.SHIELD_SECONDS
        if player.health <= 0.0:
            self.over = not self._immortal
            self._report("over", player.position)
            player.health = rules.HEALTH if self._immortal else 0.0

    def _lose(self, enemy: Enemy, what: str) -> None:
        """An enemy is gone; another one comes after a while."""
        self.enemies.remove(enemy)
        self._report(what, enemy.position)
        self._waiting.append(self.time + rules.SPAWN_PAUSE)

    # ------------------------------------------------------------------ waves

    def _keep_up_wave(self) -> None:
        if self._fixed is None:
            self.wave_left -= rules.FRAME
            if self.wave_left <= 0.0 or self._kills >= self.enemies_wanted:
                self.score += rules.WAVE_POINTS * self.wave
                self.wave, self.wave_left, self._kills = self.wave + 1, rules.WAVE_SECONDS, 0
                self._report("wave", self.player.position)
                missing = self.enemies_wanted - len(self.enemies.ships) - len(self._waiting)
                self._waiting += [self.time + k * rules.SPAWN_PAUSE for k in range(missing)]
        due = [when for when in self._waiting if when <= self.time]
        for when in due:
            enemy = self.enemies.spawn(self.time, self.player)
            if enemy is None:
                break
            self._waiting.remove(when)
            self._report("spawned", enemy.position)

    def _report(self, what: str, place: Array, size: float = 1.0) -> None:
        self.events.append(Event(what.split(":")[0], place.copy(), size))
        self.counts[what] += 1
