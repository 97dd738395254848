"""The policy of some days of a master at work, which may be asked for later."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.policy_slots import policy_of, solve
from swapregret.arrays import Matrix, Vector, frozen
from swapregret.learners.player import Arrays
from swapregret.learners.round.day import HOPELESS, NOT_SOLVED, refuse
from swapregret.learners.round.nested import copied, dump, tidy
from swapregret.policy import Mixture, Policy, on_grid

if TYPE_CHECKING:
    from swapregret.learners.round.running import Running

_REMADE = frozenset({"tables"})


class View:
    """The policy of some days: the one that is played while it is, and a copy of it afterwards.

    Parameters
    ----------
    running : Running
    """

    def __init__(self, running: "Running") -> None:
        self.running = running
        self.policies, self.mix = running.state.policies, running.state.mix
        self.is_present = True
        self._policy: Policy | None = None
        self._marginals: Vector | None = None
        self._moment: Matrix | None = None
        self._opened: tuple[Any, Any] = (None, None)

    def handle(self, running: "Running") -> Any:
        """Return the handle by which a master learns what this earlier policy earned; made once for all its days."""
        if self._opened[0] is not running.state:
            state = running.state._replace(policies=self.policies, mix=self.mix)
            rng = np.random.default_rng(0)  # nothing is drawn
            self._opened = running.state, running.handle_on(rng, state, family=self.running.family)
        return self._opened[1]

    def policy(self) -> Policy:
        """Return the policy as a value."""
        if self._policy is None:
            parts, weights, learner = [], [], self.running.learner
            with self.running.lock:
                for slot, weight in enumerate(self.mix.weights.tolist()):
                    if weight > 0.0:
                        parts.append(policy_of(self.policies, slot, learner))
                        weights.append(weight)
            self._policy = Mixture(parts, on_grid(weights))
        return self._policy

    def marginals(self) -> Vector:
        """Return how likely each element is, without making the policy."""
        if self._marginals is None:
            with self.running.lock:
                self._marginals = frozen(self.mix.mean.copy())
        return self._marginals

    def moment(self) -> Matrix | None:
        """Return Σ on the independent coordinates of the family; None where no matrix is kept."""
        if self._moment is None and self.policies.moments.shape[1]:
            with self.running.lock:
                upper = np.triu(np.tensordot(self.mix.weights, self.policies.moments, 1))
            self._moment = upper + np.triu(upper, 1).T
        return self._moment

    def solve(self, vector: npt.ArrayLike) -> Vector:
        """Return Σ⁺v, as the master solves it for its own estimates; v is an action, or any vector in their span."""
        right = np.array(vector, dtype=np.float64)
        found: Vector
        with self.running.lock:
            found, ratio = solve(self.running.family, self.policies, self.mix.weights, right)
        if not ratio <= HOPELESS:
            refuse(NOT_SOLVED)
        return found

    def dump(self) -> Arrays:
        """Write what the policy is made of."""
        with self.running.lock:
            mix = self.mix._replace(is_new=np.zeros_like(self.mix.is_new))  # of one day
            policies = dump(self.policies, "policies", leave_out=_REMADE)
            return tidy(policies, mix.weights == 0.0) | dump(copied(mix), "mix")

    def part(self) -> None:
        """Copy what the policy is made of: the state is about to move on."""
        self.policies, self.mix = copied(self.policies), copied(self.mix)
        self.is_present = False

    def join(self) -> None:
        """Be the policy that is played again: the state did not move on."""
        self.policies, self.mix = self.running.state.policies, self.running.state.mix
        self.is_present = True
