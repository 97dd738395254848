r"""The multi-scale learner as one writes it with NumPy, and how many times faster the compiled one is.

    python benchmarks/plain_learner.py               the table of docs/performance.md (some minutes)
    python benchmarks/plain_learner.py --seconds .1  roughly (a minute)

Algorithm 1 with Lazy-ComBCP, bandit feedback, the adaptive step (D17) and the predictor (D19), on any ``PlainSet``. Every
scale holds a list of atoms and its matrix E[M Mᵀ], worked out when it changes; a day mixes the matrices, inverts,
estimates, and lets the scales whose windows end act. With ``inverse="pinv"`` the estimator is the paper's formula,
:math:`\Sigma^+ M` by ``numpy.linalg.pinv``; with ``"solve"`` it is what somebody who knows the set would write:
``numpy.linalg.solve`` on coordinates that are independent, and a projection onto the span.

It gives the library's policies for the library's draws (``tests/benchmarks/test_plain_learner.py``). Both are timed in one process,
by the time of the processor.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from plain_sets import PlainMatchings, PlainPaths, PlainSet, PlainSubsets
from speed.cases import ROUNDS, STATES, level, time_case

from swapregret.arrays import Matrix, Vector
from swapregret.experiments.timing import measure

PLAIN: dict[str, tuple[Callable[[Any], PlainSet], float]] = {
    "permutations 5": (PlainMatchings, 25.0),
    "permutations 10": (PlainMatchings, 20.0),
    "permutations 20": (PlainMatchings, 15.0),
    "m-sets (100, 10)": (PlainSubsets, 20.0),
    "m-sets (1000, 100)": (PlainSubsets, 300.0),
    "paths, 110 edges": (PlainPaths, 100.0),
    "paths, 920 edges": (PlainPaths, 1000.0),
}
"""The cases of ``make bench-speed`` that the plain learner can play, and how many times faster ours should be."""


@dataclass
class _Scale:
    """One lazy learner: where it began, what it has summed up, where it is."""

    point: Vector
    atoms: Matrix
    weights: Vector
    moment: Matrix
    score: Vector
    aggregate: Vector
    variation: float = 0.0
    memory_sum: float = 0.0
    memory_count: int = 0


class PlainLearner:
    """Swap-ComBCP on a plain set.

    Parameters
    ----------
    actions : PlainSet
        With actions of one size.
    size : int
        How many elements an action has.
    windows : tuple of int
        L_0, …, L_K.
    exploration, rate, predictor_step : float
        γ, the constant c of the step, and the step of the predictor.
    inverse : {"pinv", "solve"}
        How Σ⁺M is found.
    """

    def __init__(
        self,
        actions: PlainSet,
        size: int,
        *,
        windows: tuple[int, ...] = (1, 10, 100, 1000),
        exploration: float = 0.3,
        rate: float = 3.0,
        predictor_step: float = 0.2,
        inverse: str = "pinv",
    ) -> None:
        self.actions, self.size, self.windows, self.inverse = actions, size, windows, inverse
        self.exploration, self.rate, self.predictor_step = exploration, rate, predictor_step
        self.n_scales = len(windows) - 1
        self.diameter = size * np.log(actions.dimension / size)
        self.prediction = np.zeros(actions.dimension)
        self.day = 0
        first = actions.project(np.zeros(actions.dimension))
        self.origin = np.log(first)
        self.first = first, *self._policy(first)
        self.scales = [self._fresh() for _ in range(self.n_scales)]
        if inverse == "solve":
            basis = scipy.linalg.orth(actions.explore_moment)
            self.onto_span = basis @ basis.T

    def _policy(self, point: Vector) -> tuple[Matrix, Vector, Matrix]:
        listed, weights = self.actions.decompose(point)
        atoms = listed.astype(np.float64)
        return atoms, weights, (atoms.T * weights) @ atoms

    def _fresh(self) -> _Scale:
        zero = np.zeros(self.actions.dimension)
        return _Scale(*self.first, zero, zero)

    def marginals(self) -> Vector:
        """Return E[M] of what is played today, the exploration policy apart."""
        return np.asarray(np.mean([scale.point for scale in self.scales], axis=0))

    def moment(self) -> Matrix:
        """Return Σ = E[M Mᵀ] of what is played today."""
        exploit = (1.0 - self.exploration) / self.n_scales
        total = self.exploration * self.actions.explore_moment
        for scale in self.scales:
            total += exploit * scale.moment
        return total

    def draw(self, rng: np.random.Generator) -> Vector:
        """Draw today's action: explore, or a scale and one of its atoms."""
        if rng.random() < self.exploration:
            return self.actions.explore(rng)
        scale = self.scales[int(rng.integers(self.n_scales))]
        return np.asarray(scale.atoms[int(np.searchsorted(scale.weights.cumsum(), rng.random())) % len(scale.atoms)])

    def observe(self, action: Vector, reward: float) -> None:
        """Estimate, broadcast, and let the scales whose windows end act on it."""
        surprise = reward - self.prediction @ action
        estimate = self.prediction + surprise * self._solve(action)
        self.prediction = self.prediction + self.predictor_step * surprise * action / action.sum()
        self.day += 1
        n_ending = 0
        while n_ending < len(self.windows) and self.day % self.windows[n_ending] == 0:
            n_ending += 1
        for scale in self.scales:
            scale.aggregate = scale.aggregate + estimate
        if 1 <= n_ending <= self.n_scales:
            self._update(self.scales[n_ending - 1])
        for scale in self.scales[: max(0, n_ending - 1)]:  # they begin again where they are
            scale.score, scale.aggregate, scale.variation = np.zeros_like(scale.score), np.zeros_like(scale.score), 0.0

    def _solve(self, action: Vector) -> Vector:
        if self.inverse == "pinv":
            return np.asarray(np.linalg.pinv(self.moment()) @ action)
        kept = self.actions.independent
        solution = np.zeros(self.actions.dimension)
        solution[kept] = np.linalg.solve(self.moment()[np.ix_(kept, kept)], action[kept])
        return np.asarray(self.onto_span @ solution)

    def _update(self, scale: _Scale) -> None:
        mean = scale.point @ scale.aggregate / scale.point.sum()
        spread = float(scale.point @ (scale.aggregate - mean) ** 2)
        scale.variation += spread
        scale.memory_sum += spread
        scale.memory_count += 1
        scale.score = scale.score + scale.aggregate
        scale.aggregate = np.zeros(self.actions.dimension)
        noise = scale.variation + scale.memory_sum / scale.memory_count
        rate = self.rate * np.sqrt(self.diameter / noise) if noise > 0.0 else 0.0
        scale.point = self.actions.project(self.origin + rate * (scale.score - scale.score.mean()))
        scale.atoms, scale.weights, scale.moment = self._policy(scale.point)

    def play(self, rewards: Matrix, rng: np.random.Generator) -> float:
        """Play one day per row of rewards; return what was earned."""
        earned = 0.0
        for row in rewards:
            action = self.draw(rng)
            reward = min(max(float(row @ action), 0.0), 1.0)
            earned += reward
            self.observe(action, reward)
        return earned


def time_plain(name: str, actions: Any, state: str, inverse: str, seconds: float) -> float:
    """Return the rounds per second of the plain learner in a world of ``make bench-speed``."""
    rewards, rng = level(actions, state) / actions.size, np.random.default_rng(0)
    learner = PlainLearner(PLAIN[name][0](actions), actions.size, rate=STATES[state], inverse=inverse)

    def run(rounds: int) -> float:
        return learner.play(np.broadcast_to(rewards, (rounds, rewards.size)), rng)

    return measure(run, seconds, least=1).rounds_per_second


def main() -> None:
    """Print a row for each set: how many times faster ours is, where policies are spread and where they are concentrated."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.6, help="processor time for each figure")
    seconds = parser.parse_args().seconds
    print("| set | over pinv | aim | over solve |\n| --- | --: | --: | --: |")
    for case in ROUNDS:
        if case.name not in PLAIN:
            continue
        ours = [time_case(case, state, seconds).ours for state in STATES]
        pinv, solve = (
            " / ".join(
                f"{rate / time_plain(case.name, case.make(), state, inverse, seconds):,.0f}×"
                for rate, state in zip(ours, STATES, strict=True)
            )
            for inverse in ("pinv", "solve")
        )
        print(f"| {case.name} | {pinv} | {PLAIN[case.name][1]:,.0f}× | {solve} |", flush=True)


if __name__ == "__main__":
    main()
