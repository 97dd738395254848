"""The multi-scale master (Algorithm 1): a uniform mixture of scales, one estimate for all."""

from dataclasses import dataclass

import numpy as np

from swapregret.actions.policy_slots import keeps_lists, list_room, room_for_lists
from swapregret.learners.multiscale.scale_phases import MultiscaleRule
from swapregret.learners.round.day import FEEDBACKS, begin_round
from swapregret.learners.round.running import LISTS_DERIVED, Running
from swapregret.learners.round.running_player import Master, rates_of
from swapregret.learners.round.scale import start_learners


@dataclass(frozen=True, repr=False)
class SwapMaster(Master):
    """Algorithm 1: K lazy learners, each updating and restarting on its own scale.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.learners.policy_plan import plan_policies
    >>> from swapregret.learners.lazy import AdaptiveRate
    >>> from swapregret.learners.lazy import LazyComBCP
    >>> from swapregret import Schedule
    >>> actions = MSets(4, 2)
    >>> learner = LazyComBCP(actions, 0.1, (AdaptiveRate(),), plan_policies(actions, 1, "bandit"))
    >>> master = SwapMaster(learner, Schedule([1, 4, 16]))
    >>> master.policy(master.start(np.random.default_rng(0))).marginals().round(6)
    array([0.5, 0.5, 0.5, 0.5])
    """

    def _running(self, offset: int) -> Running:
        learner, n = self.learner, self.n_scales
        family = self._family
        rates, is_adaptive = rates_of(learner, n)
        point, log_point = learner.first
        rule = MultiscaleRule(
            windows=np.array(self.schedule.windows, dtype=np.int64),
            rates=rates,
            retention=np.ones(n),
            is_adaptive=is_adaptive,
            diameter=float(learner.diameter),
            exploration=float(learner.exploration),
            feedback=FEEDBACKS[self.feedback],
            predictor_step=float(self.predictor_step),
            first_point=point,
            first_log=log_point,
        )
        d = family.common.dimension
        n_atoms, is_kept = room_for_lists(self.actions, learner.plan.variants), keeps_lists(family)
        learners, policies = start_learners(n, point, log_point), list_room(family, n + 2, n_atoms)
        state = begin_round(d, offset, learners, policies, n + 2)
        derived = LISTS_DERIVED if is_kept else frozenset({"policies", "mix", "undo"})
        return Running(family, rule, state, derived, learner)
