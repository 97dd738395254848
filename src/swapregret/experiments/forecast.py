"""Before the first day: what a preset will do on a set over a horizon, what theory promises, what to expect; and compiling."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import lambertw

import swapregret as sr
from swapregret.arrays import as_integer
from swapregret.counts import LONGEST_HORIZON, count_in_words, power_in_words
from swapregret.experiments.measured import Expectation, expected_swap_regret
from swapregret.experiments.timing import measure
from swapregret.learners.player import AnyPlayer, Arrays
from swapregret.regret.bounds import Bound, swap_combcp_bound
from swapregret.regret.ledgers.ledger import default_capacity

_FIRST_RUN = 32
_DAYS_TO_LEARN = 40
_LEDGER_ROOM = 3.0
_WARM_DAYS = 200
"""Enough for the first restarts of the shortest windows."""


@dataclass(frozen=True)
class Speed:
    """Rounds per second of processor time on this machine, one core, without and with a ledger, and how many were timed."""

    playing: float
    measuring: float
    rounds: int


@dataclass(frozen=True)
class Plan:
    """What is known before the first day."""

    actions: sr.ActionSet
    horizon: int
    preset: str
    schedule: sr.Schedule
    reason: str  # how policies are played and Σ⁺ is found, and why
    bound: Bound  # the main theorem's, on swap regret
    theorem_horizon: int | None  # least T at which the theorem's own schedule exists; None on a set of one element
    useful_exponent: float  # the bound is below T from about 10 to this power on
    expectation: Expectation | None  # by our measurements; None where there is none near
    speed: Speed | None  # None if nothing was timed
    state_bytes: int  # of the player at its start
    ledger_bytes: int  # the most a ledger of swap regret may take

    @property
    def warnings(self) -> list[str]:
        """Return what to mind, in sentences."""
        found = []
        if self.bound.is_vacuous:
            found.append(
                f"The theorem's bound is vacuous here: {self.bound.per_round:.3g} per round, where no play can lose more "
                f"than 1. It says something from T ≈ {power_in_words(round(self.useful_exponent))} on."
            )
        if self.theorem_horizon is None or self.horizon < self.theorem_horizon:
            is_adaptive = self.preset == "adaptive"
            kept = "the guarantee of docs/guarantee.md holds" if is_adaptive else "the decomposition lemma holds"
            least = self.theorem_horizon
            when = "for no horizon" if least is None else f"only from T = {count_in_words(least)} on"
            found.append(
                f"The theorem's own schedule exists {when}; for the windows planned here {kept}, the theorem's number does "
                "not."
            )
        wanted = _DAYS_TO_LEARN * self.actions.rank * max(1, self.actions.size)
        bottom = self.schedule.windows[1]
        if 4 * bottom < wanted:
            found.append(
                f"The horizon is short for this set: the shortest interval has {bottom:,} days, and about {wanted:,} are "
                "needed to learn from total rewards. Expect little more than uniform play gives."
            )
        if self.expectation is None:
            found.append(
                "No measurement near this set, horizon and preset: nothing is known about the swap regret to expect."
            )
        return found


def make_plan(actions: sr.ActionSet, horizon: int, *, preset: str = "adaptive", seconds: float = 1.0) -> Plan:
    """Return the plan of ``swap_combcp(actions, horizon, preset=preset)``.

    Rounds are timed on this machine for about ``seconds``; 0 times nothing.
    """
    days = as_integer(horizon, "horizon", 2, LONGEST_HORIZON)
    player = sr.swap_combcp(actions, days, preset=preset)
    d, m = actions.dimension, max(1, actions.size)
    arrays: Arrays = player.dump(player.start(np.random.default_rng(0)))
    rows = default_capacity(d) if actions.n_actions is None else min(actions.n_actions, default_capacity(d))
    return Plan(
        actions=actions,
        horizon=days,
        preset=preset,
        schedule=player.schedule,
        reason=player.learner.plan.reason,
        bound=swap_combcp_bound(d, days),
        theorem_horizon=sr.Schedule.smallest_theorem_horizon(dimension=d, size=m) if d > 1 else None,
        useful_exponent=useful_from(d),
        expectation=expected_swap_regret(actions, days, preset),
        speed=time_rounds(player, seconds) if seconds > 0 else None,
        state_bytes=sum(np.asarray(array).nbytes for array in arrays.values()),
        ledger_bytes=int(_LEDGER_ROOM * rows * d * 8),
    )


def useful_from(dimension: int) -> float:
    """Return the power of ten from which on 45·log(d log T)·T/log T < T: the largest root of 45·log(d x) = x, over log 10.

    That root is −45 W₋₁(−1/(45 d)), with the lower branch of Lambert's W.

    Examples
    --------
    >>> round(useful_from(20))
    176
    """
    d = as_integer(dimension, "dimension", 1)
    return -45.0 * float(lambertw(-1.0 / (45.0 * d), -1).real) / math.log(10.0)


def time_rounds(player: AnyPlayer, seconds: float) -> Speed:
    """Time play on independent days, without and with a ledger, for about ``seconds`` each.

    Later days may cost more or less, as the policy concentrates.
    """

    def run(kind: str, days: int) -> object:
        return sr.play(player, sr.environments.iid(player.actions, days, rng=0), rng=0, measure=kind)

    playing, measuring = (measure(partial(run, kind), seconds, least=_FIRST_RUN) for kind in ("none", "ledger"))
    return Speed(playing.rounds_per_second, measuring.rounds_per_second, measuring.rounds)


def warm_up(player: AnyPlayer, days: int = _WARM_DAYS) -> None:
    """Use a player as a session with late rewards and in a play, measured; what was compiled stays on the disk."""
    session = sr.Session(player, rng=0, max_open=2)
    session.act()
    session.marginals()
    sr.Session.from_bytes(session.snapshot(), player)
    result = sr.play(player, sr.environments.iid(player.actions, days, rng=0), rng=0)
    result.swap_regret, result.external_regret, result.internal_regret  # noqa: B018  (measuring is compiled too)


def every_kind_of_set() -> list[sr.ActionSet]:
    """Return a small set of each kind, to compile what sets of its kind need."""
    square = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t")]
    listed = np.eye(3, dtype=np.int64)
    return [
        sr.MSets(4, 2),
        sr.Permutations(3),
        sr.TruncatedPermutations(2, 3),
        sr.SpanningTrees(square),
        sr.Forests(square, size=2),
        sr.DagPaths(square, source="s", sink="t"),
        sr.Partitions(4, 2),
        sr.Plans([("J", ["check", "bet"]), ("K", ["fold", "call"], ("J", "check"))]),
        sr.Explicit(listed),
        sr.OracleSet(3, lambda weights: listed[int(np.argmax(weights))]),
        sr.Product(sr.MSets(3, 1), sr.Permutations(2)),
    ]
