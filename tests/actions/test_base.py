"""A set that gives nothing but its oracle has everything else from the base class."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.action_set import ActionSet
from swapregret.actions.labelled import ENUMERATION_LIMIT
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.arrays import Action, as_vector
from swapregret.errors import InvalidAction, InvalidInput, TooLarge, Unsupported
from swapregret.testing import check_action_set, strategies

TABLE = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]])


class _Ring(ActionSet):
    """Two neighbours on a ring of four: an oracle and nothing else."""

    def __init__(self, labels: Any = None) -> None:
        super().__init__(4, 2, labels)

    def argmax(self, weights: npt.ArrayLike) -> Action:
        w = as_vector(weights, 4, "weights")
        best: Action = TABLE[int(np.argmax(TABLE @ w))].copy()
        return best


class _Pretending(_Ring):
    """A ring that says it is far larger than it is."""

    n_actions = ENUMERATION_LIMIT + 1  # type: ignore[assignment]


def test_an_oracle_is_enough() -> None:
    """Membership, enumeration, span, spanner, projection and decomposition follow from argmax, and conform."""
    report = check_action_set(_Ring(), expected=TABLE)
    assert {name for name, _ in report.skipped} == {"uniform policy", "gibbs policy"}
    ring = _Ring()
    assert ring.n_actions is None
    assert ring.rank == 3
    assert ring.most_atoms == 4
    assert [0, 1, 1, 0] in ring
    assert [1, 0, 1, 0] not in ring
    assert ring.size == 2
    assert ring.is_uniform


@settings(max_examples=25)
@given(strategies.explicit_sets(5, 12), st.data())
def test_the_generic_methods_agree_with_the_list(listed: Explicit, data: st.DataObject) -> None:
    """Through its oracle alone, any set has the members, rank and projections that its list has."""
    bare = type("Bare", (_Ring,), {"argmax": lambda self, w: listed.argmax(w)})()
    ActionSet.__init__(bare, listed.dimension, listed.size)
    assert np.array_equal(bare.enumerate(), listed.enumerate())
    assert bare.rank == int(np.linalg.matrix_rank(listed.enumerate()))
    vector = data.draw(st.lists(st.integers(0, 1), min_size=listed.dimension, max_size=listed.dimension))
    assert (vector in bare) == (vector in listed)


def test_what_exists_only_for_some_sets_is_refused_by_name() -> None:
    """Uniform and Gibbs policies are refused with another way; the exploration policy falls back on the spanner openly."""
    ring = _Ring()
    with pytest.raises(Unsupported, match=r"exact uniform policy.*exploration_policy\('spanner'\)"):
        ring.uniform_policy()
    with pytest.raises(Unsupported, match=r"exact Gibbs policy.*swap_combcp"):
        ring.gibbs(np.zeros(4))
    with pytest.raises(Unsupported):
        ring.exploration_policy("uniform")
    assert ring.exploration_policy() == ring.exploration_policy("spanner")
    with pytest.raises(InvalidInput, match="`kind` must be one of"):
        ring.exploration_policy("best")


def test_labels_name_the_coordinates() -> None:
    """Labels are read and written in order; what is no label, or no action, is refused by name."""
    ring = _Ring(labels="nesw")
    assert ring.labels == ("n", "e", "s", "w")
    assert ring.elements([0, 1, 1, 0]) == ("e", "s")
    assert ring.action_of("se").tolist() == [0, 1, 1, 0]
    with pytest.raises(
        InvalidAction, match=r"must be labels of the set: got 'x'\. Known are e\.g\. \('n', 'e', 's', 'w'\)"
    ):
        ring.action_of("nx")
    with pytest.raises(InvalidAction, match=r"must together be one action of the set: got \('n', 's'\)"):
        ring.action_of("ns")
    with pytest.raises(InvalidAction):
        ring.elements([0, 1, 1])
    assert _Ring().labels == (0, 1, 2, 3)


@pytest.mark.parametrize("labels", ["nes", "neswx", "nesn", [["n"], "e", "s", "w"]], ids=str)
def test_labels_out_of_step_are_refused(labels: Any) -> None:
    """Too few names, too many, a name twice and a name that cannot be looked up are refused."""
    with pytest.raises(InvalidInput, match="`labels` must be"):
        _Ring(labels=labels)


def test_listing_has_a_limit() -> None:
    """A set larger than the limit is not listed, whether the count is known beforehand or found out on the way."""
    with pytest.raises(TooLarge, match="at most `limit` = 3 actions to be listed: got more"):
        _Ring().enumerate(limit=3)
    with pytest.raises(TooLarge, match="100,001 actions"):
        _Pretending().enumerate()
    assert len(_Ring().enumerate(limit=4)) == 4


def test_expensive_things_are_computed_once() -> None:
    """Span and spanner are kept, so that asking again costs nothing and gives the same object."""
    ring = _Ring()
    assert ring.span is ring.span
    assert ring.spanner() is ring.spanner()


@pytest.mark.parametrize(("dimension", "size"), [(0, 1), (3, 4), (3, -1), ("3", 1), (2.5, 1)])
def test_dimensions_that_cannot_be_are_refused(dimension: Any, size: Any) -> None:
    """Every set checks its dimension and size in the same words."""
    bare = _Ring.__new__(_Ring)
    with pytest.raises(InvalidInput, match="must be a whole number"):
        ActionSet.__init__(bare, dimension, size)


def test_a_set_says_what_it_is() -> None:
    """The default representation names class, dimension and size."""
    assert repr(_Ring()) == "_Ring(dimension=4, size=2)"
