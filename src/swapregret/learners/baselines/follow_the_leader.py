r"""Follow the leader: play the action that would have been best so far.

.. math:: M_t = \arg\max_M\ S_t\cdot M, \qquad S_t = \sum_{s<t} \tilde R_s

With full feedback :math:`\tilde R = R` and nothing is random. With bandit and semi-bandit feedback the rewards are
estimated without bias, for which γ of an exploration policy is mixed in.

**Bound.** None: on sequences that turn just behind it the leader is always yesterday's, and both its external and its
swap regret are linear. That is what it is here for.
"""

import math
from dataclasses import dataclass
from functools import cached_property

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.arguments import Days, Share
from swapregret.learners.baselines.drivers.competitor import OwnRule, PointPlayer, play_best, rule_class
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import State, end_windows

LeaderRule = rule_class(__name__, "LeaderRule", "exploration")


@end_windows.of(LeaderRule)
def follow(rule: OwnRule, family: Family, state: State, n_ending: int) -> int:
    """Play the action that is best by the sum of the estimates."""
    return play_best(family, state, state.tally.total, rule.exploration, n_ending)


@dataclass(frozen=True)
class FollowTheLeader(PointPlayer):
    """The follower of the leader.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    exploration : float, optional
        γ; min(½, (r/T)^{1/3}) if not given (the rate of explore-then-follow), and 0 with full feedback.
    feedback : {"bandit", "semi-bandit", "full"}

    Examples
    --------
    >>> from swapregret import MSets
    >>> round(follow_the_leader(MSets(10, 3), 10_000).exploration, 6)
    0.1
    """

    actions: ActionSet
    horizon: Days
    exploration: Share | None = None
    feedback: Feedback = "bandit"
    rule_class = LeaderRule

    def _default_exploration(self) -> float:
        return 0.0 if self.feedback == "full" else min(0.5, math.cbrt(self.actions.rank / self.horizon))

    @cached_property
    def _family(self) -> Family:
        return self.actions.family(self.mu, has_moment=self.feedback == "bandit")


follow_the_leader = FollowTheLeader
