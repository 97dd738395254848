r"""A game: several players, an action set each, payoffs linear in one's own action given those of the others.

Player i who plays :math:`M_i` against :math:`M_{-i}` is paid :math:`v_i(M_{-i})\cdot M_i`. Where all v are sums of products of
single entries of the others' actions (or of single counts, as in congestion games), their mean under independent policies
depends on the policies through their marginals alone, and everything measured of a play is exact.

Learners see payoffs mapped to [0, 1]. The range is derived from bounds on v by two calls of the player's oracle, never guessed.

A game that compiled code can pay has a rule, a named tuple whose class decides which code runs. A profile is then one array:
the actions (or marginals) of all players one after another, player i from ``starts[i]`` on. Payoff vectors of all players are
laid out in the same way.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.arrays import (
    Action,
    Floats,
    Integers,
    Label,
    Matrix,
    Vector,
    as_action,
    as_integer,
    frozen,
    real_numbers,
)
from swapregret.compiled.kernel import kernel
from swapregret.compiled.methods import method
from swapregret.errors import InvalidInput, Unsupported

Numbers = npt.NDArray[Any]


def read_numbers(values: Any) -> Matrix:
    """Read numbers of any shape into an array of the game's own; anything else has no entries, and its shape is refused.

    Examples
    --------
    >>> read_numbers([[1, 2]]).shape, read_numbers("many").shape
    ((1, 2), (0,))
    """
    try:
        return np.array(real_numbers(values))
    except (TypeError, ValueError):
        return np.empty(0)


def spec_of(kind: str, **given: Any) -> dict[str, Any]:
    """Return a description of a game: plain values by name, arrays as lists."""
    plain = {name: each.tolist() if isinstance(each, np.ndarray) else each for name, each in given.items()}
    return {"kind": kind, **plain}


@kernel
def normalise(vectors: Floats, starts: Integers, shifts: Floats, scales: Floats) -> None:
    """Map payoff vectors to rewards in place: (v − shift)/scale."""
    for player in range(scales.size):
        for i in range(starts[player], starts[player + 1]):
            vectors[i] = (vectors[i] - shifts[i]) / scales[player]


class Game(ABC):
    """A game of n players; a subclass gives payoff vectors and bounds on them.

    Parameters
    ----------
    action_sets : sequence of ActionSet
        One per player.
    names : sequence of str, optional
        What the players are called.

    Attributes
    ----------
    has_expectation : bool
        Whether :meth:`expected_payoff_vector` exists, so that gaps of policies can be measured without drawing.
    edges : tuple of (tail, head)
        The network that is played on, if there is one; its edges are the resources that :meth:`loads` counts.
    spec : mapping or None
        A description from which :func:`~swapregret.games.descriptions.make_game` makes the game again; None for games of functions.
    """

    has_expectation: bool = True
    edges: tuple[tuple[Label, Label], ...] = ()
    spec: Mapping[str, Any] | None = None

    @checked
    def __init__(self, action_sets: Sequence[ActionSet], names: Sequence[str] | None = None) -> None:
        self.action_sets = tuple(action_sets)
        if not self.action_sets or not all(isinstance(each, ActionSet) for each in self.action_sets):
            raise InvalidInput(
                "`action_sets` must be a non-empty list of action sets",
                f"{type(action_sets).__name__} of {[type(each).__name__ for each in self.action_sets]}",
                "Give every player a set of its own.",
            )
        count = len(self.action_sets)
        self.names = tuple(f"player {index}" for index in range(count)) if names is None else tuple(map(str, names))
        if len(self.names) != count or len(set(self.names)) != count:
            raise InvalidInput(
                f"`names` must be {count} different names, one per player", repr(self.names), "Name every player once."
            )

    @property
    def n_players(self) -> int:
        """Return n."""
        return len(self.action_sets)

    @cached_property
    def starts(self) -> Integers:
        """Where each player's part of a profile begins, and where the last one ends."""
        return frozen(np.cumsum([0, *(actions.dimension for actions in self.action_sets)], dtype=np.int64))

    # ---- what a game must say --------------------------------------------------------------------------------

    @abstractmethod
    def payoff_vector(self, player: int, actions: Sequence[Action]) -> Vector:
        """Return v: what each element pays the player, given the actions of all (the player's own is not looked at)."""

    @abstractmethod
    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return vectors below and above every payoff vector of the player, entry by entry."""

    def expected_payoff_vector(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Return E[v] when all play independently with these marginals (the player's own are not looked at)."""
        raise Unsupported(
            "the expected payoffs of the game must be known from the marginals of the others",
            f"{type(self).__name__}, which only knows payoffs given actions",
            "Measure from drawn actions, or give the game an expectation.",
        )

    # ---- what a game may show --------------------------------------------------------------------------------

    def loads(self, marginals: Sequence[Any]) -> Vector:
        """Return the (expected) number of users of each resource that players share; none where they share nothing."""
        return np.zeros(0)

    def deployment(self, player: int, marginals: npt.ArrayLike) -> Matrix | None:
        """Return how likely each number of troops is on each field, one row per field; None where there are no fields."""
        return None

    # ---- normalised -------------------------------------------------------------------------------------------

    @cached_property
    def _ranges(self) -> tuple[tuple[float, float], ...]:
        return tuple(self._find_range(player) for player in range(self.n_players))

    def _find_range(self, player: int) -> tuple[float, float]:
        low, high = self.payoff_bounds(player)
        actions = self.action_sets[player]
        return float(low @ actions.argmax(-low)), float(high @ actions.argmax(high))

    @cached_property
    def _ones(self) -> tuple[Vector | None, ...]:
        """Vectors u with u·M = 1 for all actions M, needed by players whose payoffs do not begin at 0."""
        return tuple(
            None if low == 0.0 else actions.constant_vector()
            for actions, (low, _) in zip(self.action_sets, self._ranges, strict=True)
        )

    def payoff_range(self, player: int) -> tuple[float, float]:
        """Return the least and the largest payoff the player can get, as the bounds tell."""
        return self._ranges[self._player(player)]

    def scale(self, player: int) -> float:
        """Return how much payoff one unit of reward is: the length of the range, 1 where payoffs are constant."""
        low, high = self._ranges[self._player(player)]
        return high - low if high > low else 1.0

    def rewards(self, player: int, actions: Sequence[Action]) -> Vector:
        """Return the reward vector on [0, 1]: rewards·M = (payoff − least)/(largest − least) for every own action M."""
        return self._normal(player, self.payoff_vector(player, actions))

    def expected_rewards(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Return the expected reward vector under independent play with these marginals."""
        return self._normal(player, self.expected_payoff_vector(player, marginals))

    def payoff(self, player: int, reward: float) -> float:
        """Return the payoff behind a reward (or behind the mean of some)."""
        return self._ranges[player][0] + reward * self.scale(player)

    def payoffs(self, actions: Sequence[Action]) -> Vector:
        """Return what each player is paid when these actions are played."""
        plays = self.read_profile(actions)
        return np.array([float(self.payoff_vector(i, plays) @ plays[i]) for i in range(self.n_players)])

    def shift(self, player: int) -> Vector:
        """Return what is taken off the player's payoff vectors, so that its least payoff becomes 0."""
        ones, low = self._ones[player], self._ranges[player][0]
        return np.zeros(self.action_sets[player].dimension) if ones is None else low * ones

    def _normal(self, player: int, vector: Vector) -> Vector:
        made, ends = np.array(vector, dtype=np.float64), np.array([0, len(vector)])
        normalise(made, ends, self.shift(player), np.array([self.scale(player)]))
        return made

    # ---- reading ----------------------------------------------------------------------------------------------

    def read_profile(self, actions: Sequence[Any]) -> tuple[Action, ...]:
        """Read one action per player, or say what is wrong."""
        if len(actions) != self.n_players:
            raise InvalidInput(
                f"`actions` must be {self.n_players} actions, one per player", str(len(actions)), "Give one each."
            )
        plays = []
        for name, each, own in zip(self.names, actions, self.action_sets, strict=True):
            action = as_action(each, own.dimension)
            if action not in own:
                raise InvalidInput(f"the action of {name} must be in its set", "another vector", f"It is {own!r}.")
            plays.append(frozen(action.copy()))
        return tuple(plays)

    def _player(self, player: int) -> int:
        return as_integer(player, "player", 0, self.n_players - 1)

    def describe(self, player: int, action: Action) -> str:
        """Say in words what an action of a player is."""
        return readable(self.action_sets[player].elements(action))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_players} players)"


def readable(elements: Sequence[Label]) -> str:
    """Write the elements of an action: edges that follow each other as a route, (place, what) as what, others as a set.

    Examples
    --------
    >>> readable([("s", "a"), ("a", "t")]), readable([(0, 3), (1, 2)]), readable("ab")
    ('s → a → t', '3 | 2', '{a, b}')
    """
    pairs = [each for each in elements if isinstance(each, tuple) and len(each) == 2]
    if pairs and len(pairs) == len(elements):
        if [place for place, _ in pairs] == list(range(len(pairs))):
            return " | ".join(str(what) for _, what in pairs)
        if all(before[1] == after[0] for before, after in pairwise(pairs)):
            return " → ".join(str(stop) for stop in [pairs[0][0], *(head for _, head in pairs)])
    return "{" + ", ".join(map(str, elements)) + "}"


class PayRule(Protocol):
    """A named tuple of arrays, of a class for which :func:`pay` is written."""

    def _asdict(self) -> dict[str, Any]: ...


@method
def pay(rule: PayRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Write the payoff vectors of players ``first`` to ``last`` − 1, given the actions of all."""


@method
def expect(rule: PayRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Write the expected payoff vectors, given the marginals of all, who draw independently."""


@expect.default
def expect_linear(rule: PayRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Put in the marginals: where payoffs are linear in the action of every other player, that is the mean."""
    pay(rule, profile, starts, first, last, vectors)


class RuledGame(Game):
    """A game whose payoffs are a rule; :func:`pay` and :func:`expect` are written for its class."""

    rule: PayRule

    @property
    def is_compiled(self) -> bool:
        """Tell whether the rule is all there is: a subclass may have payoffs of its own."""
        names = ("payoff_vector", "expected_payoff_vector", "rewards", "expected_rewards")
        return all(getattr(type(self), name) is getattr(RuledGame, name) for name in names)

    def payoff_vector(self, player: int, actions: Sequence[Action]) -> Vector:
        """Return v: what each element pays the player, given the actions of all (the player's own is not looked at)."""
        return self._ask(pay, player, np.concatenate(actions).astype(np.int64))

    def expected_payoff_vector(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Return E[v] when all play independently with these marginals (the player's own are not looked at)."""
        return self._ask(expect, player, np.concatenate(marginals).astype(np.float64))

    def _ask(self, code: Callable[..., None], player: int, profile: Numbers) -> Vector:
        vectors, starts = np.empty(len(profile)), self.starts
        code(self.rule, profile, starts, player, player + 1, vectors)
        return vectors[starts[player] : starts[player + 1]]
