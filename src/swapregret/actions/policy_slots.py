r"""Policies as lists of actions in slots, and Σ of their mixture as a matrix: how most families are played.

:math:`\Sigma = \sum_s w_s\,\mathbb E_s[M M^\top]`, kept on r independent coordinates that determine the others. The choice of
generalised inverse does not matter (D8), so systems are solved on these.
"""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import (
    FULL,
    MADE,
    OUTSIDE,
    Common,
    draw,
    draw_explore,
    list_policy,
    make_policy,
    remake_policy,
    room,
    show_policy,
    solve,
    span_part,
    spread,
)
from swapregret.arrays import Flags, Floats, Integers, Words
from swapregret.compiled.bits import elements_of, unpack
from swapregret.compiled.cholesky import CUT, cholesky_solve, factorise, recover
from swapregret.compiled.kernel import kernel
from swapregret.compiled.rows import add_totals, elements_of_words, padded_rows
from swapregret.compiled.vectors import centred_square
from swapregret.compiled.vectors import span_part as part_in_columns


class ListedPolicies(NamedTuple):
    """S policies of at most A actions, each of W words.

    Attributes
    ----------
    n_atoms : int64 array, shape (S,)
    words : uint64 array, shape (S, A, W)
    chances, cumulative : float64 arrays, shape (S, A)
    marginals : float64 array, shape (S, d)
    moments : float64 array, shape (S, r, r)
        Σ on the independent coordinates; what is below the diagonal is not used.
    known, used : uint64 array, shape (S, P, W), and int64 array, shape (S, P)
        Actions that a family keeps beside the lists, P per slot for all slots together, and when each was used last
        (``own_sets.pooled_family``); none, P = 0, for most.
    """

    n_atoms: Integers
    words: Words
    chances: Floats
    cumulative: Floats
    marginals: Floats
    moments: Floats
    known: Words
    used: Integers


@kernel
def put_policy(policies: ListedPolicies, slot: int, words: Words, chances: Floats, place: Integers) -> None:
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
def put_again(policies: ListedPolicies, slot: int, place: Integers) -> None:
    """Make all else again from a list that was read from a file."""
    n = policies.n_atoms[slot]
    put_policy(policies, slot, policies.words[slot, :n].copy(), policies.chances[slot, :n].copy(), place)


@kernel
def put_best_known(policies: ListedPolicies, weights: Floats, is_meant: Flags, words: Words) -> None:
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


@kernel
def put_mu(common: Common, marginals: Floats, moments: Floats) -> None:
    """Write E[M] and Σ of the exploration policy into the last slot."""
    last = marginals.shape[0] - 1
    marginals[last] = common.explore.marginals
    if moments.shape[1]:
        moments[last] = common.explore.moment


@room.default
def listed_room(family: Any, n_slots: int, n_atoms: int) -> ListedPolicies:
    """Return room for lists, μ in the last slot as far as it is needed there: its marginals and Σ."""
    common = family.common
    d, r = common.dimension, common.coordinates.size
    policies = ListedPolicies(
        np.zeros(n_slots, dtype=np.int64),
        np.zeros((n_slots, n_atoms, (d + 63) // 64), dtype=np.uint64),
        np.zeros((n_slots, n_atoms)),
        np.zeros((n_slots, n_atoms)),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
        np.zeros((n_slots, 0, (d + 63) // 64), dtype=np.uint64),
        np.zeros((n_slots, 0), dtype=np.int64),
    )
    put_mu(common, policies.marginals, policies.moments)
    return policies


def list_room(family: Any, n_slots: int, n_atoms: int) -> ListedPolicies:
    """Return room for so many lists of so many actions each, and for the actions a family keeps; μ is in the last slot."""
    policies, inner = listed_room(family, n_slots, n_atoms), getattr(family, "family", family)
    if keeps_lists(family):
        known, used = inner.pool(n_slots)
        policies = policies._replace(known=known, used=used)
    return policies


def room_for_lists(actions: Any, variants: int) -> int:
    """Return how many actions a policy is first given room for; where lists are longer, room is made."""
    most = actions.most_atoms
    return int(variants * (2 * actions.dimension if most is None else most))


def keeps_lists(family: Any) -> bool:
    """Tell whether lists are part of the state, because what they are made from is more than their points."""
    return hasattr(getattr(family, "family", family), "pool")


@make_policy.default
def make_listed(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """List the actions of a point (Algorithm 2, line 5)."""
    words, chances, is_inside = list_policy(family, point)
    if not is_inside:
        return OUTSIDE
    if chances.size > policies.chances.shape[1]:
        return FULL
    put_policy(policies, slot, words, chances, family.common.place)
    return MADE


@remake_policy.default
def remake_listed(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make the policy from its point."""
    return make_policy(family, policies, slot, point, log_point)


@kernel
def draw_mu(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from the exploration policy, by inversion if it is a list."""
    explore = family.common.explore
    if explore.cumulative.size == 0:
        return draw_explore(family, rng)
    return unpack(explore.words[_found(explore.cumulative, rng.random())], family.common.dimension)


@draw.default
def draw_listed(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw by inversion."""
    if slot == policies.n_atoms.size - 1:
        return draw_mu(family, rng)
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


@spread.default
def spread_of_point(family: Any, policies: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return x·(X̃ − X̄)², X̄ the mean of X̃ under x where all actions have one size, else 0."""
    return centred_square(point, aggregate, family.common.is_uniform)


@span_part.default
def part_of_basis(family: Any, vector: Floats) -> Floats:
    """Project onto the span by its basis; return the vector where there is none, since actions span everything."""
    orthonormal = family.common.orthonormal
    return part_in_columns(orthonormal, vector) if orthonormal.size else vector


@draw_explore.default
def draw_nothing(family: Any, rng: np.random.Generator) -> Integers:
    """Draw nothing: a family without this method has a list to draw from (``called_family``)."""
    return np.zeros(family.common.dimension, dtype=np.int64)


@kernel
def show_mu(family: Any, policies: Any, slot: int) -> tuple[Words, Floats]:
    """Return μ as a list, if it is one and stands in the slot; what is in the others is no list."""
    explore = family.common.explore
    n = explore.cumulative.size if slot == policies.marginals.shape[0] - 1 else 0
    chances = explore.cumulative[:n].copy()
    for a in range(n - 1, 0, -1):
        chances[a] -= chances[a - 1]
    return explore.words[:n].copy(), chances


@show_policy.default
def show_listed(family: Any, policies: Any, slot: int) -> tuple[Words, Floats]:
    """Return the list in a slot; of μ, the list it is, if it is one."""
    if slot == policies.n_atoms.size - 1:
        return show_mu(family, policies, slot)
    n = policies.n_atoms[slot]
    return policies.words[slot, :n].copy(), policies.chances[slot, :n].copy()


@kernel
def put_moment(full: Floats, coordinates: Integers, moment: Floats) -> None:
    """Write what Σ is on the independent coordinates."""
    for i in range(coordinates.size):
        line, row = moment[i], full[coordinates[i]]
        for j in range(coordinates.size):
            line[j] = row[coordinates[j]]


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


@solve.default
def solve_dense(family: Any, policies: Any, weights: Floats, right: Floats) -> tuple[Floats, float]:
    """Solve on the independent coordinates, 0 elsewhere; there is no solution where Σ is not kept."""
    coordinates = family.common.coordinates
    n = coordinates.size
    if n == 0:
        return right, np.inf
    sigma, inner, result = mixed_moment(policies.moments, weights), np.empty(n), np.zeros(right.size)
    for j in range(n):
        inner[j] = right[coordinates[j]]
    is_definite = factorise(sigma)
    found = cholesky_solve(sigma, inner) if is_definite else recover(mixed_moment(policies.moments, weights)) @ inner
    for j in range(n):
        result[coordinates[j]] = found[j]
    return result, 0.0 if is_definite else CUT
