"""The engine of a player that never learns: all draws of a block are made first."""

from dataclasses import dataclass

import numpy as np

from swapregret.actions.graphs.tree_laws import GibbsTrees
from swapregret.actions.m_sets.m_set_laws import UniformSubsets
from swapregret.arrays import Actions, Matrix, Vector
from swapregret.kernels.uniform_run import run_uniform
from swapregret.learners.baselines.uniform import UniformPlayer
from swapregret.learners.engines.held import HeldBlock, Law
from swapregret.policy import Policy

__all__ = ["ConstantEngine", "totals_of"]


def totals_of(rewards: Matrix, plays: Actions) -> Vector:
    """Return the reward of each day, added up element by element.

    Examples
    --------
    >>> totals_of(np.array([[.5, .25]]), np.array([[1, 1]])).tolist()
    [0.75]
    """
    return np.clip(np.cumsum(rewards * plays, axis=1)[:, -1], 0.0, 1.0)


@dataclass(frozen=True)
class ConstantEngine:
    """Uniform play, or the set's exploration law where it has no uniform one.

    Parameters
    ----------
    player : UniformPlayer
    keeps_plays : bool
        Whether to hand out the actions that were played.
    """

    player: UniformPlayer
    keeps_plays: bool = False

    @property
    def is_whole(self) -> bool:
        """Tell whether the draws of a block are made in one call; those of a long random walk on a graph are not."""
        law = self.player.policy(0)
        if isinstance(law, GibbsTrees):
            return law.walk is not None
        return isinstance(law, UniformSubsets) or type(law).sample_many is not Policy.sample_many

    def run(self, state: int, rng: np.random.Generator, rewards: Matrix) -> HeldBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        law, n_days = self.player.policy(state), len(rewards)
        if isinstance(law, UniformSubsets):
            plays = np.empty((n_days if self.keeps_plays else 0, rewards.shape[1]), dtype=np.int64)
            received = run_uniform(rng, np.ascontiguousarray(rewards), self.player.actions.size, plays)
        else:
            plays = law.sample_many(rng, n_days)
            received = totals_of(rewards, plays)
        return HeldBlock(state + n_days, received, plays, (Law(0, law),))
