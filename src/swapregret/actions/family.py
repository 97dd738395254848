"""What a set brings along for the learners: a *family*, a value that describes the set to compiled code, and its methods.

A family is a named tuple of arrays and numbers whose field ``common`` is a :class:`Common`. Its class decides which code runs
(``compiled.methods``). A new family must give :func:`project`, :func:`list_policy` and :func:`best`; everything else has a
default. Sets that exist only in Python are behind ``OracleFamily`` or ``PooledFamily``, which call their methods.

Policies are kept in *slots*: one per member of a learner, and last the exploration policy μ. By default a slot holds a list of
actions, and Σ is a dense matrix on r independent coordinates (``actions.policy_slots``). A family whose policies are no lists
brings ``room``, ``make_policy``, ``draw``, and where Σ is no matrix ``solve``; and in Python :func:`slot_policy`, which makes an
object of the policy in a slot. No method may write to its arguments.
"""

# the bodies of stubs are never run
# mypy: disable-error-code="empty-body"

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.elimination_order import elimination_order
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import pack_action, unpack_rows
from swapregret.compiled.methods import method
from swapregret.policy import FinitePolicy, Policy

MADE, OUTSIDE, FULL = 0, 1, 2
"""How making a policy ended: well; the point was not in conv(A); its list is longer than the room for it."""


class Explore(NamedTuple):
    """The exploration policy μ.

    Attributes
    ----------
    words : uint64 array, shape (n, words)
        Its actions, packed, if it is a list; otherwise ``draw_explore`` draws from it.
    cumulative : float64 array, shape (n,)
    marginals : float64 array, shape (d,)
    moment : float64 array, shape (r, r) or (0, 0)
        Its Σ on the independent coordinates, where Σ is a matrix.
    """

    words: Words
    cumulative: Floats
    marginals: Floats
    moment: Floats


class Common(NamedTuple):
    """What the learners must know of any set.

    Attributes
    ----------
    dimension, size, rank : int
        d, m and r.
    is_uniform : bool
        Whether all actions have m elements.
    coordinates : int64 array, shape (r,) or (0,)
        Independent coordinates on which Σ is a matrix; none where Σ is not needed or not a matrix. They stand in the order in which
        Σ is factored: those that share actions with few others come first, which keeps the factor sparse.
    place : int64 array, shape (d,) or (0,)
        The place of each coordinate among those, −1 for the others.
    explore : Explore
    orthonormal : float64 array, shape (d, r) or (0, 0)
        An orthonormal basis of span(A) for ``span_part``; none where all vectors are in it, or the family brings that method.
    """

    dimension: int
    size: int
    rank: int
    is_uniform: bool
    coordinates: Integers
    place: Integers
    explore: Explore
    orthonormal: Floats


@method
def project(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the KL projection of exp(tilted) onto conv(A), its logarithm (0 where no action has an element), and if it is good.

    ``near`` is the logarithm of a point that may be near.
    """


@method
def list_policy(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """Return a point of conv(A) as a list: actions, packed, their chances, and whether the point was inside."""


@method
def best(family: Any, weights: Floats) -> Integers:
    """Return the action of largest total weight; nothing where Python code has raised an error (``compiled.callback``)."""


@method
def span_part(family: Any, vector: Floats) -> Floats:
    """Return the part of a vector that actions can see, its projection onto span(A); a family may leave the rest in it."""


@method
def draw_explore(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from an exploration policy that is no list."""


@method
def room(family: Any, n_slots: int, n_atoms: int) -> Any:
    """Return room for so many policies, of so many actions each where they are lists; the last slot is filled with μ."""


@method
def make_policy(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Write the policy of a point into a slot and return MADE; or change nothing and say why."""


@method
def remake_policy(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Make a policy again that was read from a file: from its point, or from what was read where that is more."""


@method
def draw(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw an action from the policy in a slot."""


@method
def spread(family: Any, policies: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return v, the local variance of an aggregate X̃ at a point, which the adaptive step is made of (D17)."""


@method
def solve(family: Any, policies: Any, weights: Floats, right: Floats) -> tuple[Floats, float]:
    """Return Σ⁺v for the mixture of the slots with these weights, v in span(A), and the relative residual.

    The residual is 0 where the solution is exact, and positive where Σ was singular to working precision or an iteration ended.
    """


@method
def show_policy(family: Any, policies: Any, slot: int) -> tuple[Words, Floats]:
    """Return the policy in a slot as a list; without rows where it is none."""


def describe(actions: Any, mu: Policy, *, has_moment: bool, is_listed: bool, has_basis: bool = True) -> Common:
    """Return what the learners must know of a set and its exploration policy.

    Parameters
    ----------
    actions : ActionSet
    mu : Policy
    has_moment : bool
        Whether Σ is wanted as a matrix.
    is_listed : bool
        Whether μ is drawn from its list; otherwise the family brings ``draw_explore``.
    has_basis : bool
        Whether ``span_part`` needs a basis of the span; not if the family brings the method.
    """
    d = actions.dimension
    coordinates, place = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    moment = np.zeros((0, 0))
    if has_moment:
        together = mu.cooccurrence()
        coordinates = np.sort(actions.span.coordinates).astype(np.int64)
        one, other = np.nonzero(np.triu(together[np.ix_(coordinates, coordinates)], 1))
        coordinates = coordinates[elimination_order(one, other, len(coordinates))[0]]
        place = np.full(d, -1, dtype=np.int64)
        place[coordinates] = np.arange(len(coordinates))
        moment = np.ascontiguousarray(together[np.ix_(coordinates, coordinates)])
    words, cumulative = np.zeros((0, (d + 63) // 64), dtype=np.uint64), np.zeros(0)
    if is_listed:
        policy = mu.finite()
        words, cumulative = np.zeros((len(policy.weights), words.shape[1]), dtype=np.uint64), np.cumsum(policy.weights)
        for row, atom in zip(words, policy.atoms, strict=True):
            pack_action(np.array(atom), row)
    explore = Explore(words, cumulative, np.array(mu.marginals()), moment)
    needs = has_basis and actions.rank < d
    orthonormal = np.ascontiguousarray(actions.span.orthonormal) if needs else np.zeros((0, 0))
    return Common(d, actions.size, actions.rank, bool(actions.is_uniform), coordinates, place, explore, orthonormal)


def policy_of(family: Any, policies: Any, slot: int, actions: Any, mu: Policy) -> Policy:
    """Return the policy in a slot as an object; ``actions`` and ``mu`` are what the family was made of."""
    return mu if slot == len(policies.marginals) - 1 else slot_policy(family, policies, slot, actions)


@singledispatch
def slot_policy(family: Any, policies: Any, slot: int, actions: Any) -> Policy:
    """Return the policy in a slot other than the last, by the class of the family: the list it is."""
    words, chances = show_policy(family, policies, slot)
    return FinitePolicy(unpack_rows(words, actions.dimension), chances / chances.sum())


def gibbs_of(family: Any, policies: Any, slot: int, actions: Any) -> Policy:
    """Return the Gibbs policy of the exponents in a slot."""
    policy: Policy = actions.gibbs(policies.exponents[slot])
    return policy
