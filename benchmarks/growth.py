"""How the time of a round grows with dimension, scales, number of actions and horizon, and what a state holds.

    python benchmarks/growth.py [--seconds .6]

The first table is that of docs/performance.md. The time of a round is fitted by a power law, with the standard error of its
exponent, in the spread state of ``make bench-speed``. A state is what a snapshot holds, after some days of play.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from guard import UNMEASURED
from speed.cases import round_player, rounds_of, world

import swapregret as sr
from swapregret.counts import count_in_words
from swapregret.experiments.paper_table1 import layered_dag
from swapregret.experiments.timing import measure
from swapregret.playing.course import Course

Sized = tuple[float, Any]
"""The size at which a point is drawn, and the player that is timed."""


def _round(actions: sr.ActionSet) -> Sized:
    return actions.dimension, round_player(actions)


def _scales(n_scales: int) -> Sized:
    return n_scales, round_player(sr.MSets(20, 5), windows=tuple(4**k for k in range(n_scales + 1)))


def _count(size: int) -> Sized:
    actions = sr.MSets(40, size)
    return float(actions.n_actions), round_player(actions)


def _horizon(horizon: int) -> Sized:
    return horizon, sr.swap_combcp(sr.MSets(20, 5), horizon, preset="multiscale")


CURVES: list[tuple[str, str, tuple[int, ...], Callable[[int], Sized], float]] = [
    ("m-sets, m = d/10", "d", (100, 300, 1000, 3000), lambda d: _round(sr.MSets(d, d // 10)), 1.3),
    ("layered paths, width 10", "d", (5, 10, 20, 50), lambda n: _round(layered_dag(10, n)), 1.15),
    ("permutations", "d", (6, 10, 14, 20, 30, 40), lambda n: _round(sr.Permutations(n)), 1.7),
    ("m-sets (20, 5), H = 4", "K", (2, 3, 4, 6, 8), _scales, 1.0),
    ("m-sets, d = 40", "N", (2, 3, 5, 8, 12, 20), _count, 0.1),
    ("m-sets (20, 5), multiscale", "T", (10_000, 100_000, 1_000_000, 10_000_000), _horizon, 0.1),
]
"""Name, what grows, parameters, players, and the largest exponent asked for; 0 is asked for as at most .1, what noise allows."""

HELD: list[tuple[str, Callable[[], Any]]] = [
    ("m-sets (20, 5), multiscale, T = 10⁴", lambda: _horizon(10_000)[1]),
    ("m-sets (20, 5), multiscale, T = 10⁷", lambda: _horizon(10_000_000)[1]),
    ("m-sets (100, 10), daily updates", lambda: round_player(sr.MSets(100, 10), "concentrated")),
    ("permutations 10, daily updates", lambda: round_player(sr.Permutations(10), "concentrated")),
    ("m-sets (2000, 200), daily updates", lambda: round_player(sr.MSets(2000, 200), "concentrated")),
    ("paths, 920 edges, daily updates", lambda: round_player(layered_dag(10, 10), "concentrated")),
]


def fit_power(sizes: list[float], times: list[float]) -> tuple[float, float]:
    """Return the exponent of a power law through at least three points, and its standard error."""
    (exponent, _), spread = np.polyfit(np.log(sizes), np.log(times), 1, cov=True)
    return float(exponent), float(np.sqrt(spread[0, 0]))


def short(value: float) -> str:
    """Return two digits of a small or huge number, all digits of one in between."""
    return count_in_words(value) if value >= 10.0 else f"{value:.2g}"


def held_bytes(player: Any, days: int) -> int:
    """Return the bytes of the arrays that a snapshot of a player has after some days."""
    course = Course(player, world(player.actions, days, "concentrated"), np.random.SeedSequence(0), UNMEASURED)
    course.advance(days)
    return sum(np.asarray(array).nbytes for array in player.dump(course.state).values())


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.6, help="processor time for each point")
    seconds = parser.parse_args().seconds
    print("| curve | of | exponent | aim | sizes | µs per round |\n| --- | --: | --: | --: | --: | --: |")
    for name, against, parameters, make, limit in CURVES:
        sizes, times = [], []
        for parameter in parameters:
            size, player = make(parameter)
            sizes.append(size)
            times.append(measure(rounds_of(player, "spread"), seconds).microseconds)
        exponent, error = fit_power(sizes, times)
        ends = " | ".join(f"{short(of[0])}–{short(of[-1])}" for of in (sizes, times))
        print(f"| {name} | {against} | {exponent:.2f} ± {error:.2f} | ≤ {limit:g} | {ends} |", flush=True)
    print("\n| state | after 10 days | after 400 |\n| --- | --: | --: |")
    for name, make_player in HELD:
        kilobytes = [held_bytes(make_player(), days) / 1024 for days in (10, 400)]
        print(f"| {name} | {kilobytes[0]:,.0f} KiB | {kilobytes[1]:,.0f} KiB |", flush=True)


if __name__ == "__main__":
    main()
