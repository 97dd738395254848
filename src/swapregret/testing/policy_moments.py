r"""Checks of what a policy says about its moments.

For a law over 0/1 vectors, :math:`\Sigma = E[MM^\top]` is symmetric and positive semidefinite, its diagonal is :math:`E[M]`, and
:math:`\max(0, x_i + x_j - 1) \le \Sigma_{ij} \le \min(x_i, x_j)`; if all actions have m elements, :math:`\Sigma 1 = m x`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector
from swapregret.testing.policy_case import PolicyCase
from swapregret.testing.report import require

__all__ = ["check_marginals", "check_second_moment", "check_value"]

_TOLERANCE = 1e-10
_SPECTRAL = 400


def check_marginals(case: PolicyCase) -> str | None:
    """Check that marginals are probabilities, one for each coordinate."""
    policy, actions, d = case.policy, case.actions, case.policy.dimension
    require(
        actions is None or actions.dimension == d,
        f"`dimension` must be that of {actions!r}",
        f"{d}",
        "Build the policy for the same set.",
    )
    x = policy.marginals()
    require(
        isinstance(x, np.ndarray) and x.shape == (d,) and x.dtype == np.float64,
        f"`marginals()` must be a float64 vector of shape ({d},)",
        f"{type(x).__name__} of shape {np.shape(x)}",
        "Return E[M].",
    )
    require(
        bool((x >= -1e-12).all() and (x <= 1.0 + 1e-12).all()),
        "`marginals()` must lie in [0, 1]",
        f"entries from {x.min():.6g} to {x.max():.6g}",
        "They are the probabilities with which elements are chosen.",
    )
    if actions is not None and actions.is_uniform:
        require(
            abs(float(x.sum()) - actions.size) <= _TOLERANCE * d,
            f"`marginals()` must add up to {actions.size}, the size of every action",
            f"{x.sum()!r}",
            "Check that every action drawn has all its elements.",
        )
    return None


def check_second_moment(case: PolicyCase) -> str | None:
    """Check that the dense matrix, the product and the marginals are moments of one law over 0/1 vectors."""
    policy, d, x = case.policy, case.policy.dimension, case.policy.marginals()
    matrix = policy.cooccurrence()
    require(
        isinstance(matrix, np.ndarray) and matrix.shape == (d, d),
        f"`cooccurrence()` must have shape ({d}, {d})",
        f"shape {np.shape(matrix)}",
        "Return E[M Mᵀ].",
    )
    _check_matrix(matrix, x, case.actions)
    rng = np.random.default_rng([case.seed, 3])
    vectors = [*np.eye(d)[: min(d, 8)], np.ones(d), *rng.standard_normal((4, d)), *rng.standard_normal((2, d)) * 1e6]
    for v in vectors:
        product = policy.second_moment(v.copy())
        gap = float(np.abs(product - matrix @ v).max()) / (1.0 + float(np.abs(v).sum()))
        require(
            np.shape(product) == (d,) and gap <= _TOLERANCE,
            f"`second_moment(v)` must equal cooccurrence() @ v within {_TOLERANCE}, relative to v",
            f"a difference of {gap:.3g}",
            "Compute both from the same law.",
        )
    return None


def _check_matrix(matrix: Matrix, x: Vector, actions: ActionSet | None) -> None:
    gap = float(np.abs(matrix - matrix.T).max())
    require(gap <= 1e-12, "`cooccurrence()` must be symmetric", f"a difference of {gap:.3g}", "Return (Σ + Σᵀ)/2.")
    gap = float(np.abs(np.diag(matrix) - x).max())
    require(
        gap <= _TOLERANCE,
        f"the diagonal of `cooccurrence()` must be the marginals within {_TOLERANCE} (entries of an action are 0 or 1)",
        f"a difference of {gap:.3g}",
        "Compute both from the same law.",
    )
    upper, lower = np.minimum.outer(x, x), np.maximum(0.0, np.add.outer(x, x) - 1.0)
    excess = float(max((matrix - upper).max(), (lower - matrix).max()))
    require(
        excess <= _TOLERANCE,
        "`cooccurrence()` must lie between max(0, x_i + x_j − 1) and min(x_i, x_j)",
        f"an entry {excess:.3g} outside",
        "P(i and j) cannot leave these bounds under any law.",
    )
    least = float(np.linalg.eigvalsh(matrix)[0]) if len(x) <= _SPECTRAL else _least_quadratic(matrix)
    require(
        least >= -_TOLERANCE * (1.0 + float(np.trace(matrix))),
        "`cooccurrence()` must be positive semidefinite",
        f"E[(M·v)²] = {least:.3g} for a v of length 1",
        "E[(M·v)²] is not negative for any v.",
    )
    if actions is not None and actions.is_uniform:
        gap = float(np.abs(matrix.sum(axis=1) - actions.size * x).max())
        require(
            gap <= _TOLERANCE * len(x),
            f"the rows of `cooccurrence()` must add up to {actions.size} times the marginals",
            f"a difference of {gap:.3g}",
            "Every action has the same number of elements.",
        )


def _least_quadratic(matrix: Matrix) -> float:
    """Return the least v·Σv over some random directions, where eigenvalues would take long."""
    directions = np.random.default_rng(len(matrix)).standard_normal((50, len(matrix)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return float(np.einsum("vi,vi->v", directions @ matrix, directions).min())


def check_value(case: PolicyCase) -> str | None:
    """Check that what a policy hands out cannot be used to change it."""
    policy, seed = case.policy, case.seed
    v = np.random.default_rng([seed, 4]).standard_normal(policy.dimension)

    def answers() -> list[npt.NDArray[Any]]:
        drawn = policy.sample(np.random.default_rng([seed, 5]))
        given = [drawn, policy.marginals(), policy.cooccurrence(), policy.second_moment(v)]
        if policy.has_atoms:
            given += [policy.atoms, policy.weights]
        return given

    names = ("sample", "marginals", "cooccurrence", "second_moment", "atoms", "weights")
    handed = answers()
    before = [array.copy() for array in handed]
    kept = v.copy()
    for array in handed:
        if array.flags.writeable:
            array[...] = 1 - array
    for name, old, new in zip(names, before, answers(), strict=False):
        require(
            np.array_equal(old, new),
            f"`{name}` must be the same however often it is asked, even if the caller writes into the answer",
            "a policy that changed",
            "Mark what is kept as read-only (swapregret.arrays.frozen), or hand out copies.",
        )
    require(np.array_equal(v, kept), "`second_moment(v)` must leave v alone", "a changed vector", "Copy it first.")
    return None
