"""Many draws at once are the draws one by one."""

from itertools import combinations

import numpy as np
import pytest

import swapregret as sr
from swapregret.policy import Policy

EDGES = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("a", "c")]
TREES = sr.SpanningTrees(list(combinations(range(5), 2)))
LAWS = [
    sr.Permutations(6).uniform_policy(),
    sr.TruncatedPermutations(2, 5).uniform_policy(),
    sr.DagPaths(EDGES, source="s", sink="t").uniform_policy(),
    sr.DagPaths(EDGES, source="s", sink="t").exploration_policy(),
    sr.Partitions(5, 3, coordinates="compact").uniform_policy(),
    TREES.uniform_policy(),
    TREES.gibbs(np.linspace(0.0, 30.0, 10)),
    TREES.decompose(np.full(10, 0.4), variants=2),
    sr.MSets(6, 2).uniform_policy(),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_many_draws_are_single_draws(law: Policy) -> None:
    """The same rows in the same order, and the generator ends where it would."""
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    found = law.sample_many(rng, 20)
    assert np.array_equal(found, np.array([law.sample(other) for _ in range(20)]))
    assert rng.bit_generator.state == other.bit_generator.state
    assert law.sample_many(rng, 0).shape == (0, law.dimension)
