"""The policies that decisions hold: those of a master at work, and those from elsewhere.

A policy from elsewhere is that of a log, or of a day on which some elements were missing.
"""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from swapregret.actions.family import Family
from swapregret.actions.policy_slots import policy_of, solve
from swapregret.arrays import Action, Matrix, Vector, frozen, under
from swapregret.compiled.kernel import Returned
from swapregret.errors import Unsupported
from swapregret.files.held import held_array, held_chances
from swapregret.geometry.solve import Solver, invert_matrix
from swapregret.geometry.span import Span
from swapregret.learners.player import Arrays, HeldPolicy, marginals_of
from swapregret.learners.round.day import BANDIT, HOPELESS, NOT_SOLVED, State, learn_day, refuse, remember
from swapregret.learners.round.nested import copied, dump, tidy
from swapregret.policy import FinitePolicy, Mixture, Policy, mix, on_grid

if TYPE_CHECKING:
    from swapregret.compiled.handle import OpenHandle
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
        self._opened: tuple[State, OpenHandle] | None = None

    def handle(self, running: "Running") -> "OpenHandle":
        """Return the handle by which a master learns what this earlier policy earned; made once for all its days."""
        if self._opened is None or self._opened[0] is not running.state:
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


class Drawn:
    """A policy that is not the player's own, as what a decision holds."""

    is_present = False

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._solver: Solver | None = None

    def policy(self) -> Policy:
        """Return it."""
        return self._policy

    def marginals(self) -> Vector:
        """Return how likely each element was."""
        return self._policy.marginals()

    def dual(self, action: Action, family: Family, span: Span) -> Vector:
        """Return Σ⁺M."""
        if self._solver is None:
            self._solver = Solver(self.policy(), span)
        return self._solver.solve(action)

    def dump(self) -> Arrays:
        """Write it as a list."""
        listed = self.policy().finite()
        return {"rows": np.array(listed.atoms), "weights": np.array(listed.weights)}

    @classmethod
    def load(cls, arrays: Arrays) -> "Drawn":
        """Read what ``dump`` wrote."""
        weights = held_chances(arrays, "weights")
        return cls(FinitePolicy(held_array(arrays, "rows", "int64", (len(weights), None), 0, 1), weights))


class Blend(Drawn):
    """A mixture of what two players hold: with chance ``share`` the policy of the first, otherwise that of the second."""

    def __init__(self, parts: tuple[HeldPolicy, HeldPolicy], share: float) -> None:
        self.parts, self.share = parts, share
        self._solver: Solver | None = None
        self._dual: tuple[Action, Vector] | None = None

    def policy(self) -> Policy:
        """Return it."""
        return self._policy

    @cached_property
    def _policy(self) -> Policy:  # type: ignore[override]
        return mix([part.policy() for part in self.parts], [self.share, 1.0 - self.share])

    def marginals(self) -> Vector:
        """Return how likely each element was."""
        first, second = map(marginals_of, self.parts)
        return self.share * first + (1.0 - self.share) * second

    def dual(self, action: Action, family: Family, span: Span) -> Vector:
        """Return Σ⁺M, by the matrices that the players keep, if they keep them."""
        if self._dual is None or not np.array_equal(self._dual[0], action):
            first, second = (part.moment() if isinstance(part, View) else None for part in self.parts)
            if first is None or second is None:
                return super().dual(action, family, span)
            place, found = family.common.coordinates, np.zeros(len(action))
            found[place] = invert_matrix(self.share * first + (1.0 - self.share) * second)[0] @ action[place]
            self._dual = action, found
        return self._dual[1]

    def dump(self) -> Arrays:
        """Write what it is made of."""
        first, second = (part.dump() for part in self.parts)
        return {"share": np.array(self.share)} | under("first", first) | under("second", second)


class HeldOut(Drawn):
    """A policy of which a share of days is kept for a baseline: (1 − h)·p + h·[baseline]."""

    def __init__(self, inner: HeldPolicy, baseline: Action, share: float) -> None:
        self.inner, self.baseline, self.share = inner, baseline, share
        rest = inner.policy()
        self.spared = float(rest.probability(baseline))  # how likely the baseline is without the hold-out
        super().__init__(Mixture([rest, FinitePolicy(baseline[None, :], [1.0])], [1.0 - share, share]))

    def dump(self) -> Arrays:
        """Write what it is made of."""
        return self.inner.dump() | {"heldout.baseline": self.baseline, "heldout.share": np.array(self.share)}


class Chosen:
    """What a decision holds whose action somebody else chose, and nobody can say how likely it was."""

    is_present = False

    def policy(self) -> Policy:
        """Refuse: it is not known."""
        raise Unsupported(
            "a policy must have drawn the action",
            "an action that somebody else chose, with a policy that nobody knows",
            "Use `action`, or tell the policy of those days.",
        )

    def dump(self) -> Arrays:
        """Write that it is not known."""
        return {"unknown": np.ones(1)}


def learns_by_sums(running: "Running") -> bool:
    """Tell whether a player learns from sums over actions and rewards, whoever chose the actions: posteriors do."""
    is_own = learn_day.has_code_for(type(running.rule))
    return is_own and remember.has_code_for(type(running.state))


def require_learning(state: object, *, is_drawn: bool) -> None:
    """Refuse players that cannot learn from days of others, whose policies are known or not."""
    running: Returned = getattr(state, "inner", state)
    if hasattr(running, "rule") and learns_by_sums(running):
        return
    refuse_others(running)
    if is_drawn:
        return
    is_fitting = remember.has_code_for(type(running.state)) and running.rule.has_fit
    if not is_fitting or running.rule.feedback != BANDIT:
        raise Unsupported(
            "a player must fit totals by least squares to learn from actions whose policy nobody knows",
            f"{type(running.learner).__name__}, with members that do not",
            "Use swap_combcp or swap_comband with bandit feedback, or lin_ts, lin_ucb or epsilon_greedy; or tell the policies.",
        )


def refuse_others(running: object) -> None:
    """Refuse players that do not estimate rewards by the Σ of whatever policy drew a day."""
    rule = getattr(running, "rule", None)
    if rule is None or learn_day.has_code_for(type(rule)):
        raise Unsupported(
            "a player must estimate rewards by Σ⁺ to learn from days that another policy has drawn",
            type(getattr(running, "learner", running)).__name__,
            "Use swap_combcp, swap_comband, or one of sr.baselines.combcp and comband.",
        )


class DrawnDays:
    """By which handle a player learns from such days: one on its state, with the marginals of the policy that drew the day."""

    def __init__(self) -> None:
        self._opened: tuple[State, OpenHandle, Vector] | None = None

    def handle(self, running: "Running", held: Drawn | Chosen, action: Action) -> "tuple[OpenHandle, Vector]":
        """Return the handle, and Σ⁺M; that is 0 where estimates need none.

        Where the policy is not known Σ⁺M is 0 too: the prediction stands in for the estimate, and least squares count the day.
        """
        if isinstance(held, Chosen):
            require_learning(running, is_drawn=False)
            return running.handle(), np.zeros(len(action))
        if self._opened is None or self._opened[0] is not running.state:
            refuse_others(running)
            state, mean = running.state, np.zeros(len(action))
            handle = running.handle_on(np.random.default_rng(0), state._replace(mix=state.mix._replace(mean=mean)))
            self._opened = state, handle, mean
        _, handle, mean = self._opened
        if running.rule.feedback == BANDIT:
            return handle, held.dual(action, running.family, running.learner.actions.span)
        mean[:] = held.marginals()
        return handle, np.zeros(len(action))
