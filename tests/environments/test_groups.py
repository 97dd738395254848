"""Actions that worlds are built from."""

from itertools import combinations

import numpy as np
import pytest

import swapregret as sr
from swapregret.environments.groups import group_levels, random_action, three_groups


@pytest.mark.parametrize(("d", "m"), [(6, 2), (10, 3), (20, 5)])
def test_groups_of_m_sets_are_disjoint(d: int, m: int) -> None:
    """Where 3m ≤ d the three groups share no element, and their labels are random."""
    seen = set()
    for seed in range(20):
        groups = three_groups(sr.MSets(d, m), np.random.default_rng(seed))
        assert (groups.sum(axis=1) == m).all()
        assert groups.sum(axis=0).max() == 1
        seen.add(groups.tobytes())
    assert len(seen) > 10


def test_groups_of_a_listed_set_overlap_as_little_as_possible() -> None:
    """On a set where disjoint triples are rare the search finds one with the fewest repeated elements."""
    rng = np.random.default_rng(1)
    rows = np.unique(np.array([rng.permutation([1] * 4 + [0] * 8) for _ in range(12)]), axis=0)
    actions = sr.Explicit(rows)
    least = min(
        int(np.maximum(np.sum(triple, axis=0) - 1, 0).sum()) for triple in combinations(rows.astype(np.int64), 3)
    )
    found = min(
        int(np.maximum(three_groups(actions, np.random.default_rng(seed)).sum(axis=0) - 1, 0).sum())
        for seed in range(5)
    )
    assert found == least


def test_groups_are_actions_of_any_set() -> None:
    """The oracle is all that is asked: groups of a listed set are in it."""
    actions = sr.Explicit([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]])
    for group in three_groups(actions, np.random.default_rng(0)):
        assert group in actions


def test_shared_elements_take_the_larger_value() -> None:
    """An element of two groups has the larger of their values."""
    levels = group_levels(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 0]]), np.array([[0.5, 1.0, 0.9], [1.0, 0.2, 0.9]]))
    assert levels.tolist() == [[0.5, 1.0, 1.0], [1.0, 1.0, 0.2]]


def test_random_actions_of_m_sets_are_uniform() -> None:
    """All ten 2-sets of 5 come up equally often (chi-square at false-alarm rate 1e-6: 9 degrees, 45.08)."""
    rng = np.random.default_rng(0)
    actions = sr.MSets(5, 2)
    counts: dict[bytes, int] = {}
    for _ in range(5000):
        key = random_action(actions, rng).tobytes()
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 10
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 45.08
