"""The loop: a player meets an environment, and the play is measured."""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from swapregret.arguments import Between, Count, Days, OneOf, checked
from swapregret.arrays import as_integer, is_iterable
from swapregret.counts import MOST_REPLICATIONS
from swapregret.environments.environment import Environment
from swapregret.errors import InvalidInput
from swapregret.learners.checked import require_player
from swapregret.learners.player import Player
from swapregret.logs.log import Log, Source
from swapregret.playing.course import Course, replication
from swapregret.playing.kinds_result import by_kind
from swapregret.playing.play_result import MEASURES, PlayResult, Run
from swapregret.playing.recorder import Options
from swapregret.playing.workers import run_tasks
from swapregret.sessions.journal_log import read_past

_LARGEST_MARK = 2**24
"""Bytes of the largest ledger kept at a checkpoint before the last."""
_HALVINGS = 64


@checked
def play(
    player: Player[Any],
    environment: Environment,
    *,
    rng: Annotated[int, Between(0, math.inf)] | None = None,
    replications: Annotated[int, Between(1, MOST_REPLICATIONS)] = 1,
    n_jobs: Count = 1,
    measure: Annotated[str, OneOf(*MEASURES)] = "ledger",
    realised: bool = False,
    windows: Sequence[Days] = (),
    certificate: bool = False,
    capacity: Count | None = None,
    checkpoints: int | Sequence[int] = 8,
    progress: Callable[[int], None] | None = None,
    history: Source | Log | None = None,
) -> PlayResult:
    """Play an environment to its horizon, and measure.

    Replication i of two players under the same ``rng`` meets the same rewards. Means are the same in all replications,
    the noise is drawn anew from the second one on; regrets are measured on the means, from the policies, and ledgers are
    averaged before the maximum over φ is taken.

    Parameters
    ----------
    player : Player
    environment : Environment
    rng : int or None
        Seed; None draws entropy, recorded in the result.
    replications : int
    n_jobs : int
        How many replications run side by side: in threads where they run in compiled code, in processes otherwise.
        Results are the same, bit for bit, for any number.
    measure : {"ledger", "bound", "none"}
        "ledger" measures external, internal and swap regret. "bound" keeps no ledger and brackets swap regret between
        external regret and the laziness bound. "none" only plays.
    realised : bool
        Whether to keep a second ledger, of the actions drawn and the rewards they met.
    windows : sequence of int
        Lengths of windows whose external regrets are wanted; 1 is dynamic regret.
    certificate : bool
        Whether to evaluate the decomposition lemma, for the presets "multiscale", "paper" and "ladder".
    capacity : int, optional
        Most reward vectors a ledger keeps; see :class:`~swapregret.regret.ledgers.ledger.SwapLedger`.
    checkpoints : int or sequence of int
        When to look for :meth:`PlayResult.curve`: on the days listed and the last, or this many times, on days that double up to
        the last. Actions and rewards do not depend on it, and nothing is worked out before the curve is asked for;
        sums of the ledger may differ in their last digits, since they are added up in other pieces.
    progress : callable, optional
        Called with the number of days just played; with several replications side by side, once each.
    history : path, data frame, sequence of days, or Log
        What the player has learnt before the first day, as of :class:`~swapregret.Session`: it counts in no result.

    Returns
    -------
    PlayResult
        Where days differ in context or in what is available, a :class:`~swapregret.playing.kinds_result.DayKindsResult`: its
        regrets are against rules that may look at both, and ``parts`` has the days of each kind.

    Examples
    --------
    >>> import swapregret as sr
    >>> actions = sr.MSets(6, 2)
    >>> world = sr.environments.cyclic(actions, 700, rng=0)
    >>> result = play(sr.baselines.uniform(actions), world, rng=0)
    >>> abs(result.swap_regret.value - result.external_regret.value) < 1e-9
    True
    """
    require_player(player)
    if not player.actions.is_same(environment.actions):
        raise InvalidInput(
            "`player` and `environment` must be made for the same action set",
            f"{player.actions!r} and {environment.actions!r}",
            "Make both from one object.",
        )
    days = _checkpoints(checkpoints, environment.horizon)
    entropy = np.random.SeedSequence(rng).entropy
    assert isinstance(entropy, int)
    options = Options(
        measure=measure, realised=realised, windows=tuple(windows), certificate=certificate, capacity=capacity
    )
    worlds = [replication(environment, entropy, index) for index in range(replications)]
    past = None if history is None else read_past(history, player.actions, environment.units)
    tasks = [(player, world, seed, options, days, past) for world, seed in worlds]
    if min(n_jobs, replications) == 1:
        runs = [play_once(*task, progress) for task in tasks]
    else:
        runs, threads = [], Course(player, environment, worlds[0][1], options).is_compiled
        for run in run_tasks(play_once, tasks, n_jobs, threads=threads):
            runs.append(run)
            if progress is not None:
                progress(environment.horizon)
    marks = tuple(zip(*runs, strict=True))
    made = PlayResult(environment.actions, marks[-1], measure, entropy, environment.units, days, marks)
    return by_kind(made, environment.kinds)


def _checkpoints(wanted: int | Sequence[int], horizon: int) -> tuple[int, ...]:
    """Return the days after which a play is looked at, the last of all included."""
    if is_iterable(wanted):
        found = {as_integer(day, "checkpoints", 1, horizon) for day in wanted}
    else:
        found = {horizon >> half for half in range(min(as_integer(wanted, "checkpoints", 0), _HALVINGS))} - {0}
    return tuple(sorted(found | {horizon}))


def play_once(
    player: Player[Any],
    environment: Environment,
    seed: np.random.SeedSequence,
    options: Options,
    days: tuple[int, ...],
    history: Log | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Run, ...]:
    """Play one replication and return what was recorded up to each of some days, the last of all included."""
    course = Course(player, environment, seed, options, history)
    marks = []
    for day in days:
        course.advance(day, progress)
        marks.append(course.close(_LARGEST_MARK if day < environment.horizon else math.inf))
    return tuple(marks)
