r"""Checks of the linear geometry of a set: rank, span, barycentric spanner.

Each is a certificate that holds for any number of actions: r independent actions show that the rank is at least r, and
:math:`\max_M |M_i - (L M_J)_i| = 0`, two oracle calls a coordinate, that it is at most r.
"""

import numpy as np

from swapregret.arrays import Vector
from swapregret.testing.report import require
from swapregret.testing.set_case import SetCase

__all__ = ["check_span", "check_spanner"]

_ZERO = 1e-9


def check_span(case: SetCase) -> str | None:
    """Check rank, independent coordinates, lift and basis, and the rank against the list of actions."""
    actions, d, span = case.actions, case.actions.dimension, case.actions.span
    r, J = span.rank, span.coordinates
    require(
        actions.rank == r and J.shape == (r,) and bool((np.diff(J) > 0).all() and J.min() >= 0 and J.max() < d),
        "`span.coordinates` must be `rank` coordinates in increasing order",
        f"rank {actions.rank}, span.rank {r}, coordinates {J.tolist()}",
        "Build the span with swapregret.geometry.span.find_span.",
    )
    require(
        span.lift.shape == (d, r) and span.basis.shape == (r, d),
        f"`span.lift` must have shape ({d}, {r}) and `span.basis` ({r}, {d})",
        f"{span.lift.shape} and {span.basis.shape}",
        "Build the span with swapregret.geometry.span.find_span.",
    )
    for row in span.basis:
        require(
            case.is_member(row), "`span.basis` must consist of actions", f"{row.tolist()}", "Choose actions of the set."
        )
    found = int(np.linalg.matrix_rank(span.basis[:, J].astype(np.float64)))
    require(
        found == r,
        "`span.basis[:, coordinates]` must be invertible",
        f"rank {found} of {r}",
        "Choose independent actions.",
    )
    rank = int(np.linalg.matrix_rank(case.members.astype(np.float64)))
    require(
        rank == r if case.reference is not None else rank <= r,
        "`rank` must be the dimension of the linear span of the actions",
        f"{r}, where the actions at hand have rank {rank}",
        "Correct `span`, or inherit it.",
    )
    gap = float(np.abs(case.members - case.members[:, J] @ span.lift.T).max())
    require(
        gap <= _ZERO,
        "`span.lift` must give every action from its independent coordinates, M = L M_J",
        f"a difference of {gap:.3g}",
        "Correct `span.lift`.",
    )
    for i in range(d):
        c = np.zeros(d)
        c[J] = -span.lift[i]
        c[i] += 1.0
        gap = _largest(case, c)
        require(
            gap <= _ZERO * (1.0 + float(np.abs(c).sum())),
            f"`span.lift` must give coordinate {i} of every action from the independent ones",
            f"an action where it is wrong by {gap:.3g}",
            "Correct `span`: the rank may be too small.",
        )
    return None


def _largest(case: SetCase, c: Vector) -> float:
    """Return the largest |c·M| over the set, by two oracle calls."""
    return max(abs(float(c @ case.actions.argmax(c))), abs(float(c @ case.actions.argmax(-c))))


def check_spanner(case: SetCase) -> str | None:
    """Check that the spanner is r independent actions in which no action has a coefficient beyond the bound, at most 2."""
    actions, spanner, J = case.actions, case.actions.spanner(), case.actions.span.coordinates
    rows, r = spanner.actions, case.actions.rank
    require(
        rows.shape == (r, actions.dimension), f"the spanner must have {r} actions", f"shape {rows.shape}", "One each."
    )
    for row in rows:
        require(
            case.is_member(row), "the spanner must consist of actions", f"{row.tolist()}", "Choose actions of the set."
        )
    X = rows[:, J].astype(np.float64)
    found = int(np.linalg.matrix_rank(X))
    require(
        found == r, "the spanner must be linearly independent", f"rank {found} of {r}", "Choose independent actions."
    )
    require(
        0.0 < spanner.bound <= 2.0 + _ZERO,
        "the bound of the spanner must be at most 2",
        f"{spanner.bound!r}",
        "Exchange actions until it is (Awerbuch and Kleinberg).",
    )
    inverse = np.linalg.inv(X)
    worst = 0.0
    for k in range(r):
        c = np.zeros(actions.dimension)
        c[J] = inverse[:, k]
        worst = max(worst, _largest(case, c))
    coefficients = case.members[:, J] @ inverse
    worst = max(worst, float(np.abs(coefficients).max()))
    require(
        worst <= spanner.bound + _ZERO,
        "no action may have a coefficient in the spanner beyond its bound",
        f"{worst:.6g} with bound {spanner.bound:.6g}",
        "Compute the bound by two oracle calls for each element of the spanner.",
    )
    for member, want in zip(case.members[:50], coefficients[:50], strict=True):
        gap = float(np.abs(spanner.coefficients(member) - want).max())
        require(
            gap <= _ZERO,
            "`spanner().coefficients(action)` must give the action as a combination of the spanner",
            f"a difference of {gap:.3g}",
            "Use the inverse of the spanner in the independent coordinates.",
        )
    require(
        np.array_equal(actions.spanner().actions, rows),
        "`spanner()` must be the same every time",
        "another one",
        "Compute it once, without randomness.",
    )
    return None
