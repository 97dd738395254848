"""Environments as sequences: the same day whoever asks, means that are means, noise that is seeded."""

import numpy as np
import pytest
from scipy.stats import binom
from tests.late import Late

import swapregret as sr
from swapregret.environments import Environment
from swapregret.errors import InvalidInput

ACTIONS = sr.MSets(9, 3)
T = 900
SUITE: Late[Environment] = Late(
    {
        "cyclic": lambda: sr.environments.cyclic(ACTIONS, T, rng=1),
        "spiral": lambda: sr.environments.spiral(ACTIONS, T, rng=2),
        "slots": lambda: sr.environments.slots(ACTIONS, T, rng=3),
        "tree": lambda: sr.environments.tree(ACTIONS, T, rng=4),
        "iid": lambda: sr.environments.iid(ACTIONS, T, rng=5),
        "piecewise": lambda: sr.environments.piecewise(ACTIONS, T, rng=6),
        "random_walk": lambda: sr.environments.random_walk(ACTIONS, T, rng=7),
        "mixture": lambda: sr.environments.mixture(
            [sr.environments.iid(ACTIONS, T, rng=8), sr.environments.spiral(ACTIONS, T, rng=9)], rng=10
        ),
        "concatenation": lambda: sr.environments.concatenation(
            [sr.environments.iid(ACTIONS, 300, rng=8), sr.environments.tree(ACTIONS, 600, rng=9)], rng=10
        ),
        "from_function": lambda: sr.environments.from_function(
            ACTIONS, T, lambda day: np.arange(9) / 9 * (day % 2), noise="bernoulli", rng=11
        ),
        "extensive_form": lambda: sr.environments.extensive_form(T, rng=12),
    }
)


@pytest.mark.parametrize("name", SUITE)
def test_random_access_is_sequential(name: str) -> None:
    """Days asked one by one, backwards or in blocks of any size are the same days."""
    world = SUITE[name]
    whole, means = world.rewards(0, T), world.means(0, T)
    for day in (T - 1, 0, 417, 299, 300, 418):
        assert np.array_equal(world.reward_vector(day), whole[day])
        assert np.array_equal(world.means(day, day + 1)[0], means[day])
    blocks = [world.rewards(start, min(start + 77, T)) for start in range(0, T, 77)]
    assert np.array_equal(np.concatenate(blocks), whole)


@pytest.mark.parametrize("name", SUITE)
def test_every_action_earns_a_total_in_the_unit_interval(name: str) -> None:
    """No action can be paid less than 0 or more than 1 on any day."""
    world = SUITE[name]
    for row in world.rewards(0, T)[::7]:
        assert row.min() >= 0.0
        assert world.actions.argmax(row) @ row <= 1.0 + 1e-12


@pytest.mark.parametrize("name", SUITE)
def test_new_noise_keeps_the_means(name: str) -> None:
    """with_noise changes the rewards, keeps the means, and comes back with the old entropy."""
    world = SUITE[name]
    other = world.with_noise(12345)
    assert np.array_equal(other.means(0, T), world.means(0, T))
    assert not np.array_equal(other.rewards(0, T), world.rewards(0, T))
    assert np.array_equal(other.with_noise(world.entropy).rewards(0, T), world.rewards(0, T))


@pytest.mark.parametrize("name", SUITE)
def test_frequencies_are_the_means(name: str) -> None:
    """Totals of an element over all days of 40 noises lie inside the 1e-6 band around the sum of its means.

    The total of independent payments in [0, 1] deviates from its mean by more than √(n ln(2/δ)/2) with probability at most δ; δ is
    1e-6 divided by the number of elements.
    """
    world, noises = SUITE[name], 40
    total = sum(world.with_noise(seed).rewards(0, T).sum(axis=0) for seed in range(noises))
    expected = noises * world.means(0, T).sum(axis=0)
    largest = max(1.0 / world.actions.size, float(world.rewards(0, T).max()))
    band = largest * np.sqrt(noises * T * np.log(2.0 * world.actions.dimension / 1e-6) / 2.0)
    assert np.abs(total - expected).max() <= band


def test_bernoulli_frequency_of_one_level() -> None:
    """A level of .3 pays in .3 of 20,000 days, exactly 1/m each time (binomial band of false-alarm rate 1e-6)."""
    world = sr.environments.iid(sr.MSets(3, 2), 20_000, high=0.3, low=0.3, rng=0)
    rewards = world.rewards(0, 20_000)
    assert set(np.unique(rewards)) == {0.0, 0.5}
    for count in (rewards > 0).sum(axis=0):
        assert binom.cdf(count, 20_000, 0.3) > 1e-6 / 6
        assert binom.sf(count - 1, 20_000, 0.3) > 1e-6 / 6


def test_levels_zero_and_one_are_certain() -> None:
    """Level 0 never pays and level 1 always does."""
    world = sr.environments.iid(sr.MSets(4, 2), 5000, high=1.0, low=0.0, rng=0)
    assert np.array_equal(world.rewards(0, 5000), world.means(0, 5000))


def test_same_seed_same_world() -> None:
    """Two environments from one seed agree on every bit; another seed differs."""
    make = sr.environments.random_walk
    a, b, c = (make(ACTIONS, 500, rng=seed) for seed in (3, 3, 4))
    assert np.array_equal(a.rewards(0, 500), b.rewards(0, 500))
    assert not np.array_equal(a.means(0, 500), c.means(0, 500))


def test_days_outside_the_horizon_are_refused() -> None:
    """Asking for a day that does not exist says which days do."""
    world = SUITE["cyclic"]
    for start, stop in ((-1, 3), (5, 5), (0, T + 1)):
        with pytest.raises(InvalidInput, match="days must lie in"):
            world.means(start, stop)


@pytest.mark.parametrize(
    "make",
    [
        lambda: sr.environments.cyclic(ACTIONS, 0),
        lambda: sr.environments.cyclic(ACTIONS, 10, phases=11),
        lambda: sr.environments.iid(ACTIONS, 10, high=1.5),
        lambda: sr.environments.piecewise(ACTIONS, 10, low=float("nan")),
        lambda: sr.environments.random_walk(ACTIONS, 10, deviation=-1.0),
        lambda: sr.environments.tree(ACTIONS, 10, depth=5),
        lambda: sr.environments.extensive_form(10),
        lambda: SUITE["cyclic"].with_noise(-1),
    ],
)
def test_bad_arguments_are_refused(make) -> None:
    """Arguments that mean nothing are refused by name."""
    with pytest.raises(InvalidInput):
        make()
