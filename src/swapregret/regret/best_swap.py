"""The best swap function itself: for each action played, what it should have been."""

from dataclasses import dataclass, replace

import numpy as np

from swapregret.arrays import Action, Label
from swapregret.notebook import html_table
from swapregret.regret.ledgers.answers import Answers
from swapregret.units import Units

_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Exchange:
    """One line of a swap function.

    Attributes
    ----------
    played, better : Action
        What was chosen, and what should have been whenever it was.
    played_elements, better_elements : tuple
        The same, in the user's labels.
    days : float
        How many days it was chosen, in expectation.
    gain : float
        What the exchange would have added over the run, or saved where costs are counted.
    is_cost : bool
        Whether costs are counted.
    """

    played: Action
    better: Action
    played_elements: tuple[Label, ...]
    better_elements: tuple[Label, ...]
    days: float
    gain: float
    is_cost: bool = False

    @property
    def gain_per_day(self) -> float:
        """Return the gain for each day the action was chosen."""
        return self.gain / self.days if self.days > 0.0 else 0.0

    @property
    def _days(self) -> str:
        """Return the days in words: a policy that is played for whole days chooses each action on a part of them."""
        whole = round(self.days)
        if abs(self.days - whole) < 1e-6:
            return f"{whole:,} day{'s' if whole != 1 else ''}"
        return f"{self.days:,.1f} days in expectation" if self.days >= 0.05 else f"{self.days:.2g} days in expectation"

    def __repr__(self) -> str:
        return f"Exchange({self.played_elements!r} → {self.better_elements!r}, gain {self.gain:.6g})"

    def __str__(self) -> str:
        played, better = in_braces(self.played_elements), in_braces(self.better_elements)
        if self.gain <= 0.0:
            return f"when you chose {played}, nothing would have been better ({self._days})"
        verb, sign = ("saved", "") if self.is_cost else ("earned", "+")
        gain = f"{self.gain_per_day:{sign}.3g} per day ({self._days}, {self.gain:{sign}.6g} in total)"
        return f"when you chose {played}, {better} would have {verb} {gain}"


@dataclass(frozen=True, eq=False)
class BestSwap:
    """The best swap function of a run, an exchange for each action played, largest gain first.

    Attributes
    ----------
    exchanges : tuple of Exchange
    n_played : int
        Actions played, also those not shown.
    remainder : float
        Gain of actions without an entry of their own, if any.
    """

    exchanges: tuple[Exchange, ...]
    n_played: int
    remainder: float

    def __len__(self) -> int:
        return len(self.exchanges)

    def __call__(self, action: Action) -> Action:
        """Return what should have been chosen whenever this action was; itself if it is not in the list."""
        wanted = np.asarray(action)
        for exchange in self.exchanges:
            if np.array_equal(exchange.played, wanted):
                return exchange.better
        return wanted

    def __repr__(self) -> str:
        gain = sum(each.gain for each in self.exchanges)
        return f"BestSwap({len(self)} of {self.n_played} actions played, gain {gain:.6g})"

    def _repr_html_(self) -> str:
        rows = [
            [in_braces(each.played_elements), in_braces(each.better_elements), f"{each.days:,.6g}", f"{each.gain:.6g}"]
            for each in self.exchanges[:_SHOWN]
        ]
        hidden = self.n_played - len(rows)
        note = f"and {hidden:,} actions whose exchange gains less" if hidden else ""
        return html_table("the best swap function", ["when you chose", "better", "days", "gain"], rows, note)

    def in_units(self, units: Units) -> "BestSwap":
        """Return the same exchanges with gains in what people count, of gains on the scale [0, 1]."""
        exchanges = tuple(replace(each, gain=units.scale * each.gain, is_cost=units.is_cost) for each in self.exchanges)
        return BestSwap(exchanges, self.n_played, units.scale * self.remainder)

    def __str__(self) -> str:
        return "\n".join(str(exchange) for exchange in self.exchanges)


def in_braces(elements: tuple[Label, ...]) -> str:
    """Write the labels of an action as a set."""
    return "{" + ", ".join(map(str, elements)) + "}"


def best_swap(answers: Answers, limit: int | None = None) -> BestSwap:
    """Read the best swap function off the answers to a ledger; at most ``limit`` exchanges, those of largest gain.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.regret.ledgers.answers import answer
    >>> from swapregret.regret.ledgers.ledger import SwapLedger
    >>> actions, ledger = MSets(3, 2, labels="abc"), SwapLedger(MSets(3, 2))
    >>> ledger.record_plays([[1, 1, 0]] * 2, [[.5, 0., .25]] * 2)
    >>> print(best_swap(answer(actions, [ledger.close()])))
    when you chose {a, b}, {a, c} would have earned +0.25 per day (2 days, +0.5 in total)
    """
    actions, gains = answers.actions, answers.gains
    order = np.argsort(-gains, kind="stable")[:limit]
    played, better = answers.ledger.actions, answers.better
    days = answers.ledger.rows.days
    exchanges = []
    for row in order:
        new = played[row] if gains[row] <= 0.0 else better[row]
        names = actions.elements(played[row]), actions.elements(new)
        exchanges.append(Exchange(played[row], new, *names, float(days[row]), float(gains[row])))
    ledger, remainder = answers.ledger, 0.0
    if ledger.pooled.n_pools or ledger.policies or ledger.dropped is not None:
        remainder = max(0.0, answers.upper - ledger.earned - float((answers.best - answers.kept).sum()))
    return BestSwap(tuple(exchanges), len(gains), remainder)
