"""Linear swap regret of the default, of a single learner and of ``linear_swap``: ``python benchmarks/linear_swap.py [--write]``.

One run per set, world and learner; ``--write`` puts the table into docs/baselines.md.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measured_block import markdown, put_block

import swapregret as sr

PAGE = Path(__file__).resolve().parents[1] / "docs/baselines.md"
SETS: dict[str, sr.ActionSet] = {
    "m-sets (10, 3)": sr.MSets(10, 3),
    "permutations 4": sr.Permutations(4),
    "plans of a decision tree": sr.environments.decision_tree(2, 2, 2),
}
WORLDS = ("cyclic", "spiral", "piecewise", "iid")
LEARNERS: dict[str, Callable[[sr.ActionSet, int], Any]] = {
    "`linear_swap`": sr.baselines.linear_swap,
    "default, full": lambda actions, horizon: sr.swap_combcp(actions, horizon, feedback="full"),
    "single, full": lambda actions, horizon: sr.baselines.combcp(actions, horizon, feedback="full"),
    "default, bandit": sr.swap_combcp,
    "single, bandit": sr.baselines.combcp,
}


def main() -> None:
    """Play everything, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help="rewrite the table of docs/baselines.md")
    options = parser.parse_args()
    rows = []
    for name, actions in SETS.items():
        for world in WORLDS:
            made = getattr(sr.environments, world)(actions, options.horizon, rng=0)
            found = [sr.play(make(actions, options.horizon), made, rng=1) for make in LEARNERS.values()]
            shares = np.array([each.linear_swap_regret.value for each in found]) / options.horizon
            rows.append([f"{name}, {world}", *(f"{each:.4f}" for each in shares)])
            print(" | ".join(rows[-1]), flush=True)
    if options.write:
        put_block(PAGE, "\n".join(markdown(["set and world", *LEARNERS], rows)), "linear")


if __name__ == "__main__":
    main()
