r"""The best answer to every action played: the maximum over φ, action by action.

.. math:: \phi^*(M) \in \arg\max_{M' \in \mathcal A} V[M]\cdot M'

One oracle call per action gives it, whatever the number of actions that exist. Swap regret, internal regret and the best
swap function are three readings of it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Actions, Matrix, Vector, Words, frozen
from swapregret.compiled.bits import unpack_rows
from swapregret.regret.ledgers.closed_ledger import Ledger, numbered
from swapregret.regret.ledgers.merge import join_rows, mean_ledger, places_in
from swapregret.regret.ledgers.row_sums import (
    CHUNK,
    RowNumbers,
    answer_vectors,
    distinct_rows,
    dot_each,
    dot_rows,
    pool_of,
    read_only,
)


@dataclass(frozen=True, eq=False)
class Answers:
    """The mean ledger of some runs with the best answer to each of its entries; regrets are read off it."""

    actions: ActionSet
    runs: tuple[Ledger, ...]  # one per replication
    ledger: Ledger  # their mean
    chances: Matrix  # (n_policies, n), how likely each unlisted policy is to draw M
    choices: npt.NDArray[np.uint64]  # (n, words), φ*(M), packed
    best: Vector  # (n,), V[M]·φ*(M)
    kept: Vector  # (n,), V[M]·M, what M itself earned
    rest: Matrix  # (n_policies, dimension), what unlisted policies leave to actions without a row: parallel, so one answer
    rest_best: Vector  # (n_policies,)
    rest_weights: Vector  # (n_policies,), the probability of actions without a row

    @property
    def upper(self) -> float:
        """Return Σ max V[M]·M' with everything that has no row split: never below the true sum."""
        dropped = self.ledger.dropped
        split = self.ledger.pooled.split + (dropped.highest if dropped is not None else 0.0)
        return float(self.best.sum()) + float(self.rest_best.sum()) + split

    @property
    def gains(self) -> Vector:
        """Return what exchanging each action for its best answer gains."""
        return np.maximum(self.best - self.kept, 0.0)

    @property
    def blur(self) -> float:
        """Return by how much policies of which only sums were kept can change what a rule gains."""
        dropped = self.ledger.dropped
        return dropped.highest - dropped.lowest if dropped is not None else 0.0

    @property
    def better(self) -> Actions:
        """Return φ*(M), one 0/1 row per action."""
        return unpack_rows(read_only(self.choices), len(self.ledger.total))

    @property
    def is_exact(self) -> bool:
        """Tell whether ``upper`` is the sum itself: nothing pooled or dropped, at most one unlisted policy."""
        return self.ledger.pooled.n_pools == 0 and self.ledger.dropped is None and len(self.rest) <= 1


def answer(actions: ActionSet, ledgers: Iterable[Ledger]) -> Answers:
    """Find the best answer to every entry of the mean of some ledgers: one oracle call for each, or for all that share a vector."""
    runs, d = tuple(ledgers), actions.dimension
    ledger = mean_ledger(runs)
    chances = _chances(ledger, ledger.rows.keys)
    weights = np.maximum(0.0, 1.0 - chances.sum(axis=1))
    choices, best, kept = _answer_rows(actions, ledger, chances)
    rest = np.array([share * policy.value for share, policy in zip(weights, ledger.policies, strict=True)]).reshape(
        -1, d
    )
    rest_best = np.array([row @ actions.argmax(row) for row in rest])
    return Answers(actions, runs, ledger, chances, choices, best, kept, rest, rest_best, weights)


def _chances(ledger: Ledger, keys: Words) -> Matrix:
    """Return how likely each unlisted policy is to draw each packed action."""
    chances = np.zeros((len(ledger.policies), len(keys)))
    for here in _chunks(len(keys) if ledger.policies else 0):
        played = unpack_rows(read_only(keys[here]), len(ledger.total))
        chances[:, here] = [policy.policy.probabilities(played) for policy in ledger.policies]
    return chances


def _values(ledger: Ledger, chances: Matrix, which: RowNumbers | npt.NDArray[np.int64]) -> Matrix:
    """Return V[M] of some rows, the share of unlisted policies included."""
    values = ledger.rows.some(which)
    for policy, drawn in zip(ledger.policies, chances, strict=True):
        values += drawn[which][:, None] * policy.value
    return values


def _answer_rows(actions: ActionSet, ledger: Ledger, chances: Matrix) -> tuple[Words, Vector, Vector]:
    """Return φ*(M), packed, V[M]·φ*(M) and V[M]·M of every row."""
    rows, n = ledger.rows, len(ledger.rows)
    choices, best, kept = np.empty_like(rows.keys), np.empty(n), np.empty(n)
    shared = _answer_shared(actions, ledger, chances, choices, best, kept)
    others = np.flatnonzero(~shared)
    for part in _chunks(len(others)):
        here = others[part]
        values = _values(ledger, chances, here)
        choices[here], best[here] = answer_vectors(actions, values)
        kept[here] = dot_each(values, rows.keys[here])
    return frozen(choices), frozen(best), frozen(kept)


def _answer_shared(
    actions: ActionSet, ledger: Ledger, chances: Matrix, choices: Words, best: Vector, kept: Vector
) -> npt.NDArray[np.bool_]:
    """Answer all actions that one policy alone has played, v its vector, by two questions per policy; tell which they are.

    V[M] is s·v, and c·u more where an unlisted policy with vector u draws M with probability c. The best answer to v + t·u as t
    grows is worth a convex function of t. If it is the same action at the least and at the largest t = c/s of the policy's
    actions, its line touches that function at both ends, and so in between: it answers all of them.
    """
    rows = ledger.rows
    is_lone = (rows.counts == 1) & (len(ledger.policies) <= 1)
    lone = np.flatnonzero(is_lone)
    pieces = rows.firsts[lone]
    used, places = numbered(rows.at[pieces], len(rows.vectors))
    shares, vectors = rows.shares[pieces], rows.vectors[used]
    policy_value = ledger.policies[0].value if ledger.policies else np.zeros(actions.dimension)
    drawn = chances[0, lone] if ledger.policies else np.zeros(len(lone))
    least, most = np.full(len(used), np.inf), np.zeros(len(used))
    np.minimum.at(least, places, drawn / shares)
    np.maximum.at(most, places, drawn / shares)
    answers, _ = answer_vectors(actions, vectors + least[:, None] * policy_value)
    is_same = np.ones(len(used), dtype=np.bool_)
    if ledger.policies:
        is_same = (answers == answer_vectors(actions, vectors + most[:, None] * policy_value)[0]).all(axis=1)
    words = rows.words[pieces]
    choices[lone] = answers[places]
    best[lone] = shares * dot_each(vectors, answers)[places] + drawn * _dot_one(policy_value, answers)[places]
    kept[lone] = shares * dot_rows(rows.vectors, read_only(rows.at[pieces]), read_only(words))
    kept[lone] += drawn * _dot_one(policy_value, words)
    is_lone[lone[~is_same[places]]] = False
    return np.asarray(is_lone)


def _dot_one(vector: Vector, words: Words) -> Vector:
    """Return X·M of one vector and packed actions."""
    return dot_rows(read_only(vector[None]), read_only(np.zeros(len(words), dtype=np.int32)), read_only(words))


def _chunks(n: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK) for start in range(0, n, CHUNK))


def answer_samples(answers: Answers) -> tuple[Vector, Vector]:
    """Return V̂·φ*(M) and V̂·M for all actions with a row or drawn, dropped policies replaced by what was drawn from them."""
    ledger, dropped = answers.ledger, answers.ledger.dropped
    assert dropped is not None
    tables = [ledger.rows, dropped.samples]
    merged = join_rows(tables, 1.0)
    listed, drawn = places_in(merged, tables)
    best, kept = np.zeros(len(merged)), np.zeros(len(merged))
    best[listed], kept[listed] = answers.best, answers.kept
    chances = np.zeros((len(ledger.policies), len(merged)))
    chances[:, listed] = answers.chances
    values = _values(replace(ledger, rows=merged), chances, drawn)
    best[drawn], kept[drawn] = answer_vectors(answers.actions, values)[1], dot_each(values, merged.keys[drawn])
    return best, kept


def lower_sum(answers: Answers) -> float:
    r"""Return a certified lower end of Σ_M max V[M]·M': the value of rules φ that can be written down.

    Three of them, the best counts: one action for everything; an answer for each action whose row is whole and one for
    each pool, with unlisted policies taken at their worst; an answer for each whole row and one common answer for all else.
    """
    ledger, dropped = answers.ledger, answers.ledger.dropped

    def best(vector: Vector) -> float:
        choice: Action = answers.actions.argmax(vector)
        return float(vector @ choice)

    floor = dropped.lowest if dropped is not None else 0.0
    whole = ledger.rows.whole
    own = float(answers.best[whole].sum()) + floor
    rest = answers.rest.sum(axis=0)
    folded = ledger.pooled.values.copy()
    loose = np.flatnonzero(~whole)
    for here in (loose[part] for part in _chunks(len(loose))):
        place = pool_of(read_only(ledger.rows.keys[here]), ledger.pooled.n_pools)
        np.add.at(folded, place, _values(ledger, answers.chances, here))
    candidates = [best(ledger.total), own + best(folded.sum(axis=0) + rest)]
    if len(folded):
        worst = sum(-best(-row) for row in answers.rest)
        candidates.append(own + sum(best(row) for row in folded if row.any()) + worst)
    return max(candidates)


class AnswerRule:
    r"""A rule φ, what to choose whenever M was chosen: a table of answers, and one answer for all other actions.

    A rule found on some runs can be tried on others: its gain there, :math:`\sum_M V[M]\cdot(\phi(M) - M)`, is linear in
    the ledger and needs no maximum, so its mean over runs is unbiased and has an ordinary standard error.

    Parameters
    ----------
    keys, choices : uint64 arrays, shape (n, words)
        Packed actions and what to choose instead.
    otherwise : Action
        What to choose instead of any other action.
    """

    def __init__(self, keys: Words, choices: Words, otherwise: Action) -> None:
        self.keys, self.choices, self.otherwise = keys, choices, otherwise

    @classmethod
    def of(cls, answers: Answers, allowed: npt.NDArray[np.bool_] | None = None) -> "AnswerRule":
        """Return the best rule of a ledger that answers whole rows one by one, and all else by one action."""
        use = answers.ledger.rows.whole if allowed is None else allowed
        otherwise = answers.actions.argmax(answers.rest.sum(axis=0) if len(answers.rest) else answers.ledger.total)
        return cls(answers.ledger.rows.keys[use], answers.choices[use], otherwise)

    def find(self, words: Words) -> RowNumbers:
        """Return where actions stand in the table, −1 for those that do not."""
        _, places = distinct_rows(read_only(np.concatenate([self.keys, words])))
        found = places[len(self.keys) :]
        return np.where(found < len(self.keys), found, -1)

    def gain(self, ledger: Ledger) -> float:
        """Return what following the rule would have added to a run; policies too many to keep count at their worst."""
        place = self.find(ledger.rows.keys)
        known = place >= 0
        answers = np.zeros_like(ledger.rows.keys)
        answers[known] = self.choices[place[known]]
        total = float(ledger.rows.dot(answers).sum())
        total += float((ledger.rows.total(~known) + ledger.pooled.values.sum(axis=0)) @ self.otherwise)
        if ledger.policies:
            for policy, weights in zip(ledger.policies, _chances(ledger, self.keys), strict=True):
                total += float(weights @ _dot_one(policy.value, self.choices))
                total += max(0.0, 1.0 - float(weights.sum())) * float(policy.value @ self.otherwise)
        if ledger.dropped is not None:
            total += ledger.dropped.lowest
        return total - ledger.earned
