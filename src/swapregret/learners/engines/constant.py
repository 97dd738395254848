"""The engine of a player that never learns: uniform play on m-sets.

May touch: ``arrays``, ``policy``, ``actions.m_set_laws``, ``kernels.uniform_run``, ``learners.baselines.uniform``.
"""

from dataclasses import dataclass

import numpy as np

from swapregret.actions.m_set_laws import UniformSubsets
from swapregret.arrays import Matrix, Vector
from swapregret.kernels.uniform_run import run_uniform
from swapregret.learners.baselines.uniform import UniformPlayer
from swapregret.policy import Policy

__all__ = ["ConstantBlock", "ConstantEngine"]


@dataclass(frozen=True, eq=False)
class ConstantBlock:
    """A block of days, played.

    Attributes
    ----------
    state : int
        Days seen.
    received : Vector
        The reward of each day.
    laws : tuple of (int, Policy)
        The one law, played from the first day of the block on.
    """

    state: int
    received: Vector
    laws: tuple[tuple[int, Policy], ...]


@dataclass(frozen=True)
class ConstantEngine:
    """Uniform play on m-sets."""

    player: UniformPlayer

    @staticmethod
    def can_run(player: object) -> bool:
        """Tell whether a player draws from the uniform law over m-sets every day."""
        return isinstance(player, UniformPlayer) and isinstance(player.policy(0), UniformSubsets)

    def run(self, state: int, rng: np.random.Generator, rewards: Matrix) -> ConstantBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        received = run_uniform(rng, np.ascontiguousarray(rewards), self.player.actions.size)
        return ConstantBlock(state + len(received), received, ((0, self.player.policy(state)),))
