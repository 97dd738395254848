"""What the world shows: which decision it belongs to, and its rewards, checked and mapped to [0, 1] (deviation D15)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Vector, as_integer, real_number, real_numbers
from swapregret.counts import shown
from swapregret.errors import InvalidReward, ProtocolError
from swapregret.learners.player import Decision, Feedback
from swapregret.units import UNIT_REWARDS, Units

_SLACK = 1e-12


def find_open(
    waiting: dict[int, Decision], decision: Decision | None, day: int | None, id: str | int | None, call: str
) -> Decision:
    """Return the decision that a call means, or refuse: the only one that waits, the one given, that of a day or of an id."""
    given = [name for name, value in (("decision", decision), ("day", day), ("id", id)) if value is not None]
    if len(given) > 1:
        came = f"{call}() with `{given[0]}` and `{given[1]}`"
        raise ProtocolError("a decision must be named in one way", came, "Leave out one of the two.")
    if id is not None:
        held = named(waiting, id)
    elif day is not None:
        held = waiting.get(as_integer(day, "day", 0))
    elif decision is None:
        held = next(iter(waiting.values())) if len(waiting) == 1 else None
    else:
        held = waiting.get(decision.day) if isinstance(decision, Decision) else None
        if held is not None and not np.array_equal(held.action, decision.action):
            held = None
    if held is not None:
        return held
    if not given and len(waiting) > 1:
        came = f"{call}() with {len(waiting)} decisions open"
        do = f"Say which one: {call}(..., day={next(iter(waiting))}), or decision=decision."
    else:
        named_by = "" if not given or decision is not None else f"..., {given[0]}={day if id is None else shown(id)}"
        came = f"{call}({named_by}) for a decision that is not open (never made here, or closed already)"
        do = f"Call act() first; close each decision once. Open days: {shown(list(waiting)).strip('[]') or 'none'}."
    raise ProtocolError("a reward must follow the one decision it belongs to", came, do)


def named(waiting: dict[int, Decision], id: str | int | None) -> Decision | None:
    """Return the open decision with an id of its user's, if there is one."""
    return next((each for each in waiting.values() if each.note.id is not None and each.note.id == id), None)


@dataclass(frozen=True)
class RewardReader:
    """Reads rewards of a declared range for one kind of feedback.

    With rewards in [low, high], a total r becomes (r − low)/(high − low). Where elements are seen one by one, each gives up its
    share of ``low``: an element becomes (r_i − low·u_i)/(high − low), where u·M = 1 for every action M; u is 1/m where all
    actions have m elements. A set without such a vector is refused unless low = 0: totals would no longer be sums over elements.
    """

    actions: ActionSet
    feedback: Feedback
    units: Units = UNIT_REWARDS  # what is counted, and the range of totals; a cost c is the reward −c

    def __post_init__(self) -> None:
        if self.units.low != 0.0:
            _ = self._share  # refused where the set has no such vector

    @cached_property
    def _share(self) -> Vector:
        """What each element gives up: low·u."""
        return np.asarray(self.units.low * self.actions.constant_vector())

    def read(self, reward: npt.ArrayLike, action: Action) -> float | Vector:
        """Return the reward of a day on the scale of the learners, or refuse it."""
        if self.feedback == "bandit":
            return self._read_total(reward)
        return self._read_vector(reward, action)

    def _read_total(self, reward: npt.ArrayLike) -> float:
        try:
            value = reward if type(reward) is float else real_number(reward)
        except (TypeError, ValueError, OverflowError):
            raise InvalidReward(
                "`reward` must be one number with bandit feedback",
                shown(reward),
                "Pass the total reward of the action; where none will come, session.skip().",
            ) from None
        low, scale, sign, least, most = self._numbers
        value *= sign
        if not least <= value <= most:
            raise self._outside(value)
        return min(max((value - low) / scale, 0.0), 1.0)

    def _read_vector(self, reward: npt.ArrayLike, action: Action) -> Vector:
        d, chosen = self.actions.dimension, np.flatnonzero(action)
        try:
            values = real_numbers(reward).copy()
        except (TypeError, ValueError, OverflowError):
            values = np.empty(0)
        if self.feedback == "semi-bandit" and values.shape == (len(chosen),) and len(chosen) != d:
            spread = np.zeros(d)
            spread[chosen] = values
            values = spread
        if values.shape != (d,):
            expected = f"{len(chosen)} (one per chosen element, in order) or {d}" if self.feedback != "full" else str(d)
            raise InvalidReward(
                f"`reward` must be a vector of {expected} numbers with {self.feedback} feedback",
                shown(reward),
                "Pass the rewards of the elements.",
            )
        seen = values[chosen] if self.feedback == "semi-bandit" else values
        if not np.isfinite(seen).all():
            raise InvalidReward("`reward` must be finite", "NaN or infinity", "Leave the day out with skip().")
        values = self.units.reward(values)
        reached = [action]
        if self.feedback == "full":  # the whole vector is seen, so no action's total may leave the range
            reached += [self.actions.argmax(values), self.actions.argmax(-values)]
        *_, least, most = self._numbers
        for total in (float(values[each > 0].sum()) for each in reached):
            if not least <= total <= most:
                raise self._outside(total)
        scaled = (values - (self._share if self.units.low else 0.0)) / self.units.scale
        if self.feedback == "semi-bandit":
            scaled = np.where(action > 0, scaled, 0.0)
        return np.asarray(scaled)

    @cached_property
    def _numbers(self) -> tuple[float, float, float, float, float]:
        """The lower end, the length, −1 for costs, and what totals may be, errors of rounding included."""
        units = self.units
        slack = _SLACK * max(abs(units.low), abs(units.high))
        return units.low, units.scale, -1.0 if units.is_cost else 1.0, units.low - slack, units.high + slack

    def _outside(self, total: float) -> InvalidReward:
        units = self.units
        word, (low, high) = units.word, units.declared
        declare = f"Declare the true range: Session(..., {word}_range=(low, high)). " if np.isfinite(total) else ""
        return InvalidReward(
            f"the total {word} of an action must be a finite number in [{low:g}, {high:g}]",
            repr(units.reward(total)),
            f"{declare}Where none will come, session.skip().",
        )
