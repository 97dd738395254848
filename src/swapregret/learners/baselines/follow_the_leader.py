r"""Follow the leader: play the action that would have been best so far.

.. math:: M_t = \arg\max_M\ S_t\cdot M, \qquad S_t = \sum_{s<t} \tilde R_s

With full feedback :math:`\tilde R = R` and nothing is random. With bandit and semi-bandit feedback the rewards are
estimated without bias, for which γ of an exploration law is mixed in.

**Bound.** None: on sequences that turn just behind it the leader is always yesterday's, and both its external and its
swap regret are linear. That is what it is here for.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Action, Vector, as_integer, frozen
from swapregret.boundary import refuses
from swapregret.geometry.solve import Solver
from swapregret.learners.baselines.listing import read_share
from swapregret.learners.estimator import Estimator, make_estimator
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.settings import check_settings
from swapregret.policy import FinitePolicy, Policy, mix

__all__ = ["FollowTheLeader", "LeaderState", "follow_the_leader"]


@dataclass(frozen=True, eq=False)
class LeaderState:
    """What is known before a day: the scores, who leads by them, and the law that plays it."""

    day: int
    scores: Vector
    leader: Action
    law: Policy
    solver: Solver | None


@dataclass(frozen=True)
class FollowTheLeader:
    """The player; :func:`follow_the_leader` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    estimator : Estimator
    exploration : float
        γ.
    """

    actions: ActionSet
    estimator: Estimator
    exploration: float

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def feedback(self) -> Feedback:
        """What it expects to be shown after each day."""
        return self.estimator.feedback

    @cached_property
    def mu(self) -> Policy:
        """The exploration law."""
        return self.actions.exploration_policy()

    @cached_property
    def _zero(self) -> Vector:
        return frozen(np.zeros(self.actions.dimension))

    def start(self, rng: np.random.Generator) -> LeaderState:
        """Begin with the oracle's answer to no information."""
        return self._state(0, self._zero, None)

    def policy(self, state: LeaderState) -> Policy:
        """Return the law of the next action."""
        return state.law

    def observe(self, state: LeaderState, decision: Decision, reward: float | Vector | None) -> LeaderState:
        """Add the estimate of the day; the law stays while the leader does."""
        if reward is None:
            return replace(state, day=state.day + 1)
        solver = state.solver
        if decision.policy is not state.law:
            solver = self.estimator.prepare(decision.policy, self.actions.span)
        estimate = self.estimator.estimate(decision.policy, solver, decision.action, reward, self._zero)
        return self._state(state.day + 1, frozen(state.scores + estimate), state)

    def _state(self, day: int, scores: Vector, before: LeaderState | None) -> LeaderState:
        leader = self.actions.argmax(scores)
        if before is not None and np.array_equal(leader, before.leader):
            return replace(before, day=day, scores=scores)
        return self._led(day, scores, leader)

    def lead(self, day: int, scores: Vector) -> LeaderState:
        """Return the state of a day on which these scores have made a new leader."""
        return self._led(day, scores, self.actions.argmax(scores))

    def _led(self, day: int, scores: Vector, leader: Action) -> LeaderState:
        point = FinitePolicy(leader[None, :], [1.0])
        law = mix([point, self.mu], [1.0 - self.exploration, self.exploration])
        return LeaderState(day, scores, leader, law, self.estimator.prepare(law, self.actions.span))

    def dump(self, state: LeaderState) -> Arrays:
        """Write day and scores."""
        return {"day": np.array(state.day), "scores": state.scores}

    def load(self, arrays: Arrays) -> LeaderState:
        """Read day and scores."""
        return self._state(int(arrays["day"]), frozen(np.array(arrays["scores"], dtype=np.float64)), None)


@refuses
def follow_the_leader(
    actions: ActionSet, horizon: int, *, exploration: float | None = None, feedback: Feedback = "bandit"
) -> FollowTheLeader:
    """Return the follower of the leader.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    exploration : float, optional
        γ; min(½, (r/T)^{1/3}) if not given (the rate of explore-then-follow), and 0 with full feedback.
    feedback : {"bandit", "semi-bandit", "full"}

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> round(follow_the_leader(MSets(10, 3), 10_000).exploration, 6)
    0.1
    """
    days = as_integer(horizon, "horizon", 1)
    estimator = make_estimator(feedback, predictor_step=0.0)
    default = 0.0 if feedback == "full" else min(0.5, math.cbrt(actions.rank / days))
    share = read_share(default if exploration is None else exploration, "exploration")
    return FollowTheLeader(actions, estimator, share)
