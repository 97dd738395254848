r"""An oblivious environment: means chosen in advance, noise on top.

On day t element i pays ``payment`` with probability :math:`\mathrm{level}_t(i)` and nothing otherwise, independently,
so that the mean rewards are known exactly. The usual payment is 1/m: every action of at most m elements then earns a
total in [0, 1].
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Integers, Matrix, Vector, as_integer
from swapregret.counts import plural
from swapregret.errors import InvalidInput
from swapregret.units import UNIT_REWARDS, Units

Levels = Callable[[int, int], Matrix]
"""``levels(start, stop)``: a row of numbers in [0, 1] for each of the days start..stop−1."""
Draw = Callable[["Environment", int, int], Matrix]
"""``draw(environment, start, stop)``: the reward vectors of those days under the entropy of the environment."""


class DayKind(NamedTuple):
    """What is known about a day before its action is drawn: its context, None for none, and the elements that are missing."""

    context: Hashable = None
    missing: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class DayKinds:
    """Which kind each day of an environment is of: day t is of kind ``listed[rows[t % len(rows)]]``."""

    listed: tuple[DayKind, ...]
    rows: Integers

    def of(self, days: Integers) -> Integers:
        """Return the numbers of the kinds of some days."""
        found: Integers = self.rows[days % len(self.rows)]
        return found


@dataclass(frozen=True)
class Environment:
    """A sequence of reward vectors that is fixed before the play.

    Parameters
    ----------
    name : str
    actions : ActionSet
    horizon : int
        T; days are 0..T−1.
    levels : callable
        ``levels(start, stop)`` gives the probability that each element pays, shape (stop − start, dimension); the
        mean reward of an element is its level times ``payment``.
    entropy : int
        Seeds the noise. Day t of one entropy is always the same, whoever asks and in whatever order.
    payment : float, optional
        What an element pays when it pays; 1 / ``actions.size`` if not given.
    draw : callable, optional
        Another way to draw the rewards: ``draw(environment, start, stop)``. They must have the means above.
    units : Units, optional
        What people count behind totals in [0, 1], where a range of rewards or costs was declared: a play reports its regrets so.
    kinds : DayKinds, optional
        The context of each day and the elements that are missing, where there are any (``environments.known_before``).

    Examples
    --------
    >>> from swapregret import MSets
    >>> always = Environment("first", MSets(3, 2), 10, lambda start, stop: np.tile([1., 0., 0.], (stop - start, 1)), 0)
    >>> always.reward_vector(4)
    array([0.5, 0. , 0. ])
    """

    name: str
    actions: ActionSet
    horizon: int
    levels: Levels
    entropy: int
    payment: float | None = None
    draw: Draw | None = None
    units: Units = UNIT_REWARDS
    kinds: DayKinds | None = None

    def kind(self, day: int) -> DayKind:
        """Return what is known about a day before its action is drawn."""
        start, _ = self._days(day, day + 1)
        return DayKind() if self.kinds is None else self.kinds.listed[int(self.kinds.of(np.array(start)))]

    def means(self, start: int, stop: int) -> Matrix:
        """Return the mean reward vectors of days start..stop−1."""
        start, stop = self._days(start, stop)
        return self.levels(start, stop) * self._payment

    def rewards(self, start: int, stop: int) -> Matrix:
        """Return the reward vectors of days start..stop−1, noise included."""
        start, stop = self._days(start, stop)
        if self.draw is not None:
            return self.draw(self, start, stop)
        chances = self.uniforms(start, stop)
        return np.multiply(chances < self.levels(start, stop), self._payment, out=chances)

    def reward_vector(self, day: int) -> Vector:
        """Return the reward vector of one day."""
        return np.asarray(self.rewards(day, day + 1)[0])

    def with_noise(self, entropy: int) -> "Environment":
        """Return the same means with other noise: one more replication."""
        return replace(self, entropy=as_integer(entropy, "entropy", 0, 2**128))

    def uniforms(self, start: int, stop: int) -> Matrix:
        """Return the uniform numbers behind the noise of days start..stop−1: a generator that jumps to the day."""
        d = self.actions.dimension
        bits = np.random.PCG64(self.entropy)
        bits.advance(start * d)
        return np.random.Generator(bits).random((stop - start, d))

    def __repr__(self) -> str:
        low, high = self.units.declared
        counted = "" if self.units == UNIT_REWARDS else f", {self.units.word}s in [{low:g}, {high:g}]"
        kinds = "" if self.kinds is None else f" of {plural(len(self.kinds.listed), 'kind')}"
        return f"Environment({self.name!r}, {self.actions!r}, {self.horizon:,} days{kinds}{counted})"

    @property
    def _payment(self) -> float:
        return 1.0 / self.actions.size if self.payment is None else self.payment

    def _days(self, start: int, stop: int) -> tuple[int, int]:
        start, stop = as_integer(start, "start", -(2**63)), as_integer(stop, "stop", -(2**63))
        if not 0 <= start < stop <= self.horizon:
            raise InvalidInput(
                f"days must lie in 0..{self.horizon - 1}, the first before the last",
                f"{start}..{stop - 1}",
                "Make an environment with a longer horizon.",
            )
        return start, stop


def noiseless(environment: Environment, start: int, stop: int) -> Matrix:
    """Draw the rewards of an environment without noise: they are the means."""
    return environment.means(start, stop)


def entropy_from(generator: np.random.Generator) -> int:
    """Draw what seeds the noise of an environment."""
    return int(generator.integers(2**63))


def rows_of(table: Matrix, row_of: Callable[[Integers], Integers]) -> Levels:
    """Return the levels that are, on some days, the rows ``row_of(days)`` of a table; one row many times is not copied."""

    def levels(start: int, stop: int) -> Matrix:
        rows = row_of(np.arange(start, stop))
        if np.all(rows == rows[0]):
            return np.broadcast_to(table[rows[0]], (rows.size, table.shape[1]))
        return np.asarray(table[rows])

    return levels


def check_apart(high: float, low: float) -> None:
    """Refuse two levels of which the first is below the second."""
    if high < low:
        raise InvalidInput("`high` must not be below `low`", f"high = {high}, low = {low}", "Exchange the two.")
