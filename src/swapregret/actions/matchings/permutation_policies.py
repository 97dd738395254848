"""Policies over matchings that are not lists: the uniform policy, the Gibbs policy of permutations.

Coordinates are (row, column) pairs, row by row; an action gives every row a column of its own.
"""

import math
from itertools import permutations
from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.actions.matchings.kernels.permutation_gibbs import (
    gibbs_factors,
    gibbs_marginals,
    gibbs_pairs,
    gibbs_sample,
    gibbs_second_moment,
    gibbs_tables,
)
from swapregret.actions.matchings.matching_hull import draw_matching
from swapregret.arrays import Action, Actions, Matrix, Vector
from swapregret.files.held import Held, held_scores, held_whole
from swapregret.policy import FinitePolicy, Policy, once

GIBBS_LIMIT = 14
"""Largest n with an exact Gibbs policy: its tables have 2ⁿ entries, and no polynomial route exists (permanents)."""

_LISTED = 5_040


def columns_of(action: npt.ArrayLike, rows: int, columns: int) -> npt.NDArray[np.int64] | None:
    """Read a 0/1 vector as the column of each row, or return None if it is no matching that covers all rows."""
    table = np.asarray(action).reshape(rows, columns)
    if not _are_matchings(table):
        return None
    chosen: npt.NDArray[np.int64] = np.argmax(table, axis=1)
    return chosen


def _are_matchings(tables: Actions) -> npt.NDArray[np.bool_]:
    """Tell which 0/1 tables have one 1 in every row and at most one in every column."""
    return np.asarray((tables.sum(axis=-1) == 1).all(axis=-1) & (tables.sum(axis=-2) <= 1).all(axis=-1))


def all_matchings(rows: int, columns: int) -> tuple[npt.NDArray[np.int64], Actions]:
    """List every matching, as the column of each row and as a 0/1 vector."""
    chosen = np.array(list(permutations(range(columns), rows)), dtype=np.int64)
    table = np.zeros((len(chosen), rows * columns), dtype=np.int64)
    np.put_along_axis(table, columns * np.arange(rows) + chosen, 1, axis=1)
    return chosen, table


class UniformMatchings(Policy):
    r"""The uniform policy over all matchings of k rows into m columns, in closed form.

    A pair has probability 1/m, two pairs in different rows and columns 1/(m(m−1)), so with row sums R, column sums C
    and total T of v, :math:`(\Sigma v)_{ij} = v_{ij}/m + (T - R_i - C_j + v_{ij})/(m(m-1))`. The smallest non-zero eigenvalue
    is 1/(n−1) for k = m = n ≥ 2 and (m−k)/(m(m−1)) for k < m. At most 5,040 matchings can be listed.
    """

    made_of = ("rows", "columns")

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.dimension = rows * columns
        self._single = 1.0 / columns
        self._pair = 1.0 / (columns * (columns - 1)) if columns > 1 else 0.0
        self._n_actions = math.perm(columns, rows)
        self.has_atoms = self._n_actions <= _LISTED

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one matching: the first rows of a random permutation of the columns."""
        return draw_matching(rng, self.rows, self.columns)

    def marginals(self) -> Vector:
        """E[M] = 1/columns everywhere."""
        return np.full(self.dimension, self._single)

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(dimension)."""
        v = np.asarray(vector, dtype=np.float64).reshape(self.rows, self.columns)
        apart = v.sum() - v.sum(axis=1, keepdims=True) - v.sum(axis=0, keepdims=True) + v
        return np.asarray(self._single * v + self._pair * apart).reshape(-1)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ from the probabilities of pairs."""
        matrix = np.asarray(self._pair * np.kron(1.0 - np.eye(self.rows), 1.0 - np.eye(self.columns)), dtype=np.float64)
        np.fill_diagonal(matrix, self._single)
        return matrix

    def probabilities(self, actions: Actions) -> Vector:
        """1/N for every row that is a matching."""
        tables = np.asarray(actions).reshape(-1, self.rows, self.columns)
        return np.where(_are_matchings(tables), 1 / self._n_actions, 0.0)

    def _listed(self) -> FinitePolicy:
        _, atoms = all_matchings(self.rows, self.columns)
        return FinitePolicy(atoms, np.full(len(atoms), 1.0 / len(atoms)))

    def __repr__(self) -> str:
        return f"UniformMatchings({self.rows} rows, {self.columns} columns)"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        columns = held_whole(held, "columns", most)
        return cls(held_whole(held, "rows", min(columns, most // columns)), columns)


class GibbsPermutations(Policy):
    """The policy p(σ) ∝ exp(Σ_i scores[i, σ(i)]) over permutations, exact, by recursion over subsets.

    Parameters
    ----------
    scores : array, shape (n, n)

    Notes
    -----
    O(n 2ⁿ) time and 2ⁿ numbers to build, for the marginals and for one ``second_moment``; O(n³ 2ⁿ) for the dense Σ; O(n²) a
    draw. Scores are lowered by the prices of a best assignment first, which does not change the policy and keeps all sums
    between 1 and n!: scores of any spread are handled, and nothing is subtracted.
    Of a list, at most 5,040 permutations, weights below 2⁻⁵² are dropped.
    """

    made_of = ("n", "_scores")

    def __init__(self, scores: Matrix) -> None:
        n = len(scores)
        self.n = n
        self.dimension = n * n
        self._scores = np.array(scores, dtype=np.float64)
        self._factors, taken = gibbs_factors(self._scores)
        self._size, self._forward, self._backward = gibbs_tables(self._factors)
        self.log_partition = taken + math.log(self._forward[-1])
        self.has_atoms = math.factorial(n) <= _LISTED

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one permutation: one uniform number per row."""
        chosen = gibbs_sample(self._factors, self._forward, rng.random(self.n))
        action = np.zeros((self.n, self.n), dtype=np.int64)
        action[np.arange(self.n), chosen] = 1
        return action.reshape(-1)

    @once
    def marginals(self) -> Vector:
        """E[M] in O(n 2ⁿ), computed once."""
        return gibbs_marginals(self._factors, self._size, self._forward, self._backward)

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(n 2ⁿ)."""
        values = np.array(vector, dtype=np.float64)
        return gibbs_second_moment(self._factors, self._size, self._forward, self._backward, values)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ of all pairs in O(n³ 2ⁿ), computed once."""
        return gibbs_pairs(self._factors, self._size, self._forward, self._backward)

    def probabilities(self, actions: Actions) -> Vector:
        """exp(scores·M) / Z for every row that is a permutation."""
        are_in = _are_matchings(np.asarray(actions).reshape(-1, self.n, self.n))
        return np.exp(np.where(are_in, actions @ self._scores.ravel(), -np.inf) - self.log_partition)

    def _listed(self) -> FinitePolicy:
        chosen, atoms = all_matchings(self.n, self.n)
        weights = self._factors[np.arange(self.n), chosen].prod(axis=1)
        return FinitePolicy(atoms, weights / weights.sum())

    def __repr__(self) -> str:
        return f"GibbsPermutations({self.n})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        n = held_whole(held, "n", GIBBS_LIMIT)
        return cls(held_scores(held, (n, n)))
