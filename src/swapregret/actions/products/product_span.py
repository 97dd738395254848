r"""The linear span of pairs of actions, from the spans of their parts.

Let :math:`r_i` be the rank of part i and call it *level* if one linear function is 1 on all of its actions: m-sets, where it is
Σ M / m, all sets whose actions have one size, paths, where it counts the edges out of the source. Pairs of level parts all have
the same two levels, so one direction is lost:

.. math:: r = r_1 + r_2 - [\text{both parts are level}].

In coordinates: :math:`c\cdot M_J = 1` on the first part and :math:`c'\cdot M'_{J'} = 1` on the second give any one coordinate
:math:`p \in J'` with :math:`c'_p \ne 0` from the others, :math:`M'_p = (c\cdot M_J - \sum_{j \ne p} c'_j M'_j) / c'_p`. Nothing is
searched for.
"""

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
    """Return c with c·M_J = 1 for every action, J the coordinates of the span, or None if there is none.

    Examples
    --------
    >>> from swapregret.actions.own_sets.explicit import Explicit
    >>> level_of(Explicit([[1, 0], [1, 1]])).tolist(), level_of(Explicit([[1, 0], [0, 1], [1, 1]]))
    ([1.0, 0.0], None)
    """
    c = _on_level(actions)
    return c if actions.is_uniform or off_level(actions, c) is None else None


def level_vector(actions: ActionSet) -> Vector | None:
    """Return u in the span with u·M = 1 for every action, or None if there is none."""
    c = level_of(actions)
    if c is None:
        return None
    weights = np.zeros(actions.dimension)
    weights[actions.span.coordinates] = c
    return actions.span.project(weights)


def pair_levels(first: ActionSet, second: ActionSet) -> Vector:
    """Return the vectors of both levels, one after the other; nothing where one of the sets has none."""
    u, v = level_vector(first), level_vector(second)
    return np.zeros(0) if u is None or v is None else np.concatenate([u, v])


def affine_rows(actions: ActionSet) -> Actions:
    """Return as many affinely independent actions as there are; the first as many as the rank are independent."""
    basis = actions.span.basis
    other = None if actions.is_uniform else off_level(actions, _on_level(actions))
    return basis if other is None else np.vstack([basis, other])


def pair_span(first: ActionSet, second: ActionSet) -> Span:
    """Return the span of all pairs of actions of two sets.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> span = pair_span(MSets(2, 1), MSets(3, 1))
    >>> span.rank, span.coordinates.tolist(), span.lift[2].tolist()
    (4, [0, 1, 3, 4], [1.0, 1.0, -1.0, -1.0])
    """
    split, J, K = first.dimension, first.span.coordinates, second.span.coordinates
    c, c_second = level_of(first), level_of(second)
    out = None if c is None or c_second is None else int(np.argmax(np.abs(c_second)))
    keep = np.arange(len(K)) if out is None else np.delete(np.arange(len(K)), out)

    def lift() -> Matrix:
        L, below = first.span.lift, second.span.lift
        table = np.zeros((split + second.dimension, len(J) + len(keep)))
        table[:split, : len(J)], table[split:, len(J) :] = L, below[:, keep]
        if out is not None:
            assert c is not None
            assert c_second is not None
            column = below[:, out] / c_second[out]
            table[split:, len(J) :] -= np.outer(column, c_second[keep])
            table[split:, : len(J)] = np.outer(column, c)
        return _snapped(table)

    def basis() -> Actions:
        one, two = affine_rows(first), affine_rows(second)
        above = np.hstack([one, np.tile(two[0], (len(one), 1))])
        rows = np.vstack([above, np.hstack([np.tile(one[0], (len(two) - 1, 1)), two[1:]])])
        if len(rows) > len(coordinates):  # no part is level: the rows are affinely independent, one more than the rank
            relation = np.linalg.svd(rows[:, coordinates].T.astype(np.float64))[2][-1]
            rows = np.delete(rows, int(np.argmax(np.abs(relation))), axis=0)
        return rows

    def part(vector: Vector) -> Vector:
        result = np.concatenate([first.span.project(vector[:split]), second.span.project(vector[split:])])
        levels = pair_levels(first, second)
        if levels.size:
            share_level(result, levels, split)
        return result

    coordinates = np.concatenate([J, split + K[keep]])
    return Span(coordinates, lift, basis, part)


def _snapped(table: Matrix) -> Matrix:
    """Round entries that are whole numbers up to rounding to themselves."""
    whole = np.rint(table)
    return np.where(np.abs(table - whole) <= _ZERO, whole, table) + 0.0
