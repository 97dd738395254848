r"""Ito (2020): one expert an action, of which only one learns each day.

As with Blum and Mansour the play is the p with :math:`p = pQ`. An expert :math:`i_t \sim p_t` is drawn, the action
comes from :math:`q_{i_t}`, and only that expert is told the outcome; each runs Tsallis-INF over its own days,

.. math:: q_i = \arg\min_q\ q\cdot L_i - \frac{4}{\eta_i}\sum_j\sqrt{q_j}, \qquad \eta_i = \frac{c}{\sqrt{n_i}},

with :math:`n_i` the days of expert i so far and losses 1 − r weighted by :math:`1/q_{i_t}`, not by 1/p.

The action is drawn from p first and the expert from what it then is, :math:`P(i \mid j) = p(i) q_i(j) / p(j)`: the
same joint law, and the law that travels with the action is p itself.

**Bound.** With c = 2, Σ_i 4√(N n_i) ≤ 4 N √T in expectation, up to lower order terms. Each expert has only its own
days, about T/N of them; the default c = 8, the largest of 1, 2, 4 and 8, was best at N = 15. At N = 120 and T = 20,000
none of them learnt much.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer, frozen
from swapregret.kernels.expert_run import run_single_experts, teach_one
from swapregret.kernels.listed_steps import ListedLog, daily_uniform
from swapregret.learners.baselines.listing import LEAST, ActionTable, Cost, ListedLaw, list_actions, read_rate
from swapregret.learners.baselines.stationary import PATIENCE, TOLERANCE, Stationary, restationed, stationed
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.policy import FinitePolicy

__all__ = ["Ito", "ItoState", "ito"]

COST = Cost("ito", limit=2_000, base=2e-6, per_action=1e-8, per_pair=3e-9, matrices=4)


@dataclass(frozen=True, eq=False)
class ItoState:
    """What the experts know before a day.

    Attributes
    ----------
    seed : int
        Of the draws of experts.
    losses, rows : Matrix, shape (N, N)
        L and q, a row an expert.
    counts : Vector
        n, the days of each expert.
    chain : Stationary
    law : FinitePolicy
    """

    day: int
    seed: int
    losses: Matrix
    rows: Matrix
    counts: Vector
    chain: Stationary
    law: ListedLaw


@dataclass(frozen=True)
class Ito:
    """The player; :func:`ito` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
        Only for the estimate of a refusal.
    scale : float
        c.
    is_variance_reduced : bool
    limit : int, optional
    """

    actions: ActionSet
    horizon: int
    scale: float
    is_variance_reduced: bool = False
    limit: int | None = None
    feedback: Feedback = "bandit"

    @cached_property
    def table(self) -> ActionTable:
        """All actions."""
        return list_actions(self.actions, self.horizon, COST, self.limit)

    def start(self, rng: np.random.Generator) -> ItoState:
        """Begin with equal weights everywhere; the seed of the draws is the only randomness."""
        n = self.table.n_actions
        rows = np.full((n, n), 1.0 / n)
        seed = int(rng.integers(2**63))
        return self._state(0, seed, np.zeros((n, n)), rows, np.zeros(n), stationed(rows))

    def policy(self, state: ItoState) -> FinitePolicy:
        """Return p."""
        return state.law.policy

    def observe(self, state: ItoState, decision: Decision, reward: float | Vector | None) -> ItoState:
        """Draw the expert that chose the action, and let it learn."""
        if reward is None:
            return replace(state, day=state.day + 1)
        arm = self.table.index(decision.action)
        losses, rows, counts = state.losses.copy(), state.rows.copy(), state.counts.copy()
        point, uniform = state.chain.point.copy(), daily_uniform(state.seed, state.day)
        teach_one(losses, rows, counts, point, arm, float(reward), uniform, self.scale, self.is_variance_reduced)
        return self._state(state.day + 1, state.seed, losses, rows, counts, restationed(rows, state.chain))

    def run_days(self, state: ItoState, rng: np.random.Generator, rewards: Matrix, log: ListedLog) -> ItoState:
        """Play one day a row of ``rewards`` in compiled code, as stepping would."""
        losses, rows, counts = state.losses.copy(), state.rows.copy(), state.counts.copy()
        chain, done = state.chain, 0
        while done < len(rewards):
            point = chain.point.copy()
            done, is_found = run_single_experts(
                rng,
                rewards,
                self.table.columns,
                done,
                self.scale,
                self.is_variance_reduced,
                state.seed,
                LEAST,
                TOLERANCE,
                PATIENCE,
                state.day,
                losses,
                rows,
                counts,
                point,
                chain.inverse,
                log,
            )
            chain = Stationary(frozen(point), chain.inverse) if is_found else stationed(rows)
        return self._state(state.day + done, state.seed, losses, rows, counts, chain)

    def _state(self, day: int, seed: int, losses: Matrix, rows: Matrix, counts: Vector, chain: Stationary) -> ItoState:
        law = self.table.law(chain.point)
        return ItoState(day, seed, frozen(losses), frozen(rows), frozen(counts), chain, law)

    def dump(self, state: ItoState) -> Arrays:
        """Write all arrays."""
        return {
            "day": np.array(state.day),
            "seed": np.array(state.seed),
            "losses": state.losses,
            "rows": state.rows,
            "counts": state.counts,
            "point": state.chain.point,
            "inverse": state.chain.inverse,
        }

    def load(self, arrays: Arrays) -> ItoState:
        """Read all arrays."""
        names = ("losses", "rows", "counts", "point", "inverse")
        losses, rows, counts, point, inverse = (np.array(arrays[name], dtype=np.float64) for name in names)
        chain = Stationary(frozen(point), inverse)
        return self._state(int(arrays["day"]), int(arrays["seed"]), losses, rows, counts, chain)


def ito(
    actions: ActionSet,
    horizon: int,
    *,
    scale: float | None = None,
    is_variance_reduced: bool = False,
    limit: int | None = None,
) -> Ito:
    """Return Ito's reduction with Tsallis-INF experts on the list of all actions.

    Parameters
    ----------
    actions : ActionSet
        With at most 2,000 actions, or ``limit``: it keeps N² numbers.
    horizon : int
        Not needed by the algorithm.
    scale : float, optional
        c in η = c/√n; 8 if not given (2 is Tsallis-INF's own).
    is_variance_reduced : bool
        Whether losses are estimated about ½, as Tsallis-INF does by default. With few days an expert this locks in
        early.
    limit : int, optional

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> ito(MSets(4, 2), 1000).scale
    8.0
    """
    days = as_integer(horizon, "horizon", 1)
    list_actions(actions, days, COST, limit)
    chosen = read_rate(scale, 8.0, "scale")
    return Ito(actions, days, max(chosen, 1e-300), is_variance_reduced, limit)
