"""Independent policies side by side, against the list of all pairs."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import Unsupported
from swapregret.policy import ProductPolicy
from swapregret.testing import check_policy


def test_a_product_is_the_policy_of_all_pairs() -> None:
    """Marginals, Σ, variances and probabilities are those of the list of all combinations."""
    policies = [
        sr.FinitePolicy([[1, 0], [0, 1]], [0.25, 0.75]),
        sr.FinitePolicy([[1, 1, 0], [0, 0, 1], [0, 0, 0]], [0.5, 0.25, 0.25]),
        sr.MSets(4, 2).uniform_policy(),
    ]
    policy = ProductPolicy(policies)
    check_policy(policy)
    listed = policy.finite()
    assert len(listed.weights) == 2 * 3 * 6
    vector = np.arange(9.0) - 3.0
    np.testing.assert_allclose(policy.cooccurrence(), listed.cooccurrence(), atol=1e-14)
    np.testing.assert_allclose(policy.second_moment(vector), listed.second_moment(vector), atol=1e-13)
    assert policy.variance(vector) == pytest.approx(listed.variance(vector), abs=1e-12)


def test_a_long_product_is_not_listed() -> None:
    """Beyond 10,000 combinations there is no list, but all moments."""
    policy = ProductPolicy([sr.MSets(10, 3).uniform_policy()] * 3)
    assert not policy.has_atoms
    assert policy.marginals().sum() == pytest.approx(9.0)
    with pytest.raises(Unsupported, match="listed"):
        policy.finite()
