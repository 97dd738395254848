r"""An oblivious environment: means chosen in advance, noise on top.

On day t element i pays 1/m with probability :math:`m\,\mathrm{mean}_t(i)` and 0 otherwise, independently, so that every
action of at most m elements earns a total in [0, 1] and the mean rewards are known exactly.

May touch: ``arrays``, ``errors``, ``actions.base``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer
from swapregret.errors import InvalidInput

__all__ = ["Environment"]

_BLOCK = 4096


@dataclass(frozen=True)
class Environment:
    """A sequence of reward vectors that does not react.

    Parameters
    ----------
    name : str
    actions : ActionSet
    horizon : int
        T; days are 0..T−1.
    levels : callable
        ``levels(start, stop)`` gives the probabilities that each element pays, shape (stop − start, dimension);
        the mean reward of an element is its level divided by ``actions.size``.
    entropy : int
        Seeds the noise. Day t of one entropy is always the same, whoever asks and in whatever order.
    """

    name: str
    actions: ActionSet
    horizon: int
    levels: Callable[[int, int], Matrix]
    entropy: int

    def means(self, start: int, stop: int) -> Matrix:
        """Return the mean reward vectors of days start..stop−1."""
        self._check(start, stop)
        return self.levels(start, stop) / self.actions.size

    def rewards(self, start: int, stop: int) -> Matrix:
        """Return the reward vectors of days start..stop−1, noise included."""
        self._check(start, stop)
        uniforms = np.empty((stop - start, self.actions.dimension))
        day = start
        while day < stop:
            block, first = divmod(day, _BLOCK)
            last = min(_BLOCK, first + stop - day)
            noise = np.random.default_rng([self.entropy, block]).random((_BLOCK, self.actions.dimension))
            uniforms[day - start : day - start + last - first] = noise[first:last]
            day += last - first
        return (uniforms < self.levels(start, stop)) / self.actions.size

    def reward_vector(self, day: int) -> Vector:
        """Return the reward vector of one day."""
        return np.asarray(self.rewards(day, day + 1)[0])

    def with_noise(self, entropy: int) -> "Environment":
        """Return the same means with other noise: one more replication."""
        return Environment(self.name, self.actions, self.horizon, self.levels, as_integer(entropy, "entropy", 0))

    def _check(self, start: int, stop: int) -> None:
        if not 0 <= start < stop <= self.horizon:
            raise InvalidInput(
                f"days must lie in 0..{self.horizon - 1}, the first before the last",
                f"{start}..{stop - 1}",
                "Make an environment with a longer horizon.",
            )
