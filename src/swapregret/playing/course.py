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

from swapregret.arrays import Actions, Integers, Matrix, NamedArrays, Vector, array_of_text, below, text_of_array, under
from swapregret.compiled.vectors import carry_sum
from swapregret.environments.environment import DayKind, DayKinds, Environment
from swapregret.errors import Unsupported
from swapregret.learners.doubling import DoublingPlayer, DoublingState
from swapregret.learners.known_days import KnownDays
from swapregret.learners.player import Decision, Note, Player, what_is_seen
from swapregret.learners.round.running_player import RunningPlayer
from swapregret.logs.log import Log
from swapregret.logs.past_days import Promise, begin_anew, begin_with
from swapregret.playing.play_result import Run
from swapregret.playing.recorder import Options, Recorder
from swapregret.policy import Policy
from swapregret.randomness import plain_state, set_state

_BLOCK, _STEPPED = 32768, 4096
"""Days that are prepared at once, where they run in compiled code and where they are stepped."""
_ENTRIES = 2**20
_ALIKE = DayKinds((DayKind(),), np.zeros(1, dtype=np.int64))


class Course:
    """One replication, from its first day on: the same draws as a ``Session`` with this seed.

    Players of this library play whole blocks in one call and leave a tape; the days of others are stepped, and entered policy by
    policy.

    Parameters
    ----------
    player : Player
    environment : Environment
    seed : SeedSequence
    options : Options
        What to record.
    history : Log, optional
        What the player has learnt before day 0.

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
        self,
        player: Player[Any],
        environment: Environment,
        seed: np.random.SeedSequence,
        options: Options,
        history: Log | None = None,
    ) -> None:
        self.player, self.environment = player, environment
        self.day = 0
        self._options, self._kinds = options, _kinds_told(environment)
        if self._kinds is not _ALIKE and (options["windows"] or options["certificate"]):
            must = (
                "days that differ in context, or in what is available, must be measured without windows and certificate"
            )
            raise Unsupported(must, repr(environment), "Leave out `windows` and `certificate`.")
        self._rng = np.random.default_rng(seed)
        self._state, self._promise, self._n_past = player.start(self._rng), None, 0
        self._known = KnownDays(player)
        if history is not None:
            self._state, self._promise = begin_with(self._known, self._state, history)
            self._n_past = len(history)
        self._begin()

    def _begin(self) -> None:
        """Open what is recorded, kind by kind; of days of one kind it begins now, of others when their first day comes."""
        self._recorders: dict[int, Recorder] = {}
        if self._kinds is _ALIKE:
            self._recorder(0)
        measure, *others = (self._options[name] for name in ("measure", "windows", "certificate"))
        self._needs_policies = measure != "none" or any(others)
        self._received = np.zeros(2)
        self._means: Matrix = np.zeros((0, self.player.actions.dimension))  # of the block
        self.plays: Actions = np.zeros((0, self.player.actions.dimension), dtype=np.int64)

    def _recorder(self, kind: int) -> Recorder:
        if kind not in self._recorders:
            self._recorders[kind] = Recorder(self.player, self._state, self._kinds.listed[kind], self._options)
        return self._recorders[kind]

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
        player = self._present()[0]
        return isinstance(player, RunningPlayer) and player.is_compiled

    def marginals(self) -> Vector:
        """Return how likely each element is to be chosen next."""
        return self.player.policy(self._state).marginals()

    def advance(self, stop: int, progress: Callable[[int], None] | None = None) -> None:
        """Play up to day ``stop``; ``progress`` is called with the number of days just played."""
        while self.day < stop:
            player, state, left = self._present()
            is_whole = left > 0 and not self._is_stepped
            most = _BLOCK if is_whole and self.is_compiled else _STEPPED
            block_days = min(
                most, max(64, _ENTRIES // self.environment.actions.dimension)
            )  # fewer where rewards are long
            start, end = self.day, min(stop, (self.day // block_days + 1) * block_days, self.day + max(1, left))
            rewards = np.require(self.environment.rewards(start, end), np.float64, ["C", "W"])
            received = np.empty(len(rewards))
            if self._needs_policies:
                self._means = self.environment.means(start, end)
            if self._options["realised"]:
                self.plays = np.empty(rewards.shape, dtype=np.int64)
            kinds = self._kinds.of(np.arange(start, end))
            if is_whole and isinstance(player, RunningPlayer):
                recorder = self._recorders[0]
                read = partial(recorder.read_tape, state.learner, self._means) if self._needs_policies else None
                self._take(player.play_block(state, self._rng, rewards, received, self.plays, read), len(rewards))
            else:
                self._step_days(rewards, received, kinds)
            for kind in np.unique(kinds).tolist():
                here = kinds == kind
                self._recorders[kind].receive(received[here])
                if self._options["realised"]:
                    self._recorders[kind].record_plays(self.plays[here], rewards[here])
            carry_sum(self._received, received)
            self.day = end
            if progress is not None:
                progress(end - start)

    @property
    def _is_stepped(self) -> bool:
        """Tell whether days are played one by one whoever plays: something is said before them, or history may be forgotten."""
        return self._kinds is not _ALIKE or self._promise is not None

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

    def _step_days(self, rewards: Matrix, received: Vector, kinds: Integers) -> None:
        """Play the days of a block one by one."""
        played: dict[int, tuple[Policy | None, list[int]]] = {}  # what was last played of each kind, on which days
        for index, (row, kind) in enumerate(zip(rewards, kinds.tolist(), strict=True)):
            context, missing = self._kinds.listed[kind]
            day, note = self.day + index, Note(context=context)
            decision = self._known.draw(self._state, self._rng, day, missing, note)
            policy, days = played.get(kind, (None, []))
            if self._needs_policies and (now := decision.policy) is not policy:
                self._record(kind, policy, days)
                policy, days = now, []
            days.append(index)
            played[kind] = policy, days
            if self._options["realised"]:
                self.plays[index] = decision.action
            received[index] = what_is_seen("bandit", row, decision.action)
            self._observe(decision, what_is_seen(self.player.feedback, row, decision.action), received[index])
        for kind, (policy, days) in played.items():
            self._record(kind, policy, days)

    def _observe(self, decision: Decision, seen: float | Vector, share: float) -> None:
        """Let the player learn a day, or begin anew where its history has turned out to be of another world."""
        if self._promise is not None:
            self._promise = self._promise.after(decision.action, share)
        if self._promise is not None and self._promise.is_broken:
            self._state = begin_anew(self.player, decision.day, self._n_past)
            self._promise, self._known = None, KnownDays(self.player)
        else:
            self._state = self._known.observe(self._state, decision, seen)

    def _record(self, kind: int, policy: Policy | None, days: list[int]) -> None:
        """Enter a policy that was played on some days of the block."""
        recorder = self._recorder(kind)
        if policy is not None:
            recorder.record(policy, self._means[days])

    def close(self, most_bytes: float = math.inf) -> Run:
        """Return what was recorded so far, without a ledger of more than ``most_bytes``; playing may go on."""
        if self._kinds is _ALIKE:
            return self._recorders[0].close(most_bytes)
        each = most_bytes / max(1, len(self._recorders))
        parts = {kind: self._recorders[kind].close(each) for kind in sorted(self._recorders)}
        return Run(self.reward, None, None, None, (), None, parts)

    def dump(self) -> NamedArrays:
        """Write everything the next day depends on as named arrays."""
        arrays = {
            "day": np.array(self.day),
            "received": self._received.copy(),
            "rng": array_of_text(json.dumps(plain_state(self._rng))),
        }
        arrays |= under("state", self.player.dump(self._state))
        arrays |= under("known", self._known.dump())
        if self._promise is not None:
            arrays |= under("promise", self._promise.dump())
        for kind, recorder in self._recorders.items():
            arrays |= under(f"recorders.{kind}", recorder.dump())
        return arrays

    def restore(self, arrays: NamedArrays) -> None:
        """Go on from what ``dump`` wrote of a course with the same arguments, wherever this one was."""
        self.day = int(arrays["day"])
        set_state(self._rng, json.loads(text_of_array(arrays["rng"])))
        self._state = self.player.load(below(arrays, "state"))
        self._known = KnownDays(self.player)
        self._known.load(below(arrays, "known"), self.day + self._n_past)
        promise = below(arrays, "promise")
        self._promise = Promise.load(promise, self.player.actions.dimension) if promise else None
        self._begin()
        self._received = np.array(arrays["received"])
        for kind in {int(name.split(".")[1]) for name in arrays if name.startswith("recorders.")}:
            self._recorder(kind).restore(below(arrays, f"recorders.{kind}"))


def replication(environment: Environment, entropy: int, index: int) -> tuple[Environment, np.random.SeedSequence]:
    """Return the world of one replication and the seed of its player; the first meets the noise the environment came with."""
    noise, seed = np.random.SeedSequence([entropy, index]).spawn(2)
    if index:
        environment = environment.with_noise(int.from_bytes(noise.generate_state(4).tobytes(), "little"))
    return environment, seed


def _kinds_told(environment: Environment) -> DayKinds:
    """Return the kinds of an environment's days; a context that never changes says nothing."""
    kinds = environment.kinds
    if kinds is None or (len(kinds.listed) == 1 and not kinds.listed[0].missing):
        return _ALIKE
    return kinds
