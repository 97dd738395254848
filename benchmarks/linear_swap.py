"""Linear swap regret of the default, of a single learner and of ``linear_swap``: ``python benchmarks/linear_swap.py [--write]``.

One run per set, world and learner; ``--write`` puts the table into docs/baselines.md. ``--phases`` measures swap regret of three
with full feedback on ``extensive_form`` beside ``iid`` on the same plans, over growing horizons, for docs/environments.md.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measured_block import markdown, put_block

import swapregret as sr

DOCS = Path(__file__).resolve().parents[1] / "docs"
HORIZONS = (256, 1_024, 4_096, 16_384)
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


def phases() -> list[list[str]]:
    """Return mean swap regret per day on a walk through phases, and where days are alike, by the horizon."""
    rows = []
    for learner in ("default, full", "single, full", "`linear_swap`"):
        for name in ("extensive_form", "iid"):
            cells = []
            for horizon in HORIZONS:
                world = sr.environments.extensive_form(horizon, rng=0)
                if name == "iid":
                    world = sr.environments.iid(world.actions, horizon, rng=0)
                run = sr.play(LEARNERS[learner](world.actions, horizon), world, rng=1)
                cells.append(f"{run.swap_regret.value / horizon:.4f}")
            rows.append([f"{learner}; `{name}`", *cells])
            print(" | ".join(rows[-1]), flush=True)
    return rows


def measure(name: str, world: str, learner: str, horizon: int) -> float:
    """Return linear swap regret per day of one run."""
    made = getattr(sr.environments, world)(SETS[name], horizon, rng=0)
    found = sr.play(LEARNERS[learner](SETS[name], horizon), made, rng=1)
    return found.linear_swap_regret.value / horizon


def main() -> None:
    """Play everything, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizon", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help="rewrite the table of docs/baselines.md")
    parser.add_argument("--phases", action="store_true", help="swap regret on a walk through phases")
    options = parser.parse_args()
    if options.phases:
        rows = phases()
        if options.write:
            table = markdown(["learner and world", *(f"T = {each:,}" for each in HORIZONS)], rows)
            put_block(DOCS / "environments.md", "\n".join(table), "phases")
        return
    rows = []
    for name in SETS:
        for world in WORLDS:
            shares = [measure(name, world, learner, options.horizon) for learner in LEARNERS]
            rows.append([f"{name}, {world}", *(f"{each:.4f}" for each in shares)])
            print(" | ".join(rows[-1]), flush=True)
    if options.write:
        put_block(DOCS / "baselines.md", "\n".join(markdown(["set and world", *LEARNERS], rows)), "linear")


if __name__ == "__main__":
    main()
