r"""ComBand (Cesa-Bianchi and Lugosi 2012), also known as Exp2 and, with a spanner, GeometricHedge (Dani, Hayes and Kakade 2008).

.. math:: p_t(M) = (1-\gamma)\frac{\exp(\eta\, S_t\cdot M)}{\sum_{M'}\exp(\eta\, S_t\cdot M')} + \gamma\,\mu(M), \qquad
    S_{t+1} = S_t + r_t\,\Sigma_t^+ M_t, \quad \Sigma_t = \mathbb E_{p_t}[M M^\top]

Exponential weights on actions with an estimate that all of them share. Up to 2,000 actions are listed; above that the
set's exact Gibbs law is used where there is one, and otherwise the list up to ``limit``.

**Bound.** With G the largest leverage of μ (r for a D-optimal law, at most m/λ_min(μ) always), γ = ηG and η = √(ln N /
(3 r T)): external regret at most 2√(3 r T ln N) for D-optimal exploration (Bubeck, Cesa-Bianchi and Kakade 2012), a
factor √(1 + 2G/r) more otherwise. Nothing is promised for swap regret.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer, frozen
from swapregret.boundary import refuses
from swapregret.errors import InvalidInput, TooLarge
from swapregret.geometry.moments import smallest_eigenvalue
from swapregret.geometry.solve import Solver, make_solver
from swapregret.kernels.comband_run import listed_weights, run_comband
from swapregret.kernels.listed_steps import ListedLog
from swapregret.learners.baselines.design import d_optimal, leverages
from swapregret.learners.baselines.listing import LEAST, ActionTable, Cost, list_actions, read_rate, read_share
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy, mix

__all__ = ["ComBand", "LinearState", "comband"]

COST = Cost("comband", limit=100_000, base=1e-6, per_action=4e-8, vectors=8)
_LISTED = 2_000
_KINDS = ("uniform", "spanner", "d-optimal")


@dataclass(frozen=True, eq=False)
class LinearState:
    """What an algorithm with one score an element knows before a day: Σ_t is factored when the day's reward comes."""

    day: int
    scores: Vector
    law: Policy


@dataclass(frozen=True)
class ComBand:
    """The player; :func:`comband` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    learning_rate, exploration : float
        η, γ.
    exploration_law : {"uniform", "spanner", "d-optimal"}
        μ.
    limit : int, optional
    """

    actions: ActionSet
    horizon: int
    learning_rate: float
    exploration: float
    exploration_law: str
    limit: int | None = None
    feedback: Feedback = "bandit"

    def __post_init__(self) -> None:
        check_settings(self)

    @cached_property
    def table(self) -> ActionTable | None:
        """All actions, or None where the Gibbs law takes their place."""
        count = self.actions.n_actions
        if self.actions.has_gibbs and self.exploration_law != "d-optimal" and (count is None or count > _LISTED):
            return None
        return list_actions(self.actions, self.horizon, COST, self.limit)

    @cached_property
    def mu(self) -> Policy:
        """The exploration law μ."""
        table = self.table
        if self.exploration_law == "d-optimal":
            assert table is not None
            return table.uniform.reweighted(d_optimal(table.rows, self.actions.span))
        if self.exploration_law == "uniform":
            return self.actions.uniform_policy() if table is None else table.uniform
        return self.actions.exploration_policy("spanner")

    @cached_property
    def _mu_weights(self) -> Vector:
        """The weights of μ on the list of all actions."""
        table = self.table
        assert table is not None
        law = self.mu.finite()
        weights = np.zeros(table.n_actions)
        weights[[table.index(atom) for atom in law.atoms]] = law.weights
        return weights

    def start(self, rng: np.random.Generator) -> LinearState:
        """Begin with equal weights."""
        return self._state(0, np.zeros(self.actions.dimension))

    def policy(self, state: LinearState) -> Policy:
        """Return p."""
        return state.law

    def observe(self, state: LinearState, decision: Decision, reward: float | Vector | None) -> LinearState:
        """Add r Σ⁺M to the scores; a day that pays nothing changes nothing."""
        if reward is None or float(reward) == 0.0:
            return replace(state, day=state.day + 1)
        solver: Solver = make_solver(decision.policy, self.actions.span)
        return self._state(state.day + 1, state.scores + float(reward) * solver.solve(decision.action))

    def _state(self, day: int, scores: Vector) -> LinearState:
        return LinearState(day, frozen(scores), self.law(scores))

    def law(self, scores: Vector) -> Policy:
        """Return the law that is played with some scores."""
        table = self.table
        if table is None:
            gibbs = self.actions.gibbs(self.learning_rate * scores)
            return mix([gibbs, self.mu], [1.0 - self.exploration, self.exploration])
        columns, eta, gamma = table.columns, self.learning_rate, self.exploration
        return table.law(listed_weights(columns, np.array(scores), eta, gamma, self._mu_weights)).policy

    @cached_property
    def _places(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Independent coordinates, and which of them each listed action has: ``places[first[a]:first[a+1]]``."""
        table = self.table
        assert table is not None
        coordinates = np.array(self.actions.span.coordinates, dtype=np.int64)
        where, places = table.rows[:, coordinates].nonzero()
        first = np.searchsorted(where, np.arange(table.n_actions + 1)).astype(np.int64)
        return coordinates, first, places.astype(np.int64)

    def run_days(self, state: LinearState, rng: np.random.Generator, rewards: Matrix, log: ListedLog) -> LinearState:
        """Play one day a row of ``rewards`` in compiled code, as stepping would; only where actions are listed."""
        table = self.table
        assert table is not None
        scores, done, is_new = state.scores.copy(), 0, True
        while done < len(rewards):
            done, is_learnt = run_comband(
                rng,
                rewards,
                table.columns,
                done,
                *self._places,
                self._mu_weights,
                self.learning_rate,
                self.exploration,
                LEAST,
                is_new,
                scores,
                log,
            )
            if not is_learnt:
                solver = make_solver(self.law(scores), self.actions.span)
                scores += log.received[done - 1] * solver.solve(table.rows[log.chosen[done - 1]])
        if log.filled.tolist() == [1, 1]:
            return replace(state, day=state.day + len(rewards))
        return self._state(state.day + len(rewards), scores)

    def dump(self, state: LinearState) -> Arrays:
        """Write day and scores."""
        return {"day": np.array(state.day), "scores": state.scores}

    def load(self, arrays: Arrays) -> LinearState:
        """Read day and scores."""
        return self._state(int(arrays["day"]), np.array(arrays["scores"], dtype=np.float64))


@refuses
def comband(
    actions: ActionSet,
    horizon: int,
    *,
    learning_rate: float | None = None,
    exploration: float | None = None,
    exploration_law: str | None = None,
    limit: int | None = None,
) -> ComBand:
    """Return ComBand.

    Parameters
    ----------
    actions : ActionSet
        With an exact Gibbs law, or at most 100,000 actions (or ``limit``).
    horizon : int
    learning_rate : float, optional
        η; √(ln N / (3 r T)) if not given.
    exploration : float, optional
        γ; min(½, ηG) if not given, G the largest leverage of μ where actions are listed, and its bound m/λ_min(μ)
        where not.
    exploration_law : {"uniform", "spanner", "d-optimal"}, optional
        μ; uniform where that law exists, and the spanner elsewhere. D-optimal needs the list.
    limit : int, optional

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> player = comband(MSets(10, 3), 100_000)
    >>> round(player.learning_rate, 6), round(player.exploration, 5)     # η = √(ln 120 / 3·10⁶), γ = 10 η
    (0.001263, 0.01263)
    """
    days = as_integer(horizon, "horizon", 1)
    count = actions.n_actions
    if exploration_law is None:
        is_listed = count is not None and count <= _LISTED
        exploration_law = "uniform" if actions.has_uniform or is_listed else "spanner"
    if exploration_law not in _KINDS:
        raise InvalidInput(f"`exploration_law` must be one of {_KINDS}", repr(exploration_law), "None takes the best.")
    player = ComBand(actions, days, 0.0, 0.0, exploration_law, limit)
    log_count = math.log(count) if count else actions.size * math.log(actions.dimension)
    eta = read_rate(learning_rate, math.sqrt(max(log_count, 1e-12) / (3.0 * actions.rank * days)))
    if exploration is None:
        exploration = min(0.5, eta * _leverage(player))
    return replace(player, learning_rate=eta, exploration=read_share(exploration, "exploration"))


def _leverage(player: ComBand) -> float:
    """Return the largest leverage of μ, or a bound of it where actions are not listed."""
    span = player.actions.span
    if player.table is not None:
        return float(leverages(player.table.rows, span, player._mu_weights).max())
    smallest = smallest_eigenvalue(player.mu, span)
    if smallest <= 0.0:
        raise TooLarge(
            "the exploration law must show every direction of the span",
            f"one with smallest eigenvalue {smallest}",
            "Use exploration_law='spanner'.",
        )
    return player.actions.size / smallest
