"""Self-play on poker beside OpenSpiel's CFR and CFR+ at equal processor time: ``python benchmarks/sequential_games.py``.

Prints ε of the normal-form correlated equilibrium, exploitability of the mean plans, and what the others reach in that time.
"""

import sys
import time
from typing import Any

import numpy as np
import pyspiel

import swapregret as sr
from swapregret.games import from_openspiel, nash_gaps, self_play


def mean_points(play: Any) -> list[Any]:
    """Return the mean marginals of each player."""
    parts = [
        [days * policy.marginals() for policy in each] for days, each in zip(play.days, play.policies, strict=True)
    ]
    return [np.sum([part[player] for part in parts], axis=0) / sum(play.days) for player in range(2)]


def main() -> None:
    """Play the games named on the command line, as NAME:ROUNDS."""
    for given in sys.argv[1:] or ["kuhn_poker:20000", "leduc_poker:1000"]:
        name, rounds = given.split(":")
        game, n = from_openspiel(name), int(rounds)
        players = [sr.swap_combcp(actions, n, feedback="full") for actions in game.action_sets]
        self_play(game, players, min(n, 50), rng=0, checkpoints=1)
        start = time.process_time()
        result = self_play(game, players, n, rng=1, windows=50, checkpoints=1)
        seconds = time.process_time() - start
        gaps = nash_gaps(game, mean_points(result.play))
        print(f"{name}, {n:,} rounds: {1e6 * seconds / n:.0f} µs per round with ledgers")
        print(f"  Swap-ComBCP: ε {result.certificate.epsilon:.5f}, exploitability {sum(gaps) / 2:.5f}", flush=True)
        for solver in (pyspiel.CFRSolver, pyspiel.CFRPlusSolver):
            theirs = pyspiel.load_game(name)
            at_work, start, steps = solver(theirs), time.process_time(), 0
            while time.process_time() - start < seconds:
                at_work.evaluate_and_update_policy()
                steps += 1
            worth = pyspiel.exploitability(theirs, at_work.average_policy())
            print(f"  {solver.__name__}: {steps:,} iterations in that time, exploitability {worth:.6f}", flush=True)


if __name__ == "__main__":
    main()
