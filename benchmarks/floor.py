"""How far a round is from what its arithmetic must cost: writes `benchmarks/floor.md`.

Run `python benchmarks/floor.py` with one thread of linear algebra (`OMP_NUM_THREADS=1`). For three cases, one of them in two
ways, it counts the floating-point operations and the bytes of the algorithm at hand, with the sweeps, atoms and steps of conjugate
gradients met on days 5, 15 and 25 of a run; measures what this machine does a second; and puts the two beside what a round
takes in a run of 100 days. A step must last at least as long as its operations at the rate of a matrix product, as its
bytes at the rate at which arrays of that size are added up, and, in a recursion, as the operations that wait for each other, one
after the other; the floor is the sum over the steps. All times are processor time.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy

from swapregret.actions.permutation_laws import UniformMatchings
from swapregret.errors import NotConverged
from swapregret.experiments.bench.cases import ROUNDS, STATES, Case, level, round_player, world
from swapregret.experiments.bench.table import describe_machine
from swapregret.geometry.solve import IterativeSolver, make_solver
from swapregret.kernels.dag_newton import SWEEPS
from swapregret.kernels.matching_solve import prepare_matchings
from swapregret.kernels.vectors import tilt
from swapregret.learners.lazy import AdaptiveRate, step_size
from swapregret.learners.player import Decision
from swapregret.play import play

_EXP = 20  # operations of an exponential or a logarithm
_LOOKED_AT = (5, 15, 25)
_RANK = 362
_DAYS = 100


@dataclass(frozen=True)
class Step:
    """A part of a round: what it counts, how large the arrays it goes through are, and how long it takes by itself.

    ``name`` may have a place for ``count``, the number of sweeps, atoms or steps. ``waits`` are sums, products and quotients each
    of which needs the result of the one before.
    """

    name: str
    flops: float
    bytes: float
    working_set: float
    seconds: float | None = None
    count: float = 0.0
    waits: tuple[float, float, float] = (0.0, 0.0, 0.0)


def mean_step(steps: tuple[Step, ...]) -> Step:
    """Average a step over the days it was looked at."""
    numbers = [float(np.mean([getattr(s, k) for s in steps])) for k in ("flops", "bytes", "working_set", "count")]
    seconds = None if steps[0].seconds is None else float(np.mean([s.seconds for s in steps]))
    return Step(steps[0].name.format(numbers[3]), numbers[0], numbers[1], numbers[2], seconds, waits=steps[0].waits)


@dataclass(frozen=True)
class Machine:
    """What the machine does a second."""

    flops: float
    bandwidths: dict[int, float]
    cholesky: float
    """Seconds LAPACK takes to factor a matrix of 362 rows."""
    latencies: tuple[float, ...]
    """Seconds of a sum, a product and a quotient that wait for the one before."""

    def seconds(self, step: Step) -> float:
        """Return how long a step must last."""
        size = min(self.bandwidths, key=lambda known: abs(np.log(known / max(step.working_set, 1.0))))
        waiting = sum(count * seconds for count, seconds in zip(step.waits, self.latencies, strict=True))
        return max(step.flops / self.flops, step.bytes / self.bandwidths[size], waiting)


def best_of(run: Callable[[], object], seconds: float = 0.1) -> float:
    """Return the least processor time of a call among as many as fit into some seconds."""
    run()
    best, began = np.inf, time.process_time()
    while time.process_time() - began < seconds:
        repeats, spent = 1, 0.0
        while True:
            start = time.process_time()
            for _ in range(repeats):
                run()
            spent = time.process_time() - start
            if spent > 2e-4:
                break
            repeats *= 4
        best = min(best, spent / repeats)
    return best


@numba.njit(error_model="numpy")
def _add(x: float, count: int) -> float:
    for _ in range(count):
        x = x + 1.5
    return x


@numba.njit(error_model="numpy")
def _multiply(x: float, count: int) -> float:
    for _ in range(count):
        x = x * 0.9999999
    return x


@numba.njit(error_model="numpy")
def _divide(x: float, count: int) -> float:
    for _ in range(count):
        x = 1.5 / x
    return x


def measure_machine() -> Machine:
    """Time a matrix product, and sums of arrays that fit into each level of the memory."""
    n = 384
    a, b, out = np.random.default_rng(0).random((3, n, n))
    product = best_of(lambda: np.matmul(a, b, out=out), 0.5)
    bandwidths = {}
    for size in (24_000, 240_000, 2_400_000, 24_000_000):
        x, y, z = np.ones((3, size // 24))
        bandwidths[size] = size / best_of(lambda x=x, y=y, z=z: np.add(x, y, out=z), 0.3)
    definite = np.eye(_RANK) + 0.1
    factor = best_of(lambda: scipy.linalg.cho_factor(definite, check_finite=False), 0.5)
    latencies = tuple(best_of(lambda each=each: each(1.5, 100_000), 0.2) / 1e5 for each in (_add, _multiply, _divide))
    return Machine(2.0 * n**3 / product, bandwidths, factor, latencies)


def look(
    case: Case, state: str, solver: str, count: Callable[[Any, Any, Any, str], list[Step]]
) -> tuple[list[Step], float]:
    """Count on some days of a run, and time the whole of it; return the steps of a round, and its seconds."""
    actions = case.make()
    player: Any = round_player(actions, state, solver=solver)
    rng = np.random.default_rng(0)
    now, means, found = player.start(rng), level(actions, state) / actions.size, []
    for day in range(max(_LOOKED_AT) + 1):
        policy = player.policy(now)
        action = policy.sample(rng)
        if day in _LOOKED_AT:
            found.append(count(actions, now, action, state))
        now = player.observe(now, Decision(day, action, (), policy), float(means @ action))
    days = world(actions, _DAYS, state)
    whole = best_of(lambda: play(player, days, rng=0, measure="none"), 1.0) / _DAYS
    return [mean_step(steps) for steps in zip(*found, strict=True)], whole


def before_projection(actions: Any, scale: Any, state: str) -> Any:
    """Return the log-weights whose projection the scale plays."""
    diameter = actions.size * np.log(actions.dimension / actions.size)
    noise = scale.variation + scale.memory_sum / max(scale.memory_count, 1)
    eta = step_size(AdaptiveRate(STATES[state]), diameter, noise)
    return tilt(scale.origin, scale.score, eta, True)


def steps_of_gradients(policy: Any, action: Any) -> int:
    """Return how many steps conjugate gradients take to the solver's tolerance, by asking for fewer and fewer."""

    def is_enough(limit: int) -> bool:
        solver = IterativeSolver(policy, limit=limit)
        try:
            solver.solve(action)
        except NotConverged:
            return False
        return not solver.has_recovered

    low, high = 0, 1
    while not is_enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def permutations(actions: Any, now: Any, action: Any, state: str) -> list[Step]:
    """Count a round on permutations, where Σ⁺M is iterated for with products that follow the changes in sorted lists."""
    n, d = actions.n, actions.dimension
    scale = now.scales[0]
    tilted = before_projection(actions, scale, state)
    sweeps = actions.kl_project(tilted).n_iterations
    law = actions.decompose(scale.point)
    mixture = now.mixture
    pairs = zip(mixture.components, mixture.component_weights, strict=True)
    listed = [(part, weight) for part, weight in pairs if not isinstance(part, UniformMatchings)]
    explore = 1.0 - sum(weight for _, weight in listed)
    elements = np.concatenate([np.nonzero(part.atoms)[1].reshape(-1, n) for part, _ in listed]).astype(np.uint32)
    packed = prepare_matchings(elements, np.concatenate([weight * part.weights for part, weight in listed]), explore)
    n_atoms, n_changes, q = len(elements), len(packed.came), len(packed.heavy)
    steps = steps_of_gradients(mixture, action)
    work = 6.0 * n_changes + 2.0 * n_atoms + 2.0 * q * q + 4.0 * q * n + 20.0 * d
    moved = 56.0 * n_changes + 16.0 * n_atoms + 8.0 * q * q + 24.0 * q * n + 120.0 * d
    solver = IterativeSolver(mixture)
    return [
        Step(
            "KL projection, {:.0f} sweeps",
            sweeps * 4.0 * d + 2 * _EXP * d,
            0.0,
            8 * d,
            best_of(lambda: actions.kl_project(tilted)),
            sweeps,
        ),
        Step(
            "Birkhoff, {:.0f} atoms",
            2.0 * len(law.weights) * n,
            12.0 * len(law.weights) * n,
            12 * len(law.weights) * n,
            best_of(lambda: actions.decompose(scale.point)),
            len(law.weights),
        ),
        Step(
            "lists side by side, {:.0f} heavy atoms factored",
            q**3 / 3.0 + 0.5 * q * q * n + n_atoms * n,
            12.0 * n_atoms * n + 4.0 * q * q,
            12 * n_atoms * n,
            best_of(lambda: IterativeSolver(mixture)),
            q,
        ),
        Step(
            "Σ⁺M, {:.0f} steps of conjugate gradients",
            steps * work,
            steps * moved,
            moved,
            best_of(lambda: solver.solve(action)),
            steps,
        ),
        Step("draw, estimate, broadcast", 20.0 * d, 80.0 * d, 80 * d),
    ]


def factored(actions: Any, now: Any, action: Any, state: str) -> list[Step]:
    """Count a round on permutations where Σ is factored on r = (n−1)² + 1 coordinates, as with windows of four days."""
    n, d, r = actions.n, actions.dimension, actions.rank
    scale = now.scales[0]
    tilted = before_projection(actions, scale, state)
    sweeps = actions.kl_project(tilted).n_iterations
    law = actions.decompose(scale.point)
    n_atoms, n_laws = len(law.weights), len(now.scales) + 1
    mixture = now.mixture
    solver = make_solver(mixture, actions.span, "dense")
    return [
        Step(
            "KL projection, {:.0f} sweeps",
            sweeps * 4.0 * d + 2 * _EXP * d,
            0.0,
            8 * d,
            best_of(lambda: actions.kl_project(tilted)),
            sweeps,
        ),
        Step(
            "Birkhoff, {:.0f} atoms",
            2.0 * n_atoms * n,
            12.0 * n_atoms * n,
            12 * n_atoms * n,
            best_of(lambda: actions.decompose(scale.point)),
            n_atoms,
        ),
        Step(
            "E[M Mᵀ] of the new law, on half of r × r",
            0.5 * n_atoms * n * n,
            8.0 * n_atoms * n * n,
            8 * r * r,
            best_of(lambda: actions.decompose(scale.point).cooccurrence())
            - best_of(lambda: actions.decompose(scale.point)),
        ),
        Step(f"mixing {n_laws} matrices", n_laws * r * r, 4.0 * (n_laws + 1) * r * r, 8 * n_laws * r * r),
        Step(
            f"Cholesky, r = {r}",
            r**3 / 3.0,
            8.0 * r * r,
            8 * r * r,
            best_of(lambda: make_solver(mixture, actions.span, "dense")),
        ),
        Step("two triangular solves", 2.0 * r * r, 8.0 * r * r, 8 * r * r, best_of(lambda: solver.solve(action))),
        Step("draw, estimate, broadcast", 20.0 * d, 80.0 * d, 80 * d),
    ]


def subsets(actions: Any, now: Any, action: Any, state: str) -> list[Step]:
    """Count a round on m-sets, where Σ is factored along the elements, for pivotal laws and the uniform law."""
    d, n = actions.dimension, len({id(scale.exploit) for scale in now.scales})
    scale = now.scales[0]
    tilted = before_projection(actions, scale, state)
    pairs, right_sides = n * (n + 1) / 2, n + 1  # the filter, then columns and action
    work = 4.0 * n * n + 6.0 * pairs + 10.0 * n + right_sides * 7.0 * n + 3.0 * pairs + 9.0 * n + 4.0
    moved = 8.0 * (5.0 * n + 3.0) + 8.0 * (3.0 * n + 3.0)  # forwards and backwards
    return [
        Step("KL projection", (_EXP + 12) * d, 48.0 * d, 40 * d, best_of(lambda: actions.kl_project(tilted))),
        Step(
            "law: rounding, shares and noise along the line",
            10.0 * d,
            64.0 * d,
            64 * d,
            best_of(lambda: actions.markov_policy(scale.point)._law),
        ),
        Step(
            "Σ⁺M, a filter along the elements, {:.0f} laws",
            work * d,
            moved * d,
            moved * d,
            best_of(lambda: IterativeSolver(now.mixture).solve(action)),
            n,
            (8.0 * d, 6.0 * d, 1.0 * d),  # P to Ph to s to 1/s to k to P, and back from y to l to y
        ),
        Step("draw, estimate, broadcast", 20.0 * d, 80.0 * d, 80 * d),
    ]


def paths(actions: Any, now: Any, action: Any, state: str) -> list[Step]:
    """Count a round on paths, where Σ⁺M is iterated for with products by chains or lists of paths."""
    d, n_vertices = actions.dimension, len(actions.graph.vertices)
    scale = now.scales[0]
    laws = {id(each.exploit): each.exploit for each in now.scales}.values()
    steps = steps_of_gradients(now.mixture, action)
    tilted = before_projection(actions, scale, state)
    newton = actions.kl_project(tilted).n_iterations
    plan = actions.plan
    reach = plan.reach.astype(float) - np.arange(plan.reach.size)
    band = reach if plan.band.size else np.diff(plan.start).astype(float)
    make = actions.decompose if hasattr(scale.exploit, "path") else actions.markov_policy
    per_step = np.array([26.0 * d, 184.0 * d])  # vectors, the preconditioner, what chains share, the one that explores
    for law in laws:
        entries = len(law.path) if hasattr(law, "path") else None
        per_step += [4.0 * entries, 24.0 * entries] if entries is not None else [8.0 * d, 24.0 * d]
    flops, n_bytes = steps * per_step
    return [
        Step(
            f"KL projection, {SWEEPS} sweeps, {{:.1f}} steps of Newton",
            (_EXP + 4 * SWEEPS) * d + newton * (8 * d + 2 * _EXP * n_vertices + 2 * (band**2).sum() + 4 * band.sum()),
            (32.0 * SWEEPS + newton * 56.0) * d,
            56 * d,
            best_of(lambda: actions.kl_project(tilted)),
            newton,
        ),
        Step(
            "law: a chain, or a list of paths",
            6.0 * d,
            64.0 * d,
            64 * d,
            best_of(lambda: make(scale.point)),
        ),
        Step(
            "Σ⁺M, {:.0f} steps of conjugate gradients",
            flops,
            n_bytes,
            per_step[1],
            best_of(lambda: IterativeSolver(now.mixture).solve(action)),
            steps,
        ),
        Step("draw, estimate, broadcast", 20.0 * d, 80.0 * d, 80 * d),
    ]


CASES: tuple[tuple[str, str, Callable[[Any, Any, Any, str], list[Step]]], ...] = (
    ("permutations 20", "dense", factored),
    ("permutations 20", "auto", permutations),
    ("paths, 4920 edges", "auto", paths),
    ("m-sets (10000, 1000)", "auto", subsets),
)


def main() -> None:
    """Measure, count, and write the page."""
    machine, facts = measure_machine(), describe_machine()
    rates = [f"{rate / 1e9:.0f} GB/s in arrays of {size / 1e6:g} MB" for size, rate in machine.bandwidths.items()]
    lines = [
        "# The floor",
        "",
        "Generated by `OMP_NUM_THREADS=1 python benchmarks/floor.py`, which says how things are counted.",
        f"Processor time, the least of several calls, on {facts['processor']}, one core:",
        f"{machine.flops / 1e9:.1f} Gflop/s in a matrix product; {', '.join(rates)};",
        f"LAPACK factors a positive definite matrix of {_RANK} rows in {machine.cholesky * 1e6:,.0f} µs,",
        f"{_RANK**3 / 3e9 / machine.cholesky:.1f} Gflop/s. A sum, a product and a quotient that wait for the one before take",
        f"{', '.join(f'{1e9 * each:.2f}' for each in machine.latencies)} ns.",
    ]
    for name, solver, count in CASES:
        case = next(each for each in ROUNDS if each.name == name)
        title = name if solver == "auto" else f"{name}, {solver}"
        for state in STATES:
            steps, whole = look(case, state, solver, count)
            lines += ["", *section(f"{title}, {state}", steps, whole, machine)]
            print(lines[-len(steps) - 7], file=sys.stderr)
    page = Path(__file__).with_name("floor.md")
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(page)


def section(title: str, steps: list[Step], whole: float, machine: Machine) -> list[str]:
    """Return the lines of one case."""
    floor = sum(machine.seconds(step) for step in steps)
    known = sum(step.seconds or 0.0 for step in steps)
    factored = [machine.cholesky - machine.seconds(step) for step in steps if step.name.startswith("Cholesky")]
    lapack = f", {whole / (floor + factored[0]):.1f}× with LAPACK's own factorisation in it" if factored else ""
    free = sum(machine.seconds(replace(step, waits=(0.0, 0.0, 0.0))) for step in steps)
    waited = f", {whole / free:.1f}× if nothing waited" if any(any(step.waits) for step in steps) else ""
    lines = [
        f"## {title}: {whole * 1e6:,.0f} µs a round, {whole / floor:.1f}× the floor{lapack}{waited}",
        "",
        "| step | Mflop | MB | floor, µs | by itself, µs |",
        "| --- | --: | --: | --: | --: |",
    ]
    total = Step("sum", sum(s.flops for s in steps), sum(s.bytes for s in steps), 0.0, known)
    for step in (*steps, total):
        least = floor if step is total else machine.seconds(step)
        alone = "–" if step.seconds is None else f"{step.seconds * 1e6:,.0f}"
        counted = f"{step.flops / 1e6:.2f} | {step.bytes / 1e6:.2f}"
        lines.append(f"| {step.name} | {counted} | {least * 1e6:,.0f} | {alone} |")
    return [*lines, "", _rest(steps, machine, whole, floor)]


def _rest(steps: list[Step], machine: Machine, whole: float, floor: float) -> str:
    """Say where the time above the floor goes."""
    timed = [step for step in steps if step.seconds is not None]
    worst = max(timed, key=lambda step: (step.seconds or 0.0) - machine.seconds(step))
    above = (worst.seconds or 0.0) - machine.seconds(worst)
    return (
        f"The rest: {100 * min(1.0, above / max(whole - floor, 1e-12)):.0f} % of what lies above the floor is in\n"
        f"“{worst.name}”, which called by itself, Python and checks included, takes\n"
        f"{(worst.seconds or 0.0) / machine.seconds(worst):.1f}× its own floor."
    )


if __name__ == "__main__":
    if os.environ.get("OMP_NUM_THREADS") != "1":
        sys.exit("floor.py must run with one thread of linear algebra: got none set. Use OMP_NUM_THREADS=1.")
    main()
