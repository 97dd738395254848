"""Past days as a value: actions, what they paid, what was known, and the policies that drew the actions where they are known."""

import os
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.face import read_missing
from swapregret.arrays import Action, Actions, Label, Matrix, Vector, frozen, real_numbers
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.files.storage import Json
from swapregret.policy import Policy
from swapregret.regret.ledgers.read_plays import read_play, read_plays, read_policies
from swapregret.units import Range, Units, read_units


class Frame(Protocol):
    """A data frame: Polars' or pandas'."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


Source = str | os.PathLike[str] | Frame | Sequence[Sequence[object]]
Choice = npt.ArrayLike | Collection[Label]
"""An action as people give it: a 0/1 vector, or the labels of its elements."""
LISTED = "listed"


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """Past days of somebody's decisions.

    Attributes
    ----------
    actions : ActionSet
    plays : Actions, shape (n, dimension)
        What was chosen, one 0/1 row per day.
    rewards : Vector, shape (n,), or Matrix, shape (n, dimension)
        What it paid in all, or the reward of every element; costs where costs were logged.
    policies : tuple of Policy or None
        The policy that drew each action; None where nobody knows.
    told : str
        How the policies are known: "logged", "uniform" or "constant" where the user declared them, "unknown"; "listed" where each
        day has its policy and reward vector, and what was drawn is not said.
    units : Units
    contexts : tuple or None
        The context of each day, None on days without; None if there was none.
    available : tuple or None
        The labels of the elements that could be chosen, of each day, None where all could; None if all always could.
    notes : tuple of str
        What was left out, in sentences.

    Examples
    --------
    >>> from swapregret import MSets
    >>> log = Log.read([(("a", "b"), 0.5), (("b", "c"), 0.25)], MSets(3, 2, labels="abc"))
    >>> len(log), log.totals.tolist(), log.told
    (2, [0.5, 0.25], 'unknown')
    """

    actions: ActionSet
    plays: Actions
    rewards: Matrix | Vector
    policies: tuple[Policy, ...] | None
    told: str
    units: Units
    contexts: tuple[Hashable, ...] | None = None
    available: tuple[tuple[Label, ...] | None, ...] | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        source: "Source | Log",
        actions: ActionSet,
        *,
        policies: str | Policy | Sequence[Policy] | None = None,
        reward_range: Range | None = None,
        cost_range: Range | None = None,
    ) -> "Log":
        """Read past days from a file, a data frame or a list.

        Parameters
        ----------
        source : path, data frame, sequence of days, or Log
            A day is an action and its total, and the policy that drew the action if it is known.
            A CSV or Parquet file, or a Polars or pandas frame with its columns: ``action``, ``indices`` or ``action:LABEL``, and
            ``reward`` or ``cost``; optionally ``policy``, or ``round`` and ``probability``; ``context``; ``available``.
        actions : ActionSet
        policies : {"uniform", "constant"}, Policy or sequence of Policy, optional
            Who drew the actions, where the log does not say: the uniform policy of the set, a policy that plays the action of
            the day, one policy for all days, or one per day.
        reward_range, cost_range : (float, float), optional
            The least and the largest total. A total outside is refused; without a range rewards may be any finite numbers.
        """
        units = read_units(reward_range, cost_range)
        if isinstance(source, Log):
            found = source._for(actions, units, is_told=(reward_range, cost_range) != (None, None))
        elif isinstance(source, str | os.PathLike) or hasattr(source, "columns"):
            from swapregret.logs.log_file import read_log

            found = read_log(source, actions, units)
        else:
            found = _of_rows(source, actions, units)
        if found.told == LISTED:
            raise InvalidInput(
                "a log of past days must say what was drawn on each",
                "rows that list the policy of a day, with the reward of every element",
                "Give the total instead, in the row that was drawn alone.",
            )
        if reward_range is not None or cost_range is not None:
            units.check(found.totals, "the totals of the log")
        if policies is None:
            return found
        if found.policies is not None:
            raise InvalidInput(
                "the policies of a log must be given once", "a log that has them, and `policies`", "Leave out one."
            )
        if policies == "uniform" and found.available is not None:
            raise InvalidInput(
                "a log whose actions were drawn uniformly must have days on which all elements were available",
                "missing elements in column `available`",
                "Leave these days out, or log the policy of each.",
            )
        drawn = tuple(read_policies(actions, found.plays, policies))
        return replace(found, policies=drawn, told=policies if isinstance(policies, str) else "logged")

    def _for(self, actions: ActionSet, units: Units, *, is_told: bool) -> "Log":
        """Return the log for a set, in units if they were told."""
        if self.actions.dimension != actions.dimension:
            raise InvalidInput(
                "a log must be of the set it is read for", f"{self!r} for {actions!r}", "Use its own set."
            )
        if is_told and units.is_cost != self.units.is_cost:
            raise InvalidInput(
                f"a log of {self.units.word}s must be read as such", f"`{units.word}_range`", "Use the other."
            )
        return replace(self, actions=actions, units=units if is_told else self.units)

    def __len__(self) -> int:
        """Return how many days there are."""
        return len(self.plays)

    @property
    def totals(self) -> Vector:
        """Return what each day paid in all, in the units of the log."""
        return self.rewards if self.rewards.ndim == 1 else (self.rewards * self.plays).sum(axis=1)

    @property
    def options(self) -> Json:
        """Return what else an audit is told: ``sr.audit(log.actions, log.plays, log.rewards, **log.options)``."""
        told: Json = {"policies": self.policies, "contexts": self.contexts, "available": self.available}
        return told | ({f"{self.units.word}_range": self.units.declared} if self.rewards.ndim == 1 else {})

    @cached_property
    def missing(self) -> tuple[tuple[int, ...], ...]:
        """The elements that were not available, of each day."""
        listed = self.available or (None,) * len(self)
        known = {here: () if here is None else read_missing(self.actions, None, here) for here in set(listed)}
        return tuple(known[here] for here in listed)

    def shares(self) -> Vector:
        """Return the totals as learners are told them, in [0, 1], or refuse the first that is outside the declared range."""
        return self.units.shares(self.totals, "the totals of the log")

    def __repr__(self) -> str:
        return f"Log({len(self):,} days, {self.units.word}s, policies {self.told}, {self.actions!r})"


def _of_rows(source: object, actions: ActionSet, units: Units) -> Log:
    """Read a list of days."""
    must = "a log must be a file, a data frame, or a sequence of (action, total) or (action, total, policy)"
    do = 'Write e.g. [(("a", "b"), 0.5), …], one entry per day.'
    if not isinstance(source, Sequence):
        raise InvalidInput(must, shown(source), do)
    if len(source) == 0:
        raise InvalidInput("a log must have at least one day", "none", "Leave the history out if there is none.")
    rows = [row if isinstance(row, tuple | list) else () for row in source]
    wrong = [index for index, row in enumerate(rows) if len(row) not in (2, 3) or len(row) != len(rows[0])]
    if wrong:
        raise InvalidInput(must, f"row {wrong[0] + 1}: {shown(source[wrong[0]])}", do)
    plays = read_plays(actions, [row[0] for row in rows])
    totals = np.empty(len(rows))
    for index, row in enumerate(rows):
        try:
            totals[index] = real_numbers(row[1])
        except (TypeError, ValueError):
            totals[index] = np.nan
        if not np.isfinite(totals[index]):
            raise InvalidInput(
                f"row {index + 1} of the log must have a finite total", shown(row[1]), "Correct or leave out the day."
            )
    if len(rows[0]) == 2:
        return Log(actions, plays, totals, None, "unknown", units)
    return Log(actions, plays, totals, tuple(read_policies(actions, plays, [row[2] for row in rows])), "logged", units)


def read_choice(actions: ActionSet, given: Choice, name: str) -> Action:
    """Read an action, given as labels or as a 0/1 vector.

    Examples
    --------
    >>> from swapregret import MSets
    >>> read_choice(MSets(3, 2, labels="abc"), ("a", "c"), "baseline").tolist()
    [1, 0, 1]
    """
    return frozen(read_play(actions, given, f"`{name}`"))
