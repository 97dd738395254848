"""What the step of a competitor is worth: swap regret / T, the mean over five worlds, for multiples of a step.

    python benchmarks/tuning.py                                   Blum–Mansour and Stoltz at N = 15 (a minute)
    python benchmarks/tuning.py --players ito --multiples 1,2,4,8 --sets 6,2/10,3

The multiples are those of the tables in docs/baselines.md.
"""

import argparse
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from quality import WORLDS, make_set

import swapregret as sr

MAKERS: dict[str, Callable[[sr.ActionSet, int, int, float], Any]] = {
    "blum_mansour": lambda a, n, t, c: sr.baselines.blum_mansour(
        a, t, learning_rate=c * math.sqrt(2.0 * n * math.log(n) / t)
    ),
    "stoltz": lambda a, n, t, c: sr.baselines.stoltz(
        a, t, learning_rate=c * math.sqrt(2.0 * n * math.log(n * (n - 1)) / t)
    ),
    "ito": lambda a, n, t, c: sr.baselines.ito(a, t, scale=c),
}
"""For N actions, T days and a multiple."""


def main() -> None:
    """Parse, play, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", default="blum_mansour,stoltz")
    parser.add_argument("--multiples", default=".5,1,2,4")
    parser.add_argument("--sets", default="6,2")
    parser.add_argument("--worlds", default="cyc7,cyc31,spiral,iid,pws")
    parser.add_argument("--horizon", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    for name in options.sets.split("/"):
        actions = make_set(name)
        for player in options.players.split(","):
            for multiple in map(float, options.multiples.split(",")):
                found = []
                for world in options.worlds.split(","):
                    for seed in range(options.seeds):
                        made = MAKERS[player](actions, actions.n_actions or 1, options.horizon, multiple)
                        environment = WORLDS[world](actions, options.horizon, seed)
                        found.append(sr.play(made, environment, rng=seed).swap_regret.per_round)
                print(f"{name:6} {player:14} {multiple:4g} {np.mean(found):.3f}", flush=True)


if __name__ == "__main__":
    main()
