"""The one decision about how policies are played and how Σ⁺M is found.

=====================================================  ==============  =======================================
when                                                   policies        Σ⁺M
=====================================================  ==============  =======================================
Swap-ComBand                                           Gibbs           Σ as a matrix, as below
rank above 400, on paths, and on m-sets with bandit    chains          without a matrix
feedback
bandit feedback, base window below 4 days, rank        chains          without a matrix
above 50, on paths and m-sets
bandit feedback, on permutations, rank above 400, or   lists           iterated for, without a matrix
above 150 with a base window below 4 days
semi-bandit or full feedback                           lists           not needed
base window of 4 days or more, rank at most 6 times    lists           Σ inverted once per window
as large
otherwise                                              lists           Σ factored once per window
=====================================================  ==============  =======================================

The first row that fits is taken. Chains need exploration other than the spanner. The adaptive preset always plays lists: its
filter looks at actions one by one.
"""

from dataclasses import dataclass

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import as_integer
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import DENSE_LIMIT
from swapregret.learners.settings import check_settings

_RANK_OF_CHAINS, _RANK_OF_ITERATION = 50, 150
_SHORTEST_INVERTED, _RANK_PER_DAY = 4, 6
_VARIANTS, _ELEMENTS = 8, 200
_LAWS = ("auto", "list", "chain")


@dataclass(frozen=True)
class LawPlan:
    """How points are played.

    Attributes
    ----------
    kind : {"list", "iterated", "chain", "gibbs"}
        What plays a point: a list of actions, one whose Σ⁺M is iterated for, a chain without a list, the Gibbs policy.
    variants : int
        Decompositions that a list averages (D18).
    has_moment, has_inverse : bool
        Whether Σ⁺M is needed, and whether Σ is inverted once per window.
    reason : str
        Why, for people.
    """

    kind: str
    variants: int
    has_moment: bool
    has_inverse: bool
    reason: str

    def __post_init__(self) -> None:
        check_settings(self)


def plan_laws(
    actions: ActionSet,
    base: int,
    feedback: str,
    *,
    law: str = "auto",
    variants: int | None = None,
    is_gibbs: bool = False,
    is_adaptive: bool = False,
    explores: str | None = None,
    exploration: float | None = None,
) -> LawPlan:
    """Return how the points of a learner on a set are played.

    Parameters
    ----------
    actions : ActionSet
    base : int
        Days of the base window, for which a mixture stays the same.
    feedback : {"bandit", "semi-bandit", "full"}
    law : {"auto", "list", "chain"}
        What the user asked for.
    variants : int, optional
    is_gibbs, is_adaptive : bool
        Whether the learner is Lazy-ComBand; whether the master is the adaptive one.
    explores : str, optional
        The kind of exploration policy; None is the set's best.
    exploration : float, optional
        γ, where it is known.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> plan = plan_laws(MSets(10, 3), 30, "bandit")
    >>> plan.kind, plan.variants, plan.has_inverse
    ('list', 8, True)
    >>> plan_laws(MSets(10, 1), 30, "bandit").variants
    1
    >>> plan_laws(MSets(1000, 100), 1, "bandit").reason
    'Σ of rank 1000 for base windows of 1 day: chains, which need no matrix'
    """
    count = None if variants is None else as_integer(variants, "variants", 1)
    rank, is_bandit = actions.rank, feedback == "bandit"
    if count is None and actions.size == 1:
        count = 1  # one element each: a point is a mixture of actions in one way only
    days = f"base windows of {base} day{'s' if base > 1 else ''}"
    chained = _takes_chains(actions, is_bandit, explores, exploration)
    if law not in _LAWS:
        raise InvalidInput(f"`law` must be one of {_LAWS}", repr(law), "Use 'auto'.")
    if law == "chain" and (not actions.has_chains or is_gibbs or is_adaptive):
        raise InvalidInput(
            "`law` must be a list for Swap-ComBand, for the adaptive preset and on sets without a family of chains",
            f"'chain' on {actions!r}",
            "Leave it out, or use preset='multiscale' on paths or m-sets.",
        )
    factors_often = is_bandit and base < _SHORTEST_INVERTED
    is_free = law == "auto" and not is_gibbs and not is_adaptive
    is_large = rank > DENSE_LIMIT or (factors_often and rank > _RANK_OF_CHAINS)
    if law == "chain" or (is_free and chained and is_large):
        return LawPlan("chain", 1, is_bandit, False, f"Σ of rank {rank} for {days}: chains, which need no matrix")
    if is_adaptive:
        count = max(1, min(_VARIANTS, _ELEMENTS // actions.dimension)) if count is None else count
    elif count is None:
        count = _VARIANTS
    kind = "gibbs" if is_gibbs and not is_adaptive else "list"
    played = "the exact Gibbs policy" if kind == "gibbs" else f"lists of actions, {count} decomposition(s) each"
    if not is_bandit:
        return LawPlan(kind, count, False, False, f"{feedback} feedback: {played}; no Σ is needed")
    iterated = actions.has_iteration and explores in (None, "uniform") and exploration != 0.0
    is_large = rank > DENSE_LIMIT or (factors_often and rank > _RANK_OF_ITERATION)
    if is_free and iterated and is_large:
        return LawPlan("iterated", count, True, False, f"Σ of rank {rank} for {days}: {played}; Σ⁺M is iterated for")
    if base >= _SHORTEST_INVERTED and rank <= _RANK_PER_DAY * base:
        return LawPlan(kind, count, True, True, f"rank {rank} for {days}: {played}; Σ is inverted once per window")
    return LawPlan(kind, count, True, False, f"rank {rank} for {days}: {played}; Σ is factored once per window")


def _takes_chains(actions: ActionSet, is_bandit: bool, explores: str | None, exploration: float | None) -> bool:
    """Tell whether chains can be played, and Σ⁺M found for them, on a set with this exploration."""
    if not actions.has_chains or explores == "spanner":
        return False
    return not actions.is_chain_seen_through or (is_bandit and exploration != 0.0)
