"""Unbiasedness of the estimates as exact finite sums: Σ_M p(M) R̃(M) · M' = R · M' for every action M'."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.learners.baselines.follow_the_leader import FollowTheLeader
from swapregret.learners.player import Decision
from swapregret.learners.round.day import empty_tally, estimate_elements, note_total

KINDS = ("bandit", "semi-bandit", "full")


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


def estimate(player: FollowTheLeader, scores: np.ndarray, guess: np.ndarray, R: np.ndarray, action: np.ndarray):
    """Return the policy played after some scores, and R̃ of a day on which it drew an action."""
    state = player.start(np.random.default_rng(0))
    state.state.tally.total[:] = scores
    state.make()
    state.state.tally.total[:] = 0.0
    state.state.tally.prediction[:] = guess
    shown = {"bandit": float(R @ action), "semi-bandit": R * action, "full": R}[player.feedback]
    held = player.hold(state)
    player.observe(state, Decision(0, action, player.actions, held), shown)
    return held.policy(), state.state.tally.total


def expected_estimate(player: FollowTheLeader, scores: np.ndarray, guess: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Return Σ_M p(M) R̃(M), each term as a player on the shared phases computes it."""
    total = np.zeros(player.actions.dimension)
    for action in player.actions.enumerate():
        policy, found = estimate(player, scores, guess, R, action)
        total += policy.probability(action) * found
    return total


@pytest.mark.parametrize("feedback", KINDS)
@pytest.mark.parametrize("name", SETS)
def test_unbiased_on_every_action(name: str, feedback: str) -> None:
    """The finite sum equals R·M' to 1e-12, on full and deficient rank, without a prediction and with any."""
    actions = SETS[name]
    rng, player = np.random.default_rng(5), FollowTheLeader(actions, 100, 0.2, feedback)
    for step in range(3):
        R, scores = rng.random(actions.dimension) / actions.size, rng.normal(size=actions.dimension)
        guess = step * rng.normal(size=actions.dimension)
        total = expected_estimate(player, scores, guess, R)
        assert np.abs(actions.enumerate() @ (total - R)).max() <= 1e-12


@settings(deadline=None, max_examples=25)
@given(d=st.integers(2, 6), n=st.integers(1, 8), seed=st.integers(0, 10**6))
def test_unbiased_on_random_sets(d: int, n: int, seed: int) -> None:
    """On any list of actions, of any rank and any sizes, the estimates are unbiased."""
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(0, 2, (n, d)), axis=0)
    if not rows.any():
        rows = np.vstack([rows, np.ones((1, d), dtype=int)])
    actions = Explicit(rows)
    R, scores, guess = rng.normal(size=(3, d))
    for feedback in ("bandit", "semi-bandit"):
        player = FollowTheLeader(actions, 100, 0.5, feedback)
        total = expected_estimate(player, scores, guess, R)
        scale = 1.0 + np.abs(np.linalg.pinv(0.5 * player.mu.cooccurrence(), rcond=1e-9)).max()
        assert np.abs(actions.enumerate() @ (total - R)).max() <= 1e-13 * scale * d


def test_bandit_estimate_is_the_papers() -> None:
    """Without a prediction R̃ = r Σ⁺M, line 6 of Algorithm 1, on the span."""
    actions = SETS["permutations, rank 5 of 9"]
    action, R = actions.enumerate()[4], np.full(9, 0.7 / 3)
    policy, found = estimate(FollowTheLeader(actions, 100, 0.2, "bandit"), np.arange(9.0), np.zeros(9), R, action)
    exact = 0.7 * np.linalg.pinv(policy.cooccurrence(), rcond=1e-10) @ action
    assert np.allclose(actions.span.project(found), exact, rtol=0.0, atol=1e-10)


def test_semi_bandit_ignores_what_was_not_chosen() -> None:
    """Entries outside the action are not looked at."""
    for reward in ([0.2, 0.0, 0.3, 0.0], [0.2, 9.0, 0.3, -9.0]):
        tally = empty_tally(4, 0)
        tally.prediction[:] = 0.1
        estimate_elements(tally, np.full(4, 0.5), 0.0, np.array([1, 0, 1, 0]), np.array(reward))
        assert np.allclose(tally.running, [0.3, 0.1, 0.5, 0.1])


def test_predictions_learn_what_they_are_shown() -> None:
    """Normalised least mean squares closes `step` of the gap of the action seen; step 0 changes nothing."""
    action, guess = np.array([1, 1, 0]), np.array([0.1, 0.2, 0.5])
    for step, chosen in ((0.25, action), (0.0, action), (0.25, np.zeros(3, dtype=np.int64))):
        tally = empty_tally(3, 0)
        tally.prediction[:] = guess
        note_total(tally, step, chosen, 0.7)
        assert np.allclose(tally.pending, (0.7 - guess @ chosen) * chosen)
        assert np.array_equal(tally.running, guess)
        if step and chosen.any():
            assert tally.prediction @ action == pytest.approx(0.3 + 0.25 * 0.4)
            assert tally.prediction[2] == 0.5
        else:
            assert np.array_equal(tally.prediction, guess)
    tally = empty_tally(3, 0)
    tally.prediction[:] = guess
    estimate_elements(tally, np.ones(3), 0.5, action, np.array([0.3, 0.0, 0.0]))
    assert np.allclose(tally.prediction, [0.2, 0.1, 0.5])
