"""The best answer to reward vectors: max X·M' over the actions of a set."""

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix, Vector, Words
from swapregret.compiled.bits import pack_rows
from swapregret.regret.ledgers.kernels.row_sums import dot_rows, in_order, reading

__all__ = ["CHUNK", "answer_vectors", "dot_each"]

CHUNK = 2**10
"""Vectors answered at a time: what is made of them on the way stays in the cache."""


def answer_vectors(actions: ActionSet, vectors: Matrix) -> tuple[Words, Vector]:
    """Return the best answer to every vector, packed, and what it earns.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> words, best = answer_vectors(MSets(3, 2), np.array([[1.0, 0.25, 0.5]]))
    >>> words.tolist(), best.tolist()
    ([[5]], [1.5])
    """
    words, best = np.empty((len(vectors), -(-actions.dimension // 64)), dtype=np.uint64), np.empty(len(vectors))
    for start in range(0, len(vectors), CHUNK):
        here = slice(start, start + CHUNK)
        some = np.ascontiguousarray(vectors[here])
        words[here] = pack_rows(reading(actions.argmax_many(some)))
        best[here] = dot_each(some, words[here])
    return words, best


def dot_each(vectors: Matrix, words: Words) -> Vector:
    """Return X·M of vectors X and packed actions M, one by one."""
    return dot_rows(reading(vectors), in_order(len(vectors)), reading(words))
