"""States of lazy learners as arrays, for files.

May touch: ``arrays``, ``learners.lazy``, ``learners.player``.
"""

from collections.abc import Sequence

import numpy as np

from swapregret.arrays import frozen
from swapregret.learners.lazy import LazyLearner, LazyState
from swapregret.learners.player import Arrays

__all__ = ["dump_lazy", "load_lazy"]


def dump_lazy(states: Sequence[LazyState]) -> Arrays:
    """Write the numbers of several states, a row each; policies are made again by :func:`load_lazy`."""
    return {
        "scales.n_updates": np.array([state.n_updates for state in states]),
        "scales.log_weights": np.stack([state.log_weights for state in states]),
        "scales.origin": np.stack([state.origin for state in states]),
        "scales.score": np.stack([state.score for state in states]),
        "scales.variation": np.array([state.variation for state in states]),
        "scales.point": np.stack([state.point for state in states]),
        "scales.memory_sum": np.array([state.memory_sum for state in states]),
        "scales.memory_count": np.array([state.memory_count for state in states]),
    }


def load_lazy(learners: Sequence[LazyLearner], arrays: Arrays) -> tuple[LazyState, ...]:
    """Read what :func:`dump_lazy` wrote, for the same learners in the same order."""
    states = []
    for k, learner in enumerate(learners):
        numbers = LazyState(
            n_updates=int(arrays["scales.n_updates"][k]),
            log_weights=frozen(arrays["scales.log_weights"][k].copy()),
            origin=frozen(arrays["scales.origin"][k].copy()),
            score=frozen(arrays["scales.score"][k].copy()),
            variation=float(arrays["scales.variation"][k]),
            point=frozen(arrays["scales.point"][k].copy()),
            exploit=learner.mu,
            policy=learner.mu,
            memory_sum=float(arrays["scales.memory_sum"][k]),
            memory_count=int(arrays["scales.memory_count"][k]),
        )
        states.append(learner.resume(numbers))
    return tuple(states)
