r"""Policies in slots: lists of actions, or rows of numbers, *tables*; and Σ of their mixture as a matrix.

A learner has a slot per member, and last the exploration policy μ. A slot holds the list of a point (``list_policy``), or where the
family has tables (``family.width``) the table of a policy that is no list (``fill_table``). Which of the two is decided at run
time: the code is the same.

:math:`\Sigma = \sum_s w_s\,\mathbb E_s[M M^\top]`, kept on r independent coordinates that determine the others. The choice of
generalised inverse does not matter (D8), so systems are solved on these.
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import (
    KeepsActions,
    draw_explore,
    draw_table,
    fill_table,
    list_policy,
    solve_mixture,
    table_variance,
)
from swapregret.arrays import Flags, Floats, Integers, Words
from swapregret.compiled.bits import elements_of, unpack, unpack_rows
from swapregret.compiled.cholesky import CUT, cholesky_solve, factorise, recover
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import centred, centred_square
from swapregret.geometry.rows import add_totals, elements_of_words, padded_rows
from swapregret.policy import FinitePolicy, Policy

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet

MADE, OUTSIDE, FULL = 0, 1, 2
"""How making a policy ended: well; the point was not in conv(A); its list is longer than the room for it."""


class Policies(NamedTuple):
    """S policies: lists of at most A actions of W words, or tables of n numbers."""

    n_atoms: Integers  # (S,) 0 where there is no list
    words: Words  # (S, A, W)
    chances: Floats  # (S, A)
    cumulative: Floats  # (S, A)
    marginals: Floats  # (S, d)
    moments: Floats  # (S, r, r) Σ on the independent coordinates; what is below the diagonal is not used
    known: Words  # (S, P, W) actions kept beside the lists, P per slot for all slots together; P = 0 for most families
    used: Integers  # (S, P) when each was used last (``own_sets.pooled_hull``)
    tables: Floats  # (S, n)
    origins: Floats  # (S, d) or (S, 0) what each table was made of: a point, or the exponents of a Gibbs policy


class KnowsPolicies(Protocol):
    """A learner, as far as its policies as objects need it."""

    @property
    def actions(self) -> "ActionSet":
        """The set it plays on."""

    @property
    def mu(self) -> Policy:
        """The exploration policy μ."""

    def policy_from(self, marginals: Floats, exponents: Floats) -> Policy:
        """Return the policy that a table stands for."""


@kernel
def put_policy(policies: Policies, slot: int, words: Words, chances: Floats, place: Integers) -> None:
    """Write a list into a slot, with its marginals and its Σ."""
    n = chances.size
    d, r = policies.marginals.shape[1], policies.moments.shape[1]
    marginals, moment = policies.marginals[slot], policies.moments[slot]
    policies.n_atoms[slot] = n
    for i in range(d):
        marginals[i] = 0.0
    for i in range(r):
        line = moment[i, i:]
        for j in range(line.size):
            line[j] = 0.0
    elements = np.empty(d, dtype=np.int64)
    reached = 0.0
    kept, probability, cumulative = policies.words[slot], policies.chances[slot], policies.cumulative[slot]
    for a in range(n):
        row, chance = words[a], chances[a]
        for w in range(row.size):
            kept[a, w] = row[w]
        probability[a] = chance
        reached += chance
        cumulative[a] = reached
        count = elements_of(row, elements)
        for e in range(count):
            marginals[elements[e]] += chance
        if r:
            n_seen = 0
            for e in range(count):
                at = place[elements[e]]
                if at >= 0:
                    k = n_seen
                    while k > 0 and elements[k - 1] > at:
                        elements[k] = elements[k - 1]
                        k -= 1
                    elements[k] = at
                    n_seen += 1
            for e in range(n_seen):
                line = moment[elements[e]]
                for f in range(e, n_seen):
                    line[elements[f]] += chance


@kernel
def put_again(policies: Policies, slot: int, place: Integers) -> None:
    """Make all else again from a list that was read from a file."""
    n = policies.n_atoms[slot]
    put_policy(policies, slot, policies.words[slot, :n].copy(), policies.chances[slot, :n].copy(), place)


@kernel
def put_best_known(policies: Policies, weights: Floats, is_meant: Flags, words: Words) -> None:
    """Overwrite some actions by the best of those a family keeps, each for its own row of weights; the first wins a tie."""
    known, rows = policies.known.reshape(-1, words.shape[1]), np.flatnonzero(policies.used.reshape(-1) > 0)
    d = weights.shape[1]
    elements, ends = elements_of_words(known, policies.used.reshape(-1) > 0, d)
    padded, vector = padded_rows(elements, ends, d), np.zeros(d + 1)
    for a in range(words.shape[0]):
        if is_meant[a]:
            totals = np.zeros(rows.size)
            vector[:d] = weights[a]
            add_totals(padded, vector, totals)
            words[a] = known[rows[np.argmax(totals)]]


def empty_policies(n_slots: int, dimension: int, rank: int, n_atoms: int, width: int = 0) -> Policies:
    """Return room for so many policies: lists of so many actions each, or tables of ``width`` numbers."""
    d, n_words, n_listed = dimension, (dimension + 63) // 64, 0 if width else n_atoms
    return Policies(
        np.zeros(n_slots, dtype=np.int64),
        np.zeros((n_slots, n_listed, n_words), dtype=np.uint64),
        np.zeros((n_slots, n_listed)),
        np.zeros((n_slots, n_listed)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, rank, rank)),
        np.zeros((n_slots, 0, n_words), dtype=np.uint64),
        np.zeros((n_slots, 0), dtype=np.int64),
        np.zeros((n_slots, width)),
        np.zeros((n_slots, d if width else 0)),
    )


def list_room(family: Family, n_slots: int, n_atoms: int) -> Policies:
    """Return room for policies, and for the actions a set keeps beside lists that are part of the state."""
    policies, data = room(family, n_slots, n_atoms), family.hull.data
    if isinstance(data, KeepsActions) and not family.width:
        known, used = data.pool(n_slots)
        policies = policies._replace(known=known, used=used)
    return policies


def room(family: Family, n_slots: int, n_atoms: int) -> Policies:
    """Return room for so many policies, of so many actions each where they are lists; μ is in the last slot.

    Of μ there is what is needed: its marginals, its Σ, and its table where Σ⁺ is found by that.
    """
    common, explore = family.common, family.common.explore
    policies = empty_policies(n_slots, common.dimension, common.coordinates.size, n_atoms, family.width)
    policies.marginals[-1] = explore.marginals
    if common.coordinates.size:
        policies.moments[-1] = explore.moment
    if family.width and family.solve_mixture:
        x, target = explore.marginals, (policies.tables[-1], policies.marginals[-1], policies.moments[-1])
        fill_table(family, x, x, common.coordinates, *target)
    return policies


def room_for_lists(actions: "ActionSet", variants: int) -> int:
    """Return how many actions a policy is first given room for; where lists are longer, room is made."""
    most = actions.most_atoms
    return int(variants * (2 * actions.dimension if most is None else most))


def keeps_lists(family: Family) -> bool:
    """Tell whether lists are part of the state, because what they are made from is more than their points."""
    return isinstance(family.hull.data, KeepsActions) and not family.width


@kernel
def make_policy(family: Family, policies: Policies, slot: int, point: Floats, log_point: Floats) -> int:
    """Write the policy of a point into a slot and return MADE (Algorithm 2, line 5); or change nothing and say why."""
    common = family.common
    if policies.tables.shape[1]:
        table, marginals, moment = policies.tables[slot], policies.marginals[slot], policies.moments[slot]
        if not fill_table(family, point, log_point, common.coordinates, table, marginals, moment):
            return OUTSIDE
        policies.origins[slot] = log_point if family.table_variance else point
        return MADE
    words, chances, is_inside = list_policy(family, point)
    if not is_inside:
        return OUTSIDE
    if chances.size > policies.chances.shape[1]:
        return FULL
    put_policy(policies, slot, words, chances, common.place)
    return MADE


def remake_tables(family: Family, policies: Policies) -> bool:
    """Make the tables of policies that were read from a file, from what they were made of; tell whether they could be made."""
    last, is_good = len(policies.marginals) - 1, True
    for slot in range(last if family.width else 0):
        x, target = policies.origins[slot], (policies.tables[slot], policies.marginals[slot], policies.moments[slot])
        is_made = x.any() or family.table_variance  # a slot without a point was never filled
        is_good &= not is_made or fill_table(family, x, x, family.common.coordinates, *target)
    return is_good


@kernel
def remake_policy(family: Family, policies: Policies, slot: int, point: Floats, log_point: Floats) -> int:
    """Make a policy again that was read from a file: from its list, where lists are kept and there is one, else from its point."""
    if policies.used.size == 0 or policies.n_atoms[slot] == 0:
        return make_policy(family, policies, slot, point, log_point)
    put_again(policies, slot, family.common.place)
    return MADE


@kernel
def draw_mu(family: Family, rng: np.random.Generator) -> Integers:
    """Draw from the exploration policy, by inversion if it is a list."""
    explore = family.common.explore
    if explore.cumulative.size == 0:
        return draw_explore(family, rng)
    return unpack(explore.words[_found(explore.cumulative, rng.random())], family.common.dimension)


@kernel
def draw(family: Family, policies: Policies, slot: int, rng: np.random.Generator) -> Integers:
    """Draw an action from the policy in a slot, by inversion if it is a list."""
    if slot == policies.n_atoms.size - 1:
        return draw_mu(family, rng)
    if policies.tables.shape[1]:
        return draw_table(family, policies.tables[slot], rng)
    cumulative = policies.cumulative[slot, : policies.n_atoms[slot]]
    return unpack(policies.words[slot, _found(cumulative, rng.random())], family.common.dimension)


@kernel
def _found(cumulative: Floats, needle: float) -> int:
    """Return the first place whose cumulative weight exceeds a number in [0, 1), of weights that may not add up to exactly 1."""
    needle *= cumulative[cumulative.size - 1]
    low, high = 0, cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > needle:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def spread(family: Family, policies: Policies, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return v, the local variance of an aggregate X̃ at a point, which the adaptive step is made of (D17).

    Var(X̃·M) for a Gibbs policy; else x·(X̃ − X̄)², X̄ the mean of X̃ under x where all actions have one size, else 0.
    """
    is_uniform = family.common.is_uniform
    if family.table_variance:
        vector = centred(aggregate, is_uniform)
        return table_variance(family, policies.tables[slot], policies.marginals[slot], vector)
    return centred_square(point, aggregate, is_uniform)


@kernel
def show_policy(family: Family, policies: Policies, slot: int) -> tuple[Words, Floats]:
    """Return the policy in a slot as a list; without rows where the policy is no list."""
    if slot == policies.n_atoms.size - 1:
        explore = family.common.explore
        chances = explore.cumulative.copy()
        for a in range(chances.size - 1, 0, -1):
            chances[a] -= chances[a - 1]
        return explore.words.copy(), chances
    n = policies.n_atoms[slot]
    return policies.words[slot, :n].copy(), policies.chances[slot, :n].copy()


def policy_of(policies: Policies, slot: int, learner: KnowsPolicies) -> Policy:
    """Return the policy in a slot as an object; the learner knows μ, and what a table stands for."""
    d, n = policies.marginals.shape[1], int(policies.n_atoms[slot])
    if slot == len(policies.marginals) - 1:
        return learner.mu
    if n == 0:
        return learner.policy_from(policies.marginals[slot], policies.origins[slot])
    chances = policies.chances[slot, :n]
    return FinitePolicy(unpack_rows(policies.words[slot, :n], d), chances / chances.sum())


@kernel
def put_mean(weights: Floats, marginals: Floats, mean: Floats) -> None:
    """Write E[M] of a mixture."""
    for i in range(mean.size):
        mean[i] = 0.0
    for s in range(weights.size):
        weight, part = weights[s], marginals[s]
        if weight != 0.0:
            for i in range(mean.size):
                mean[i] += weight * part[i]


@kernel
def mixed_moment(moments: Floats, weights: Floats) -> Floats:
    """Return Σ of a mixture on the independent coordinates: its upper triangle."""
    r = moments.shape[1]
    sigma, which, n = np.zeros((r, r)), np.zeros(weights.size + 3, dtype=np.int64), 0
    for s in range(weights.size):
        if weights[s] != 0.0:
            which[n] = s
            n += 1
    for k in range(0, n, 4):  # four at a time, the last of them with weight 0 where there are fewer
        a, b, c, d = which[k], which[k + 1], which[k + 2], which[k + 3]
        p, q = weights[a], weights[b] if k + 1 < n else 0.0
        u, v = weights[c] if k + 2 < n else 0.0, weights[d] if k + 3 < n else 0.0
        for i in range(r):
            line = sigma[i, i:]
            e, f, g, h = moments[a, i, i:], moments[b, i, i:], moments[c, i, i:], moments[d, i, i:]
            for j in range(line.size):
                line[j] = (((line[j] + p * e[j]) + q * f[j]) + u * g[j]) + v * h[j]
    return sigma


@kernel
def solve(family: Family, policies: Policies, weights: Floats, right: Floats) -> tuple[Floats, float]:
    """Return Σ⁺v for the mixture of the slots with these weights, v in span(A), and the relative residual.

    Found on the independent coordinates, 0 elsewhere, or by the set without Σ. The residual is 0 where the solution is exact, and
    positive where Σ was singular to working precision or an iteration ended.
    """
    coordinates = family.common.coordinates
    n = coordinates.size
    if n == 0 and family.solve_mixture:
        return solve_mixture(family, policies.tables, policies.marginals, weights, right)
    if n == 0:  # Σ is not kept
        return right, np.inf
    sigma, inner, result = mixed_moment(policies.moments, weights), np.empty(n), np.zeros(right.size)
    for j in range(n):
        inner[j] = right[coordinates[j]]
    is_definite = factorise(sigma)
    found = cholesky_solve(sigma, inner) if is_definite else recover(mixed_moment(policies.moments, weights)) @ inner
    for j in range(n):
        result[coordinates[j]] = found[j]
    return result, 0.0 if is_definite else CUT
