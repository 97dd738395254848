"""A player's way through an environment: days in order, recorded, and written down so that another process can go on.

``play`` goes through it in one piece. Experiments stop at checkpoints and keep snapshots. Days played after ``restore(dump())``
are the same, bit for bit, as days played without it.
"""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from swapregret.arrays import Actions, Matrix, NamedArrays, Vector, array_of_text, below, text_of_array, under
from swapregret.compiled.vectors import carry_sum
from swapregret.environments.environment import Environment
from swapregret.errors import Unsupported
from swapregret.learners.doubling import DoublingPlayer, DoublingState
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.player import Player, draw_decision, what_is_seen
from swapregret.playing.play_result import Run
from swapregret.policy import Policy
from swapregret.policy.tape import Tape
from swapregret.randomness import plain_state, set_state
from swapregret.regret.decomposition import DecompositionLedger
from swapregret.regret.interval import IntervalLedger
from swapregret.regret.laziness import LazinessLedger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.stretches import TapeReader, Window

_BLOCK, _STEPPED = 32768, 4096
"""Days that are prepared at once, where they run in compiled code and where they are stepped."""
_ENTRIES = 2**20


class Course:
    """One replication, from its first day on: the same draws as a ``Session`` with this seed.

    Players of this library play whole blocks in one call and leave a tape; the days of others are stepped, and entered policy by
    policy.

    Parameters
    ----------
    player : Player
    environment : Environment
    seed : SeedSequence
    options : dict
        What to record: ``measure``, ``realised``, ``windows``, ``certificate`` and ``capacity`` of
        :func:`~swapregret.playing.play.play`.

    Attributes
    ----------
    day : int
        Days played.
    plays : Actions
        The actions of the last block; no rows if they are not wanted.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.environments import cyclic
    >>> from swapregret.learners.baselines.uniform import uniform
    >>> actions = MSets(6, 2)
    >>> options = {"measure": "ledger", "realised": False, "windows": (), "certificate": False, "capacity": None}
    >>> course = Course(uniform(actions), cyclic(actions, 700, rng=0), np.random.SeedSequence(1), options)
    >>> course.advance(350)
    >>> course.day, course.close().ledger.n_days
    (350, 350.0)
    """

    def __init__(
        self, player: Player[Any], environment: Environment, seed: np.random.SeedSequence, options: dict[str, Any]
    ) -> None:
        self.player, self.environment = player, environment
        self.day = 0
        self._options = options
        self._rng = np.random.default_rng(seed)
        self._state = self._first = player.start(self._rng)
        self._received = np.zeros(2)
        self._begin(**options)

    def _begin(
        self, *, measure: str, realised: bool, windows: tuple[int, ...], certificate: bool, capacity: int | None
    ) -> None:
        """Open the ledgers."""
        actions = self.player.actions
        self._ledger = SwapLedger(actions, capacity=capacity) if measure == "ledger" else None
        self._lazy = LazinessLedger(actions) if measure == "bound" else None
        self._realised = SwapLedger(actions, capacity=capacity) if realised else None
        self._intervals = tuple(IntervalLedger(actions, window) for window in windows)
        self._lemma = _lemma_of(self.player, self._first) if certificate else None
        self._needs_policies = measure != "none" or bool(windows) or certificate
        self._means: Matrix = np.zeros((0, actions.dimension))  # of the block
        self.plays: Actions = np.zeros((0, actions.dimension), dtype=np.int64)

    @property
    def state(self) -> Any:
        """Return what the player has learnt."""
        return self._state

    @property
    def reward(self) -> float:
        """Return the mean reward per day, as received."""
        return float(self._received.sum()) / self.day if self.day else 0.0

    @property
    def is_compiled(self) -> bool:
        """Tell whether blocks of days will run in compiled code, which needs no interpreter."""
        return bool(getattr(self._present()[0], "is_compiled", False))

    def marginals(self) -> Vector:
        """Return how likely each element is to be chosen next."""
        return self.player.policy(self._state).marginals()

    def advance(self, stop: int, progress: Callable[[int], None] | None = None) -> None:
        """Play up to day ``stop``; ``progress`` is called with the number of days just played."""
        while self.day < stop:
            player, state, left = self._present()
            most = _BLOCK if left > 0 and self.is_compiled else _STEPPED
            block_days = min(
                most, max(64, _ENTRIES // self.environment.actions.dimension)
            )  # fewer where rewards are long
            start, end = self.day, min(stop, (self.day // block_days + 1) * block_days, self.day + max(1, left))
            rewards = np.require(self.environment.rewards(start, end), np.float64, ["C", "W"])
            received = np.empty(len(rewards))
            if self._needs_policies:
                self._means = self.environment.means(start, end)
            if self._realised is not None:
                self.plays = np.empty(rewards.shape, dtype=np.int64)
            if left > 0 and hasattr(player, "play_block"):
                read = partial(self._read_tape, state.learner) if self._needs_policies else None
                self._take(player.play_block(state, self._rng, rewards, received, self.plays, read), len(rewards))
            else:
                self._step_days(rewards, received)
            if self._realised is not None:
                self._realised.record_plays(self.plays, rewards)
            carry_sum(self._received, received)
            self.day = end
            if progress is not None:
                progress(end - start)

    def _present(self) -> tuple[Player[Any], Any, int]:
        """Return who plays, in which state, and for how many days at least: an anytime player has one for each epoch.

        On the last day of an epoch nobody learns, since the next player starts anew.
        """
        if isinstance(self.player, DoublingPlayer):
            state: DoublingState = self._state
            left = self.player.epoch_length(state.epoch) - 1 - state.day
            return self.player.player_of(state), state.inner, left
        return self.player, self._state, self.environment.horizon

    def _take(self, state: Any, n_days: int) -> None:
        """Take over the state of who has played some days."""
        if isinstance(self.player, DoublingPlayer):
            before: DoublingState = self._state
            state = replace(before, day=before.day + n_days, inner=state)
        self._state = state

    def _step_days(self, rewards: Matrix, received: Vector) -> None:
        """Play the days of a block one by one."""
        policy: Policy | None = None
        since = 0
        for index, row in enumerate(rewards):
            decision = draw_decision(self.player, self._state, self._rng, self.day + index)
            if self._needs_policies and (now := decision.policy) is not policy:
                self._record(policy, since, index)
                policy, since = now, index
            if self._realised is not None:
                self.plays[index] = decision.action
            seen = what_is_seen(self.player.feedback, row, decision.action)
            self._state = self.player.observe(self._state, decision, seen)
            received[index] = what_is_seen("bandit", row, decision.action)
        self._record(policy, since, len(rewards))

    def _record(self, policy: Policy | None, first: int, last: int) -> None:
        """Enter a policy that was played on days ``first`` to ``last`` − 1 of the block."""
        if policy is None:
            return
        days = self._means[first:last]
        for ledger in (self._ledger, self._lazy):
            if ledger is not None:
                ledger.record(policy, days)
        for interval in self._intervals:
            interval.record(policy.marginals(), days)

    def _read_tape(self, learner: Any, tape: Tape, first: int, last: int) -> None:
        """Enter what a learner played on days ``first`` to ``last`` − 1 of the block."""
        days = self._means[first:last]
        reader = TapeReader(tape, days, learner.mu, learner.policy_from)
        for ledger in (self._ledger, self._lazy):
            if ledger is not None:
                ledger.record_tape(reader)
        for window in reader.windows() if self._intervals or self._lemma is not None else ():
            part = days[window.first : window.last]
            for interval in self._intervals:
                interval.record(window.shares @ window.marginals, part)
            if self._lemma is not None:
                self._lemma.record(_scales_in(window), part)

    def close(self, most_bytes: float = math.inf) -> Run:
        """Return what was recorded so far, without a ledger of more than ``most_bytes``; playing may go on."""
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
        """Write everything the next day depends on as named arrays."""
        arrays = {
            "day": np.array(self.day),
            "received": self._received.copy(),
            "rng": array_of_text(json.dumps(plain_state(self._rng))),
        }
        arrays |= under("state", self.player.dump(self._state))
        for name, part in self._parts():
            arrays |= under(f"recorders.{name}", part.dump())
        return arrays

    def restore(self, arrays: NamedArrays) -> None:
        """Go on from what ``dump`` wrote of a course with the same arguments, wherever this one was."""
        self.day = int(arrays["day"])
        self._received = np.array(arrays["received"])
        set_state(self._rng, json.loads(text_of_array(arrays["rng"])))
        self._state = self.player.load(below(arrays, "state"))
        self._begin(**self._options)
        for name, part in self._parts():
            part.restore(below(arrays, f"recorders.{name}"))

    def _parts(self) -> list[tuple[str, Any]]:
        """Return the ledgers by name."""
        named: list[tuple[str, Any]] = [("ledger", self._ledger), ("lazy", self._lazy), ("realised", self._realised)]
        named += [(f"interval{index}", interval) for index, interval in enumerate(self._intervals)]
        return [(name, part) for name, part in [*named, ("lemma", self._lemma)] if part is not None]


def replication(environment: Environment, entropy: int, index: int) -> tuple[Environment, np.random.SeedSequence]:
    """Return the world of one replication and the seed of its player; the first meets the noise the environment came with."""
    noise, seed = np.random.SeedSequence([entropy, index]).spawn(2)
    if index:
        environment = environment.with_noise(int.from_bytes(noise.generate_state(4).tobytes(), "little"))
    return environment, seed


def _scales_in(window: Window) -> Matrix:
    """Return the marginals of each scale, exploration included. Scale k is in slot k; if it has just begun, it plays slot K."""
    shares, marginals = window.shares, window.marginals
    n_scales = len(shares) - 2
    own = [marginals[k if shares[k] > 0.0 else n_scales] for k in range(n_scales)]
    return np.asarray((1.0 - shares[-1]) * np.stack(own) + shares[-1] * marginals[-1])


def _lemma_of(player: Any, state: Any) -> DecompositionLedger:
    if not isinstance(player, SwapMaster):
        raise Unsupported(
            "a certificate must be asked of a master that mixes its scales uniformly",
            f"{type(player).__name__}",
            "Use swap_combcp with preset='multiscale', or measure='bound': the laziness bound holds for any player.",
        )
    return DecompositionLedger(player.actions, player.schedule.windows, int(state.state.tally.offset[0]))
