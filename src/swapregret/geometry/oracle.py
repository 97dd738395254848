"""The one thing the generic algorithms know of an action set."""

from typing import Protocol

from swapregret.arrays import Action, Vector

__all__ = ["CountingOracle", "LinearOracle"]


class LinearOracle(Protocol):
    """A set of 0/1 vectors known by maximising linear functions over it."""

    @property
    def dimension(self) -> int:
        """Number of coordinates."""

    def argmax(self, weights: Vector) -> Action:
        """Return an action M that maximises weights·M."""


class CountingOracle:
    """An oracle that counts how often it is asked; wraps any other.

    Examples
    --------
    >>> class Line:
    ...     dimension = 2
    ...     def argmax(self, weights):
    ...         return (np.arange(2) == np.argmax(weights)).astype(np.int64)
    >>> import numpy as np
    >>> oracle = CountingOracle(Line())
    >>> oracle.argmax(np.array([0., 1.])), oracle.n_calls
    (array([0, 1]), 1)
    """

    def __init__(self, inner: LinearOracle) -> None:
        self.inner = inner
        self.n_calls = 0

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.inner.dimension

    def argmax(self, weights: Vector) -> Action:
        """Ask the wrapped oracle, and count."""
        self.n_calls += 1
        return self.inner.argmax(weights)
