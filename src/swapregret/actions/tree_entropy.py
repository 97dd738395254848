r"""The law of largest entropy over spanning trees with given marginals.

Where a point x lies in no proper face, the law is a Gibbs law: its scores maximise the concave
:math:`s \cdot x - \log \sum_T e^{s(T)}`, whose gradient is x minus the marginals and whose Hessian is minus the covariance. A set S
that is tight, :math:`x(S) = r(S)`, makes every tree contain a tree of S, so that the law is a product over the minors
into which the tight sets divide the graph.

May touch: ``errors``, ``arrays``, ``kernels.graphic_matroid``, ``actions.tree_laws``, ``actions.undirected``.
"""

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.actions.tree_laws import GibbsTrees, TreesOfMinors
from swapregret.actions.undirected import UndirectedGraph
from swapregret.arrays import Vector
from swapregret.errors import NotConverged
from swapregret.kernels.graphic_matroid import violated_classes

__all__ = ["fit_entropy", "tight_minors"]

Integers = npt.NDArray[np.int64]

_NEVER = 1e-12
_TIGHT = 1e-11
_UNIT = 2**48
_ACCURACY, _ACCEPTABLE = 1e-12, 1e-9
_STEPS, _SMALLEST = 60, 1e-6
_FLAT = 1e-9


def fit_entropy(graph: UndirectedGraph, point: Vector) -> TreesOfMinors:
    """Find the law of largest entropy with marginals x, a point of conv(A).

    Raises
    ------
    NotConverged
        If the marginals are missed by more than 1e-9.

    Examples
    --------
    >>> from swapregret.actions.undirected import read_graph
    >>> law = fit_entropy(read_graph([(0, 1), (1, 2), (2, 0)]), np.array([.6, .6, .8]))
    >>> law.probability(np.array([1, 1, 0])).__round__(9)
    0.2
    """
    edges, laws = [], []
    for chosen, ends in tight_minors(graph, point):
        names, numbers = np.unique(ends, return_inverse=True)
        tails, heads = numbers.reshape(ends.shape).astype(np.int64)
        minor = UndirectedGraph(
            vertices=tuple(names.tolist()), isolated=(), tails=tails, heads=heads, labels=tuple(chosen.tolist())
        )
        edges.append(chosen)
        laws.append(_fit(minor, point[chosen]))
    return TreesOfMinors(len(graph.labels), edges, laws)


def tight_minors(graph: UndirectedGraph, point: Vector) -> list[tuple[Integers, Integers]]:
    """Divide a graph along the tight sets of a point, those within 1e-11 included.

    Returns the edges of each minor and, for each, its two ends (2, n_edges); edges of mass below 1e-12 are in none.
    """
    start = np.flatnonzero(point > _NEVER)
    pending = [(start, np.stack([graph.tails[start], graph.heads[start]]))]
    minors = []
    while pending:
        chosen, ends = pending.pop()
        parts = _divide(ends, point[chosen])
        if parts is None:
            minors.append((chosen, ends))
            continue
        for inside, inner_ends in parts:
            pending.append((chosen[inside], inner_ends))
    return sorted(minors, key=lambda minor: int(minor[0][0]))


def _divide(ends: Integers, x: Vector) -> list[tuple[Integers, Integers]] | None:
    """Find a proper tight set; return its classes and what is left when they are contracted, or None.

    Tight sets without the heaviest edge f become violated when everything but f is raised a little and f is left out. Of those
    with f the smallest is the most violated when everything but f is lowered a little and f is contracted.
    """
    names, numbers = np.unique(ends, return_inverse=True)
    tails, heads = numbers.reshape(ends.shape).astype(np.int64)
    n = len(names)
    if n == 2:
        return None
    f = int(np.argmax(x))
    for factor, mass in ((1.0 + _TIGHT, 0), (1.0 - _TIGHT, 2 * _UNIT)):
        masses = (x * (factor * _UNIT)).astype(np.int64)
        masses[f] = mass
        classes = violated_classes(tails, heads, masses, n, _UNIT)
        is_inside = classes[tails] == classes[heads]
        if len(np.unique(classes)) in (1, n) or is_inside.all():
            continue
        parts = [
            (np.flatnonzero(is_inside & (classes[tails] == name)), name)
            for name in np.unique(classes[tails[is_inside]])
        ]
        between = np.flatnonzero(~is_inside)
        contracted = np.stack([classes[tails[between]], classes[heads[between]]])
        return [(inside, ends[:, inside]) for inside, _ in parts] + [(between, contracted)]
    return None


def _fit(graph: UndirectedGraph, x: Vector) -> GibbsTrees:
    """Find the Gibbs law with marginals x.

    First the scores move by half of what the log-odds are off, until they are off by little everywhere: marginals near 0 and near 1
    are exponential in the scores, which Newton's method alone would overshoot. Then Newton steps, damped by the objective.
    """
    odds = _log_odds(x)
    s = 0.5 * odds
    law = GibbsTrees(graph, s)
    for _ in range(_STEPS):
        off = odds - _log_odds(law.marginals())
        if float(np.abs(off).max()) <= 0.5:
            break
        s = s + 0.5 * off
        law = GibbsTrees(graph, s)
    error = float(np.abs(x - law.marginals()).max())
    for _ in range(_STEPS):
        if error <= _ACCURACY:
            return law
        step = _newton(law, x)
        value, slope, t = float(s @ x) - law.log_partition, float((x - law.marginals()) @ step), 1.0
        while t > _SMALLEST:
            moved = GibbsTrees(graph, s + t * step)
            left = float(np.abs(x - moved.marginals()).max())
            gain = float((s + t * step) @ x) - moved.log_partition - value
            if gain >= 1e-4 * t * slope or (slope <= _FLAT and left < error):
                break
            t *= 0.5
        else:
            break
        s, law, error = s + t * step, moved, left
    if error > _ACCEPTABLE:
        raise NotConverged(
            f"the marginals of max_entropy_policy must be met to {_ACCEPTABLE:.0e}",
            f"an error of {error:.3g}",
            "Use decompose, which is exact for every point.",
        )
    return law


def _log_odds(x: Vector) -> Vector:
    return np.asarray(np.log(np.maximum(x, 1e-300)) - np.log(np.maximum(1.0 - x, 2.0**-54)))


def _newton(law: GibbsTrees, x: Vector) -> Vector:
    """Solve covariance · step = x − marginals, scaled by the marginals; adding a constant to all scores changes nothing."""
    m = law.marginals()
    root = np.sqrt(m)
    matrix = law.covariance() / np.outer(root, root) + np.outer(root, root) / float(m.sum())
    matrix[np.diag_indices_from(matrix)] += 1e-15
    return np.asarray(
        scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix, check_finite=False), (x - m) / root, check_finite=False)
        / root
    )
