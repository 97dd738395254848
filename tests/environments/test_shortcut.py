"""The counterexample's worlds: counts of the appendix, and the one element that pays."""

from math import comb

import numpy as np
import pytest

import swapregret as sr


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_dag_has_the_counts_of_the_appendix(n: int) -> None:
    """|V| = 2n+2, |E| = 4n+1, 2ⁿ+1 paths, the longest of n+1 edges, and the shortcut on exactly one of them."""
    actions = sr.environments.shortcut_dag(n, 10).actions
    vertices = {vertex for edge in actions.labels for vertex in edge}
    assert len(vertices) == 2 * n + 2
    assert actions.dimension == 4 * n + 1
    assert actions.n_actions == 2**n + 1
    assert actions.size == n + 1
    rows = actions.enumerate()
    assert rows[:, actions.labels.index(("S", "D"))].sum() == 1
    ends = [actions.labels.index(edge) for edge in (("S", "A1"), ("S", "B1"), (f"A{n}", "D"), (f"B{n}", "D"))]
    assert (rows[:, ends].sum(axis=0) == 2 ** (n - 1)).all()


def test_only_the_shortcut_pays() -> None:
    """The shortcut earns 1 every day and every other path 0, without noise."""
    world = sr.environments.shortcut_dag(3, 20)
    rewards = world.rewards(0, 20)
    assert np.array_equal(rewards, world.means(0, 20))
    earned = world.actions.enumerate() @ rewards[7]
    assert sorted(earned.tolist()) == [0.0] * 8 + [1.0]


@pytest.mark.parametrize("coordinates", ["path", "compact"])
def test_only_one_partition_pays(coordinates: str) -> None:
    """Of all C(n+k−1, k−1) partitions only the one that gives everything to the chosen part earns, and it earns 1."""
    world = sr.environments.shortcut_partitions(5, 3, 9, part=1, coordinates=coordinates)
    rows = world.actions.enumerate()
    assert len(rows) == comb(7, 2)
    earned = rows @ world.reward_vector(8)
    assert sorted(earned.tolist()) == [0.0] * (len(rows) - 1) + [1.0]
    assert world.actions.amounts(rows[int(np.argmax(earned))]) == (0, 5, 0)
