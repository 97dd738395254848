r"""The best correlated equilibrium of a game, with a proof of how good it is, and a mediator who plays it.

Welfare, the least payoff or any function of payoffs is linear, and columns are generated (``games.generated_program``). The largest
entropy :math:`-\sum_a \sigma(a) \log \sigma(a)` is found on the dual, which has no constraint but :math:`y \ge 0`:

.. math:: \min_{y \ge 0}\ \log \sum_a \exp \sum_i \sum_b y_i(a_i, b) \big(u_i(a) - u_i(b, a_{-i})\big) .

Every y is a bound; the policy has the terms of the sum as odds.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from swapregret.arguments import checked
from swapregret.arrays import Floats, Vector, frozen, real_numbers
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput, NotConverged, TooLarge
from swapregret.games.correlated_play import CorrelatedPlay
from swapregret.games.generated_program import GeneratedProgram, by_own, from_own, gains_of, swap_gap
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.kinds.normal_form import normal_form
from swapregret.games.payoffs import Game
from swapregret.games.programs import minimax
from swapregret.policy import FinitePolicy

OBJECTIVES = ("welfare", "min", "entropy")
Objective = str | Callable[[Floats], Any]
MOST_PROFILES = 4_000_000
_DAYS, _FAIR, _SHOWN = 2**40, 1e-5, 5
"""Into how many days a mediator's chances are divided; the gap above which nothing was found; what is printed."""


@dataclass(frozen=True)
class Reason:
    """Why a player who is told an action does as told: what that pays, and what the best other action would pay."""

    told: str
    chance: float
    payoff: float
    other: str
    other_payoff: float

    def __str__(self) -> str:
        return (
            f"told {self.told} (probability {self.chance:.4g}): {self.payoff:.6g}, at best {self.other_payoff:.6g} "
            f"by {self.other}"
        )


@dataclass(frozen=True, eq=False)
class BestEquilibrium:
    """The best correlated equilibrium that was found, and how good it is.

    Attributes
    ----------
    game : Game
    objective : str
        What was maximised.
    policy : Floats
        The probability of every joint action, one axis per player, in the order of ``enumerate``.
    payoffs : Vector
    value : float
        What the objective is.
    bound : float
        No correlated equilibrium has a larger value.
    epsilon : float
        The largest swap gap of a player, in payoffs: 0 up to rounding.
    n_columns : int
        How many joint actions were looked at by the program.
    """

    game: Game
    objective: str
    policy: Floats
    payoffs: Vector
    value: float
    bound: float
    epsilon: float
    n_columns: int
    tables: Floats

    @property
    def welfare(self) -> float:
        """Return the sum of payoffs."""
        return float(self.payoffs.sum())

    @property
    def gap(self) -> float:
        """Return how far the value can be from the best; below 0 if the value is larger by what players gain up to rounding."""
        return self.bound - self.value

    @cached_property
    def play(self) -> CorrelatedPlay:
        """The mediator, to sample, certify, save and ask: it draws what all but one player are told, then tells that one."""
        lists = [actions.enumerate() for actions in self.game.action_sets]
        last = max(range(len(lists)), key=lambda player: len(lists[player]))
        chances = by_own(last, self.policy)
        days = np.rint(chances.sum(axis=0) * _DAYS).astype(np.int64)
        shape = [len(own) for player, own in enumerate(lists) if player != last]
        windows = []
        for line in np.flatnonzero(days).tolist():
            told = [int(each) for each in np.unravel_index(line, shape)] if shape else []
            told.insert(last, 0)
            row = [FinitePolicy(own[[place]], [1.0]) for own, place in zip(lists, told, strict=True)]
            own = chances[:, line]
            row[last] = FinitePolicy(lists[last][own > 0.0], own[own > 0.0] / own.sum())
            windows.append(tuple(row))
        return CorrelatedPlay(self.game, tuple(days[days > 0].tolist()), tuple(windows))

    def reasons(self, player: int) -> list[Reason]:
        """Say for every action the player may be told, the likeliest first, why it is followed."""
        chances = by_own(player, self.policy).sum(axis=1)
        told = [each for each in np.argsort(-chances, kind="stable").tolist() if chances[each] > 1.0 / _DAYS]
        pays, rows = by_own(player, self.tables[player]), self.game.action_sets[player].enumerate()
        means = by_own(player, self.policy)[told] @ pays.T / chances[told][:, None]
        found = []
        for place, line in zip(told, means, strict=True):
            other = line.copy()
            other[place] = -np.inf
            best = int(other.argmax()) if other.size > 1 else place
            words = [self.game.describe(player, rows[each]) for each in (place, best)]
            found.append(Reason(words[0], float(chances[place]), float(line[place]), words[1], float(line[best])))
        return found

    def __repr__(self) -> str:
        return f"BestEquilibrium({self.objective} {self.value:.6g}, gap {self.gap:.2g}, epsilon {self.epsilon:.2g})"

    def __str__(self) -> str:
        lines = [f"{self.objective} {self.value:.6g}: no correlated equilibrium has more than {self.bound:.6g}"]
        for player, name in enumerate(self.game.names):
            reasons = self.reasons(player)
            lines.append(f"  {name} gets {self.payoffs[player]:.6g}")
            lines += [f"    {each}" for each in reasons[:_SHOWN]]
            lines += [f"    and {len(reasons) - _SHOWN} more"] if len(reasons) > _SHOWN else []
        return "\n".join(lines)


@checked
def best_correlated_equilibrium(
    game: Game, objective: Objective = "welfare", *, tolerance: float = 1e-9, seconds: float = 60.0
) -> BestEquilibrium:
    """Return a correlated equilibrium of largest value, with a bound that no other exceeds.

    Parameters
    ----------
    game : Game
        With at most 4,000,000 joint actions.
    objective : {"welfare", "min", "entropy"} or callable
        The sum of payoffs, the least of the players' expected payoffs, the entropy of the joint policy, or the mean of a function.
        The function is called once, with an array whose first axis are the players and the others their actions, and returns
        a number for every joint action: ``lambda u: u[0] - u[1]``.
    tolerance : float
        The gap at which to stop, as a part of the range of what is maximised.
    seconds : float
        The time at which to stop. What was found by then is returned if it is an equilibrium; its gap is what is missing.

    Raises
    ------
    NotConverged
        If in that time no equilibrium was found.

    Examples
    --------
    >>> from swapregret.games import chicken
    >>> best = best_correlated_equilibrium(chicken())
    >>> print(best)
    welfare 10.5: no correlated equilibrium has more than 10.5
      player 0 gets 5.25
        told yield (probability 0.75): 4.66667, at best 4.66667 by dare
        told dare (probability 0.25): 7, at best 6 by yield
      player 1 gets 5.25
        told yield (probability 0.75): 4.66667, at best 4.66667 by dare
        told dare (probability 0.25): 7, at best 6 by yield
    >>> best_correlated_equilibrium(chicken(), "entropy").policy.round(3).tolist()
    [[0.148, 0.297], [0.297, 0.258]]
    """
    if not callable(objective):
        check_name(objective, OBJECTIVES, "objective", "be a function of payoffs, or one of")
    if not (0.0 < seconds < math.inf and 0.0 < tolerance < 1.0):
        raise InvalidInput(
            "`seconds` must be above 0 and `tolerance` between 0 and 1",
            f"{seconds!r} and {tolerance!r}",
            "Leave them out for a minute and 1e-9.",
        )
    count = math.prod(actions.n_actions or MOST_PROFILES + 1 for actions in game.action_sets)
    if count > MOST_PROFILES:
        raise TooLarge(
            f"a game must have at most {MOST_PROFILES:,} joint actions for its best equilibrium",
            f"{count:,}",
            "Let learners play: games.self_play and its certificate need no list.",
        )
    until = time.monotonic() + seconds
    tables = (game if isinstance(game, MatrixGame) else normal_form(game, limit=MOST_PROFILES)).tables
    widths = np.array([float(np.ptp(table)) or 1.0 for table in tables])
    scaled = tables / widths.reshape(-1, *[1] * (tables.ndim - 1))  # players' payoffs may be of different sizes
    name = objective if isinstance(objective, str) else getattr(objective, "__name__", "objective")
    if objective == "entropy":
        policy, bound = _most_even(scaled, until)
        value, n_columns = float(scipy.special.entr(policy).sum()), policy.size
    else:
        goals = _goals(tables, objective)
        low, size = float(goals.min()), float(np.ptp(goals)) or 1.0
        program = GeneratedProgram(scaled, (goals - low) / size, _start(tables, goals))
        program.solve(tolerance, until)
        policy, n_columns = program.policy, program.n_columns
        value, bound = low + size * program.value, low + size * program.bound
    gaps = [swap_gap(tables, policy, player) for player in range(len(tables))]
    if not (gaps <= _FAIR * widths).all():
        raise NotConverged(
            f"a correlated equilibrium must be found within {seconds:g} seconds",
            f"a policy by which players lose {', '.join(f'{each:.3g}' for each in gaps)} in payoffs",
            "Give more `seconds`, or let learners play: games.self_play.",
        )
    payoffs = np.array([float((table * policy).sum()) for table in tables])
    return BestEquilibrium(game, name, frozen(policy), frozen(payoffs), value, bound, max(gaps), n_columns, tables)


def _goals(tables: Floats, objective: Objective) -> Floats:
    """Return what is maximised of every joint action: one table, or several of which the least counts."""
    if objective == "welfare":
        return np.asarray(tables.sum(axis=0)[None])
    if objective == "min":
        return tables
    assert callable(objective)
    made = real_numbers(objective(tables))
    if made.shape != tables.shape[1:] or not np.isfinite(made).all():
        raise InvalidInput(
            f"`objective` must return a finite number for every joint action, an array of shape {tables.shape[1:]}",
            shown(made),
            "It is called once, with an array of payoffs whose first axis are the players.",
        )
    return np.array(made)[None]


def _start(tables: Floats, goals: Floats) -> Floats:
    """Return a policy to begin with: of joint actions that are best, or an equilibrium where two players share a constant."""
    total = tables.sum(axis=0)
    if len(tables) == 2 and np.ptp(total) <= 1e-9 * np.ptp(tables[0]):
        _, first, second = minimax(tables[0])
        return np.asarray(np.outer(first, second) / (first.sum() * second.sum()))
    mean, policy = goals.mean(axis=0).ravel(), np.zeros(total.size)
    count = min(sum(total.shape), total.size)
    policy[np.argsort(-mean, kind="stable")[:count]] = 1.0 / count
    return policy.reshape(total.shape)


def _most_even(tables: Floats, until: float) -> tuple[Floats, float]:
    """Return the policy of largest entropy and the bound, by L-BFGS-B on the dual."""
    shape: tuple[int, ...] = tables.shape[1:]
    ends = np.cumsum([0, *(count * count for count in shape)])

    def policy_of(prices: Vector) -> tuple[float, Floats]:
        odds = np.zeros(shape)
        for player, count in enumerate(shape):
            own, pays = prices[ends[player] : ends[player + 1]].reshape(count, count), by_own(player, tables[player])
            odds += from_own(player, own.sum(axis=1)[:, None] * pays - own @ pays, shape)
        total = float(scipy.special.logsumexp(odds))
        return total, np.exp(odds - total)

    def slope_of(prices: Vector) -> tuple[float, Vector]:
        total, policy = policy_of(prices)
        return total, -np.concatenate([gains_of(tables, policy, player).ravel() for player in range(len(shape))])

    def watch(_: Vector) -> None:
        if time.monotonic() > until:
            raise StopIteration

    prices, before = np.zeros(ends[-1]), np.inf
    while time.monotonic() < until:
        found = scipy.optimize.minimize(
            slope_of,
            prices,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * len(prices),
            callback=watch,
            options={"maxiter": 10**6, "maxfun": 10**7, "maxcor": 20, "maxls": 50, "ftol": 1e-16, "gtol": 1e-10},
        )
        if not found.fun < before - 1e-12:  # a line search may fail before its time
            break
        prices, before = found.x, found.fun
    bound, policy = policy_of(prices)
    return policy / policy.sum(), bound
