"""The suite against its definitions, written out here a second time, day by day."""

import itertools
import math

import numpy as np
import pytest

import swapregret as sr
from swapregret.environments.cycles import spiral_ends
from swapregret.environments.groups import three_groups


def test_cyclic_is_its_definition() -> None:
    """L = T // P days at (.55, 0, .5); then in phase j the group j mod 3 is worth .5, the next 1, the previous 0."""
    T, P, m = 1000, 7, 2
    actions = sr.MSets(7, m)
    world = sr.environments.cyclic(actions, T, phases=P, rng=5)
    groups = three_groups(actions, np.random.default_rng(5))
    L = T // P
    for day in range(T):
        values = [0.55, 0.0, 0.5]
        if day >= L:
            j = (day - L) // L
            values = [0.0, 0.0, 0.0]
            values[j % 3], values[(j + 1) % 3] = 0.5, 1.0
        expected = sum(value / m * group for value, group in zip(values, groups, strict=True))
        assert np.allclose(world.means(day, day + 1)[0], expected, atol=1e-15)


def test_spiral_is_its_definition() -> None:
    """Lead-in of max(16, T // 4096) days, phases of ⌈x/.4⌉ with x = L/2 and then .6 of the phase; values .6, 1, 0."""
    T, m = 3000, 3
    actions = sr.MSets(9, m)
    world = sr.environments.spiral(actions, T, rng=8)
    groups = three_groups(actions, np.random.default_rng(8))
    L = max(16, T // 4096)
    expected = [[0.55, 0.0, 0.5]] * L
    x, j = L / 2, 0
    while len(expected) < T:
        length = math.ceil(round(x / 0.4, 9))
        values = [0.0, 0.0, 0.0]
        values[j % 3], values[(j + 1) % 3] = 0.6, 1.0
        expected += [values] * length
        x, j = 0.6 * length, j + 1
    assert np.allclose(world.means(0, T), np.array(expected[:T]) @ groups / m, atol=1e-15)


def test_spiral_leaders_are_overtaken_when_phases_end() -> None:
    """At the end of every phase the next leader has just caught up: totals of the two differ by less than three days.

    The lead-in's .55 instead of .5 leaves the first leader L/20 ahead for good, which is added.
    """
    T = 50_000
    ends = spiral_ends(T)
    totals = np.array([0.55, 0.0, 0.5]) * ends[0]
    for j, (start, stop) in enumerate(itertools.pairwise(ends)):
        totals[j % 3] += 0.6 * (stop - start)
        totals[(j + 1) % 3] += stop - start
        assert abs(totals[j % 3] - totals[(j + 1) % 3]) < 3.0 + 0.05 * ends[0]
    growth = np.diff(ends)[5:]
    assert np.all(np.abs(growth[1:] / growth[:-1] - 1.5) < 0.01)


def test_slots_are_their_definition() -> None:
    """There are m slots of three elements; slot s cycles with phases of ⌊T / (7·1.3^s)⌋ days; all other elements pay 0."""
    T, d, m = 2000, 10, 3
    world = sr.environments.slots(sr.MSets(d, m), T, rng=2)
    means = m * world.means(0, T)
    active = np.flatnonzero(means.max(axis=0) > 0.0)
    assert len(active) == 3 * m
    cycles = [[0.55, 0.0, 0.5], [0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]
    left = set(active.tolist())
    for slot in range(m):
        L = math.floor(T / (7 * 1.3**slot))
        rows = [cycles[0 if day < L else 1 + (day // L - 1) % 3] for day in range(T)]
        for column in np.array(rows).T:
            matches = [element for element in left if np.allclose(means[:, element], column, atol=1e-15)]
            assert len(matches) == 1
            left.discard(matches[0])
    assert not left


def test_tree_is_its_definition() -> None:
    """Depth ⌊log₄(T/50)⌋; each open node adds 1/depth to the m elements of its action and keeps it for its quarter."""
    T, d, m = 50 * 4**3 + 17, 8, 2
    world = sr.environments.tree(sr.MSets(d, m), T, rng=1)
    levels = m * world.means(0, T)
    assert np.allclose(levels.sum(axis=1), m)
    assert np.allclose(levels * 3, np.rint(levels * 3))
    leaf = np.arange(T) * 64 // T
    changes = np.flatnonzero((np.diff(levels, axis=0) != 0).any(axis=1)) + 1
    assert set(changes) <= set(np.flatnonzero(np.diff(leaf)) + 1)
    quarter = leaf // 16
    for q in range(4):  # the action of a first-level node is in every day of its quarter
        always = (levels[quarter == q] > 0).all(axis=0)
        assert always.sum() >= m


def test_tree_of_depth_one_has_four_pieces() -> None:
    """With depth 1 the tree is a piecewise constant sequence of four random actions."""
    world = sr.environments.tree(sr.MSets(6, 2), 40, depth=1, rng=0)
    levels = 2 * world.means(0, 40)
    assert np.array_equal(levels.sum(axis=1), np.full(40, 2.0))
    for piece in range(4):
        assert (levels[10 * piece : 10 * piece + 10] == levels[10 * piece]).all()


@pytest.mark.parametrize(("d", "m"), [(6, 2), (10, 3)])
def test_iid_and_piecewise_are_their_definitions(d: int, m: int) -> None:
    """There are m elements at .7 and the others at .5 for good; m at .8 and the others at .3 in each of 8 equal pieces."""
    actions = sr.MSets(d, m)
    same = m * sr.environments.iid(actions, 50, rng=1).means(0, 50)
    assert (same == same[0]).all()
    assert np.isclose(np.sort(same[0]), [0.5] * (d - m) + [0.7] * m).all()
    pieces = m * sr.environments.piecewise(actions, 80, rng=1).means(0, 80)
    for piece in range(8):
        block = pieces[10 * piece : 10 * piece + 10]
        assert (block == block[0]).all()
        assert np.isclose(np.sort(block[0]), [0.3] * (d - m) + [0.8] * m).all()


def test_random_walk_is_its_definition() -> None:
    """2,000 steps over the horizon, each a normal step of deviation .03 folded into [0, 1]; levels stay put in between."""
    T = 6000
    world = sr.environments.random_walk(sr.MSets(4, 2), T, rng=3)
    levels = 2 * world.means(0, T)
    assert levels.min() >= 0.0
    assert levels.max() <= 1.0
    assert np.array_equal(levels[::3], levels[1::3])
    assert np.array_equal(levels[::3], levels[2::3])
    steps = np.diff(levels[::3], axis=0)
    inside = (levels[:-3:3] > 0.2) & (levels[:-3:3] < 0.8) & (levels[3::3] > 0.05) & (levels[3::3] < 0.95)
    deviation = steps[inside].std()
    assert abs(deviation - 0.03) < 6 * 0.03 / math.sqrt(2 * inside.sum())
    assert np.abs(steps).max() < 0.03 * 6.5


def test_follower_of_the_cycle_has_swap_regret_and_no_external_regret() -> None:
    """On the cycle, following the leader of the means earns as much as the best action and half a unit a day less than swapping."""
    T = 7000
    actions = sr.MSets(9, 3)
    world = sr.environments.cyclic(actions, T, rng=0)
    total, earned = np.zeros(9), 0.0
    answers: dict[bytes, np.ndarray] = {}
    for row in world.means(0, T):
        leader = actions.argmax(total)
        earned += leader @ row
        answers[leader.tobytes()] = answers.get(leader.tobytes(), np.zeros(9)) + row
        total += row
    external = actions.argmax(total) @ total - earned
    swap = sum(actions.argmax(value) @ value for value in answers.values()) - earned
    assert abs(external) / T < 0.1
    assert swap / T > 0.3


def test_interruptions_are_their_definition() -> None:
    """A tenth of the days, in stretches of a thousandth of the horizon, the best action pays nothing and another everything."""
    days = 20_000
    world = sr.environments.interruptions(sr.MSets(6, 2), days, rng=3)
    means = 2.0 * world.means(0, days)
    out = means.max(axis=1) == 1.0
    assert out.sum() == days // 10
    assert (out.reshape(-1, days // 1000).all(axis=1) | ~out.reshape(-1, days // 1000).any(axis=1)).all()
    best = means[~out][0] > 0.6
    assert best.sum() == 2
    assert (means[~out][:, best] == 0.7).all()
    assert (means[~out][:, ~best] == 0.5).all()
    assert (means[out][:, best] == 0.0).all()
    assert (means[out].sum(axis=1) == 2 * 1.0 + 2 * 0.5).all()
