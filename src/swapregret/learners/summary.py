"""What a player can say about itself in the middle of a run.

May touch: ``geometry.moments``, ``learners.master``, ``learners.doubling``.
"""

from dataclasses import dataclass
from typing import Any

from scipy.linalg import eigvalsh

from swapregret.geometry.moments import smallest_eigenvalue
from swapregret.geometry.solve import DENSE_LIMIT
from swapregret.learners.doubling import DoublingPlayer, DoublingState
from swapregret.learners.master import MasterState, SwapMaster

__all__ = ["PlayerSummary", "ScaleSummary", "summarise"]


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
class PlayerSummary:
    """What the master knows of itself.

    Attributes
    ----------
    scales : tuple of ScaleSummary
    estimated_external_regret : float
        Total over the run, rewards scaled to [0, 1], from the player's own estimates: the best fixed action under the
        estimated rewards minus what was received. The maximum over noisy estimates makes it too large, never too
        small on average; it says nothing about swap regret.
    smallest_eigenvalue, condition : float or None
        Of Σ on the span of the actions: the smaller, the noisier the estimates. None above rank 400, where no matrix is
        built.
    n_recoveries : int
        How often Σ was singular to working precision and the solver took its second way.
    """

    scales: tuple[ScaleSummary, ...]
    estimated_external_regret: float
    smallest_eigenvalue: float | None
    condition: float | None
    n_recoveries: int


def summarise(player: Any, state: Any) -> PlayerSummary | None:
    """Return the summary of a master, alone or inside the doubling trick; None for players that keep no scales."""
    if isinstance(player, DoublingPlayer) and isinstance(state, DoublingState):
        return summarise(player.player_of(state), state.inner)
    if isinstance(player, SwapMaster) and isinstance(state, MasterState):
        return _of_master(player, state)
    return None


def _of_master(master: SwapMaster, state: MasterState) -> PlayerSummary:
    position = state.day + state.calendar.offset
    scales = []
    for scale in range(1, master.n_scales + 1):
        update, restart = master.schedule.update_every(scale), master.schedule.restart_every(scale)
        scales.append(ScaleSummary(scale, update, restart, update - position % update, restart - position % restart))
    actions = master.actions
    best = float(actions.argmax(state.total) @ state.total)
    smallest = condition = None
    if actions.rank <= DENSE_LIMIT:
        smallest = smallest_eigenvalue(state.mixture, actions.span)
        largest = float(eigvalsh(state.mixture.cooccurrence())[-1])
        condition = largest / smallest if smallest > 0.0 else float("inf")
    return PlayerSummary(tuple(scales), best - state.earned, smallest, condition, state.n_recoveries)
