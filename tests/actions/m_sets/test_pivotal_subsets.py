"""Pivotal sampling of m-sets, against its definition in exact fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.m_sets.kernels.subsets import round_to_units
from swapregret.actions.m_sets.m_set_policies import PivotalSubsets
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.compiled.bits import UNIT
from swapregret.errors import InvalidInput, Unsupported
from swapregret.regret.ledgers.policy_file import read_policies, write_policies
from swapregret.testing import check_policy, strategies

AWKWARD = (
    (4, [0.5, 0.5, 0.5, 0.5]),
    (4, [0.25, 1.0, 0.5, 0.25]),
    (6, [1.0, 0.0, 1.0, 0.0, 0.5, 0.5]),
    (5, [0.5, 1.0, 1.0, 1.0, 0.5]),
    (6, [0.0, 0.75, 0.75, 0.75, 0.75, 0.0]),
    (4, [1.0, 1.0, 1.0, 0.0]),
    (3, [1.0, 1.0, 1.0]),
    (5, [UNIT**-1, 1.0 - UNIT**-1, 1.0 - UNIT**-1, 0.5, 0.5 + UNIT**-1]),
)
"""Zeros, ones, halves, elements that end with a stratum, and parts of one unit."""


def by_definition(units: list[int]) -> dict[tuple[int, ...], Fraction]:
    """Enumerate the strata's choices, in fractions."""
    size = sum(units) // UNIT
    begin = [sum(units[:i]) for i in range(len(units))]
    found: dict[tuple[int, ...], Fraction] = {}

    def inside(i: int, k: int) -> int:
        return max(0, min(begin[i] + units[i], (k + 1) * UNIT) - max(begin[i], k * UNIT))

    def choose(k: int, chosen: tuple[int, ...], chance: Fraction) -> None:
        if k == size:
            found[tuple(sorted(chosen))] = found.get(tuple(sorted(chosen)), Fraction(0)) + chance
            return
        here = [i for i in range(len(units)) if inside(i, k)]
        across = [i for i in here if k and inside(i, k - 1)]
        a, b = (inside(across[0], k - 1), inside(across[0], k)) if across else (0, 0)
        for i in here:
            if across and chosen[-1] == across[0]:
                p = Fraction(0) if i == across[0] else Fraction(inside(i, k), UNIT - b)
            elif across and i == across[0]:
                p = Fraction(b, UNIT - a)
            else:
                p = (1 - Fraction(b, UNIT - a)) * Fraction(inside(i, k), UNIT - b)
            if p:
                choose(k + 1, (*chosen, i), chance * p)

    choose(0, (), Fraction(1))
    return found


def check_pivotal(point: list[float] | np.ndarray, size: int) -> None:
    """Compare everything a policy says with the definition."""
    units = round_to_units(np.array(point, dtype=np.float64), size)
    policy, d = PivotalSubsets(units.copy(), size), len(units)
    exact = by_definition(units.tolist())
    rows = np.zeros((len(exact), d), dtype=np.int64)
    for row, chosen in zip(rows, exact, strict=True):
        row[list(chosen)] = 1
    for i in range(d):  # to the last digit
        assert sum((p for chosen, p in exact.items() if i in chosen), Fraction(0)) == Fraction(int(units[i]), UNIT)
    chances = np.array([float(p) for p in exact.values()])
    assert (rows.sum(axis=1) == size).all()
    assert np.array_equal(policy.marginals() * UNIT, units)
    np.testing.assert_allclose([policy.probability(row) for row in rows], chances, rtol=1e-12)
    assert policy.largest_probability == pytest.approx(chances.max(), rel=1e-12)
    moment = (rows.T * chances) @ rows
    np.testing.assert_allclose(policy.cooccurrence(), moment, atol=1e-13)
    v = np.random.default_rng(d).normal(size=d)
    np.testing.assert_allclose(policy.second_moment(v), moment @ v, atol=1e-12)
    others = [chosen for chosen in combinations(range(d), size) if chosen not in exact]
    for chosen in others[:20]:
        row = np.zeros(d, dtype=np.int64)
        row[list(chosen)] = 1
        assert policy.probability(row) == 0.0
    listed = {tuple(np.flatnonzero(atom).tolist()) for atom in policy.atoms}
    assert listed <= set(exact)
    assert all(p < 1e-15 for chosen, p in exact.items() if chosen not in listed)  # below the grid of weights


@pytest.mark.parametrize(("d", "point"), AWKWARD, ids=str)
def test_awkward_points(d: int, point: list[float]) -> None:
    """Marginals are exact, and Σ, products and probabilities are those of the definition."""
    check_pivotal(point, round(sum(point)))


@settings(max_examples=40)
@given(strategies.m_sets(7), st.data())
def test_any_point(actions: MSets, data: st.DataObject) -> None:
    """So they are for projected points, and for points made of zeros, quarters, halves and ones in any order."""
    check_pivotal(data.draw(strategies.points(actions)), actions.size)
    quarters = data.draw(st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=1, max_size=6))
    missing = -sum(quarters) % 4
    if sum(quarters) + missing:
        check_pivotal([*(q / 4 for q in quarters), missing / 4], (sum(quarters) + missing) // 4)


@pytest.mark.parametrize("seed", range(3))
def test_draws_follow_the_policy(seed: int) -> None:
    """Chi-square on 20,000 draws over all sets that can come; false alarm rate 1e-6."""
    rng = np.random.default_rng(seed)
    actions = MSets(7, 3)
    point = [0.5, 1.0, 0.25, 0.25, 0.5, 0.25, 0.25] if seed == 0 else actions.kl_project(rng.normal(size=7)).point
    policy = actions.markov_policy(point)
    check_policy(policy, actions, n_samples=200)
    rows, expected = policy.atoms, 20_000 * policy.weights
    index = {tuple(row): number for number, row in enumerate(rows.tolist())}
    counts = np.bincount([index[tuple(policy.sample(rng).tolist())] for _ in range(20_000)], minlength=len(rows))
    often = expected >= 5
    left, over = np.append(expected[often], expected[~often].sum()), np.append(counts[often], counts[~often].sum())
    statistic = float(((over - left) ** 2 / np.maximum(left, 1e-9))[left > 0].sum())
    degrees = int((left > 0).sum()) - 1
    assert statistic < degrees + 8.0 * np.sqrt(2.0 * degrees) + 30.0  # beyond the 1 − 1e-6 quantile for any degrees


@pytest.mark.parametrize("numbers", [np.zeros(500), np.full(500, 1.0 - 2.0**-53)])
def test_no_stratum_is_left_empty(numbers: np.ndarray) -> None:
    """The extreme random numbers still give m different elements, whatever the point."""

    class Fixed:
        def random(self, size: int) -> np.ndarray:
            return numbers[:size].copy()

    actions = MSets(900, 300)
    for spread in (0.0, 1.0, 30.0):
        point = actions.kl_project(spread * np.random.default_rng(1).normal(size=900)).point
        assert actions.markov_policy(point).sample(Fixed()).sum() == 300  # type: ignore[arg-type]


def test_large_sets_are_not_listed() -> None:
    """Of more than 10,000 sets there is no list; a file has the policy again, to the last bit."""
    actions = MSets(500, 50)
    point = actions.kl_project(np.random.default_rng(0).normal(size=500)).point
    policy = actions.markov_policy(point)
    assert not policy.has_atoms
    with pytest.raises(Unsupported):
        policy.finite()
    (again,) = read_policies(write_policies((policy,)), actions)
    assert np.array_equal(again.marginals(), policy.marginals())
    ones = np.ones(500)
    np.testing.assert_allclose(policy.second_moment(ones), 50 * policy.marginals(), rtol=1e-10)
    assert repr(policy) == "PivotalSubsets(50 of 500)"
    assert 0.0 < policy.largest_probability < 1e-3


def test_points_outside_are_refused() -> None:
    """A point off the hull is no policy."""
    with pytest.raises(InvalidInput, match="add up to 2"):
        MSets(4, 2).markov_policy([0.5] * 3 + [0.4])
