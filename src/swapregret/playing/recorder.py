"""What is recorded of a course: ledgers of all its days, or of those of one kind on the face that was left."""

import math
from functools import cached_property
from typing import Any, TypedDict

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.face import Face
from swapregret.actions.policy_slots import KnowsPolicies
from swapregret.arrays import Actions, Matrix, NamedArrays, Vector, below, under
from swapregret.compiled.vectors import carry_sum
from swapregret.environments.environment import DayKind
from swapregret.errors import Unsupported
from swapregret.learners.ladder.ladder_master import LadderMaster
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.player import AnyPlayer
from swapregret.learners.round.running import Running
from swapregret.playing.play_result import Run
from swapregret.policy import Policy
from swapregret.policy.tape import Tape
from swapregret.regret.decomposition import DecompositionLedger, LadderLedger
from swapregret.regret.interval import IntervalLedger
from swapregret.regret.laziness import LazinessLedger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.stretches import TapeReader, Window


class Options(TypedDict):
    """What to record, as :func:`~swapregret.playing.play.play` is told."""

    measure: str
    realised: bool
    windows: tuple[int, ...]
    certificate: bool
    capacity: int | None


class Recorder:
    """Enters what a player plays on days of one kind.

    Parameters
    ----------
    player : Player
    first : state
        Of the player, before day 0.
    kind : DayKind
        Days without some elements are measured on the face that is left.
    options : Options
    """

    def __init__(self, player: AnyPlayer, first: Any, kind: DayKind, options: Options) -> None:
        self._whole, self._kind = player.actions, kind
        actions, capacity = self._actions, options["capacity"]
        measure, windows, certificate = options["measure"], options["windows"], options["certificate"]
        self._ledger = SwapLedger(actions, capacity=capacity) if measure == "ledger" else None
        self._lazy = LazinessLedger(actions) if measure == "bound" else None
        self._realised = SwapLedger(actions, capacity=capacity) if options["realised"] else None
        self._intervals = tuple(IntervalLedger(actions, window) for window in windows)
        self._lemma = _lemma_of(player, first) if certificate else None
        self._received, self._n_days = np.zeros(2), 0

    @cached_property
    def _face(self) -> Face | None:
        return Face(self._whole, self._kind.missing) if self._kind.missing else None

    @property
    def _actions(self) -> ActionSet:
        return self._whole if self._face is None else self._face.part

    def receive(self, received: Vector) -> None:
        """Add up the rewards of some days."""
        carry_sum(self._received, received)
        self._n_days += len(received)

    @property
    def reward(self) -> float:
        """Return the mean reward per day, as received."""
        return float(self._received.sum()) / self._n_days if self._n_days else 0.0

    def record(self, policy: Policy, means: Matrix) -> None:
        """Enter a policy that was played on days with some mean rewards."""
        if self._face is not None:
            policy, means = self._face.lower(policy), means[:, self._face.kept]
        for ledger in (self._ledger, self._lazy):
            if ledger is not None:
                ledger.record(policy, means)
        for interval in self._intervals:
            interval.record(policy.marginals(), means)

    def record_plays(self, plays: Actions, rewards: Matrix) -> None:
        """Enter actions that were drawn, and the rewards they met."""
        if self._realised is not None:
            kept = slice(None) if self._face is None else self._face.kept
            self._realised.record_plays(plays[:, kept], rewards[:, kept])

    def read_tape(self, learner: KnowsPolicies, means: Matrix, tape: Tape, first: int, last: int) -> None:
        """Enter what a learner played on days ``first`` to ``last`` − 1 of a block."""
        days = means[first:last]
        reader = TapeReader(tape, days, learner.mu, learner.policy_from)
        for ledger in (self._ledger, self._lazy):
            if ledger is not None:
                ledger.record_tape(reader)
        for window in reader.windows() if self._intervals or self._lemma is not None else ():
            part = days[window.first : window.last]
            for interval in self._intervals:
                interval.record(window.shares @ window.marginals, part)
            if isinstance(self._lemma, LadderLedger):
                self._lemma.record(*_levels_in(window), part)
            elif self._lemma is not None:
                self._lemma.record(_scales_in(window), part)

    def close(self, most_bytes: float = math.inf) -> Run:
        """Return what was recorded so far, without a ledger of more than ``most_bytes``; recording may go on."""
        ledger = self._ledger
        return Run(
            reward=self.reward,
            ledger=ledger.close() if ledger is not None and not ledger.is_above(most_bytes) else None,
            lazy=self._lazy.close() if self._lazy is not None else None,
            realised=self._realised.close() if self._realised is not None else None,
            intervals=tuple(interval.close() for interval in self._intervals),
            decomposition=self._lemma.close() if self._lemma is not None else None,
        )

    def dump(self) -> NamedArrays:
        """Write it as named arrays."""
        arrays = {"received": self._received.copy(), "n_days": np.array(self._n_days)}
        for name, part in self._parts():
            arrays |= under(name, part.dump())
        return arrays

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty recorder with what ``dump`` wrote."""
        self._received, self._n_days = np.array(arrays["received"]), int(arrays["n_days"])
        for name, part in self._parts():
            part.restore(below(arrays, name))

    def _parts(self) -> list[tuple[str, Any]]:
        """Return the ledgers by name."""
        named: list[tuple[str, Any]] = [("ledger", self._ledger), ("lazy", self._lazy), ("realised", self._realised)]
        named += [(f"interval{index}", interval) for index, interval in enumerate(self._intervals)]
        return [(name, part) for name, part in [*named, ("lemma", self._lemma)] if part is not None]


def _scales_in(window: Window) -> Matrix:
    """Return the marginals of each scale, exploration included. Scale k is in slot k; if it has just begun, it plays slot K."""
    shares, marginals = window.shares, window.marginals
    n_scales = len(shares) - 2
    own = [marginals[k if shares[k] > 0.0 else n_scales] for k in range(n_scales)]
    return np.asarray((1.0 - shares[-1]) * np.stack(own) + shares[-1] * marginals[-1])


def _levels_in(window: Window) -> tuple[Vector, Matrix, float]:
    """Return the weights of the levels of a ladder, their marginals times these, and the share of what is no level.

    Slots are the cold learner of each level, its tracker, two members of the bottom level, experts, exploration.
    """
    others = float(window.shares[-2:].sum())
    shares, n_levels = window.shares[:-2] / (1.0 - others), len(window.shares) // 2 - 2
    level = np.arange(len(shares)) % n_levels
    level[-2:] = np.flatnonzero(shares[:n_levels])[0]
    weights, points = np.zeros(n_levels), np.zeros((n_levels, window.marginals.shape[1]))
    np.add.at(weights, level, shares)
    np.add.at(points, level, shares[:, None] * window.marginals[:-2])
    return weights, points, others


def _lemma_of(player: AnyPlayer, state: Running) -> DecompositionLedger | LadderLedger:
    if not isinstance(player, SwapMaster | LadderMaster):
        raise Unsupported(
            "a certificate must be asked of preset='multiscale', 'paper' or 'ladder', whose levels keep their policies and weights",
            f"{type(player).__name__}",
            "Use one of them, or measure='bound': the laziness bound holds for any player.",
        )
    windows, offset = player.schedule.windows, int(state.state.tally.offset[0])
    if isinstance(player, LadderMaster):
        return LadderLedger(player.actions, windows[:-1], offset)
    return DecompositionLedger(player.actions, windows, offset)
