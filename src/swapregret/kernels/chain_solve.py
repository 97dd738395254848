r"""Σ⁺M for mixtures of Markov chains on the paths of a graph, without a matrix.

For one chain Σ⁺ is known. Let :math:`x_e` be the probability of edge e and :math:`m_u` that of vertex u. The variance of a
sum along the walk is the sum of what each step adds to it, so for a vector r in the span of the paths one solution of Σy = r is

.. math:: y_e = \frac{r_e}{x_e} - \frac{1}{m_u}\sum_{e' \text{ leaves } u} r_{e'} + \rho\,[u = s],

e leaving u, ρ the sum over the edges that leave the source s. Chains that wander have nearly the Σ of one chain with their common
marginals; a chain that hardly does has nearly :math:`xx^\top`. So conjugate gradients are preconditioned by

.. math:: \textstyle\big(\sum_c \theta_c w_c\big)\,\Sigma_{\text{one chain}} + \sum_c (1-\theta_c)\,w_c\, x_c x_c^\top,

the one chain having the marginals of :math:`\sum_c \theta_c w_c x_c`, and :math:`\sqrt{\theta_c}` saying how much chain c wanders:
the expected sum of 1 − p over its steps, relative to the largest. Products of all chains are taken in one pass over the edges,
four chains at a time.

The graph is as in ``kernels.dag``; vectors are in the order of the graph. May touch: ``kernels.cholesky``,
``kernels.compile``, ``kernels.vectors``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky, cholesky_solve
from swapregret.kernels.compile import kernel
from swapregret.kernels.vectors import dot

__all__ = ["Chains", "pack_chains", "solve_chains"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_WIDTH = 4
_SMALLEST, _NEGLIGIBLE = 1e-280, 1e-9


class Chains(NamedTuple):
    """A mixture of chains, in groups of four; empty places are chains that never move.

    Attributes
    ----------
    transition, flow : float64 arrays, shape (groups, E, 4)
        Of each edge; flows are multiplied by the weights of the chains.
    per_mass : float64 array, shape (groups, n, 4)
        1 / (weight · probability of the vertex), 0 where that is 0.
    per_flow : float64 array, shape (E,)
        1 / Σ_c θ_c w_c x_c of each edge.
    per_vertex : float64 array, shape (n,)
        The same of each vertex.
    per_share : float
        1 / Σ_c θ_c w_c.
    columns, solved : float64 arrays, shape (q, E)
        √((1 − θ_c) w_c) x_c of the chains that do not wander, and what the one chain makes of them.
    factor : float64 array, shape (q, q)
        Of I + columns · solvedᵀ.
    """

    transition: Floats
    flow: Floats
    per_mass: Floats
    per_flow: Floats
    per_vertex: Floats
    per_share: float
    columns: Floats
    solved: Floats
    factor: Floats


@kernel
def _wandering(transitions: Floats, flows: Floats, slots: Integers) -> Floats:
    """Return θ of each chain."""
    wander = np.zeros(slots.size)
    for c in range(slots.size):
        transition, flow = transitions[slots[c]], flows[slots[c]]
        for k in range(flow.size):
            wander[c] += flow[k] * (1.0 - transition[k])
    largest = 0.0
    for c in range(slots.size):
        largest = max(largest, wander[c])
    for c in range(slots.size):
        share = wander[c] / largest if largest > 0.0 else 1.0
        wander[c] = share * share
    return wander


@kernel
def _one_chain(
    start: Integers, per_flow: Floats, per_vertex: Floats, per_share: float, residual: Floats, shaped: Floats
) -> None:
    """Solve for the one chain."""
    for u in range(start.size - 2):
        first, last = start[u], start[u + 1]
        leaving = 0.0
        for k in range(first, last):
            leaving += residual[k]
        shift = leaving * per_vertex[u]
        if u == 0:
            shift -= leaving * per_share
        for k in range(first, last):
            shaped[k] = residual[k] * per_flow[k] - shift


@kernel
def pack_chains(
    start: Integers, transitions: Floats, flows: Floats, masses: Floats, slots: Integers, weights: Floats
) -> Chains:
    """Put the chains in some slots side by side, and make the preconditioner."""
    n_edges, n = flows.shape[1], masses.shape[1]
    n_groups = (slots.size + _WIDTH - 1) // _WIDTH
    packed, weighted = np.zeros((n_groups, n_edges, _WIDTH)), np.zeros((n_groups, n_edges, _WIDTH))
    per_mass = np.zeros((n_groups, n, _WIDTH))
    per_flow, per_vertex, share = np.zeros(n_edges), np.zeros(n), 0.0
    theta = _wandering(transitions, flows, slots)
    columns = np.empty((slots.size, n_edges))
    q = 0
    for c in range(slots.size):
        group, place, weight, part = c // _WIDTH, c % _WIDTH, weights[c], weights[c] * theta[c]
        transition, flow, mass = transitions[slots[c]], flows[slots[c]], masses[slots[c]]
        share += part
        for k in range(n_edges):
            packed[group, k, place] = transition[k]
            weighted[group, k, place] = weight * flow[k]
            per_flow[k] += part * flow[k]
        for u in range(n):
            heavy = weight * mass[u]
            per_mass[group, u, place] = 1.0 / heavy if heavy > _SMALLEST else 0.0
            per_vertex[u] += part * mass[u]
        if weight - part > _NEGLIGIBLE:
            root = np.sqrt(weight - part)
            for k in range(n_edges):
                columns[q, k] = root * flow[k]
            q += 1
    for k in range(n_edges):
        per_flow[k] = 1.0 / per_flow[k] if per_flow[k] > _SMALLEST else 0.0
    for u in range(n):
        per_vertex[u] = 1.0 / per_vertex[u] if per_vertex[u] > _SMALLEST else 0.0
    columns = columns[:q].copy()
    solved, gram = np.empty((q, n_edges)), np.empty((q, q))
    per_share = 1.0 / share if share > 0.0 else 0.0
    for c in range(q):
        _one_chain(start, per_flow, per_vertex, per_share, columns[c], solved[c])
    for c in range(q):
        for e in range(q):
            gram[c, e] = dot(columns[c], solved[e]) + (1.0 if c == e else 0.0)
    factor, _ = cholesky(gram)
    return Chains(packed, weighted, per_mass, per_flow, per_vertex, per_share, columns, solved, factor)


@kernel
def _precondition(start: Integers, chains: Chains, residual: Floats, shaped: Floats) -> None:
    """Solve for the one chain and the columns beside it, by the formula of Woodbury."""
    _one_chain(start, chains.per_flow, chains.per_vertex, chains.per_share, residual, shaped)
    q = len(chains.columns)
    if q == 0:
        return
    inner = np.empty(q)
    for c in range(q):
        inner[c] = dot(chains.columns[c], shaped)
    inner = cholesky_solve(chains.factor, inner)
    for c in range(q):
        value, solved = inner[c], chains.solved[c]
        for k in range(shaped.size):
            shaped[k] -= value * solved[k]


@kernel
def _product(
    start: Integers, head: Integers, chains: Chains, vector: Floats, ahead: Floats, behind: Floats, result: Floats
) -> None:
    """Write Σ_c w_c E_c[M (M·v)]: what each vertex expects ahead, backwards, then what lies behind, forwards."""
    n = start.size - 1
    result[:] = 0.0
    for group in range(len(chains.transition)):
        transition, flow, per_mass = chains.transition[group], chains.flow[group], chains.per_mass[group]
        ahead[n - 1] = 0.0
        for u in range(n - 2, -1, -1):
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for k in range(start[u], start[u + 1]):
                row, onward, value = transition[k], ahead[head[k]], vector[k]
                a += row[0] * (value + onward[0])
                b += row[1] * (value + onward[1])
                c += row[2] * (value + onward[2])
                d += row[3] * (value + onward[3])
            target = ahead[u]
            target[0], target[1], target[2], target[3] = a, b, c, d
        behind[:] = 0.0
        for u in range(n - 1):
            gone, per = behind[u], per_mass[u]
            a, b, c, d = gone[0] * per[0], gone[1] * per[1], gone[2] * per[2], gone[3] * per[3]
            for k in range(start[u], start[u + 1]):
                row, value = flow[k], vector[k]
                w, x, y, z = row[0] * (a + value), row[1] * (b + value), row[2] * (c + value), row[3] * (d + value)
                target, onward = behind[head[k]], ahead[head[k]]
                target[0] += w
                target[1] += x
                target[2] += y
                target[3] += z
                w += row[0] * onward[0]
                x += row[1] * onward[1]
                y += row[2] * onward[2]
                z += row[3] * onward[3]
                result[k] += (w + x) + (y + z)


@kernel
def solve_chains(
    start: Integers, head: Integers, chains: Chains, right: Floats, tolerance: float, limit: int
) -> tuple[Floats, float, int]:
    """Solve Σy = r for r in the span of the paths; return y, the relative residual reached and the number of steps.

    The iteration ends at ``tolerance``, in the norm of the preconditioner, after ``limit`` steps, or where rounding leaves no
    direction.
    """
    n, n_edges = start.size - 1, head.size
    result, residual = np.zeros(n_edges), right.copy()
    shaped, direction, product = np.empty(n_edges), np.zeros(n_edges), np.empty(n_edges)
    ahead, behind = np.zeros((n, _WIDTH)), np.zeros((n, _WIDTH))
    first, energy = 0.0, 0.0
    step = 0
    while True:
        _precondition(start, chains, residual, shaped)
        previous, energy = energy, dot(residual, shaped)
        if step == 0:
            if not energy > 0.0:
                return result, 0.0, step
            first = energy
            direction[:] = shaped
        else:
            if energy <= first * tolerance * tolerance or step == limit:
                break
            ratio = energy / previous
            for k in range(n_edges):
                direction[k] = shaped[k] + ratio * direction[k]
        _product(start, head, chains, direction, ahead, behind, product)
        curvature = dot(direction, product)
        if not curvature > 0.0:
            break
        length = energy / curvature
        for k in range(n_edges):
            result[k] += length * direction[k]
            residual[k] -= length * product[k]
        step += 1
    return result, np.sqrt(max(energy, 0.0) / first), step
