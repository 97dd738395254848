"""Algorithm 1 with Algorithm 2, simulated slowly from the paper, beside the library: points, estimates and policies."""

from typing import Any

import numpy as np
import pytest
from tests.late import Late

import swapregret as sr
from swapregret.learners.lazy import AdaptiveRate, FixedRate
from swapregret.learners.player import Decision

K4 = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
LADDER = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3)]
SETS: Late[Any] = Late(
    {
        "m-sets": lambda: (sr.MSets(6, 2), lambda literal: literal.m_sets(6, 2)),
        "permutations": lambda: (sr.Permutations(3), lambda literal: literal.matchings(3)),
        "paths": lambda: (sr.DagPaths(LADDER, source=0, sink=3), lambda literal: literal.paths(LADDER, 0, 3)),
        "trees": lambda: (sr.SpanningTrees(K4), lambda literal: literal.trees(K4, 4)),
    }
)
WINDOWS, GAMMA, VARIANTS = (2, 6, 18, 54), 0.1, 2
CASES = [(name, "bandit", AdaptiveRate(3.0), 0.2) for name in SETS]
CASES += [("m-sets", "semi-bandit", AdaptiveRate(4.0), 0.2), ("paths", "full", AdaptiveRate(8.0), 0.0)]
CASES += [("trees", "bandit", FixedRate(0.05), 0.0), ("permutations", "bandit", FixedRate(0.05), 0.2)]


def chances_of(policy: Any, rows: np.ndarray) -> np.ndarray:
    """Return the probability of every action of a list."""
    finite = policy.finite()
    place = {tuple(row): index for index, row in enumerate(rows.tolist())}
    chances = np.zeros(len(rows))
    for atom, weight in zip(finite.atoms.tolist(), finite.weights, strict=True):
        chances[place[tuple(atom)]] += weight
    return chances


@pytest.mark.parametrize(("name", "feedback", "rate", "step"), CASES, ids=str)
def test_every_day_is_that_of_the_paper(literal: Any, name: str, feedback: str, rate: Any, step: float) -> None:
    """Fed the same actions and rewards, both have the same points, predictions, sums of estimates and policies to 1e-9.

    Points are compared first; then the decomposition of a point, certified elsewhere, is taken from the set.
    """
    actions, make = SETS[name]
    plain = make(literal)
    master = sr.swap_combcp(
        actions,
        200,
        preset="multiscale",
        feedback=feedback,
        schedule=sr.Schedule(list(WINDOWS)),
        exploration=GAMMA,
        exploration_policy="uniform",
        rate=rate,
        variants=VARIANTS,
        predictor_step=step,
    )
    running = master.start(np.random.default_rng(4))
    tally, learners = running.state.tally, running.state.learners
    offset, K, N = int(tally.offset[0]), len(WINDOWS) - 1, len(plain.rows)
    is_adaptive = isinstance(rate, AdaptiveRate)
    number = rate.scale if is_adaptive else rate.learning_rate
    scales = [literal.Learner(plain, number, is_adaptive) for _ in range(K)]
    estimates = literal.Estimates(feedback, step, actions.dimension)
    rng, worlds = np.random.default_rng(5), np.random.default_rng(6)
    total = np.zeros(actions.dimension)
    running_sum = np.zeros(actions.dimension)
    n_moves = 0
    for day in range(130):
        chances = np.full(N, GAMMA / N)
        for k in range(K):
            assert np.abs(scales[k].point - learners.points[k]).max() <= 1e-9, f"scale {k + 1}, day {day}"
            policy = chances_of(actions.decompose(learners.points[k].copy(), variants=VARIANTS), plain.rows)
            assert np.abs(policy @ plain.rows - scales[k].point).max() <= 1e-9
            chances += (1.0 - GAMMA) / K * policy
        held = master.hold(running)
        assert np.abs(chances_of(held.policy(), plain.rows) - chances).max() <= 1e-9, f"day {day}"
        action = master.act(running, rng)
        vector = worlds.random(actions.dimension) * (np.arange(actions.dimension) % 3 + 1) / (3 * plain.size)
        estimate = estimates.make(plain.rows, chances, action, vector)
        total, running_sum = total + estimate, running_sum + estimate
        shown = {"bandit": float(vector @ action), "semi-bandit": vector * action, "full": vector}[feedback]
        master.observe(running, Decision(day, action, actions, held), shown)
        assert np.abs(plain.rows @ (running.estimated_total() - total)).max() <= 1e-9 * (day + 1), f"day {day}"
        assert np.abs(tally.prediction - estimates.guess).max() <= 1e-9
        ended = [k for k, length in enumerate(WINDOWS) if (day + 1 + offset) % length == 0]
        if not ended:
            continue
        seen, running_sum = plain.span_part(running_sum), np.zeros(actions.dimension)
        for k, scale in enumerate(scales):  # scale k + 1 updates every L_k days and restarts every L_{k+1}
            if k + 1 in ended:
                (scale.forget if is_adaptive else scale.begin)()
            elif k in ended:
                scale.move(seen)
                n_moves += 1
            else:
                scale.aggregate = scale.aggregate + seen
    assert n_moves > 40
