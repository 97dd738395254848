"""How far the player without a horizon is behind the one that knows T, on the ten worlds of the suite.

    python benchmarks/behind.py                                 T = 1,000, 10,000 and 100,000 (some minutes)
    python benchmarks/behind.py --write docs/guarantee.md       and put the table into the page
    python benchmarks/behind.py --horizons 1000 --feedbacks semi-bandit --sets 20,5 --replications 8

The cells are means over the worlds of reward / swap regret per day: with a horizon, without, and what the second lacks of reward
and has more of swap regret. In bold: more than .01 of reward or .004 of swap regret.
"""

import argparse
from pathlib import Path

import numpy as np
from measured_block import markdown, put_block
from quality import WORLDS, make_set

import swapregret as sr

MOST_LOST, MOST_MORE = 0.01, 0.004


def short(value: float, digits: int) -> str:
    """Return a number without its leading zero."""
    return f"{value:.{digits}f}".replace("0.", ".", 1).replace("-", "−")


def behind(known: np.ndarray, unknown: np.ndarray) -> str:
    """Return what is lost of reward and added to swap regret; in bold what is too much.

    >>> behind(np.array([0.7, 0.02]), np.array([0.72, 0.025]))
    '−.020 / **.0050**'
    """
    lost, more = known[0] - unknown[0], unknown[1] - known[1]
    parts = [(short(lost, 3), lost > MOST_LOST), (short(more, 4), more > MOST_MORE)]
    return " / ".join(f"**{text}**" if is_much else text for text, is_much in parts)


def measure(name: str, feedback: str, horizon: int, replications: int, seed: int) -> list[np.ndarray]:
    """Return reward and swap regret with a horizon and without, means over the worlds."""
    found, actions = [], make_set(name)
    for known in (horizon, None):
        cells = []
        for world in WORLDS.values():
            player = sr.swap_combcp(actions, known, feedback=feedback)
            result = sr.play(player, world(actions, horizon, seed), rng=seed, replications=replications)
            cells.append((result.reward, result.swap_regret.per_round))
        found.append(np.mean(cells, axis=0))
    return found


def main() -> None:
    """Parse, play, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--horizons", default="1000,10000,100000")
    parser.add_argument("--sets", default="15,1/6,2/10,3/20,5/permutations 5")
    parser.add_argument("--feedbacks", default="bandit,semi-bandit")
    parser.add_argument("--replications", type=int, default=2, help="eight times as many at 1,000 days")
    parser.add_argument("--seed", type=int, default=94_000)
    parser.add_argument("--write", type=Path, default=None, help="a page with a block called behind")
    options = parser.parse_args()
    rows = []
    for horizon in map(int, options.horizons.split(",")):
        for feedback in options.feedbacks.split(","):
            for name in options.sets.split("/"):
                replications = options.replications * (8 if horizon <= 1000 else 1)
                known, unknown = measure(name, feedback, horizon, replications, options.seed)
                cells = [f"{short(each[0], 3)} / {short(each[1], 4)}" for each in (known, unknown)]
                rows.append([f"{horizon:,}", feedback, name, *cells, behind(known, unknown)])
                print("   ".join(rows[-1]), flush=True)
    if options.write:
        headings = ["T", "feedback", "set", "with a horizon", "without", "behind"]
        put_block(options.write, "\n".join(markdown(headings, rows)), "behind")


if __name__ == "__main__":
    main()
