"""The state of the plain adaptive master as named arrays, for files.

May touch: ``arrays``, ``policy``, ``learners``, the other files of ``learners.adaptive`` but the masters.
"""

from collections.abc import Callable

import numpy as np

from swapregret.arrays import frozen
from swapregret.learners.adaptive.filter import FilteredLaw
from swapregret.learners.adaptive.guard import Guard
from swapregret.learners.adaptive.listed_law import ListedLaw
from swapregret.learners.adaptive.pooling import PairMeans
from swapregret.learners.adaptive.state import AdaptiveState
from swapregret.learners.adaptive.vectors import ActionVectors
from swapregret.learners.adaptive.weights import PoolWeights
from swapregret.learners.calendar import Calendar
from swapregret.learners.lazy import LazyState
from swapregret.learners.lazy_arrays import dump_lazy
from swapregret.learners.player import Arrays
from swapregret.learners.schedule import Schedule
from swapregret.policy import Policy

__all__ = ["dump_state", "load_state"]


def dump_state(state: AdaptiveState) -> Arrays:
    """Write a state; of the laws only what is played for each recommended action."""
    weights, guard = state.weights, state.guard
    arrays: Arrays = {
        "day": np.array(state.day),
        "offset": np.array(state.calendar.offset),
        "seen": state.seen,
        "counts": state.counts,
        "adaptive": state.adaptive,
        "prediction": state.prediction,
        "running": state.running,
        "total": state.total,
        "aggregates": state.aggregates,
        "earned": np.array(state.earned),
        "n_recoveries": np.array(state.n_recoveries),
        "calm": np.array([state.is_calm, state.calm_noise]),
        "weights.scores": weights.scores,
        "weights.variances": weights.variances,
        "weights.transition": weights.transition,
        "weights.law": weights.law,
        "weights.numbers": np.array([weights.typical, weights.noise, weights.n_windows]),
        "pairs.values": state.pairs.values,
        "pairs.counts": state.pairs.counts,
        "pairs.squares": state.pairs.squares,
        "guard.numbers": np.array([guard.split, guard.estimate, guard.threshold, guard.has_tripped]),
    }
    arrays |= dump_lazy(state.members) | state.vectors.dump("vectors.") | guard.played.dump("guard.")
    for g, law in enumerate(state.laws):
        if law is not None:
            arrays[f"laws.{g}"] = law.instead
    return arrays


def load_state(
    arrays: Arrays,
    schedule: Schedule,
    members: tuple[LazyState, ...],
    recommend: Callable[[LazyState], ListedLaw],
    capacity: int,
    placeholder: Policy,
) -> AdaptiveState:
    """Read what :func:`dump_state` wrote; the mixture and its solver are still to be made."""
    typical, noise, n_windows = arrays["weights.numbers"]
    split, estimate, threshold, has_tripped = arrays["guard.numbers"]
    laws: list[FilteredLaw | None] = []
    for g, member in enumerate(members):
        instead = arrays.get(f"laws.{g}")
        laws.append(None if instead is None else FilteredLaw.make(recommend(member), instead.copy()))
    return AdaptiveState(
        day=int(arrays["day"]),
        calendar=Calendar(schedule, int(arrays["offset"])),
        members=members,
        laws=tuple(laws),
        weights=PoolWeights(
            scores=frozen(arrays["weights.scores"].copy()),
            variances=frozen(arrays["weights.variances"].copy()),
            transition=frozen(arrays["weights.transition"].copy()),
            law=frozen(arrays["weights.law"].copy()),
            typical=float(typical),
            noise=float(noise),
            n_windows=int(n_windows),
        ),
        vectors=ActionVectors.load(arrays, "vectors.", capacity),
        pairs=PairMeans(*(arrays[f"pairs.{name}"].copy() for name in ("values", "counts", "squares"))),
        guard=Guard(
            ActionVectors.load(arrays, "guard.", capacity),
            float(split),
            float(estimate),
            float(threshold),
            bool(has_tripped),
        ),
        seen=frozen(arrays["seen"].copy()),
        counts=frozen(arrays["counts"].copy()),
        adaptive=frozen(arrays["adaptive"].copy()),
        mixture=placeholder,
        solver=None,
        prediction=frozen(arrays["prediction"].copy()),
        running=frozen(arrays["running"].copy()),
        total=frozen(arrays["total"].copy()),
        aggregates=frozen(arrays["aggregates"].copy()),
        earned=float(arrays["earned"]),
        n_recoveries=int(arrays["n_recoveries"]),
        is_calm=bool(arrays["calm"][0]),
        calm_noise=float(arrays["calm"][1]),
    )
