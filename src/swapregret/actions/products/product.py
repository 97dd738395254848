"""Several decisions at once: one action of each of several sets."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.hull import Hull
from swapregret.actions.labelled import SpecValues
from swapregret.actions.products.product_hull import Pair, best_pair, draw_pair, list_pairs, part_of_pair, project_pair
from swapregret.actions.products.product_span import PairSpan, level_of, off_level
from swapregret.actions.set_specs import make_set
from swapregret.arrays import Action, AnyArray, Integers, Label, as_vector
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.geometry.hull_equations import HullEquations, equations_of, side_by_side
from swapregret.policy import FinitePolicy, Policy, ProductPolicy, mix

_ON_A_LEVEL = 1e-9


class Product(ActionSet):
    r"""All ways to choose an action of each of several sets: a route *and* a slate, a ranking *and* a budget.

    Parameters
    ----------
    *sets : ActionSet
        At least two; each may be of any kind, also a product.
    names : sequence of hashable, optional
        What each decision is called; ``0, 1, ...`` if not given. The label of an element is the pair of this name and its
        label in its own set.

    Notes
    -----
    The coordinates of the sets stand one after the other. With :math:`n_i` actions in the list of part i:

    ============== =========================================================================
    operation      how
    ============== =========================================================================
    argmax         by parts
    kl_project     by parts: the divergence is a sum; gaps add up
    decompose      the lists of the parts, coupled: at most Σ n_i − (k − 1) actions
    span, rank     in closed form: Σ r_i, less one for each level part but the first
    uniform, gibbs independent draws, where all parts have the policy
    exploration    independent draws; Σ has blocks x_i x_jᵀ
    ============== =========================================================================

    Examples
    --------
    >>> from swapregret import MSets, Permutations
    >>> plans = Product(MSets(3, 1, labels="abc"), Permutations(2), names=["item", "order"])
    >>> plans.dimension, plans.size, plans.n_actions, plans.rank
    (7, 3, 6, 4)
    >>> plans.elements(plans.argmax([0., 1., 0., 1., 0., 0., 1.]))
    (('item', 'b'), ('order', (0, 0)), ('order', (1, 1)))
    """

    spec_options = ("names",)

    @classmethod
    def from_spec(cls, values: SpecValues, folder: Path) -> "Product":
        """Make the product of a table's ``sets``, each a line or a table."""
        parts = values["sets"]
        if not isinstance(parts, list) or not all(isinstance(part, str | Mapping) for part in parts):
            raise InvalidInput(
                "`sets` of a product must be a list of lines or tables",
                repr(parts)[:80],
                'Write e.g. ["msets 5 2", "permutations 3"].',
            )
        return cls(*(make_set(part, folder) for part in parts), names=values.get("names"))

    def __init__(self, *sets: ActionSet, names: Sequence[Label] | None = None) -> None:
        if len(sets) < 2 or not all(isinstance(part, ActionSet) for part in sets):
            raise InvalidInput(
                "`sets` of Product must be at least two action sets",
                ", ".join(type(part).__name__ for part in sets) or "nothing",
                "For example: Product(MSets(5, 2), Permutations(3)).",
            )
        self.parts: tuple[ActionSet, ...] = sets
        self.names: tuple[Label, ...] = _names(names, len(sets))
        labels = [(name, label) for name, part in zip(self.names, sets, strict=True) for label in part.labels]
        super().__init__(sum(part.dimension for part in sets), sum(part.size for part in sets), labels)
        self._bounds = tuple(np.cumsum([0, *(part.dimension for part in sets)]).tolist())
        self.is_uniform = all(part.is_uniform for part in sets)
        self.has_uniform = all(part.has_uniform for part in sets)
        self.has_gibbs = all(part.has_gibbs for part in sets)

    @property
    def n_actions(self) -> int | None:
        """Return the product of the numbers of actions, or None where one is not known."""
        counts = [part.n_actions for part in self.parts]
        return None if any(count is None for count in counts) else math.prod(count for count in counts if count)

    def split(self, vector: AnyArray) -> list[AnyArray]:
        """Return the part of a vector, or the columns of a table, that belongs to each set."""
        return [vector[..., low:high] for low, high in zip(self._bounds, self._bounds[1:], strict=False)]

    def part_on(self, kept: Integers) -> "Product":
        """Return the product of what is left of each set."""
        inside = [kept[(kept >= low) & (kept < high)] - low for low, high in pairwise(self._bounds)]
        return Product(*(part.part_on(own) for part, own in zip(self.parts, inside, strict=True)), names=self.names)

    def _is_action(self, vector: Action) -> bool:
        """Tell whether every part is an action of its set."""
        return all(piece in part for part, piece in zip(self.parts, self.split(vector), strict=True))

    def _actions(self) -> Iterator[Action]:
        for rows in product(*(tuple(part._actions()) for part in self.parts[1:])):
            for first in self.parts[0]._actions():
                yield np.concatenate([first, *rows])

    def choice(self, action: npt.ArrayLike) -> tuple[object, ...] | dict[Label, object]:
        """Return what each set reads in its part: by name where the decisions have names, else one after the other.

        Examples
        --------
        >>> from swapregret import MSets, Permutations
        >>> Product(MSets(3, 1, labels="abc"), Permutations(2), names=["item", "order"]).choice([0, 1, 0, 0, 1, 1, 0])
        {'item': ('b',), 'order': (1, 0)}
        """
        pieces = self.split(self._read_action(action))
        chosen = tuple(part.choice(piece) for part, piece in zip(self.parts, pieces, strict=True))
        return chosen if self.names == tuple(range(len(chosen))) else dict(zip(self.names, chosen, strict=True))

    # ---- geometry of conv(A) -----------------------------------------------------------------------------------

    @cached_property
    def _halves(self) -> tuple[ActionSet, ActionSet]:
        """The sets as two, each a set or a product again: compiled code, and the span, know pairs."""
        middle = len(self.parts) // 2
        one, other = (
            each[0] if len(each) == 1 else Product(*each) for each in (self.parts[:middle], self.parts[middle:])
        )
        return one, other

    def hull_equations(self) -> HullEquations:
        """Return the equations of all parts, where each has some."""
        return side_by_side([(equations_of(part), part.dimension) for part in self.parts])

    @cached_property
    def span(self) -> PairSpan:
        """The span of pairs, and of pairs of pairs, in closed form."""
        return PairSpan(*self._halves)

    @property
    def most_atoms(self) -> int | None:
        """Return the sum over the sets, or None where one promises nothing."""
        counts = [part.most_atoms for part in self.parts]
        return None if any(count is None for count in counts) else sum(count for count in counts if count is not None)

    # ---- policies ----------------------------------------------------------------------------------------------------

    def uniform_policy(self) -> Policy:
        """Return the uniform policy: independent uniform draws."""
        return self._uniform if self.has_uniform else super().uniform_policy()

    @cached_property
    def _uniform(self) -> ProductPolicy:
        return ProductPolicy([part.uniform_policy() for part in self.parts])

    def gibbs(self, scores: npt.ArrayLike) -> Policy:
        """Return the policy p(M) ∝ exp(scores · M): independent draws from the Gibbs policies of the sets."""
        if not self.has_gibbs:
            return super().gibbs(scores)
        pieces = self.split(as_vector(scores, self.dimension, "scores"))
        return ProductPolicy([part.gibbs(piece) for part, piece in zip(self.parts, pieces, strict=True)])

    def exploration_policy(self, kind: str | None = None) -> Policy:
        """Return independent draws from the exploration policies of the sets; or a policy of the named kind."""
        return self._exploration if kind is None else super().exploration_policy(kind)

    @cached_property
    def _exploration(self) -> ProductPolicy:
        return ProductPolicy([_off_every_level(part, part.exploration_policy()) for part in self.parts])

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the operations: those of two sets side by side, their lists laid along a line; Gibbs policies in Python."""
        is_own = isinstance(mu, ProductPolicy) and mu.bounds == self._bounds
        one, other, middle = None, None, len(self.parts) // 2
        if mu is not None:
            mus = mu.parts if is_own and isinstance(mu, ProductPolicy) else self._exploration.parts
            one, other = (each[0] if len(each) == 1 else ProductPolicy(each) for each in (mus[:middle], mus[middle:]))
        halves = self._halves
        first = halves[0].family(one, variants=variants, has_moment=False)
        second = halves[1].family(other, variants=variants, has_moment=False)
        return Hull(
            Pair(first, second, halves[0].dimension, np.zeros(0) if mu is None else self.span.levels),
            best=best_pair,
            project=project_pair,
            list_policy=list_pairs,
            span_part=part_of_pair,
            draw_explore=draw_pair if is_own else None,
            callbacks=(*first.hull.callbacks, *second.hull.callbacks),
            remade=(_hull_of, (self, mu, variants)),
        )

    def __repr__(self) -> str:
        return f"Product({', '.join(map(repr, self.parts))})"


def _hull_of(actions: Product, mu: Policy | None, variants: int) -> Hull:
    return actions.hull(mu, variants=variants)


def _names(names: Sequence[Label] | None, count: int) -> tuple[Label, ...]:
    given: tuple[Label, ...] = ()
    try:
        given = tuple(range(count)) if names is None else tuple(names)
        n_different = len(set(given))
    except TypeError:
        n_different = 0
    if len(given) != count or n_different != count:
        raise InvalidInput(
            f"`names` of Product must be {count} different hashable names, one for each set",
            shown(names),
            "Name every decision once, e.g. names=['route', 'slate'].",
        )
    return given


def _off_every_level(actions: ActionSet, policy: Policy) -> Policy:
    """Return an exploration policy whose actions lie on one level only if all actions do.

    A policy on r independent actions shows every direction of its own set. Beside another set it does not, if one linear function
    is 1 on these actions but not on all: nobody could tell it from the level of the other set. One more action, with weight
    1/(r + 1), puts an end to that.
    """
    if level_of(actions) is not None:
        return policy
    J = actions.span.coordinates
    x = policy.marginals()[J]
    c = np.asarray(np.linalg.solve(policy.cooccurrence()[np.ix_(J, J)], x), dtype=np.float64)
    # c·M = 1 on the actions of the policy exactly if x·c = 1
    other = off_level(actions, c) if 1.0 - float(x @ c) <= _ON_A_LEVEL else None
    if other is None:
        return policy
    r = len(J)
    return mix([policy, FinitePolicy([other], [1.0])], [r / (r + 1.0), 1.0 / (r + 1.0)])
