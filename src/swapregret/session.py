"""A session: a player in use, one day after another. The only object of the library that changes.

May touch: ``errors``, ``arrays``, ``policy``, ``learners.player``.
"""

import math
from typing import Generic, TypeVar

import numpy as np

from swapregret.errors import InvalidInput, InvalidReward, ProtocolError
from swapregret.learners.player import Decision, Player
from swapregret.policy import Policy

__all__ = ["Session"]

State = TypeVar("State")
Seed = int | np.random.SeedSequence | np.random.Generator | None


class Session(Generic[State]):
    """Act, observe, repeat.

    Parameters
    ----------
    player : Player
        Who plays, e.g. ``sr.swap_combcp(actions, horizon=…)``.
    rng : int, SeedSequence, Generator or None
        The one door of randomness. None draws entropy, which is recorded in ``entropy``.
    reward_range : (float, float)
        The least and the largest total reward an action can get; rewards are mapped to [0, 1] (deviation D15).

    Raises
    ------
    ProtocolError, InvalidReward
        On a call out of order or a reward that cannot be; the session is then as it was before the call.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> from swapregret.learners.presets import swap_combcp
    >>> session = Session(swap_combcp(MSets(4, 2, labels="abcd"), horizon=1000), rng=7)
    >>> decision = session.act()
    >>> len(decision.elements), decision.day
    (2, 0)
    >>> session.observe(0.5)
    >>> session.day
    1
    """

    def __init__(
        self, player: Player[State], *, rng: Seed = None, reward_range: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        low, high = (float(bound) for bound in reward_range)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InvalidInput(
                "`reward_range` must be two finite numbers, the smaller first",
                repr(reward_range),
                "Give the least and the largest total reward an action can get.",
            )
        self.player = player
        self.reward_range = (low, high)
        if rng is None:
            rng = np.random.SeedSequence()
        self.entropy = rng.entropy if isinstance(rng, np.random.SeedSequence) else rng if isinstance(rng, int) else None
        self._rng = np.random.default_rng(rng)
        self._state = player.start(self._rng)
        self._day = 0
        self._open: Decision | None = None

    @property
    def day(self) -> int:
        """Return how many days have been observed."""
        return self._day

    def policy(self) -> Policy:
        """Return the law of today's action."""
        return self._open.policy if self._open is not None else self.player.policy(self._state)

    def act(self) -> Decision:
        """Draw today's action."""
        if self._open is not None:
            raise ProtocolError(
                "a day must be observed before the next one begins",
                f"act() twice on day {self._day}",
                "Call observe(reward) with the reward of the decision you hold.",
            )
        policy = self.player.policy(self._state)
        action = policy.sample(self._rng)
        action.flags.writeable = False
        self._open = Decision(self._day, action, self.player.actions.elements(action), policy)
        return self._open

    def observe(self, reward: float) -> None:
        """Learn the total reward of today's action."""
        if self._open is None:
            raise ProtocolError(
                "a reward must follow the decision it belongs to",
                f"observe() on day {self._day} before act(), or twice",
                "Call act() first; observe each decision once.",
            )
        self._state = self.player.observe(self._state, self._open, self._normalised(reward))
        self._open = None
        self._day += 1

    def _normalised(self, reward: float) -> float:
        low, high = self.reward_range
        try:
            value = float(reward)
        except (TypeError, ValueError):
            raise InvalidReward(
                "`reward` must be one number", type(reward).__name__, "Pass the total reward of the action."
            ) from None
        if not math.isfinite(value) or not low - 1e-12 <= value <= high + 1e-12:
            raise InvalidReward(
                f"`reward` must be a finite number in [{low:g}, {high:g}]",
                repr(value),
                "Declare the true range with Session(..., reward_range=(low, high)).",
            )
        return min(max((value - low) / (high - low), 0.0), 1.0)
