"""What plans cost as the number of sequences grows: operations, and days of a learner; ``python benchmarks/plan_costs.py``."""

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


def main() -> None:
    """Print a table: µs per call, and µs per day with full feedback."""
    print("sequences  plans(log10)  argmax  kl_project  decompose  gibbs  days, multi-scale  days, Swap-ComBand")
    for depth in (3, 4, 5, 6):
        actions, rng = tree(depth), np.random.default_rng(0)
        weights = rng.normal(size=actions.dimension)
        point = actions.kl_project(weights).point
        calls = (
            lambda a=actions, w=weights: a.argmax(w),
            lambda a=actions, w=weights: a.kl_project(w),
            lambda a=actions, p=point: a.decompose_packed(p),
            lambda a=actions, w=weights: a.gibbs(w),
        )
        row = [best_time(call) for call in calls]
        horizon = 400
        world = sr.environments.iid(actions, horizon, rng=0)
        for make in (sr.swap_combcp, sr.swap_comband):
            player = make(actions, horizon, preset="multiscale", feedback="full")
            row.append(best_time(lambda p=player, w=world: sr.play(p, w, rng=0, measure="none"), 1.0) / horizon)
        log = (actions.n_actions.bit_length() - 1) * 0.30103
        print(f"{actions.dimension:9,}  {log:12.1f}  " + "  ".join(f"{value:9.1f}" for value in row), flush=True)


if __name__ == "__main__":
    main()
