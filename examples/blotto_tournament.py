"""Play Colonel Blotto against the plans that people sent in, one after another, and see each plan after the battle.

100 troops are shared out among 10 castles worth 1 to 10 points; whoever sends more wins the castle, ties share it. The
player shares its troops out in equal units, sees the opponent's plan after each battle (full feedback), and earns its
share of the 55 points. Prints the average reward so far of Swap-ComBCP, of one learner, of uniform play and of the
best fixed plan, and the swap regret of each.

Run it as ``python examples/blotto_tournament.py FOLDER``; ``--help`` says where the files come from.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from learning_curves import find_files, print_curves

import swapregret as sr

SOURCE = """The folder must hold castle-solutions.csv, castle-solutions-2.csv, castle-solutions-3.csv and castle-solutions-4.csv
(columns "Castle 1" to "Castle 10", one plan per line): the Riddler's "Battle for Riddler Nation" tournaments, published by
FiveThirtyEight at https://github.com/fivethirtyeight/data, folder riddler-castles, under CC BY 4.0."""
FILES = ("castle-solutions.csv", "castle-solutions-2.csv", "castle-solutions-3.csv", "castle-solutions-4.csv")
TROOPS, CASTLES = 100, 10


def read_plans(path: Path) -> np.ndarray:
    """Return the plans of a file that share out exactly 100 troops; a few that were sent in do not."""
    plans = []
    with path.open(newline="", encoding="utf-8", errors="replace") as lines:
        for row in csv.DictReader(lines):
            try:
                plan = [float(row[f"Castle {castle}"]) for castle in range(1, CASTLES + 1)]
            except (TypeError, ValueError):
                continue
            if sum(plan) == TROOPS and min(plan) >= 0.0:
                plans.append(plan)
    return np.array(plans)


def payoffs(opponents: np.ndarray, labels: tuple[tuple[int, int, int], ...], unit: int) -> np.ndarray:
    """Return what each move (castle, units gone before, units gone after) earns against each opponent."""
    castle = np.array([label[0] for label in labels])
    sent = unit * np.array([label[2] - label[1] for label in labels])
    theirs = opponents[:, castle]
    share = np.where(sent > theirs, 1.0, np.where(sent == theirs, 0.5, 0.0))
    return share * (castle + 1.0) / (CASTLES * (CASTLES + 1) / 2)


def main() -> None:
    """Read, shuffle, play, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=SOURCE)
    parser.add_argument("folder", type=Path, help="where the castle-solutions files are, or the folder above")
    parser.add_argument("--unit", type=int, default=10, choices=(5, 10, 20), help="troops that move together [10]")
    parser.add_argument("--seed", type=int, default=0, help="of the order of the plans, and of the players")
    options = parser.parse_args()
    files, missing = find_files(options.folder, FILES)
    if missing:
        parser.error(f"{options.folder} has no {', '.join(missing)}. {SOURCE}")
    rng = np.random.default_rng(options.seed)
    opponents = np.concatenate([rng.permutation(read_plans(file)) for file in files])

    actions = sr.Partitions(TROOPS // options.unit, CASTLES)
    table = payoffs(opponents, actions.labels, options.unit)
    largest = 2.0 / (CASTLES + 1)  # what the last castle pays, of all points
    world = sr.environments.replay(actions, table / largest, name="Riddler castles")
    print(
        f"{len(opponents):,} battles, {actions.n_actions:,} plans in units of {options.unit}; order by seed {options.seed}."
    )
    players = {
        "Swap-ComBCP": sr.swap_combcp(actions, world.horizon, feedback="full"),
        "one Lazy-ComBCP": sr.baselines.combcp(actions, world.horizon, feedback="full"),
        "uniform": sr.baselines.uniform(actions),
    }
    print_curves(world, players, options.seed, scale=CASTLES * largest)


if __name__ == "__main__":
    main()
