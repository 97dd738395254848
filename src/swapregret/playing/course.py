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

from swapregret.arrays import Matrix, NamedArrays, Vector, array_of_text, below, text_of_array, under
from swapregret.compiled.vectors import carry_sum
from swapregret.environments.environment import Environment
from swapregret.learners.doubling import DoublingPlayer, DoublingState
from swapregret.learners.player import Player, draw_decision, what_is_seen
from swapregret.playing.play_result import Run
from swapregret.playing.recorders import Recorders
from swapregret.randomness import plain_state, set_state

_BLOCK, _STEPPED = 32768, 4096
_ENTRIES = 2**18


class Course:
    """One replication, from its first day on: the same draws as a ``Session`` with this seed.

    Players of this library play whole blocks in one call and leave a tape; the days of others are stepped.

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

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.environments.cycles import cyclic
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
        self._state = player.start(self._rng)
        self._first = self._state
        self._recorders = Recorders(player, self._state, **options)
        self._received = np.zeros(2)

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
            block_days = _block_days(self.environment.actions.dimension, is_whole=left > 0 and self.is_compiled)
            start, end = self.day, min(stop, (self.day // block_days + 1) * block_days, self.day + max(1, left))
            rewards = np.require(self.environment.rewards(start, end), np.float64, ["C", "W"])
            self._recorders.begin(self.environment, start, end)
            received = np.empty(len(rewards))
            played = self._play(player, state, rewards, received) if left > 0 else 0
            for index in range(played, len(rewards)):
                received[index] = self._step(start, index, rewards[index])
            self._recorders.end(rewards)
            carry_sum(self._received, received)
            self.day = end
            if progress is not None:
                progress(end - start)

    def _play(self, player: Player[Any], state: Any, rewards: Matrix, received: Vector) -> int:
        """Play a block in one call, where the player can; return how many days were played, all or none."""
        if not hasattr(player, "play_block"):
            return 0
        read = partial(self._recorders.read_tape, learner=state.learner) if self._recorders.needs_laws else None
        self._take(player.play_block(state, self._rng, rewards, received, self._recorders.plays, read), len(rewards))
        return len(rewards)

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

    def _step(self, start: int, index: int, rewards: Vector) -> float:
        decision = draw_decision(self.player, self._state, self._rng, start + index)
        self._recorders.note(index, decision)
        seen = what_is_seen(self.player.feedback, rewards, decision.action)
        self._state = self.player.observe(self._state, decision, seen)
        return float(what_is_seen("bandit", rewards, decision.action))

    def close(self, most_bytes: float = math.inf) -> Run:
        """Return what was recorded so far, without a ledger of more than ``most_bytes``; playing may go on."""
        return self._recorders.close(self.reward, most_bytes)

    def dump(self) -> NamedArrays:
        """Write everything the next day depends on as named arrays."""
        arrays = {
            "day": np.array(self.day),
            "received": self._received.copy(),
            "rng": array_of_text(json.dumps(plain_state(self._rng))),
        }
        state = under("state", self.player.dump(self._state))
        return arrays | state | under("recorders", self._recorders.dump())

    def restore(self, arrays: NamedArrays) -> None:
        """Go on from what ``dump`` wrote of a course with the same arguments, wherever this one was."""
        self.day = int(arrays["day"])
        self._received = np.array(arrays["received"])
        set_state(self._rng, json.loads(text_of_array(arrays["rng"])))
        self._state = self.player.load(below(arrays, "state"))
        self._recorders = Recorders(self.player, self._first, **self._options)
        self._recorders.restore(below(arrays, "recorders"))


def _block_days(dimension: int, *, is_whole: bool) -> int:
    """Return how many days are prepared at once: many where they run in compiled code, fewer where rewards are long."""
    return min(_BLOCK if is_whole else _STEPPED, max(64, _ENTRIES // dimension))
