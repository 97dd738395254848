"""The hybrid regulariser over the families: the minimisers of the method that only knows the oracle."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.called_family import called
from swapregret.actions.family import hybrid
from swapregret.actions.hybrid import has_hybrid
from swapregret.geometry.hybrid_step import middle_of, minimise_hybrid

SETS = [
    sr.MSets(5, 2),
    sr.Permutations(1),
    sr.Permutations(3),
    sr.TruncatedPermutations(2, 4),
    sr.TruncatedPermutations(3, 4),
    sr.DagPaths([("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b"), ("t", "z")], source="s", sink="z"),
    sr.Partitions(3, 3),
    sr.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (0, 1)]),
    sr.Forests([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)], size=3),
    sr.Product(sr.MSets(4, 2), sr.Permutations(2)),
]


@pytest.mark.parametrize("actions", SETS, ids=repr)
@pytest.mark.parametrize("spread", [0.3, 3.0, 40.0])
def test_minimisers_are_those_of_the_oracle_method(actions, spread: float) -> None:
    """From the middle, and from the minimiser for other costs: the same point, inside the hull, with a certified gap."""
    rng, middle = np.random.default_rng(4), middle_of(actions)
    family = actions.family(actions.exploration_policy(), has_moment=False)
    assert has_hybrid(family)
    family = called(family, minimises=True)
    is_free, near = (middle > 0.0) & (middle < 1.0), middle
    for _ in range(3):
        costs = spread * rng.normal(size=actions.dimension)
        near, gap = hybrid(family, costs, 0.8, middle, near)
        assert gap < 1e-6
        assert np.allclose(near, minimise_hybrid(actions, costs, 0.8), atol=1e-6)
        assert np.allclose(actions.decompose(near).marginals(), near, atol=1e-9)
        assert np.array_equal(near[~is_free], middle[~is_free])


def test_a_list_is_asked_by_its_oracle() -> None:
    """A set without a compiled minimiser says so, and so does a product with one."""
    listed = sr.Explicit([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    for actions in (listed, sr.Product(sr.MSets(3, 1), listed)):
        assert not has_hybrid(actions.family(actions.exploration_policy(), has_moment=False))
