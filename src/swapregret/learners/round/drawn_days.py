"""Days whose action somebody else drew, by a policy that is known: a log, or a set that was smaller on that day."""

from typing import TYPE_CHECKING, Any

import numpy as np

from swapregret.arrays import Action, Vector
from swapregret.errors import Unsupported
from swapregret.geometry.solve import Solver
from swapregret.learners.round.day import BANDIT, learn_day
from swapregret.policy import Policy

if TYPE_CHECKING:
    from swapregret.learners.round.running import Running


class DrawnDays:
    """Learns such days; what a policy needs for it is kept as long as days of the same policy come."""

    def __init__(self) -> None:
        self._policy: Policy | None = None
        self._state: Any = None
        self._handle: Any = None
        self._solver: Solver | None = None

    def observe(self, running: "Running", policy: Policy, action: Action, seen: Vector, total: float) -> int:
        """Learn from a day, estimated with the policy that drew it; return how many windows end with it."""
        if learn_day.has_code_for(type(running.rule)):
            raise Unsupported(
                "a player must estimate rewards by Σ⁺ to learn from days that another policy has drawn",
                type(running.learner).__name__,
                "Use swap_combcp or swap_comband.",
            )
        if self._policy is not policy or self._state is not running.state:
            state, has_dual = running.state, running.rule.feedback == BANDIT
            mix = state.mix._replace(mean=np.array(policy.marginals()))
            self._handle = running.handle_on(np.random.default_rng(0), state._replace(mix=mix))
            self._solver = Solver(policy, running.learner.actions.span) if has_dual else None
            self._policy, self._state = policy, state
        dual = np.zeros(len(action)) if self._solver is None else self._solver.solve(action)
        return int(running.do.observe_drawn(self._handle, action, seen, total, dual))
