"""The one decision about how policies are played and how Σ⁺ is found.

=====================================================  ==============  =======================================
when                                                   policies        Σ⁺
=====================================================  ==============  =======================================
Swap-ComBand                                           Gibbs           Σ as a matrix, as below
rank above 400, on paths, and on m-sets with bandit    chains          without a matrix
feedback
bandit feedback, base window below 4 days, rank        chains          without a matrix
above 50, on paths and m-sets
semi-bandit or full feedback                           lists           not needed
otherwise                                              lists           Σ factored once per window
=====================================================  ==============  =======================================

The first row that fits is taken. Chains need exploration other than the spanner. The adaptive preset always plays lists: its
filter looks at actions one by one.
"""

from dataclasses import dataclass

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import as_integer
from swapregret.counts import check_name
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import DENSE_LIMIT
from swapregret.learners.settings import PlanKind, Variants, check_settings

_RANK_OF_CHAINS = 50
_FEW_DAYS = 4
_VARIANTS, _ELEMENTS = 8, 200
_POLICIES = ("auto", "list", "chain")


@dataclass(frozen=True)
class PolicyPlan:
    """How points are played."""

    kind: PlanKind  # what plays a point: a list of actions, a chain without a list, the Gibbs policy
    variants: Variants  # decompositions that a list averages (D18)
    has_moment: bool  # whether Σ⁺ is needed
    reason: str  # why, for people

    def __post_init__(self) -> None:
        check_settings(self)


def plan_policies(
    actions: ActionSet,
    base: int,
    feedback: str,
    *,
    policy: str = "auto",
    variants: int | None = None,
    is_gibbs: bool = False,
    is_adaptive: bool = False,
    explores: str | None = None,
    exploration: float | None = None,
) -> PolicyPlan:
    """Return how the points of a learner on a set are played.

    Parameters
    ----------
    actions : ActionSet
    base : int
        Days of the base window, for which a mixture stays the same.
    feedback : {"bandit", "semi-bandit", "full"}
    policy : {"auto", "list", "chain"}
        What the user asked for.
    variants : int, optional
    is_gibbs, is_adaptive : bool
        Whether the learner is Lazy-ComBand; whether the master is the adaptive one.
    explores : str, optional
        The kind of exploration policy; None is the set's best.
    exploration : float, optional
        γ, where it is known.
    """
    count = None if variants is None else as_integer(variants, "variants", 1)
    rank, is_bandit = actions.rank, feedback == "bandit"
    if count is None and actions.size == 1:
        count = 1  # one element each: a point is a mixture of actions in one way only
    days = f"base windows of {base} day{'s' if base > 1 else ''}"
    chained = _takes_chains(actions, is_bandit, explores, exploration)
    check_name(policy, _POLICIES, "policy")
    if policy == "chain" and (not actions.has_chains or is_gibbs or is_adaptive):
        raise InvalidInput(
            "`policy` must be a list for Swap-ComBand, for the adaptive preset and on sets without a family of chains",
            f"'chain' on {actions!r}",
            "Leave it out, or use preset='multiscale' on paths or m-sets.",
        )
    is_large = rank > DENSE_LIMIT or (is_bandit and base < _FEW_DAYS and rank > _RANK_OF_CHAINS)
    is_free = policy == "auto" and not is_gibbs and not is_adaptive
    if policy == "chain" or (is_free and chained and is_large):
        return PolicyPlan("chain", 1, is_bandit, f"Σ of rank {rank} for {days}: chains, which need no matrix")
    if is_adaptive:
        count = max(1, min(_VARIANTS, _ELEMENTS // actions.dimension)) if count is None else count
    elif count is None:
        count = _VARIANTS
    kind = "gibbs" if is_gibbs and not is_adaptive else "list"
    played = "the exact Gibbs policy" if kind == "gibbs" else f"lists of actions, {count} decomposition(s) each"
    if not is_bandit:
        return PolicyPlan(kind, count, False, f"{feedback} feedback: {played}; no Σ is needed")
    return PolicyPlan(kind, count, True, f"rank {rank} for {days}: {played}; Σ is factored once per window")


def _takes_chains(actions: ActionSet, is_bandit: bool, explores: str | None, exploration: float | None) -> bool:
    """Tell whether chains can be played, and Σ⁺ found for them, on a set with this exploration."""
    if not actions.has_chains or explores == "spanner":
        return False
    return not actions.is_chain_seen_through or (is_bandit and exploration != 0.0)
