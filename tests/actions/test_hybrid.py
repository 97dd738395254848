"""The hybrid regulariser over the families: the minimisers of the method that only knows the oracle."""

import numpy as np
import pytest
from tests.late import Late

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.actions.called_family import called
from swapregret.actions.family import hybrid
from swapregret.actions.hybrid import has_hybrid
from swapregret.geometry.hybrid_step import middle_of, minimise_hybrid

SETS: Late[ActionSet] = Late(
    {
        "m-sets": lambda: sr.MSets(5, 2),
        "one permutation": lambda: sr.Permutations(1),
        "permutations": lambda: sr.Permutations(3),
        "2 of 4": lambda: sr.TruncatedPermutations(2, 4),
        "3 of 4": lambda: sr.TruncatedPermutations(3, 4),
        "paths": lambda: sr.DagPaths(
            [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b"), ("t", "z")], source="s", sink="z"
        ),
        "partitions": lambda: sr.Partitions(3, 3),
        "trees": lambda: sr.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (0, 1)]),
        "forests": lambda: sr.Forests([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)], size=3),
        "product": lambda: sr.Product(sr.MSets(4, 2), sr.Permutations(2)),
    }
)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("spread", [0.3, 3.0, 40.0])
def test_minimisers_are_those_of_the_oracle_method(name: str, spread: float) -> None:
    """From the middle, and from the minimiser for other costs: the same point, inside the hull, with a certified gap."""
    actions = SETS[name]
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
