r"""Checks of the policies a set offers, uniform, Gibbs, exploration, and of the family that shows it to compiled code."""

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import best, draw_explore, list_policy, project, span_part
from swapregret.arrays import Vector
from swapregret.compiled.bits import unpack_rows
from swapregret.errors import InvalidInput, SwapRegretError, Unsupported
from swapregret.geometry.kl import kl_gap
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.policy import Policy
from swapregret.testing.conformance import agree, refused, require, require_members, skip
from swapregret.testing.policy_checks import check_listed
from swapregret.testing.set_instances import SetCase

_TOLERANCE = 1e-10
_SPREADS = (0.0, 1.0, 5.0, 30.0)
_HULL = 1e-8


def check_uniform(case: SetCase) -> None:
    """Check the uniform policy against the list of actions, or that it is refused by name where there is none."""
    actions = case.actions
    if not actions.has_uniform:
        must = "`has_uniform` must be true of a set with a uniform policy"
        refused(actions.uniform_policy, Unsupported, must, "False", "Set it.")
        skip("the set has no uniform policy")
    policy = actions.uniform_policy()
    _check_policy(case, policy, 3000)
    if case.reference is not None:
        _compare(case, policy, np.full(len(case.reference), 1.0 / len(case.reference)), "uniform_policy()")


def check_gibbs(case: SetCase) -> None:
    """Check Gibbs policies with scores spread from 0 to ±30 against the list, or that they are refused by name."""
    actions, rng = case.actions, case.rng("gibbs")
    if not actions.has_gibbs:
        must = "`has_gibbs` must be true of a set with a Gibbs policy"
        refused(lambda: actions.gibbs(np.zeros(actions.dimension)), Unsupported, must, "False", "Set it.")
        skip("the set has no Gibbs policy")
    for spread in _SPREADS:
        scores = spread * rng.uniform(-1.0, 1.0, actions.dimension)
        policy = actions.gibbs(scores)
        if case.reference is not None:
            totals = case.reference @ scores
            mass = np.exp(totals - totals.max())
            _compare(case, policy, mass / mass.sum(), f"gibbs(scores up to ±{spread:g})")
        _check_policy(case, policy, 1000)


def check_family(case: SetCase) -> None:
    """Check that compiled code sees the same set: oracle, projections, lists, draws and span of its family, and writes to nothing.

    The family is asked as learners ask it.
    """
    actions, rng = case.actions, case.rng("family")
    family = actions.family(actions.exploration_policy())
    near = project(family, np.zeros(actions.dimension), np.zeros(actions.dimension))[1]
    advice = "Correct the operations that `hull` names, or inherit it."
    if not family.common.explore.cumulative.size:
        drawn = np.array([draw_explore(family, rng) for _ in range(20)])
        require_members(drawn, case.is_member, "what `draw_explore` draws", advice)
    for spread in (0.0, 0.3, 1.0, 3.0):
        tilted = spread * rng.standard_normal(actions.dimension)
        given = tilted.copy()
        value = float(best(family, tilted) @ tilted)
        agree(value, float(actions.argmax(tilted) @ tilted), _TOLERANCE, "`best` must be as good as `argmax`", advice)
        point, log_point, claimed = project(family, tilted, near)
        require(claimed < np.inf, "`project` must say that its point is good", "an infinite gap", advice)
        log_x = np.where(point > 0.0, log_point, -np.inf)
        agree(np.exp(log_x), point, _HULL, "`project` must give the logarithm of its point", advice)
        gap = kl_gap(actions, tilted, log_x)
        must = "`project` must give the nearest point of the hull: one question shows how far it is off"
        require(gap <= _HULL, must, f"a gap of {gap:.3g}", advice)
        words, chances, is_inside = list_policy(family, point)
        rows = unpack_rows(words, actions.dimension)
        require(bool(is_inside), "`list_policy` must find a projected point inside", "that it is outside", advice)
        require_members(rows, case.is_member, "what `list_policy` lists", advice)
        agree(chances @ rows, point, _HULL, "`list_policy` must give actions that add up to the point", advice)
        seen = case.members @ span_part(family, tilted)
        must = "`span_part` must leave the total of every action as it is"
        agree(seen, case.members @ tilted, _HULL, must, advice)
        agree(tilted, given, 0.0, "the methods of a family must not write to their arguments", advice)
        outside = point.copy()
        outside[int(np.argmax(point))] = 1.001
        must = "`list_policy` must say that a point with an entry above 1 is outside"
        require(not _is_taken(family, outside), must, "that it is inside", advice)


def _is_taken(family: Family, point: Vector) -> bool:
    """Tell whether ``list_policy`` takes a point for one of the hull; to refuse it is as good as to say that it is outside."""
    try:
        return bool(list_policy(family, point)[2])
    except SwapRegretError:
        return False


def check_exploration(case: SetCase) -> None:
    """Check that every exploration policy shows every direction of the span, and that unknown kinds are refused."""
    actions = case.actions
    for kind in (None, "spanner", "uniform") if actions.has_uniform else (None, "spanner"):
        policy = actions.exploration_policy(kind)
        if kind != "uniform":
            _check_policy(case, policy, 1000)
        least = smallest_eigenvalue(policy, actions.span)
        must = f"`exploration_policy({kind!r})` must show every direction of the span"
        came = f"a second moment whose smallest eigenvalue on it is {least!r}"
        require(least > 0.0, must, came, "Give weight to actions that span the set.")
        if kind == "spanner":
            must = "`exploration_policy('spanner')` must be uniform over the spanner"
            mean = actions.spanner().actions.mean(axis=0)
            agree(policy.marginals(), mean, _TOLERANCE, must, "Give every element of the spanner weight 1/r.")
    must = "`exploration_policy` must refuse an unknown kind with InvalidInput"
    refused(
        lambda: actions.exploration_policy("no such policy"), InvalidInput, must, "a policy", "Name the kinds known."
    )


def _check_policy(case: SetCase, policy: Policy, n_samples: int) -> None:
    check_listed(policy, case.actions, case.reference, n_samples=n_samples, seed=case.seed)


def _compare(case: SetCase, policy: Policy, p: Vector, name: str) -> None:
    assert case.reference is not None
    table = case.reference.astype(np.float64)
    rows = np.unique(np.linspace(0, len(table) - 1, 50).astype(int))
    found = np.array([policy.probability(case.reference[row]) for row in rows])
    for what, one, other in (
        ("marginals", policy.marginals(), p @ table),
        ("second moment", policy.cooccurrence(), (table.T * p) @ table),
        ("probabilities", found, p[rows]),
    ):
        agree(one, other, _TOLERANCE, f"`{name}` must have the {what} of the exact policy", "Correct the policy.")
