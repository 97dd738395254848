r"""Two players whose payoffs are bilinear: what an element pays depends on which kinds of elements the other has.

.. math:: v_i = b_i + \sum_{c} W_{k(i),\,c}\ \#\{j : k(j) = c\}

Element j of the other is of kind k(j), element i of one's own of kind k(i). W is sparse.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.arrays import Floats, Integers, frozen
from swapregret.games.payoffs import Numbers, pay


class PairRule(NamedTuple):
    """Payoffs of two players; kinds of the second are counted on from those of the first.

    Attributes
    ----------
    kinds : int64 array, shape (d_1 + d_2,)
    base : float64 array, shape (d_1 + d_2,)
    lines : int64 array
        Where the entries of W for each kind the other may have begin, and where the last ones end.
    columns : int64 array
        The kinds that are paid.
    values : float64 array
    """

    kinds: Integers
    base: Floats
    lines: Integers
    columns: Integers
    values: Floats


def pair_rule(kinds: Sequence[npt.ArrayLike], tables: Sequence[npt.ArrayLike], base: npt.ArrayLike = 0.0) -> PairRule:
    """Return the rule of two players.

    Parameters
    ----------
    kinds : two int sequences
        The kind of each element of each player, from 0.
    tables : two matrices
        ``tables[i][k, c]`` is what an element of kind k pays player i for each element of kind c that the other has; arrays, or
        SciPy's sparse ones.
    base : array, optional
        What the elements of both pay anyway.

    Examples
    --------
    >>> rule = pair_rule([[0, 1], [0, 0]], [[[2.0], [0.0]], [[0.0, 3.0]]])
    >>> rule.kinds.tolist(), rule.lines.tolist(), rule.columns.tolist(), rule.values.tolist()
    ([0, 1, 2, 2], [0, 0, 1, 2], [2, 0], [3.0, 2.0])
    """
    first, second = (scipy.sparse.csr_array(table) for table in tables)
    whole = scipy.sparse.csr_array(
        scipy.sparse.bmat([[None, second.T], [first.T, None]])
    )  # kinds of the first, then the second
    whole.sort_indices()
    own = np.concatenate([np.asarray(kinds[0], dtype=np.int64), np.asarray(kinds[1], dtype=np.int64) + first.shape[0]])
    return PairRule(
        frozen(own),
        frozen(np.broadcast_to(np.asarray(base, dtype=np.float64), own.shape).copy()),
        frozen(whole.indptr.astype(np.int64)),
        frozen(whole.indices.astype(np.int64)),
        frozen(whole.data.astype(np.float64)),
    )


@pay.of(PairRule)
def pay_pair(rule: PairRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Count the kinds the other has, and look up what they are worth."""
    n_kinds = rule.lines.size - 1
    for player in range(first, last):
        other = 1 - player
        faced, paid = np.zeros(n_kinds), np.zeros(n_kinds)
        for j in range(starts[other], starts[other + 1]):
            faced[rule.kinds[j]] += profile[j]
        for c in range(n_kinds):
            if faced[c] != 0.0:
                for k in range(rule.lines[c], rule.lines[c + 1]):
                    paid[rule.columns[k]] += faced[c] * rule.values[k]
        for i in range(starts[player], starts[player + 1]):
            vectors[i] = rule.base[i] + paid[rule.kinds[i]]
