"""Auditing a log: all regrets of anyone's play, whoever made it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Actions, Matrix, Vector
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.notebook import html_table, text_table
from swapregret.policy import FinitePolicy
from swapregret.regret.best_swap import BestSwap, read_swap
from swapregret.regret.dynamic import dynamic_regret
from swapregret.regret.external import external_regret
from swapregret.regret.internal import measure_internal
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.entries import Ledger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.reading import read_plays, read_rewards
from swapregret.regret.measure import Regret
from swapregret.regret.swap import measure_swap
from swapregret.units import Range, Units, read_units

__all__ = ["Audit", "audit"]

_SUM = 1e-9


@dataclass(frozen=True, eq=False)
class Audit:
    """All regrets of a log.

    Attributes
    ----------
    external_regret, internal_regret, swap_regret, dynamic_regret : Regret
    best_swap : BestSwap
        For each action played, what it should have been.
    reward : float
        Mean (expected) reward a day; minus the cost where costs were given.
    is_cost : bool
        Whether costs were given.
    n_days : int
    ledger : Ledger
    """

    external_regret: Regret
    internal_regret: Regret
    swap_regret: Regret
    dynamic_regret: Regret
    best_swap: BestSwap
    reward: float
    n_days: int
    ledger: Ledger
    is_cost: bool = False

    @property
    def cost(self) -> float:
        """Return the mean (expected) cost a day."""
        return 0.0 - self.reward

    @property
    def regrets(self) -> tuple[Regret, ...]:
        """Return external, internal, swap and dynamic regret."""
        return self.external_regret, self.internal_regret, self.swap_regret, self.dynamic_regret

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        rows = []
        for name, regret in zip(("external", "internal", "swap", "dynamic"), self.regrets, strict=True):
            between = "exact" if regret.is_exact else f"{regret.lower:.6g} … {regret.upper:.6g}"
            rows.append([name, f"{regret.value:.6g}", f"{regret.per_round:.6g}", between])
        earned = f"a cost of {self.cost:.6g}" if self.is_cost else f"a reward of {self.reward:.6g}"
        return f"Audit: {self.n_days:,} days, {earned} per day", ["regret", "total", "per day", "between"], rows

    def __repr__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table(), note=self.swap_regret.definition)

    def __str__(self) -> str:
        earned = f"a cost of {self.cost:.6g} a day" if self.is_cost else f"{self.reward:.6g} a day"
        lines = [f"{self.n_days:,} days, {earned}", *map(str, self.regrets)]
        return "\n".join([*lines, *(str(exchange) for exchange in self.best_swap.exchanges[:20])])


def audit(
    actions: ActionSet,
    plays: npt.ArrayLike | Sequence[object],
    rewards: npt.ArrayLike,
    *,
    rounds: npt.ArrayLike | None = None,
    probabilities: npt.ArrayLike | None = None,
    capacity: int | None = None,
    reward_range: Range | None = None,
    cost_range: Range | None = None,
) -> Audit:
    """Measure the regrets of a log of plays and reward vectors.

    Parameters
    ----------
    actions : ActionSet
    plays : array_like, shape (n, dimension), or sequence of collections of labels
        One action a row.
    rewards : array_like, shape (n, dimension)
        The reward vector of the day, also of elements that were not chosen.
    rounds : array_like, shape (n,), optional
        The day of each row, if rows of one day list the law it was played with: then ``probabilities`` must add up to 1
        on each day, days must be together, and regrets are those of the policies (the paper's).
    probabilities : array_like, shape (n,), optional
        The probability of the action of the row. Without ``rounds`` it is the chance with which the action was drawn;
        reward vectors being known it changes no regret, but if all are 1 the play was no matter of luck and the
        regrets are those of the policies.
    capacity : int, optional
        Most actions with an entry of their own; see :class:`~swapregret.regret.ledgers.ledger.SwapLedger`.
    reward_range : (float, float), optional
        The least and the largest reward an element can have, if values outside are to be refused.
    cost_range : (float, float), optional
        The same for costs: ``rewards`` then holds the cost of every element, the less the better, and regrets say how much
        less could have been paid.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> rock, paper, scissors = ([int(i == j) for j in range(3)] for i in range(3))
    >>> result = audit(MSets(3, 1), [rock, rock, paper], [[0., 1., 0.], [0., 1., 0.], [.5, 0., 1.]])
    >>> result.external_regret.value, result.internal_regret.value, result.swap_regret.value
    (2.0, 2.0, 3.0)
    >>> audit(MSets(3, 1), [rock, rock], [[9., 5., 6.], [8., 7., 6.]], cost_range=(0, 10)).external_regret.value
    5.0
    """
    rows = read_plays(actions, plays)
    units = read_units(reward_range, cost_range, of_elements=True)
    vectors = read_rewards(rewards, len(rows), actions.dimension)
    if reward_range is not None or cost_range is not None:
        _refuse_outside(vectors, units)
    vectors = units.reward(vectors)
    chances = _chances(probabilities, len(rows))
    ledger = SwapLedger(actions, capacity=capacity)
    if rounds is None:
        earned = (rows * vectors).sum(axis=1)
        if chances is not None and bool((chances == 1.0).all()):
            for row, vector in zip(rows, vectors, strict=True):
                ledger.record(FinitePolicy(row[None, :], [1.0]), vector)
        else:
            ledger.record_plays(rows, vectors)
        daily = vectors
    else:
        daily, earned = _record_rounds(ledger, rows, vectors, rounds, chances)
    closed = ledger.close()
    answers = answer(actions, closed)
    return Audit(
        external_regret=external_regret(actions, [closed]),
        internal_regret=measure_internal(actions, answers, [closed]),
        swap_regret=measure_swap(actions, answers, [closed]),
        dynamic_regret=dynamic_regret(actions, daily, earned),
        best_swap=read_swap(actions, answers).in_units(Units(is_cost=units.is_cost)),
        reward=float(np.mean(earned)),
        n_days=len(daily),
        ledger=closed,
        is_cost=units.is_cost,
    )


def _refuse_outside(values: Matrix, units: Units) -> None:
    low, high = units.declared
    wrong = np.argwhere((values < low) | (values > high))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise InvalidReward(
            f"row {row} of `rewards` must lie in the declared range [{low:g}, {high:g}]",
            f"{values[row, column]!r} in column {column}",
            f"Declare the true `{units.word}_range`, or mend the log.",
        )


def _chances(probabilities: npt.ArrayLike | None, n: int) -> Vector | None:
    if probabilities is None:
        return None
    chances = np.asarray(probabilities, dtype=np.float64)
    if chances.shape != (n,):
        raise InvalidInput(f"`probabilities` must have shape ({n},)", f"shape {chances.shape}", "Pass one a row.")
    wrong = np.flatnonzero(~((chances > 0.0) & (chances <= 1.0)))
    if len(wrong):
        raise InvalidInput(
            f"row {wrong[0]} of `probabilities` must be above 0 and at most 1",
            f"{chances[wrong[0]]!r}",
            "An action that was played had a positive probability.",
        )
    return chances


def _record_rounds(
    ledger: SwapLedger, rows: Actions, vectors: Matrix, rounds: npt.ArrayLike, chances: Vector | None
) -> tuple[Matrix, Vector]:
    """Enter days whose law is listed over several rows; return the reward vectors and expected rewards by day."""
    days = np.asarray(rounds)
    if days.shape != (len(rows),) or chances is None:
        raise InvalidInput(
            f"`rounds` must have shape ({len(rows)},) and come with `probabilities`",
            f"shape {days.shape}" + ("" if chances is not None else " and no probabilities"),
            "Give the day and the probability of every row.",
        )
    starts = np.flatnonzero(np.concatenate([[True], days[1:] != days[:-1]]))
    if len(np.unique(days)) != len(starts):
        raise InvalidInput("rows of one day in `rounds` must be together", "a day that comes back", "Sort the rows.")
    ends = np.append(starts[1:], len(days))
    earned = np.zeros(len(starts))
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if (vectors[start:end] != vectors[start]).any():
            raise InvalidInput(
                f"rows {start} to {end - 1} of `rewards` must be equal, they are of one day",
                f"different vectors on day {days[start]!r}",
                "Repeat the reward vector of the day in each of its rows.",
            )
        if abs(float(chances[start:end].sum()) - 1.0) > _SUM:
            raise InvalidInput(
                f"`probabilities` of rows {start} to {end - 1} must add up to 1",
                f"{float(chances[start:end].sum())!r} on day {days[start]!r}",
                "List every action the day could have drawn.",
            )
        law = FinitePolicy(rows[start:end], chances[start:end])
        ledger.record(law, vectors[start])
        earned[index] = float(law.marginals() @ vectors[start])
    return vectors[starts], earned
