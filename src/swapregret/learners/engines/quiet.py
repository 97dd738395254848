"""CombEXP and ComBand on sets that are only an oracle or a list: days that pay nothing change nothing, and are drawn together."""

from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np

from swapregret.arrays import Actions, Matrix, Vector
from swapregret.learners.baselines.comband import ComBand
from swapregret.learners.baselines.combexp import CombEXP
from swapregret.learners.engines.constant import totals_of
from swapregret.learners.engines.held import HeldBlock, Law
from swapregret.learners.player import Decision
from swapregret.policy import Policy

__all__ = ["QuietEngine"]

_MOST = 1024


@dataclass(frozen=True)
class QuietEngine:
    """Runs blocks for a player whose law stays until a day pays.

    Parameters
    ----------
    player : CombEXP or ComBand

    Examples
    --------
    >>> import swapregret as sr
    >>> player = sr.baselines.combexp(sr.Explicit([[1, 1, 0], [0, 1, 1]]), 100)
    >>> rng = np.random.default_rng(0)
    >>> block = QuietEngine(player).run(player.start(rng), rng, np.zeros((50, 3)))
    >>> len(block.laws), block.state.day
    (1, 50)
    """

    player: CombEXP | ComBand

    @staticmethod
    def can_run(player: Any) -> TypeGuard[CombEXP | ComBand]:
        """Tell whether a player is one of the two."""
        return type(player) in (CombEXP, ComBand)

    def run(self, state: Any, rng: np.random.Generator, rewards: Matrix) -> HeldBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        received, plays = np.empty(len(rewards)), np.empty(rewards.shape, dtype=np.int64)
        held: list[Law] = []
        done, count = 0, 1
        while done < len(rewards):
            if not held or held[-1].policy is not state.law:
                held.append(Law(done, state.law))
            days = slice(done, min(done + count, len(rewards)))
            n_played = _draw(state.law, rng, rewards[days], plays[days], received[days])
            done += n_played
            count = min(2 * count, _MOST) if received[done - 1] == 0.0 else 1
            before = replace(state, day=state.day + n_played - 1)
            decision = Decision(before.day, plays[done - 1], self.player.actions, state.law)
            state = self.player.observe(before, decision, float(received[done - 1]))
        return HeldBlock(state, received, plays, tuple(held))


def _draw(law: Policy, rng: np.random.Generator, rewards: Matrix, plays: Actions, received: Vector) -> int:
    """Draw days up to and with the first that pays; return how many they are."""
    before = rng.bit_generator.state if len(rewards) > 1 else {}
    plays[:] = law.sample_many(rng, len(rewards))
    received[:] = totals_of(rewards, plays)
    paying = np.flatnonzero(received)
    if len(paying) == 0 or paying[0] == len(rewards) - 1:
        return len(rewards)
    rng.bit_generator.state = before
    law.sample_many(rng, int(paying[0]) + 1)
    return int(paying[0]) + 1
