r"""Estimates of the reward vector, one a kind of feedback; all unbiased for every M' in span(A).

========================  ==========================================================================
bandit (the paper's)      :math:`\widetilde R = \widehat R + (r - \widehat R\cdot M)\,\Sigma^+ M`
semi-bandit               :math:`\widetilde R_i = \widehat R_i + (R_i - \widehat R_i)\,M_i / \mathbb E[M_i]`
full                      :math:`\widetilde R = R`
========================  ==========================================================================

R̂ is a predictor fixed before the day; 0 is the paper's (Algorithm 1, line 6), a learnt one lowers the noise and leaves
the expectation alone (deviation D19).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from swapregret.arrays import Action, Vector, frozen
from swapregret.compiled.vectors import action_total, learn_prediction
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import KINDS, Solver, make_solver
from swapregret.geometry.span import Span
from swapregret.learners.player import Feedback
from swapregret.policy import Policy

__all__ = ["BanditEstimator", "Estimator", "FullEstimator", "SemiBanditEstimator", "make_estimator"]


class Estimator(Protocol):
    """Turns what is seen of a day into R̃, and learns the predictor R̂."""

    @property
    def feedback(self) -> Feedback:
        """What it must be shown."""

    def prepare(self, policy: Policy, span: Span) -> Solver | None:
        """Do once a law what every day under it will need."""

    def estimate(
        self, policy: Policy, solver: Solver | None, action: Action, reward: float | Vector, prediction: Vector
    ) -> Vector:
        """Return R̃ for a day; ``policy`` is the law that drew the action, ``solver`` what ``prepare`` made of it."""

    def learn(self, prediction: Vector, action: Action, reward: float | Vector) -> Vector:
        """Return the predictor for the next day."""


@dataclass(frozen=True)
class BanditEstimator:
    """Estimate R from the total reward of the action played.

    Parameters
    ----------
    predictor_step : float
        Step of the normalised least-mean-squares predictor, in [0, 2); 0 switches the predictor off.
    solver : {"auto", "dense", "inverse", "iterative"}
        How Σ⁺M is found; "auto" is dense up to rank 400.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> actions, rule = MSets(2, 1), BanditEstimator(predictor_step=0.0)
    >>> law = actions.uniform_policy()
    >>> rule.estimate(law, rule.prepare(law, actions.span), np.array([1, 0]), 0.5, np.zeros(2)).round(12)
    array([1., 0.])
    """

    predictor_step: float = 0.2
    solver: str = "auto"
    feedback: Feedback = "bandit"

    def __post_init__(self) -> None:
        _check_step(self.predictor_step)
        if self.solver not in KINDS:
            raise InvalidInput(f"`solver` must be one of {KINDS}", repr(self.solver), "Use 'auto'.")

    def prepare(self, policy: Policy, span: Span) -> Solver:
        """Factor Σ of the law."""
        return make_solver(policy, span, self.solver)

    def estimate(
        self, policy: Policy, solver: Solver | None, action: Action, reward: float | Vector, prediction: Vector
    ) -> Vector:
        """Return R̂ + (r − R̂·M) Σ⁺M."""
        assert solver is not None
        surprise = float(reward) - action_total(prediction, action)
        estimate = solver.solve(action)
        estimate *= surprise
        estimate += prediction
        return estimate

    def learn(self, prediction: Vector, action: Action, reward: float | Vector) -> Vector:
        """Return R̂ + step · (r − R̂·M) M / ‖M‖²."""
        if self.predictor_step == 0.0:
            return prediction
        return frozen(learn_prediction(prediction, action, float(reward), self.predictor_step))


@dataclass(frozen=True)
class SemiBanditEstimator:
    """Estimate R from the rewards of the elements chosen, each divided by the probability of being chosen.

    Parameters
    ----------
    predictor_step : float
        Step of the predictor of each element, in [0, 2); 0 switches it off.
    """

    predictor_step: float = 0.2
    feedback: Feedback = "semi-bandit"

    def __post_init__(self) -> None:
        _check_step(self.predictor_step)

    def prepare(self, policy: Policy, span: Span) -> None:
        """Nothing: the marginals are all that is needed."""

    def estimate(
        self, policy: Policy, solver: Solver | None, action: Action, reward: float | Vector, prediction: Vector
    ) -> Vector:
        """Return R̂_i + (R_i − R̂_i)·M_i / E[M_i]."""
        marginals = policy.marginals()
        chosen = action > 0
        estimate = prediction.copy()
        estimate[chosen] += (np.asarray(reward)[chosen] - prediction[chosen]) / marginals[chosen]
        return estimate

    def learn(self, prediction: Vector, action: Action, reward: float | Vector) -> Vector:
        """Move the predictor of each chosen element towards what it paid."""
        if self.predictor_step == 0.0:
            return prediction
        return frozen(prediction + self.predictor_step * action * (np.asarray(reward) - prediction))


@dataclass(frozen=True)
class FullEstimator:
    """With the whole reward vector there is nothing to estimate."""

    feedback: Feedback = "full"

    def prepare(self, policy: Policy, span: Span) -> None:
        """Nothing."""

    def estimate(
        self, policy: Policy, solver: Solver | None, action: Action, reward: float | Vector, prediction: Vector
    ) -> Vector:
        """Return R."""
        return np.array(reward, dtype=np.float64)

    def learn(self, prediction: Vector, action: Action, reward: float | Vector) -> Vector:
        """Nothing to predict."""
        return prediction


def make_estimator(feedback: str, *, predictor_step: float = 0.2, solver: str = "auto") -> Estimator:
    """Return the estimator for a kind of feedback."""
    if feedback == "bandit":
        return BanditEstimator(predictor_step, solver)
    if feedback == "semi-bandit":
        return SemiBanditEstimator(predictor_step)
    if feedback == "full":
        return FullEstimator()
    raise InvalidInput(
        "`feedback` must be 'bandit', 'semi-bandit' or 'full'", repr(feedback), "It says what observe() will be shown."
    )


def _check_step(step: float) -> None:
    if not 0.0 <= step < 2.0:
        raise InvalidInput("`predictor_step` must be in [0, 2)", repr(step), "0.2 is usual, 0 switches it off.")
