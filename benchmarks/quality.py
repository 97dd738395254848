"""Swap regret of every player on every sequence of the suite: the figure of the README.

    python benchmarks/quality.py                 the whole table at T = 10⁵, 8 replications (minutes)
    python benchmarks/quality.py --quick         (6,2) and (10,3) at T = 20,000, 4 replications

Every number is swap regret / T, maximum over φ outside the expectation, from policies, with the mean rewards of the world;
replications are averaged in the ledger before the maximum. Seeds of the worlds and of the players are options, so that
figures can be checked on fresh ones.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import swapregret as sr

SIZES = [(6, 2), (10, 3), (20, 5)]
WORLDS: dict[str, Callable[..., sr.environments.Environment]] = {
    "cyc7": lambda a, t, s: sr.environments.cyclic(a, t, phases=7, rng=s),
    "cyc31": lambda a, t, s: sr.environments.cyclic(a, t, phases=31, rng=s),
    "cyc127": lambda a, t, s: sr.environments.cyclic(a, t, phases=127, rng=s),
    "spiral": lambda a, t, s: sr.environments.spiral(a, t, rng=s),
    "slot": lambda a, t, s: sr.environments.slots(a, t, rng=s),
    "iid": lambda a, t, s: sr.environments.iid(a, t, rng=s),
    "pws": lambda a, t, s: sr.environments.piecewise(a, t, rng=s),
    "rw": lambda a, t, s: sr.environments.random_walk(a, t, rng=s),
    "tree": lambda a, t, s: sr.environments.tree(a, t, rng=s),
}
PLAYERS: dict[str, Callable[..., Any]] = {
    "adaptive": lambda a, t: sr.swap_combcp(a, t, preset="adaptive"),
    "multiscale": lambda a, t: sr.swap_combcp(a, t, preset="multiscale"),
    "comband": lambda a, t: sr.swap_comband(a, t, preset="multiscale"),
    "paper": lambda a, t: sr.swap_combcp(a, t, preset="paper"),
    "single": sr.baselines.combcp,
    "uniform": lambda a, t: sr.baselines.uniform(a),
}


def measure(
    size: tuple[int, int], horizon: int, player: str, world: str, replications: int, seed: int, jobs: int
) -> dict[str, Any]:
    """Play one cell of the table."""
    actions = sr.MSets(*size)
    environment = WORLDS[world](actions, horizon, seed)
    started = time.perf_counter()
    result = sr.play(PLAYERS[player](actions, horizon), environment, rng=seed, replications=replications, n_jobs=jobs)
    return {
        "dimension": size[0],
        "size": size[1],
        "horizon": horizon,
        "player": player,
        "world": world,
        "swap": result.swap_regret.per_round,
        "external": result.external_regret.per_round,
        "seconds": time.perf_counter() - started,
    }


def main() -> None:
    """Parse, play, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--horizon", type=int, default=None)
    parser.add_argument("--replications", type=int, default=None)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sizes", default=None, help="e.g. 6,2/10,3")
    parser.add_argument("--players", default=",".join(PLAYERS))
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--json", default=None, help="write all cells to this file")
    options = parser.parse_args()
    horizon = options.horizon or (20_000 if options.quick else 100_000)
    replications = options.replications or (4 if options.quick else 8)
    sizes = SIZES[:2] if options.quick else SIZES
    if options.sizes:
        sizes = [(int(d), int(m)) for d, m in (pair.split(",") for pair in options.sizes.split("/"))]
    worlds, players = options.worlds.split(","), options.players.split(",")
    cells = []
    for size in sizes:
        print(f"\nm-sets {size}, T = {horizon:,}, {replications} replications, seed {options.seed}: swap regret / T")
        print(f"{'':12}" + "".join(f"{world:>8}" for world in worlds) + f"{'max':>8}{'mean':>8}{'µs/round':>10}")
        for player in players:
            row = [measure(size, horizon, player, world, replications, options.seed, options.jobs) for world in worlds]
            cells += row
            values = [cell["swap"] for cell in row]
            cost = 1e6 * sum(cell["seconds"] for cell in row) / (len(row) * horizon * replications)
            numbers = "".join(f"{value:8.3f}" for value in values)
            print(f"{player:12}{numbers}{max(values):8.3f}{sum(values) / len(values):8.4f}{cost:10.1f}", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(cells, file, indent=1)


if __name__ == "__main__":
    main()
