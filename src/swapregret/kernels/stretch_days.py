"""Days whose actions are drawn already, under one law: receive, estimate, learn the prediction.

While the law of a master stays, its draws do not depend on what is paid, so they can be made first.

May touch: ``kernels.compile``, ``kernels.master_arrays``, ``kernels.master_steps``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.master_arrays import Log, Memory, Rule
from swapregret.kernels.master_steps import end_day, solve_action

__all__ = ["learn_days", "solve_many"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def learn_days(
    rewards: Floats,
    plays: Integers,
    feedback: int,
    step: float,
    has_inverse: bool,
    factor: Floats,
    coordinates: Integers,
    aids: Floats,
    prediction: Floats,
    running: Floats,
    total: Floats,
    earned: Floats,
    received: Floats,
) -> None:
    """Learn from a day a row of ``rewards`` and ``plays``; the last five arrays are changed in place.

    With bandit feedback (0) ``factor`` on ``coordinates`` gives Σ⁺M, or row t of ``aids`` is Σ⁺M of day t if there is no
    factor; with semi-bandit feedback (1) the one row of ``aids`` is E[M].
    """
    none, nothing, table = np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 0))
    counts = np.empty((0, 2), dtype=np.int64)
    rule = Rule(none, none, nothing, nothing, 0.0, step, True, True, feedback, has_inverse)
    clock = np.zeros(2, dtype=np.int64)
    memory = Memory(
        clock, prediction, running, total, table, table, table, table, table, counts, nothing, nothing, earned, none
    )
    log = Log(received, counts, table, nothing, counts)
    aid = np.zeros(rewards.shape[1])
    if feedback == 1:
        aid = aids[0]
    for row in range(rewards.shape[0]):
        if feedback == 0 and factor.shape[0]:
            solve_action(rule, factor, coordinates, plays[row], aid)
        elif feedback == 0:
            aid = aids[row]
        end_day(rule, memory, log, row, rewards[row], plays[row], aid)


@kernel
def solve_many(plays: Integers, has_inverse: bool, factor: Floats, coordinates: Integers) -> Floats:
    """Return Σ⁺M for each row of ``plays``."""
    none, nothing = np.empty(0, dtype=np.int64), np.empty(0)
    rule = Rule(none, none, nothing, nothing, 0.0, 0.0, True, True, 0, has_inverse)
    aids = np.empty(plays.shape)
    for row in range(plays.shape[0]):
        solve_action(rule, factor, coordinates, plays[row], aids[row])
    return aids
