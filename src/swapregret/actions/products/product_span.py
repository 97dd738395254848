r"""The linear span of pairs of actions, from the spans of their parts.

Let :math:`r_i` be the rank of part i and call it *level* if one linear function is 1 on all of its actions: m-sets, where it is
Σ M / m, all sets whose actions have one size, paths, where it counts the edges out of the source. Pairs of level parts all have
the same two levels, so one direction is lost:

.. math:: r = r_1 + r_2 - [\text{both parts are level}].

In coordinates: :math:`c\cdot M_J = 1` on the first part and :math:`c'\cdot M'_{J'} = 1` on the second give any one coordinate
:math:`p \in J'` with :math:`c'_p \ne 0` from the others, :math:`M'_p = (c\cdot M_J - \sum_{j \ne p} c'_j M'_j) / c'_p`. Nothing is
searched for. Where a part is level so are the pairs: they are on its level. Both levels, and all else here, are found once for
each pair, so a product of k sets, which is a tree of pairs, takes time in proportion to k.
"""

from functools import cached_property

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.products.product_hull import share_level
from swapregret.arrays import Action, Actions, Matrix, Vector
from swapregret.geometry.span import Span

_ZERO = 1e-9


def _on_level(actions: ActionSet) -> Vector:
    """Return the only c that can have c·M_J = 1 for every action."""
    if actions.is_uniform and actions.rank == actions.dimension:
        return np.full(actions.rank, 1.0 / actions.size)
    if actions.is_uniform:
        return np.asarray(actions.span.lift.sum(axis=0) / actions.size)
    rows = actions.span.basis[:, actions.span.coordinates].astype(np.float64)
    c = np.linalg.solve(rows, np.ones(len(rows)))
    return _snapped(c + np.linalg.solve(rows, 1.0 - rows @ c))


def off_level(actions: ActionSet, c: Vector) -> Action | None:
    """Return an action with c·M_J ≠ 1, by two questions to the oracle, or None if there is none."""
    weights = np.zeros(actions.dimension)
    weights[actions.span.coordinates] = c
    found = [actions.argmax(weights), actions.argmax(-weights)]
    distances = [abs(float(weights @ action) - 1.0) for action in found]
    further = int(np.argmax(distances))
    return found[further] if distances[further] > _ZERO * (1.0 + float(np.abs(c).sum())) else None


def level_of(actions: ActionSet) -> Vector | None:
    """Return c with c·M_J = 1 for every action, J the coordinates of the span, or None if there is none."""
    span = actions.span
    if isinstance(span, PairSpan):
        return span.level
    c = _on_level(actions)
    return c if actions.is_uniform or off_level(actions, c) is None else None


def level_vector(actions: ActionSet) -> Vector | None:
    """Return u in the span with u·M = 1 for every action, or None if there is none."""
    span = actions.span
    if isinstance(span, PairSpan):
        return span.level_vector
    c = level_of(actions)
    if c is None:
        return None
    weights = np.zeros(actions.dimension)
    weights[actions.span.coordinates] = c
    return actions.span.project(weights)


def affine_rows(actions: ActionSet) -> Actions:
    """Return as many affinely independent actions as there are; the first as many as the rank are independent."""
    basis = actions.span.basis
    other = None if actions.is_uniform else off_level(actions, _on_level(actions))
    return basis if other is None else np.vstack([basis, other])


class PairSpan(Span):
    """The span of all pairs of actions of two sets."""

    def __init__(self, first: ActionSet, second: ActionSet) -> None:
        self._pair, self._split = (first, second), first.dimension
        self._cs = level_of(first), level_of(second)
        K, (c, c_second) = second.span.coordinates, self._cs
        self._out = None if c is None or c_second is None else int(np.argmax(np.abs(c_second)))
        self._keep = np.arange(len(K)) if self._out is None else np.delete(np.arange(len(K)), self._out)
        coordinates = np.concatenate([first.span.coordinates, self._split + K[self._keep]])
        super().__init__(coordinates, self._lift_pair, self._pair_basis, self._part_of_pair)

    @cached_property
    def level(self) -> Vector | None:
        """The c with c·M_J = 1 for every pair, if there is one: that of the first part, or of the second."""
        c, c_second = self._cs
        n = len(self._pair[0].span.coordinates)
        if c is not None:
            return np.concatenate([c, np.zeros(len(self._keep))])
        return None if c_second is None else np.concatenate([np.zeros(n), c_second])

    @cached_property
    def levels(self) -> Vector:
        """The vectors of both levels, one after the other; nothing where one of the parts has none."""
        u, v = map(level_vector, self._pair)
        return np.zeros(0) if u is None or v is None else np.concatenate([u, v])

    @cached_property
    def level_vector(self) -> Vector | None:
        """The u in the span with u·M = 1 for every pair, if there is one."""
        u, v = map(level_vector, self._pair)
        if u is None and v is None:
            return None
        result = np.concatenate(
            [np.zeros(part.dimension) if each is None else each for part, each in zip(self._pair, (u, v), strict=True)]
        )
        if self.levels.size:
            result[self._split :] = 0.0
            share_level(result, self.levels, self._split)
        return result

    def _lift_pair(self) -> Matrix:
        (first, second), split, keep, out = self._pair, self._split, self._keep, self._out
        L, below = first.span.lift, second.span.lift
        n = L.shape[1]
        table = np.zeros((split + second.dimension, n + len(keep)))
        table[:split, :n], table[split:, n:] = L, below[:, keep]
        c, c_second = self._cs
        if out is not None and c is not None and c_second is not None:
            column = below[:, out] / c_second[out]
            table[split:, n:] -= np.outer(column, c_second[keep])
            table[split:, :n] = np.outer(column, c)
        return _snapped(table)

    def _pair_basis(self) -> Actions:
        one, two = map(affine_rows, self._pair)
        above = np.hstack([one, np.tile(two[0], (len(one), 1))])
        rows = np.vstack([above, np.hstack([np.tile(one[0], (len(two) - 1, 1)), two[1:]])])
        if len(rows) > self.rank:  # no part is level: the rows are affinely independent, one more than the rank
            relation = np.linalg.svd(rows[:, self.coordinates].T.astype(np.float64))[2][-1]
            rows = np.delete(rows, int(np.argmax(np.abs(relation))), axis=0)
        return rows

    def _part_of_pair(self, vector: Vector) -> Vector:
        (first, second), split = self._pair, self._split
        result = np.concatenate([first.span.project(vector[:split]), second.span.project(vector[split:])])
        if self.levels.size:
            share_level(result, self.levels, split)
        return result


def _snapped(table: Matrix) -> Matrix:
    """Round entries that are whole numbers up to rounding to themselves."""
    whole = np.rint(table)
    return np.where(np.abs(table - whole) <= _ZERO, whole, table) + 0.0
