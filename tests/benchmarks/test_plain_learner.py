"""The plain NumPy learner is the library's, so that a ratio of speeds means something."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from plain_learner import PLAIN, PlainLearner, time_plain
from plain_sets import PlainMatchings, PlainPaths, PlainSubsets
from speed.cases import ROUNDS

import swapregret as sr
from swapregret.learners.lazy import AdaptiveRate
from swapregret.learners.player import Decision

_WINDOWS = (1, 5, 25, 125)
_EDGES = [("s", 0), ("s", 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, "t"), (3, "t")]


class Shared:
    """The lists the library plays, looked up by their marginals: greedy decompositions jump where points differ by rounding."""

    def __init__(self, player: Any, state: Any) -> None:
        self.player, self.state = player, state

    def __call__(self, point: npt.ArrayLike) -> tuple[Any, Any]:
        """Return the list of the scale that plays a point; the last component is the exploration policy."""
        for policy in self.player.policy(self.state).components[:-1]:
            if np.abs(policy.marginals() - point).max() <= 1e-8:
                listed = policy.finite()
                return listed.atoms.astype(np.float64), listed.weights
        raise AssertionError("the library plays no such point")


def _case(name: str) -> tuple[Any, Any]:
    if name == "permutations":
        return sr.Permutations(4), PlainMatchings(sr.Permutations(4))
    if name == "paths":
        actions = sr.DagPaths(_EDGES, source="s", sink="t")
        return actions, PlainPaths(actions)
    return sr.MSets(9, 3), PlainSubsets(sr.MSets(9, 3))


_NAMES = ("m-sets", "permutations", "paths")


@pytest.mark.parametrize("inverse", ["pinv", "solve"])
@pytest.mark.parametrize("rate", [0.05, 1.0])
@pytest.mark.parametrize("name", [*_NAMES, "m-sets, chains"])
def test_the_same_draws_give_the_same_policies(
    name: str, rate: float, inverse: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shown the library's actions and rewards, it goes through the library's points, to 1e-8, on every scale.

    Of permutations and paths, whose decompositions are a matter of choice, and of chains it is given the library's.
    """
    actions, plain = _case(name)
    player: Any = sr.swap_combcp(
        actions,
        1000,
        preset="multiscale",
        schedule=sr.Schedule(_WINDOWS),
        exploration=0.3,
        variants=1,
        random_offset=False,
        rate=AdaptiveRate(rate),
        policy="chain" if name == "m-sets, chains" else "auto",
    )
    rng = np.random.default_rng(len(name))
    state = player.start(rng)
    if name != "m-sets":
        monkeypatch.setattr(plain, "decompose", Shared(player, state))
    learner = PlainLearner(plain, actions.size, windows=_WINDOWS, rate=rate, inverse=inverse)
    points = state.state.learners.points
    start = points[0].copy()
    means = rng.random(actions.dimension) / actions.size
    farthest = 0.0
    for day in range(60):
        for ours, theirs in zip(points, learner.scales, strict=True):
            np.testing.assert_allclose(theirs.point, ours, rtol=0.0, atol=1e-8)
        held = player.hold(state)
        policy = held.policy()
        np.testing.assert_allclose(learner.moment(), policy.cooccurrence(), rtol=0.0, atol=1e-8)
        action = policy.sample(rng)
        reward = float(means @ action)
        state = player.observe(state, Decision(day, action, actions, held), reward)
        learner.observe(action.astype(np.float64), reward)
        farthest = max(farthest, float(np.abs(points - start).max()))
    assert farthest > (0.01 if rate < 1.0 else 0.3), "a test of points that never move shows nothing"


@pytest.mark.parametrize("name", _NAMES)
def test_it_draws_from_its_own_policy(name: str) -> None:
    """Drawn actions belong to the set, and their mean is the mean of the policy within six standard errors."""
    actions, plain = _case(name)
    learner = PlainLearner(plain, actions.size, rate=1.0)
    rng = np.random.default_rng(5)
    learner.play(rng.random((25, actions.dimension)) / actions.size, rng)
    draws = np.array([learner.draw(rng) for _ in range(2000)])
    assert all(row.astype(np.int64) in actions for row in np.unique(draws, axis=0))
    explored = np.array([plain.explore(rng) for _ in range(20_000)]).mean(axis=0)
    wanted = 0.7 * learner.marginals() + 0.3 * plain.explore_moment.diagonal()
    assert np.abs(draws.mean(axis=0) - wanted).max() < 6 * 0.5 / np.sqrt(2000)
    assert np.abs(explored - plain.explore_moment.diagonal()).max() < 6 * 0.5 / np.sqrt(20_000)


@pytest.mark.parametrize("name", _NAMES)
def test_decompositions_add_up(name: str) -> None:
    """Atoms are actions of the set, and their weighted mean is the point; its projection is the library's."""
    actions, plain = _case(name)
    for spread in (0.1, 3.0):
        log_weights = spread * np.random.default_rng(2).standard_normal(actions.dimension)
        point = plain.project(log_weights)
        np.testing.assert_allclose(point, actions.kl_project(log_weights).point, rtol=0.0, atol=1e-9)
        atoms, weights = plain.decompose(point)
        assert all(row.astype(np.int64) in actions for row in atoms)
        np.testing.assert_allclose(weights @ atoms, point, rtol=0.0, atol=1e-9)


def test_rounds_are_timed() -> None:
    """Every case with a plain set is one of `make bench-speed`, and its rounds are counted."""
    cases = {case.name: case.make for case in ROUNDS}
    assert set(PLAIN) <= set(cases)
    for inverse in ("pinv", "solve"):
        assert time_plain("permutations 5", cases["permutations 5"](), "concentrated", inverse, 0.001) > 0.0
