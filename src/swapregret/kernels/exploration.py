"""The exploration policy of a set, and weights on a grid, for the kernels of competitors."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel

__all__ = ["Explore", "draw_listed", "places_of"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Explore(NamedTuple):
    """The exploration law of a set, as far as it is alike on all sets.

    Attributes
    ----------
    atoms : int64 array, shape (n, d)
        Its atoms, if it is a list; a law that is none is drawn from in the way of the set.
    cumulative : float64 array, shape (n,)
    moment : float64 array, shape (r, r) or (0, 0)
        Its Σ on independent coordinates, where Σ is factored.
    marginals : float64 array, shape (d,)
    """

    atoms: Integers
    cumulative: Floats
    moment: Floats
    marginals: Floats


@kernel
def draw_listed(rng: np.random.Generator, explore: Explore) -> Integers:
    """Draw from an exploration law that is a list."""
    action: Integers = explore.atoms[np.searchsorted(explore.cumulative, rng.random(), side="right")].copy()
    return action


@kernel
def places_of(coordinates: Integers, dimension: int) -> Integers:
    """Return the place of every coordinate among the independent ones, −1 for those that are not."""
    place = np.full(dimension, -1, dtype=np.int64)
    for j in range(coordinates.size):
        place[coordinates[j]] = j
    return place
