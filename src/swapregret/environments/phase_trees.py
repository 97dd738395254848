r"""Rewards on every scale of time: a tree over the days, whose nodes have an action each.

:func:`tree` is the plain one. :func:`extensive_form` is an adversary in the style of the lower bound for extensive-form games.

Daskalakis, Farina, Golowich, Sandholm and Zhang (2024) show that on the plans of a decision tree no learner has small
swap regret before a time exponential in a power of the dimension (the paper's corollary on tightness). Their adversary
walks through the leaves of a tree of phases; every node of it has its own random plan, random plans are nearly
orthogonal, so there are far more "new" actions than dimensions, and what was good in a phase is of no use once the
phase is over.

**What is known, and what is ours.** The paper cites their theorem: for T ≤ exp(Ω(d^{1/14})) there are a set of binary plans and an
oblivious adversary with linear rewards. It does not build them. Kept here: plans of a decision tree, an oblivious walk over a tree
of phases, one random plan a node, deeper nodes paying for shorter times, rewards linear in the sequence form. Ours: the decision
tree, and depth and branching for horizons people have; a plan whose phase is over pays less than a fresh one until its parent's
phase ends, which makes learners that follow the past lose; Bernoulli rewards, so that bandit feedback is noisy. No lower bound is
claimed for this sequence.
"""

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.plans.plans import InformationSet, Plans
from swapregret.arguments import Between, Count, Days, checked
from swapregret.arrays import Matrix, as_integer, check_memory
from swapregret.counts import shown
from swapregret.environments.environment import Environment, Levels, entropy_from
from swapregret.environments.groups import random_action
from swapregret.errors import InvalidInput
from swapregret.randomness import Seed, as_generator

_DAYS_PER_LEAF = 50
_Fan = Annotated[int, Between(2)]
"""Into how many parts a stretch of days is divided."""


@checked
def tree(
    actions: ActionSet, horizon: Days, *, branching: _Fan = 4, depth: Count | None = None, rng: Seed = None
) -> Environment:
    """Return a tree over the days: each node has a random action, which pays 1/depth while its node lasts.

    Below the root, which would only add a constant, the days are divided into ``branching`` equal parts, each of them
    again, down to ``depth``. On a day the nodes on the path from the root to its leaf are open; an element's level is
    the share of them whose action contains it.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    branching : int
        Four if not given.
    depth : int, optional
        ⌊log₄(T / 50)⌋ (with the branching in place of 4), at least 1, if not given.
    rng : int, SeedSequence, Generator or None
        Chooses the actions and the noise.

    Notes
    -----
    branching^depth oracle calls, and as many rows of memory, up to a factor branching / (branching − 1).

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = tree(MSets(6, 2), 800, rng=0)
    >>> float(world.means(0, 800).sum().round(9))       # two levels, each pays one action, 1 per day in total
    800.0
    """
    generator = as_generator(rng)
    if depth is None:
        depth = max(1, math.floor(math.log(max(1.0, horizon / _DAYS_PER_LEAF), branching) + 1e-9))
    n_levels = as_integer(depth, "depth", 1, max(1, math.floor(math.log(horizon, branching) + 1e-9)))
    tables = _node_actions(actions, branching, n_levels, generator)
    open_nodes = _walk(tables, branching, horizon)
    return Environment(
        "tree", actions, horizon, lambda start, stop: open_nodes(start, stop) / n_levels, entropy_from(generator)
    )


@checked
def extensive_form(
    horizon: Days,
    *,
    rounds: Count = 2,
    observations: Count = 3,
    choices: Count = 2,
    branching: _Fan = 4,
    depth: Count = 4,
    rng: Seed = None,
) -> Environment:
    r"""Return the walk through a tree of phases, on the plans of a decision tree.

    With :math:`v_1, \dots, v_D` the open nodes of a day, :math:`z_v` the plan of a node and :math:`\bar z_v` the mean
    plan of the earlier siblings of v (0 for the first), the level of a sequence is

    .. math:: \tfrac12 + \tfrac1{2D} \sum_{\ell=1}^{D} (z_{v_\ell} - \bar z_{v_\ell}).

    Parameters
    ----------
    horizon : int
    rounds, observations, choices : int
        Of the decision tree, see :func:`decision_tree`.
    branching, depth : int
        The tree of phases; branching^depth must not exceed the horizon.
    rng : int, SeedSequence, Generator or None
        Chooses the plans and the noise.

    Examples
    --------
    >>> world = extensive_form(1000, rng=0)
    >>> world.actions.n_actions, world.actions.dimension
    (4096, 42)
    """
    actions = decision_tree(rounds, observations, choices)
    generator = as_generator(rng)
    if depth > 64 or branching**depth > horizon:
        raise InvalidInput(
            f"`branching` ** `depth` must not exceed `horizon`, {horizon}",
            f"{shown(branching)} ** {shown(depth)}",
            "Take fewer or smaller phases.",
        )
    tables = []
    for plans in _node_actions(actions, branching, depth, generator):
        families = plans.reshape(-1, branching, actions.dimension)
        earlier = np.cumsum(families, axis=1) - families
        counts = np.maximum(1, np.arange(branching))[None, :, None]
        tables.append((families - earlier / counts).reshape(plans.shape))
    open_nodes = _walk(tables, branching, horizon)

    def levels(start: int, stop: int) -> Matrix:
        return 0.5 + open_nodes(start, stop) / (2.0 * depth)

    return Environment("extensive-form", actions, horizon, levels, entropy_from(generator))


@checked
def decision_tree(rounds: Count, observations: Count, choices: Count) -> Plans:
    r"""Return all plans of a player who sees one of several observations and then makes one of several choices, ``rounds`` times.

    A sequence is named by the tuple of observations and choices up to it, (o₁, c₁, …, o_k, c_k). With O observations and C choices
    there are :math:`\sum_k (OC)^k` of them, a plan has :math:`\sum_k O^k`, and there are :math:`f_1^O` plans, :math:`f_k = C
    f_{k+1}^O`, :math:`f_{rounds} = C`.

    Examples
    --------
    >>> plans = decision_tree(rounds=1, observations=2, choices=3)
    >>> plans.n_actions, plans.dimension, plans.size
    (9, 6, 2)
    >>> plans.elements(plans.argmax([0., 1., 0., 0., 0., 1.]))
    ((0, 1), (1, 2))
    """
    pair = observations * choices
    check_memory(pair ** min(rounds, 64) * (1 if pair > 1 else rounds), "a decision tree")
    sets: list[InformationSet] = []
    labels: list[tuple[int, ...]] = []
    reached: list[tuple[int, ...]] = [()]
    for _ in range(rounds):
        points = [(*before, seen) for before in reached for seen in range(observations)]
        sets += [(_named(point), map(str, range(choices)), _chosen(point[:-1])) for point in points]
        reached = [(*point, choice) for point in points for choice in range(choices)]
        labels += reached
    return Plans(sets, labels=labels)


def _named(point: tuple[int, ...]) -> str:
    return ".".join(map(str, point))


def _chosen(sequence: tuple[int, ...]) -> tuple[str, str] | None:
    """Return the information set and the choice with which a sequence ends; nothing for the empty one."""
    return (_named(sequence[:-1]), str(sequence[-1])) if sequence else None


def _node_actions(actions: ActionSet, fan: int, depth: int, generator: np.random.Generator) -> list[Matrix]:
    """Draw an action for every node below the root: one table per level, one row per node."""
    check_memory(2 * fan**depth, "the tables of a tree over the days", 16 * actions.dimension)
    return [
        np.array([random_action(actions, generator) for _ in range(fan**level)], dtype=np.float64)
        for level in range(1, depth + 1)
    ]


def _walk(tables: Sequence[Matrix], fan: int, days: int) -> Levels:
    """Return the sums, day by day, of the rows of the nodes that are open: those on the path to the leaf of the day."""
    depth = len(tables)

    def sums(start: int, stop: int) -> Matrix:
        leaf = np.arange(start, stop) * fan**depth // days
        total = np.zeros((stop - start, tables[0].shape[1]))
        for level, table in enumerate(tables, start=1):
            total += table[leaf // fan ** (depth - level)]
        return total

    return sums
