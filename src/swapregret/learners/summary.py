"""What a player can say about itself in the middle of a run."""

from dataclasses import dataclass

import scipy

from swapregret.geometry.solve import DENSE_LIMIT, smallest_eigenvalue
from swapregret.learners.adaptive.adaptive_master import AdaptiveMaster, time_constants
from swapregret.learners.doubling import DoublingPlayer, DoublingState
from swapregret.learners.ladder.ladder_master import BLOCKS_REMEMBERED, LadderMaster
from swapregret.learners.player import AnyState
from swapregret.learners.round.running_player import Master


@dataclass(frozen=True)
class ScaleSummary:
    """One scale of the master.

    Attributes
    ----------
    scale : int
        k, counted from 1.
    update_every, restart_every : int
        Its windows, in days.
    next_update, next_restart : int
        Days until then.
    """

    scale: int
    update_every: int
    restart_every: int
    next_update: int
    next_restart: int


@dataclass(frozen=True)
class MemberSummary:
    """One policy of those that are mixed into the one that is played.

    Attributes
    ----------
    name : str
        ``scale k``, ``steady`` (never restarts), ``uniform``, ``tracker τ`` (forgets in τ days), ``fast`` (in two base windows),
        ``new scales`` (all that have just begun), ``exploration``.
    weight : float
        How often it is drawn.
    """

    name: str
    weight: float


@dataclass(frozen=True)
class PlayerSummary:
    """What the master knows of itself.

    Attributes
    ----------
    scales : tuple of ScaleSummary
    estimated_external_regret : float
        Total over the run (with the doubling trick: over the epoch), rewards scaled to [0, 1], from the player's own
        estimates: the best fixed action under the estimated rewards minus what was received. The maximum over noisy
        estimates makes it too large, never too small on average; it says nothing about swap regret.
    smallest_eigenvalue, condition : float or None
        Of Σ on the span of the actions: the smaller, the noisier the estimates. None above rank 400, where no matrix is
        built.
    n_recoveries : int
        Windows whose estimates were made the solver's second way, because Σ was singular to working precision.
    guard_estimate, guard_has_tripped : float and bool, or None
        Ŝ/T of the adaptive master at its last check, and whether only the cold scales are played; None without a guard.
    members : tuple of MemberSummary
        What is mixed today; the weights add up to 1.
    """

    scales: tuple[ScaleSummary, ...]
    estimated_external_regret: float
    smallest_eigenvalue: float | None
    condition: float | None
    n_recoveries: int
    guard_estimate: float | None = None
    guard_has_tripped: bool | None = None
    members: tuple[MemberSummary, ...] = ()


def summarise(player: object, state: AnyState) -> PlayerSummary | None:
    """Return the summary of a master, alone or inside the doubling trick; None for players that keep no scales."""
    if isinstance(player, DoublingPlayer) and isinstance(state, DoublingState):
        return summarise(player.player_of(state), state.inner)
    if not isinstance(player, Master):
        return None
    tally, actions, total = state.state.tally, player.actions, state.estimated_total()
    smallest = condition = None
    if actions.rank <= DENSE_LIMIT:
        mixture = player.policy(state)
        smallest = smallest_eigenvalue(mixture, actions.span)
        largest = float(scipy.linalg.eigvalsh(mixture.cooccurrence())[-1])
        condition = max(1.0, largest / smallest) if smallest > 0.0 else float("inf")
    guard_estimate = guard_has_tripped = None
    if isinstance(player, AdaptiveMaster) and player.guarded:
        guard = state.state.guard
        guard_estimate, guard_has_tripped = float(guard.estimate[0]) / player.horizon, bool(guard.has_tripped[0])
    return PlayerSummary(
        scales=_scales(player, int(tally.day[0]), int(tally.offset[0])),
        estimated_external_regret=float(actions.argmax(total) @ total) - float(tally.earned[0]),
        smallest_eigenvalue=smallest,
        condition=condition,
        n_recoveries=int(tally.n_recoveries[0]),
        guard_estimate=guard_estimate,
        guard_has_tripped=guard_has_tripped,
        members=tuple(map(MemberSummary, _member_names(player), state.state.mix.weights.tolist())),
    )


def _scales(master: Master, day: int, offset: int) -> tuple[ScaleSummary, ...]:
    """Return when each scale updates and restarts next."""
    scales = []
    for scale in range(1, master.n_scales + 1):
        update, restart = master.schedule.update_every(scale), master.schedule.restart_every(scale)
        left = update - (day + offset) % update, restart - (day + offset) % restart
        scales.append(ScaleSummary(scale, update, restart, *left))
    return tuple(scales)


def _member_names(master: Master) -> list[str]:
    """Return what is in each slot of the mixture."""
    scales = [f"scale {scale}" for scale in range(1, master.n_scales + 1)]
    if isinstance(master, LadderMaster):
        trackers = (f"tracker {BLOCKS_REMEMBERED * window}" for window in master.schedule.windows[:-1])
        return [*scales, *trackers, "steady", "fast", "experts", "exploration"]
    if not isinstance(master, AdaptiveMaster):
        return [*scales, "new scales", "exploration"]
    base = master.schedule.windows[0]
    memories = time_constants(master.actions, master.horizon, base) if master.trackers else ()
    pool = [*scales, "steady", "uniform", *(f"tracker {memory:g}" for memory in memories)]
    return [*pool, *["forecaster"] * master.foretells, "experts", "exploration"]
