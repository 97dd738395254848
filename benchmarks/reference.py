"""How fast the plain NumPy learner is, and ours beside it: what the ratios of `swapregret bench` are measured against.

Run `python benchmarks/reference.py [--seconds 2]`. The learner stands in `swapregret.experiments.bench.reference`, so that the
command finds it in an installed package; `tests/experiments/bench` checks that it goes through the library's own policies.
"""

import argparse

from swapregret.experiments.bench.cases import ROUNDS, STATES
from swapregret.experiments.bench.run_bench import time_case


def main() -> None:
    """Print rounds per second of processor time for every case that has a reference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="processor time for each figure")
    seconds = parser.parse_args().seconds
    print(f"{'case':<24}{'state':<14}{'pinv':>10}{'solve':>10}{'ours':>10}   rounds/s, K = 3, H = 10, γ = .3")
    for case in ROUNDS:
        for state in STATES if case.plain is not None else ():
            row = time_case(case, state, seconds)
            print(f"{case.name:<24}{state:<14}{row.reference:>10.4g}{row.tuned:>10.4g}{row.ours:>10.4g}", flush=True)


if __name__ == "__main__":
    main()
