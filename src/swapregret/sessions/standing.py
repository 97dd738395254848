"""Where a session stands: what its user may look at between two calls."""

from collections.abc import Hashable
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from swapregret.arguments import check_confidence
from swapregret.arrays import Label
from swapregret.counts import check_name
from swapregret.learners.player import Decision, hold_policy, marginals_of
from swapregret.learners.summary import PlayerSummary, summarise
from swapregret.policy import Policy
from swapregret.sessions.guard_rails import MODES, Advantage
from swapregret.sessions.notes import note_given
from swapregret.sessions.uplift import Uplift, uplift_of
from swapregret.sessions.whole_calls import Course, State, one_at_a_time
from swapregret.units import Range


class ContextSummary(NamedTuple):
    """A context: its days since there are several, and how often its own player is drawn, not that of all days."""

    context: Hashable
    n_days: int
    share: float


@dataclass(frozen=True)
class SessionSummary:
    """Where a session stands.

    Attributes
    ----------
    day : int
        Days closed: observed or skipped.
    n_skipped : int
        How many of them without feedback.
    open_days : tuple of int
        Decisions not yet observed.
    player : PlayerSummary or None
        Scales, next updates, estimated regret, smallest eigenvalue and condition of Σ; None for players without scales.
    n_past : int
        Days of history that count; 0 once it has turned out to be of another world.
    uplift : Uplift or None
        What the session earns beyond its baseline, with a hold-out.
    advantage : Advantage or None
        What the session would earn beyond the application, where that has chosen.
    contexts : tuple of ContextSummary
        The contexts there have been, if there were two or more.
    """

    day: int
    n_skipped: int
    open_days: tuple[int, ...]
    player: PlayerSummary | None
    n_past: int
    uplift: Uplift | None
    advantage: Advantage | None
    contexts: tuple[ContextSummary, ...] = ()


class Standing(Course[State]):
    """What a session says of itself."""

    @property
    def mode(self) -> str:
        """Say who chooses: "live", the session; "apprentice", the application, from which it learns."""
        return self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        check_name(mode, MODES, "mode")
        self._mode = mode

    @property
    def day(self) -> int:
        """Return how many days have been closed: observed or skipped."""
        return self._n_closed

    @property
    def is_torn(self) -> bool:
        """Tell whether an exception cut a call off half-way: the session then takes no more calls, and its journal goes on."""
        return self._is_torn

    @property
    def reward_range(self) -> tuple[float, float]:
        """Return the declared range of total rewards; where costs were declared, that of minus the cost."""
        return self._reader.units.low, self._reader.units.high

    @property
    def cost_range(self) -> Range | None:
        """Return the declared range of total costs, or None where rewards are counted."""
        return self._reader.units.declared if self._reader.units.is_cost else None

    @property
    @one_at_a_time
    def open_decisions(self) -> tuple[Decision, ...]:
        """Return the decisions that wait for their reward, oldest first."""
        return tuple(self._open.values())

    @one_at_a_time
    def policy(self, *, context: Hashable = None) -> Policy:
        """Return the policy of the next action, on a day of a context."""
        self._refuse_if_torn()
        held = self._known.held(self._state, note_given(None, context).context)
        policy = (held if self._holdout is None else self._holdout.held(held)).policy()
        return policy.with_labels(self.player.actions)

    def marginals(self, *, context: Hashable = None) -> dict[Label, float]:
        """Return how likely each element is to be chosen next, by label, on a day of a context."""
        return dict(zip(self.player.actions.labels, self.policy(context=context).marginals().tolist(), strict=True))

    def __repr__(self) -> str:
        waiting = f", {len(self._open)} open" if self._open else ""
        word, (low, high) = self._reader.units.word, self._reader.units.declared
        return f"Session(day {self.day:,}{waiting}, {word}s in [{low:g}, {high:g}], {self.player.actions!r})"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>" + ("" if self._is_torn else self.policy()._repr_html_())

    @one_at_a_time
    def summary(self, *, confidence: float = 0.95) -> SessionSummary:
        """Say where the session stands, intervals with a confidence; costs an eigenvalue decomposition."""
        check_confidence(confidence)
        beside, units, actions = self._beside, self._reader.units, self.player.actions
        share = None if self._holdout is None else self._holdout.share
        marginals = marginals_of(hold_policy(self.player, self._state))
        return SessionSummary(
            self._n_closed,
            self._n_skipped,
            tuple(self._open),
            summarise(self.player, self._state),
            max(0, self._n_past),
            None if share is None else uplift_of(beside.uplift, share, units, confidence),
            beside.advantage(marginals, actions.size, units, confidence),
            tuple(ContextSummary(name, own.n_days, own.share) for name, own in self._known.own.items()),
        )
