r"""Σ⁺v for mixtures of Markov chains on the paths of a graph, without a matrix.

For one chain Σ⁺ is known. Let :math:`x_e` be the probability of edge e and :math:`m_u` that of vertex u. The variance of a
sum along the walk is the sum of what each step adds to it, so for a vector r in the span of the paths one solution of Σy = r is

.. math:: y_e = \frac{r_e}{x_e} - \frac{1}{m_u}\sum_{e' \text{ leaves } u} r_{e'} + \rho\,[u = s],

e leaving u, ρ the sum over the edges that leave the source s. Chains that wander have nearly the Σ of one chain with their common
marginals; a chain that hardly does has nearly :math:`xx^\top`. So conjugate gradients are preconditioned by

.. math:: \textstyle\big(\sum_c \theta_c w_c\big)\,\Sigma_{\text{one chain}} + \sum_c (1-\theta_c)\,w_c\, x_c x_c^\top,

the one chain having the marginals of :math:`\sum_c \theta_c w_c x_c`, and :math:`\sqrt[3]{\theta_c}` saying how much chain c
wanders: the expected sum of 1 − p over its steps, relative to the largest. Products of all chains are taken in one pass
over the edges, four chains at a time.

The graph is as in ``kernels.dag``; vectors are in the order of the graph.
"""

import numpy as np

from swapregret.actions.paths.kernels.chain_pack import WIDTH, PackedChains, lane_dot
from swapregret.actions.paths.kernels.dag import Offsets
from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel


@kernel
def _energy(
    mixture: PackedChains, squares: float, leaving: Floats, residual: Floats, shift: Floats, inner: Floats
) -> float:
    """Return rᵀ P⁻¹ r, and write what P⁻¹ r takes off at each vertex and, by the formula of Woodbury, of each column.

    ``squares`` is Σ r²/x, ``leaving`` what r adds up to over the edges that leave each vertex.
    """
    per_vertex, per_share, factor, q = mixture.per_vertex, mixture.per_share, mixture.factor, inner.size
    for u in range(leaving.size):
        taken = leaving[u] * per_vertex[u]
        if u == 0:
            taken -= leaving[u] * per_share
        shift[u] = taken
        squares -= leaving[u] * taken
    for c in range(q):
        inner[c] = lane_dot(mixture.solved[c], residual)
    for c in range(q):
        value = inner[c]
        for e in range(c):
            value -= factor[e, c] * inner[e]
        value /= factor[c, c]
        inner[c] = value
        squares -= value * value
    for c in range(q - 1, -1, -1):
        value = inner[c]
        for e in range(c + 1, q):
            value -= factor[c, e] * inner[e]
        inner[c] = value / factor[c, c]
    return squares


@kernel
def _turn(
    start: Offsets, mixture: PackedChains, scaled: Floats, shift: Floats, inner: Floats, ratio: float, direction: Floats
) -> None:
    """Write P⁻¹ r + ratio · direction."""
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    solved, q = mixture.solved, inner.size
    for u in range(start.size - 2):
        taken, k, last = shift[u], start[u], start[u + 1]
        while k + three < last:
            a, b = (scaled[k] - taken) + ratio * direction[k], (scaled[k + one] - taken) + ratio * direction[k + one]
            c = (scaled[k + two] - taken) + ratio * direction[k + two]
            d = (scaled[k + three] - taken) + ratio * direction[k + three]
            direction[k], direction[k + one], direction[k + two], direction[k + three] = a, b, c, d
            k += four
        while k < last:
            direction[k] = (scaled[k] - taken) + ratio * direction[k]
            k += one
    column = 0
    while column + 1 < q:
        x, y, first, second = inner[column], inner[column + 1], solved[column], solved[column + 1]
        for i in range(direction.size):
            direction[i] -= x * first[i] + y * second[i]
        column += 2
    if column < q:
        x, first = inner[column], solved[column]
        for i in range(direction.size):
            direction[i] -= x * first[i]


@kernel
def _multiply(
    start: Offsets,
    head: Offsets,
    mixture: PackedChains,
    vector: Floats,
    sides: Floats,
    spare: Floats,
    result: Floats,
    leaving: Floats,
) -> None:
    """Write Σ_c w_c E_c[M (M·v)], and what it adds up to over the edges that leave each vertex."""
    leaving[:] = 0.0
    for group in range(len(mixture.flow)):
        part = result if group == 0 else spare
        _product(start, head, mixture.flow[group], mixture.per_mass[group], vector, sides, part, leaving)
        if group > 0:
            for k in range(result.size):
                result[k] += spare[k]


@kernel
def _product(
    start: Offsets,
    head: Offsets,
    flow: Floats,
    per_mass: Floats,
    vector: Floats,
    sides: Floats,
    result: Floats,
    leaving: Floats,
) -> None:
    """Write the sum over four chains: what each vertex expects ahead, backwards, then what lies behind, forwards.

    What leaves a vertex is what it expects ahead and what lies behind it, both times its probability.

    ``sides`` ends with four numbers that are written to and never read: it makes the compiler add all four chains at once.
    """
    zero, one = np.uint64(0), np.uint64(1)
    n = np.uint64(start.size - 2)
    ahead, behind, sums = sides[0], sides[1], sides[1, start.size - 1]
    # backwards: Σ over the edges that leave u of x_e (v_e + what their heads expect), over the probability of u
    u = n
    while u > zero:
        u -= one
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for k in range(start[u], start[u + one]):
            v, value = head[k], vector[k]
            a += flow[k, 0] * (value + ahead[v, 0])
            b += flow[k, 1] * (value + ahead[v, 1])
            c += flow[k, 2] * (value + ahead[v, 2])
            d += flow[k, 3] * (value + ahead[v, 3])
        sums[0], sums[1], sums[2], sums[3] = a, b, c, d
        leaving[u] += (a + c) + (b + d)
        a, b, c, d = a * per_mass[u, 0], b * per_mass[u, 1], c * per_mass[u, 2], d * per_mass[u, 3]
        ahead[u, 0], ahead[u, 1], ahead[u, 2], ahead[u, 3] = a, b, c, d
    # forwards: an edge gets x_e (behind u + v_e + ahead of its head), its head x_e (behind u + v_e)
    behind[:] = 0.0
    for w in range(zero, n):
        e, f, g, h = behind[w, 0], behind[w, 1], behind[w, 2], behind[w, 3]
        leaving[w] += (e + g) + (f + h)
        e, f, g, h = e * per_mass[w, 0], f * per_mass[w, 1], g * per_mass[w, 2], h * per_mass[w, 3]
        for k in range(start[w], start[w + one]):
            v, value = head[k], vector[k]
            i, j, m, o = flow[k, 0], flow[k, 1], flow[k, 2], flow[k, 3]
            p, q, r, s = e + value, f + value, g + value, h + value
            a, b, c, d = i * (p + ahead[v, 0]), j * (q + ahead[v, 1]), m * (r + ahead[v, 2]), o * (s + ahead[v, 3])
            p, q, r, s = behind[v, 0] + i * p, behind[v, 1] + j * q, behind[v, 2] + m * r, behind[v, 3] + o * s
            behind[v, 0], behind[v, 1], behind[v, 2], behind[v, 3] = p, q, r, s
            sums[0], sums[1], sums[2], sums[3] = a, b, c, d
            result[k] = (a + c) + (b + d)


@kernel
def _step(per_flow: Floats, length: float, product: Floats, residual: Floats, scaled: Floats) -> float:
    """Move the residual r, write r/x and return Σ r²/x in four interleaved sums."""
    zero, one, two, three, four = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    s, t, u, v, rest = 0.0, 0.0, 0.0, 0.0, 0.0
    k, size = zero, np.uint64(residual.size)
    while k + three < size:
        a, b = residual[k] - length * product[k], residual[k + one] - length * product[k + one]
        c, d = residual[k + two] - length * product[k + two], residual[k + three] - length * product[k + three]
        e, f, g, h = a * per_flow[k], b * per_flow[k + one], c * per_flow[k + two], d * per_flow[k + three]
        residual[k], residual[k + one], residual[k + two], residual[k + three] = a, b, c, d
        scaled[k], scaled[k + one], scaled[k + two], scaled[k + three] = e, f, g, h
        s, t, u, v = s + a * e, t + b * f, u + c * g, v + d * h
        k += four
    while k < size:
        residual[k] -= length * product[k]
        scaled[k] = residual[k] * per_flow[k]
        rest += residual[k] * scaled[k]
        k += one
    return float(((s + u) + (t + v)) + rest)


@kernel
def solve_chains(
    start: Offsets, head: Offsets, mixture: PackedChains, right: Floats, tolerance: float, limit: int
) -> tuple[Floats, float, int]:
    """Solve Σy = r for r in the span of the paths; return y, the relative residual reached and the number of steps.

    The iteration ends at ``tolerance``, in the norm of the preconditioner, after ``limit`` steps, or where rounding leaves no
    direction.
    """
    n, n_edges, per_flow = start.size - 1, head.size, mixture.per_flow
    result, room, sides = np.zeros(n_edges), np.empty((4, n_edges)), np.zeros((2, n + 1, WIDTH))
    residual, direction, product, scaled = room[0], room[1], room[2], room[3]
    spots, inner = np.zeros((3, n - 1)), np.empty(len(mixture.factor))
    leaving, change, shift = spots[0], spots[1], spots[2]
    # y = 0: the residual is r, and its energy rᵀP⁻¹r
    residual[:] = right
    direction[:] = 0.0
    product[:] = 0.0
    for u in range(n - 1):
        for k in range(start[u], start[u + 1]):
            leaving[u] += right[k]
    squares = _step(per_flow, 0.0, product, residual, scaled)
    energy = _energy(mixture, squares, leaving, residual, shift, inner)
    first, previous = energy, energy
    if not energy > 0.0:
        return result, 0.0, 0
    step = 0
    while True:  # conjugate gradients, preconditioned by P
        ratio = energy / previous if step > 0 else 0.0
        _turn(start, mixture, scaled, shift, inner, ratio, direction)
        _multiply(start, head, mixture, direction, sides, scaled, product, change)
        curvature = lane_dot(direction, product)
        if not curvature > 0.0:
            break
        # y and the residual move along the direction, as far as the energy falls
        length = energy / curvature
        for k in range(n_edges):
            result[k] += length * direction[k]
        for u in range(n - 1):
            leaving[u] -= length * change[u]
        squares = _step(per_flow, length, product, residual, scaled)
        step += 1
        previous, energy = energy, _energy(mixture, squares, leaving, residual, shift, inner)
        if not energy > first * tolerance * tolerance or step == limit:
            break
    return result, np.sqrt(max(energy, 0.0) / first), step
