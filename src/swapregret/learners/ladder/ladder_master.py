"""The ladder: levels with learned shares that stay fixed on their own blocks, and a swap filter that is a learner too.

Each level has a tracker, which follows least squares of the last blocks, and a cold learner of Algorithm 2, which has small
regret on every interval of the level. At the bottom are a steady member, which never forgets and is best in a world that stands
still, and a fast one for fast changes.
"""

import math
from dataclasses import dataclass

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.policy_slots import list_room, room_for_lists
from swapregret.arguments import Share
from swapregret.files.held import wrong_state
from swapregret.learners.adaptive.experts import list_actions, start_experts
from swapregret.learners.adaptive.filtered_master import FilteredMaster
from swapregret.learners.adaptive.state import start_fit, start_memory
from swapregret.learners.ingredients import PRESETS, Ingredients
from swapregret.learners.ladder import ladder_phases as phases  # the code behind its methods
from swapregret.learners.ladder.ladder_state import LadderRule, LadderState, start_weights
from swapregret.learners.ladder.shares import first_share
from swapregret.learners.player import Arrays
from swapregret.learners.round.day import FEEDBACKS, begin_round
from swapregret.learners.round.running import LISTS_DERIVED, Running
from swapregret.learners.round.running_player import rates_of
from swapregret.learners.round.scale import start_learners
from swapregret.learners.settings import Positive, Step

_ = phases

BLOCKS_REMEMBERED = 8
"""The memory of a tracker, in blocks of its level."""
FAST_BLOCKS = 2
"""The memory of the fast member, in base windows."""
_SLOWER = 3.0
"""By how much smaller the steps of members that never restart are: what they sum up, they sum up for good."""
_DAYS_PER_CUBE = 240
"""The base window is the longest w with w³ ≤ t·r·m / 240."""
_LONGEST_BASE, _NEVER = 64, 2**62


def first_day(actions: ActionSet, window: int) -> int:
    """Return from which day on a window of at most 64 days can be the base window, unless it is the shortest.

    Examples
    --------
    >>> from swapregret import MSets
    >>> [first_day(MSets(10, 3), window) for window in (4, 16)]
    [512, 32768]
    """
    days = -(-_DAYS_PER_CUBE * window**3 // (actions.rank * max(1, actions.size)))
    return days if window <= _LONGEST_BASE else _NEVER


@dataclass(frozen=True, repr=False)
class LadderMaster(FilteredMaster):
    """Swap-ComBCP or Swap-ComBand on a ladder: with a theorem, and without a horizon.

    Parameters
    ----------
    weight_step, weight_spread, price : float
        How fast choices are learned, 0 for even shares; the least share of an option; and λ₀ (``ladder.shares``).
    seen_per_day : float
        n in γ = (n t)^{-1/3} on day t, at most the exploration of the learner; 0 for an exploration that stays the same.
    """

    weight_step: Step = PRESETS["ladder"].weight_step
    weight_spread: Share = PRESETS["ladder"].weight_spread
    price: Positive = Ingredients.price
    seen_per_day: Step = 0.0

    def base_level(self, arrays: Arrays) -> int:
        """Return the level at the bottom, of a state in a file."""
        bottom, top = int(arrays["weights.bottom"][0]), int(arrays["weights.top"][0])
        if not bottom <= top < self.n_scales:
            raise wrong_state("levels of the player in 'weights.bottom' and 'weights.top'", f"{bottom} to {top}")
        return bottom

    def _running(self, offset: int) -> Running:
        learner, n_levels, windows = self.learner, self.n_scales, self.schedule.windows
        family = self._family
        rates, is_adaptive = rates_of(learner, 1)
        n = 2 * n_levels + 2
        keep, fast = math.exp(-1.0 / BLOCKS_REMEMBERED), math.exp(-1.0 / FAST_BLOCKS)
        point, log_point = learner.first
        listed = list_actions(self.actions, has_experts=self.experts)
        rule = LadderRule(
            listed=listed,
            windows=np.array(windows, dtype=np.int64),
            first_days=np.array([0, *(first_day(self.actions, w) for w in windows[1:-1])], dtype=np.int64),
            rates=np.array([rates[0]] * n_levels + [rates[0] / _SLOWER] * (n - n_levels)),
            retention=np.array([1.0] * n_levels + [keep] * n_levels + [1.0, fast]),
            is_adaptive=is_adaptive,
            diameter=float(learner.diameter),
            exploration=float(learner.exploration),
            seen_per_day=float(self.seen_per_day),
            predictor_step=float(self.predictor_step),
            feedback=FEEDBACKS[self.feedback],
            has_fit=self.fits,
            basis=self._basis,
            boldness=float(self.boldness),
            prior=float(self.prior),
            standard_errors=float(self.standard_errors),
            weight_step=float(self.weight_step),
            weight_spread=float(self.weight_spread),
            price=float(self.price),
            first_point=point,
            first_log=log_point,
        )
        d = family.common.dimension
        n_atoms = max(2 * room_for_lists(self.actions, learner.plan.variants), len(listed.words))
        learners, policies = start_learners(n, point, log_point), list_room(family, n + 2, n_atoms)
        state = LadderState(
            *begin_round(d, offset, learners, policies, n + 2),
            start_weights(np.array([first_share(n, choice, 0) for choice in range(2 * n)]), d),
            start_experts(listed),
            start_memory(n, d, n_atoms, self.capacity if self.swap_filter else 0, self._n_parts),
            start_fit(n - n_levels, d, int((rule.basis.place >= 0).sum())) if self.fits else start_fit(0, 0, 0),
        )
        return Running(family, rule, state, LISTS_DERIVED, learner)
