"""Opponents who know today's policy, and pay least for it: what a player earns beside the value of the game, and its swap regret.

    python benchmarks/opponents.py                                20,000 days, four seeds (minutes)
    python benchmarks/opponents.py --write docs/guarantee.md      and put the table into the page
    python benchmarks/opponents.py --players ladder,blum_mansour --horizon 5000

Pennies, rock–paper–scissors, random games of five by five, and m-sets (6, 2) against six random vectors of rewards; each seed has
games of its own. A number is reward less value / swap regret, per day: the mean, and in brackets the least reward and the largest
swap regret.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from measured_block import markdown, put_block
from quality import ABLATIONS, COMPETITORS, PLAYERS, VARIANTS

import swapregret as sr
from swapregret.learners.player import Decision, draw_decision
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.notions import swap_regret


def games(seed: int) -> dict[str, tuple[sr.ActionSet, np.ndarray]]:
    """Return sets, and the vectors of rewards that the opponent chooses from."""
    rng = np.random.default_rng(seed)
    return {
        "pennies": (sr.MSets(2, 1), np.eye(2)),
        "rock-paper-scissors": (sr.MSets(3, 1), np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])),
        "5 x 5": (sr.MSets(5, 1), rng.random((5, 5))),
        "m-sets (6, 2)": (sr.MSets(6, 2), rng.random((6, 6)) / 2.0),
    }


def value_of(actions: sr.ActionSet, rewards: np.ndarray) -> float:
    """Return what the best mixed policy is sure of."""
    paid = rewards @ actions.enumerate().T
    return sr.games.zero_sum_value(sr.games.MatrixGame([paid.T, -paid.T]))


def play_out(player: Any, rewards: np.ndarray, horizon: int, seed: int) -> tuple[float, float]:
    """Return reward and swap regret per day."""
    rng, ledger, earned = np.random.default_rng(seed), SwapLedger(player.actions), 0.0
    state, known, policy = player.start(rng), None, None
    for day in range(horizon):
        decision: Decision = draw_decision(player, state, rng, day)
        if decision.held is not known:
            known, policy = decision.held, decision.policy
        marginals = decision.marginals
        row = rewards[int(np.argmin(rewards @ marginals))]
        ledger.record(policy, row)
        earned += float(row @ marginals)
        state = player.observe(state, decision, float(row @ decision.action))
    return earned / horizon, swap_regret(answer(player.actions, [ledger.close()])).value / horizon


def signed(value: float) -> str:
    """Return a number with its sign, and without its leading zero."""
    return f"{value:+.3f}".replace("0.", ".", 1).replace("-", "−")


def cell(runs: list[tuple[float, float]]) -> str:
    """Return the means of what is above the value and of swap regret, and the worst of both."""
    (reward, swap), (least, most) = np.mean(runs, axis=0), (min(r for r, _ in runs), max(s for _, s in runs))
    return f"{signed(reward)} / {signed(swap)[1:]} ({signed(least)} / {signed(most)[1:]})"


def main() -> None:
    """Parse, play, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", default="adaptive,no-experts,ladder,ladder-no-experts,blum_mansour")
    parser.add_argument("--horizon", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=520)
    parser.add_argument("--write", type=Path, default=None, help="a page with a block called opponents")
    options = parser.parse_args()
    rows, names = [], list(games(0))
    for player in options.players.split(","):
        make, row = (PLAYERS | COMPETITORS | ABLATIONS | VARIANTS)[player], [f"`{player}`"]
        for game in names:
            runs = []
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                actions, rewards = games(seed)[game]
                earned, swap = play_out(make(actions, options.horizon), rewards, options.horizon, seed)
                runs.append((earned - value_of(actions, rewards), swap))
            row.append(cell(runs))
        rows.append(row)
        print("   ".join(row), flush=True)
    if options.write:
        put_block(options.write, "\n".join(markdown(["player", *names], rows)), "opponents")


if __name__ == "__main__":
    main()
