"""What plans cost as the number of sequences grows: operations, and days of learners; ``python benchmarks/plan_costs.py [--days]``.

``--days`` leaves out the operations. Days with bandit feedback keep a matrix Σ, so they are measured up to 1,364 sequences.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import swapregret as sr


def tree(depth: int, observations: int = 2, choices: int = 2) -> sr.Plans:
    """Make the plans of somebody who observes and chooses in turn."""
    entries: list[Any] = []
    open_: list[tuple[str, Any]] = [("", None)]
    for _ in range(depth):
        below = []
        for name, after in open_:
            for seen in range(observations):
                here = f"{name}{seen}"
                actions = [chr(97 + choice) for choice in range(choices)]
                entries.append((here, actions, after))
                below += [(here + action, (here, action)) for action in actions]
        open_ = below
    return sr.Plans(entries)


def best_time(function: Callable[[], Any], seconds: float = 0.5) -> float:
    """Return the least time of a call, in µs."""
    function()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e6 * min(times)


def operations(actions: sr.Plans) -> list[float]:
    """Return µs per call of the oracle, the projection, the decomposition and the making of a Gibbs policy."""
    weights = np.random.default_rng(0).normal(size=actions.dimension)
    point = actions.kl_project(weights).point
    calls: list[Callable[[], Any]] = [
        lambda: actions.argmax(weights),
        lambda: actions.kl_project(weights),
        lambda: actions.decompose_packed(point),
        lambda: actions.gibbs(weights),
    ]
    return [best_time(call) for call in calls]


def day(actions: sr.Plans, make: Callable[..., Any], feedback: str) -> float:
    """Return the least processor time of a day of three plays of the multi-scale preset, in µs."""
    horizon = 400 if feedback == "full" else 200
    world = sr.environments.iid(actions, horizon, rng=0)
    player, times = make(actions, horizon, preset="multiscale", feedback=feedback), []
    sr.play(make(actions, 20, preset="multiscale", feedback=feedback), sr.environments.iid(actions, 20, rng=0), rng=0)
    for _ in range(3):
        start = time.process_time()
        sr.play(player, world, rng=0, measure="none")
        times.append(time.process_time() - start)
    return 1e6 * min(times) / horizon


def main() -> None:
    """Print µs per call, and µs per day: lists (Swap-ComBCP) and Gibbs policies (Swap-ComBand), full and bandit feedback."""
    print(
        "sequences  plans(log10)  argmax  kl_project  decompose  gibbs  days: full, lists; Gibbs; bandit, lists; Gibbs"
    )
    before: list[float] = []
    for depth in (3, 4, 5, 6):
        actions = tree(depth)
        row = [] if "--days" in sys.argv else operations(actions)
        for feedback in ("full", "bandit") if depth < 6 else ("full",):
            row += [day(actions, make, feedback) for make in (sr.swap_combcp, sr.swap_comband)]
        log = (actions.n_actions.bit_length() - 1) * 0.30103
        print(f"{actions.dimension:9,}  {log:12.1f}  " + "  ".join(f"{value:9.1f}" for value in row), flush=True)
        exponents = [np.log(now / then) / np.log(4.0) for now, then in zip(row, before, strict=False)]
        print("    exponents, from the row before: " + "  ".join(f"{each:.2f}" for each in exponents), flush=True)
        before = row


if __name__ == "__main__":
    main()
