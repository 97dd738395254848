"""When the guard of the adaptive preset trips, and what that is worth.

    python benchmarks/guard.py                       a world that breaks the pool, and the worlds of the suite (minutes)
    python benchmarks/guard.py --horizon 3000        at another horizon

The world that breaks the pool looks at the learner: each day it pays the elements next to those that are preferred. Rewards and
swap regret are per day, from policies, with the maximum over φ outside the mean over seeds.
"""

import argparse
from typing import Any

import numpy as np
from quality import WORLDS

import swapregret as sr
from swapregret.learners.player import draw_decision
from swapregret.playing.course import Course
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.notions import swap_regret

UNMEASURED = {"measure": "none", "realised": False, "windows": (), "certificate": False, "capacity": None}
BROKEN = sr.MSets(6, 2)
BENIGN = (sr.MSets(6, 2), sr.MSets(10, 3), sr.MSets(20, 5), sr.MSets(100, 10), sr.Permutations(5))


def break_pool(player: Any, horizon: int, seeds: range) -> tuple[float, float, int]:
    """Return reward and swap regret per day against the world that breaks the pool, and in how many runs the guard tripped."""
    ledgers, earned, trips = [], 0.0, 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        state, ledger = player.start(rng), SwapLedger(player.actions)
        for day in range(horizon):
            policy = player.policy(state)
            marginals = policy.marginals()
            size = round(float(marginals.sum()))
            rewards = np.zeros(marginals.size)
            rewards[(np.argsort(-marginals, kind="stable")[:size] + 1) % marginals.size] = 1.0 / size
            decision = draw_decision(player, state, rng, day)
            ledger.record(policy, rewards)
            earned += float(rewards @ decision.action)
            state = player.observe(state, decision, float(rewards @ decision.action))
        guard = getattr(state.state, "guard", None)
        trips += guard is not None and bool(guard.has_tripped[0])
        ledgers.append(ledger.close())
    return earned / (horizon * len(seeds)), swap_regret(answer(player.actions, ledgers)).value / horizon, trips


def count_trips(actions: sr.ActionSet, horizon: int, seeds: range) -> int:
    """Return in how many runs on the worlds of the suite the guard trips."""
    trips = 0
    for world in WORLDS.values():
        for seed in seeds:
            player = sr.swap_combcp(actions, horizon)
            course = Course(player, world(actions, horizon, seed), np.random.SeedSequence(seed), UNMEASURED)
            course.advance(horizon)
            trips += bool(course.state.state.guard.has_tripped[0])
    return trips


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=9_400)
    parser.add_argument("--runs", type=int, default=4)
    given = parser.parse_args()
    seeds, horizon = range(given.seed, given.seed + given.runs), given.horizon
    players = {
        "adaptive": sr.swap_combcp(BROKEN, horizon),
        "adaptive, experts=False": sr.swap_combcp(BROKEN, horizon, experts=False),
        "multiscale": sr.swap_combcp(BROKEN, horizon, preset="multiscale"),
    }
    print(f"a world that breaks the pool, {BROKEN!r}, T = {horizon:,}, {given.runs} runs")
    for name, player in players.items():
        reward, swap, trips = break_pool(player, horizon, seeds)
        print(f"  {name:26} reward {reward:.3f}   swap regret {swap:.4f}   tripped {trips}", flush=True)
    print("the worlds of the suite: runs in which the guard trips")
    for actions in BENIGN:
        print(f"  {actions!r:20} {count_trips(actions, horizon, seeds)} of {len(WORLDS) * given.runs}", flush=True)


if __name__ == "__main__":
    main()
