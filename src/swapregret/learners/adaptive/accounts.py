"""What was seen under a law that ends, entered where it is remembered: by recommended action, by pair, by played action.

May touch: ``arrays``, ``actions.base``, ``learners.adaptive.state`` and the tables it holds.
"""

from dataclasses import replace

from swapregret.actions.base import ActionSet
from swapregret.arrays import frozen
from swapregret.learners.adaptive.state import AdaptiveState

__all__ = ["enter_ended"]


def enter_ended(
    state: AdaptiveState, changed: list[bool], actions: ActionSet, *, is_filtering: bool, is_guarded: bool
) -> AdaptiveState:
    """Enter what was seen under the laws of the members that ``changed``, into the tables as they are, and forget it.

    Parameters
    ----------
    state : AdaptiveState
        Its tables are changed: it must own them.
    changed : list of bool, one a member
    actions : ActionSet
    is_filtering, is_guarded : bool
        Whether recommended actions and pairs, and whether played actions, are remembered.
    """
    vectors, pairs, guard = state.vectors, state.pairs, state.guard
    seen, counts, adaptive = state.seen.copy(), state.counts.copy(), state.adaptive.copy()
    for g, law in enumerate(state.laws):
        if law is None or not changed[g]:
            continue
        count, square = float(counts[g, 0]), float(counts[g, 1])
        if is_filtering and count > 0.0:
            vectors = vectors.enter(law.recommended.words, law.recommended.weights, seen[g], square)
            if pairs.counts.size:
                pairs.enter(law.recommended.cooccurrence(), seen[g], count, square)
        if is_guarded and adaptive[g].any():
            guard = guard.enter(actions, law.played.words, law.played.weights, adaptive[g])
        seen[g], counts[g], adaptive[g] = 0.0, 0.0, 0.0
    return replace(
        state,
        vectors=vectors,
        pairs=pairs,
        guard=guard,
        seen=frozen(seen),
        counts=frozen(counts),
        adaptive=frozen(adaptive),
    )
