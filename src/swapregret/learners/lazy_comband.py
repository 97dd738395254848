r"""Lazy-ComBand (Algorithm 3, appendix): a lazy external-regret learner on the actions themselves.

:math:`\widetilde p_{h+1}(M) \propto \widetilde p_h(M)\exp(\eta\,\widetilde X_h\cdot M)`: the paper's update lacks the "·M" and
the normalisation (deviation D10). The law has exponentially many atoms and is never listed: the set's exact Gibbs law
samples it and gives its moments. The number of elements may vary from action to action.

May touch: ``arrays``, ``errors``, ``policy``, ``kernels.vectors``, ``actions.base``, ``learners.lazy``.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector, frozen
from swapregret.errors import InvalidInput, Unsupported
from swapregret.kernels.vectors import centred, tilt
from swapregret.learners.lazy import FixedRate, LazyState, Rate, check_exploration, step_size
from swapregret.policy import Policy, mix

__all__ = ["LazyComBand"]


@dataclass(frozen=True)
class LazyComBand:
    """One lazy learner on a set with an exact Gibbs law.

    Parameters
    ----------
    actions : ActionSet
        With ``has_gibbs``.
    exploration : float
        γ in [0, 1).
    rate : FixedRate or AdaptiveRate
    exploration_law : str, optional
        Which μ: a ``kind`` of ``actions.exploration_policy``; None the best of the set.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> learner = LazyComBand(MSets(3, 1), exploration=0.0, rate=FixedRate(1.0))
    >>> learner.update(learner.start(), np.log([1., 2., 3.])).point.round(6)
    array([0.166667, 0.333333, 0.5     ])
    """

    actions: ActionSet
    exploration: float
    rate: Rate
    exploration_law: str | None = None

    def __post_init__(self) -> None:
        check_exploration(self.exploration)
        if not self.actions.has_gibbs:
            raise Unsupported(
                "Lazy-ComBand needs a set with an exact Gibbs law",
                f"{self.actions!r}, which has none",
                "Use swap_combcp, which needs only a projection.",
            )

    @cached_property
    def mu(self) -> Policy:
        """The exploration law μ."""
        return self.actions.exploration_policy(self.exploration_law)  # line 1

    @cached_property
    def _first(self) -> LazyState:
        return self._state(frozen(np.zeros(self.actions.dimension)))  # line 1: uniform over A

    def start(self, previous: LazyState | None = None, prior: Vector | None = None) -> LazyState:
        """Begin an interval (line 1); only the memory of the noise is kept from the one before."""
        if prior is not None:
            raise InvalidInput(
                "Lazy-ComBand must start from the uniform law",
                "a prior point",
                "Warm restarts exist for swap_combcp only.",
            )
        if previous is None:
            return self._first
        return replace(self._first, memory_sum=previous.memory_sum, memory_count=previous.memory_count)

    def update(self, state: LazyState, aggregate: Vector) -> LazyState:
        """End a meta-day (lines 6 and 7, then 4 of the next): X̃ is the sum of its estimates."""
        score = frozen(state.score + aggregate)
        spread = self._variance(state, aggregate)
        variation = state.variation + spread
        memory_sum, memory_count = state.memory_sum + spread, state.memory_count + 1
        if isinstance(self.rate, FixedRate):
            tilted = state.log_weights + self.rate.learning_rate * aggregate  # line 7
        else:
            eta = step_size(self.rate, self.diameter, variation + memory_sum / memory_count)
            tilted = tilt(state.origin, score, eta, self.actions.is_uniform)  # line 7, the whole interval at once (D17)
        return replace(
            self._state(frozen(tilted)),
            n_updates=state.n_updates + 1,
            score=score,
            variation=variation,
            memory_sum=memory_sum,
            memory_count=memory_count,
        )

    def _variance(self, state: LazyState, aggregate: Vector) -> float:
        """Return Var_p̃(X̃·M); a constant in X̃, which adds nothing where all actions have one size, is taken out first."""
        return state.exploit.variance(centred(aggregate, self.actions.is_uniform))

    def resume(self, state: LazyState) -> LazyState:
        """Rebuild the policies of a state whose numbers were read from a file."""
        made = self._first if state.n_updates == 0 else self._state(state.log_weights)
        return replace(state, point=made.point, exploit=made.exploit, policy=made.policy)

    @cached_property
    def diameter(self) -> float:
        """A bound on the divergence of any law from the uniform one: log N."""
        d, m, count = self.actions.dimension, self.actions.size, self.actions.n_actions
        return math.log(count) if count is not None else m * math.log(d)

    def _state(self, log_weights: Vector) -> LazyState:
        exploit = self.actions.gibbs(log_weights)
        policy = mix([exploit, self.mu], [1.0 - self.exploration, self.exploration])  # line 4
        zero = frozen(np.zeros(self.actions.dimension))
        return LazyState(0, log_weights, zero, zero, 0.0, exploit.marginals(), exploit, policy)
