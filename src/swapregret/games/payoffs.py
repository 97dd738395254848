r"""Games that compiled code can pay: a rule, a named tuple whose class decides which code runs.

A profile is one array: the actions (or marginals) of all players one after another, player i from ``starts[i]`` on. Payoff vectors
of all players are laid out in the same way.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Floats, Integers, Vector, frozen
from swapregret.compiled.methods import method
from swapregret.games.base import Game

__all__ = ["RuledGame", "expect", "pay"]

Numbers = npt.NDArray[Any]


@method
def pay(rule: Any, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Write the payoff vectors of players ``first`` to ``last`` − 1, given the actions of all."""


@method
def expect(rule: Any, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Write the expected payoff vectors, given the marginals of all, who draw independently."""


@expect.default
def expect_linear(rule: Any, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Put in the marginals: where payoffs are linear in the action of every other player, that is the mean."""
    pay(rule, profile, starts, first, last, vectors)


class RuledGame(Game):
    """A game whose payoffs are a rule; :func:`pay` and :func:`expect` are written for its class.

    Attributes
    ----------
    rule : NamedTuple
    """

    rule: Any

    @property
    def is_compiled(self) -> bool:
        """Tell whether the rule is all there is: a subclass may have payoffs of its own."""
        names = ("payoff_vector", "expected_payoff_vector", "rewards", "expected_rewards")
        return all(getattr(type(self), name) is getattr(RuledGame, name) for name in names)

    @cached_property
    def starts(self) -> Integers:
        """Where each player's part of a profile begins, and where the last one ends."""
        return frozen(np.cumsum([0, *(actions.dimension for actions in self.action_sets)], dtype=np.int64))

    def payoff_vector(self, player: int, actions: Sequence[Action]) -> Vector:
        """Return v: what each element pays the player, given the actions of all (the player's own is not looked at)."""
        return self._ask(pay, player, np.concatenate(actions).astype(np.int64))

    def expected_payoff_vector(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Return E[v] when all play independently with these marginals (the player's own are not looked at)."""
        return self._ask(expect, player, np.concatenate(marginals).astype(np.float64))

    def _ask(self, code: Any, player: int, profile: Numbers) -> Vector:
        vectors, starts = np.empty(len(profile)), self.starts
        code(self.rule, profile, starts, player, player + 1, vectors)
        return vectors[starts[player] : starts[player + 1]]
