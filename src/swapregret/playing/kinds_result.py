"""What came of a play whose days differ: regrets against rules that may look at what is known before a day.

Such a rule says: in this context, with these elements available, whenever you chose X, choose Y. So every kind of days has a ledger
of its own, on the actions that were possible, and regrets add up over the kinds, exactly.
"""

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from swapregret.actions.face import left_without
from swapregret.arrays import Label
from swapregret.counts import plural
from swapregret.environments.environment import DayKind, DayKinds
from swapregret.errors import InvalidInput
from swapregret.playing.play_result import PlayResult
from swapregret.regret.measure import Regret, SumsOfKinds, student_factor, sum_of_kinds

Name = tuple[Hashable, tuple[Label, ...]]
"""A context, and the labels of the elements that were missing."""


@dataclass(frozen=True, eq=False, repr=False)
class DayKindsResult(SumsOfKinds, PlayResult):
    """Rewards and regrets of a play whose days differ in context, or in what is available.

    Regrets are the sums over the kinds of days; internal regret, of one exchange on days of one kind, is the largest. What else
    can be asked of a play is asked of the days of one kind, in ``parts``.

    Attributes
    ----------
    kinds : tuple of DayKind
        Of the environment.
    """

    kinds: tuple[DayKind, ...] = ()

    @cached_property
    def parts(self) -> dict[Name, PlayResult]:
        """The play of the days of each kind, on the actions that were possible, by context and missing elements."""
        found: dict[Name, PlayResult] = {}
        for number in self.runs[0].parts:
            kind, runs = self.kinds[number], tuple(run.parts[number] for run in self.runs)
            actions = left_without(self.actions, kind.missing)
            name = kind.context, tuple(self.actions.labels[index] for index in kind.missing)
            found[name] = PlayResult(actions, runs, self.measure, self.entropy, self.units)
        return found

    @cached_property
    def internal_regret(self) -> Regret:
        """Against the best single exchange on days of one kind."""
        each = [part.internal_regret for part in self.parts.values()]
        best = max(each, key=lambda regret: regret.value)
        words = f"{best.definition}, on days of one kind of context and of what is available"
        days = sum(regret.n_days for regret in each)
        return replace(best, upper=max(regret.upper for regret in each), n_days=days, definition=words)

    @property
    def swap_regret_per_run(self) -> Regret:
        """The mean over replications of each one's own maximum over φ for each kind of days."""
        return sum_of_kinds([part.swap_regret_per_run for part in self.parts.values()])

    @property
    def realised_swap_regret(self) -> Regret:
        """Of the actions drawn and the rewards they met, against the best rule for each kind of days."""
        return self._sum("realised_swap")

    @property
    def swap_interval(self) -> tuple[float, float]:
        """Return between which ends swap regret lies, of two replications or more: Student's 95 % interval, cut at 0."""
        swap = self.swap_regret
        half = student_factor(len(self.runs)) * swap.standard_error
        return max(0.0, swap.lower - half), swap.upper + half

    @property
    def _is_measured(self) -> bool:
        return all(part._is_measured for part in self.parts.values())

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        title, headings, rows = super()._table()
        return f"{title}, {plural(len(self.parts), 'kind')} of days", headings, rows

    def _recorded(self, kind: str, wanted: str) -> tuple[Any, ...]:
        raise InvalidInput(
            "what is asked must be known of all days together",
            "a play whose days differ in context, or in what is available",
            "Ask it of the days of one kind: result.parts[context, missing], keys as in list(result.parts).",
        )


def by_kind(result: PlayResult, kinds: DayKinds | None) -> PlayResult:
    """Return the result of a play, told the kinds of its days."""
    if kinds is None or not result.runs[0].parts:
        return result
    same: dict[str, Any] = {each.name: getattr(result, each.name) for each in fields(result)}
    return DayKindsResult(**same, kinds=kinds.listed)
