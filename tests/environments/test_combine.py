"""Mixtures and concatenations."""

from functools import cache

import numpy as np
import pytest

import swapregret as sr
from swapregret.environments import Environment
from swapregret.errors import InvalidInput

ACTIONS = sr.MSets(6, 2)


@cache
def first() -> Environment:
    """Return 300 days."""
    return sr.environments.cyclic(ACTIONS, 300, rng=1)


@cache
def second() -> Environment:
    """Return 200 days."""
    return sr.environments.piecewise(ACTIONS, 200, rng=2)


def test_mixture_means_are_weighted_means() -> None:
    """The means of a mixture are the weighted means of its parts, up to the shortest horizon."""
    world = sr.environments.mixture([first(), second()], [0.25, 0.75], rng=0)
    assert world.horizon == 200
    assert np.allclose(world.means(0, 200), 0.25 * first().means(0, 200) + 0.75 * second().means(0, 200), atol=1e-15)
    assert set(np.unique(world.rewards(0, 200))) <= {0.0, 0.125, 0.375, 0.5}


def test_concatenation_plays_parts_in_order() -> None:
    """The means of a concatenation are those of its parts, also across the seam."""
    world = sr.environments.concatenation([first(), second(), first()], rng=0)
    assert world.horizon == 800
    whole = np.concatenate([first().means(0, 300), second().means(0, 200), first().means(0, 300)])
    assert np.array_equal(world.means(0, 800), whole)
    assert np.array_equal(world.means(290, 510), whole[290:510])


def test_parts_have_noise_of_their_own() -> None:
    """The same environment twice in a row does not pay the same rewards twice."""
    world = sr.environments.concatenation([first(), first()], rng=0)
    assert not np.array_equal(world.rewards(0, 300), world.rewards(300, 600))


def test_combinations_nest() -> None:
    """A concatenation of mixtures is an environment like any other."""
    mixed = sr.environments.mixture([first(), second()], rng=0)
    world = sr.environments.concatenation([mixed, second()], rng=1)
    assert np.allclose(world.means(0, 200), (first().means(0, 200) + second().means(0, 200)) / 2, atol=1e-15)
    assert np.array_equal(world.rewards(150, 250)[50:], world.rewards(200, 250))


def test_what_cannot_be_combined_is_refused() -> None:
    """Different sets, wrong weights and nothing at all are refused."""
    other = sr.environments.iid(sr.MSets(5, 2), 100, rng=0)
    for make in (
        lambda: sr.environments.mixture([first(), other]),
        lambda: sr.environments.concatenation([first(), other]),
        lambda: sr.environments.mixture([first(), second()], [0.5, 0.4]),
        lambda: sr.environments.mixture([first(), second()], [1.0]),
        lambda: sr.environments.concatenation([]),
    ):
        with pytest.raises(InvalidInput):
            make()
