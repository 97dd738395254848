"""Thompson sampling, upper bounds and ε-greedy, simulated slowly from their formulas: the policy of every day."""

import math
from typing import Any

import numpy as np
import pytest
from tests.late import Late
from tests.literal.test_algorithm_one import LADDER, chances_of

import swapregret as sr
from swapregret.learners.player import Decision

SETS: Late[Any] = Late(
    {
        "m-sets": lambda: (sr.MSets(6, 2), lambda literal: literal.m_sets(6, 2)),
        "paths": lambda: (sr.DagPaths(LADDER, source=0, sink=3), lambda literal: literal.paths(LADDER, 0, 3)),
    }
)
PLAYERS: dict[str, dict[str, Any]] = {
    "lin_ts": {"draws": 5},
    "lin_ucb": {"standard_errors": 0.7},
    "epsilon_greedy": {"exploration": 0.25},
    "comb_ts": {"draws": 5},
    "comb_ucb": {"standard_errors": 2.0},
}
MEAN, WIDTH, NOISE = 0.4, 0.3, 0.6


def normals(seed: int, first: int, count: int) -> np.ndarray:
    """Return the normal numbers of a seed: SplitMix64 in whole numbers of Python, then Box and Muller."""

    def uniform(place: int) -> float:
        x = (seed + (place + 1) * 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return ((x ^ (x >> 31)) >> 11) / 2.0**53

    places = range(first, first + count)
    return np.array(
        [
            math.sqrt(-2.0 * math.log(1.0 - uniform(2 * k))) * math.cos(2.0 * math.pi * uniform(2 * k + 1))
            for k in places
        ]
    )


def posterior(days: list[Any], size: int, d: int, memory: float | None, is_bandit: bool) -> tuple[Any, Any]:
    """Return the mean and the covariance of the rewards from all days so far, each with its age."""
    precision = np.eye(d) * (size / WIDTH) ** 2
    right = np.full(d, (size / WIDTH) ** 2 * MEAN / size)
    for age, (action, vector) in enumerate(reversed(days), start=1):
        share = 1.0 if memory is None else math.exp(-age / memory)
        if is_bandit:
            gain = share * size / NOISE**2
            precision += gain * np.outer(action, action)
            right += gain * float(action @ vector) * action
        else:
            gain = share * size**2 / NOISE**2
            precision += gain * np.diag(action)
            right += gain * vector * action
    covariance = np.linalg.inv(precision)
    return covariance @ right, covariance


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("set_name", SETS)
@pytest.mark.parametrize("memory", [None, 7.0])
def test_every_policy_is_that_of_the_formula(literal: Any, name: str, set_name: str, memory: float | None) -> None:
    """Fed the same days, one of which nothing is seen, the library plays the policy of the formula, to 1e-9, on each of 40."""
    actions, make = SETS[set_name]
    plain, options = make(literal), PLAYERS[name]
    made = getattr(sr.baselines, name)
    player = made(actions, 40, memory=memory, prior_mean=MEAN, prior_width=WIDTH, noise=NOISE, **options)
    running, d = player.start(np.random.default_rng(4)), actions.dimension
    seed, is_bandit = int(running.state.own.seed[0]), player.feedback == "bandit"
    rng, worlds, days = np.random.default_rng(5), np.random.default_rng(6), []
    explore = chances_of(actions.exploration_policy(), plain.rows)
    for day in range(40):
        mean, covariance = posterior(days, plain.size, d, memory, is_bandit)
        chances = np.zeros(len(plain.rows))
        if name.endswith("_ts"):
            # U⁻¹z: for the precision UᵀU, U = Lᵀ
            half = np.linalg.inv(np.linalg.cholesky(np.linalg.inv(covariance)).T)
            n = options["draws"]
            for j in range(n):
                totals = plain.rows @ (mean + half @ normals(seed, (day * n + j) * d, d))
                chances[int(np.argmax(totals))] += 1.0 / n
        else:
            bonus = np.zeros(len(plain.rows))
            if name == "lin_ucb":
                bonus = np.sqrt(np.einsum("ai,ij,aj->a", plain.rows, covariance, plain.rows))
            elif name == "comb_ucb":
                bonus = plain.rows @ np.sqrt(np.diag(covariance))
            totals = plain.rows @ mean + options.get("standard_errors", 0.0) * bonus
            ours = chances_of(player.hold(running).policy(), plain.rows) - options.get("exploration", 0.0) * explore
            assert totals[int(np.argmax(ours))] >= totals.max() - 1e-9, f"day {day}"  # of equals, either
            chances[int(np.argmax(ours))] = 1.0
        share = options.get("exploration", 0.0)
        held = player.hold(running)
        found = chances_of(held.policy(), plain.rows)
        assert np.abs(found - (1.0 - share) * chances - share * explore).max() <= 1e-9, f"day {day}"
        action, vector = player.act(running, rng), worlds.random(d) * (np.arange(d) % 3 + 1) / (3 * plain.size)
        reward: Any = float(action @ vector) if is_bandit else vector * action
        if day == 20:
            reward = None
            days.append((np.zeros(d), vector))
        else:
            days.append((np.array(action), vector))
        running = player.observe(running, Decision(day, action, actions, held), reward)
