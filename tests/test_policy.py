"""Policies are values with exact sums, one order of atoms, and samples that follow the policy."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidInput, Unsupported
from swapregret.policy import GRID, FinitePolicy, Mixture, Policy, mix, on_grid
from swapregret.testing import check_policy, strategies

A = FinitePolicy([[1, 0, 0], [0, 1, 0]], [0.25, 0.75])
B = FinitePolicy([[0, 0, 1]], [1.0])

_masses = st.lists(st.floats(0.0, 1.0, allow_nan=False), min_size=1, max_size=40).filter(
    lambda drawn: sum(drawn) > 1e-3
)


class _Endless(Policy):
    """A policy over one element of three that does not list its support."""

    dimension = 3

    def sample(self, rng: np.random.Generator) -> Any:
        return np.eye(3, dtype=np.int64)[int(rng.random() * 3)]

    def marginals(self) -> Any:
        return np.full(3, 1 / 3)

    def second_moment(self, vector: Any) -> Any:
        return np.asarray(vector) / 3


@given(_masses, st.randoms(use_true_random=False))
def test_grid_weights_add_up_to_one_in_any_order(masses: list[float], random: Any) -> None:
    """Sums of rounded weights are exactly 1.0 in any order, and equal to the sum of rationals."""
    weights = on_grid(np.array(masses) / sum(masses))
    assert weights.sum() == 1.0
    assert sum(Fraction(w) for w in weights.tolist()) == 1
    shuffled = weights.tolist()
    random.shuffle(shuffled)
    total = 0.0
    for weight in shuffled:
        total += weight
    assert total == 1.0


@given(_masses)
def test_rounding_to_the_grid_moves_little(masses: list[float]) -> None:
    """Every weight is a multiple of 2⁻⁵² within as many units of the given one as there are weights."""
    given_weights = np.array(masses) / sum(masses)
    weights = on_grid(given_weights)
    assert (weights * GRID == np.rint(weights * GRID)).all()
    assert np.abs(weights - given_weights).max() <= (len(masses) + 4) / GRID


@given(_masses, st.floats(-9e-10, 9e-10))
def test_a_sum_that_is_not_quite_one_is_shared_out(masses: list[float], error: float) -> None:
    """Weights whose sum is off by less than 1e-9 are rescaled, not topped up at one place."""
    shares = np.array(masses) / sum(masses)
    weights = on_grid(shares * (1.0 + error))
    assert weights.sum() == 1.0
    assert np.abs(weights - shares).max() <= (6 * len(masses) + 8) / GRID


def test_rounding_again_changes_nothing() -> None:
    """Weights on the grid stay as they are."""
    weights = on_grid([1 / 3, 1 / 3, 1 / 3])
    assert np.array_equal(on_grid(weights), weights)


@pytest.mark.parametrize(
    "weights",
    [[], [0.5, 0.6], [1.5, -0.5], [np.nan, 1.0], [np.inf], [[0.5, 0.5]], 1.0, ["a"], None, [0.5, 0.5 - 1e-8]],
    ids=str,
)
def test_what_is_no_probability_vector_is_refused(weights: Any) -> None:
    """Empty, negative, infinite, wordy or badly summed weights are refused in one sentence."""
    with pytest.raises(InvalidInput, match="`weights` must be a vector of non-negative numbers that add up to 1"):
        on_grid(weights)


@given(st.data())
def test_the_order_of_atoms_does_not_matter(data: st.DataObject) -> None:
    """However atoms are ordered and split, the policy is the same value: sorted, merged, equal, of equal hash."""
    policy = data.draw(strategies.policies(MSets(5, 2)))
    rows = np.repeat(np.arange(len(policy.weights)), 2)
    order = np.array(data.draw(st.permutations(rows.tolist())))
    again = FinitePolicy(policy.atoms[order], policy.weights[order] / 2.0)
    assert again == policy
    assert hash(again) == hash(policy)
    keys = [int("".join(map(str, atom[::-1])), 2) for atom in policy.atoms]
    assert keys == sorted(set(keys))


def test_canonical_order_is_that_of_the_packed_bits() -> None:
    """Atoms are ordered by the integer whose bits they are, the last coordinate most significant."""
    policy = FinitePolicy([[1, 1], [0, 1], [1, 0], [0, 0]], [0.1, 0.2, 0.3, 0.4])
    assert policy.atoms.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
    np.testing.assert_allclose(policy.weights, [0.4, 0.3, 0.2, 0.1])


def test_duplicates_are_merged_and_dust_is_dropped() -> None:
    """Equal atoms share one row, and weights below 2⁻⁵² vanish without the sum noticing."""
    policy = FinitePolicy([[1, 0], [0, 1], [1, 0], [1, 1]], [0.25, 0.5, 0.25, 1e-17])
    assert policy.atoms.tolist() == [[1, 0], [0, 1]]
    assert policy.weights.tolist() == [0.5, 0.5]
    assert FinitePolicy([[1, 0], [0, 1]], [0.0, 1.0]) == FinitePolicy([[0, 1]], [1.0])


def test_moments_are_those_of_the_definition() -> None:
    """Marginals, products and the matrix are sums over the atoms."""
    policy = FinitePolicy([[1, 1, 0], [0, 1, 1], [1, 0, 0]], [0.5, 0.25, 0.25])
    assert policy.marginals().tolist() == [0.75, 0.75, 0.25]
    assert policy.cooccurrence().tolist() == [[0.75, 0.5, 0.0], [0.5, 0.75, 0.25], [0.0, 0.25, 0.25]]
    assert policy.second_moment(np.array([1.0, -2.0, 4.0])).tolist() == [-0.25, 0.0, 0.5]
    assert policy.probability(np.array([0, 1, 1])) == 0.25
    assert policy.probability(np.array([1, 1, 1])) == 0.0


def test_a_policy_cannot_be_changed() -> None:
    """Atoms, weights and moments are read-only."""
    for array in (A.atoms, A.weights, A.marginals(), A.cooccurrence(), A.sample(np.random.default_rng(0))):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_policies_differ_if_anything_does() -> None:
    """Equality looks at atoms and at weights, and at nothing but finite policies."""
    assert FinitePolicy(A.atoms, [0.5, 0.5]) != A
    assert FinitePolicy([[1, 0, 0], [0, 0, 1]], A.weights) != A
    assert A != "a policy"
    assert repr(A) == "FinitePolicy(2 atoms in dimension 3)"


@pytest.mark.parametrize(
    ("atoms", "weights"),
    [
        ([], []),
        ([[1, 0]], [0.5, 0.5]),
        ([1, 0], [1.0]),
        ([[2, 0]], [1.0]),
        ([[0.5, 0]], [1.0]),
        ([["a", "b"]], [1.0]),
        ([[1], [1, 0]], [0.5, 0.5]),
        ([[1, 0]], ["all"]),
        ([[1, 0], [1, 0]], [1.5, -0.5]),
        ([[1, 0]], [0.9]),
        ([[1, 0]], [np.nan]),
    ],
    ids=str,
)
def test_what_is_no_policy_is_refused(atoms: Any, weights: Any) -> None:
    """Empty or ragged tables, other values than 0 and 1, negative weights (also if duplicates hide them) are refused."""
    with pytest.raises(InvalidInput):
        FinitePolicy(atoms, weights)


def test_sampling_is_inversion_of_one_uniform_number() -> None:
    """Atom k is drawn exactly when the uniform number falls into its share, first share first, ends included below."""

    class _Fixed:
        def __init__(self, value: float) -> None:
            self.value = value

        def random(self) -> float:
            return self.value

    policy = FinitePolicy([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.25, 0.5, 0.25])
    for value, element in [(0.0, 0), (0.2499, 0), (0.25, 1), (0.7499, 1), (0.75, 2), (math.nextafter(1.0, 0.0), 2)]:
        assert policy.sample(_Fixed(value)).tolist() == np.eye(3)[element].tolist()  # type: ignore[arg-type]


@settings(max_examples=20)
@given(st.data(), st.integers(0, 1000))
def test_any_finite_policy_passes_the_conformance_kit(data: st.DataObject, seed: int) -> None:
    """Whatever atoms and weights are drawn, the policy tells one story and its sampler follows it (false alarms 1e-6)."""
    actions = data.draw(strategies.action_sets(5))
    check_policy(data.draw(strategies.policies(actions)), actions, seed=seed, n_samples=500)


def test_a_policy_without_a_list_says_what_to_use_instead() -> None:
    """The default of finite() refuses by name; matrix and moments are there all the same."""
    policy = _Endless()
    for ask in (
        policy.finite,
        lambda: policy.atoms,
        lambda: policy.weights,
        lambda: policy.probability(np.array([1, 0, 0])),
    ):
        with pytest.raises(Unsupported, match="sample, marginals and second_moment, which need no list"):
            ask()
    assert np.array_equal(policy.cooccurrence(), np.eye(3) / 3)


def test_mixing_is_linear() -> None:
    """Moments, probabilities and atoms of a mixture are the weighted sums of its parts."""
    policy = mix([A, B], [0.25, 0.75])
    assert policy.marginals().tolist() == [0.0625, 0.1875, 0.75]
    assert policy.probability(np.array([0, 1, 0])) == 0.1875
    assert policy.atoms.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert policy.weights.tolist() == [0.0625, 0.1875, 0.75]
    v = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(policy.second_moment(v), policy.cooccurrence() @ v)
    assert repr(policy) == "Mixture(2 policies in dimension 3)"


def test_mixing_one_policy_gives_it_back() -> None:
    """A mixture of one, or with all weight on one, is that policy itself."""
    assert mix([A], [1.0]) is A
    assert mix([A, B], [1.0, 0.0]) is A
    assert mix([A, A], [0.5, 0.5]) is A


def test_mixtures_inside_are_opened_and_parts_merged() -> None:
    """Nested mixtures become one flat one, and a part that comes twice is kept once with the sum of its weights."""
    inner = mix([A, B], [0.5, 0.5])
    policy = mix([inner, A, inner], [0.25, 0.5, 0.25])
    assert isinstance(policy, Mixture)
    assert policy.components == (A, B)
    assert policy.component_weights.tolist() == [0.75, 0.25]
    assert not any(isinstance(part, Mixture) for part in policy.components)


def test_a_mixture_lists_its_atoms_only_if_all_parts_do() -> None:
    """One part without a list takes the list from the whole, and draws still come from all parts."""
    policy = mix([A, _Endless()], [0.5, 0.5])
    assert not policy.has_atoms
    with pytest.raises(Unsupported):
        policy.finite()
    assert check_policy(policy, MSets(3, 1)).passed[:2] == ("marginals", "second moment")
    assert mix([A, B], [0.5, 0.5]).has_atoms


@settings(max_examples=25)
@given(st.data())
def test_mixtures_agree_with_their_lists(data: st.DataObject) -> None:
    """A mixture of drawn policies, nested at random, equals the policy that lists its atoms, to rounding, and conforms."""
    actions = MSets(5, 2)
    policies = data.draw(st.lists(strategies.policies(actions), min_size=2, max_size=4))
    shares = np.array(
        data.draw(st.lists(st.integers(1, 9), min_size=len(policies), max_size=len(policies))), dtype=float
    )
    flat = mix(policies, shares / shares.sum())
    nested = mix([flat, policies[0]], [0.5, 0.5])
    listed = nested.finite()
    assert np.abs(listed.marginals() - nested.marginals()).max() <= 1e-14
    assert np.abs(listed.cooccurrence() - nested.cooccurrence()).max() <= 1e-14
    assert listed.weights.sum() == 1.0
    check_policy(nested, actions, n_samples=300)


@pytest.mark.parametrize(
    ("policies", "weights"),
    [
        ([], []),
        ([A], [0.5, 0.5]),
        ([A, B], [0.5, 0.6]),
        ([A, B], [1.5, -0.5]),
        ([A, FinitePolicy([[1, 0]], [1.0])], [0.5, 0.5]),
    ],
    ids=["none", "a weight too many", "too heavy", "negative", "dimensions"],
)
def test_mixtures_that_make_no_sense_are_refused(policies: Any, weights: Any) -> None:
    """Nothing to mix, weights that are no policy, or policies on different sets are refused."""
    with pytest.raises(InvalidInput):
        mix(policies, weights)


def test_a_mixture_needs_a_weight_for_each_part() -> None:
    """The class itself refuses lists out of step."""
    with pytest.raises(InvalidInput, match="one entry for each component: got 2 components and 1 weights"):
        Mixture([A, B], [1.0])


def test_other_weights_on_the_same_atoms() -> None:
    """A policy can be given new weights without sorting again; atoms of weight 0 leave the list."""
    policy = A.reweighted([0.5, 0.5])
    assert policy == FinitePolicy(A.atoms, [0.5, 0.5])
    assert policy.atoms is A.atoms
    assert A.reweighted([0.0, 1.0]) == FinitePolicy([[0, 1, 0]], [1.0])
    check_policy(A.reweighted([0.0, 1.0]), MSets(3, 1))
    with pytest.raises(InvalidInput, match=r"one for each atom: got shape \(3,\)"):
        A.reweighted([0.5, 0.25, 0.25])
