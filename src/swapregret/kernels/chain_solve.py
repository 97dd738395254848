r"""Σ⁺M for mixtures of Markov chains on the paths of a graph, without a matrix.

For one chain Σ⁺ is known. Let :math:`x_e` be the probability of edge e and :math:`m_u` that of vertex u. The variance of a
sum along the walk is the sum of what each step adds to it, so for a vector r in the span of the paths one solution of Σy = r is

.. math:: y_e = \frac{r_e}{x_e} - \frac{1}{m_u}\sum_{e' \text{ leaves } u} r_{e'} + \rho\,[u = s],

e leaving u, ρ the sum over the edges that leave the source s. Chains that wander have nearly the Σ of one chain with their common
marginals; a chain that hardly does has nearly :math:`xx^\top`. So conjugate gradients are preconditioned by

.. math:: \textstyle\big(\sum_c \theta_c w_c\big)\,\Sigma_{\text{one chain}} + \sum_c (1-\theta_c)\,w_c\, x_c x_c^\top,

the one chain having the marginals of :math:`\sum_c \theta_c w_c x_c`, and :math:`\sqrt[3]{\theta_c}` saying how much chain c
wanders: the expected sum of 1 − p over its steps, relative to the largest. Products of all chains are taken in one pass
over the edges, four chains at a time.

The graph is as in ``kernels.dag``; vectors are in the order of the graph. May touch: ``kernels.cholesky``,
``kernels.compile``, ``kernels.vectors``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.kernels.cholesky import cholesky
from swapregret.kernels.compile import kernel
from swapregret.kernels.vectors import dot, dot_three

__all__ = ["Chains", "chain_wandering", "pack_chains", "solve_chains"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Places = npt.NDArray[np.uint64]

_WIDTH = 4
_SMALLEST, _NEGLIGIBLE = 1e-280, 1e-9


class Chains(NamedTuple):
    """A mixture of chains, in groups of four; empty places are chains that never move.

    Attributes
    ----------
    start, head : uint64 arrays
        The graph once more: an index without a sign need not be checked for one.
    transition : float64 array, shape (groups, E, 4)
        Of each edge.
    mass : float64 array, shape (groups, n, 4)
        Weight · probability of each vertex.
    per_flow : float64 array, shape (E,)
        1 / Σ_c θ_c w_c x_c of each edge.
    per_vertex : float64 array, shape (n,)
        The same of each vertex.
    per_share : float
        1 / Σ_c θ_c w_c.
    columns, solved : float64 arrays, shapes (≥ q, E) and (q, E)
        √((1 − θ_c) w_c) x_c of the chains that do not wander, and what the one chain makes of them.
    factor : float64 array, shape (q, q)
        Of I + columns · solvedᵀ.
    """

    start: Places
    head: Places
    transition: Floats
    mass: Floats
    per_flow: Floats
    per_vertex: Floats
    per_share: float
    columns: Floats
    solved: Floats
    factor: Floats


@kernel
def chain_wandering(transition: Floats, flow: Floats) -> float:
    """Return the expected sum of 1 − p over the steps of a chain."""
    total = 0.0
    for k in range(flow.size):
        total += flow[k] * (1.0 - transition[k])
    return total


@kernel
def _shares(wandering: Floats, slots: Integers) -> Floats:
    """Return θ of each chain."""
    theta = np.empty(slots.size)
    largest = 0.0
    for c in range(slots.size):
        largest = max(largest, wandering[slots[c]])
    for c in range(slots.size):
        share = wandering[slots[c]] / largest if largest > 0.0 else 1.0
        theta[c] = share * share * share
    return theta


@kernel
def _one_chain(
    start: Places, per_flow: Floats, per_vertex: Floats, per_share: float, residual: Floats, shaped: Floats
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
    start: Integers,
    head: Integers,
    transitions: Floats,
    flows: Floats,
    masses: Floats,
    wandering: Floats,
    slots: Integers,
    weights: Floats,
) -> Chains:
    """Put the chains in some slots side by side, and make the preconditioner; ``wandering`` as by :func:`chain_wandering`."""
    n_edges, n = flows.shape[1], masses.shape[1]
    begin, enters = start.astype(np.uint64), head.astype(np.uint64)
    n_groups = (slots.size + _WIDTH - 1) // _WIDTH
    packed, heavy = np.zeros((n_groups, n_edges, _WIDTH)), np.zeros((n_groups, n, _WIDTH))
    per_flow, per_vertex, share = np.zeros(n_edges), np.zeros(n), 0.0
    theta = _shares(wandering, slots)
    columns = np.empty((slots.size, n_edges))
    q = 0
    for c in range(slots.size):
        group, place, weight, part = c // _WIDTH, c % _WIDTH, weights[c], weights[c] * theta[c]
        transition, flow, mass = transitions[slots[c]], flows[slots[c]], masses[slots[c]]
        share += part
        for k in range(n_edges):
            packed[group, k, place] = transition[k]
        for k in range(n_edges):
            per_flow[k] += part * flow[k]
        for u in range(n):
            heavy[group, u, place] = weight * mass[u]
            per_vertex[u] += part * mass[u]
        if weight - part > _NEGLIGIBLE:
            root = np.sqrt(weight - part)
            column = columns[q]
            for k in range(n_edges):
                column[k] = root * flow[k]
            q += 1
    for k in range(n_edges):
        per_flow[k] = 1.0 / per_flow[k] if per_flow[k] > _SMALLEST else 0.0
    for u in range(n):
        per_vertex[u] = 1.0 / per_vertex[u] if per_vertex[u] > _SMALLEST else 0.0
    solved, gram = np.empty((q, n_edges)), np.empty((q, q))
    per_share = 1.0 / share if share > 0.0 else 0.0
    for c in range(q):
        _one_chain(begin, per_flow, per_vertex, per_share, columns[c], solved[c])
        for e in range(c + 1):
            gram[e, c] = dot(columns[e], solved[c]) + (1.0 if c == e else 0.0)
    factor, _ = cholesky(gram)
    return Chains(begin, enters, packed, heavy, per_flow, per_vertex, per_share, columns, solved, factor)


@kernel
def _energy(chains: Chains, residual: Floats, shift: Floats, inner: Floats) -> float:
    """Return rᵀ P⁻¹ r, and write what P⁻¹ r takes off at each vertex and, by the formula of Woodbury, of each column."""
    start = chains.start
    squares = dot_three(residual, residual, chains.per_flow)
    for u in range(start.size - 2):
        leaving = 0.0
        for k in range(start[u], start[u + 1]):
            leaving += residual[k]
        taken = leaving * chains.per_vertex[u]
        if u == 0:
            taken -= leaving * chains.per_share
        shift[u] = taken
        squares -= leaving * taken
    q = len(chains.solved)
    if q == 0:
        return squares
    for c in range(q):
        inner[c] = dot(chains.solved[c], residual)
    for c in range(q):
        value = inner[c]
        for e in range(c):
            value -= chains.factor[e, c] * inner[e]
        value /= chains.factor[c, c]
        inner[c] = value
        squares -= value * value
    for c in range(q - 1, -1, -1):
        value = inner[c]
        for e in range(c + 1, q):
            value -= chains.factor[c, e] * inner[e]
        inner[c] = value / chains.factor[c, c]
    return squares


@kernel
def _turn(chains: Chains, residual: Floats, shift: Floats, inner: Floats, ratio: float, direction: Floats) -> None:
    """Write P⁻¹ r + ratio · direction."""
    start, per_flow = chains.start, chains.per_flow
    for u in range(start.size - 2):
        taken = shift[u]
        for k in range(start[u], start[u + 1]):
            direction[k] = (residual[k] * per_flow[k] - taken) + ratio * direction[k]
    for c in range(len(chains.solved)):
        value, solved = inner[c], chains.solved[c]
        for k in range(direction.size):
            direction[k] -= value * solved[k]


@kernel
def _product(chains: Chains, vector: Floats, ahead: Floats, behind: Floats, result: Floats) -> None:
    """Write Σ_c w_c E_c[M (M·v)]: what each vertex expects ahead, backwards, then what lies behind, forwards."""
    start, head = chains.start, chains.head
    n = start.size - 1
    for group in range(len(chains.transition)):
        transition, mass = chains.transition[group], chains.mass[group]
        ahead[n - 1] = 0.0
        for u in range(n - 2, -1, -1):
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for k in range(start[u], start[u + 1]):
                v, value = head[k], vector[k]
                a += transition[k, 0] * (value + ahead[v, 0])
                b += transition[k, 1] * (value + ahead[v, 1])
                c += transition[k, 2] * (value + ahead[v, 2])
                d += transition[k, 3] * (value + ahead[v, 3])
            ahead[u, 0], ahead[u, 1], ahead[u, 2], ahead[u, 3] = a, b, c, d
        behind[:] = 0.0
        for u in range(n - 1):
            a, b, c, d = behind[u, 0], behind[u, 1], behind[u, 2], behind[u, 3]
            e, f, g, h = mass[u, 0], mass[u, 1], mass[u, 2], mass[u, 3]
            for k in range(start[u], start[u + 1]):
                v, value = head[k], vector[k]
                w, x, y, z = transition[k, 0], transition[k, 1], transition[k, 2], transition[k, 3]
                o, p, q, r = a + e * value, b + f * value, c + g * value, d + h * value
                here = w * (o + e * ahead[v, 0]) + x * (p + f * ahead[v, 1])
                here += y * (q + g * ahead[v, 2]) + z * (r + h * ahead[v, 3])
                behind[v, 0] += w * o
                behind[v, 1] += x * p
                behind[v, 2] += y * q
                behind[v, 3] += z * r
                result[k] = here if group == 0 else result[k] + here


@kernel
def solve_chains(chains: Chains, right: Floats, tolerance: float, limit: int) -> tuple[Floats, float, int]:
    """Solve Σy = r for r in the span of the paths; return y, the relative residual reached and the number of steps.

    The iteration ends at ``tolerance``, in the norm of the preconditioner, after ``limit`` steps, or where rounding leaves no
    direction.
    """
    n, n_edges = chains.start.size - 1, chains.head.size
    result, room, sides = np.zeros(n_edges), np.empty((3, n_edges)), np.empty((2, n, _WIDTH))
    residual, direction, product, ahead, behind = room[0], room[1], room[2], sides[0], sides[1]
    residual[:] = right
    direction[:] = 0.0
    shift, inner = np.empty(n), np.empty(len(chains.solved))
    energy = _energy(chains, residual, shift, inner)
    first, previous = energy, energy
    if not energy > 0.0:
        return result, 0.0, 0
    step = 0
    while True:
        ratio = energy / previous if step > 0 else 0.0
        _turn(chains, residual, shift, inner, ratio, direction)
        _product(chains, direction, ahead, behind, product)
        curvature = dot(direction, product)
        if not curvature > 0.0:
            break
        length = energy / curvature
        for k in range(n_edges):
            result[k] += length * direction[k]
        for k in range(n_edges):
            residual[k] -= length * product[k]
        step += 1
        previous, energy = energy, _energy(chains, residual, shift, inner)
        if not energy > first * tolerance * tolerance or step == limit:
            break
    return result, np.sqrt(max(energy, 0.0) / first), step
