"""What is written down while a player plays: the glue between the days of a run and the ledgers of ``regret``."""

from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Actions, Matrix, NamedArrays, below, under
from swapregret.environments.environment import Environment
from swapregret.errors import Unsupported
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.player import Decision, Player
from swapregret.playing.play_result import Run
from swapregret.policy import Policy
from swapregret.policy.tape import Tape
from swapregret.regret.decomposition import DecompositionLedger
from swapregret.regret.interval import IntervalLedger
from swapregret.regret.laziness import LazinessLedger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.stretches import TapeReader, Window


class Recorders:
    """The ledgers of one run. Days come in blocks: on a tape, or noted one by one and entered policy by policy.

    Parameters
    ----------
    player : Player
    state : object
        Its first state; a certificate reads its calendar.
    measure, realised, windows, certificate, capacity
        As of :func:`~swapregret.playing.play.play`.

    Attributes
    ----------
    needs_laws : bool
        Whether the laws that were played are wanted.
    plays : Actions
        Where the actions of a block are written; no rows if they are not wanted.
    """

    def __init__(
        self,
        player: Player[Any],
        state: Any,
        *,
        measure: str,
        realised: bool,
        windows: tuple[int, ...],
        certificate: bool,
        capacity: int | None,
    ) -> None:
        actions = self._actions = player.actions
        self._ledger = SwapLedger(actions, capacity=capacity) if measure == "ledger" else None
        self._lazy = LazinessLedger(actions) if measure == "bound" else None
        self._realised = SwapLedger(actions, capacity=capacity) if realised else None
        self._intervals = tuple(IntervalLedger(actions, window) for window in windows)
        self._lemma = _lemma_of(actions, player, state) if certificate else None
        self.needs_laws = measure != "none" or bool(windows) or certificate
        self._means: Matrix | None = None
        self._policy: Policy | None = None
        self._since = 0
        self.plays: Actions = np.zeros((0, actions.dimension), dtype=np.int64)

    def begin(self, environment: Environment, start: int, stop: int) -> None:
        """Begin a block of days."""
        if self.needs_laws:
            self._means = environment.means(start, stop)
        if self._realised is not None:
            self.plays = np.empty((stop - start, self._actions.dimension), dtype=np.int64)
        self._policy = None

    def read_tape(self, tape: Tape, first: int, last: int, learner: Any) -> None:
        """Enter what a learner played on days ``first`` to ``last`` − 1 of the block."""
        assert self._means is not None
        days = self._means[first:last]
        reader = TapeReader(tape, days, learner.mu, learner.policy_from)
        for ledger in (self._ledger, self._lazy):
            if ledger is not None:
                ledger.record_tape(reader)
        if not self._intervals and self._lemma is None:
            return
        for window in reader.windows():
            part = days[window.first : window.last]
            for interval in self._intervals:
                interval.record(window.shares @ window.marginals, part)
            if self._lemma is not None:
                self._certify(window, part)

    def note(self, index: int, decision: Decision) -> None:
        """Note one day of the block."""
        if self.needs_laws and (policy := decision.policy) is not self._policy:
            self._settle(index)
            self._policy, self._since = policy, index
        if self._realised is not None:
            self.plays[index] = decision.action

    def end(self, rewards: Matrix) -> None:
        """Enter the days of the block."""
        if self._realised is not None:
            self._realised.record_plays(self.plays, rewards)
        if self._means is not None:
            self._settle(len(self._means))

    def _settle(self, stop: int) -> None:
        """Enter the days of the policy noted last, which end before day ``stop`` of the block."""
        assert self._means is not None
        if self._policy is None:
            return
        days = self._means[self._since : stop]
        for ledger in (self._ledger, self._lazy):
            if ledger is not None:
                ledger.record(self._policy, days)
        for interval in self._intervals:
            interval.record(self._policy.marginals(), days)

    def close(self, reward: float, most_bytes: float) -> Run:
        """Return what was recorded so far between two blocks, without a ledger of more than ``most_bytes``; recording may go on."""
        ledger = self._ledger
        return Run(
            reward=reward,
            ledger=ledger.close() if ledger is not None and not ledger.is_above(most_bytes) else None,
            lazy=self._lazy.close() if self._lazy is not None else None,
            realised=self._realised.close() if self._realised is not None else None,
            intervals=tuple(interval.close() for interval in self._intervals),
            decomposition=self._lemma.close() if self._lemma is not None else None,
        )

    def dump(self) -> NamedArrays:
        """Write everything as named arrays, between two blocks."""
        arrays: NamedArrays = {}
        for name, part in self._parts():
            arrays |= under(name, part.dump())
        return arrays

    def restore(self, arrays: NamedArrays) -> None:
        """Fill fresh recorders of the same kind with what ``dump`` wrote."""
        for name, part in self._parts():
            part.restore(below(arrays, name))

    def _parts(self) -> list[tuple[str, Any]]:
        named: list[tuple[str, Any]] = [("ledger", self._ledger), ("lazy", self._lazy), ("realised", self._realised)]
        named += [(f"interval{index}", interval) for index, interval in enumerate(self._intervals)]
        return [(name, part) for name, part in [*named, ("lemma", self._lemma)] if part is not None]

    def _certify(self, window: Window, days: Matrix) -> None:
        """Enter a window into the lemma's ledger. Scale k is in slot k; if it has just begun, its policy is that of slot K."""
        assert self._lemma is not None
        shares, marginals = window.shares, window.marginals
        n_scales = len(shares) - 2
        own = [marginals[k if shares[k] > 0.0 else n_scales] for k in range(n_scales)]
        self._lemma.record((1.0 - shares[-1]) * np.stack(own) + shares[-1] * marginals[-1], days)


def _lemma_of(actions: ActionSet, player: Any, state: Any) -> DecompositionLedger:
    if not isinstance(player, SwapMaster):
        raise Unsupported(
            "a certificate must be asked of a master that mixes its scales uniformly",
            f"{type(player).__name__}",
            "Use swap_combcp with preset='multiscale', or measure='bound': the laziness bound holds for any player.",
        )
    return DecompositionLedger(actions, player.schedule.windows, int(state.state.tally.offset[0]))
