"""What a day on a set known by an oracle alone costs: microseconds of processor time, and questions.

    python benchmarks/oracle_days.py                      all sets, both presets, T = 2,000 and 10,000: some minutes
    python benchmarks/oracle_days.py --days 2000          one horizon

The oracles are Python functions of 5 to 50 µs: the three heaviest of d elements, spanning trees by Kruskal's algorithm, matchings
by SciPy. Every set is played by both presets before it is timed, so compiling is left out; making the player is left out too.
"""

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

import swapregret as sr

Oracle = Callable[[np.ndarray], np.ndarray]


class Counted:
    """An oracle that counts its questions."""

    def __init__(self, inner: Oracle) -> None:
        self.inner, self.n_calls = inner, 0

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        """Ask, and count."""
        self.n_calls += 1
        return self.inner(weights)


def three_heaviest(weights: np.ndarray) -> np.ndarray:
    """Return the three heaviest elements."""
    chosen = np.zeros(len(weights), dtype=np.int64)
    chosen[np.argsort(-weights, kind="stable")[:3]] = 1
    return chosen


def trees(n_nodes: int) -> Oracle:
    """Return the oracle of the spanning trees of a complete graph."""
    edges = [(a, b) for a in range(n_nodes) for b in range(a)]

    def best(weights: np.ndarray) -> np.ndarray:
        part, chosen = list(range(n_nodes)), np.zeros(len(edges), dtype=np.int64)
        for i in np.argsort(-weights, kind="stable").tolist():
            a, b = part[edges[i][0]], part[edges[i][1]]
            if a != b:
                chosen[i] = 1
                part = [a if each == b else each for each in part]
        return chosen

    return best


def matchings(rows: int, columns: int) -> Oracle:
    """Return the oracle of the matchings of all rows."""

    def best(weights: np.ndarray) -> np.ndarray:
        chosen = np.zeros((rows, columns), dtype=np.int64)
        chosen[linear_sum_assignment(weights.reshape(rows, columns), maximize=True)] = 1
        return chosen.ravel()

    return best


def sets() -> Iterator[tuple[str, int, Oracle]]:
    """Yield a name, the number of elements and an oracle."""
    for d in (8, 20, 50):
        yield "three of d", d, three_heaviest
    yield "matchings", 16, matchings(4, 4)
    yield "matchings", 48, matchings(6, 8)
    yield "trees", 21, trees(7)
    yield "trees", 45, trees(10)


def measure(dimension: int, oracle: Oracle, preset: str, days: int, runs: int = 4) -> tuple[float, float]:
    """Return microseconds and questions per day, means over some runs: they differ from run to run."""
    seconds, n_asked = 0.0, 0
    for seed in range(runs):
        counted = Counted(oracle)
        actions = sr.OracleSet(dimension, counted)
        player, world = sr.swap_combcp(actions, days, preset=preset), sr.environments.iid(actions, days, rng=1 + seed)
        asked, began = counted.n_calls, time.process_time()
        sr.play(player, world, rng=seed, measure="none")
        seconds += time.process_time() - began
        n_asked += counted.n_calls - asked
    return 1e6 * seconds / (runs * days), n_asked / (runs * days)


def main() -> None:
    """Print one line per set and horizon."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--days", type=int, nargs="*", default=[2_000, 10_000])
    given = parser.parse_args()
    for _, d, oracle in sets():
        for preset in ("adaptive", "multiscale"):
            measure(d, oracle, preset, 100, runs=1)
    print("set           d       T   adaptive: µs, questions   multiscale: µs, questions   per day")
    for days in given.days:
        for name, d, oracle in sets():
            both = [measure(d, oracle, preset, days) for preset in ("adaptive", "multiscale")]
            print(f"{name:11} {d:3} {days:7,}" + "".join(f"{us:19,.0f} {asked:6.1f}" for us, asked in both), flush=True)


if __name__ == "__main__":
    main()
