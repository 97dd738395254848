"""Time every operation of every action set: ours, the straightforward route, a conic solver.

    make bench-oracles                           everything, a minute or two
    python benchmarks/oracles.py --quick         two sizes a set, half a minute
    python benchmarks/oracles.py --sets m-sets   only these, separated by commas

Times are minima over repeats, of calls from Python. Only the ratios mean anything on another machine.

    ours      our time at the size in the second column, where the plain route is measured too
    plain     NumPy and SciPy as one would write them (plain_routes.py), as a multiple of ours
    off by    how wrong the plain route is: value missed, largest error of a coordinate or of the marginals; FAILED if it gives up
    conic     CVXPY + Clarabel on the smallest size, as a multiple of ours there (conic_hulls.py), and how wrong it is
    growth    our exponent: time ~ d^growth, fitted over all sizes
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import conic_hulls
import numpy as np
import plain_routes as plain
from plain_routes import Vector
from timed_sets import FAMILIES, Family

from swapregret.actions.action_set import ActionSet
from swapregret.actions.paths.dag_paths import DagPaths

# ---- operations: each gives a call to time, and what it must return --------------------------------------------------


@dataclass(frozen=True)
class Task:
    """One operation on one instance: our call, the plain one and the conic one, and how wrong an answer is."""

    ours: Callable[[], Any]
    plain: Callable[[], Any] | None
    conic: Callable[[], Callable[[], Any]] | None
    error: Callable[[Any], float]


def _weights(actions: ActionSet, spread: float | None = None) -> Vector:
    rng = np.random.default_rng(actions.dimension)
    return rng.normal(size=actions.dimension) if spread is None else rng.uniform(-spread, spread, actions.dimension)


def oracle(family: Family, actions: ActionSet) -> Task:
    """Linear oracle; the error is the value missed."""
    w = _weights(actions)
    best = float(w @ actions.argmax(w))

    def conic() -> Callable[[], Vector]:
        solve = conic_hulls.maximise(family.hull(actions))
        return lambda: solve(w)

    return Task(
        lambda: actions.argmax(w),
        lambda: family.argmax(actions, w),
        conic,
        lambda answer: abs(best - float(w @ answer)),
    )


def projection(spread: float) -> Callable[[Family, ActionSet], Task]:
    """KL projection of log-weights within ± spread; the error is the largest of a coordinate."""

    def task(family: Family, actions: ActionSet) -> Task:
        w = _weights(actions, spread)
        right = actions.kl_project(w)
        if right.gap > 1e-9:
            raise AssertionError(f"{actions!r}: gap {right.gap:.3g} at ±{spread}")

        def conic() -> Callable[[], Vector]:
            solve = conic_hulls.project(family.hull(actions))
            return lambda: solve(w)

        return Task(
            lambda: actions.kl_project(w),
            lambda: family.project(actions, w),
            conic,
            lambda answer: float(np.abs(answer - right.point).max()),
        )

    return task


def decomposition(family: Family, actions: ActionSet) -> Task:
    """Decomposition into a policy with given marginals; the error is the largest of the marginals."""
    x = actions.kl_project(_weights(actions)).point

    def error(answer: plain.List) -> float:
        atoms, weights = answer
        return float(np.abs(weights @ atoms - x).max())

    return Task(lambda: actions.decompose(x), lambda: family.decompose(actions, x), None, error)


def moment(family: Family, actions: ActionSet) -> Task:
    """Σv of a policy with given marginals, against the table of its atoms; the Markov chain for paths."""
    x, v = actions.kl_project(_weights(actions)).point, _weights(actions, 1.0)
    policy = actions.decompose(x)
    chain = getattr(actions, "paths", actions) if not getattr(actions, "is_compact", False) else None
    quick = chain.markov_policy(x) if isinstance(chain, DagPaths) else policy
    listed = policy.finite()
    table = listed.atoms.astype(np.float64), listed.weights
    right = policy.second_moment(v)
    return Task(
        lambda: quick.second_moment(v),
        lambda: plain.listed_moment(table, v),
        None,
        lambda answer: float(np.abs(answer - right).max()),
    )


def gibbs(family: Family, actions: ActionSet) -> Task:
    """Marginals of the Gibbs policy; the error is the largest of a coordinate."""
    s = _weights(actions)
    right = actions.gibbs(s).marginals()
    return Task(
        lambda: actions.gibbs(s).marginals(),
        lambda: family.gibbs(actions, s) if family.gibbs else None,
        None,
        lambda answer: float(np.abs(answer - right).max()),
    )


OPERATIONS: dict[str, Callable[[Family, ActionSet], Task]] = {
    "argmax": oracle,
    "project ±1": projection(1.0),
    "project ±30": projection(30.0),
    "decompose": decomposition,
    "Σv": moment,
    "gibbs": gibbs,
}


# ---- timing ----------------------------------------------------------------------------------------------------------


def best_time(call: Callable[[], Any], budget: float) -> float:
    """Return the least time of a call in seconds; repeats for about ``budget`` seconds, and at least five times."""
    call()  # compiles, fills caches
    started = time.perf_counter()
    call()
    once = best = max(time.perf_counter() - started, 1e-7)
    per_repeat = max(1, int(1e-3 / once))
    end = time.perf_counter() + budget
    n_repeats = 1
    while time.perf_counter() < end or n_repeats < 5:
        n_repeats += 1
        started = time.perf_counter()
        for _ in range(per_repeat):
            call()
        best = min(best, (time.perf_counter() - started) / per_repeat)
    return best


def other_route(
    call: Callable[[], Any], error: Callable[[Any], float], budget: float
) -> tuple[float | None, float | None]:
    """Return time and error of a plain or conic route; None if it gives up."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            answer = call()
            wrong = error(answer)
        except Exception:  # a solver that fails is a result of the comparison
            return None, None
        started = time.perf_counter()
        call()
        once = time.perf_counter() - started
        return (once if once > 1.0 else best_time(call, budget)), wrong


@dataclass(frozen=True)
class Line:
    """One line of the table; times in seconds."""

    set: str
    operation: str
    size: tuple[int, ...]
    ours: float
    plain: float | None
    plain_error: float | None
    smallest: tuple[int, ...]
    ours_smallest: float
    conic: float | None
    conic_error: float | None
    has_conic: bool
    growth: float
    times: dict[int, float]


def measure(name: str, operation: str, quick: bool, budget: float) -> Line:
    """Measure one line of the table."""
    family = FAMILIES[name]
    sizes = family.gibbs_sizes if operation == "gibbs" and family.gibbs_sizes else family.sizes
    sizes = sizes[:2] if quick else sizes
    sets = [family.make(*size) for size in sizes]
    tasks = [OPERATIONS[operation](family, actions) for actions in sets]
    ours = [best_time(task.ours, budget) for task in tasks]
    at = 0 if operation in family.slow else family.middle
    assert tasks[at].plain is not None
    plain_time, plain_error = other_route(tasks[at].plain, tasks[at].error, budget)
    conic_time = conic_error = None
    if (prepare := tasks[0].conic) is not None:
        conic_time, conic_error = other_route(prepare(), tasks[0].error, budget)
    dimensions = [actions.dimension for actions in sets]
    growth = float(np.polyfit(np.log(dimensions), np.log(ours), 1)[0])
    return Line(
        set=name,
        operation=operation,
        size=sizes[at],
        ours=ours[at],
        plain=plain_time,
        plain_error=plain_error,
        smallest=sizes[0],
        ours_smallest=ours[0],
        conic=conic_time,
        conic_error=conic_error,
        has_conic=tasks[0].conic is not None,
        growth=growth,
        times=dict(zip(dimensions, ours, strict=True)),
    )


# ---- printing --------------------------------------------------------------------------------------------------------


def _seconds(value: float) -> str:
    return f"{value * 1e6:.1f} µs" if value < 1e-3 else f"{value * 1e3:.2f} ms" if value < 1.0 else f"{value:.2f} s"


def _against(other: float | None, ours: float, error: float | None) -> tuple[str, str]:
    if other is None or error is None:
        return "–", "FAILED"
    ratio = other / ours
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.1f}×", f"{error:.0e}" if np.isfinite(error) else "FAILED"


def show(line: Line) -> str:
    """Write one line of the table."""
    size = "×".join(str(number) for number in line.size)
    ratio, error = _against(line.plain, line.ours, line.plain_error)
    conic, conic_error = _against(line.conic, line.ours_smallest, line.conic_error) if line.has_conic else ("", "")
    return (
        f"  {line.operation:12}{size:>11}{_seconds(line.ours):>11}{ratio:>9}{error:>9}"
        f"{conic:>10}{conic_error:>9}{line.growth:>8.2f}"
    )


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sets", default=",".join(FAMILIES))
    parser.add_argument("--json", default=None, help="write all lines to this file")
    options = parser.parse_args()
    budget = 0.03 if options.quick else 0.1
    lines = []
    heading = ("operation", "size", "ours", "plain", "off by", "conic", "off by", "growth")
    for name in options.sets.split(","):
        print(f"\n{name}: d = {', '.join(str(FAMILIES[name].make(*size).dimension) for size in FAMILIES[name].sizes)}")
        print("  {:12}{:>11}{:>11}{:>9}{:>9}{:>10}{:>9}{:>8}".format(*heading))
        for operation in OPERATIONS:
            if operation == "gibbs" and FAMILIES[name].gibbs is None:
                continue
            lines.append(measure(name, operation, options.quick, budget))
            print(show(lines[-1]), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([asdict(line) for line in lines], file, indent=1)


if __name__ == "__main__":
    main()
