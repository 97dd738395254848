r"""When not to learn: as long as no fixed action is much better than exploring, exploring is what has no swap regret.

A learner that follows the world plays each action on days it was chosen for, and its swap regret is what could have been
learnt about those days and was not. A law that never changes has no such days: its swap regret is its external regret,

.. math:: C_t = \max_M\, (M - \bar\mu)\cdot\sum_{s\le t} R_s ,

one number that is easy to estimate. So a run begins calm, playing μ while all members learn from what it sees, and stays
calm until the estimate of C, less what noise alone would make of it, exceeds a budget: a share of the swap regret the
adaptive part is expected to end with. Then calm is over for good.

May touch: ``arrays``, ``actions.base``, ``kernels.weighted_sums``, ``policy``.
"""

import math
from dataclasses import dataclass

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector
from swapregret.kernels.weighted_sums import gain_over
from swapregret.policy import Policy

__all__ = ["Calm", "expected_swap_regret"]

_DRAWS = 32
_BY_ACTIONS = 0.27
_BY_DIMENSION = 0.8
_BY_FEEDBACK = {"bandit": 1.0, "semi-bandit": 0.4, "full": 0.3}


def expected_swap_regret(actions: ActionSet, horizon: int, feedback: str = "bandit") -> float:
    """Return about how much swap regret the adaptive part ends with, in total: √T times a constant of the set.

    ``min(.27 √N, .8 √(r m))·√T``, N actions of size m and rank r, fits what is measured on m-sets, permutations, trees and
    paths for T from 10⁴ to 10⁶ within a factor of 1.5 (``docs/adaptive.md``). Semi-bandit feedback takes .4 of it, full .3.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> round(expected_swap_regret(MSets(10, 3), 100_000) / 100_000, 4)
    0.0094
    """
    constant = _BY_DIMENSION * math.sqrt(actions.rank * max(1, actions.size))
    if actions.n_actions is not None:
        half = 0.5 * math.log(actions.n_actions)  # √N by its logarithm: N may be beyond any float
        constant = min(_BY_ACTIONS * math.exp(min(half, 700.0)), constant)
    return _BY_FEEDBACK[feedback] * constant * math.sqrt(horizon)


@dataclass(frozen=True)
class Calm:
    """The rule by which calm ends.

    Parameters
    ----------
    budget : float
        What Ĉ may reach, noise apart; 0 for a master that is never calm.
    width : float
        E max_M (M − μ̄)·g for a vector g of noise with entries of variance 1: what noise alone makes of the maximum.
    """

    budget: float
    width: float

    @classmethod
    def for_set(
        cls, actions: ActionSet, explorer: Policy, horizon: int, share: float, feedback: str = "bandit"
    ) -> "Calm":
        """Return the rule that spends a share of what the adaptive part is expected to end with.

        Examples
        --------
        >>> from swapregret.actions.m_sets import MSets
        >>> calm = Calm.for_set(MSets(4, 1), MSets(4, 1).uniform_policy(), 10_000, .5)
        >>> round(calm.budget, 1), 0.7 < calm.width < 1.4
        (27.0, True)
        """
        if share == 0.0:
            return cls(0.0, 0.0)
        rng = np.random.default_rng(0)
        centre, span = explorer.marginals(), actions.span
        found = []
        for _ in range(_DRAWS):
            noise = span.project(rng.standard_normal(actions.dimension))
            size = float(np.std(noise))
            found.append(float((actions.argmax(noise) - centre) @ noise) / size if size > 0.0 else 0.0)
        return cls(share * expected_swap_regret(actions, horizon, feedback), float(np.mean(found)))

    def is_over(self, actions: ActionSet, centre: Vector, total: Vector, noise: float) -> bool:
        """Tell whether Ĉ exceeds the budget; ``noise`` is the variance of an entry of the total, summed over the windows."""
        gain = gain_over(actions.argmax(total), centre, total)
        return gain > self.budget + self.width * math.sqrt(noise)
