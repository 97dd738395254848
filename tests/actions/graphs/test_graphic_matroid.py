"""The most violated sets, against all partitions of the vertices."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.graphs.kernels.graphic_matroid import violated_classes


def partitions_of(items):
    """Yield all partitions of a list into blocks."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for parts in partitions_of(rest):
        yield [[first], *parts]
        for index in range(len(parts)):
            yield [*parts[:index], [first, *parts[index]], *parts[index + 1 :]]


def violation(parts, tails, heads, masses, unit):
    """Return the mass inside the blocks minus a unit for every vertex but one of each."""
    total = 0
    for part in parts:
        inside = np.isin(tails, part) & np.isin(heads, part)
        total += int(masses[inside].sum()) - (len(part) - 1) * unit
    return total


@settings(max_examples=150)
@given(st.data())
def test_classes_are_the_most_violated_of_all_partitions_and_the_finest_such(data):
    """No partition is violated more, and none that is violated as much has more blocks."""
    n = data.draw(st.integers(2, 6))
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=14))
    tails, heads = np.array(edges, dtype=np.int64).T.copy()
    masses = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(edges), max_size=len(edges))), dtype=np.int64)
    labels = violated_classes(tails, heads, masses, n, 6)
    found = [np.flatnonzero(labels == name).tolist() for name in np.unique(labels)]
    assert all(part[0] == name for part, name in zip(found, np.unique(labels), strict=True))
    values = [(violation(parts, tails, heads, masses, 6), len(parts)) for parts in partitions_of(list(range(n)))]
    assert (violation(found, tails, heads, masses, 6), len(found)) == max(values)


def test_a_point_of_the_polytope_is_not_violated_and_a_unit_more_is():
    """Uniform trees of K_6 have masses 2/6; one unit in 3·2⁴⁰ above that violates the whole graph and nothing smaller."""
    n, unit = 6, 3 * 2**40
    tails, heads = np.triu_indices(n, 1)
    tails, heads = tails.astype(np.int64), heads.astype(np.int64)
    masses = np.full(15, unit // 3, dtype=np.int64)
    assert violated_classes(tails, heads, masses, n, unit).tolist() == list(range(n))
    masses[7] += 1
    assert violated_classes(tails, heads, masses, n, unit).tolist() == [0] * n
