"""Gibbs policies of permutations as compiled code sees them: sums over all sets of columns."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, draw, gibbs_of, make_policy, project, room, show_policy, slot_policy, spread
from swapregret.actions.matchings.kernels.permutation_gibbs import (
    gibbs_factors,
    gibbs_marginals,
    gibbs_pairs,
    gibbs_sample,
    gibbs_second_moment,
    gibbs_tables,
)
from swapregret.actions.matchings.matching_family import MatchingFamily
from swapregret.actions.policy_slots import draw_mu, put_moment, put_mu, show_mu
from swapregret.arrays import Floats, Integers
from swapregret.compiled.vectors import centred, moment_variance


class PermutationGibbsFamily(MatchingFamily):
    """Permutations, played by p(M) ∝ exp(s·M); a point is known by its exponents s, and listed as by its base."""

    __slots__ = ()


class PermutationGibbsPolicies(NamedTuple):
    """S policies: their exponents, the tables of ``kernels.permutation_gibbs``, E[M], and Σ on the independent coordinates."""

    exponents: Floats
    factors: Floats
    sizes: Integers
    forward: Floats
    backward: Floats
    marginals: Floats
    moments: Floats


@project.of(PermutationGibbsFamily)
def project_permutation_gibbs(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the marginals of the policy of some exponents, and these."""
    factors, _ = gibbs_factors(tilted.reshape(family.n_rows, family.n_columns))
    sizes, forward, backward = gibbs_tables(factors)
    return gibbs_marginals(factors, sizes, forward, backward), tilted, True


@room.of(PermutationGibbsFamily)
def permutation_gibbs_room(family: Any, n_slots: int, n_atoms: int) -> PermutationGibbsPolicies:
    """Return room for tables; of μ its marginals and Σ."""
    common, n = family.common, family.n_rows
    r = common.coordinates.size
    policies = PermutationGibbsPolicies(
        np.zeros((n_slots, n * n)),
        np.zeros((n_slots, n, n)),
        np.zeros(1 << n, dtype=np.int64),
        np.zeros((n_slots, 1 << n)),
        np.zeros((n_slots, 1 << n)),
        np.zeros((n_slots, n * n)),
        np.zeros((n_slots, r, r)),
    )
    put_mu(common, policies.marginals, policies.moments)
    return policies


@make_policy.of(PermutationGibbsFamily)
def make_permutation_gibbs(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make the tables of some exponents, and Σ."""
    coordinates = family.common.coordinates
    factors, _ = gibbs_factors(log_point.reshape(family.n_rows, family.n_columns))
    sizes, forward, backward = gibbs_tables(factors)
    policies.exponents[slot] = log_point
    policies.factors[slot] = factors
    policies.sizes[:] = sizes
    policies.forward[slot] = forward
    policies.backward[slot] = backward
    policies.marginals[slot] = gibbs_marginals(factors, sizes, forward, backward)
    if coordinates.size:
        full = gibbs_pairs(factors, sizes, forward, backward)
        put_moment(full, coordinates, policies.moments[slot])
    return MADE


@draw.of(PermutationGibbsFamily)
def draw_permutation_gibbs(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw the column of each row, last row first."""
    if slot == policies.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    n = family.n_rows
    chosen = gibbs_sample(policies.factors[slot], policies.forward[slot], rng.random(n))
    action = np.zeros(n * n, dtype=np.int64)
    for i in range(n):
        action[i * n + chosen[i]] = 1
    return action


@spread.of(PermutationGibbsFamily)
def spread_of_permutation_gibbs(family: Any, policies: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return Var(X̃·M)."""
    vector = centred(aggregate, family.common.is_uniform)
    moment = gibbs_second_moment(
        policies.factors[slot], policies.sizes, policies.forward[slot], policies.backward[slot], vector
    )
    return moment_variance(policies.marginals[slot], moment, vector)


show_policy.of(PermutationGibbsFamily)(show_mu)
slot_policy.register(PermutationGibbsFamily, gibbs_of)
