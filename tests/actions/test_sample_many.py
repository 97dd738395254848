"""Many draws at once are the draws one by one."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.policy import Policy

POLICIES = [sr.MSets(6, 2).uniform_policy(), sr.MSets(6, 2).uniform_policy().finite()]


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_many_draws_are_single_draws(policy: Policy) -> None:
    """The same rows in the same order, and the generator ends where it would."""
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    found = policy.sample_many(rng, 20)
    assert np.array_equal(found, np.array([policy.sample(other) for _ in range(20)]))
    assert rng.bit_generator.state == other.bit_generator.state
    assert policy.sample_many(rng, 0).shape == (0, policy.dimension)
