"""Whether swap regret per day goes to 0: the slope of log(swap regret per day) on log T, in worlds of every length.

    python benchmarks/vanishing.py                       10³ … 10⁶ days (about fifteen minutes)
    python benchmarks/vanishing.py --powers 3,4,5,6,7    … 10⁷ days (an hour or two)
    python benchmarks/vanishing.py --players multiscale --sets 6,2 --powers 3,4,5

The worlds are made anew for every length, so that each is as hard as the one before. A line gives the swap regret per day at every
T, means over the seeds, and the slope with its standard error over all runs; a swap regret of less than one day in all counts as
one day there. "still" is a slope that is not negative by three standard errors.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np
from quality import PLAYERS, VARIANTS, WORLDS, make_set

import swapregret as sr
from swapregret.experiments.paper_table1 import layered_dag

SETS: dict[str, Callable[[], sr.ActionSet]] = {
    "6,2": lambda: make_set("6,2"),
    "permutations 5": lambda: make_set("permutations 5"),
    "paths": lambda: layered_dag(3, 3),
}


def constant(actions: sr.ActionSet, horizon: int, seed: int) -> sr.environments.Environment:
    """Return a world without noise in which every day pays the same."""
    best = sr.environments.iid(actions, 1, high=0.9, low=0.5, rng=seed).means(0, 1)[0]
    return sr.environments.Environment(
        "constant",
        actions,
        horizon,
        lambda start, stop: np.tile(best, (stop - start, 1)),
        seed,
        payment=1.0,
        draw=lambda world, start, stop: world.means(start, stop),
    )


HERE = {"constant": constant} | {name: WORLDS[name] for name in ("iid", "cyc7", "tree")}


def slope_of(horizons: list[int], values: list[float]) -> tuple[float, float]:
    """Return the slope of log(values) on log(horizons), and its standard error.

    >>> slope, error = slope_of([10, 100, 1000], [1.0, 0.1, 0.01])
    >>> round(slope, 6), error < 1e-6
    (-1.0, True)
    """
    x = np.log(np.array(horizons, dtype=float))
    y = np.log(np.maximum(values, 1.0 / np.array(horizons)))
    x -= x.mean()
    slope = float(x @ y / (x @ x))
    rest = y - y.mean() - slope * x
    return slope, math.sqrt(float(rest @ rest) / max(1, len(x) - 2) / float(x @ x))


def main() -> None:
    """Parse, play, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--powers", default="3,4,5,6", help="of ten: how many days")
    parser.add_argument("--players", default="multiscale,ladder,adaptive")
    parser.add_argument("--sets", default="/".join(SETS))
    parser.add_argument("--worlds", default=",".join(HERE))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=41_000)
    options = parser.parse_args()
    powers = [int(power) for power in options.powers.split(",")]
    for name in options.sets.split("/"):
        actions = SETS[name]()
        for world in options.worlds.split(","):
            for player in options.players.split(","):
                horizons, values = [], []
                for power in powers:
                    for seed in range(options.first_seed, options.first_seed + options.seeds):
                        environment = HERE[world](actions, 10**power, seed)
                        result = sr.play((PLAYERS | VARIANTS)[player](actions, 10**power), environment, rng=seed)
                        horizons.append(10**power)
                        values.append(result.swap_regret.per_round)
                slope, error = slope_of(horizons, values)
                means = [np.mean([v for h, v in zip(horizons, values, strict=True) if h == 10**p]) for p in powers]
                shown = "  ".join(f"{mean:.5f}" for mean in means)
                mark = "" if slope < -3.0 * error else "  still"
                print(f"{name:15} {world:9} {player:11} {shown}   slope {slope:.2f} ± {error:.2f}{mark}", flush=True)


if __name__ == "__main__":
    main()
