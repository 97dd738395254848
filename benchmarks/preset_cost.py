"""What a round of the adaptive preset costs, in rounds of the multi-scale one, in worlds with noise.

    python benchmarks/preset_cost.py [--days 300000]

Three worlds, three seeds each; processor time. What the adaptive preset takes depends on how many members have weight: most where
the world stands still and several are equally good.
"""

import argparse
import statistics
import time

from speed.cases import PRESET_CASES

import swapregret as sr

WORLDS, SEEDS = ("iid", "cyclic", "piecewise"), (1, 2, 3)


def seconds(actions: sr.ActionSet, world: sr.environments.Environment, preset: str, seed: int) -> float:
    """Return the processor time of one run."""
    player = sr.swap_combcp(actions, world.horizon, preset=preset)
    began = time.process_time()
    sr.play(player, world, rng=seed, measure="none")
    return time.process_time() - began


def main() -> None:
    """Print a line per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=300_000)
    days = parser.parse_args().days
    for case in PRESET_CASES:
        actions = case.make()
        short = sr.environments.iid(actions, 2_000, rng=0)
        ratios = []
        for preset in ("adaptive", "multiscale"):
            seconds(actions, short, preset, 0)  # compiles
        for name in WORLDS:
            world = getattr(sr.environments, name)(actions, days, rng=1)
            for seed in SEEDS:
                one, other = (seconds(actions, world, preset, seed) for preset in ("adaptive", "multiscale"))
                ratios.append(one / other)
        middle = statistics.median(ratios)
        print(f"{case.name:18} median {middle:.1f}, from {min(ratios):.1f} to {max(ratios):.1f}", flush=True)


if __name__ == "__main__":
    main()
