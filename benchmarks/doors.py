"""Microseconds per round at the doors people come in by, beside a bare round of Exp3 in NumPy in the same run.

``PYTHONPATH=src .venv/bin/python benchmarks/doors.py --games``. One line per door: microseconds per round (all players together,
ledgers included, certificate at the end), the same in processor time, and how many bare rounds that is. Every door is played
once before it is timed, so compiling is left out. ``DOORS`` says which doors there are: a flag, and functions that yield rows.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import swapregret as sr
from games import routing  # benchmarks/games.py
from swapregret import games


class Door(NamedTuple):
    """A door: what is played, how many rounds, and a function that plays them."""

    name: str
    rounds: int
    play: Callable[[], Any]


def bare_exp3(rounds: int, n_actions: int = 10) -> None:
    """Play Exp3 as one would write it in NumPy: the yardstick."""
    rng = np.random.default_rng(0)
    rewards, scores, step = rng.random((rounds, n_actions)), np.zeros(n_actions), 0.01
    for row in rewards:
        weights = np.exp(step * (scores - scores.max()))
        law = weights / weights.sum()
        action = int(rng.choice(n_actions, p=law))
        scores[action] += row[action] / law[action]


def self_play(name: str, game: games.Game, preset: str, rounds: int, **options: Any) -> Door:
    """Return a game of equal learners with its certificate."""
    players = [sr.swap_combcp(actions, rounds, preset=preset) for actions in game.action_sets]
    return listed(f"{name}, {preset}", game, players, rounds, **options)


def listed(name: str, game: games.Game, players: list[Any], rounds: int, **options: Any) -> Door:
    """Return a game of some learners with its certificate."""

    def play() -> None:
        assert games.self_play(game, players, rounds, rng=0, **options).certificate.epsilon >= 0.0

    return Door(f"{name}, T = {rounds:,}", rounds, play)


def game_doors(scale: float) -> Iterator[Door]:
    """Yield the games."""
    for preset in ("adaptive", "multiscale"):
        for rounds in (10_000, 100_000):
            yield self_play("3×3 matrix game", games.shapley(), preset, int(scale * rounds))
        yield self_play("Shapley (6,2)", games.ShapleyGame(6, 2), preset, int(scale * 100_000))
        yield self_play("routing, 10 commodities, 100 edges", routing(), preset, int(scale * 20_000), checkpoints=1)
    rounds, source = int(scale * 2_000), np.random.default_rng(0)
    wide = games.MatrixGame([source.random((66, 66)) for _ in range(2)])
    for learner in (sr.baselines.regret_matching, sr.baselines.blum_mansour):
        players = [learner(actions, rounds, feedback="full") for actions in wide.action_sets]
        yield listed(f"66×66 matrix game, {learner.__name__}", wide, players, rounds, checkpoints=1)


DOORS: dict[str, Callable[[float], Iterator[Door]]] = {"games": game_doors}


def timed(play: Callable[[], Any]) -> tuple[float, float]:
    """Return seconds by the clock and of the processor."""
    wall, spent = time.perf_counter(), time.process_time()
    play()
    return time.perf_counter() - wall, time.process_time() - spent


def main() -> None:
    """Time the doors that were asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in DOORS:
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--only", default="", help="part of the name of a door")
    parser.add_argument("--scale", type=float, default=1.0, help="times the usual number of rounds")
    given = vars(parser.parse_args())
    wanted = [name for name in DOORS if given[name]] or list(DOORS)
    bare = timed(lambda: bare_exp3(20_000))[1] / 20_000
    sys.stdout.write(f"bare Exp3 in NumPy: {1e6 * bare:.1f} µs per round\n")
    for name in wanted:
        for door in DOORS[name](given["scale"]):
            if given["only"] not in door.name:
                continue
            door.play()
            wall, spent = timed(door.play)
            sys.stdout.write(
                f"{door.name}: {1e6 * wall / door.rounds:.1f} µs per round, {1e6 * spent / door.rounds:.1f} µs of the processor, "
                f"{spent / door.rounds / bare:.2g} bare rounds, {wall:.2f} s in all\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
