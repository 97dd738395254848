"""The counting wrapper."""

import numpy as np

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.geometry.oracle import CountingOracle


def test_counting_changes_nothing_but_the_count() -> None:
    """The wrapper answers as the set does, and counts each question once."""
    actions = Explicit([[1, 0], [0, 1]])
    oracle = CountingOracle(actions)
    weights = np.array([0.0, 1.0])
    assert np.array_equal(oracle.argmax(weights), actions.argmax(weights))
    oracle.argmax(-weights)
    assert (oracle.n_calls, oracle.dimension) == (2, 2)
