r"""An adversary in the style of the lower bound for extensive-form games.

Daskalakis, Farina, Golowich, Sandholm and Zhang (2024) show that on the plans of a decision tree no learner has small
swap regret before a time exponential in a power of the dimension (the paper's corollary on tightness). Their adversary
walks through the leaves of a tree of phases; every node of it has its own random plan, random plans are nearly
orthogonal, so there are far more "new" actions than dimensions, and what was good in a phase is of no use once the
phase is over.

**How far this follows them.** Kept: the oblivious walk over a tree of phases, one random plan a node, deeper nodes
paying for shorter times, rewards linear in the sequence form. Changed: depth and branching are chosen for horizons
people have, not for the asymptotic proof, which needs T ≤ exp(d^{1/14}); a plan whose phase is over pays less than a
fresh one until its parent's phase ends, which makes learners that follow the past lose; rewards are Bernoulli so that
bandit feedback is noisy. No lower bound is claimed for this sequence.
"""

import numpy as np

from swapregret.arrays import Matrix, as_integer, check_memory
from swapregret.boundary import refuses
from swapregret.counts import shown
from swapregret.environments.base import Environment, Seed, entropy_from, seeded
from swapregret.environments.decision_tree import DecisionTree
from swapregret.environments.groups import random_action
from swapregret.errors import InvalidInput

__all__ = ["extensive_form"]


@refuses
def extensive_form(
    horizon: int,
    *,
    rounds: int = 2,
    observations: int = 3,
    choices: int = 2,
    branching: int = 4,
    depth: int = 4,
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
        The decision tree, see :class:`DecisionTree`.
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
    days, generator = seeded(horizon, rng)
    fan = as_integer(branching, "branching", 2)
    n_levels = as_integer(depth, "depth", 1)
    if n_levels > 64 or fan**n_levels > days:
        raise InvalidInput(
            f"`branching` ** `depth` must not exceed `horizon`, {days}",
            f"{shown(fan)} ** {shown(n_levels)}",
            "Take fewer or smaller phases.",
        )
    actions = DecisionTree(rounds, observations, choices)
    check_memory(2 * fan**n_levels, "the tables of the phases", 16 * actions.dimension)
    tables = []
    for level in range(1, n_levels + 1):
        plans = np.array([random_action(actions, generator) for _ in range(fan**level)], dtype=np.float64)
        families = plans.reshape(-1, fan, actions.dimension)
        earlier = np.cumsum(families, axis=1) - families
        counts = np.maximum(1, np.arange(fan))[None, :, None]
        tables.append((families - earlier / counts).reshape(plans.shape))

    def levels(start: int, stop: int) -> Matrix:
        leaf = np.arange(start, stop) * fan**n_levels // days
        total = np.zeros((stop - start, actions.dimension))
        for level, table in enumerate(tables, start=1):
            total += table[leaf // fan ** (n_levels - level)]
        return 0.5 + total / (2.0 * n_levels)

    return Environment("extensive-form", actions, days, levels, entropy_from(generator))
