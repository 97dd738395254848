r"""The master's estimate of the reward vector from one number.

Algorithm 1, line 6: :math:`\widetilde R = r\,\Sigma^+ M`. With a predictor :math:`\widehat R` that was fixed before the day,

.. math:: \widetilde R = \widehat R + (r - \widehat R\cdot M)\,\Sigma^+ M

is just as unbiased, :math:`\mathbb E[\widetilde R \cdot M'] = R\cdot M'` for every M' in span(A), and less noisy the better
the predictor (deviation D19). :math:`\widehat R = 0` is the paper's.

May touch: ``arrays``, ``errors``, ``policy``, ``geometry``.
"""

from dataclasses import dataclass

from swapregret.arrays import Action, Vector, frozen
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import DenseSolver

__all__ = ["BanditEstimator"]


@dataclass(frozen=True)
class BanditEstimator:
    """Estimate R from the total reward of the action played.

    Parameters
    ----------
    predictor_step : float
        Step of the normalised least-mean-squares predictor, in [0, 2); 0 switches the predictor off.

    Examples
    --------
    >>> import numpy as np
    >>> from swapregret.actions.m_sets import MSets
    >>> actions = MSets(2, 1)
    >>> solver = DenseSolver(actions.uniform_policy(), actions.span)
    >>> BanditEstimator(0.0).estimate(solver, np.array([1, 0]), 0.5, np.zeros(2))
    array([1., 0.])
    """

    predictor_step: float = 0.2

    def __post_init__(self) -> None:
        if not 0.0 <= self.predictor_step < 2.0:
            raise InvalidInput(
                "`predictor_step` must be in [0, 2)", repr(self.predictor_step), "0.2 is usual, 0 switches it off."
            )

    def estimate(self, solver: DenseSolver, action: Action, reward: float, prediction: Vector) -> Vector:
        """Return R̃ for the day; ``solver`` belongs to the law that drew the action."""
        surprise = reward - float(prediction @ action)
        estimate = solver.solve(action)
        estimate *= surprise
        estimate += prediction
        return estimate

    def learn(self, prediction: Vector, action: Action, reward: float) -> Vector:
        """Return the predictor for the next day: R̂ + step · (r − R̂·M) M / ‖M‖²."""
        if self.predictor_step == 0.0:
            return prediction
        surprise = reward - float(prediction @ action)
        count = int(action.sum())
        if count == 0:
            return prediction
        return frozen(prediction + (self.predictor_step * surprise / count) * action)
