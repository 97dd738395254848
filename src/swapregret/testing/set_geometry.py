r"""Checks of the geometry of a set: rank, span and spanner; projection to the convex hull and decomposition.

Each is a certificate that holds for any number of actions. r independent actions show that the rank is at least r, and
:math:`\max_M |M_i - (L M_J)_i| = 0`, two oracle calls per coordinate, that it is at most r. A decomposition into actions that
reproduces a point shows that the point is in conv(A); then :math:`\max_M g\cdot(x - M)`, :math:`g = \log x - \log w`, one
oracle call, bounds how far x is from the best.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from swapregret.actions.hull import list_policy
from swapregret.actions.own_sets.pooled_hull import pooled_hull
from swapregret.arrays import Actions, Vector
from swapregret.compiled.bits import unpack_rows
from swapregret.errors import InvalidInput
from swapregret.geometry.kl import Projection
from swapregret.policy import Policy
from swapregret.testing.conformance import agree, between, refused, require, require_array, require_members
from swapregret.testing.policy_checks import check_listed
from swapregret.testing.set_instances import SetCase

_ZERO = 1e-9
_GAP = 1e-9
_EXACT = 1e-12
_QUICK = 60
_SPREADS = (0.0, 0.1, 1.0, 3.0, 10.0, 30.0)


def check_span(case: SetCase) -> None:
    """Check rank, independent coordinates, lift and basis, and the rank against the list of actions."""
    actions, d, span = case.actions, case.actions.dimension, case.actions.span
    r, J = span.rank, span.coordinates
    require(
        actions.rank == r and J.shape == (r,) and bool((np.diff(J) > 0).all() and J.min() >= 0 and J.max() < d),
        "`span.coordinates` must be `rank` coordinates in increasing order",
        f"rank {actions.rank}, span.rank {r}, coordinates {J.tolist()}",
        "Build the span with swapregret.geometry.span.find_span.",
    )
    require_array(span.lift, np.float64, (d, r), "span.lift", "Build the span with swapregret.geometry.span.find_span.")
    _check_independent(case, span.basis, "span.basis")
    rank = int(np.linalg.matrix_rank(case.members.astype(np.float64)))
    must = "`rank` must be the dimension of the linear span of the actions"
    came = f"{r}, where the actions at hand have rank {rank}"
    require(rank == r if case.reference is not None else rank <= r, must, came, "Correct `span`, or inherit it.")
    must = "`span.lift` must give every action from its independent coordinates, M = L M_J"
    agree(case.members[:, J] @ span.lift.T, case.members, _ZERO, must, "Correct `span.lift`.")
    for i in range(d):
        c = np.zeros(d)
        c[J] = -span.lift[i]
        c[i] += 1.0
        must = f"`span.lift` must give coordinate {i} of every action from the independent ones"
        within = _ZERO * (1.0 + float(np.abs(c).sum()))
        agree(_largest(case, c), 0.0, within, must, "Correct `span`: the rank may be too small.")


def _largest(case: SetCase, c: Vector) -> float:
    """Return the largest |c·M| over the set, by two oracle calls."""
    return max(abs(float(c @ case.actions.argmax(c))), abs(float(c @ case.actions.argmax(-c))))


def _check_independent(case: SetCase, rows: Actions, name: str) -> None:
    """Check that rows are as many actions as the rank, independent in the coordinates of the span."""
    r, J = case.actions.span.rank, case.actions.span.coordinates
    do = f"Choose {r} independent actions of the set."
    require_array(rows, np.int64, (r, case.actions.dimension), name, do)
    require_members(rows, case.is_member, f"the rows of `{name}`", do)
    found = int(np.linalg.matrix_rank(rows[:, J].astype(np.float64)))
    require(found == r, f"`{name}` must be linearly independent", f"rank {found} of {r}", do)


def check_spanner(case: SetCase) -> None:
    """Check that the spanner is r independent actions in which no action has a coefficient beyond the bound, at most 2."""
    actions, spanner, J = case.actions, case.actions.spanner(), case.actions.span.coordinates
    rows, r = spanner.actions, case.actions.rank
    _check_independent(case, rows, "spanner().actions")
    do = "Exchange actions until it is (Awerbuch and Kleinberg)."
    between(spanner.bound, 0.0, 2.0 + _ZERO, "the bound of the spanner must be at most 2", do)
    inverse = np.linalg.inv(rows[:, J].astype(np.float64))
    worst = 0.0
    for k in range(r):
        c = np.zeros(actions.dimension)
        c[J] = inverse[:, k]
        worst = max(worst, _largest(case, c))
    coefficients = case.members[:, J] @ inverse
    worst = max(worst, float(np.abs(coefficients).max()))
    must = f"no action may have a coefficient in the spanner beyond its bound, {spanner.bound:.6g}"
    do = "Compute the bound by two oracle calls for each element of the spanner."
    between(worst, 0.0, spanner.bound + _ZERO, must, do)
    must = "`spanner().coefficients(action)` must give the action as a combination of the spanner"
    found = [spanner.coefficients(member) for member in case.members[:50]]
    agree(found, coefficients[:50], _ZERO, must, "Use the inverse of the spanner in the independent coordinates.")
    again = actions.spanner().actions
    agree(again, rows, 0.0, "`spanner()` must be the same every time", "Compute it once, without randomness.")


def check_projection(case: SetCase) -> None:
    """Check projections of log-weights spread from 0 to ±30: in the hull, with a gap of at most 1e-9, found again."""
    actions, d, rng = case.actions, case.actions.dimension, case.rng("projection")
    reachable = case.is_reachable()
    for spread in _SPREADS:
        for index in range(4):
            w = spread * rng.uniform(-1.0, 1.0, d)
            before = w.copy()
            projection = actions.kl_project(w)
            agree(w, before, 0.0, "`kl_project` must leave its weights alone", "Copy it.")
            _check_shape(projection, d, reachable)
            _check_gap(case, projection, w)
            if index == 0 or d <= _QUICK:
                _in_hull(case, projection.point)
            again = actions.kl_project(w.copy())
            must = "`kl_project` must give the same point for the same weights"
            agree(again.point, projection.point, 0.0, must, "Remove randomness and memory from it.")
            require(
                not projection.point.flags.writeable and not projection.log_point.flags.writeable,
                "the arrays of a Projection must be read-only",
                "a writable one",
                "Build it with swapregret.geometry.kl.Projection.",
            )


def _check_shape(projection: Projection, dimension: int, reachable: Vector) -> None:
    x, log_x = projection.point, projection.log_point
    require_array(x, np.float64, (dimension,), "kl_project(...).point", "Return x and log x.")
    must = f"`kl_project(...).log_point` must be a vector of shape ({dimension},), and the point must not be negative"
    came = f"shape {log_x.shape}, least {x.min():.3g}"
    require(log_x.shape == (dimension,) and bool((x >= 0.0).all()), must, came, "Return x and log x.")
    must = "`kl_project(...).log_point` must be the logarithm of the point, up to a relative error"
    ratio = np.exp(log_x) / np.where(x > 0.0, x, 1.0)
    agree(ratio, x > 0.0, _EXACT * 10.0, must, "Keep log x and take x = exp(log x).")
    must = "`log_point` must be finite exactly at the coordinates that some action has"
    do = "Keep the logarithm: an entry that underflows must be able to recover."
    require(bool((np.isfinite(log_x) == reachable).all()), must, f"{log_x.tolist()}", do)


def _check_gap(case: SetCase, projection: Projection, w: Vector) -> None:
    inside = np.isfinite(projection.log_point)
    g = np.zeros(len(w))
    g[inside] = projection.log_point[inside] - w[inside]
    rounding = 1e-13 * float(np.abs(g).sum() + np.abs(w).sum())
    gap = float(g @ (projection.point - case.actions.argmax(-g)))
    must = f"the duality gap of `kl_project` must be at most {_GAP} for log-weights from {w.min():.3g} to {w.max():.3g}"
    do = "Iterate further: the gap is one oracle call, swapregret.geometry.kl.kl_gap."
    between(gap, -np.inf, _GAP + rounding, must, do)
    must = f"`kl_project(...).gap` must be at most {_GAP}, and not below what one oracle call finds, {gap:.3g}"
    do = "Compute it from the point that is returned."
    between(projection.gap, gap - _EXACT - rounding, _GAP + rounding, must, do)


def _in_hull(case: SetCase, point: Vector) -> None:
    """Prove that a point is in conv(A): the generic decomposition, which asks only the oracle, reproduces it."""
    words, chances, is_inside = list_policy(pooled_hull(case.actions, None, 1), np.array(point))
    rows = unpack_rows(words, case.actions.dimension)
    gap = float(np.abs(chances @ rows - point).max()) if is_inside else np.inf
    must = "`kl_project(...).point` must be in the convex hull of the actions"
    came = f"a point at distance {gap:.3g} from it" if is_inside else "a point that is not"
    require(gap <= 1e-10 and all(case.is_member(row) for row in rows), must, came, "Correct the projection.")


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


def check_decomposition(case: SetCase) -> None:
    """Check that decompositions reproduce their point within 1e-12, from actions, few for one variant, the same every time."""
    actions = case.actions
    for index, point in enumerate(_points(case)):
        for variants in (1, 3) if index % 3 == 0 else (1,):
            policy = actions.decompose(point, variants=variants)
            must = f"`decompose(point, variants={variants}).marginals()` must be the point within {_EXACT}"
            do = "Leave no mass over: round the point to a grid, then decompose in integers."
            agree(policy.marginals(), point, _EXACT, must, do)
            again = actions.decompose(point.copy(), variants=variants)
            must = "`decompose` must give the same policy for the same point"
            agree(again.cooccurrence(), policy.cooccurrence(), 0.0, must, "Remove randomness and memory from it.")
            most = actions.most_atoms
            require(
                most is None or not policy.has_atoms or len(policy.weights) <= variants * most,
                f"`decompose` must use at most `most_atoms` = {most} actions a variant",
                f"{len(policy.weights)} for {variants} variants",
                "Drop actions until they are affinely independent (Carathéodory), or declare another bound.",
            )
            check_listed(policy, actions, case.reference, n_samples=300, seed=case.seed)


def check_outside_points(case: SetCase) -> None:
    """Check that points outside conv(A), and nonsensical numbers of variants, are refused."""
    actions, d = case.actions, case.actions.dimension
    vectors = case.rng("outside").integers(0, 2, (50, d))
    outside = [row.astype(np.float64) for row in vectors if not case.is_member(row)][:3]
    centre = case.members.mean(axis=0)
    outside += [centre - 2.0, centre + np.eye(d)[0] * 2.0, np.full(d, -1e-3)]
    for point in outside:
        must = "`decompose` must refuse a point outside the convex hull with InvalidInput"
        do = "Check the point first; a tolerance of 1e-8 is usual."
        refused(
            partial(actions.decompose, point), InvalidInput, must, f"a policy for {np.round(point, 6).tolist()}", do
        )
    for variants in (0, -1, 1.5):
        call: Callable[..., Policy] = actions.decompose
        must = f"`decompose` must refuse variants={variants} with InvalidInput"
        refused(partial(call, centre, variants=variants), InvalidInput, must, "a policy", "Ask for a count ≥ 1.")
