r"""The program of the best correlated equilibrium, by columns and rows: joint actions and deviations enter when they matter.

.. math:: \max_{\sigma \ge 0,\ \sum_a \sigma(a) = 1}\ \sum_a \sigma(a) w(a) \quad\text{where}\quad
    \sum_{a_{-i}} \sigma(a)\big(u_i(b, a_{-i}) - u_i(a)\big) \le 0 \text{ for all } i, a_i, b

The program held has some joint actions (columns) and some deviations (rows). A deviation enters if it is a player's best answer to
an action it is told, and is a gain. A joint action a enters if, by the prices :math:`y \ge 0` of the rows, it is worth more than
what the program reaches:

.. math:: w(a) + \sum_i \sum_b y_i(a_i, b)\big(u_i(a) - u_i(b, a_{-i})\big) .

Whatever the prices, no equilibrium has more than the largest of these numbers (weak duality): that is the bound.

Until the program has an equilibrium, gains are allowed at a cost per action told.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from swapregret.arrays import Floats, Integers, Vector
from swapregret.errors import NotConverged

_DUST = 1e-10
"""What counts as a gain, in the width of payoffs: the tolerance of HiGHS."""
_COST, _OUT_OF_TIME = 10.0, 1


def solve_program(*, until: float = np.inf, is_tight: bool = False, **program: Any) -> Any:
    """Solve a linear program with HiGHS, or say why it was not; tight means to its least tolerance. None if the time has come."""
    options: dict[str, Any] = {} if until == np.inf else {"time_limit": max(until - time.monotonic(), 0.0)}
    if is_tight:
        options |= {"primal_feasibility_tolerance": _DUST, "dual_feasibility_tolerance": _DUST}
    found = scipy.optimize.linprog(method="highs", options=options, **program)
    if found.status == _OUT_OF_TIME and until < np.inf:
        return None
    if found.status != 0:
        raise NotConverged("the linear program must be solved", str(found.message), "Check that payoffs are moderate.")
    return found


def by_own(player: int, table: Floats) -> Floats:
    """Return a table as a matrix: a row per action of the player, a column per choice of all others."""
    return np.moveaxis(table, player, 0).reshape(table.shape[player], -1)


def from_own(player: int, matrix: Floats, shape: tuple[int, ...]) -> Floats:
    """Return the table that :func:`by_own` made a matrix of."""
    others = [count for other, count in enumerate(shape) if other != player]
    return np.moveaxis(matrix.reshape(shape[player], *others), 0, player)


def gains_of(tables: Floats, policy: Floats, player: int, told: Any = slice(None)) -> Floats:
    """Return what a player gains by each of its actions whenever it is told one of some, all told or those given."""
    chances, pays = by_own(player, policy)[told], by_own(player, tables[player])
    gains = chances @ pays.T
    return np.asarray(gains - (chances * pays[told]).sum(axis=1)[:, None])


def swap_gap(tables: Floats, policy: Floats, player: int) -> float:
    """Return what a player gains by its best answers to all it is told."""
    return float(np.maximum(gains_of(tables, policy, player).max(axis=1), 0.0).sum())


def incentives(tables: Floats, columns: Integers, rows: Sequence[tuple[int, int, int]]) -> Any:
    """Return what every row gains in every column: only in those in which the player is told the action of the row.

    Columns are joint actions, rows (player, what it is told, what it plays instead).
    """
    shape: tuple[int, ...] = tables.shape[1:]
    flat, places = tables.reshape(len(tables), -1), np.array(np.unravel_index(columns, shape))
    orders = [np.argsort(own, kind="stable") for own in places]
    ends = [np.searchsorted(own[o], np.arange(k + 1)) for own, o, k in zip(places, orders, shape, strict=True)]
    at, gains, lengths = [], [], []
    for i, a, b in rows:
        here = orders[i][ends[i][a] : ends[i][a + 1]]
        other = places[:, here]
        other[i] = b
        at.append(here)
        gains.append(flat[i][np.ravel_multi_index(tuple(other), shape)] - flat[i][columns[here]])
        lengths.append(len(here))
    parts = (np.concatenate(each) if each else np.zeros(0) for each in (gains, at))
    return scipy.sparse.csr_matrix((*parts, np.cumsum([0, *lengths])), shape=(len(rows), len(columns)))


class GeneratedProgram:
    """The program above for payoffs on a scale of width 1.

    Parameters
    ----------
    tables : array, shape (n, k_1, ..., k_n)
    goals : array, shape (g, k_1, ..., k_n)
        With one, its mean is maximised; with more, the least of their means.
    start : array, shape (k_1, ..., k_n)
        A policy to begin with.
    """

    def __init__(self, tables: Floats, goals: Floats, start: Floats) -> None:
        self._tables, self._goals = tables, goals
        self._shape: tuple[int, ...] = tables.shape[1:]
        self._columns: dict[int, None] = {}
        self._rows: dict[tuple[int, int, int], None] = {}
        self._cost = _COST
        self._is_fair, self._epsilon = False, np.inf
        self.policy, self.bound = start, float(goals.mean(axis=0).max())
        self._enter(np.flatnonzero(start))
        self._answer(start, {})

    @property
    def value(self) -> float:
        """Return the goal of the policy, the least of the goals."""
        return float(min((goal * self.policy).sum() for goal in self._goals))

    @property
    def n_columns(self) -> int:
        """Return how many joint actions have entered."""
        return len(self._columns)

    def solve(self, tolerance: float, until: float) -> None:
        """Let columns and rows enter until the value is within the tolerance of the bound, or the time has come."""
        while not (self._is_fair and self.bound - self.value <= tolerance):
            columns, rows = np.array(list(self._columns)), list(self._rows)
            solved = self._solve_held(columns, rows, until)
            if solved is None:
                return
            policy, slack, prices, shares, reached = solved
            n_new = self._answer(policy, slack)
            worth = self._worth(rows, prices, shares)
            self.bound = min(self.bound, float(worth.max()))
            better = np.flatnonzero(worth > reached + _DUST)
            most = max(50, 2 * sum(self._shape))
            if better.size > most:
                better = better[np.argpartition(-worth[better], most)[:most]]
            n_before = self.n_columns
            self._enter(better)
            if n_new == 0 and self.n_columns == n_before:
                if max(slack.values(), default=0.0) <= _DUST:
                    return
                self._cost *= 10.0

    def _solve_held(
        self, columns: Integers, rows: list[tuple[int, int, int]], until: float
    ) -> tuple[Floats, dict[tuple[int, int], float], Vector, Vector, float] | None:
        """Solve the program held: its policy, gains allowed, prices of rows, shares of the goals, and what it reaches."""
        matrix = incentives(self._tables, columns, rows)
        told = {key: place for place, key in enumerate(dict.fromkeys((i, a) for i, a, _ in rows))}
        n, s, g = len(columns), len(told), len(self._goals)
        allowed = scipy.sparse.csr_matrix(
            (-np.ones(len(rows)), (range(len(rows)), [told[i, a] for i, a, _ in rows])), shape=(len(rows), s)
        )
        goals = self._goals.reshape(g, -1)[:, columns]
        found = solve_program(
            until=until,
            is_tight=True,
            c=np.r_[np.zeros(n), np.full(s, self._cost), -1.0],
            A_ub=scipy.sparse.bmat([[matrix, allowed, None], [-goals, None, np.ones((g, 1))]], format="csr"),
            b_ub=np.zeros(len(rows) + g),
            A_eq=np.r_[np.ones(n), np.zeros(s + 1)][None],
            b_eq=[1.0],
            bounds=[(0, None)] * (n + s) + [(None, None)],
        )
        if found is None:
            return None
        policy = np.zeros(self._tables[0].size)
        policy[columns] = np.maximum(found.x[:n], 0.0)
        prices = np.maximum(-found.ineqlin.marginals, 0.0)
        shares = prices[len(rows) :] / prices[len(rows) :].sum()
        slack = dict(zip(told, found.x[n : n + s].tolist(), strict=True))
        table = (policy / policy.sum()).reshape(self._shape)
        return table, slack, prices[: len(rows)], shares, -float(found.eqlin.marginals[0])

    def _answer(self, policy: Floats, slack: dict[tuple[int, int], float]) -> int:
        """Enter the best answers that gain more than is allowed, and keep the policy if it is the best so far."""
        n_before, n_told, worst = len(self._rows), 0, 0.0
        for player in range(len(self._tables)):
            told = np.flatnonzero(by_own(player, policy).any(axis=1))
            gains = gains_of(self._tables, policy, player, told)
            best = gains.argmax(axis=1)
            found = gains[np.arange(len(told)), best]
            n_told += len(told)
            worst = max(worst, float(np.maximum(found, 0.0).sum()))
            for a, b, gain in zip(told.tolist(), best.tolist(), found.tolist(), strict=True):
                if gain > max(slack.get((player, a), 0.0), 0.0) + _DUST:
                    self._rows.setdefault((player, a, b))
        is_fair = worst <= (10 + n_told) * _DUST
        value = float(min((goal * policy).sum() for goal in self._goals))
        if (is_fair and (not self._is_fair or value > self.value)) or (not self._is_fair and worst < self._epsilon):
            self.policy, self._is_fair, self._epsilon = policy, is_fair, worst
        return len(self._rows) - n_before

    def _worth(self, rows: list[tuple[int, int, int]], prices: Vector, shares: Vector) -> Vector:
        """Return what each joint action is worth by the prices."""
        worth = np.tensordot(shares, self._goals, axes=1)
        for player, count in enumerate(self._shape):
            own = [(price, a, b) for price, (i, a, b) in zip(prices.tolist(), rows, strict=True) if i == player]
            paid, told, others = zip(*own, strict=True) if own else ((), (), ())
            price = scipy.sparse.csr_matrix((paid, (told, others)), shape=(count, count))
            pays = by_own(player, self._tables[player])
            kept = np.asarray(price.sum(axis=1)).ravel()[:, None] * pays - price @ pays
            worth = worth + from_own(player, kept, self._shape)
        return worth.ravel()

    def _enter(self, columns: Integers) -> None:
        """Add joint actions, and every player's best answer to each of them."""
        new = np.array([each for each in columns.tolist() if each not in self._columns], dtype=np.int64)
        self._columns.update(dict.fromkeys(new.tolist()))
        places = np.array(np.unravel_index(new, self._shape))
        for player in range(len(self._shape)):
            others = np.delete(places, player, axis=0)
            lines = np.ravel_multi_index(tuple(others), np.delete(self._shape, player)) if len(others) else 0 * new
            best = by_own(player, self._tables[player])[:, lines].argmax(axis=0)
            for a, b in zip(places[player].tolist(), best.tolist(), strict=True):
                if a != b:
                    self._rows.setdefault((player, a, b))
