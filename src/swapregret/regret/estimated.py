r"""Regret from bandit feedback alone: what a session in production can say of itself.

There are no reward vectors, only :math:`r_t = R_t\cdot M_t`. The estimate :math:`\widetilde R_t = r_t\,\Sigma_t^+ M_t` has
:math:`\mathbb E[\widetilde R_t\cdot M] = R_t\cdot M` for every action M, so for an action fixed in advance

.. math:: \sum_t \widetilde R_t\cdot M - \sum_t r_t

is an unbiased estimate of the regret against it, in total and window by window. For the *best* action it is not: the
maximum of noisy numbers is too high on average; choosing the action on one half of the days and judging it on the other
is too low. Both are given.

**What this cannot tell.** Swap regret, of which ``regret.totals`` gives two ends once the laws of all days are at hand. Internal
and dynamic regret, whose maxima fit noise. And the regret of anything but the law that was played: a law that never tries some
direction makes R̃ useless there, which the standard error does not show.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Matrix, Vector, as_action, as_integer, as_vector, frozen
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.geometry.solve import Solver
from swapregret.policy import Policy


@dataclass(frozen=True)
class EstimatedRegret:
    """An estimate of one regret.

    Attributes
    ----------
    value : float
        Total over the days.
    standard_error : float
        From the spread of the daily terms; on days that differ in mean it errs on the large side.
    n_days : int
    definition : str
        What was estimated, and which way it errs.
    """

    value: float
    standard_error: float
    n_days: int
    definition: str

    @property
    def per_round(self) -> float:
        """Return the value divided by the number of days."""
        return self.value / self.n_days


@dataclass(frozen=True, eq=False)
class EstimatedWindows:
    """Estimated regret against one action, window by window: value and standard error of each."""

    window: int
    values: Vector
    standard_errors: Vector


class EstimateLedger:
    """Gathers what is needed to estimate external regret and its error: O(dimension²) floats a window.

    Parameters
    ----------
    actions : ActionSet
    window : int, optional
        Days a window; one window for all days if not given.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> ledger = EstimateLedger(MSets(2, 1))
    >>> law = MSets(2, 1).uniform_policy()
    >>> for action, reward in (([1, 0], 1.0), ([0, 1], 0.0)):
    ...     ledger.record(law, action, reward)
    >>> round(ledger.regret_against([1, 0]).value, 12)
    1.0
    """

    def __init__(self, actions: ActionSet, *, window: int | None = None) -> None:
        self._actions = actions
        self._window = None if window is None else as_integer(window, "window", 1)
        d = actions.dimension
        self._sums: list[Vector] = []
        self._grams: list[Matrix] = []
        self._counts: list[int] = []
        self._halves = np.zeros((2, d))
        self._half_earned = np.zeros(2)
        self._half_grams = np.zeros((2, d + 1, d + 1))
        self._half_days = np.zeros(2, dtype=np.int64)
        self._day = 0
        self._policy: Policy | None = None
        self._solver: Solver | None = None

    def record(self, policy: Policy, action: npt.ArrayLike, reward: float) -> None:
        """Add a day: the law that drew the action, the action, and its total reward."""
        played = as_action(action, self._actions.dimension)
        value = self._number(reward)
        if policy is not self._policy:
            self._policy, self._solver = policy, Solver(policy, self._actions.span)
        assert self._solver is not None
        self.record_estimate(value * self._solver.solve(played), value)

    def record_estimate(self, estimate: npt.ArrayLike, reward: float) -> None:
        """Add a day by an unbiased estimate R̃ that was made elsewhere, and the total reward."""
        d = self._actions.dimension
        term = np.append(as_vector(estimate, d, "estimate"), -self._number(reward))
        if self._day == 0 or (self._window is not None and self._day % self._window == 0):
            self._sums.append(np.zeros(d + 1))
            self._grams.append(np.zeros((d + 1, d + 1)))
            self._counts.append(0)
        square = np.outer(term, term)
        self._sums[-1] += term
        self._grams[-1] += square
        self._counts[-1] += 1
        half = self._day % 2
        self._halves[half] += term[:-1]
        self._half_earned[half] -= term[-1]
        self._half_grams[half] += square
        self._half_days[half] += 1
        self._day += 1

    def regret_against(self, action: npt.ArrayLike) -> EstimatedRegret:
        """Return the unbiased estimate of the regret against an action that was fixed in advance."""
        self._check()
        vector = self._extended(action)
        value, error = _total(vector, np.sum(self._sums, axis=0), np.sum(self._grams, axis=0), self._day)
        what = "regret against one action fixed in advance, from bandit feedback: unbiased"
        return EstimatedRegret(value, error, self._day, what)

    def windows_against(self, action: npt.ArrayLike) -> EstimatedWindows:
        """Return the unbiased estimates of the regret against an action, window by window."""
        self._check()
        vector = self._extended(action)
        pairs = [
            _total(vector, total, gram, count)
            for total, gram, count in zip(self._sums, self._grams, self._counts, strict=True)
        ]
        values, errors = (frozen(np.array(column)) for column in zip(*pairs, strict=True))
        return EstimatedWindows(self._window or self._day, values, errors)

    def external_regret(self) -> tuple[EstimatedRegret, EstimatedRegret]:
        """Return estimates of external regret from above and from below, in expectation.

        Above: the best action of the estimates, judged by the same estimates. Below: the best action of the odd days
        judged on the even ones, and the other way round.
        """
        self._check()
        if self._day < 4:
            raise InvalidInput("there must be at least 4 days", str(self._day), "Record more days.")
        best = self._actions.argmax(self._halves.sum(axis=0))
        above = self.regret_against(best)
        value = variance = 0.0
        for half in (0, 1):
            choice = self._extended(self._actions.argmax(self._halves[1 - half]))
            total = np.append(self._halves[half], -self._half_earned[half])
            part, error = _total(choice, total, self._half_grams[half], int(self._half_days[half]))
            value += part
            variance += error**2
        return (
            EstimatedRegret(
                above.value,
                above.standard_error,
                self._day,
                "external regret from bandit feedback, action chosen and judged on the same days: at least the truth,"
                " in expectation",
            ),
            EstimatedRegret(
                value,
                math.sqrt(variance),
                self._day,
                "external regret from bandit feedback, action chosen on one half of the days and judged on the other:"
                " at most the truth, in expectation, if both halves have the same best action",
            ),
        )

    def _extended(self, action: npt.ArrayLike) -> Vector:
        chosen: Action = as_action(action, self._actions.dimension)
        return np.append(chosen.astype(np.float64), 1.0)

    def _check(self) -> None:
        if self._day == 0:
            raise InvalidInput("there must be at least one day", "none", "Record days first.")

    @staticmethod
    def _number(reward: float) -> float:
        value = float(reward)
        if not math.isfinite(value):
            raise InvalidReward("`reward` must be finite", repr(value), "Leave out days whose reward is not known.")
        return value


def _total(vector: Vector, total: Vector, gram: Matrix, count: int) -> tuple[float, float]:
    """Return Σ z and its standard error, z = R̃·M − r."""
    value = float(vector @ total)
    square = float(vector @ gram @ vector)
    spread = max(0.0, square - value**2 / count)
    return value, math.sqrt(spread * count / (count - 1)) if count > 1 else math.nan
