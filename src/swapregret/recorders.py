"""What is written down while a player plays: the glue between the days of a run and the ledgers of ``regret``.

May touch: ``errors``, ``arrays``, ``policy``, ``actions.base``, ``environments.base``, ``learners``, ``regret``.
"""

from typing import Any, TypeVar

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, NamedArrays, below, under
from swapregret.environments.base import Environment
from swapregret.errors import Unsupported
from swapregret.kernels.subsets import round_all
from swapregret.learners.adaptive.pool_engine import PoolBlock, PoolEngine
from swapregret.learners.adaptive.window_engine import WindowBlock, WindowEngine
from swapregret.learners.engines.between_turns import HeldBlock
from swapregret.learners.engines.find import Engine
from swapregret.learners.engines.listed import ListedBlock
from swapregret.learners.engines.m_sets import MSetEngine
from swapregret.learners.engines.scales import Stretches
from swapregret.learners.engines.systematic import SystematicBlock
from swapregret.learners.player import Decision
from swapregret.play_result import Run
from swapregret.policy import Policy, on_grid
from swapregret.regret.decomposition import DecompositionLedger
from swapregret.regret.interval import IntervalLedger
from swapregret.regret.laziness import LazinessLedger
from swapregret.regret.ledger import SwapLedger
from swapregret.regret.tape import Tape

__all__ = ["Recorders"]

_MIXED = 1e-9
_HELD = 256
_Recorder = TypeVar("_Recorder", IntervalLedger, DecompositionLedger)


class Recorders:
    """The ledgers of one run. Days are noted one by one and entered stretch by stretch, at the end of each block.

    Parameters
    ----------
    actions : ActionSet
    state : object
        The first state of the player; a certificate reads its scales and calendar.
    measure, realised, windows, certificate, capacity
        As of :func:`~swapregret.play.play`.
    """

    def __init__(
        self,
        actions: ActionSet,
        state: Any,
        *,
        measure: str,
        realised: bool,
        windows: tuple[int, ...],
        certificate: bool,
        capacity: int | None,
    ) -> None:
        self._actions = actions
        self._ledger = SwapLedger(actions, capacity=capacity) if measure == "ledger" else None
        self._lazy = LazinessLedger(actions) if measure == "bound" else None
        self._realised = SwapLedger(actions, capacity=capacity) if realised else None
        self._intervals = tuple(IntervalLedger(actions, window) for window in windows)
        self._lemma = _lemma_of(actions, state) if certificate else None
        self._needs_means = measure != "none" or bool(windows) or certificate
        self._means: Matrix | None = None
        self._stretches: list[tuple[int, Policy, tuple[Any, ...]]] = []
        self._policy: Policy | None = None
        self._played = np.zeros((0, actions.dimension), dtype=np.int64)
        self._tape: Tape | None = None
        self._tape_laws: tuple[Policy, Policy, float]
        self._tape_before: NamedArrays = {}

    @property
    def needs_laws(self) -> bool:
        """Tell whether the laws that were played are wanted."""
        return self._needs_means

    @property
    def needs_plays(self) -> bool:
        """Tell whether the actions that were played are wanted."""
        return self._realised is not None

    def can_follow(self, engine: Engine) -> bool:
        """Tell whether blocks of an engine show all that is recorded: those of the adaptive master have no scales to show."""
        return self._lemma is None or not isinstance(engine, PoolEngine | WindowEngine)

    @property
    def takes_tapes(self) -> bool:
        """Tell whether laws go to a ledger and nowhere else."""
        return self._lazy is None and not self._intervals and self._lemma is None

    def begin(self, environment: Environment, start: int, stop: int) -> None:
        """Begin a block of days."""
        if self._needs_means:
            self._means = environment.means(start, stop)
        if self._realised is not None:
            self._played = np.empty((stop - start, self._actions.dimension), dtype=np.int64)
        self._stretches, self._policy = [], None

    def run_block(self, engine: Engine, start: int, block: Any, *, is_lasting: bool = True) -> Any:
        """Enter the days of a block that ran in compiled code, and return the state to go on from.

        ``is_lasting`` tells whether the same player plays to the end.
        """
        if self._realised is not None:
            self._played[: len(block.received)] = block.plays
        if self._means is None:
            return block.state
        if isinstance(block, WindowBlock) or (isinstance(block, PoolBlock) and not block.tapes):
            return block.state  # the laws have been noted on the way
        if not self.takes_tapes or self._ledger is None:
            return self._follow(block)
        if isinstance(block, PoolBlock):
            for first, stop, tape in block.tapes:
                self._ledger.record_laws(tape, self._means[first:stop], block.state.explorer)
        elif isinstance(block, ListedBlock | SystematicBlock):
            self._run_listed(block)
        elif is_lasting and isinstance(engine, MSetEngine) and engine.is_tapeable:
            self._run_tape(engine, start, block)
        else:
            return self._follow(block)
        return block.state

    def _follow(self, block: Any) -> Any:
        """Note the laws of a block one by one, and return the state that holds the last of them."""
        assert self._means is not None
        state = block.state
        if isinstance(block, Stretches):
            replay = block.replay()
            for law in replay:
                self.note_law(*law)
            state = replay.state
        elif isinstance(block, HeldBlock):
            for law in block.held:
                self.note_law(*law)
        else:
            for index, policy in block.laws:
                self.note_law(index, policy)
        if len(block.received) < len(self._means):
            self._policy = None
        return state

    def _run_listed(self, block: ListedBlock | SystematicBlock) -> None:
        """Enter a block of laws that kernels can enter; one that goes on after the block stays open."""
        assert self._ledger is not None
        assert self._means is not None
        edges, count = np.append(block.starts, len(self._means)), len(block.starts)
        self._ledger.record_days(block.first, self._means[: edges[1]])
        stop = count - 1 if block.last is not None and count > 1 else count
        inner = edges[1 : stop + 1]
        if isinstance(block, SystematicBlock):
            self._ledger.record_points(block.units[1:stop], block.orders, inner, self._means)
        else:
            table = block.table
            self._ledger.record_listed(table.rows, table.columns, block.shares[1:stop], inner, self._means)
        if block.last is not None and stop < count:
            self._ledger.record_days(block.last, self._means[edges[stop] :])

    def _run_tape(self, engine: MSetEngine, start: int, block: Stretches) -> None:
        """Enter a block of systematic laws by the turns of its calendar."""
        assert self._ledger is not None
        assert self._means is not None
        learner: Any = engine.master.learners[0]
        exploit, explore = on_grid([1.0 - learner.exploration, learner.exploration]).tolist()
        if self._tape is None:
            n = engine.master.n_scales
            self._tape = self._ledger.tape(learner.actions.orders(learner.variants), exploit / n, n)
            self._tape_laws = (learner.start().exploit, learner.mu, explore)
            if self._tape_before:
                self._tape.restore(self._tape_before)
        for piece in block.pieces:
            if piece.n_days:
                means = self._means[piece.first : piece.first + piece.n_days]
                units = round_all(piece.points, learner.actions.size)
                self._tape.record(means, start + piece.first, piece.events, units)

    def note_law(self, index: int, policy: Policy, scales: tuple[Any, ...] = ()) -> None:
        """Note that a law is played from a day of the block on, and the scales it mixes."""
        if not self._needs_means or policy is self._policy:
            return
        if len(self._stretches) >= _HELD:  # laws that list many actions are large: do not hold a block of them
            self._settle(index)
        self._stretches.append((index, policy, scales))
        self._policy = policy

    def note(self, index: int, decision: Decision, state: Any) -> None:
        """Note one day of the block."""
        self.note_law(index, decision.policy, state.scales if self._lemma is not None else ())
        if self._realised is not None:
            self._played[index] = decision.action

    def end(self, rewards: Matrix) -> None:
        """Enter the days of the block."""
        if self._realised is not None:
            self._realised.record_plays(self._played, rewards)
        if self._means is not None:
            self._settle(len(self._means))

    def _settle(self, stop: int) -> None:
        """Enter the stretches noted so far; the last of them ends before day ``stop`` of the block."""
        assert self._means is not None
        edges = [index for index, _, _ in self._stretches] + [stop]
        for (first, policy, scales), last in zip(self._stretches, edges[1:], strict=True):
            days = self._means[first:last]
            if self._ledger is not None:
                self._ledger.record_days(policy, days)
            if self._lazy is not None:
                self._lazy.record_days(policy, days)
            for interval in self._intervals:
                interval.record(policy.marginals(), days)
            if self._lemma is not None:
                self._certify(policy, scales, days)
        self._stretches = []

    def close(self, reward: float) -> Run:
        """Return what was recorded so far, between two blocks; recording may go on."""
        self._absorb()
        return Run(
            reward=reward,
            ledger=self._ledger.close() if self._ledger is not None else None,
            lazy=self._lazy.close() if self._lazy is not None else None,
            realised=self._realised.close() if self._realised is not None else None,
            intervals=tuple(_copy(interval, interval.empty()).close() for interval in self._intervals),
            decomposition=_copy(self._lemma, self._lemma.empty()).close() if self._lemma is not None else None,
        )

    def dump(self) -> NamedArrays:
        """Write everything as named arrays, between two blocks."""
        self._absorb()
        arrays: NamedArrays = {}
        for name, part in self._parts():
            arrays |= under(name, part.dump())
        return arrays | under("tape", self._tape.dump() if self._tape is not None else self._tape_before)

    def restore(self, arrays: NamedArrays) -> None:
        """Fill fresh recorders of the same kind with what ``dump`` wrote."""
        for name, part in self._parts():
            part.restore(below(arrays, name))
        self._tape_before = below(arrays, "tape")

    def _parts(self) -> list[tuple[str, Any]]:
        named: list[tuple[str, Any]] = [("ledger", self._ledger), ("lazy", self._lazy), ("realised", self._realised)]
        named += [(f"interval{index}", interval) for index, interval in enumerate(self._intervals)]
        return [(name, part) for name, part in [*named, ("lemma", self._lemma)] if part is not None]

    def _absorb(self) -> None:
        if self._tape is not None and self._ledger is not None:
            self._ledger.absorb(self._tape, *self._tape_laws)

    def _certify(self, policy: Policy, scales: tuple[Any, ...], days: Matrix) -> None:
        """Enter a stretch into the lemma's ledger."""
        assert self._lemma is not None
        marginals = np.stack([scale.policy.marginals() for scale in scales])
        if np.abs(marginals.mean(axis=0) - policy.marginals()).max() > _MIXED:
            raise Unsupported(
                "a certificate must be asked of a player that mixes its scales uniformly",
                "a policy with other weights",
                "Use measure='bound': the laziness bound holds for any player.",
            )
        self._lemma.record_days(marginals, days)


def _copy(recorder: _Recorder, empty: _Recorder) -> _Recorder:
    """Return a copy of a ledger whose ``close`` ends windows that are to stay open here."""
    empty.restore(recorder.dump())
    return empty


def _lemma_of(actions: ActionSet, state: Any) -> DecompositionLedger:
    if not (hasattr(state, "scales") and hasattr(state, "calendar")):
        raise Unsupported(
            "a certificate must be asked of a master with scales and a calendar",
            f"a player whose state is {type(state).__name__}",
            "Use swap_combcp with preset='multiscale', or measure='bound': the laziness bound holds for any player.",
        )
    return DecompositionLedger(actions, state.calendar.schedule.windows, state.calendar.offset)
