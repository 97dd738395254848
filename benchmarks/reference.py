"""How fast the plain NumPy learner is, by itself: what the ratios of `swapregret bench` are measured against.

Run `python benchmarks/reference.py [--seconds 2]`. The learner stands in `swapregret.experiments.bench.reference`, so that the
command finds it in an installed package; `tests/experiments/bench` checks that it goes through the library's own policies.
"""

import argparse
import time

import numpy as np

from swapregret.experiments.bench.cases import ROUNDS, STATES, level
from swapregret.experiments.bench.reference import Reference


def main() -> None:
    """Print rounds per second of processor time for every case that has a reference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="processor time for each figure")
    seconds = parser.parse_args().seconds
    print(f"{'case':<24}{'state':<14}{'pinv':>10}{'solve':>10}   rounds/s, K = 3, H = 10, γ = .3")
    for case in ROUNDS:
        if case.plain is None:
            continue
        actions = case.make()
        for state, scale in STATES.items():
            rates = []
            for inverse in ("pinv", "solve"):
                reference = Reference(case.plain(actions), actions.size, rate=scale, inverse=inverse)
                rewards = np.broadcast_to(level(actions, state) / actions.size, (1, actions.dimension))
                rng = np.random.default_rng(0)
                spent, began = [], time.process_time()
                while time.process_time() - began < seconds or len(spent) < 3:
                    start = time.process_time()
                    reference.play(rewards, rng)
                    spent.append(time.process_time() - start)
                rates.append(1.0 / float(np.median(spent)))
            print(f"{case.name:<24}{state:<14}{rates[0]:>10.4g}{rates[1]:>10.4g}", flush=True)


if __name__ == "__main__":
    main()
