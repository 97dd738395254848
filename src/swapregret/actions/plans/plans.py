r"""Plans: what a player does at every information set of a sequential game that the plan itself can reach.

Coordinates are the sequences, an information set with an action; :math:`\mathcal A` is the set of 0/1 vectors in *sequence form*
(von Stengel 1996): each information set that follows nothing, or a chosen sequence, has exactly one of its sequences chosen.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.hull import Hull, Tables
from swapregret.actions.labelled import SpecValues
from swapregret.actions.plans.kernels.plan_best import plan_imbalance
from swapregret.actions.plans.kernels.plan_chances import chances_of, gibbs_chances
from swapregret.actions.plans.kernels.plan_projection import plan_span_part
from swapregret.actions.plans.plan_hull import (
    PlanData,
    best_of_plans,
    draw_exploring_plan,
    draw_gibbs_plan,
    fill_gibbs_plans,
    list_plans,
    part_of_plans,
    plan_variance,
    project_gibbs_plans,
    project_plans,
)
from swapregret.actions.plans.plan_policies import BehaviouralPlans
from swapregret.actions.plans.plan_tree import PlanTree, read_tree
from swapregret.arrays import Action, Integers, Label, Vector, as_vector
from swapregret.errors import InvalidInput
from swapregret.files.csv_file import read_csv
from swapregret.geometry.hull_equations import HullEquations
from swapregret.geometry.span import Span
from swapregret.policy import Policy

_ORDER_SEED = 0x91A5
_TOLERANCE = 1e-8
_COLUMNS = ("information_set", "actions", "after")

InformationSet = tuple[str, Iterable[str]] | tuple[str, Iterable[str], tuple[str, str] | None]


class Plans(ActionSet):
    r"""All plans of one player of a sequential game, or of anyone who decides in turn.

    A plan says nothing about what it makes impossible itself: these are *reduced* plans.

    Parameters
    ----------
    information_sets : iterable of (name, actions) or (name, actions, (name, action))
        What can be decided, each with what it follows: an earlier information set of this player and the action chosen there, or
        nothing. The player remembers what it did (perfect recall), so there is one such sequence.
    labels : sequence of hashable, optional
        Names of the sequences; by default ``"name: action"``, pairs if two of these were alike.

    Notes
    -----
    With d sequences and J information sets:

    =============== ================================================= ==================
    operation       how                                               cost
    =============== ================================================= ==================
    argmax          one pass from the leaves, first choice on ties    O(d)
    n_actions       the same with exact integers                      O(d)
    rank            d − J + 1                                         O(1)
    kl_project      Newton in logarithms, eliminated along the tree   O(d) per step
    decompose       stripping in units of 2⁻⁴⁴, at most rank plans    O(d) per plan
    gibbs, uniform  products of partition functions                   O(d)
    =============== ================================================= ==================

    Examples
    --------
    >>> actions = Plans([("J", ["check", "bet"]), ("J, check, bet", ["fold", "call"], ("J", "check"))])
    >>> actions.n_actions, actions.rank, actions.labels[3]
    (3, 3, 'J, check, bet: call')
    >>> actions.choice(actions.argmax([0., .5, 0., 1.]))
    {'J': 'check', 'J, check, bet': 'call'}
    """

    spec_options = ("information_sets",)
    has_uniform = True
    has_gibbs = True
    has_markov = True

    def __init__(self, information_sets: Iterable[InformationSet], *, labels: Sequence[Label] | None = None) -> None:
        self._tree, self._names, self._sequences = read_tree(information_sets)
        least, most = self._tree.sizes
        texts = [f"{name}: {action}" for name, action in self._sequences]
        given: Sequence[Label] = texts if len(set(texts)) == len(texts) else self._sequences
        super().__init__(self._tree.dimension, most, given if labels is None else labels)
        self.is_uniform = least == most

    @classmethod
    def from_spec(cls, values: SpecValues, folder: Path) -> "Plans":
        """Make the plans of a table's ``information_sets``, or of a ``file`` with the columns information_set, actions, after."""
        if "file" not in values:
            return cls(values.get("information_sets", ()))
        table = read_csv(folder / values["file"])
        if sorted(table.header) != sorted(_COLUMNS):
            raise InvalidInput(
                f"{table.name} must have the columns {', '.join(_COLUMNS)}",
                ", ".join(table.header),
                "Write actions as check;bet, and what an information set follows as NAME: ACTION; nothing at the root.",
            )
        cells = [dict(zip(table.header, row, strict=True)) for _, row in table.rows]
        afters = [tuple(row["after"].rsplit(": ", 1)) if row["after"] else None for row in cells]
        return cls(
            (row["information_set"], row["actions"].split(";"), after)  # type: ignore[misc]
            for row, after in zip(cells, afters, strict=True)
        )

    @property
    def tree(self) -> PlanTree:
        """Return the tree as the kernels see it."""
        return self._tree

    @property
    def information_sets(self) -> tuple[str, ...]:
        """Return the names of the information sets."""
        return self._names

    def part_on(self, kept: Integers) -> "Plans":
        """Return the plans of the tree with these sequences alone, each of which a plan must have."""
        left, sets = set(kept.tolist()), []
        for name, before, first, last in zip(
            self._names, self._tree.parent, self._tree.start[:-1], self._tree.start[1:], strict=True
        ):
            actions = [self._sequences[k][1] for k in range(first, last) if k in left]
            if actions:
                sets.append((name, actions, self._sequences[before] if before >= 0 else None))
        return Plans(sets, labels=[self.labels[k] for k in kept])

    @property
    def n_actions(self) -> int:
        """Return the number of plans, exact."""
        return self._tree.n_plans

    @property
    def _arrays(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return self._tree.start, self._tree.parent

    def _is_action(self, vector: Action) -> bool:
        """Tell whether every information set has as many sequences chosen as enter it."""
        return bool(plan_imbalance(*self._arrays, vector.astype(np.float64)) == 0.0)

    def _actions(self) -> Iterator[Action]:
        for plan in self._tree.plans():
            row = np.zeros(self.dimension, dtype=np.int64)
            row[plan] = 1
            yield row

    def choice(self, action: npt.ArrayLike) -> dict[str, str]:
        """Read an action as what to do at each information set that the plan can reach."""
        return dict(self._sequences[k] for k in np.flatnonzero(self._read_action(action)))

    # ---- geometry of conv(A) -----------------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """Return d − J + 1."""
        return self._tree.rank

    @cached_property
    def span(self) -> Span:
        """The span in closed form: all sequences but one per information set are independent."""
        tree = self._tree
        return Span(tree.coordinates, tree.lift, tree.basis, lambda vector: plan_span_part(*self._arrays, vector))

    def hull_equations(self) -> HullEquations:
        """Return the mean plans: every information set adds up to what enters it."""
        return self._tree.equations()

    def _ones(self) -> Vector:
        """Return 1 on the sequences of the first information set: every plan has one of them."""
        return np.where(np.arange(self.dimension) < self._tree.start[1], 1.0, 0.0)

    def _orders(self, variants: int) -> npt.NDArray[np.int64]:
        """Return the orders in which variants try the actions of an information set: as given, then pseudo-random."""
        owner = np.repeat(np.arange(len(self._names)), np.diff(self._tree.start))
        noise = [np.random.default_rng([_ORDER_SEED, index]).random(owner.size) for index in range(1, variants)]
        return np.stack([np.lexsort((each, owner)) for each in (np.arange(owner.size), *noise)]).astype(np.int64)

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the operations: passes over the tree, Newton eliminated along it, stripping in whole numbers; Gibbs policies."""
        start, parent = (each.copy() for each in self._arrays)  # not read-only, which pickle forgets
        explore = mu.chances.copy() if isinstance(mu, BehaviouralPlans) else np.zeros(0)
        return Hull(
            PlanData(start, parent, explore, self._orders(variants), _TOLERANCE),
            best=best_of_plans,
            project=project_plans,
            list_policy=list_plans,
            span_part=part_of_plans,
            draw_explore=draw_exploring_plan if explore.size else None,
            gibbs=Tables(
                self.dimension,
                fill_gibbs_plans,
                draw_gibbs_plan,
                project=project_gibbs_plans,
                variance=plan_variance,
            ),
        )

    # ---- policies ------------------------------------------------------------------------------------------------

    def markov_policy(self, marginals: npt.ArrayLike) -> BehaviouralPlans:
        """Return the policy with these marginals that draws at every information set on its own (Kuhn's theorem)."""
        point = np.array(as_vector(marginals, self.dimension, "marginals"))
        excess = plan_imbalance(*self._arrays, point)
        if excess > _TOLERANCE:
            raise InvalidInput(
                f"`marginals` must be a mean of plans, within {_TOLERANCE}",
                f"a vector that misses it by {excess:.3g} at some information set",
                "Project it first: kl_project(log_weights).point.",
            )
        return BehaviouralPlans(self._tree, chances_of(*self._arrays, point))

    def gibbs(self, scores: npt.ArrayLike) -> BehaviouralPlans:
        """Return the policy p(M) ∝ exp(scores · M), by partition functions from the leaves."""
        given = np.array(as_vector(scores, self.dimension, "scores"))
        return BehaviouralPlans(self._tree, gibbs_chances(*self._arrays, given))

    def uniform_policy(self) -> BehaviouralPlans:
        """Return the uniform policy over plans."""
        return self._uniform

    @cached_property
    def _uniform(self) -> BehaviouralPlans:
        return self.gibbs(np.zeros(self.dimension))

    def __repr__(self) -> str:
        return f"Plans({self.dimension} sequences, {len(self._names)} information sets, size={self.size})"
