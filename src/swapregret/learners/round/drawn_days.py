"""Days whose action a policy from elsewhere drew: that of a log, or of a day on which some elements were missing."""

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from swapregret.arrays import Action, Vector, frozen
from swapregret.errors import Unsupported
from swapregret.files.held import held_array, held_chances
from swapregret.geometry.solve import Solver
from swapregret.learners.player import Arrays, HeldPolicy
from swapregret.learners.round.day import BANDIT, learn_day, remember
from swapregret.policy import FinitePolicy, Mixture, Policy

if TYPE_CHECKING:
    from swapregret.learners.round.running import Running

_KEPT = 64


class Drawn:
    """A policy that is not the player's own, as what a decision holds."""

    __slots__ = ("_policy", "is_present")

    def __init__(self, policy: Policy) -> None:
        self._policy, self.is_present = policy, False

    def policy(self) -> Policy:
        """Return it."""
        return self._policy

    def marginals(self) -> Vector:
        """Return how likely each element was."""
        return self._policy.marginals()

    def dump(self) -> Arrays:
        """Write it as a list."""
        listed = self._policy.finite()
        return {"rows": np.array(listed.atoms), "weights": np.array(listed.weights)}

    @classmethod
    def load(cls, arrays: Arrays) -> "Drawn":
        """Read what ``dump`` wrote."""
        weights = held_chances(arrays, "weights")
        return cls(FinitePolicy(held_array(arrays, "rows", "int64", (len(weights), None), 0, 1), weights))


class HeldOut(Drawn):
    """A policy of which a share of days is kept for a baseline: (1 − h)·p + h·[baseline]."""

    __slots__ = ("_mixed", "baseline", "inner", "share", "spared")

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


class _Opened(NamedTuple):
    """What it takes to learn from the days of one policy: a handle that has its marginals, and how to solve with its Σ."""

    policy: Policy
    state: Any
    handle: Any
    solver: Solver | None


class DrawnDays:
    """Learns such days; what the last policies need for it is kept."""

    def __init__(self) -> None:
        self._opened: OrderedDict[int, _Opened] = OrderedDict()
        self._nothing: Vector | None = None

    def handle(self, running: "Running", held: Drawn | Chosen, action: Action) -> tuple[Any, Vector]:
        """Return by which handle, and with which Σ⁺M, ``observe_drawn`` learns from a day of somebody else's.

        Where its policy is not known Σ⁺M is 0: the prediction stands in for the estimate, and least squares count the day.
        """
        if isinstance(held, Chosen):
            require_learning(running, is_drawn=False)
            return running.handle(), np.zeros(len(action))
        policy = held.policy()
        found = self._opened.get(id(policy))
        if found is None or found.policy is not policy or found.state is not running.state:
            found = self._open(running, policy)
        if self._nothing is None:
            self._nothing = frozen(np.zeros(len(action)))
        return found.handle, self._nothing.copy() if found.solver is None else found.solver.solve(action)

    def _open(self, running: "Running", policy: Policy) -> _Opened:
        refuse_others(running)
        state, has_dual = running.state, running.rule.feedback == BANDIT
        mix = state.mix._replace(mean=np.array(policy.marginals()))
        handle = running.handle_on(np.random.default_rng(0), state._replace(mix=mix))
        made = _Opened(policy, state, handle, Solver(policy, running.learner.actions.span) if has_dual else None)
        self._opened[id(policy)] = made
        self._opened.move_to_end(id(policy))
        if len(self._opened) > _KEPT:
            self._opened.popitem(last=False)
        return made
