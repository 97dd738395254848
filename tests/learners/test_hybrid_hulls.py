"""The hybrid regulariser over matchings, flows and forests: the minimisers of the method that only knows the oracle."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.kernels.hybrid_hulls import hybrid_hull
from swapregret.learners.baselines.hybrid_omd import middle_of, minimise_hybrid
from swapregret.learners.hulls import hulls_of

SETS = [
    sr.Permutations(1),
    sr.Permutations(3),
    sr.TruncatedPermutations(2, 4),
    sr.TruncatedPermutations(3, 4),
    sr.DagPaths([("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b"), ("t", "z")], source="s", sink="z"),
    sr.Partitions(3, 3),
    sr.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (0, 1)]),
    sr.Forests([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)], size=3),
]


@pytest.mark.parametrize("actions", SETS, ids=repr)
@pytest.mark.parametrize("spread", [0.3, 3.0, 40.0])
def test_minimisers_are_those_of_the_oracle_method(actions, spread: float) -> None:
    """From the middle, and from the minimiser for other costs: the same point, inside the hull, with a certified gap."""
    rng, hulls, middle = np.random.default_rng(4), hulls_of(actions, 1), middle_of(actions)
    assert hulls is not None
    is_free, start = (middle > 0.0) & (middle < 1.0), middle
    for _ in range(3):
        costs = spread * rng.normal(size=actions.dimension)
        start, gap = hybrid_hull(*hulls, costs, 0.8, is_free, start)
        assert gap < 1e-6
        assert np.allclose(start, minimise_hybrid(actions, costs, 0.8), atol=1e-6)
        assert np.allclose(actions.decompose(start).marginals(), start, atol=1e-9)
        assert np.array_equal(start[~is_free], middle[~is_free])
