"""What a round of the adaptive preset costs, in rounds of the multi-scale one, in a world with noise.

    python benchmarks/preset_cost.py [--days 1000000] [--turns 2]

Rewards come from ``environments.iid``; the presets take turns, and the quickest turn of each counts.
"""

import argparse
import time

import swapregret as sr
from swapregret.experiments.bench.cases import PRESET_CASES


def main() -> None:
    """Print a line per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    for case in PRESET_CASES:
        actions = case.make()
        world = sr.environments.iid(actions, options.days, rng=1)
        best = dict.fromkeys(("adaptive", "multiscale"), float("inf"))
        for turn in range(options.turns + 1):  # the first compiles
            for preset in best:
                began = time.perf_counter()
                sr.play(sr.swap_combcp(actions, options.days, preset=preset), world, rng=turn, measure="none")
                if turn:
                    best[preset] = min(best[preset], time.perf_counter() - began)
        one, other = (1e6 * seconds / options.days for seconds in best.values())
        print(f"{case.name:18} adaptive {one:6.2f} µs, multiscale {other:6.2f} µs, ratio {one / other:.1f}", flush=True)


if __name__ == "__main__":
    main()
