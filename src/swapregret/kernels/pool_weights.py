"""Whom the adaptive master follows: Blum and Mansour's reduction over the members of its pool, and sums for it.

May touch: ``kernels.compile``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel

__all__ = [
    "pool_weights",
    "stationary_law",
    "variance",
]

Floats = npt.NDArray[np.float64]

_LEAST_EXPONENT = -30.0


@kernel
def variance(vector: Floats) -> float:
    """Return the variance of the entries of a vector."""
    return float(np.var(vector))


@kernel
def stationary_law(transition: Floats) -> Floats:
    """Return π with πQ = π by elimination without subtractions (Grassmann, Taksar and Heyman)."""
    n = transition.shape[0]
    q = transition.copy()
    for k in range(n - 1, 0, -1):
        total = 0.0
        for j in range(k):
            total += q[k, j]
        if total <= 0.0:
            total = 1e-300
        for i in range(k):
            q[i, k] /= total
            for j in range(k):
                q[i, j] += q[i, k] * q[k, j]
    law = np.empty(n)
    law[0] = 1.0
    mass = 1.0
    for k in range(1, n):
        value = 0.0
        for i in range(k):
            value += law[i] * q[i, k]
        law[k] = value
        mass += value
    for k in range(n):
        law[k] /= mass
    return law


@kernel
def pool_weights(
    scores: Floats,
    variances: Floats,
    transition: Floats,
    law: Floats,
    gains: Floats,
    typical: float,
    step: float,
    spread: float,
) -> tuple[Floats, Floats, Floats, Floats]:
    """One step of Blum and Mansour's reduction over the members of a pool, exponential weights in each row.

    Row a is the learner that answers for member a: S_ag += π_a z_g, and Q_ag ∝ (½[a=g] + ½/G) exp(η_a S_ag) with
    η_a = step · √(log(G+1)/(Σ π_a² Var_{Q_a} z + 4·typical)). Returns S, the variances, Q and its stationary law, a share
    ``spread`` of which is dealt out evenly.
    """
    n = gains.size
    s = scores.copy()
    v = variances.copy()
    q = np.empty((n, n))
    for a in range(n):
        first = 0.0
        second = 0.0
        for g in range(n):
            first += transition[a, g] * gains[g]
            second += transition[a, g] * gains[g] * gains[g]
        v[a] += law[a] * law[a] * max(0.0, second - first * first)
        for g in range(n):
            s[a, g] += law[a] * gains[g]
        noise = v[a] + 4.0 * typical
        eta = 0.0
        if noise > 0.0:
            eta = step * np.sqrt(np.log(n + 1.0) / noise)
        top = s[a, 0]
        for g in range(n):
            top = max(top, s[a, g])
        total = 0.0
        for g in range(n):
            prior = 0.5 / n + (0.5 if a == g else 0.0)
            q[a, g] = prior * np.exp(
                max(eta * (s[a, g] - top), _LEAST_EXPONENT)
            )  # no entry may vanish: Q stays irreducible
            total += q[a, g]
        for g in range(n):
            q[a, g] /= total
    law = stationary_law(q)
    for g in range(n):
        law[g] = (1.0 - spread) * law[g] + spread / n
    return s, v, q, law
