r"""Auditing totals: regrets of a log that saw only the total reward of what was chosen, with the policies that drew it.

With Σ_t = E[MMᵀ] under the policy of the day, :math:`\widetilde R_t = c + (r - c\cdot M)\,\Sigma_t^+ M` is an unbiased estimate of
the reward vector on every action; c·M = ½ for all of them keeps the noise small. From it:

* **external regret**, in total and window by window, between ends that hold with a stated probability (``regret.deviation``);
* **swap regret**, the paper's. For every rule φ the gain :math:`\sum_t \sum_M p_t(M)\,\widetilde R_t\cdot(\phi(M) - M)` is
  unbiased, so its maximum over φ is above the truth in expectation (Jensen). A rule fitted on one half of the days and judged on
  the other is below it in expectation, where both halves have the same best rule and policies of one half do not depend on draws of
  the other. Both come with a sampling error, from 8 interleaved parts of the days, which moves the ends apart (Student).

A day whose policy does not reach every direction tells nothing, nor do fewer than 8 days: any action may have had any total in
[0, 1] then, and the ends are moved by that much.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from itertools import groupby, pairwise
from operator import add

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Actions, Matrix, Vector, as_integer
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import invert
from swapregret.notebook import html_table
from swapregret.policy import Policy
from swapregret.regret.deviation import Deviation, bracket_best
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.measure import AuditTable, Regret, student_factor
from swapregret.regret.two_sided import two_sided_swap
from swapregret.units import Units

_PARTS = 8


@dataclass(frozen=True, eq=False, repr=False)
class TotalsAudit(AuditTable):
    """Regrets of a log of totals.

    Attributes
    ----------
    external_regret : Regret
        Against the best fixed action: an estimate with its standard error, if the action had been fixed in advance, and ends that
        hold together with probability ``confidence`` or more.
    swap_regret : Regret
        The middle of two ends: ``upper`` is an estimate above the truth in expectation (Jensen), plus its sampling error;
        ``lower`` one below it in expectation (sample splitting), minus its error, and 0 at least, as swap regret is never negative.
    windows : tuple of Regret
        External regret of each window, each with ends that hold with probability ``confidence``; empty if not asked for.
    reward : float
        Mean reward per day; minus the cost where costs were given.
    n_days, n_blind : int
        Days, and those among them that tell nothing.
    confidence : float
    is_cost : bool
        Whether costs were given.
    """

    external_regret: Regret
    swap_regret: Regret
    windows: tuple[Regret, ...]
    reward: float
    n_days: int
    n_blind: int
    confidence: float
    is_cost: bool = False

    _title, _names = "Audit of totals", ("external", "swap")

    def _repr_html_(self) -> str:
        return html_table(*self._table(), note=f"{self.external_regret.definition}. {self.swap_regret.definition}")

    def __str__(self) -> str:
        return "\n".join([repr(self), *map(str, self.regrets)])


def audit_totals(
    actions: ActionSet,
    plays: Actions,
    totals: Vector,
    policies: Sequence[Policy],
    units: Units,
    *,
    window: int | None = None,
    confidence: float = 0.95,
    capacity: int | None = None,
) -> TotalsAudit:
    """Measure the regrets of a log of totals, counted in ``units``, each with its play and the policy that drew it.

    One inverse of Σ per policy, O(dimension²) per day. Options are those of :func:`~swapregret.logs.auditing.audit`.
    """
    n, length = len(plays), len(plays) if window is None else as_integer(window, "window", 1)
    rewards = units.shares(totals, "the totals")
    gathered = Totals(actions, capacity)
    edges = [*range(0, n, length), n]
    sums = [gathered.add(plays[a:b], rewards[a:b], policies[a:b], a) for a, b in pairwise(edges)]
    whole = reduce(add, sums)
    if n < _PARTS:
        whole = replace(whole, n_blind=n)
    external = [gathered.external(part, confidence).in_units(units) for part in (whole, *sums)]
    return TotalsAudit(
        external_regret=external[0],
        swap_regret=gathered.swap(whole, confidence).in_units(units),
        windows=tuple(external[1:]) if window is not None else (),
        reward=units.low + units.scale * whole.earned / n,
        n_days=n,
        n_blind=whole.n_blind,
        confidence=confidence,
        is_cost=units.is_cost,
    )


@dataclass(frozen=True, eq=False)
class _Sums:
    """What some days leave behind: Σ z and Σ z² as forms in X, Σ E z² at most, what was earned, and the days."""

    estimate: Vector
    squares: Matrix
    most: Matrix
    earned: float
    n_days: int
    n_blind: int

    @property
    def spread(self) -> Matrix:
        """Return W of ``regret.deviation``."""
        return self.squares / 3.0 + self.most * (2.0 / 3.0)

    @property
    def n_seen(self) -> int:
        """Return how many days tell something."""
        return self.n_days - self.n_blind

    def __add__(self, other: "_Sums") -> "_Sums":
        names = (field.name for field in fields(self))
        return _Sums(*(getattr(self, name) + getattr(other, name) for name in names))


class Totals:
    """Turns days into sums and into ledgers of estimates, one for each part: days 0, 8, 16, …; 1, 9, 17, …; and so on."""

    def __init__(self, actions: ActionSet, capacity: int | None) -> None:
        self._actions, self._place = actions, actions.span.coordinates
        self._parts = tuple(SwapLedger(actions, capacity=capacity) for _ in range(_PARTS))
        try:
            self.centre, self._bound = 0.5 * actions.constant_vector(), 0.5
        except InvalidInput:
            self.centre, self._bound = np.zeros(actions.dimension), 1.0

    def add(self, plays: Actions, rewards: Vector, policies: Sequence[Policy], first: int) -> _Sums:
        """Add days, the first of which is day ``first``."""
        d, place = self._actions.dimension, self._place
        estimate, squares, most, n_blind = np.zeros(d), np.zeros((d, d)), np.zeros((d, d)), 0
        for _, run in groupby(range(len(policies)), key=lambda day: id(policies[day])):
            stretch = list(run)
            start, end, policy = stretch[0], stretch[-1] + 1, policies[stretch[0]]
            inverse, is_definite = invert(policy, self._actions.span)
            if not is_definite:
                n_blind += end - start
                continue
            played = plays[start:end]
            dual = np.zeros((end - start, d))
            dual[:, place] = played[:, place] @ inverse  # Σ⁺M
            rest = rewards[start:end] - played @ self.centre  # e
            vectors = rest[:, None] * dual
            estimate += vectors.sum(axis=0)
            squares += vectors.T @ vectors
            most[np.ix_(place, place)] += self._bound**2 * (end - start) * inverse
            vectors += self.centre
            for index, part in enumerate(self._parts):
                days = vectors[(index - first - start) % _PARTS :: _PARTS]
                if len(days):
                    part.record(policy, np.ascontiguousarray(days))
        return _Sums(estimate, squares, most, float(rewards.sum()), len(plays), n_blind)

    def external(self, days: _Sums, confidence: float) -> Regret:
        """Return external regret of some days, rewards in [0, 1]."""
        lower, value, upper, error = 0.0, 0.5 * days.n_blind, float(days.n_days), math.nan
        if days.n_seen:
            bound = Deviation.of(self._actions, days.n_days, self._bound, confidence)
            estimate = days.estimate + days.n_seen * self.centre
            least, likely, most = bracket_best(self._actions, estimate, days.spread, bound)
            best = self._actions.argmax(estimate)
            value, error = value + likely, math.sqrt(float(best @ days.squares @ best))
            lower, upper = max(lower, least), min(upper, most + days.n_blind)
        return Regret(
            min(max(value, lower), upper) - days.earned,
            lower - days.earned,
            upper - days.earned,
            error,
            days.n_days,
            words_of("external", confidence, days.n_blind),
        )

    def swap(self, days: _Sums, confidence: float) -> Regret:
        """Return the two ends of swap regret, rewards in [0, 1]."""
        lower, upper = 0.0, float(days.n_days)
        if days.n_seen:
            both = two_sided_swap(
                answer(self._actions, [part.close() for part in self._parts])
            )  # even parts by odd ones
            factor, split, plug_in = student_factor(_PARTS, confidence), both.sample_split, both.plug_in
            lower = max(lower, _PARTS * (split.value - factor * split.standard_error) - days.n_blind)
            upper = min(upper, _PARTS * (plug_in.value + factor * plug_in.standard_error) + days.n_blind)
        lower, upper = min(lower, days.n_days), max(lower, upper)
        words = words_of("swap", confidence, days.n_blind)
        return Regret((lower + upper) / 2.0, lower, upper, math.nan, days.n_days, words)


def words_of(name: str, confidence: float, n_blind: int) -> str:
    """Say what external or swap regret from totals is, and how sure its ends are."""
    blind = f"; {n_blind:,} days of unknown worth are included" if n_blind else ""
    if name == "external":
        return (
            "external regret from totals: best fixed action in hindsight minus what was received, estimated; the truth is between"
            f" the ends with probability {confidence:g} or more{blind}"
        )
    return (
        "swap regret from totals, maximum over φ outside the expectation (the paper's), the middle of two ends; upper end: φ"
        " fitted and judged on all days, above the truth in expectation (Jensen), plus its sampling error; lower end: φ fitted"
        " on every second day and judged on the others, below the truth in expectation where both halves have the same best φ,"
        f" minus its sampling error (both for confidence {confidence:g}){blind}"
    )


def refuse_if_blind(n_days: int, n_blind: int) -> None:
    """Refuse a log of totals of which no day tells anything."""
    if n_days == n_blind:
        raise InvalidInput(
            f"a log of totals must have at least {_PARTS} days of one kind, and policies that reach every direction of the set",
            f"{n_days:,} days, and nothing is known of actions that could not have been drawn",
            "Collect more days, audit a player that explores, or give the reward of every element.",
        )
