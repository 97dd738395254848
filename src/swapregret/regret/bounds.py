r"""What theory promises: the right-hand sides of the theorems, as functions, marked where they say nothing.

*Notation*: d ``dimension``, m ``size``, T ``horizon``, H ``branching``, K ``n_scales``, λ ``smallest_eigenvalue``, log the
natural logarithm. Swap regret of rewards in [0, 1] never exceeds T, so a bound of T or more is *vacuous*; at practical
horizons most of them are. Rows of the paper's Table 1 are orders of growth: they are evaluated with constant 1, and say so.
"""

import math
from dataclasses import dataclass

from swapregret.arrays import as_integer
from swapregret.errors import InvalidInput


@dataclass(frozen=True)
class Bound:
    """One right-hand side.

    Attributes
    ----------
    value : float
        A total over the horizon; infinite where it overflows.
    statement : str
        The formula, where it comes from, and what it holds for.
    horizon : float
        T, or the length of an interval for the bound of one learner.
    is_vacuous : bool
        Whether it says nothing here: an upper bound of at least T, or a lower bound whose condition fails.
    """

    value: float
    statement: str
    horizon: float
    is_vacuous: bool

    @property
    def per_round(self) -> float:
        """Return the value divided by the horizon."""
        return self.value / self.horizon

    def __str__(self) -> str:
        verdict = ", vacuous" if self.is_vacuous else ""
        return f"{self.value:.6g} ({self.per_round:.4g} per round{verdict}): {self.statement}"


def swap_combcp_bound(
    dimension: int,
    horizon: int,
    *,
    size: int | None = None,
    branching: int | None = None,
    n_scales: int | None = None,
) -> Bound:
    """Return the bound on the swap regret of Swap-ComBCP.

    Without ``branching`` and ``n_scales`` it is the main theorem's, 45·log(d log T)·T/log T. With them (and ``size``) it
    is the line of its proof that still has H and K in it,
    (1/K) Σ_{k=1}^{K−1} ⌈T/H^k⌉ g H^{k−1} H^{2/3} + T/K with g = 3 d³ m^{3/2} log d.

    Examples
    --------
    >>> bound = swap_combcp_bound(10, 1_000_000)
    >>> round(bound.per_round, 2), bound.is_vacuous
    (16.05, True)
    """
    d, days = as_integer(dimension, "dimension", 1), as_integer(horizon, "horizon", 2, math.inf)
    if branching is None and n_scales is None:
        value = 45.0 * math.log(d * math.log(days)) * days / math.log(days)
        return _upper(value, "45·log(d log T)·T/log T, swap regret of Swap-ComBCP (main theorem)", days)
    m, h, k = _chain(size, branching, n_scales, d)
    g = 3.0 * d**3 * m**1.5 * math.log(d)
    return _of_the_proof("Swap-ComBCP", g, f"3 d³ m^(3/2) log d = {g:.4g}", h, k, days)


def swap_comband_bound(
    dimension: int,
    size: int,
    horizon: int,
    *,
    smallest_eigenvalue: float,
    branching: int | None = None,
    n_scales: int | None = None,
) -> Bound:
    """Return the bound on the swap regret of Swap-ComBand, with g = md + m² log d/λ + 2.

    This g is that of the external regret; the proof of the theorem, and ``Schedule.from_theorem``, round log d up (D10).
    Without ``branching`` and ``n_scales``: (4 + 6 log log T + 6 log g)·T/log T; with them, the line of the proof that
    still has H and K in it, as of :func:`swap_combcp_bound`.
    """
    d, days = as_integer(dimension, "dimension", 1), as_integer(horizon, "horizon", 3, math.inf)
    m = as_integer(size, "size", 1, d)
    g = _g_comband(d, m, smallest_eigenvalue)
    if branching is None and n_scales is None:
        value = (4.0 + 6.0 * math.log(math.log(days)) + 6.0 * math.log(g)) * days / math.log(days)
        what = f"(4 + 6 log log T + 6 log g)·T/log T, g = {g:.4g}, swap regret of Swap-ComBand (its theorem)"
        return _upper(value, what, days)
    m, h, k = _chain(size, branching, n_scales, d)
    return _of_the_proof("Swap-ComBand", g, f"{g:.4g}", h, k, days)


def lazy_combcp_bound(dimension: int, size: int, branching: int, scale: int) -> Bound:
    """Return the bound on the external regret of one interval of Lazy-ComBCP, 3 H^{k−1} H^{2/3} d³ m^{3/2} log d."""
    d = as_integer(dimension, "dimension", 1)
    m, h, k = _chain(size, branching, scale, d)
    value = 3.0 * float(h) ** (k - 1) * h ** (2.0 / 3.0) * d**3 * m**1.5 * math.log(d)
    what = f"3 H^(k−1) H^(2/3) d³ m^(3/2) log d, external regret of Lazy-ComBCP on one interval of scale {k}"
    return _upper(value, what, float(h) ** k)


def lazy_comband_bound(dimension: int, size: int, branching: int, scale: int, *, smallest_eigenvalue: float) -> Bound:
    """Return the bound on the external regret of one interval of Lazy-ComBand, H^{k−1} H^{2/3} (md + m² log d/λ + 2)."""
    d = as_integer(dimension, "dimension", 1)
    m, h, k = _chain(size, branching, scale, d)
    value = float(h) ** (k - 1) * h ** (2.0 / 3.0) * _g_comband(d, m, smallest_eigenvalue)
    what = f"H^(k−1) H^(2/3) (md + m² log d/λ + 2), external regret of Lazy-ComBand on one interval of scale {k}"
    return _upper(value, what, float(h) ** k)


def table1(dimension: int, size: int, horizon: int) -> dict[str, Bound]:
    """Return the rows of the paper's Table 1 with N = d^m, each an order of growth evaluated with constant 1.

    Examples
    --------
    >>> rows = table1(10, 3, 1_000_000)
    >>> [name for name, bound in rows.items() if not bound.is_vacuous]
    ['Dagan et al. (2024)', 'Swap-ComBCP']
    """
    d, days = as_integer(dimension, "dimension", 2), as_integer(horizon, "horizon", 3, math.inf)
    m = as_integer(size, "size", 1, d)
    n = _power(d, m)
    log_ratio = math.log(days) - m * math.log(d)
    treeswap = math.inf
    if log_ratio > 0.0:
        treeswap = days * math.log(max(m * math.log(days), math.e)) / log_ratio + math.sqrt(
            n * days * math.log(n * days)
        )
    order = "(order of growth, constant 1)"
    return {
        "Stoltz (2005)": _upper(n * math.sqrt(m * days * math.log(d)), f"d^m √(m T log d) {order}", days),
        "Blum and Mansour (2007)": _upper(
            n * math.sqrt(n * m * days * math.log(d)), f"d^m √(m d^m T log d) {order}", days
        ),
        "Ito (2020)": _upper(n * math.sqrt(days), f"d^m √T {order}", days),
        "Dagan et al. (2024)": _upper(
            treeswap,
            f"T log(m log T)/log(T/d^m) + √(d^m T log(d^m T)) {order}; maximum over φ inside the expectation",
            days,
        ),
        "Swap-ComBCP": _upper(
            days * math.log(d * math.log(days)) / math.log(days), f"T log(d log T)/log T {order}", days
        ),
        "lower bound": lower_bound(d, days, size=m),
    }


def lower_bound(dimension: int, horizon: int, *, size: int | None = None) -> Bound:
    """Return the order of the lower bound T/log⁶T, which holds for T ≤ exp(Ω(d^{1/14})) and m ≥ d^{12/13}.

    Vacuous where its conditions (with constant 1) fail, which is wherever T is larger than a handful.
    """
    d, days = as_integer(dimension, "dimension", 1, math.inf), as_integer(horizon, "horizon", 3, math.inf)
    value = days / math.log(days) ** 6
    applies = math.log(days) <= d ** (1.0 / 14.0) and (size is None or size >= d ** (12.0 / 13.0))
    what = (
        "T/log⁶T (order of growth, constant 1), some oblivious adversary makes any learner suffer it,"
        ' for T ≤ exp(Ω(d^(1/14))) and m ≥ d^(12/13) (Corollary "Tightness")'
    )
    return Bound(value, what, float(days), not applies)


def _upper(value: float, statement: str, horizon: float) -> Bound:
    return Bound(value, statement, float(horizon), not value < horizon)


def _g_comband(d: int, m: int, smallest_eigenvalue: float) -> float:
    if not (math.isfinite(smallest_eigenvalue) and smallest_eigenvalue > 0.0):
        raise InvalidInput(
            "`smallest_eigenvalue` must be positive", repr(smallest_eigenvalue), "Take that of the exploration policy."
        )
    return m * d + m**2 * math.log(d) / smallest_eigenvalue + 2.0


def _chain(size: int | None, branching: int | None, n_scales: int | None, d: int) -> tuple[int, int, int]:
    if size is None or branching is None or n_scales is None:
        raise InvalidInput(
            "`size`, `branching` and `n_scales` must be given together",
            f"size={size}, branching={branching}, n_scales={n_scales}",
            "Give all three, or none of the last two.",
        )
    return (
        as_integer(size, "size", 1, d),
        as_integer(branching, "branching", 2, math.inf),
        as_integer(n_scales, "n_scales", 1),
    )


def _of_the_proof(name: str, g: float, words: str, h: int, k: int, days: int) -> Bound:
    """Return the line of the proof of a master's bound that still has H and K in it."""
    total = 0.0
    for scale in range(1, k):
        total += -(-days // h**scale) * g * float(h) ** (scale - 1) * h ** (2.0 / 3.0)
    where = f"(1/K) Σ ⌈T/H^k⌉ g H^(k−1) H^(2/3) + T/K at H = {h}, K = {k}, g = {words} (its proof)"
    return _upper((total + days) / k, f"swap regret of {name}: {where}", days)


def _power(base: int, exponent: int) -> float:
    try:
        return float(base) ** exponent
    except OverflowError:
        return math.inf
