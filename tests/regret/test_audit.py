"""Auditing logs: planted regret is found, policies are read, malformed input is named."""

import numpy as np
import pytest
from tests.regret.conftest import enumerated

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidAction, InvalidInput, InvalidReward
from swapregret.logs.auditing import audit


def test_realised_regrets_equal_enumeration(tiny_set: ActionSet) -> None:
    """For one action a day, all four regrets equal those of the point-mass policies."""
    run = enumerated(tiny_set, 40, seed=1, support=1)
    plays = (run.chances > 0).astype(int) @ run.table
    result = audit(tiny_set, plays, run.rewards)
    assert result.swap_regret.value == pytest.approx(run.swap(), abs=1e-9)
    assert result.external_regret.value == pytest.approx(run.external(), abs=1e-9)
    assert result.internal_regret.value == pytest.approx(run.gains().max(), abs=1e-9)
    assert result.dynamic_regret.value == pytest.approx(run.dynamic(), abs=1e-9)
    assert result.reward == pytest.approx(run.earned / 40)
    assert "realised play" in result.swap_regret.definition
    assert result.dynamic_regret.value >= result.swap_regret.value - 1e-9 >= result.external_regret.value - 2e-9


def test_rounds_are_read_as_policies(tiny_set: ActionSet) -> None:
    """A log that lists the policy of each day gives the regrets of the policies."""
    run = enumerated(tiny_set, 20, seed=2)
    days, actions = np.nonzero(run.chances)
    result = audit(
        tiny_set,
        run.table[actions],
        run.rewards[days],
        rounds=days,
        probabilities=run.chances[days, actions],
    )
    assert result.swap_regret.value == pytest.approx(run.swap(), abs=1e-9)
    assert result.n_days == 20
    assert "from policies" in result.swap_regret.definition


def test_planted_regret_is_found() -> None:
    """Where {a, b} was played for 30 days that paid c 0.031 more than b, the audit says so in those words."""
    actions = MSets(4, 2, labels="abcd")
    plays = [("a", "b")] * 30 + [("c", "d")] * 20
    rewards = [[0.4, 0.2, 0.231, 0.0]] * 30 + [[0.0, 0.0, 0.5, 0.5]] * 20
    result = audit(actions, plays, rewards)
    assert result.swap_regret.value == pytest.approx(30 * 0.031)
    first = result.best_swap.exchanges[0]
    assert (first.played_elements, first.better_elements) == (("a", "b"), ("a", "c"))
    assert "when you chose {a, b}, {a, c} would have earned +0.031 per day" in str(result)
    assert result.best_swap.exchanges[1].gain == pytest.approx(0.0, abs=1e-12)


def test_probabilities_of_one_make_it_the_regret_of_policies() -> None:
    """Draws that were certain are policies; other chances leave the realised figure, and are checked."""
    actions = MSets(3, 1)
    plays, rewards = np.eye(3, dtype=int), np.eye(3)[[1, 2, 0]]
    certain = audit(actions, plays, rewards, probabilities=[1.0, 1.0, 1.0])
    lucky = audit(actions, plays, rewards, probabilities=[1.0, 0.5, 1.0])
    assert "from policies" in certain.swap_regret.definition
    assert "realised" in lucky.swap_regret.definition
    assert certain.swap_regret.value == pytest.approx(lucky.swap_regret.value) == 3.0


@pytest.mark.parametrize(
    ("plays", "rewards", "options", "error", "words"),
    [
        ([[1, 0], [1, 1]], [[0, 0]] * 2, {}, InvalidAction, "row 2 of `plays`"),
        ([["x"]], [[0, 0]], {}, InvalidAction, "row 1 of `plays`"),
        (np.array([[0, 2]]), [[0, 0]], {}, InvalidAction, "column 1"),
        (np.ones((2, 3)), [[0, 0]] * 2, {}, InvalidAction, "shape"),
        ([], [], {}, InvalidInput, "at least one day"),
        ([[1, 0]], [[0, np.nan]], {}, InvalidReward, "row 1 of `rewards`"),
        ([[1, 0]], [[0]], {}, InvalidReward, "shape"),
        ([[1, 0]], [["x", "y"]], {}, InvalidReward, "cannot be read"),
        ([[1, 0]], [[0, 0]], {"probabilities": [0.0]}, InvalidInput, "row 1 of `probabilities`"),
        ([[1, 0]], [[0, 0]], {"probabilities": [0.5, 0.5]}, InvalidInput, "one per row"),
        ([[1, 0]], [[0, 0]], {"rounds": [0]}, InvalidInput, "come with"),
        ([[1, 0]] * 2, [[0, 0], [0, 1]], {"rounds": [0, 0], "probabilities": [0.5] * 2}, InvalidInput, "must be equal"),
        ([[1, 0]] * 2, [[0, 0]] * 2, {"rounds": [0, 1], "probabilities": [1, 0.5]}, InvalidInput, "add up to 1"),
        ([[1, 0]] * 3, [[0, 0]] * 3, {"rounds": [0, 1, 0], "probabilities": [1] * 3}, InvalidInput, "together"),
    ],
)
def test_malformed_logs_are_named(plays, rewards, options, error, words) -> None:
    """Each kind of malformed input is refused with the row that is wrong."""
    with pytest.raises(error, match=words):
        audit(MSets(2, 1), plays, rewards, **options)
