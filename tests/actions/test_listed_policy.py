"""Lists of packed actions: the same policy as the list of 0/1 vectors, also after a file."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.listed_policy import ListedPolicy, fixed_orders
from swapregret.compiled.bits import pack_rows
from swapregret.errors import InvalidInput
from swapregret.regret.ledgers.policy_file import read_policies, write_policies

ACTIONS = sr.MSets(70, 3)


def slot_policy(seed: int) -> ListedPolicy:
    """Return a decomposition of a random point: actions of two words each."""
    point = ACTIONS.kl_project(np.random.default_rng(seed).normal(size=70)).point
    policy = ACTIONS.decompose(point, variants=3)
    assert isinstance(policy, ListedPolicy)
    return policy


def test_moments_and_draws_are_those_of_the_list() -> None:
    """Marginals, products with Σ, Σ and draws agree with FinitePolicy on the same actions."""
    policy, vector = slot_policy(0), np.random.default_rng(1).normal(size=70)
    words, weights = policy.packed_support()
    listed = sr.FinitePolicy(policy.atoms, policy.weights)
    assert np.array_equal(policy.marginals(), listed.marginals())
    assert np.array_equal(policy.cooccurrence(), listed.cooccurrence())
    np.testing.assert_allclose(policy.second_moment(vector), listed.second_moment(vector), rtol=0, atol=1e-14)
    known = {row.tobytes(): chance for row, chance in zip(words, weights, strict=True)}
    assert known == {row.tobytes(): chance for row, chance in zip(pack_rows(policy.atoms), policy.weights, strict=True)}
    rng = np.random.default_rng(2)
    assert all(policy.sample(rng) in ACTIONS for _ in range(20))


def test_a_list_comes_back_from_a_file() -> None:
    """What is written is read as the same list; a list without a weight for each action is refused."""
    policy = slot_policy(3)
    arrays = write_policies((policy,))
    (again,) = read_policies(arrays, ACTIONS)
    assert isinstance(again, ListedPolicy)
    assert again.finite() == policy.finite()
    words, weights = policy.packed_support()
    with pytest.raises(InvalidInput, match="a weight for each action"):
        ListedPolicy.of_held({"dimension": 70, "_words": words[1:], "_chances": weights}, 70)


def test_orders_are_fixed_and_more_of_them_only_add() -> None:
    """The natural order comes first, every row is an order, and the first ones do not depend on how many there are."""
    few, many = fixed_orders(5, 3, 4, 6), fixed_orders(5, 8, 4, 6)
    for one, other, n in zip(few, many, (4, 6), strict=True):
        assert one[0].tolist() == list(range(n))
        assert (np.sort(other, axis=1) == np.arange(n)).all()
        assert np.array_equal(one, other[:3])
