r"""How far estimates from totals can be from the truth, for all actions at once, whatever the policies and the rewards.

*The setting.* On day t the policy p_t draws M, and a total r in [0, 1] is seen, with mean R_t·M. Let c be a linear function that is
½ on every action, and b = ½; where there is none, c = 0 and b = 1. With e = r − c·M, |e| ≤ b, let :math:`z = e\,X\cdot\Sigma_t^+
M`. For every action X that Σ_t reaches, E z = R_t·X − c·X and :math:`\mathbb E z^2 \le b^2\, X^\top\Sigma_t^+ X`.

*The inequality.* :math:`e^{x - x^2/6} \le 1 + x + x^2/3` for all real x (Delyon 2009). So for every λ, with no bound on z,

.. math:: \mathbb E\,e^{\lambda (z - \mathbb E z) - \lambda^2 w/2} \le 1, \qquad w = \tfrac13 z^2 + \tfrac23 b^2 X^\top\Sigma_t^+X.

Let W(X) be the sum of w over all days, a quadratic form in X, and S(X) that of z − E z. The product over days, averaged over
λ ~ N(0, 1/ρ), exceeds N/δ with probability at most δ/N (Ville). Hence, with probability 1 − δ or more, for all N actions

.. math:: |S(X)| \le \sqrt{(W + \rho)\,(\log(1 + W/\rho) + 2\log(N/\delta))}.

ρ = n b² is the least that b² Σ X·Σ⁺X can be. Rewards may depend on all that happened before, not on the draw of the day.

References: Delyon (2009), Exponential inequalities for sums of weakly dependent variables; de la Peña, Lai and Shao (2009),
Self-normalized processes.
"""

import math
from dataclasses import dataclass

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix, Vector

_TANGENTS = 32


@dataclass(frozen=True)
class Deviation:
    """The bound above.

    Attributes
    ----------
    floor : float
        ρ.
    log_ratio : float
        2 log(N/δ).
    """

    floor: float
    log_ratio: float

    @classmethod
    def of(cls, actions: ActionSet, n_days: int, bound: float, confidence: float) -> "Deviation":
        """Return the bound for all actions of a set; where their number is not known, 2^d stands for it."""
        n = actions.n_actions
        log_n = actions.dimension * math.log(2.0) if n is None else math.log(n)
        return cls(n_days * bound * bound, 2.0 * (log_n - math.log1p(-confidence)))

    def radius(self, spread: float) -> float:
        """Return how far the estimate can be where W = ``spread``: increasing and concave."""
        return math.sqrt((spread + self.floor) * (math.log1p(spread / self.floor) + self.log_ratio))

    def slope(self, spread: float) -> float:
        """Return the derivative of the radius."""
        return (math.log1p(spread / self.floor) + self.log_ratio + 1.0) / (2.0 * self.radius(spread))


def bracket_best(
    actions: ActionSet, estimate: Vector, spread: Matrix, deviation: Deviation
) -> tuple[float, float, float]:
    r"""Return a lower end, an estimate and an upper end of :math:`\max_X \sum_t R_t\cdot X`; the ends hold together.

    They come from :math:`G\cdot X`, the ``estimate``, and the quadratic form W, its ``spread``.

    Below: G·X − radius(W(X)) of any action, so of the best among those tried. Above: W(X) ≤ w·X with w_i = W_ii and the m − 1
    largest positive W_ij, and the radius is below each of its tangents, so :math:`\max_X (G + s\,w)\cdot X` and what the tangent
    has at 0 is above the maximum for each slope s: the least of 32. One oracle call per tangent and end.
    """
    if actions.rank < actions.dimension:  # what is orthogonal to all actions only blurs w
        basis = actions.span.orthonormal
        spread = basis @ (basis.T @ spread @ basis) @ basis.T
    diagonal = np.diagonal(spread).copy()
    others = np.maximum(spread, 0.0)
    np.fill_diagonal(others, 0.0)
    linear = diagonal + np.sort(others, axis=1)[:, ::-1][:, : max(actions.size - 1, 0)].sum(axis=1)
    value = float(estimate @ actions.argmax(estimate))
    most = max(float(linear @ actions.argmax(linear)), deviation.floor)
    lower, upper = -math.inf, math.inf
    for at in np.geomspace(deviation.floor / 2.0, most, _TANGENTS).tolist():
        slope, radius = deviation.slope(at), deviation.radius(at)
        weights = estimate + slope * linear
        upper = min(upper, float(weights @ actions.argmax(weights)) + radius - slope * at)
        tried = actions.argmax(estimate - slope * linear)
        lower = max(lower, float(estimate @ tried) - deviation.radius(max(0.0, float(tried @ spread @ tried))))
    return lower, value, upper
