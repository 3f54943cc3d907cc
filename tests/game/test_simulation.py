"""The rules of the game: ships, asteroids, guns, enemies, waves."""

import math
from dataclasses import replace

import numpy as np
import pytest

from noctule.game.simulation import rules
from noctule.game.simulation.contacts import rock_on, ships_touch
from noctule.game.simulation.controls import NEUTRAL, Controls
from noctule.game.simulation.enemies import check_algorithm, hunting_algorithms
from noctule.game.simulation.field import Field
from noctule.game.simulation.game import Game
from noctule.game.simulation.guns import Guns
from noctule.game.simulation.headless import PILOTS, play_headless
from noctule.game.simulation.player import Player
from noctule.game.simulation.rocks import rock_models

TIMES = "planning_ms", "planning_cpu_ms"


def straight(**options):
    return Game(**{"algorithm": "straight", "enemies": 0, "seed": 1} | options)


def field(seed=0):
    return Field(np.random.default_rng(seed), np.zeros(3))


def put_enemy(game, place):
    """Add an enemy at a place."""
    return game.enemies._add(np.array(place, float), game.time, game.player)


def clear(game):
    """Move all asteroids out of the way."""
    game.field.position[:] = game.player.position - np.array([0.0, 0.0, 1e5])
    game.field.velocity[:] = 0.0
    game.field.fly = lambda *_: None
    game.field.poses = game.field._poses(0.0)
    game.field.before = game.field.poses.copy()


# ---------------------------------------------------------------------- the player


def flown(controls, seconds, player=None):
    player = player or Player()
    for _ in range(round(seconds / rules.FRAME)):
        player.steer(controls, rules.FRAME)
        player.fly(rules.FRAME)
    return player


def test_the_player_flies_forward_at_constant_speed():
    player = flown(NEUTRAL, 2.0)
    assert np.allclose(player.position, (0.0, 2.0 * rules.PLAYER_SPEED, 0.0))


@pytest.mark.parametrize("yaw", [-1.0, 1.0])
@pytest.mark.parametrize("pitch", [-1.0, 1.0])
def test_turns_go_to_the_side_of_the_stick(yaw, pitch):
    player = flown(Controls(yaw=yaw, pitch=pitch), 0.5)
    assert np.sign(player.forward[0]) == yaw
    assert np.sign(player.forward[2]) == pitch
    assert math.isclose(abs(player.pitch), 0.5 * rules.TURN_RATE)
    assert abs(player.forward @ player.right) < 1e-12


def test_the_nose_stops_short_of_the_vertical():
    assert flown(Controls(pitch=1.0), 5.0).pitch == rules.STEEPEST


def test_boost_ends_when_the_tank_is_empty_and_comes_back():
    player = flown(Controls(boost=True), 1.0)
    assert math.isclose(player.speed, rules.BOOST_SPEED)
    flown(Controls(boost=True), 5.0, player)
    assert player.boost == 0.0
    assert math.isclose(player.speed, rules.PLAYER_SPEED)
    assert flown(NEUTRAL, 1.0, player).boost > 0.0


def test_brake():
    assert math.isclose(flown(Controls(brake=True), 2.0).speed, rules.BRAKE_SPEED)


def test_the_view_comes_back_to_the_middle():
    player = flown(Controls(look_x=1.0, look_y=-1.0), 3.0)
    assert player.look == (rules.LOOK_FARTHEST, -rules.LOOK_FARTHEST)
    assert flown(NEUTRAL, 3.0, player).look == (0.0, 0.0)


# ---------------------------------------------------------------------- asteroids


def test_rocks_are_convex_and_reach_as_far_as_they_say():
    for kind, models in enumerate(rock_models()):
        for model in models:
            assert model.kind == kind
            assert math.isclose(model.hull.reach, model.reach)


def test_small_asteroids_are_faster_and_all_of_them_come_nearer():
    rocks = field()
    speed = np.linalg.norm(rocks.velocity, axis=1)
    for model, own in zip(rocks.models, speed, strict=True):
        assert math.isclose(own, rules.ROCKS[model.kind].speed)
    assert rules.ROCKS[0].speed > rules.ROCKS[1].speed > rules.ROCKS[2].speed
    flat = rocks.position[:, :2]
    assert ((flat * rocks.velocity[:, :2]).sum(axis=1) < 0.0).all()


def test_each_layer_has_its_asteroids():
    rocks = field()
    kinds = [model.kind for model in rocks.models]
    assert kinds.count(2) == len(rules.LAYERS) * rules.ROCKS[2].per_layer
    away = rocks.position[:, 2] - np.repeat(rules.LAYERS, len(rocks) // len(rules.LAYERS))
    assert np.abs(away).max() <= rules.LAYER_HALF
    assert np.hypot(*rocks.position[:, :2].T).max() <= rules.FIELD_RADIUS


def test_asteroids_that_are_left_behind_come_back_at_the_rim_away_from_ships():
    rocks, centre = field(), np.array([0.0, 150.0, 40.0])
    ship = centre + np.array([0.0, rules.FIELD_RADIUS, 0.0])
    rocks.fly(rules.FRAME, centre, [ship])
    assert rocks.moved
    gone = np.array(rocks.moved)
    away = rocks.position - centre
    assert np.allclose(np.hypot(away[gone, 0], away[gone, 1]), rules.FIELD_RADIUS)
    assert (np.linalg.norm(rocks.position[gone] - ship, axis=1) > rocks.reach[gone]).all()
    assert np.hypot(away[:, 0], away[:, 1]).max() <= rules.FIELD_RADIUS + 1e-6
    assert len(rocks) == rules.ROCK_COUNT
    assert np.array_equal(rocks.before[gone], rocks.poses[gone])


@pytest.mark.parametrize("kind", [1, 2])
def test_a_broken_asteroid_becomes_two_smaller_ones_within_it(kind):
    rocks = field()
    i = next(i for i, model in enumerate(rocks.models) if model.kind == kind)
    place, reach = rocks.position[i].copy(), rocks.reach[i]
    health = rules.ROCKS[kind].health
    assert not rocks.hit(i, health - 1.0, 0.0, np.zeros(3), [])
    assert rocks.hit(i, 1.0, 5.0, np.zeros(3), [])
    parts = np.flatnonzero(rocks.born == 5.0)
    assert len(parts) == 2
    assert len(rocks) == rules.ROCK_COUNT
    for part in parts:
        assert rocks.models[part].kind == kind - 1
        assert math.dist(rocks.position[part], place) + rocks.reach[part] <= reach + 1e-9
    assert np.allclose(rocks.poses[parts, :3], rocks.position[parts])


def test_a_broken_small_asteroid_comes_back_at_the_rim():
    rocks = field()
    i = next(i for i, model in enumerate(rocks.models) if model.kind == 0)
    assert rocks.hit(i, 1e3, 0.0, np.zeros(3), [])
    assert math.isclose(np.hypot(*rocks.position[i, :2]), rules.FIELD_RADIUS)


# ---------------------------------------------------------------------- contacts


def test_contact_with_an_asteroid_is_that_with_its_hull():
    rocks, random = field(3), np.random.default_rng(5)
    touched = 0
    for _ in range(300):
        i = int(random.integers(len(rocks)))
        place = rocks.position[i] + random.normal(size=3) * rocks.reach[i] * 0.7
        found, moment = rock_on(rocks, place, place, 2.0)
        model = rocks.models[i]
        # Shallow hulls lie between the balls around and within them.
        far = math.dist(place, rocks.position[i])
        if far < 0.4 * model.reach:
            assert found >= 0
            assert moment == 0.0
        gaps = np.linalg.norm(rocks.position - place, axis=1) - rocks.reach
        if gaps.min() > 2.0:
            assert found == -1
        touched += found >= 0
    assert 20 < touched < 290


def test_ships_touch_on_their_way_and_not_only_at_its_end():
    a, b = np.array([-10.0, 0.0, 0.0]), np.array([10.0, 0.0, 0.0])
    assert ships_touch(a, b, np.zeros(3), np.zeros(3), 4.0) == pytest.approx(0.3)
    assert ships_touch(a, b, np.array([0.0, 5.0, 0.0]), np.array([0.0, 5.0, 0.0]), 4.0) == 2.0


# ---------------------------------------------------------------------- guns


def test_fire_is_repeated_at_the_rate_of_the_gun_until_the_magazine_is_empty():
    guns, player = Guns(), Player()
    fired = []
    for frame in range(1000):
        if "fire" in guns.handle(Controls(fire=True), player):
            fired.append(frame)
    gaps = np.diff(fired) * rules.FRAME
    assert np.allclose(gaps, rules.WEAPONS[0].cooldown, atol=1.01 * rules.FRAME)
    assert len(fired) == rules.WEAPONS[0].magazine // 2
    assert guns.loaded[0] == 0
    assert "empty" in {word for _ in range(60) for word in guns.handle(Controls(fire=True), player)}


def test_reloading_takes_its_time_and_forbids_to_swap_and_to_fire():
    guns, player = Guns(), Player()
    guns.handle(Controls(fire=True), player)
    assert guns.handle(Controls(reload=True), player) == ["reload"]
    assert guns.handle(Controls(swap=True, fire=True), player) == []
    for _ in range(round(rules.WEAPONS[0].reload / rules.FRAME) + 1):
        guns.handle(NEUTRAL, player)
    assert guns.loaded[0] == rules.WEAPONS[0].magazine
    assert guns.handle(Controls(swap=True), player) == ["swap"]
    assert guns.weapon is rules.WEAPONS[1]


def test_shots_end_at_their_range():
    guns, player = Guns(), Player()
    guns.handle(Controls(fire=True), player)
    assert len(guns.shots) == 2
    for _ in range(math.ceil(rules.RANGE / rules.WEAPONS[0].speed / rules.FRAME) + 1):
        guns.fly()
    assert not guns.shots


# ---------------------------------------------------------------------- what happens


def test_a_shot_enemy_is_lost_and_another_one_comes():
    game = straight(enemies=1)
    clear(game)
    game._waiting.clear()
    enemy = put_enemy(game, (0.0, 60.0, 0.0))
    enemy.agent = None
    for _ in range(40):
        game.tick(Controls(fire=True))
    assert game.counts["killed"] == 1
    assert game.score == rules.ENEMY_POINTS
    for _ in range(round(rules.SPAWN_PAUSE / rules.FRAME) + 2):
        game.tick()
    assert len(game.enemies.ships) == 1
    assert game.enemies.ships[0] is not enemy


def test_an_enemy_that_reaches_the_player_takes_health():
    game = straight()
    clear(game)
    game.player.shield = 0.0
    put_enemy(game, (0.0, 30.0, 0.0))
    for _ in range(60):
        game.tick()
    assert game.counts["caught"] == 1
    assert game.player.health == rules.HEALTH - rules.ENEMY_DAMAGE


def test_two_enemies_that_touch_are_both_lost():
    game = straight(immortal=True)
    clear(game)
    for x in (-3.0, 3.0):
        put_enemy(game, (x, 300.0, 0.0))
    for _ in range(300):
        game.tick()
    assert game.counts["collided"] == 2


def test_asteroids_take_health_from_the_player_once_a_second():
    game = straight()
    clear(game)
    i = next(i for i, model in enumerate(game.field.models) if model.kind == 2)
    game.field.position[i] = (0.0, 80.0, 0.0)
    game.field.poses = game.field._poses(0.0)
    game.field.before = game.field.poses.copy()
    for _ in range(round(5.0 / rules.FRAME)):
        game.tick()
    assert 1 <= game.counts["bumped"] <= 4
    assert game.player.health == rules.HEALTH - game.counts["bumped"] * rules.ROCK_DAMAGE


def test_the_game_is_over_without_health_and_stands_still():
    game = straight()
    game.player.health, game.player.shield = 1.0, 0.0
    game._harm(rules.ROCK_DAMAGE)
    assert game.over
    frame = game.frame
    game.tick()
    assert game.frame == frame


def test_waves_bring_more_enemies():
    game = Game(1, algorithm="straight", immortal=True)
    seen = []
    for _ in rules.WAVES:
        seen.append(game.enemies_wanted)
        game.wave_left = 0.0
        game.tick()
    assert tuple(seen) == rules.WAVES
    assert game.enemies_wanted == rules.WAVES[-1]
    assert game.score == rules.WAVE_POINTS * sum(range(1, len(rules.WAVES) + 1))
    assert len(game.enemies.ships) + len(game._waiting) == rules.WAVES[-1]


def test_enemies_that_are_left_behind_start_anew():
    game = straight(enemies=1)
    game.tick()
    ship = game.enemies.ships[0]
    ship.position = ship.position + np.array([0.0, 0.0, 1e4])
    game.tick()
    assert game.counts["lost"] == 1
    assert ship not in game.enemies.ships


def test_wrong_arguments():
    with pytest.raises(ValueError, match="difficulty is 'mad'; allowed are easy, normal, hard"):
        Game(difficulty="mad")
    with pytest.raises(ValueError, match="enemies are -1"):
        Game(enemies=-1)
    with pytest.raises(ValueError, match="algorithm is 'safe-intervals'; those that can hunt"):
        check_algorithm("safe-intervals")
    with pytest.raises(ValueError, match="pilot is 'me'; allowed are demo, unarmed, even"):
        play_headless(straight(), 1.0, "me")


def test_hunting_algorithms_are_those_of_the_catalogue():
    names = hunting_algorithms()
    assert names[-1] == rules.STRAIGHT
    assert {"a*", "lazy-theta*", "ad*", "aamt-d*-lite", "taut"} <= set(names)
    assert check_algorithm("astar") == "a*"


# ---------------------------------------------------------------------- whole games


def report(seed, seconds, **options):
    return play_headless(Game(seed, immortal=True, **options), seconds)


def without_times(result):
    return {name: value for name, value in result.items() if name not in TIMES}


def test_the_same_seed_gives_the_same_game_and_another_one_another():
    first, again = (without_times(report(4, 3.0, enemies=3)) for _ in range(2))
    assert first == again
    assert first["frames"] == 180
    assert first["expanded"] > 0
    assert without_times(report(5, 3.0, enemies=3)) != first


def test_the_same_inputs_give_the_same_game():
    keys = [Controls(yaw=math.sin(k / 9), fire=k % 7 == 0, boost=k % 50 > 40) for k in range(200)]
    games = [Game(2, enemies=2) for _ in range(2)]
    for controls in keys:
        events = [game.tick(replace(controls)) for game in games]
        assert [e.what for e in events[0]] == [e.what for e in events[1]]
    assert np.array_equal(games[0].field.poses, games[1].field.poses)
    assert np.array_equal(games[0].player.position, games[1].player.position)


def test_a_player_that_flies_evenly_is_caught():
    game = Game(1, enemies=1, immortal=True)
    play_headless(game, 40.0, "even")
    assert game.counts["caught"] >= 1
    assert game.counts["crashed: asteroid"] == 0


def test_who_flies_straight_hits_asteroids():
    game = Game(1, enemies=8, algorithm="straight", immortal=True)
    play_headless(game, 40.0, "even")
    assert game.counts["crashed: asteroid"] >= 3


def test_pilots_are_those_that_the_command_offers():
    assert tuple(PILOTS) == ("demo", "unarmed", "even")
