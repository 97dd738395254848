"""Exp3 and Tsallis-INF in compiled blocks, where nobody asks for the laws they play.

May touch: ``arrays``, ``kernels.score_run``, ``learners.baselines``.
"""

from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from swapregret.arrays import Matrix, Vector
from swapregret.kernels.score_run import run_scores
from swapregret.learners.baselines.exp3 import Exp3, ScoreState
from swapregret.learners.baselines.listing import LEAST
from swapregret.learners.baselines.tsallis_inf import TsallisINF

__all__ = ["ScoreBlock", "ScoreEngine"]


@dataclass(frozen=True, eq=False)
class ScoreBlock:
    """A block of days, played.

    Attributes
    ----------
    state : ScoreState
        After the last day.
    received : Vector
        The reward of each day.
    laws : tuple
        Nothing: a law a day over all actions is too much to keep.
    """

    state: ScoreState
    received: Vector
    laws: tuple[()] = ()


@dataclass(frozen=True)
class ScoreEngine:
    """Runs blocks for a player with one score an action and bandit feedback.

    Examples
    --------
    >>> import swapregret as sr
    >>> player = sr.baselines.exp3(sr.MSets(4, 2), 100)
    >>> rng = np.random.default_rng(0)
    >>> block = ScoreEngine(player).run(player.start(rng), rng, np.full((50, 4), 0.25))
    >>> float(block.received.sum()), block.state.day
    (25.0, 50)
    """

    player: Exp3 | TsallisINF

    @staticmethod
    def can_run(player: Any) -> TypeGuard[Exp3 | TsallisINF]:
        """Tell whether a player is one of the two, with bandit feedback."""
        return type(player) in (Exp3, TsallisINF) and player.feedback == "bandit"

    def run(self, state: ScoreState, rng: np.random.Generator, rewards: Matrix) -> ScoreBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        player, scores, received = self.player, state.scores.copy(), np.empty(len(rewards))
        is_tsallis = isinstance(player, TsallisINF)
        run_scores(
            rng,
            np.require(rewards, np.float64, ["C", "W"]),
            player.table.rows.copy(),
            is_tsallis,
            float(player.scale if isinstance(player, TsallisINF) else player.learning_rate),
            0.0 if isinstance(player, TsallisINF) else float(player.exploration),
            0.0 if isinstance(player, TsallisINF) else float(player.baseline),
            isinstance(player, TsallisINF) and player.is_variance_reduced,
            LEAST,
            state.day,
            scores,
            received,
        )
        day = np.array(state.day + len(rewards))
        return ScoreBlock(player.load({"day": day, "scores": scores}), received)
