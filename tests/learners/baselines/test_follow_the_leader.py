"""Follow the leader: by hand, with every kind of feedback."""

import numpy as np

import swapregret as sr

ARMS = np.eye(3, dtype=np.int64)


def test_full_feedback_by_hand(walk, weights_of) -> None:
    """The policy is a point on the best sum so far; ties go to the lowest index."""
    player = sr.baselines.follow_the_leader(sr.MSets(3, 1), 10, feedback="full")
    vectors = [np.array([0.0, 1.0, 0.5]), np.array([0.0, 0.0, 1.0]), np.array([1.5, 0.5, 0.0])]
    states = walk(player, ARMS[[0, 0, 0]], vectors)
    leaders = [int(np.argmax(weights_of(player, state, ARMS))) for state in states]
    assert leaders == [0, 1, 2, 0]  # sums: 0 0 0; 0 1 .5; 0 1 1.5; 1.5 1.5 1.5
    assert all(player.policy(state).finite().weights.tolist() == [1.0] for state in states)


def test_bandit_feedback_by_hand(walk) -> None:
    """Single elements: the estimate is r/p on the one played, p = 1 − γ + γ/3 for the leader and γ/3 for others."""
    player = sr.baselines.follow_the_leader(sr.MSets(3, 1), 10, exploration=0.3)
    states = walk(player, ARMS[[0, 2, 2]], [0.5, 0.2, 0.2])
    scores = [state.state.tally.total for state in states]
    assert np.allclose(scores[1], [0.5 / 0.8, 0, 0], atol=1e-12)
    assert np.allclose(scores[2], [0.5 / 0.8, 0, 2.0], atol=1e-12)
    assert np.allclose(scores[3], [0.5 / 0.8, 0, 2.25], atol=1e-12)
    assert np.allclose(player.policy(states[2]).marginals(), [0.1, 0.1, 0.8], atol=1e-12)


def test_semi_bandit_feedback_by_hand(walk) -> None:
    """Each chosen element's reward is divided by its marginal."""
    player = sr.baselines.follow_the_leader(sr.MSets(3, 2), 10, exploration=0.3, feedback="semi-bandit")
    states = walk(player, [[1, 0, 1]], [np.array([0.4, 0.0, 0.1])])
    marginals = 0.7 * np.array([1, 1, 0]) + 0.3 * 2 / 3
    assert np.allclose(states[1].state.tally.total, [0.4 / marginals[0], 0.0, 0.1 / marginals[2]], atol=1e-12)


def test_policy_stays_while_the_leader_does(walk) -> None:
    """No policy is made until the lead changes: a ledger has nothing to do."""
    player = sr.baselines.follow_the_leader(sr.MSets(3, 1), 10, exploration=0.3)
    for state in walk(player, ARMS[[0, 0, 1]], [0.5, 0.5, 0.0]):
        state.state.mix.is_new[:] = 0
        action, reward = (ARMS[2], 1.0) if state.state.tally.day[0] == 3 else (ARMS[0], 0.5)
        player.observe(state, sr.Decision(0, action, (), player.hold(state)), reward)
        assert bool(state.state.mix.is_new[0]) == (reward == 1.0)
