"""What a set gives the learners: every family must do what the objects of the set do."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chisquare

import swapregret as sr
from swapregret.actions.hull import best, list_policy, project, span_part
from swapregret.actions.policy_slots import MADE, draw, make_policy, policy_of, room, show_policy, solve, spread
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import family_of, state_of
from swapregret.compiled.bits import unpack
from swapregret.compiled.handle import open_handle
from swapregret.compiled.kernel import kernel
from swapregret.errors import Unsupported
from swapregret.learners.round.day import begin_round, mix_slots
from swapregret.policy import Policy

N_POLICIES = 5
GRAPH = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (1, 4), (2, 4), (3, 4), (0, 4)]
K4 = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
SETS: dict[str, Any] = {
    "m-sets": lambda: sr.MSets(6, 2),
    "permutations": lambda: sr.Permutations(3),
    "truncated permutations": lambda: sr.TruncatedPermutations(2, 3),
    "paths": lambda: sr.DagPaths(GRAPH, source=0, sink=4),
    "plans": lambda: sr.Plans([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))]),
    "partitions": lambda: sr.Partitions(3, 3),
    "trees": lambda: sr.SpanningTrees(K4),
    "forests": lambda: sr.Forests(K4, 2),
    "compact partitions": lambda: sr.Partitions(3, 3, coordinates="compact"),
    "explicit": lambda: sr.Explicit([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 0], [1, 0, 1, 0]]),
}
CASES = [(name, "list", None) for name in SETS]
CASES += [
    (name, "gibbs", None) for name in ("m-sets", "permutations", "paths", "trees", "compact partitions", "explicit")
]
CASES += [("m-sets", "gibbs", "spanner"), ("m-sets", "chain", None), ("m-sets", "chain", "spanner")]
CASES += [
    ("partitions", "chain", None),
    ("paths", "chain", None),
    ("paths", "chain", "spanner"),
]
IDS = [" ".join(part for part in case if part) for case in CASES]


# ---- a family is asked through a handle, as learners ask it; to hand all its arrays to each function takes long to compile -----


class Slots(NamedTuple):
    """What a family works on."""

    policies: Any
    mix: Any


def at_work(family: Any, policies: Any, rng: Any = 0) -> Any:
    """Return a handle on a family, policies, and room for a mixture of them, all 0."""
    mix = begin_round(family.common.dimension, 0, (), policies, len(policies.marginals)).mix
    return open_handle(family, 0, Slots(policies, mix), 0, np.random.default_rng(rng))


@kernel
def ask_project(h: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project."""
    return project(family_of(h), tilted, near)


@kernel
def ask_list(h: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List."""
    return list_policy(family_of(h), point)


@kernel
def ask_make(h: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Write a policy into a slot."""
    return make_policy(family_of(h), state_of(h).policies, slot, point, log_point)


@kernel
def ask_draw(h: Any, slot: int, plays: Integers) -> None:
    """Draw an action per row."""
    family, policies, rng = family_of(h), state_of(h).policies, h.rng
    for row in range(plays.shape[0]):
        plays[row] = draw(family, policies, slot, rng)


@kernel
def ask_mix(h: Any) -> None:
    """Make the mixture ready."""
    mix_slots(state_of(h))


@kernel
def ask_solve(h: Any, right: Floats) -> tuple[Floats, float]:
    """Find Σ⁺v."""
    return solve(family_of(h), state_of(h).policies, state_of(h).mix.weights, right)


@kernel
def ask_spread(h: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return the local variance."""
    return spread(family_of(h), state_of(h).policies, slot, point, aggregate)


@kernel
def ask_best(h: Any, weights: Floats) -> tuple[Integers, Floats]:
    """Return the best action and the part in the span."""
    return best(family_of(h), weights), span_part(family_of(h), weights)


class Face(NamedTuple):
    """A set, its hull with a state, and five policies with the points and exponents they were made of."""

    actions: Any
    mu: Policy
    family: Any
    kind: str
    policies: Any
    handle: Any
    tilted: list[Any]
    points: list[Any]


@cache
def face(name: str, kind: str, exploration: str | None) -> Face:
    """Make a family, and policies spread out and concentrated."""
    actions = SETS[name]()
    mu = actions.exploration_policy(exploration)
    family = actions.family(mu, kind=kind, variants=2)
    policies = room(family, N_POLICIES + 1, 64)
    h = at_work(family, policies)
    rng = np.random.default_rng(7)
    tilted = [scale * rng.normal(size=actions.dimension) for scale in (0.0, 0.3, 1.0, 1.0, 3.0)]
    near = ask_project(h, np.zeros(actions.dimension), np.zeros(actions.dimension))[1]
    points = []
    for slot, exponents in enumerate(tilted):
        point, log_point, gap = ask_project(h, exponents, near)
        assert gap < np.inf
        assert ask_make(h, slot, point, log_point) == MADE
        points.append(point)
    return Face(actions, mu, family, kind, policies, h, tilted, points)


def all_policies(made: Face) -> list[Policy]:
    """Return the policies as objects, μ last."""
    played = made.actions.gibbs if made.kind == "gibbs" else made.actions.markov_policy

    class Learner:
        mu = made.mu

        @staticmethod
        def policy_from(marginals: Any, exponents: Any) -> Policy:
            return played(exponents if made.kind == "gibbs" else marginals)

    return [policy_of(made.policies, slot, Learner()) for slot in range(N_POLICIES + 1)]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_points_are_those_of_the_set(case: tuple[str, str, str | None]) -> None:
    """A point is the projection of the set, or the marginals of its Gibbs policy."""
    made = face(*case)
    for exponents, point in zip(made.tilted, made.points, strict=True):
        if made.kind == "gibbs":
            np.testing.assert_allclose(point, made.actions.gibbs(exponents).marginals(), rtol=0, atol=1e-12)
        else:
            np.testing.assert_allclose(point, made.actions.kl_project(exponents).point, rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_lists_have_the_marginals_of_their_point(case: tuple[str, str, str | None]) -> None:
    """A point is listed by actions of the set that add up to it."""
    made = face(*case)
    for point in made.points:
        words, chances, is_inside = ask_list(made.handle, point)
        rows = np.array([unpack(row, made.actions.dimension) for row in words])
        assert is_inside
        assert all(row in made.actions for row in rows)
        np.testing.assert_allclose(chances @ rows, point, rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_slots_hold_the_moments_of_their_policies(case: tuple[str, str, str | None]) -> None:
    """E[M] and Σ in a slot are those of the policy in it."""
    made = face(*case)
    J = made.family.common.coordinates
    for slot, policy in enumerate(all_policies(made)):
        np.testing.assert_allclose(made.policies.marginals[slot], policy.marginals(), rtol=0, atol=1e-12)
        if slot < N_POLICIES:
            np.testing.assert_allclose(policy.marginals(), made.points[slot], rtol=0, atol=1e-9)
        if J.size:
            sigma = policy.cooccurrence()[np.ix_(J, J)]
            np.testing.assert_allclose(np.triu(made.policies.moments[slot]), np.triu(sigma), rtol=0, atol=1e-12)
        if made.kind in ("gibbs", "chain") and slot < N_POLICIES:
            assert len(show_policy(made.family, made.policies, slot)[0]) == 0
    assert all_policies(made)[-1] is made.mu


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_draws_have_the_chances_of_their_policies(case: tuple[str, str, str | None]) -> None:
    """Draws pass a chi-square test against the list of the policy."""
    made, count = face(*case), 3000
    h, plays = at_work(made.family, made.policies, 3), np.empty((count, made.actions.dimension), dtype=np.int64)
    for slot, policy in enumerate(all_policies(made)):
        listing = policy.finite()
        place = {row.tobytes(): index for index, row in enumerate(listing.atoms)}
        seen, expected = np.zeros(len(place)), count * listing.weights
        ask_draw(h, slot, plays)
        for row in plays:
            seen[place[row.tobytes()]] += 1
        is_rare = expected < 5.0
        seen = np.append(seen[~is_rare], seen[is_rare].sum())
        expected = np.append(expected[~is_rare], expected[is_rare].sum())
        kept = expected > 0.0
        assert kept.sum() == 1 or chisquare(seen[kept], expected[kept]).pvalue > 1e-6


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_solve_inverts_the_mixture(case: tuple[str, str, str | None]) -> None:
    """Σ(Σ⁺v) = v, for mixtures of any number of slots, actions and what some days add up to."""
    made, rng = face(*case), np.random.default_rng(11)
    parts, rows, h = all_policies(made), made.actions.enumerate(), at_work(made.family, made.policies)
    mix = h.kept[2].mix
    for n_used in (0, 1, 2, 3, N_POLICIES):
        weights = rng.random(N_POLICIES + 1)
        weights[rng.permutation(N_POLICIES)[n_used:]] = 0.0
        mix.weights[:] = weights / weights.sum()
        ask_mix(h)
        sigma = sum(w * part.cooccurrence() for w, part in zip(mix.weights, parts, strict=True))
        mean = sum(w * part.marginals() for w, part in zip(mix.weights, parts, strict=True))
        np.testing.assert_allclose(mix.mean, mean, rtol=0, atol=1e-12)
        chosen = rows[rng.permutation(len(rows))[:4]]
        for right in (*chosen.astype(np.float64), rng.normal(size=len(chosen)) @ chosen):
            found, ratio = ask_solve(h, right)
            assert ratio == 0.0
            np.testing.assert_allclose(sigma @ found, right, rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_spread_is_the_variance_the_step_is_made_of(case: tuple[str, str, str | None]) -> None:
    """What is returned is the variance under a Gibbs policy, and x·(X̃ − X̄)² elsewhere."""
    made, rng = face(*case), np.random.default_rng(5)
    for slot, policy in enumerate(all_policies(made)[:N_POLICIES]):
        aggregate, point = 10.0 + rng.normal(size=made.actions.dimension), made.points[slot]
        if made.kind == "gibbs":
            totals, chances = policy.finite().atoms @ aggregate, policy.finite().weights
            expected = chances @ (totals - chances @ totals) ** 2
        else:
            mean = point @ aggregate / point.sum() if made.actions.is_uniform else 0.0
            expected = point @ (aggregate - mean) ** 2
        found = ask_spread(made.handle, slot, point, aggregate)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_best_and_span_are_those_of_the_set(case: tuple[str, str, str | None]) -> None:
    """The best action and the part in the span are those of the set; chains without a matrix take vectors as they are."""
    made, rng = face(*case), np.random.default_rng(9)
    rows = made.actions.enumerate()
    for _ in range(5):
        weights = rng.normal(size=made.actions.dimension)
        action, part = ask_best(made.handle, weights)
        np.testing.assert_array_equal(action, made.actions.argmax(weights))
        np.testing.assert_allclose(rows @ part, rows @ weights, rtol=0, atol=1e-9)
        expected = weights if case[1:] == ("chain", None) else made.actions.span.project(weights)
        np.testing.assert_allclose(part, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["m-sets", "paths"])
def test_a_chain_without_estimates_keeps_no_matrix(name: str) -> None:
    """Where Σ⁺ is not wanted, only E[M] is made."""
    made = face(name, "chain", None)
    family = made.actions.family(made.mu, kind="chain", has_moment=False)
    policies = room(family, 2, 1)
    h = at_work(family, policies)
    mix = h.kept[2].mix
    point, log_point, _ = ask_project(h, made.tilted[2], made.tilted[0])
    assert ask_make(h, 0, point, log_point) == MADE
    mix.weights[:] = 0.75, 0.25
    ask_mix(h)
    np.testing.assert_allclose(mix.mean, 0.75 * point + 0.25 * made.mu.marginals(), rtol=0, atol=1e-12)
    assert policies.moments.size == 0


@pytest.mark.parametrize("name", ["m-sets", "paths"])
def test_a_chain_refuses_a_point_outside(name: str) -> None:
    """A point outside conv(A) changes nothing."""
    made = face(name, "chain", None)
    before = made.policies.marginals.copy()
    assert ask_make(made.handle, 0, 1.1 * made.points[0], made.tilted[0]) != MADE
    np.testing.assert_array_equal(made.policies.marginals, before)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("trees", "chain"),
        ("truncated permutations", "gibbs"),
        ("forests", "gibbs"),
    ],
)
def test_a_set_without_such_policies_says_so(name: str, kind: str) -> None:
    """A kind of policy that a set does not have is refused."""
    actions = SETS[name]()
    with pytest.raises(Unsupported):
        actions.family(actions.exploration_policy(), kind=kind)


def test_sigma_is_factored_in_an_order_that_keeps_it_sparse() -> None:
    """On partitions the factor of Σ has less than half of the entries it would have in the order of the elements."""
    actions = sr.Partitions(6, 4)
    common = actions.family(actions.exploration_policy()).common
    sorted_first = np.argsort(common.coordinates)
    sigma = common.explore.moment
    n_entries = [
        int((np.abs(np.linalg.cholesky(matrix)) > 0.0).sum())
        for matrix in (sigma, sigma[np.ix_(sorted_first, sorted_first)])
    ]
    assert 2 * n_entries[0] < n_entries[1]
