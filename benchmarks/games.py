"""How close learners come to correlated equilibrium in self-play: the figures of docs/games.md.

Run with ``PYTHONPATH=src .venv/bin/python benchmarks/games.py shapley --seeds 4``. Prints one line a learner: the mean over seeds
of the sum of the players' swap gaps (in rewards), a 95 % interval from Student's t, and the largest of the runs.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from speed.doors import routing

import swapregret as sr
from swapregret import games
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.learners.lazy import AdaptiveRate
from swapregret.regret.measure import standard_error, student_factor

Make = Callable[[Any, int], Any]


def congestion() -> games.Game:
    """Return two players who choose 3 of 10 resources, dearer when shared."""
    source = np.random.default_rng(0)
    return games.CongestionGame([MSets(10, 3)] * 2, games.affine_costs(source.uniform(0, 0.5, 10), 0.5, 2))


def slow(actions: Any, days: int, feedback: str) -> Any:
    """Return Swap-ComBCP for sets whose decomposition is dear: one variant, a long bottom window, a smaller step."""
    windows = (max(32, days // 512), days // 64, days // 16, days // 4, days)
    return sr.swap_combcp(
        actions,
        days,
        feedback=feedback,
        variants=1,
        rate=AdaptiveRate(1.0),
        schedule=sr.Schedule(windows=windows),
        preset="multiscale",
    )


GAMES: dict[str, tuple[Callable[[], games.Game], int]] = {
    "shapley": (partial(games.ShapleyGame, 6, 2), 100_000),
    "congestion": (congestion, 100_000),
    "blotto": (partial(games.BlottoGame, (10, 10), 5), 32_768),
    "blotto-large": (partial(games.BlottoGame, (30, 30), 10), 8_192),
    "routing": (routing, 10_000),
}
LEARNERS: dict[str, Make] = {
    "adaptive": lambda actions, days: sr.swap_combcp(actions, days, preset="adaptive"),
    "multiscale": lambda actions, days: sr.swap_combcp(actions, days, preset="multiscale"),
    "semi-bandit": lambda actions, days: sr.swap_combcp(actions, days, feedback="semi-bandit", preset="multiscale"),
    "slow": lambda actions, days: slow(actions, days, "bandit"),
    "slow-semi-bandit": lambda actions, days: slow(actions, days, "semi-bandit"),
    "slow-full": lambda actions, days: slow(actions, days, "full"),
    "full": lambda actions, days: sr.swap_combcp(actions, days, feedback="full", preset="multiscale"),
    "single": sr.baselines.combcp,
    "uniform": lambda actions, _: sr.baselines.uniform(actions),
}


def main() -> None:
    """Play, and print a line a learner."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=["adaptive", "single", "uniform"])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--windows", type=int, default=200)
    given = parser.parse_args()
    make, usual = GAMES[given.game]
    rounds = given.rounds or usual
    for name in given.learners:
        sums, worst, bracket, started = [], [], 0.0, time.perf_counter()
        for seed in range(given.first_seed, given.first_seed + given.seeds):
            game = make()
            players = [LEARNERS[name](actions, rounds) for actions in game.action_sets]
            result = games.self_play(game, players, rounds, rng=seed, windows=given.windows, checkpoints=1)
            found = result.certificate
            sums.append(found.total)
            worst.append(found.epsilon)
            bracket = max(bracket, found.epsilon - found.lower)
            sys.stderr.write(f"{given.game} {name} seed {seed}: {found.total:.4f}\n")
        seconds = (time.perf_counter() - started) / given.seeds
        half = student_factor(len(sums)) * standard_error(sums)
        sys.stdout.write(
            f"{given.game} T={rounds} {name}: sum of swap gaps {np.mean(sums):.4f} ± {half:.4f} (95 %, {given.seeds} seeds, "
            f"largest {max(sums):.4f}), epsilon {np.mean(worst):.4f}, bracket {bracket:.2g}, {seconds:.0f} s a run\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
