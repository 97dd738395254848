"""What came of a play: rewards and regrets over all replications.

May touch: ``errors``, ``actions.base``, ``regret``.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.errors import InvalidInput
from swapregret.regret.answers import Answers, answer
from swapregret.regret.best_swap import BestSwap, read_swap
from swapregret.regret.decomposition import Decomposition
from swapregret.regret.entries import Ledger
from swapregret.regret.external import external_regret
from swapregret.regret.internal import measure_internal
from swapregret.regret.interval import Intervals, interval_regret
from swapregret.regret.laziness import LazyTotals, laziness_bound
from swapregret.regret.measure import Regret, standard_error
from swapregret.regret.merge import mean_ledger
from swapregret.regret.per_run import swap_regret_per_run
from swapregret.regret.swap import measure_swap, swap_regret
from swapregret.regret.two_sided import TwoSided, two_sided_swap

__all__ = ["MEASURES", "PlayResult", "Run"]

MEASURES = ("ledger", "bound", "none")


@dataclass(frozen=True, eq=False)
class Run:
    """What was recorded of one replication; None where nothing was asked for.

    Attributes
    ----------
    reward : float
        Mean reward a day, as received.
    ledger, realised : Ledger or None
        From the policies and mean rewards; from the actions drawn and the rewards they met.
    lazy : LazyTotals or None
    intervals : tuple of Intervals
    decomposition : Decomposition or None
    """

    reward: float
    ledger: Ledger | None
    lazy: LazyTotals | None
    realised: Ledger | None
    intervals: tuple[Intervals, ...]
    decomposition: Decomposition | None


@dataclass(frozen=True, eq=False)
class PlayResult:
    """Rewards and regrets of a play; regrets are worked out when first asked for, and kept.

    Attributes
    ----------
    actions : ActionSet
    runs : tuple of Run
        One a replication.
    measure : str
        What was asked for: "ledger", "bound" or "none".
    entropy : int
        What seeded the play.
    """

    actions: ActionSet
    runs: tuple[Run, ...]
    measure: str
    entropy: int

    @property
    def reward(self) -> float:
        """Return the mean reward a day, as received."""
        return float(np.mean([run.reward for run in self.runs]))

    @property
    def ledgers(self) -> tuple[Ledger, ...]:
        """Return the ledgers, one a replication."""
        return tuple(ledger for run in self.runs if (ledger := run.ledger) is not None) or self._missing("ledger")

    @cached_property
    def external_regret(self) -> Regret:
        """Against the best fixed action."""
        if self.measure == "bound":
            bracket = self.swap_regret
            words = "external regret: best fixed action in hindsight minus expected reward, from policies"
            return Regret(bracket.lower, bracket.lower, bracket.lower, self._lazy_error(), bracket.n_days, words)
        return external_regret(self.actions, self.ledgers)

    @cached_property
    def swap_regret(self) -> Regret:
        """Against the best rule φ, maximum outside the expectation (the paper's); a bracket with ``measure="bound"``."""
        if self.measure == "bound":
            return laziness_bound(self.actions, self._lazy())
        return measure_swap(self.actions, self.answers, self.ledgers)

    @cached_property
    def internal_regret(self) -> Regret:
        """Against the best single exchange of one action for another."""
        return measure_internal(self.actions, self.answers, self.ledgers)

    @cached_property
    def answers(self) -> Answers:
        """The best answer to every action played, over all replications."""
        return answer(self.actions, mean_ledger(self.ledgers))

    @property
    def swap_regret_per_run(self) -> Regret:
        """The mean over replications of each one's own maximum over φ."""
        return swap_regret_per_run(self.actions, self.ledgers)

    @property
    def two_sided(self) -> TwoSided:
        """Plug-in and sample-split swap regret with a bootstrap interval; needs two replications."""
        return two_sided_swap(self.actions, self.ledgers)

    @property
    def realised_swap_regret(self) -> Regret:
        """Of the actions drawn and the rewards they met: the mean over replications of each one's maximum over φ."""
        ledgers = [run.realised for run in self.runs if run.realised is not None]
        if not ledgers:
            raise self._refusal("realised=True")
        return swap_regret_per_run(self.actions, ledgers) if len(ledgers) > 1 else swap_regret(self.actions, ledgers)

    def best_swap(self, limit: int | None = None) -> BestSwap:
        """Return the best swap function: for each action played, what it should have been."""
        return read_swap(self.actions, self.answers, limit)

    def interval_regret(self, window: int) -> Regret:
        """Return the external regrets of windows of this length, added up; 1 day is dynamic regret."""
        parts = [part for run in self.runs for part in run.intervals if part.window == window]
        if not parts:
            raise self._refusal(f"windows=[{window}]")
        return interval_regret(parts)

    @property
    def decompositions(self) -> tuple[Decomposition, ...]:
        """Return the terms of the decomposition lemma, one a replication."""
        parts = tuple(run.decomposition for run in self.runs if run.decomposition is not None)
        if not parts:
            raise self._refusal("certificate=True")
        return parts

    def _lazy(self) -> list[LazyTotals]:
        return [run.lazy for run in self.runs if run.lazy is not None]

    def _lazy_error(self) -> float:
        runs = self._lazy()
        total = np.mean([run.total for run in runs], axis=0)
        best = self.actions.argmax(total)
        each = [float(run.total @ best) - run.earned for run in runs]
        return standard_error(each)

    def _missing(self, name: str) -> tuple[Ledger, ...]:
        raise self._refusal(f"measure={name!r}")

    def _refusal(self, wanted: str) -> InvalidInput:
        return InvalidInput(
            "what is asked of a result must have been recorded",
            f"a play with measure={self.measure!r}, without it",
            f"Play again with {wanted}.",
        )
