"""Policies over plans that choose at every information set on its own; they need no list, but have one on small trees."""

from functools import lru_cache
from typing import Self

import numpy as np

from swapregret.actions.plans.kernels.plan_best import plan_imbalance
from swapregret.actions.plans.kernels.plan_chances import draw_plan, plan_cooccurrence, plan_flow, plan_moment
from swapregret.actions.plans.plan_tree import PlanTree
from swapregret.arrays import Action, Actions, Matrix, Vector, frozen
from swapregret.files.held import SLACK, Held, held_array, held_of, wrong_policy
from swapregret.policy import FinitePolicy, Policy, once

_LISTED = 10_000


@lru_cache(maxsize=8)
def _all_plans(tree: PlanTree) -> FinitePolicy:
    """List all plans, alike."""
    rows = np.zeros((tree.n_plans, tree.dimension), dtype=np.int64)
    for row, plan in zip(rows, tree.plans(), strict=True):
        row[plan] = 1
    return FinitePolicy(rows, np.full(len(rows), 1.0 / len(rows)))


class BehaviouralPlans(Policy):
    r"""The policy that draws at every information set that is reached, independently: a behavioural strategy.

    Parameters
    ----------
    tree : PlanTree
    chances : array, shape (d,)
        The probability of each sequence, given that its information set is reached.

    Notes
    -----
    O(d) for the marginals and each product with the second moment. Of trees with at most 10,000 plans it can list them all, so that
    regrets under it are exact.

    Examples
    --------
    >>> from swapregret.actions.plans.plan_tree import read_tree
    >>> tree, _, _ = read_tree([("a", "xy".split() + ["z"]), ("b", ["u", "v"], ("a", "xy"))])
    >>> policy = BehaviouralPlans(tree, np.array([.5, .5, .25, .75]))
    >>> policy.marginals().tolist(), policy.second_moment(np.array([0., 0., 1., 0.])).tolist()
    ([0.5, 0.5, 0.125, 0.375], [0.125, 0.0, 0.125, 0.0])
    """

    made_of = ("tree", "chances")

    def __init__(self, tree: PlanTree, chances: Vector) -> None:
        self.dimension = tree.dimension
        self.has_atoms = tree.n_plans <= _LISTED
        self.tree = tree
        self.chances: Vector = frozen(np.ascontiguousarray(chances, dtype=np.float64))

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw at every information set that is reached, in order."""
        return draw_plan(self.tree.start, self.tree.parent, self.chances, rng)

    @once
    def marginals(self) -> Vector:
        """E[M]."""
        return plan_flow(self.tree.start, self.tree.parent, self.chances)

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(d), by one pass from the leaves and one from the root."""
        v = np.ascontiguousarray(vector, dtype=np.float64)
        return plan_moment(self.tree.start, self.tree.parent, self.chances, self.marginals(), v)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ in O(d²), computed once."""
        return plan_cooccurrence(self.tree.start, self.tree.parent, self.chances, self.marginals())

    def probabilities(self, actions: Actions) -> Vector:
        """Return the probability of every row that is a plan, the product of its chances; 0 for what is no plan."""
        found = np.zeros(len(actions))
        for row, vector in enumerate(np.asarray(actions)):
            if plan_imbalance(self.tree.start, self.tree.parent, vector.astype(np.float64)) == 0.0:
                found[row] = np.prod(self.chances[vector == 1])
        return found

    def _listed(self) -> FinitePolicy:
        listed = _all_plans(self.tree)
        found = np.where(np.asarray(listed.atoms) == 1, self.chances, 1.0).prod(axis=1)
        return listed.reweighted(found / found.sum())

    def __repr__(self) -> str:
        return f"BehaviouralPlans(dimension={self.dimension}, information_sets={len(self.tree.parent)})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        tree = held_of(held, "tree", PlanTree)
        chances = held_array(held, "chances", "float64", (tree.dimension,), 0.0, 1.0 + SLACK)
        sums = np.add.reduceat(chances, tree.start[:-1])
        if (np.abs(sums - 1.0) > SLACK).any():
            raise wrong_policy("`chances` that add up to 1 at each information set", f"{sums.min()} to {sums.max()}")
        return cls(tree, chances)
