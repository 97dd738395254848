"""Who may advise: the cold scales of Algorithm 1, and members that benign worlds reward.

* cold scales: restart on their windows; the floor is made of them, and the paper's lemma is about them;
* one learner that never restarts: best on a world that stands still;
* uniform play: best where nothing can be learnt;
* trackers: forget exponentially, best on worlds that drift (``trackers``).

May touch: ``arrays``, ``actions.base``, ``learners.adaptive.trackers``, ``learners.calendar``, ``learners.lazy``,
``learners.schedule``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, frozen
from swapregret.learners.adaptive.trackers import retention, time_constants, windows_between
from swapregret.learners.calendar import Calendar
from swapregret.learners.lazy import LazyLearner, LazyState
from swapregret.learners.schedule import Schedule

__all__ = ["PoolMember", "advance", "build_pool"]


@dataclass(frozen=True)
class PoolMember:
    """One adviser.

    Parameters
    ----------
    kind : {"cold", "steady", "uniform", "tracker"}
    learner : LazyLearner
    retention : float
        What a tracker keeps of the past from one update to the next, in (0, 1]; 1 for the others.
    update_every : int
        Base windows between updates of members that do not follow the calendar: slow ones need not turn with every window.
    """

    kind: str
    learner: LazyLearner
    retention: float = 1.0
    update_every: int = 1

    def absorb(self, state: LazyState, aggregate: Vector) -> LazyState:
        """End a meta-day of a member that does not follow the calendar."""
        if self.kind == "uniform":
            return state
        if self.retention < 1.0:
            faded = frozen(self.retention * state.score)
            state = replace(state, score=faded, variation=self.retention * state.variation)
        return self.learner.update(state, aggregate)


def build_pool(
    actions: ActionSet,
    horizon: int,
    schedule: Schedule,
    make: Callable[[float], LazyLearner],
    *,
    trackers: bool = True,
    cold_scale: float = 3.0,
    steady_scale: float = 1.0,
) -> tuple[PoolMember, ...]:
    """Return the pool: K cold scales first, then the steady learner, uniform play and the trackers.

    ``make(c)`` makes a lazy learner with an adaptive step of constant c.
    """
    cold, steady = make(cold_scale), make(steady_scale)
    members = [PoolMember("cold", cold)] * schedule.n_scales
    slow = windows_between(schedule.windows[1], schedule)
    members += [PoolMember("steady", steady, update_every=slow), PoolMember("uniform", steady)]
    if trackers:
        for tau in time_constants(actions, horizon):
            kept, every = retention(tau, schedule), windows_between(tau, schedule)
            members.append(PoolMember("tracker", steady, kept, every))
    return tuple(members)


def advance(
    pool: tuple[PoolMember, ...],
    states: tuple[LazyState, ...],
    calendar: Calendar,
    day: int,
    aggregates: Matrix,
    n_windows: int,
) -> tuple[tuple[LazyState, ...], list[bool], Matrix]:
    """Let the members learn at the end of a base window: cold scales on the calendar (Algorithm 1), the others every few.

    Parameters
    ----------
    pool : tuple of PoolMember
        Cold scales first.
    states : tuple of LazyState, one a member
    calendar : Calendar
    day : int
        The last of the window.
    aggregates : Matrix, one row a member
        Estimates since each member's last update; changed in place.
    n_windows : int
        Base windows so far.

    Returns
    -------
    states, changed, aggregates
        After the window, and which members have moved.
    """
    after, changed = list(states), [False] * len(states)
    updating = calendar.updating(day)
    if updating is not None:
        k = updating - 1
        after[k] = pool[k].learner.update(after[k], aggregates[k])
        aggregates[k], changed[k] = 0.0, True
    for scale in calendar.restarting(day):
        k = scale - 1
        after[k] = pool[k].learner.start(after[k])
        aggregates[k], changed[k] = 0.0, True
    for g, member in enumerate(pool):
        if member.kind == "cold":
            continue
        if member.kind == "uniform":
            changed[g] = calendar.n_ending(day) > 1
        elif n_windows % member.update_every == 0:
            after[g] = member.absorb(after[g], aggregates[g])
            aggregates[g], changed[g] = 0.0, True
    return tuple(after), changed, frozen(aggregates)
