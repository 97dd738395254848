"""Listing a set through its oracle, against the list that defines it."""

from unittest.mock import Mock

import numpy as np
from hypothesis import given, settings

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.geometry.oracle import enumerate_actions
from swapregret.testing.strategies import explicit_sets


@settings(max_examples=150)
@given(explicit_sets(max_dimension=7, max_actions=40))
def test_every_action_comes_exactly_once(actions: Explicit) -> None:
    """What the oracle's branches yield is the list itself, within N d + 1 calls."""
    oracle = Mock(wraps=actions, dimension=actions.dimension)
    found = np.array(list(enumerate_actions(oracle)))
    assert len(found) == actions.n_actions
    assert np.array_equal(found[np.lexsort(found.T)], actions.enumerate())
    assert oracle.argmax.call_count <= actions.n_actions * actions.dimension + 1


def test_the_first_action_costs_d_calls_not_the_whole_list() -> None:
    """The list is made lazily: the first action of a large set comes after at most d + 1 calls."""
    rows = (np.arange(1, 1024)[:, None] >> np.arange(10)) & 1
    actions = Explicit(rows)
    oracle = Mock(wraps=actions, dimension=actions.dimension)
    next(enumerate_actions(oracle))
    assert oracle.argmax.call_count <= 11
