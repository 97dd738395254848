"""Reward and swap regret of every player on every sequence of the suite, for the README and the study of the adaptive preset.

    python benchmarks/quality.py                 the whole table at T = 10⁵, 8 replications (minutes)
    python benchmarks/quality.py --quick         m-sets (6,2) and (10,3) at T = 20,000, 4 replications
    python benchmarks/quality.py --sets "paths/permutations 5/trees" --players adaptive,multiscale,single,uniform
    python benchmarks/quality.py --sets 10,3 --horizon 10000 --players all --dominated
    python benchmarks/quality.py --sets all --horizon 1000 --players adaptive,multiscale,single,uniform --dominated
    python benchmarks/quality.py --sets 10,3 --players ablations        the adaptive preset, one ingredient off at a time
    python benchmarks/quality.py --sets 10,3 --horizon 1000 --players practice --worlds iid,near,pareto,ar --dominated

A cell is reward and swap regret per round, the maximum over φ outside the expectation, from policies, with the mean rewards of
the world; replications are averaged in the ledger before the maximum. ``best`` is the reward of the best fixed action. Seeds of
the worlds and of the players are options, so that figures can be checked on fresh ones. Players of ``PRACTICE`` are played with
each of four memories, none and T/10, T/30, T/100, and the one with the most reward stands in the cell: chosen in hindsight, an
advantage nobody has who plays. ``--dominated`` lists the cells where
another player has at least the reward of the first less .003, and a swap regret that is lower by .005 and by a fifth.
"""

import argparse
import json
import math
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.actions.set_specs import make_set as parse_set
from swapregret.environments.environment import rows_of
from swapregret.errors import SwapRegretError
from swapregret.experiments.paper_table1 import layered_dag
from swapregret.experiments.which_one import is_dominated

SETS = "6,2/10,3/20,5"
ALL_SETS = (
    f"15,1/{SETS}/45,8/100,10/permutations 5/permutations 8/trees/paths/uneven paths/partitions 10 5/"
    'product "msets 5 2" "permutations 3"'
)


def make_set(name: str) -> sr.ActionSet:
    """Return the set a name stands for: "d,m" for m-sets, a name below, or a line as in specs."""
    if name == "paths":
        return layered_dag(5, 5)
    if name == "uneven paths":  # 520 of 3 to 13 edges
        edges = [(i, j) for i, j in combinations(range(14), 2) if j == i + 1 or (5 * i + 7 * j) % 4 == 2]
        return sr.DagPaths(edges, source=0, sink=13)
    if name == "trees":
        return sr.SpanningTrees(list(combinations(range(6), 2)))
    if " " in name:
        return parse_set(name)
    dimension, size = name.split(",")
    return sr.MSets(int(dimension), int(size))


WORLDS: dict[str, Callable[..., sr.environments.Environment]] = {
    "cyc7": lambda a, t, s: sr.environments.cyclic(a, t, phases=7, rng=s),
    "cyc31": lambda a, t, s: sr.environments.cyclic(a, t, phases=31, rng=s),
    "cyc127": lambda a, t, s: sr.environments.cyclic(a, t, phases=127, rng=s),
    "spiral": lambda a, t, s: sr.environments.spiral(a, t, rng=s),
    "slot": lambda a, t, s: sr.environments.slots(a, t, rng=s),
    "iid": lambda a, t, s: sr.environments.iid(a, t, rng=s),
    "pws": lambda a, t, s: sr.environments.piecewise(a, t, rng=s),
    "outages": lambda a, t, s: sr.environments.interruptions(a, t, rng=s),
    "rw": lambda a, t, s: sr.environments.random_walk(a, t, rng=s),
    "tree": lambda a, t, s: sr.environments.tree(a, t, rng=s),
}


def near(actions: sr.ActionSet, horizon: int, seed: int) -> sr.environments.Environment:
    """Return a world that stands still, with many actions near the best one: levels are uniform between .5 and .7."""
    table = np.random.default_rng([seed, 1]).uniform(0.5, 0.7, (1, actions.dimension))
    return sr.environments.Environment("near", actions, horizon, rows_of(table, np.zeros_like), seed)


def pareto(actions: sr.ActionSet, horizon: int, seed: int) -> sr.environments.Environment:
    """Return pieces whose lengths have a Pareto distribution of exponent 1.2, each with a random action at .8, all else at .3."""
    rng = np.random.default_rng([seed, 2])
    lengths = (1.0 + rng.pareto(1.2, 500)) * horizon / 50
    table = 0.3 + 0.5 * np.array([actions.argmax(rng.random(actions.dimension)) for _ in lengths])
    ends = np.cumsum(lengths)
    return sr.environments.Environment(
        "pareto", actions, horizon, rows_of(table, lambda day: np.searchsorted(ends, day)), seed
    )


def autoregressive(actions: sr.ActionSet, horizon: int, seed: int) -> sr.environments.Environment:
    """Return levels about .5, each an autoregressive process of deviation .25 that forgets in T/20 days."""
    n = min(horizon, 1000)
    rng, keep = np.random.default_rng([seed, 3]), float(np.exp(-20.0 / n))
    moves = rng.standard_normal((n, actions.dimension)) * 0.25
    for row in range(1, n):
        moves[row] = keep * moves[row - 1] + math.sqrt(1.0 - keep**2) * moves[row]
    table = np.clip(0.5 + moves, 0.0, 1.0)
    return sr.environments.Environment("ar", actions, horizon, rows_of(table, lambda day: day * n // horizon), seed)


MORE_WORLDS: dict[str, Callable[..., sr.environments.Environment]] = {
    "near": near,
    "pareto": pareto,
    "ar": autoregressive,
}
"""Worlds that the tables of the ten do not have."""
PLAYERS: dict[str, Callable[..., Any]] = {
    "adaptive": lambda a, t: sr.swap_combcp(a, t, preset="adaptive"),
    "multiscale": lambda a, t: sr.swap_combcp(a, t, preset="multiscale"),
    "swap-comband": lambda a, t: sr.swap_comband(a, t, preset="multiscale"),
    "paper": lambda a, t: sr.swap_combcp(a, t, preset="paper"),
    "single": sr.baselines.combcp,
    "uniform": lambda a, t: sr.baselines.uniform(a),
}
COMPETITORS: dict[str, Callable[..., Any]] = {
    name: getattr(sr.baselines, name)
    for name in (
        "comband",
        "combexp",
        "exp3",
        "tsallis_inf",
        "blum_mansour",
        "ito",
        "treeswap",
        "stoltz",
        "regret_matching",
    )
}

PRACTICE: dict[str, Callable[..., Any]] = {
    name.replace("_", "-"): getattr(sr.baselines, name)
    for name in ("lin_ts", "lin_ucb", "epsilon_greedy", "comb_ts", "comb_ucb")
}
"""What people would pick instead, each with the best of ``SHARES`` as its memory: of the horizon, or none."""
SHARES = (None, 10, 30, 100)

ABLATIONS: dict[str, Callable[..., Any]] = {
    "no-" + name.replace("_", "-"): partial(sr.swap_combcp, preset="adaptive", **{name: False})
    for name in ("trackers", "swap_filter", "pooling", "learned_weights", "experts", "guarded", "least_squares")
} | {
    "one-variant": partial(sr.swap_combcp, preset="adaptive", variants=1),
}

VARIANTS: dict[str, Callable[..., Any]] = {
    "ladder": lambda a, t: sr.swap_combcp(a),
    "ladder-no-experts": lambda a, t: sr.swap_combcp(a, experts=False),
    "semi-bandit": partial(sr.swap_combcp, feedback="semi-bandit"),
    "semi-bandit-sums": partial(sr.swap_combcp, feedback="semi-bandit", least_squares=False),
    "full": partial(sr.swap_combcp, feedback="full"),
    "leader-full": partial(sr.baselines.follow_the_leader, feedback="full"),
    "comband-adaptive": sr.swap_comband,
    "comband-sums": partial(sr.swap_comband, least_squares=False),
}


def measure(
    actions: sr.ActionSet, horizon: int, player: str, world: str, replications: int, seed: int, jobs: int
) -> dict[str, Any]:
    """Play one cell of the table; a refusal has no number."""
    if player in PRACTICE:
        cells = [
            measure(actions, horizon, f"{player}/{share}", world, replications, seed, jobs)
            for share in SHARES
            if share is None or horizon >= 5 * share
        ]
        best = max(cells, key=lambda cell: float(cell["reward"]))
        return best | {"player": player, "memory": best["player"], "seconds": sum(cell["seconds"] for cell in cells)}
    environment = (WORLDS | MORE_WORLDS)[world](actions, horizon, seed)
    started = time.perf_counter()
    cell = {"set": repr(actions), "horizon": horizon, "player": player, "world": world, "seed": seed}
    try:
        base, _, share = player.partition("/")
        if base in PRACTICE:
            made = PRACTICE[base](actions, horizon, memory=None if share == "None" else horizon / float(share))
        else:
            made = (PLAYERS | COMPETITORS | ABLATIONS | VARIANTS)[player](actions, horizon)
        result = sr.play(made, environment, rng=seed, replications=replications, n_jobs=jobs)
    except SwapRegretError as error:
        return cell | {
            "reward": math.nan,
            "swap": math.nan,
            "best": math.nan,
            "seconds": math.nan,
            "refused": str(error),
        }
    return cell | {
        "reward": result.reward,
        "swap": result.swap_regret.per_round,
        "best": result.reward + result.external_regret.per_round,
        "seconds": time.perf_counter() - started,
    }


def pair(cell: dict[str, Any]) -> tuple[float, float]:
    """Return the reward and the swap regret of a cell."""
    return float(cell["reward"]), float(cell["swap"])


def dominated(cells: list[dict[str, Any]], mine: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the cells in which a player is dominated, each with the one that dominates it with the least swap regret."""
    found = []
    for cell in (cell for cell in cells if cell["player"] == mine):
        place = (cell["set"], cell["horizon"], cell["world"])
        others = [
            c for c in cells if (c["set"], c["horizon"], c["world"]) == place and is_dominated(pair(cell), pair(c))
        ]
        if others:
            found.append((cell, min(others, key=lambda other: float(other["swap"]))))
    return found


def print_dominated(cells: list[dict[str, Any]], mine: str) -> None:
    """Print the cells in which the first player is dominated, with both numbers of both players."""
    lost = dominated(cells, mine)
    for ours, other in lost:
        place = f"{ours['set']} T = {ours['horizon']:,} {ours['world']}"
        numbers = [f"{cell['player']} {cell['reward']:.3f}/{cell['swap']:.4f}" for cell in (ours, other)]
        print(f"  dominated: {place}: {', '.join(numbers)}")
    print(f"  {mine} is dominated in {len(lost)} of {sum(cell['player'] == mine for cell in cells)} cells")


def main() -> None:
    """Parse, play, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--horizon", type=int, default=None)
    parser.add_argument("--replications", type=int, default=None)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sets", default=None, help="all, or names separated by /, e.g. 6,2/paths/permutations 5")
    parser.add_argument("--players", default=",".join(PLAYERS), help="names separated by commas, all, or ablations")
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument(
        "--dominated", action="store_true", help="list the cells in which the first player is dominated"
    )
    parser.add_argument("--json", default=None, help="write all cells to this file")
    options = parser.parse_args()
    horizon = options.horizon or (20_000 if options.quick else 100_000)
    replications = options.replications or (4 if options.quick else 8)
    sets = ALL_SETS if options.sets == "all" else options.sets
    names = (sets or ("6,2/10,3" if options.quick else SETS)).split("/")
    worlds = options.worlds.split(",")
    bandit = [name for name in PRACTICE if not name.startswith("comb-")]
    groups = {
        "all": [*PLAYERS, *COMPETITORS, *bandit],
        "practice": ["adaptive", *bandit, "single", "uniform"],
        "practice-semi": ["semi-bandit", "comb-ts", "comb-ucb"],
        "ablations": ["adaptive", *ABLATIONS, "multiscale"],
    }
    players = groups.get(options.players) or options.players.split(",")
    cells = []
    for name in names:
        actions = make_set(name)
        print(
            f"\n{actions!r:.60}, T = {horizon:,}, {replications} replications, seed {options.seed}: reward/swap regret"
        )
        print(f"{'':14}" + "".join(f"{world:>12}" for world in worlds) + f"{'mean':>13}{'µs/round':>10}")
        for player in players:
            row = [
                measure(actions, horizon, player, world, replications, options.seed, options.jobs) for world in worlds
            ]
            cells += row
            n = len(row)
            cost = 1e6 * sum(cell["seconds"] for cell in row) / (n * horizon * replications)
            numbers = "".join(f"  {cell['reward']:.3f}/{cell['swap']:.3f}" for cell in row)
            means = f"  {sum(cell['reward'] for cell in row) / n:.3f}/{sum(cell['swap'] for cell in row) / n:.4f}"
            print(f"{player:14}{numbers}{means}{cost:10.1f}", flush=True)
        best = [next(c["best"] for c in cells if c["set"] == repr(actions) and c["world"] == world) for world in worlds]
        print(f"{'best fixed':14}" + "".join(f"{value:9.3f}   " for value in best), flush=True)
    if options.dominated:
        print_dominated(cells, players[0])
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(cells, file, indent=1)


if __name__ == "__main__":
    main()
