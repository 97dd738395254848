"""What came of a play: rewards and regrets over all replications."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import check_confidence
from swapregret.arrays import frozen
from swapregret.errors import InvalidInput
from swapregret.notebook import html_table, text_table
from swapregret.playing.play_curve import Banded, PlayCurve
from swapregret.regret.best_swap import BestSwap, best_swap
from swapregret.regret.decomposition import Decomposition, LadderDecomposition
from swapregret.regret.interval import Intervals, interval_regret
from swapregret.regret.laziness import LazyTotals, laziness_bound
from swapregret.regret.ledgers.answers import Answers, answer
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.linear import AffineRule, best_affine_rule, linear_swap_regret
from swapregret.regret.measure import Regret, regret_rows, standard_error, student_factor
from swapregret.regret.notions import external_regret, internal_regret, swap_regret, swap_regret_per_run
from swapregret.regret.realised import most_apart
from swapregret.regret.two_sided import TwoSided, two_sided_swap
from swapregret.units import UNIT_REWARDS, Units

if TYPE_CHECKING:
    import polars as pl
    from plotly.graph_objects import Figure

MEASURES = ("ledger", "bound", "none")


@dataclass(frozen=True, eq=False)
class Run:
    """What was recorded of one replication; None where nothing was asked for.

    Attributes
    ----------
    reward : float
        Mean reward per day, as received.
    ledger, realised : Ledger or None
        From the policies and mean rewards; from the actions drawn and the rewards they met.
    lazy : LazyTotals or None
    intervals : tuple of Intervals
    decomposition : Decomposition, LadderDecomposition or None
    parts : dict
        Where days are of several kinds: what was recorded of each, by its number, and nothing of all days together.
    """

    reward: float
    ledger: Ledger | None
    lazy: LazyTotals | None
    realised: Ledger | None
    intervals: tuple[Intervals, ...]
    decomposition: Decomposition | LadderDecomposition | None
    parts: "dict[int, Run]" = field(default_factory=dict)

    @property
    def sums(self) -> Ledger | LazyTotals | None:
        """Return what holds Σ R and the expected reward, where one was recorded."""
        return self.ledger if self.ledger is not None else self.lazy

    @property
    def each(self) -> "tuple[Run, ...]":
        """Return what was recorded of each kind of days, or this where they are all of one."""
        return tuple(self.parts.values()) or (self,)


@dataclass(frozen=True, eq=False)
class PlayResult:
    """Rewards and regrets of a play; regrets are worked out when first asked for, and kept.

    Where the environment declares a range of rewards or costs, rewards, costs and regrets are in those units.

    Attributes
    ----------
    actions : ActionSet
    runs : tuple of Run
        One per replication.
    measure : str
        What was asked for: "ledger", "bound" or "none".
    entropy : int
        What seeded the play.
    units : Units
        What the environment counts: rewards or costs, and the range of their totals.
    days : tuple of int
        Checkpoints, the last at the end.
    marks : tuple of tuples of Run
        What was recorded up to each checkpoint, one per replication. Ledgers larger than 16 MiB are kept at the last one alone.
    """

    actions: ActionSet
    runs: tuple[Run, ...]
    measure: str
    entropy: int
    units: Units = UNIT_REWARDS
    days: tuple[int, ...] = ()
    marks: tuple[tuple[Run, ...], ...] = ()

    @property
    def reward(self) -> float:
        """Return the mean reward per day, as received; minus the cost where costs are counted."""
        return self.units.reward(self._amount)

    @property
    def cost(self) -> float:
        """Return the mean cost per day, as paid, where the environment declares costs."""
        if not self.units.is_cost:
            raise InvalidInput(
                "the environment must count costs",
                "one that counts rewards",
                "Ask for `reward`, or declare `cost_range`.",
            )
        return self._amount

    @property
    def _amount(self) -> float:
        """What people count, per day."""
        return self.units.amount(float(np.mean([run.reward for run in self.runs])))

    @property
    def ledgers(self) -> tuple[Ledger, ...]:
        """Return the ledgers, one per replication."""
        return self._recorded("ledger", "measure='ledger'")

    @cached_property
    def external_regret(self) -> Regret:
        """Against the best fixed action."""
        return external_regret(self.actions, self._sums).in_units(self.units)

    @cached_property
    def swap_regret(self) -> Regret:
        """Against the best rule φ, maximum outside the expectation (the paper's); a bracket with ``measure="bound"``."""
        if self.measure == "bound":
            return laziness_bound(self.actions, self._lazy).in_units(self.units)
        return swap_regret(self.answers).in_units(self.units)

    @cached_property
    def internal_regret(self) -> Regret:
        """Against the best single exchange of one action for another."""
        return internal_regret(self.answers).in_units(self.units)

    @cached_property
    def linear_swap_regret(self) -> Regret:
        """Against the best affine map of conv(A) into itself: what an opponent with linear rewards could take, at least."""
        return linear_swap_regret(self.actions, self._sums, self._affine_rule).in_units(self.units)

    def best_affine_rule(self) -> AffineRule:
        """Return the affine map that linear swap regret compares with, element by element."""
        return self._affine_rule.in_units(self.units)

    @cached_property
    def _affine_rule(self) -> AffineRule:
        return best_affine_rule(self.actions, self._sums)

    @cached_property
    def answers(self) -> Answers:
        """The best answer to every action played, over all replications, in rewards on the scale [0, 1]."""
        return answer(self.actions, self.ledgers)

    @property
    def swap_regret_per_run(self) -> Regret:
        """The mean over replications of each one's own maximum over φ."""
        return swap_regret_per_run(self.actions, self.ledgers).in_units(self.units)

    @property
    def two_sided(self) -> TwoSided:
        """Plug-in and sample-split swap regret with a bootstrap interval; needs two replications."""
        return two_sided_swap(self.answers).in_units(self.units)

    @property
    def realised_swap_regret(self) -> Regret:
        """Of the actions drawn and the rewards they met: the mean over replications of each one's maximum over φ."""
        ledgers = self._recorded("realised", "realised=True")
        if len(ledgers) > 1:
            return swap_regret_per_run(self.actions, ledgers).in_units(self.units)
        return swap_regret(answer(self.actions, ledgers)).in_units(self.units)

    def realised_gap(self, confidence: float = 0.95) -> Regret:
        """Return realised swap regret less that of the policies, run by run; the bracket is how far apart they are allowed to be.

        With probability ``confidence`` or more, for all runs at once (Freedman's inequality).
        """
        check_confidence(confidence)
        drawn = self._recorded("realised", "realised=True")
        each = 1.0 - (1.0 - confidence) / len(drawn)
        parts = zip(self.ledgers, drawn, strict=True)
        most = float(np.mean([most_apart(self.actions, policies, plays, each) for policies, plays in parts]))
        realised, planned = self.realised_swap_regret, self.swap_regret_per_run
        words = (
            "swap regret of realised play less that of the policies, mean of the runs' own; the bracket holds it with "
            f"probability {confidence:g} or more (Freedman)"
        )
        most *= self.units.scale
        return Regret(realised.value - planned.value, -most, most, math.nan, planned.n_days, words)

    def best_swap(self, limit: int | None = None) -> BestSwap:
        """Return the best swap function: for each action played, what it should have been."""
        return best_swap(self.answers, limit).in_units(self.units)

    def interval_regret(self, window: int) -> Regret:
        """Return the external regrets of windows of this length, added up; 1 day is dynamic regret."""
        parts = [part for run in self.runs for part in run.intervals if part.window == window]
        if not parts:
            raise self._refusal(f"windows=[{window}]")
        return interval_regret(parts).in_units(self.units)

    @property
    def decompositions(self) -> tuple[Decomposition | LadderDecomposition, ...]:
        """Return the terms of the decomposition lemma, one per replication, in rewards on the scale [0, 1]."""
        return self._recorded("decomposition", "certificate=True")

    # ---- over time -------------------------------------------------------------------------------------------------

    def curve(self) -> PlayCurve:
        """Return reward and regrets at the checkpoints, with bands; see ``checkpoints`` of :func:`~swapregret.play`."""
        if not self.days:
            raise self._refusal("checkpoints=8")
        parts = [
            replace(self, runs=runs, days=(day,), marks=(runs,))
            for day, runs in zip(self.days[:-1], self.marks[:-1], strict=True)
        ]
        parts.append(self)
        bands = np.array([part._bands() for part in parts])
        reward, external, swap = (Banded(*map(frozen, bands[:, kind].T.copy())) for kind in range(3))
        return PlayCurve(
            frozen(np.array(self.days, dtype=np.int64)), reward, external, swap, len(self.runs), self.units
        )

    def to_frame(self) -> "pl.DataFrame":
        """Return the curve as a Polars frame, one row per checkpoint (extra ``experiments``)."""
        return self.curve().to_frame()

    def plot(self) -> "Figure":
        """Return the curve as a Plotly figure (extra ``experiments``); :func:`~swapregret.plot` draws several plays."""
        return self.curve().plot()

    def _bands(self) -> list[tuple[float, float, float]]:
        """Return the reward, external and swap regret, each with its band."""
        n, factor, amount = len(self.runs), student_factor(len(self.runs)), self._amount
        half = factor * self.units.scale * standard_error([run.reward for run in self.runs])
        reward, unknown = (amount, amount - half, amount + half), (math.nan, math.nan, math.nan)
        if not self._is_measured:
            return [reward, unknown, unknown]
        external, swap = self.external_regret, self.swap_regret
        ends, bracket = external.bracket, swap.bracket
        if n > 1:
            half = factor * external.standard_error
            ends = external.value - half, external.value + half
            bracket = bracket if self.measure == "bound" else self.swap_interval
        return [reward, (external.value, *ends), (swap.value, *bracket)]

    @property
    def swap_interval(self) -> tuple[float, float]:
        """Return between which ends swap regret lies, of two replications or more: the bootstrap's 95 % interval."""
        return self.two_sided.interval

    @property
    def _is_measured(self) -> bool:
        """Tell whether regrets can be asked for: not with ``measure="none"``, nor where a ledger was too large to be kept."""
        kept = "ledger" if self.measure == "ledger" else "lazy"
        return self.measure != "none" and all(getattr(run, kept) is not None for run in self.runs)

    # ---- for people ------------------------------------------------------------------------------------------------

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        word = "cost" if self.units.is_cost else "reward"
        runs = f"{len(self.runs)} replication{'s' if len(self.runs) > 1 else ''}"
        rows = [[f"{word} per day", "", f"{self._amount:.6g}", ""]]
        if self._is_measured:
            rows += regret_rows(("external regret", "swap regret"), (self.external_regret, self.swap_regret))
        horizon = f", {self.days[-1]:,} days" if self.days else ""
        return f"PlayResult: {self.actions!r}{horizon}, {runs}", ["", "total", "per day", "between"], rows

    def __repr__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table(), note=self.swap_regret.definition if self._is_measured else "")

    @property
    def _sums(self) -> "tuple[Ledger, ...] | tuple[LazyTotals, ...]":
        return self._lazy if self.measure == "bound" else self.ledgers

    @property
    def _lazy(self) -> tuple[LazyTotals, ...]:
        return self._recorded("lazy", "measure='bound'")

    def _recorded(self, kind: str, wanted: str) -> tuple[Any, ...]:
        """Return what the runs recorded of a kind, or say which option of ``play`` records it."""
        parts = tuple(getattr(run, kind) for run in self.runs if getattr(run, kind) is not None)
        if not parts:
            raise self._refusal(wanted)
        return parts

    def _refusal(self, wanted: str) -> InvalidInput:
        return InvalidInput(
            "what is asked of a result must have been recorded",
            f"a play with measure={self.measure!r}, without it",
            f"Play again with {wanted}.",
        )
