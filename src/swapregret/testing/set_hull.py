r"""Checks of the convex hull of a set: KL projection and decomposition.

Both are proved, not believed. A decomposition into actions that reproduces a point shows that the point is in conv(A); then
:math:`\max_M g\cdot(x - M)`, :math:`g = \log x - \log w`, one oracle call, bounds how far x is from the best.
"""

from collections.abc import Iterator

import numpy as np

from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.geometry.caratheodory import decompose
from swapregret.geometry.kl import Projection
from swapregret.testing.policies import check_law
from swapregret.testing.report import require
from swapregret.testing.set_case import SetCase

__all__ = ["check_decomposition", "check_outside_points", "check_projection"]

_GAP = 1e-9
_EXACT = 1e-12
_QUICK = 60
_SPREADS = (0.0, 0.1, 1.0, 3.0, 10.0, 30.0)


def check_projection(case: SetCase) -> str | None:
    """Check projections of log-weights spread from 0 to ±30: in the hull, with a gap of at most 1e-9, found again."""
    actions, d, rng = case.actions, case.actions.dimension, case.rng("projection")
    reachable = case.is_reachable()
    for spread in _SPREADS:
        for index in range(4):
            w = spread * rng.uniform(-1.0, 1.0, d)
            before = w.copy()
            projection = actions.kl_project(w)
            require(
                np.array_equal(w, before), "`kl_project` must leave its weights alone", "a changed array", "Copy it."
            )
            _check_shape(projection, d, reachable)
            _check_gap(case, projection, w)
            if index == 0 or d <= _QUICK:
                _in_hull(case, projection.point)
            again = actions.kl_project(w.copy())
            require(
                np.array_equal(again.point, projection.point),
                "`kl_project` must give the same point for the same weights",
                f"a difference of {np.abs(again.point - projection.point).max():.3g}",
                "Remove randomness and memory from it.",
            )
            require(
                not projection.point.flags.writeable and not projection.log_point.flags.writeable,
                "the arrays of a Projection must be read-only",
                "a writable one",
                "Build it with swapregret.geometry.kl.Projection.",
            )
    return None


def _check_shape(projection: Projection, dimension: int, reachable: Vector) -> None:
    x, log_x = projection.point, projection.log_point
    require(
        x.shape == log_x.shape == (dimension,) and bool(np.isfinite(x).all()) and bool((x >= 0.0).all()),
        f"`kl_project(...).point` and `.log_point` must be vectors of shape ({dimension},), the point finite and non-negative",
        f"shapes {x.shape} and {log_x.shape}, least {x.min(initial=np.inf):.3g}",
        "Return x and log x.",
    )
    gap = float(np.abs(np.exp(log_x) / np.where(x > 0.0, x, 1.0) - (x > 0.0)).max())
    require(
        gap <= _EXACT * 10.0,
        "`kl_project(...).log_point` must be the logarithm of the point",
        f"exp(log_point) off by {gap:.3g}, relative",
        "Keep log x and take x = exp(log x).",
    )
    require(
        bool((np.isfinite(log_x) == reachable).all()),
        "`log_point` must be finite exactly at the coordinates that some action has",
        f"{log_x.tolist()}",
        "Keep the logarithm: an entry that underflows must be able to recover.",
    )


def _check_gap(case: SetCase, projection: Projection, w: Vector) -> None:
    inside = np.isfinite(projection.log_point)
    g = np.zeros(len(w))
    g[inside] = projection.log_point[inside] - w[inside]
    rounding = 1e-13 * float(np.abs(g).sum() + np.abs(w).sum())
    gap = float(g @ (projection.point - case.actions.argmax(-g)))
    require(
        gap <= _GAP + rounding,
        f"the duality gap of `kl_project` must be at most {_GAP}",
        f"{gap:.3g} for log-weights from {w.min():.3g} to {w.max():.3g}",
        "Iterate further: the gap is one oracle call, swapregret.geometry.kl.kl_gap.",
    )
    require(
        gap <= projection.gap + _EXACT + rounding and projection.gap <= _GAP + rounding,
        f"`kl_project(...).gap` must be an upper bound on the duality gap, at most {_GAP}",
        f"{projection.gap:.3g}, where one oracle call finds {gap:.3g}",
        "Compute it from the point that is returned.",
    )


def _in_hull(case: SetCase, point: Vector) -> None:
    """Prove that a point is in conv(A): the generic decomposition, which asks only the oracle, reproduces it."""
    try:
        law = decompose(case.actions, np.array(point))
    except InvalidInput as error:
        require(False, "`kl_project(...).point` must be in the convex hull of the actions", error.came, "Correct it.")
    gap = float(np.abs(law.weights @ law.atoms - point).max())
    require(
        gap <= 1e-10 and all(case.is_member(atom) for atom in law.atoms),
        "`kl_project(...).point` must be in the convex hull of the actions",
        f"a point at distance {gap:.3g} from it",
        "Correct the projection.",
    )


def _points(case: SetCase) -> Iterator[Vector]:
    """Points of conv(A): actions, midpoints, averages of few and of many, projections, points near the boundary."""
    rng, table = case.rng("points"), case.members.astype(np.float64)
    yield from table[rng.integers(len(table), size=3)]
    for count in (2, 2, 3, 5, 20):
        yield rng.dirichlet(np.ones(count)) @ table[rng.integers(len(table), size=count)]
    yield table.mean(axis=0)
    first, second = table[rng.integers(len(table), size=2)]
    for tiny in (1e-9, 2.0**-40, 1e-13):
        yield (1.0 - tiny) * first + tiny * second
    for spread in (1.0, 10.0, 30.0):
        yield case.actions.kl_project(spread * rng.uniform(-1.0, 1.0, table.shape[1])).point


def check_decomposition(case: SetCase) -> str | None:
    """Check that decompositions reproduce their point within 1e-12, from actions, few for one variant, the same every time."""
    actions = case.actions
    for index, point in enumerate(_points(case)):
        for variants in (1, 3) if index % 3 == 0 else (1,):
            law = actions.decompose(point, variants=variants)
            gap = float(np.abs(law.marginals() - point).max())
            require(
                gap <= _EXACT,
                f"`decompose(point).marginals()` must be the point within {_EXACT}",
                f"a difference of {gap:.3g}, {variants} variants",
                "Leave no mass over: round the point to a grid, then decompose in integers.",
            )
            again = actions.decompose(point.copy(), variants=variants)
            require(
                np.array_equal(again.cooccurrence(), law.cooccurrence()),
                "`decompose` must give the same law for the same point",
                "another law",
                "Remove randomness and memory from it.",
            )
            most = actions.most_atoms
            require(
                most is None or not law.has_atoms or len(law.weights) <= variants * most,
                f"`decompose` must use at most `most_atoms` = {most} actions a variant",
                f"{len(law.weights)} for {variants} variants",
                "Drop actions until they are affinely independent (Carathéodory), or declare another bound.",
            )
            check_law(law, actions, case.reference, n_samples=300, seed=case.seed)
    return None


def check_outside_points(case: SetCase) -> str | None:
    """Check that points outside conv(A), and nonsensical numbers of variants, are refused."""
    actions, d = case.actions, case.actions.dimension
    vectors = case.rng("outside").integers(0, 2, (50, d))
    outside = [row.astype(np.float64) for row in vectors if not case.is_member(row)][:3]
    centre = case.members.mean(axis=0)
    outside += [centre - 2.0, centre + np.eye(d)[0] * 2.0, np.full(d, -1e-3)]
    for point in outside:
        try:
            actions.decompose(point)
        except InvalidInput:
            continue
        require(
            False,
            "`decompose` must refuse a point outside the convex hull with InvalidInput",
            f"a law for {np.round(point, 6).tolist()}",
            "Check the point first; a tolerance of 1e-8 is usual.",
        )
    for variants in (0, -1, 1.5):
        try:
            actions.decompose(centre, variants=variants)  # type: ignore[arg-type]
        except InvalidInput:
            continue
        require(
            False, f"`decompose` must refuse variants={variants} with InvalidInput", "a law", "Ask for a count ≥ 1."
        )
    return None
