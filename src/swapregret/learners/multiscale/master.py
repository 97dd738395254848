"""The multi-scale master (Algorithm 1): a uniform mixture of scales, one estimate for all."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swapregret.actions.family import room
from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.learners.multiscale.phases import MultiscaleRule, MultiscaleState, end_window
from swapregret.learners.round.daily import DERIVED
from swapregret.learners.round.day import FEEDBACKS, empty_mix, empty_tally
from swapregret.learners.round.player import Master, rates_of
from swapregret.learners.round.running import Running, room_for_lists
from swapregret.learners.round.scale import start_learners
from swapregret.learners.schedule import Schedule

__all__ = ["SwapMaster", "multiscale_rule", "multiscale_state"]


@dataclass(frozen=True, repr=False)
class SwapMaster(Master):
    """Algorithm 1: K lazy learners, each updating and restarting on its own scale.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.learners.law_plan import plan_laws
    >>> from swapregret.learners.lazy import AdaptiveRate
    >>> from swapregret.learners.lazy_combcp import LazyComBCP
    >>> from swapregret.learners.schedule import Schedule
    >>> actions = MSets(4, 2)
    >>> learner = LazyComBCP(actions, 0.1, (AdaptiveRate(),), plan_laws(actions, 1, "bandit"))
    >>> master = SwapMaster(learner, Schedule([1, 4, 16]))
    >>> master.policy(master.start(np.random.default_rng(0))).marginals().round(6)
    array([0.5, 0.5, 0.5, 0.5])
    """

    def __post_init__(self) -> None:
        if len(self.learner.rates) not in (1, self.n_scales):
            raise InvalidInput(
                "`rates` of the learner must be one for all scales, or one per scale",
                f"{len(self.learner.rates)} rates and {self.n_scales} scales",
                "Give one rate.",
            )

    def _running(self, offset: int) -> Running:
        learner, n = self.learner, self.n_scales
        rates, is_adaptive = rates_of(learner, n)
        rule = multiscale_rule(
            self.schedule,
            rates,
            learner.first,
            is_adaptive=is_adaptive,
            diameter=learner.diameter,
            exploration=learner.exploration,
            feedback=self.feedback,
            predictor_step=self.predictor_step,
            has_inverse=learner.plan.has_inverse,
        )
        state = multiscale_state(self._family, rule, offset, room_for_lists(self.actions, learner.plan.variants))
        return Running(self._family, rule, state, DERIVED, learner, end_window)


def multiscale_rule(
    schedule: Schedule,
    rates: Vector,
    first: tuple[Vector, Vector],
    *,
    is_adaptive: bool,
    diameter: float,
    exploration: float,
    feedback: str,
    predictor_step: float,
    has_inverse: bool,
) -> MultiscaleRule:
    """Return the rule of K scales that begin at ``first``, a point and its logarithm."""
    return MultiscaleRule(
        windows=np.array(schedule.windows, dtype=np.int64),
        rates=rates,
        retention=np.ones(schedule.n_scales),
        is_adaptive=is_adaptive,
        diameter=float(diameter),
        exploration=float(exploration),
        feedback=FEEDBACKS[feedback],
        predictor_step=float(predictor_step),
        has_inverse=has_inverse,
        first_point=first[0],
        first_log=first[1],
    )


def multiscale_state(family: Any, rule: MultiscaleRule, offset: int, n_atoms: int) -> MultiscaleState:
    """Return the state before day 0, without its policies."""
    n, d, rank = rule.rates.size, family.common.dimension, family.common.coordinates.size
    return MultiscaleState(
        empty_tally(d, offset),
        empty_tally(d, 0),
        start_learners(n, rule.first_point, rule.first_log),
        room(family, n + 2, n_atoms),
        empty_mix(n + 2, d, rank),
    )
