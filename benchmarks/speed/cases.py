"""What is timed: sets, states and players.

A *round* is K = 3 scales, H = 10, γ = .3: draw, reward, Σ⁺M, broadcast, an update of the fastest scale, the others as their
windows end. In the *spread* state the step is so small that all policies stay near the start; in the *concentrated* one the
step is the preset's own and one action pays everything, so that policies come near to it.
"""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.arrays import Matrix, Vector
from swapregret.environments.environment import Environment, noiseless
from swapregret.experiments.paper_table1 import layered_dag
from swapregret.experiments.timing import measure
from swapregret.learners.baselines import combcp
from swapregret.learners.lazy import AdaptiveRate
from swapregret.learners.player import Player

WINDOWS = (1, 10, 100, 1000)
_EXPLORATION = 0.3
STATES = {"spread": 0.05, "concentrated": 3.0}
"""The constant of the adaptive step in each state."""


@dataclass(frozen=True)
class Case:
    """One set whose rounds are timed; a long one is left out of a quick run.

    ``wanted`` is what is asked of the multi-scale preset, in units of a bare Exp3 with ten arms.
    """

    name: str
    make: Callable[[], sr.ActionSet]
    learner: str = "combcp"
    is_long: bool = False
    wanted: float | None = None


def _random_graph(n_vertices: int, n_edges: int) -> sr.SpanningTrees:
    """Return the spanning trees of a random connected graph, always the same one."""
    pairs = list(itertools.combinations(range(n_vertices), 2))
    if n_edges < len(pairs):
        rng = np.random.default_rng(0)
        tree = [(int(rng.integers(i)), i) for i in range(1, n_vertices)]
        others = [pair for pair in pairs if pair not in tree]
        pairs = tree + [others[i] for i in rng.permutation(len(others))[: n_edges - len(tree)]]
    return sr.SpanningTrees(pairs)


ROUNDS = (
    Case("permutations 5", lambda: sr.Permutations(5)),
    Case("permutations 10", lambda: sr.Permutations(10)),
    Case("permutations 20", lambda: sr.Permutations(20)),
    Case("m-sets (100, 10)", lambda: sr.MSets(100, 10)),
    Case("m-sets (1000, 100)", lambda: sr.MSets(1000, 100)),
    Case("m-sets (10000, 1000)", lambda: sr.MSets(10_000, 1000), is_long=True),
    Case("paths, 110 edges", lambda: layered_dag(5, 5)),
    Case("paths, 920 edges", lambda: layered_dag(10, 10)),
    Case("paths, 4920 edges", lambda: layered_dag(10, 50), is_long=True),
    Case("partitions 10 → 5", lambda: sr.Partitions(10, 5)),
    Case("partitions 20 → 10", lambda: sr.Partitions(20, 10), is_long=True),
    Case("trees (10, 45)", lambda: _random_graph(10, 45)),
    Case("trees (30, 300)", lambda: _random_graph(30, 300), is_long=True),
    Case("trees (10, 45), ComBand", lambda: _random_graph(10, 45), learner="comband"),
    Case("trees (30, 300), ComBand", lambda: _random_graph(30, 300), learner="comband", is_long=True),
)
"""Sets whose rounds are timed."""


PRESET_CASES = (
    Case("m-sets (10, 3)", lambda: sr.MSets(10, 3), wanted=5.0),
    Case("m-sets (20, 5)", lambda: sr.MSets(20, 5), wanted=4.0),
    Case("m-sets (45, 8)", lambda: sr.MSets(45, 8), wanted=1.5),
    Case("permutations 10", lambda: sr.Permutations(10), wanted=1.0),
)
"""Sets on which learners are timed at their own schedules, for the horizon below."""

LONG_HORIZON = 1_000_000
_WARMING = 2_000
LEARNERS: dict[str, Callable[[sr.ActionSet, int], Player[Any]]] = {
    "multiscale": lambda actions, horizon: sr.swap_combcp(actions, horizon, preset="multiscale"),
    "adaptive": lambda actions, horizon: sr.swap_combcp(actions, horizon, preset="adaptive"),
    "paper": lambda actions, horizon: sr.swap_combcp(actions, horizon, preset="paper"),
    "single": combcp,
}
"""Learners by name, each from a set and a horizon."""


def round_player(
    actions: sr.ActionSet,
    state: str = "spread",
    learner: str = "combcp",
    windows: tuple[int, ...] = WINDOWS,
) -> Player[Any]:
    """Return the player whose rounds are timed."""
    make = sr.swap_comband if learner == "comband" else sr.swap_combcp
    ingredients: dict[str, Any] = {} if learner == "comband" else {"variants": 1}
    return make(
        actions,
        windows[-1],
        preset="multiscale",
        schedule=sr.Schedule(windows),
        exploration=_EXPLORATION,
        rate=AdaptiveRate(STATES[state]),
        random_offset=False,
        **ingredients,
    )


def level(actions: sr.ActionSet, state: str) -> Vector:
    """Return how often each element pays: half the time, or always for those of one action and never for the others."""
    if state == "spread":
        return np.full(actions.dimension, 0.5)
    return actions.argmax(np.random.default_rng(3).random(actions.dimension)).astype(np.float64)


def world(actions: sr.ActionSet, horizon: int, state: str) -> Environment:
    """Return a world without noise in which every day is the same."""
    levels = level(actions, state)

    def each_day(start: int, stop: int) -> Matrix:
        return np.broadcast_to(levels, (stop - start, levels.size))

    return Environment(state, actions, horizon, each_day, 0, draw=noiseless)


def rounds_of(player: Player[Any], state: str) -> Callable[[int], object]:
    """Return what plays a given number of rounds in such a world, without measuring."""
    return lambda rounds: sr.play(player, world(player.actions, rounds, state), rng=0, measure="none")


@dataclass(frozen=True)
class RoundRow:
    """Rounds per second of one set in one state."""

    case: str
    state: str
    dimension: int
    ours: float


def time_case(case: Case, state: str, seconds: float) -> RoundRow:
    """Time the rounds of a set in a state."""
    actions = case.make()
    ours = measure(rounds_of(round_player(actions, state, case.learner), state), seconds).rounds_per_second
    return RoundRow(case.name, state, actions.dimension, ours)


@dataclass(frozen=True)
class LearnerRow:
    """Rounds per second of a whole learner, and in units of a bare Exp3 with ten arms."""

    case: str
    learner: str
    ours: float
    in_exp3: float
    wanted: float | None


def time_learner(case: Case, learner: str, exp3: float, share: float) -> LearnerRow:
    """Time a learner at its own schedule over the first ``share`` of its horizon: its first days take longer than later ones."""
    run = rounds_of(LEARNERS[learner](case.make(), LONG_HORIZON), "concentrated")
    run(_WARMING)
    rounds = int(share * LONG_HORIZON)
    began = time.process_time()
    run(rounds)
    rate = rounds / (time.process_time() - began)
    return LearnerRow(case.name, learner, rate, rate / exp3, case.wanted if learner == "multiscale" else None)
