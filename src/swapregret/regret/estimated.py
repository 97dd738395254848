r"""Regret from bandit feedback alone: what a session in production can say of itself.

There are no reward vectors, only :math:`r_t = R_t\cdot M_t`. The estimate :math:`\widetilde R_t = r_t\,\Sigma_t^+ M_t` has
:math:`\mathbb E[\widetilde R_t\cdot M] = R_t\cdot M` for every action M, so for an action fixed in advance

.. math:: \sum_t \widetilde R_t\cdot M - \sum_t r_t

is an unbiased estimate of the regret against it, in total and window by window. For the *best* action it is not: the
maximum of noisy numbers is too high on average; choosing the action on one half of the days and judging it on the other
is too low. Both are given.

**What this cannot tell.** Swap regret, of which ``regret.totals`` gives two ends once the policies of all days are at hand.
Internal and dynamic regret, whose maxima fit noise. And the regret of anything but the policy that was played: a policy that never
tries some direction makes R̃ useless there, which the standard error does not show.
"""

import math

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Matrix, as_action, as_integer, as_vector
from swapregret.counts import plural
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.geometry.solve import Solver
from swapregret.policy import Policy
from swapregret.regret.measure import Regret


class EstimateLedger:
    """Gathers what is needed to estimate external regret and its error: O(dimension²) floats per window.

    Parameters
    ----------
    actions : ActionSet
    window : int, optional
        Days per window; one window for all days if not given.

    Examples
    --------
    >>> from swapregret import MSets
    >>> ledger = EstimateLedger(MSets(2, 1))
    >>> policy = MSets(2, 1).uniform_policy()
    >>> for action, reward in (([1, 0], 1.0), ([0, 1], 0.0)):
    ...     ledger.record(policy, action, reward)
    >>> round(ledger.regret_against([1, 0]).value, 12)
    1.0
    """

    def __init__(self, actions: ActionSet, *, window: int | None = None) -> None:
        self._actions = actions
        self._window = None if window is None else as_integer(window, "window", 1)
        self._windows: list[Matrix] = []  # Σ z zᵀ of each window, z = (R̃, −r, 1)
        self._halves = np.zeros((2, actions.dimension + 2, actions.dimension + 2))  # of even and of odd days
        self._day = 0
        self._policy: Policy | None = None
        self._solver: Solver | None = None

    def record(self, policy: Policy, action: npt.ArrayLike, reward: float) -> None:
        """Add a day: the policy that drew the action, the action, and its total reward."""
        played = as_action(action, self._actions.dimension)
        value = self._number(reward)
        if policy is not self._policy:
            self._policy, self._solver = policy, Solver(policy, self._actions.span)
        assert self._solver is not None
        self.record_estimate(value * self._solver.solve(played), value)

    def record_estimate(self, estimate: npt.ArrayLike, reward: float) -> None:
        """Add a day: an unbiased estimate R̃ that the caller made, and the total reward."""
        term = np.append(as_vector(estimate, self._actions.dimension, "estimate"), (-self._number(reward), 1.0))
        if self._day == 0 or (self._window is not None and self._day % self._window == 0):
            self._windows.append(np.zeros((len(term), len(term))))
        day = np.outer(term, term)
        self._windows[-1] += day
        self._halves[self._day % 2] += day
        self._day += 1

    def regret_against(self, action: npt.ArrayLike) -> Regret:
        """Return the unbiased estimate of the regret against an action that was fixed in advance."""
        self._check(1)
        what = "regret against one action fixed in advance, from bandit feedback: unbiased"
        return _judge(self._halves.sum(axis=0), as_action(action, self._actions.dimension), what)

    def windows_against(self, action: npt.ArrayLike) -> tuple[Regret, ...]:
        """Return the unbiased estimates of the regret against an action, window by window."""
        self._check(1)
        chosen = as_action(action, self._actions.dimension)
        what = "regret of one window against one action fixed in advance, from bandit feedback: unbiased"
        return tuple(_judge(window, chosen, what) for window in self._windows)

    def external_regret(self) -> tuple[Regret, Regret]:
        """Return estimates of external regret from above and from below, in expectation.

        Above: the best action of the estimates, judged by the same estimates. Below: the best action of the odd days
        judged on the even ones, and the other way round.
        """
        self._check(4)
        both, words = self._halves.sum(axis=0), "external regret from bandit feedback, action chosen"
        same = f"{words} and judged on the same days: at least the truth, in expectation"
        what = (
            f"{words} on one half of the days and judged on the other: at most the truth, in expectation, if both halves"
            " have the same best action"
        )
        even, odd = self._halves
        parts = [_judge(even, self._best(odd), what), _judge(odd, self._best(even), what)]
        error = math.hypot(*(part.standard_error for part in parts))
        below = Regret.point(sum(part.value for part in parts), error, self._day, what)
        return _judge(both, self._best(both), same), below

    def _best(self, days: Matrix) -> Action:
        return self._actions.argmax(days[:-2, -1])

    def _check(self, least: int) -> None:
        if self._day < least:
            raise InvalidInput(f"there must be at least {plural(least, 'day')}", str(self._day), "Record more days.")

    @staticmethod
    def _number(reward: float) -> float:
        value = float(reward)
        if not math.isfinite(value):
            raise InvalidReward("`reward` must be finite", repr(value), "Leave out days whose reward is not known.")
        return value


def _judge(days: Matrix, action: Action, definition: str) -> Regret:
    """Return Σ (R̃·M − r) of some days and its standard error; where days differ in mean it is too large, if anything."""
    vector, n = np.append(action, 1.0), int(days[-1, -1])
    value = float(vector @ days[:-1, -1])
    spread = max(0.0, float(vector @ days[:-1, :-1] @ vector) - value**2 / n)
    return Regret.point(value, math.sqrt(spread * n / (n - 1)) if n > 1 else math.nan, n, definition)
