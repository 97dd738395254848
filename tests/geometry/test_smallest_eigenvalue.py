"""The smallest eigenvalue on the span, against closed forms and the full spectrum."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.policy import FinitePolicy
from swapregret.testing.strategies import explicit_sets


def subsets(d: int, m: int) -> Explicit:
    """List all m-sets."""
    return Explicit([[int(i in chosen) for i in range(d)] for chosen in combinations(range(d), m)])


@pytest.mark.parametrize(("d", "m"), [(4, 1), (5, 2), (7, 3)])
def test_m_sets_have_their_closed_form(d: int, m: int) -> None:
    """The uniform policy on m-sets has m(d−m)/(d(d−1))."""
    actions = subsets(d, m)
    exact = m * (d - m) / (d * (d - 1))
    assert smallest_eigenvalue(actions.uniform_policy(), actions.span) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("n", [3, 4])
def test_permutations_have_their_closed_form_on_a_deficient_span(n: int) -> None:
    """The uniform policy on permutations has 1/(n−1), although most eigenvalues of the d×d matrix may be 0."""
    identity = np.eye(n, dtype=int)
    actions = Explicit([identity[list(order)].ravel() for order in permutations(range(n))])
    found = smallest_eigenvalue(actions.uniform_policy(), actions.span)
    assert found == pytest.approx(1 / (n - 1), rel=1e-10)


@settings(max_examples=80)
@given(explicit_sets(max_dimension=6, max_actions=15))
def test_it_is_the_smallest_non_zero_eigenvalue(actions: Explicit) -> None:
    """For a policy with full support it is the r-th largest eigenvalue of Σ."""
    policy = actions.uniform_policy()
    spectrum = np.linalg.eigvalsh(policy.cooccurrence())
    exact = spectrum[actions.dimension - actions.rank]
    assert smallest_eigenvalue(policy, actions.span) == pytest.approx(exact, rel=1e-8, abs=1e-13)


def test_a_policy_that_misses_a_direction_has_zero() -> None:
    """A policy on one of two actions shows one direction only; the value is exactly 0."""
    actions = Explicit([[1, 0, 1], [0, 1, 1]])
    assert smallest_eigenvalue(FinitePolicy([[1, 0, 1]], [1.0]), actions.span) == 0.0


def test_dimensions_must_agree() -> None:
    """A policy of another set is refused."""
    with pytest.raises(InvalidInput, match="dimension 3"):
        smallest_eigenvalue(FinitePolicy([[1, 0]], [1.0]), Explicit([[1, 0, 1], [0, 1, 1]]).span)
