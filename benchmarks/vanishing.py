"""Whether swap regret per day goes to 0: the slope of log(swap regret per day) on log T, in worlds of every length.

    python benchmarks/vanishing.py                       10³ … 10⁶ days (about fifteen minutes)
    python benchmarks/vanishing.py --powers 3,4,5,6,7    … 10⁷ days (an hour or two)
    python benchmarks/vanishing.py --players multiscale --sets 6,2 --powers 3,4,5
    python benchmarks/vanishing.py --cells cells.jsonl --write docs/guarantee.md     keep what was played, and write the table

With ``--cells`` runs that are in the file are not played again, and the table has all lengths that are in it.

The worlds are made anew for every length, so that each is as hard as the one before. A line gives the swap regret per day at every
T, means over the seeds, and the slope with its standard error over all runs; a swap regret of less than one day in all counts as
one day there. "still" is a slope that is not negative by three standard errors.
"""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measured_block import markdown, put_block
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
    """Return the slope of log(values) on log(horizons), and its standard error; no number where it has none.

    >>> slope, error = slope_of([10, 100, 1000], [1.0, 0.1, 0.01])
    >>> round(slope, 6), error < 1e-6
    (-1.0, True)
    >>> slope_of([10, 10], [1.0, 0.5])
    (nan, nan)
    """
    x = np.log(np.array(horizons, dtype=float))
    y = np.log(np.maximum(values, 1.0 / np.array(horizons)))
    x -= x.mean()
    if len(x) < 3 or not x.any():
        return math.nan, math.nan
    slope = float(x @ y / (x @ x))
    rest = y - y.mean() - slope * x
    return slope, math.sqrt(float(rest @ rest) / (len(x) - 2) / float(x @ x))


def shown(value: float) -> str:
    """Return a number without its leading zero."""
    return f"{value:.5f}".replace("0.", ".", 1)


def row_of(runs: dict[int, list[float]], powers: list[int]) -> list[str]:
    """Return the cells of a row: the mean at every length, and the slope over all runs."""
    horizons = [10**power for power in runs for _ in runs[power]]
    slope, error = slope_of(horizons, [value for power in runs for value in runs[power]])
    mark = "" if slope < -3.0 * error else " still"
    means = [shown(float(np.mean(runs[power]))) if power in runs else "–" for power in powers]
    return [*means, f"{slope:.2f} ± {error:.2f}{mark}"]


def main() -> None:
    """Parse, play, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--powers", default="3,4,5,6", help="of ten: how many days")
    parser.add_argument("--players", default="multiscale,ladder,adaptive")
    parser.add_argument("--sets", default="/".join(SETS))
    parser.add_argument("--worlds", default=",".join(HERE))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=41_000)
    parser.add_argument("--cells", type=Path, default=None, help="a file of runs, a line each")
    parser.add_argument("--write", type=Path, default=None, help="a page with a block called vanishing")
    options = parser.parse_args()
    known: dict[str, float] = {}
    if options.cells and options.cells.exists():
        known = dict(json.loads(line) for line in options.cells.read_text("utf-8").splitlines())
    rows = []
    for name in options.sets.split("/"):
        actions = SETS[name]()
        for world in options.worlds.split(","):
            for player in options.players.split(","):
                runs: dict[int, list[float]] = {}
                place = f"{name} | {world} | {player}"
                for power in map(int, options.powers.split(",")):
                    for seed in range(options.first_seed, options.first_seed + options.seeds):
                        cell = f"{place} | {power} | {seed}"
                        if cell not in known:
                            environment = HERE[world](actions, 10**power, seed)
                            result = sr.play((PLAYERS | VARIANTS)[player](actions, 10**power), environment, rng=seed)
                            known[cell] = result.swap_regret.per_round
                            if options.cells:
                                with options.cells.open("a", encoding="utf-8") as lines:
                                    lines.write(json.dumps([cell, known[cell]]) + "\n")
                for cell, value in known.items():
                    *found, power, _ = cell.split(" | ")
                    if " | ".join(found) == place:
                        runs.setdefault(int(power), []).append(value)
                rows.append((name, world, player, runs))
                print(f"{name:15} {world:9} {player:11} " + "  ".join(row_of(runs, sorted(runs))), flush=True)
    if options.write:
        powers = sorted({power for *_, runs in rows for power in runs})
        headings = ["set, world, player", *(f"$10^{power}$" for power in powers), "slope"]
        put_block(
            options.write,
            "\n".join(markdown(headings, [[", ".join(row[:3]), *row_of(row[3], powers)] for row in rows])),
            "vanishing",
        )


if __name__ == "__main__":
    main()
