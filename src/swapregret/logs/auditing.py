"""Auditing a log: all regrets of anyone's play, whoever made it."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import check_confidence, checked
from swapregret.arrays import Actions, Vector, as_numbers, real_numbers
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.files.storage import Json
from swapregret.notebook import html_table
from swapregret.policy import FinitePolicy, Policy
from swapregret.regret.best_swap import BestSwap, best_swap
from swapregret.regret.interval import interval_regret, windows_of
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.read_plays import (
    no_policies,
    read_chances,
    read_drawn,
    read_listed,
    read_plays,
    read_policies,
    read_rewards,
)
from swapregret.regret.linear import AffineRule, best_affine_rule, linear_swap_regret
from swapregret.regret.measure import AuditTable, Regret
from swapregret.regret.notions import external_regret, internal_regret, swap_regret
from swapregret.regret.totals import TotalsAudit, audit_totals, refuse_if_blind
from swapregret.units import Range, Units, read_units

if TYPE_CHECKING:
    from swapregret.logs.day_kinds import DayKindsAudit


@dataclass(frozen=True, eq=False, repr=False)
class Audit(AuditTable):
    """All regrets of a log.

    Attributes
    ----------
    external_regret, internal_regret, swap_regret, dynamic_regret : Regret
    best_swap : BestSwap
        For each action played, what it should have been.
    reward : float
        Mean (expected) reward per day; minus the cost where costs were given.
    is_cost : bool
        Whether costs were given.
    n_days : int
    ledger : Ledger
    actions : ActionSet
    windows : tuple of Regret
        External regret of each window, if windows were asked for.
    """

    external_regret: Regret
    internal_regret: Regret
    swap_regret: Regret
    dynamic_regret: Regret
    best_swap: BestSwap
    reward: float
    n_days: int
    ledger: Ledger
    actions: ActionSet
    is_cost: bool = False
    windows: tuple[Regret, ...] = ()

    _title, _names = "Audit", ("external", "internal", "swap", "dynamic")

    @cached_property
    def linear_swap_regret(self) -> Regret:
        """Against the best affine map of conv(A) into itself, worked out when first asked for."""
        return linear_swap_regret(self.actions, [self.ledger], self._affine_rule)

    def best_affine_rule(self) -> AffineRule:
        """Return the affine map that linear swap regret compares with, element by element."""
        return self._affine_rule

    @cached_property
    def _affine_rule(self) -> AffineRule:
        return best_affine_rule(self.actions, [self.ledger])

    def _repr_html_(self) -> str:
        return html_table(*self._table(), note=self.swap_regret.definition)

    def __str__(self) -> str:
        earned = f"a cost of {self.cost:.6g} per day" if self.is_cost else f"{self.reward:.6g} per day"
        lines = [f"{self.n_days:,} days, {earned}", *map(str, self.regrets)]
        return "\n".join([*lines, *(str(exchange) for exchange in self.best_swap.exchanges[:20])])


Plays = npt.ArrayLike | Sequence[object]
Available = Iterable[Hashable] | None


class AuditOptions(TypedDict, total=False):
    """What every audit may be told beside its log; see :func:`audit`."""

    probabilities: npt.ArrayLike | None
    window: int | None
    confidence: float
    capacity: int | None
    reward_range: Range | None
    cost_range: Range | None


@overload
def audit(
    actions: ActionSet, plays: Plays, rewards: npt.ArrayLike, *, contexts: Sequence[Hashable], **options: Any
) -> "DayKindsAudit": ...


@overload
def audit(
    actions: ActionSet, plays: Plays, rewards: npt.ArrayLike, *, available: Sequence[Available], **options: Any
) -> "DayKindsAudit": ...


@overload
def audit(
    actions: ActionSet, plays: Plays, rewards: npt.ArrayLike, *, rounds: None = None, **options: Unpack[AuditOptions]
) -> Audit: ...


@overload
def audit(
    actions: ActionSet,
    plays: Plays,
    rewards: npt.ArrayLike,
    *,
    rounds: npt.ArrayLike | None = None,
    policies: str | Policy | Sequence[Policy] | None = None,
    **options: Unpack[AuditOptions],
) -> Audit | TotalsAudit: ...


@checked  # type: ignore[misc]  # the first two signatures take what the others take, by name
def audit(
    actions: ActionSet,
    plays: Plays,
    rewards: npt.ArrayLike,
    *,
    rounds: npt.ArrayLike | None = None,
    probabilities: npt.ArrayLike | None = None,
    policies: str | Policy | Sequence[Policy] | None = None,
    window: int | None = None,
    confidence: float = 0.95,
    capacity: int | None = None,
    reward_range: Range | None = None,
    cost_range: Range | None = None,
    contexts: Sequence[Hashable] | None = None,
    available: Sequence[Available] | None = None,
) -> "Audit | TotalsAudit | DayKindsAudit":
    """Measure the regrets of a log of plays, with the reward vector of each day or with the total of what was chosen.

    Parameters
    ----------
    actions : ActionSet
    plays : array_like, shape (n, dimension), or sequence of collections of labels
        One action per row.
    rewards : array_like, shape (n, dimension) or (n,)
        The reward vector of the day, also of elements that were not chosen. Or only the total reward of what was chosen; then
        the policies are needed, and regrets come between ends: :class:`~swapregret.regret.totals.TotalsAudit`.
    rounds : array_like, shape (n,), optional
        The day of each row, if rows of one day list the policy it was played with: then ``probabilities`` must add up to 1
        on each day, days must be together, and regrets are those of the policies (the paper's). A total stands in the row that
        was drawn, and NaN in the others.
    probabilities : array_like, shape (n,), optional
        The probability of the action of the row. Without ``rounds`` it is the chance with which the action was drawn;
        reward vectors being known it changes no regret, but if all are 1 the play was no matter of luck and the
        regrets are those of the policies.
    policies : {"uniform", "constant"}, Policy or sequence of Policy, optional
        The policy that drew the action of each row, or one for all rows, instead of ``rounds`` and ``probabilities``. Or who drew
        them, declared by you: the uniform policy on what was available, or policies that left nothing to luck.
    window : int, optional
        Days per window, if external regret is wanted window by window too; the last one may be shorter.
    confidence : float
        With which probability the ends of external regret hold, where only totals were seen.
    capacity : int, optional
        Most reward vectors to keep; see :class:`~swapregret.regret.ledgers.ledger.SwapLedger`.
    reward_range : (float, float), optional
        The least and the largest reward an element can have, if values outside are to be refused. Where only totals were seen, the
        least and the largest total; [0, 1] if nothing is given.
    cost_range : (float, float), optional
        The same for costs: ``rewards`` then holds the cost of every element, or the total cost, the less the better, and regrets
        say how much less could have been paid.
    contexts : sequence of hashable, optional
        What was known about each day before the decision. Regrets are then against rules that may look at it.
    available : sequence of collections of labels or indices, optional
        The elements that could be chosen on each day, None for all. Regrets are then against rules that may look at it, and that
        play what was possible: :class:`~swapregret.logs.day_kinds.DayKindsAudit`.

    Examples
    --------
    >>> from swapregret import MSets
    >>> rock, paper, scissors = ([int(i == j) for j in range(3)] for i in range(3))
    >>> result = audit(MSets(3, 1), [rock, rock, paper], [[0., 1., 0.], [0., 1., 0.], [.5, 0., 1.]])
    >>> result.external_regret.value, result.internal_regret.value, result.swap_regret.value
    (2.0, 2.0, 3.0)
    >>> audit(MSets(3, 1), [rock, rock], [[9., 5., 6.], [8., 7., 6.]], cost_range=(0, 10)).external_regret.value
    5.0
    >>> coin = MSets(2, 1, labels="ab")
    >>> totals = audit(coin, [("a",), ("b",)] * 50, [1.0, 0.0] * 50, policies=coin.uniform_policy())
    >>> round(totals.external_regret.value, 9), totals.external_regret.lower > 0
    (50.0, True)
    """
    check_confidence(confidence)
    told: Json = {"rounds": rounds, "probabilities": probabilities, "policies": policies, "window": window}
    told |= {"confidence": confidence, "capacity": capacity, "reward_range": reward_range, "cost_range": cost_range}
    if contexts is not None or available is not None:
        from swapregret.logs.day_kinds import audit_day_kinds

        return audit_day_kinds(actions, plays, rewards, contexts, available, told)
    found = audit_alike(actions, plays, rewards, told)
    if isinstance(found, TotalsAudit):
        refuse_if_blind(found.n_days, found.n_blind)
    return found


def audit_alike(actions: ActionSet, plays: Plays, rewards: npt.ArrayLike, told: Json) -> Audit | TotalsAudit:
    """Measure the regrets of days that are alike, see ``audit``; also where totals tell nothing."""
    rows, rounds, policies, window = read_plays(actions, plays), told["rounds"], told["policies"], told["window"]
    is_total = _is_vector(rewards)
    units = read_units(told["reward_range"], told["cost_range"], of_elements=not is_total)
    chances = read_chances(told["probabilities"], len(rows))
    if policies is not None and rounds is not None:
        raise InvalidInput(
            "the policies of a log must be given in one way", "`policies` and `rounds`", "Leave out one of the two."
        )
    if is_total:
        played, totals, drawn = _drawn(actions, rows, rewards, rounds, chances, policies)
        options = {"window": window, "capacity": told["capacity"]}
        return audit_totals(actions, played, totals, drawn, units, confidence=told["confidence"], **options)
    vectors = read_rewards(rewards, len(rows), actions.dimension)
    if told["reward_range"] is not None or told["cost_range"] is not None:
        units.check(vectors, "`rewards`")
    vectors = units.reward(vectors)
    daily, daily_policies = vectors, None
    if rounds is not None:
        days, daily_policies = read_listed(rows, vectors, rounds, chances)
        daily = vectors[days]
    elif policies is not None:
        daily_policies = read_policies(actions, rows, policies)
    elif chances is not None and bool((chances == 1.0).all()):
        daily_policies = [FinitePolicy(row[None, :], [1.0]) for row in rows]
    ledger = SwapLedger(actions, capacity=told["capacity"])
    if daily_policies is None:
        earned = (rows * vectors).sum(axis=1)
        ledger.record_plays(rows, vectors)
    else:
        earned = np.array(
            [float(policy.marginals() @ vector) for policy, vector in zip(daily_policies, daily, strict=True)]
        )
        for policy, vector in zip(daily_policies, daily, strict=True):
            ledger.record(policy, vector)
    closed = ledger.close()
    answers = answer(actions, [closed])
    return Audit(
        external_regret=external_regret(actions, [closed]),
        internal_regret=internal_regret(answers),
        swap_regret=swap_regret(answers),
        dynamic_regret=interval_regret([windows_of(actions, daily, earned, 1)]),
        best_swap=best_swap(answers).in_units(Units(is_cost=units.is_cost)),
        reward=float(np.mean(earned)),
        n_days=len(daily),
        ledger=closed,
        actions=actions,
        is_cost=units.is_cost,
        windows=() if window is None else windows_of(actions, daily, earned, window).each,
    )


def _is_vector(rewards: npt.ArrayLike) -> bool:
    """Tell whether there is one number per row."""
    try:
        return real_numbers(rewards).ndim == 1
    except (TypeError, ValueError):
        return False  # refused where they are read


def _drawn(
    actions: ActionSet,
    rows: Actions,
    rewards: npt.ArrayLike,
    rounds: npt.ArrayLike | None,
    chances: Vector | None,
    policies: str | Policy | Sequence[Policy] | None,
) -> tuple[Actions, Vector, Sequence[Policy]]:
    """Return the action, the total and the policy of each day."""
    totals = as_numbers(rewards, "rewards")
    if totals.shape != (len(rows),):
        raise InvalidReward(
            f"`rewards` must have shape ({len(rows)},) or ({len(rows)}, {actions.dimension})",
            f"shape {totals.shape}",
            "Pass the total, or the reward vector, of every row.",
        )
    if policies is not None:
        return rows, totals, read_policies(actions, rows, policies)
    if rounds is None:
        alone = "" if chances is None else ", and the probability of what was drawn alone"
        raise no_policies(f"{len(rows):,} totals and no policies{alone}")
    days, drawn = read_drawn(rows, totals, rounds, chances)
    return rows[days], totals[days], drawn
