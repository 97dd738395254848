"""A player under test, and one deterministic way to let it play."""

import io
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.arrays import Matrix, Vector, frozen
from swapregret.learners.player import Arrays, Decision, Player, hold_policy, own_state, what_is_seen
from swapregret.policy import Policy
from swapregret.testing.conformance import require


@dataclass(frozen=True, eq=False)
class Step:
    """One day of a run: the state before, what was decided and seen, the state after."""

    before: Any
    decision: Decision
    reward: float | Vector | None
    after: Any


@dataclass(frozen=True, eq=False)
class PlayerCase:
    """A player, how many days to let it play, and a seed."""

    player: Player[Any]
    days: int
    seed: int

    @cached_property
    def rewards(self) -> Matrix:
        """Reward vectors for every day: random, with days that pay nothing and days that pay all there is."""
        actions = self.player.actions
        table = np.random.default_rng([self.seed, 1]).random((self.days, actions.dimension))
        table[2::7] = 0.0
        table[5::7] = 1.0
        return frozen(table / max(1, actions.size))

    def show(self, day: int, decision: Decision) -> float | Vector | None:
        """Return what the player sees of a day; nothing on every eleventh."""
        if day % 11 == 10:
            return None
        return duplicate(what_is_seen(self.player.feedback, self.rewards[day], decision.action))

    def play(self, state: Any, first: int, last: int) -> list[Step]:
        """Play days first..last−1 from a state; day t draws from a generator of its own."""
        steps = []
        for day in range(first, last):
            held = hold_policy(self.player, state)
            action = held.policy().sample(np.random.default_rng([self.seed, 2, day]))
            decision = Decision(day, action, self.player.actions, held)
            reward = self.show(day, decision)
            after = self.observe(state, decision, duplicate(reward))
            steps.append(Step(state, decision, reward, after))
            state = after
        return steps

    def observe(self, state: Any, decision: Decision, reward: float | Vector | None) -> Any:
        """Return the state after a day and keep the one before, also of a player that changes its state in place."""
        return self.player.observe(own_state(self.player, state), decision, reward)

    def start(self) -> Any:
        """Return the state before day 0, always from the same generator."""
        return self.player.start(np.random.default_rng([self.seed, 3]))

    @cached_property
    def steps(self) -> list[Step]:
        """One whole run."""
        return self.play(self.start(), 0, self.days)


def duplicate(reward: float | Vector | None) -> float | Vector | None:
    """Return a reward that a player may write into without anybody noticing."""
    return reward.copy() if isinstance(reward, np.ndarray) else reward


def through_file(arrays: Arrays) -> Arrays:
    """Write arrays to a file in memory and read them again, without pickle."""
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type, unused-ignore]
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return {name: read[name] for name in read.files}


def written(player: Player[Any], state: Any) -> Arrays:
    """Write a state, and copy the arrays."""
    return {name: array.copy() for name, array in player.dump(state).items()}


def moments(law: Policy) -> Arrays:
    """Return the first two moments of a policy."""
    return {"marginals": law.marginals(), "cooccurrence": law.cooccurrence()}


def agree_arrays(found: Arrays, wanted: Arrays, day: int, must: str, do: str) -> None:
    """Raise a fault unless the arrays of a day are those that are wanted, bit for bit."""
    require(found.keys() == wanted.keys(), must, f"arrays {sorted(found)} on day {day}", do)
    for name, array in found.items():
        same = (array.dtype, array.shape) == (wanted[name].dtype, wanted[name].shape)
        require(same and array.tobytes() == wanted[name].tobytes(), must, f"another `{name}` on day {day}", do)
