r"""The best answer to every action played: the maximum over φ, action by action.

.. math:: \phi^*(M) \in \arg\max_{M' \in \mathcal A} V[M]\cdot M'

One oracle call an action gives it, whatever the number of actions that exist. Swap regret, internal regret and the best
swap function are three readings of it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Action, Actions, Matrix, Vector, frozen
from swapregret.compiled.bits import pack_rows, unpack_rows
from swapregret.regret.ledgers.entries import Ledger, Rows
from swapregret.regret.ledgers.kernels.row_sums import dot_rows, pool_of
from swapregret.regret.ledgers.merge import merge_rows
from swapregret.regret.ledgers.table import reading

__all__ = ["Answers", "answer", "answer_samples", "lower_sum", "unpack"]

_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Answers:
    """A ledger with the best answer to each of its entries.

    Attributes
    ----------
    ledger : Ledger
    values : Matrix, shape (n, dimension)
        V[M], the share of unlisted laws included.
    choices : uint64 array, shape (n, words)
        φ*(M), packed.
    best, kept : Vector, shape (n,)
        V[M]·φ*(M), and V[M]·M, what M itself earned.
    rest : Matrix, shape (n_laws, dimension)
        What each unlisted law leaves to actions without a row; parallel for all of them, so they share one answer.
    rest_choices : Actions, shape (n_laws, dimension)
    rest_best : Vector
    rest_weights : Vector
        The probability each unlisted law gives to actions without a row.
    """

    ledger: Ledger
    values: Matrix
    choices: npt.NDArray[np.uint64]
    best: Vector
    kept: Vector
    rest: Matrix
    rest_choices: Actions
    rest_best: Vector
    rest_weights: Vector

    @property
    def upper(self) -> float:
        """Return Σ max V[M]·M' with everything that has no row split: never below the true sum."""
        dropped = self.ledger.dropped
        split = self.ledger.pooled.split + (dropped.highest if dropped is not None else 0.0)
        return float(self.best.sum()) + float(self.rest_best.sum()) + split

    @property
    def is_exact(self) -> bool:
        """Tell whether ``upper`` is the sum itself: nothing pooled or dropped, at most one unlisted law."""
        return self.ledger.pooled.n_pools == 0 and self.ledger.dropped is None and len(self.rest) <= 1


def answer_rows(actions: ActionSet, values: Matrix) -> npt.NDArray[np.uint64]:
    """Ask the oracle for every row; return the packed answers."""
    parts = []
    for start in range(0, len(values), _CHUNK):
        block = values[start : start + _CHUNK]
        parts.append(pack_rows(reading(actions.argmax_many(block))))
    return np.concatenate(parts) if parts else np.zeros((0, (actions.dimension + 63) // 64), dtype=np.uint64)


def answer(actions: ActionSet, ledger: Ledger) -> Answers:
    """Find the best answer to every entry of a ledger: one oracle call each."""
    rows = ledger.rows
    values, weights = _with_laws(ledger)
    rest = np.array([share * law.value for share, law in zip(weights, ledger.laws, strict=True)])
    rest = rest.reshape(-1, actions.dimension)
    rest_choices = np.array([actions.argmax(row) for row in rest], dtype=np.int64).reshape(-1, actions.dimension)
    choices = answer_rows(actions, values)
    return Answers(
        ledger=ledger,
        values=values,
        choices=frozen(choices),
        best=frozen(dot_rows(reading(values), reading(choices))),
        kept=frozen(dot_rows(reading(values), reading(rows.keys))),
        rest=rest,
        rest_choices=rest_choices,
        rest_best=(rest * rest_choices).sum(axis=1),
        rest_weights=weights,
    )


def _with_laws(ledger: Ledger) -> tuple[Matrix, Vector]:
    """Add to each row what unlisted laws gave its action; return also how much of each law has no row."""
    if not ledger.laws:
        return ledger.rows.values, np.zeros(0)
    values = ledger.rows.values.copy()
    left = np.ones(len(ledger.laws))
    listed = ledger.actions
    for index, law in enumerate(ledger.laws):
        probabilities = np.array([law.policy.probability(action) for action in listed])
        values += probabilities[:, None] * law.value
        left[index] = max(0.0, 1.0 - float(probabilities.sum()))
    return frozen(values), left


def answer_samples(actions: ActionSet, answers: Answers) -> tuple[Vector, Vector]:
    """Return V̂·φ*(M) and V̂·M for all actions with a row or drawn, dropped laws replaced by what was drawn from them."""
    mean, dropped = answers.ledger, answers.ledger.dropped
    assert dropped is not None
    listed = Rows(mean.rows.keys, answers.values, mean.rows.days, mean.rows.whole)
    rows, (place, drawn) = merge_rows([listed, dropped.samples], 1.0)
    best, kept = np.zeros(len(rows)), np.zeros(len(rows))
    best[place], kept[place] = answers.best, answers.kept
    touched = np.unique(drawn)
    values = rows.values[touched]
    best[touched] = dot_rows(reading(values), reading(answer_rows(actions, values)))
    kept[touched] = dot_rows(reading(values), reading(rows.keys[touched]))
    return best, kept


def lower_sum(actions: ActionSet, answers: Answers) -> float:
    r"""Return a certified lower end of Σ_M max V[M]·M': the value of rules φ that can be written down.

    Three of them, the best counts: one action for everything; an answer for each action whose row is whole and one for
    each pool, with unlisted laws taken at their worst; an answer for each whole row and one common answer for all else.
    """
    ledger, dropped = answers.ledger, answers.ledger.dropped

    def best(vector: Vector) -> float:
        choice: Action = actions.argmax(vector)
        return float(vector @ choice)

    floor = dropped.lowest if dropped is not None else 0.0
    whole = ledger.rows.whole
    own = float(answers.best[whole].sum()) + floor
    rest = answers.rest.sum(axis=0)
    folded = ledger.pooled.values.copy()
    loose = answers.values[~whole]
    if len(loose):
        place = np.searchsorted(ledger.pooled.pools, pool_of(reading(ledger.rows.keys[~whole]), ledger.pooled.n_pools))
        np.add.at(folded, place, loose)
    candidates = [best(ledger.total), own + best(folded.sum(axis=0) + rest)]
    if len(folded):
        worst = sum(-best(-row) for row in answers.rest)
        candidates.append(own + sum(best(row) for row in folded) + worst)
    return max(candidates)


def unpack(answers: Answers) -> tuple[Actions, Actions]:
    """Return the actions played and their best answers, as 0/1 rows."""
    d = len(answers.ledger.total)
    return answers.ledger.actions, unpack_rows(reading(answers.choices), d)
