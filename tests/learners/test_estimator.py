"""Unbiasedness of the estimators as exact finite sums: Σ_M p(M) R̃(M) · M' = R · M' for every action M'."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.base import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.errors import InvalidInput
from swapregret.learners.estimator import (
    BanditEstimator,
    Estimator,
    FullEstimator,
    SemiBanditEstimator,
    make_estimator,
)
from swapregret.policy import FinitePolicy, Policy, mix


def permutation_list(n: int) -> list[list[int]]:
    """List all n×n permutation matrices as rows."""
    identity = np.eye(n, dtype=int)
    return [identity[list(order)].ravel().tolist() for order in permutations(range(n))]


SETS: dict[str, ActionSet] = {
    "m-sets": MSets(5, 2),
    "m = d − 1": MSets(4, 3),
    "one action, rank 1": MSets(3, 3),
    "permutations, rank 5 of 9": Explicit(permutation_list(3)),
    "permutations": Permutations(3),
    "paths of unequal length": DagPaths([("s", 1), ("s", 2), (1, 2), (1, "t"), (2, "t")], source="s", sink="t"),
    "paths, rank 3 of 5": Explicit([[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [0, 1, 0, 0, 1]]),
    "sizes differ": Explicit([[1, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 0]]),
    "zero among them": Explicit([[0, 0, 0], [1, 1, 0], [0, 1, 1]]),
}


def exploring_law(actions: ActionSet, rng: np.random.Generator) -> Policy:
    """Return a law as the master plays it: something concentrated, and two tenths of exploration."""
    rows = actions.enumerate()
    concentrated = FinitePolicy(rows, rng.dirichlet(np.full(len(rows), 0.5)))
    return mix([concentrated, actions.exploration_policy()], [0.8, 0.2])


def expected_estimate(rule: Estimator, actions: ActionSet, law: Policy, R: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """Return Σ_M p(M) R̃(M), each term computed as the master computes it."""
    solver = rule.prepare(law, actions.span)
    total = np.zeros(actions.dimension)
    for action in actions.enumerate():
        weight = law.probability(action)
        if weight == 0.0:
            continue
        shown = {"bandit": float(R @ action), "semi-bandit": R * action, "full": R}[rule.feedback]
        total += weight * rule.estimate(law, solver, action, shown, guess)
    return total


@pytest.mark.parametrize(
    "rule",
    [
        BanditEstimator(0.0, "dense"),
        BanditEstimator(0.0, "iterative"),
        SemiBanditEstimator(0.0),
        FullEstimator(),
    ],
    ids=["bandit dense", "bandit iterative", "semi-bandit", "full"],
)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("with_predictor", [False, True])
def test_unbiased_on_every_action(name: str, rule: Estimator, with_predictor: bool) -> None:
    """The finite sum equals R·M' to 1e-12, on full and deficient rank, without a predictor and with any."""
    actions = SETS[name]
    rng = np.random.default_rng(5)
    for _ in range(3):
        R = rng.random(actions.dimension) / actions.size
        guess = rng.normal(size=actions.dimension) if with_predictor else np.zeros(actions.dimension)
        total = expected_estimate(rule, actions, exploring_law(actions, rng), R, guess)
        exact = actions.enumerate() @ R
        assert np.abs(actions.enumerate() @ total - exact).max() <= 1e-12


@settings(deadline=None, max_examples=25)
@given(d=st.integers(2, 6), n=st.integers(1, 8), seed=st.integers(0, 10**6))
def test_unbiased_on_random_sets(d: int, n: int, seed: int) -> None:
    """On any list of actions, of any rank and any sizes, all three estimators are unbiased."""
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(0, 2, (n, d)), axis=0)
    if not rows.any():
        rows = np.vstack([rows, np.ones((1, d), dtype=int)])
    actions = Explicit(rows)
    law = mix(
        [FinitePolicy(actions.enumerate(), rng.dirichlet(np.ones(len(rows)))), actions.uniform_policy()], [0.5, 0.5]
    )
    R, guess = rng.normal(size=d), rng.normal(size=d)
    for rule in (BanditEstimator(0.0, "dense"), BanditEstimator(0.0, "iterative"), SemiBanditEstimator(0.0)):
        total = expected_estimate(rule, actions, law, R, guess)
        scale = 1.0 + np.abs(np.linalg.pinv(law.cooccurrence(), rcond=1e-9)).max()
        assert np.abs(actions.enumerate() @ (total - R)).max() <= 1e-13 * scale * d


def test_bandit_estimate_is_the_papers() -> None:
    """Without a predictor R̃ = r Σ⁺M, line 6 of Algorithm 1, on the span."""
    actions = SETS["permutations, rank 5 of 9"]
    law = exploring_law(actions, np.random.default_rng(0))
    rule = BanditEstimator(predictor_step=0.0)
    action = actions.enumerate()[4]
    estimate = rule.estimate(law, rule.prepare(law, actions.span), action, 0.7, np.zeros(9))
    exact = 0.7 * np.linalg.pinv(law.cooccurrence(), rcond=1e-10) @ action
    assert np.allclose(actions.span.project(estimate), exact, rtol=0.0, atol=1e-10)


def test_semi_bandit_ignores_what_was_not_chosen() -> None:
    """Entries outside the action are not looked at."""
    actions = MSets(4, 2)
    law, rule = actions.uniform_policy(), SemiBanditEstimator(0.0)
    action = np.array([1, 0, 1, 0])
    shown, spoilt = np.array([0.2, 0.0, 0.3, 0.0]), np.array([0.2, 9.0, 0.3, -9.0])
    guess = np.full(4, 0.1)
    for reward in (shown, spoilt):
        assert np.allclose(rule.estimate(law, None, action, reward, guess), [0.3, 0.1, 0.5, 0.1])


def test_predictors_learn_what_they_are_shown() -> None:
    """Normalised least mean squares closes `step` of the gap of the action seen; step 0 changes nothing."""
    action, guess = np.array([1, 1, 0]), np.array([0.1, 0.2, 0.5])
    learnt = BanditEstimator(0.25).learn(guess, action, 0.7)
    assert learnt @ action == pytest.approx(0.3 + 0.25 * 0.4)
    assert learnt[2] == 0.5
    assert BanditEstimator(0.0).learn(guess, action, 0.7) is guess
    assert np.array_equal(BanditEstimator(0.25).learn(guess, np.zeros(3, dtype=np.int64), 0.0), guess)
    parts = SemiBanditEstimator(0.5).learn(guess, action, np.array([0.3, 0.0, 0.0]))
    assert np.allclose(parts, [0.2, 0.1, 0.5])
    assert FullEstimator().learn(guess, action, guess) is guess


def test_make_estimator() -> None:
    """Each kind of feedback has its estimator; options reach it; nonsense is refused."""
    assert make_estimator("bandit", predictor_step=0.1, solver="dense") == BanditEstimator(0.1, "dense")
    assert make_estimator("semi-bandit", predictor_step=0.1) == SemiBanditEstimator(0.1)
    assert make_estimator("full").feedback == "full"
    for bad in ({"feedback": "none"}, {"feedback": "bandit", "solver": "qr"}):
        with pytest.raises(InvalidInput):
            make_estimator(**bad)
    for step in (-0.1, 2.0, float("nan")):
        for feedback in ("bandit", "semi-bandit"):
            with pytest.raises(InvalidInput, match="predictor_step"):
                make_estimator(feedback, predictor_step=step)
