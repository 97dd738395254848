"""Days under one mixture of listed laws: draw, receive, estimate, learn the prediction.

Between two turns of a master its mixture stays, so days differ only in what is drawn and paid. A component without a list
(exploration) is drawn by whoever called: the run stops there and goes on with the action it is handed.

May touch: ``kernels.compile``, ``kernels.master_arrays``, ``kernels.master_steps``,
``kernels.packed_laws``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.master_arrays import Log, Memory, Rule
from swapregret.kernels.master_steps import end_day, solve_action
from swapregret.kernels.packed_laws import unpack_action

__all__ = ["play_days"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


@kernel
def play_days(
    rng: np.random.Generator,
    rewards: Floats,
    received: Floats,
    day: int,
    shares: Floats,
    first: Integers,
    chances: Floats,
    words: Words,
    feedback: int,
    step: float,
    has_inverse: bool,
    factor: Floats,
    coordinates: Integers,
    marginals: Floats,
    prediction: Floats,
    running: Floats,
    total: Floats,
    earned: Floats,
    handed: Integers,
    plays: Integers,
) -> int:
    """Play days ``day``.. of the rows of ``rewards``; return the first that is not played.

    ``shares`` are the cumulative weights of the components (of size 0 if there is only one), component c has the packed
    actions ``first[c]:first[c+1]`` with cumulative ``chances``, none if it has no list: if one of those is drawn the run
    stops before that day. ``handed`` are the actions of the first days, drawn elsewhere, one a row. ``factor`` on
    ``coordinates`` gives Σ⁺M with bandit feedback (0), ``marginals`` are E[M] for semi-bandit feedback (1). The arrays from
    ``prediction`` to ``earned`` are changed in place; ``plays`` takes the actions, if it has rows.
    """
    none, nothing, table = np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 0))
    counts = np.empty((0, 2), dtype=np.int64)
    rule = Rule(none, none, nothing, nothing, 0.0, step, True, True, feedback, has_inverse)
    clock = np.zeros(2, dtype=np.int64)
    memory = Memory(
        clock, prediction, running, total, table, table, table, table, table, counts, nothing, nothing, earned, none
    )
    log = Log(received, counts, table, nothing, counts)
    action = np.zeros(rewards.shape[1], dtype=np.int64)
    aid = marginals
    if feedback == 0:
        aid = np.zeros(action.size)
    for row in range(day, rewards.shape[0]):
        if row - day < handed.shape[0]:
            action[:] = handed[row - day]
        else:
            component = 0
            if shares.size:
                component = int(np.searchsorted(shares, rng.random(), side="right"))
            begin, end = first[component], first[component + 1]
            if begin == end:
                return row
            drawn = begin + np.searchsorted(chances[begin:end], rng.random(), side="right")
            unpack_action(words, drawn, action)
        if feedback == 0:
            solve_action(rule, factor, coordinates, action, aid)
        if plays.shape[0]:
            plays[row] = action
        end_day(rule, memory, log, row, rewards[row], action, aid)
    return int(rewards.shape[0])
