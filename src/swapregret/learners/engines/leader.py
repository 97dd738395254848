"""Follow the leader, many days at once while the leader stays.

Its law changes only when the leader does. So some days are drawn and estimated ahead, the oracle is asked for the leaders
after all of them together, and the days after the first change are taken back, the generator with them.
"""

from dataclasses import dataclass, replace

import numpy as np

from swapregret.arrays import Actions, Matrix, Vector, frozen
from swapregret.compiled.vectors import action_total
from swapregret.geometry.solve import DenseSolver
from swapregret.kernels.stretch_days import solve_many
from swapregret.learners.baselines.follow_the_leader import FollowTheLeader, LeaderState
from swapregret.learners.engines.constant import totals_of
from swapregret.learners.engines.held import HeldBlock, Law
from swapregret.learners.player import Decision

__all__ = ["LeaderEngine"]

_FEW, _MOST = 4, 512


@dataclass(frozen=True)
class LeaderEngine:
    """Runs blocks for the follower of the leader.

    Examples
    --------
    >>> import swapregret as sr
    >>> player = sr.baselines.follow_the_leader(sr.MSets(4, 2), 100)
    >>> rng = np.random.default_rng(0)
    >>> block = LeaderEngine(player).run(player.start(rng), rng, np.full((50, 4), 0.25))
    >>> float(block.received.sum()), block.state.day
    (25.0, 50)
    """

    player: FollowTheLeader

    def run(self, state: LeaderState, rng: np.random.Generator, rewards: Matrix) -> HeldBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        received, plays = np.empty(len(rewards)), np.empty(rewards.shape, dtype=np.int64)
        held: list[Law] = []
        done, ahead = 0, 1
        while done < len(rewards):
            if not held or held[-1].policy is not state.law:
                held.append(Law(done, state.law))
            count = min(ahead, len(rewards) - done)
            days, kept = slice(done, done + count), 1
            if count < _FEW:
                after = self._step(state, rng, rewards[done], plays[days], received[days])
            else:
                kept, after = self._leap(state, rng, rewards[days], plays[days], received[days])
            ahead = kept if after.law is not state.law else min(_MOST, 2 * ahead)
            state, done = after, done + kept
        return HeldBlock(state, received, plays, tuple(held))

    def _step(
        self, state: LeaderState, rng: np.random.Generator, rewards: Vector, plays: Actions, received: Vector
    ) -> LeaderState:
        """Play one day."""
        action, feedback = state.law.sample(rng), self.player.feedback
        reward = min(max(action_total(rewards, action), 0.0), 1.0)
        plays[0], received[0] = action, reward
        seen = reward if feedback == "bandit" else rewards if feedback == "full" else rewards * action
        return self.player.observe(state, Decision(state.day, action, self.player.actions, state.law), seen)

    def _leap(
        self, state: LeaderState, rng: np.random.Generator, rewards: Matrix, plays: Actions, received: Vector
    ) -> tuple[int, LeaderState]:
        """Play days up to and with the first after which another leads; return how many that were."""
        before = rng.bit_generator.state
        plays[:] = state.law.sample_many(rng, len(rewards))
        received[:] = totals_of(rewards, plays)
        estimates = self._estimates(state, rewards, plays, received)
        scores = np.cumsum(np.concatenate([state.scores[None, :], estimates]), axis=0)[1:]
        others = (self.player.actions.argmax_many(scores) != state.leader).any(axis=1)
        kept = int(np.argmax(others)) + 1 if others.any() else len(rewards)
        if kept < len(rewards):
            rng.bit_generator.state = before
            state.law.sample_many(rng, kept)
        last = frozen(scores[kept - 1].copy())
        if not others[kept - 1]:
            return kept, replace(state, day=state.day + kept, scores=last)
        return kept, self.player.lead(state.day + kept, last)

    def _estimates(self, state: LeaderState, rewards: Matrix, plays: Actions, received: Vector) -> Matrix:
        """Return what the estimator would estimate on each of the days; its prediction is 0."""
        feedback = self.player.feedback
        if feedback == "full":
            return rewards
        if feedback == "semi-bandit":
            marginals, chosen = state.law.marginals(), plays > 0
            return np.where(chosen, rewards / np.where(marginals > 0.0, marginals, 1.0), 0.0)
        assert state.solver is not None
        factored = state.solver.factored if isinstance(state.solver, DenseSolver) else None
        if factored is None:
            solved = np.stack([state.solver.solve(action) for action in plays])
        else:
            factor, coordinates, has_inverse = factored
            solved = solve_many(plays, has_inverse, factor, coordinates)
        return np.asarray(solved * received[:, None])
