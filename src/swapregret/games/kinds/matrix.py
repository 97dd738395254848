r"""Games in normal form: one table of payoffs a player, actions as one-hot vectors.

Player i's payoff vector is its table with the others' choices put in; under independent policies it is the table contracted
with the others' marginals, so expectations are exact for any number of players.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.arguments import checked
from swapregret.arrays import Action, Floats, Integers, Label, Vector, frozen
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.games.payoffs import Numbers, RuledGame, pay, read_numbers, spec_of


class TableRule(NamedTuple):
    """Payoff tables: one line per player with the others' choices in order and its own last, and how many choices each has."""

    tables: Floats
    counts: Integers


class MatrixGame(RuledGame):
    """A finite game given by its payoff tables.

    Parameters
    ----------
    tables : sequence of array_like, each of shape (k_1, ..., k_n)
        What player i is paid when player j chooses its action a_j, for all j.
    labels : sequence of sequences, optional
        For each player the names of its actions; whole numbers from 0 if not given.
    names : sequence of str, optional
        What the players are called.

    Examples
    --------
    >>> game = MatrixGame([[[6, 2], [7, 0]], [[6, 7], [2, 0]]], labels=[["dare not", "dare"]] * 2)
    >>> game.payoff_range(0), game.payoffs([[0, 1], [1, 0]])
    ((0.0, 7.0), array([7., 2.]))
    """

    rule: TableRule

    @checked
    def __init__(
        self,
        tables: Sequence[npt.ArrayLike],
        labels: Sequence[Sequence[Label]] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        read = read_numbers(tables)
        if read.ndim < 2 or read.ndim != len(read) + 1 or min(read.shape) < 1 or not np.isfinite(read).all():
            raise InvalidInput(
                "`tables` must be n arrays of finite numbers with n axes each, one axis per player, all of one shape",
                f"something of shape {read.shape}" if read.size else _shapes(tables),
                "Give one payoff table per player.",
            )
        counts = read.shape[1:]
        given: list[list[Label]] = [list(range(count)) for count in counts]
        if labels is not None:
            given = [list(each) for each in labels]
        if len(given) != len(counts):
            raise InvalidInput(f"`labels` must be {len(counts)} lists", f"{len(given)}", "Give one list per player.")
        super().__init__([MSets(count, 1, labels=own) for count, own in zip(counts, given, strict=True)], names)
        self.tables = frozen(read)
        lines = [np.moveaxis(read[player], player, -1).ravel() for player in range(self.n_players)]
        self.rule = TableRule(frozen(np.array(lines)), frozen(np.array(counts, dtype=np.int64)))
        plain = [[_plain(name) for name in each] for each in given]
        self.spec = spec_of("matrix", payoffs=read, labels=plain, names=list(self.names))

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return the least and the largest payoff of each action."""
        rows = self.rule.tables[player].reshape(-1, self.rule.counts[player])
        return rows.min(axis=0), rows.max(axis=0)

    def describe(self, player: int, action: Action) -> str:
        """Return the name of the one action chosen."""
        return str(self.action_sets[player].elements(action)[0])


@pay.of(TableRule)
def pay_table(rule: TableRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Add up the table over the choices of the others, each with its weight; choices without weight are passed over."""
    n = rule.counts.size
    others, at, place = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    weight = np.ones(n)
    for player in range(first, last):
        begin, count, table = starts[player], rule.counts[player], rule.tables[player]
        paid = vectors[begin : begin + count]
        for i in range(paid.size):
            paid[i] = table[i] if n == 1 else 0.0
        for level in range(n - 1):
            others[level] = level if level < player else level + 1
        level = 0 if n > 1 else -1
        at[0] = -1
        while level >= 0:  # the first ``level`` others have chosen; the next one goes through its choices
            other = others[level]
            at[level] += 1
            if at[level] == rule.counts[other]:
                level -= 1
                continue
            chance = weight[level] * profile[starts[other] + at[level]]
            if chance == 0.0:
                continue
            line = place[level] * rule.counts[other] + at[level]
            if level < n - 2:
                level += 1
                weight[level], place[level], at[level] = chance, line, -1
                continue
            row = table[line * count : (line + 1) * count]
            for i in range(paid.size):
                paid[i] += chance * row[i]


def _shapes(tables: Any) -> str:
    """Say what came instead of tables of one shape."""
    shapes = [read_numbers(each).shape for each in tables] if isinstance(tables, list | tuple) else []
    return f"tables of shapes {', '.join(map(str, shapes))}" if shapes else shown(tables)


def _plain(name: Label) -> Any:
    return name if isinstance(name, str | int | float) else str(name)
