"""Days whose action a policy from elsewhere drew: that of a log, or of a day on which some elements were missing."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from swapregret.arrays import Action, Vector, under
from swapregret.errors import Unsupported
from swapregret.files.held import held_array, held_chances
from swapregret.geometry.solve import Solver, invert_matrix
from swapregret.geometry.span import Span
from swapregret.learners.player import Arrays, HeldPolicy, marginals_of
from swapregret.learners.round.day import BANDIT, learn_day, remember
from swapregret.learners.round.held_view import View
from swapregret.policy import FinitePolicy, Mixture, Policy, mix

if TYPE_CHECKING:
    from swapregret.learners.round.running import Running


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

    def dual(self, action: Action, family: Any, span: Span) -> Vector:
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

    def dual(self, action: Action, family: Any, span: Span) -> Vector:
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


def require_learning(state: Any, *, is_drawn: bool) -> None:
    """Refuse players that cannot learn from days of others, whose policies are known or not."""
    running = getattr(state, "inner", state)
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
        self._opened: tuple[Any, Any, Vector] = (None, None, np.zeros(0))

    def handle(self, running: "Running", held: Drawn | Chosen, action: Action) -> tuple[Any, Vector]:
        """Return the handle, and Σ⁺M; that is 0 where estimates need none.

        Where the policy is not known Σ⁺M is 0 too: the prediction stands in for the estimate, and least squares count the day.
        """
        if isinstance(held, Chosen):
            require_learning(running, is_drawn=False)
            return running.handle(), np.zeros(len(action))
        state, handle, mean = self._opened
        if state is not running.state:
            refuse_others(running)
            state, mean = running.state, np.zeros(len(action))
            handle = running.handle_on(np.random.default_rng(0), state._replace(mix=state.mix._replace(mean=mean)))
            self._opened = state, handle, mean
        if running.rule.feedback == BANDIT:
            return handle, held.dual(action, running.family, running.learner.actions.span)
        mean[:] = held.marginals()
        return handle, np.zeros(len(action))
