"""Past days as a value: actions, totals, and the policies that drew the actions where they are known."""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Actions, Label, Vector, frozen, real_numbers
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.logs.log_file import Frame, LoggedPlay, read_log
from swapregret.policy import Policy
from swapregret.regret.ledgers.read_plays import read_drawn, read_play, read_plays, read_policies
from swapregret.units import Range, Units, read_units

Source = str | os.PathLike[str] | Frame | Sequence[Sequence[object]]
Choice = npt.ArrayLike | Collection[Label]
"""An action as people give it: a 0/1 vector, or the labels of its elements."""


@dataclass(frozen=True, eq=False)
class Log:
    """Past days of somebody's decisions.

    Attributes
    ----------
    actions : ActionSet
    plays : Actions, shape (n, dimension)
        What was chosen, one 0/1 row per day.
    totals : Vector, shape (n,)
        What it paid in all, in the units of the log.
    policies : tuple of Policy or None
        The policy that drew each action; None where nobody knows.
    told : str
        How the policies are known: "logged", "uniform" or "constant" where the user declared them, "unknown".
    units : Units

    Examples
    --------
    >>> from swapregret import MSets
    >>> log = Log.read([(("a", "b"), 0.5), (("b", "c"), 0.25)], MSets(3, 2, labels="abc"))
    >>> len(log), log.totals.tolist(), log.told
    (2, [0.5, 0.25], 'unknown')
    """

    actions: ActionSet
    plays: Actions
    totals: Vector
    policies: tuple[Policy, ...] | None
    told: str
    units: Units

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
            ``reward`` or ``cost``; optionally ``policy``, or ``round`` and ``probability``.
        actions : ActionSet
        policies : {"uniform", "constant"}, Policy or sequence of Policy, optional
            Who drew the actions, where the log does not say: the uniform policy of the set, a policy that plays the action of
            the day, one policy for all days, or one per day.
        reward_range, cost_range : (float, float), optional
            The least and the largest total. A total outside is refused; without a range rewards may be any finite numbers.
        """
        units = read_units(reward_range, cost_range)
        told: Sequence[Policy] | None
        is_short = False
        if isinstance(source, Log):
            if source.actions.dimension != actions.dimension:
                raise InvalidInput(
                    "a log must be of the set it is read for", f"{source!r} for {actions!r}", "Use its own set."
                )
            plays, totals, told = source.plays, source.totals, source.policies
            if (reward_range, cost_range) == (None, None):
                units = source.units
            elif units.is_cost != source.units.is_cost:
                raise InvalidInput(
                    f"a log of {source.units.word}s must be read as such", f"`{units.word}_range`", "Use the other."
                )
        elif isinstance(source, str | os.PathLike) or hasattr(source, "columns"):
            logged = read_log(source, actions, is_cost=units.is_cost, needs_policies=False)
            plays, totals, told = _of_table(logged, actions)
            is_short = any(each is not None for each in logged.available or ())
        else:
            plays, totals, told = _of_rows(source, actions)
        if reward_range is not None or cost_range is not None:
            units.check(totals, "the totals of the log")
        if policies is None:
            how = "unknown" if told is None else source.told if isinstance(source, Log) else "logged"
            return cls(actions, plays, totals, None if told is None else tuple(told), how, units)
        if told is not None:
            raise InvalidInput(
                "the policies of a log must be given once", "a log that has them, and `policies`", "Leave out one."
            )
        if policies == "uniform" and is_short:
            raise InvalidInput(
                "a log whose actions were drawn uniformly must have days on which all elements were available",
                "missing elements in column `available`",
                "Leave these days out, or log the policy of each.",
            )
        drawn = tuple(read_policies(actions, plays, policies))
        return cls(actions, plays, totals, drawn, policies if isinstance(policies, str) else "logged", units)

    def __len__(self) -> int:
        """Return how many days there are."""
        return len(self.totals)

    @property
    def rewards(self) -> Vector:
        """Return the totals as rewards: minus the costs where costs were logged."""
        return self.units.reward(self.totals)

    def shares(self) -> Vector:
        """Return the totals as learners are told them, in [0, 1], or refuse the first that is outside the declared range."""
        return self.units.shares(self.totals, "the totals of the log")

    def __repr__(self) -> str:
        return f"Log({len(self):,} days, {self.units.word}s, policies {self.told}, {self.actions!r})"


def _of_table(logged: LoggedPlay, actions: ActionSet) -> tuple[Actions, Vector, Sequence[Policy] | None]:
    """Return plays, totals and policies of a table; where it has reward vectors, what the actions earned of them."""
    totals = logged.rewards if logged.rewards.ndim == 1 else (logged.rewards * logged.plays).sum(axis=1)
    if logged.policies is not None or logged.rounds is None or logged.probabilities is None:
        return logged.plays, totals, logged.policies
    return read_drawn(logged.plays, totals, logged.rounds, logged.probabilities)


def _of_rows(source: object, actions: ActionSet) -> tuple[Actions, Vector, Sequence[Policy] | None]:
    """Return plays, totals and policies of a list of days."""
    must = "a log must be a file, a data frame, or a sequence of (action, total) or (action, total, policy)"
    do = 'Write e.g. [(("a", "b"), 0.5), …], one entry per day.'
    if not isinstance(source, Sequence):
        raise InvalidInput(must, shown(source), do)
    if len(source) == 0:
        raise InvalidInput("a log must have at least one day", "none", "Leave the history out if there is none.")
    rows = [row if isinstance(row, tuple | list) else () for row in source]
    wrong = [index for index, row in enumerate(rows) if len(row) not in (2, 3) or len(row) != len(rows[0])]
    if wrong:
        raise InvalidInput(must, f"row {wrong[0]}: {shown(source[wrong[0]])}", do)
    plays = read_plays(actions, [row[0] for row in rows])
    totals = np.empty(len(rows))
    for index, row in enumerate(rows):
        try:
            totals[index] = real_numbers(row[1])
        except (TypeError, ValueError):
            totals[index] = np.nan
        if not np.isfinite(totals[index]):
            raise InvalidInput(
                f"row {index} of the log must have a finite total", shown(row[1]), "Correct or leave out the day."
            )
    return plays, totals, read_policies(actions, plays, [row[2] for row in rows]) if len(rows[0]) == 3 else None


def read_choice(actions: ActionSet, given: Choice, name: str) -> Action:
    """Read an action, given as labels or as a 0/1 vector.

    Examples
    --------
    >>> from swapregret import MSets
    >>> read_choice(MSets(3, 2, labels="abc"), ("a", "c"), "baseline").tolist()
    [1, 0, 1]
    """
    return frozen(read_play(actions, given, f"`{name}`"))
