r"""The adaptive master: a pool of advisers, learned weights, a swap filter, and a floor that keeps the paper's guarantee.

The law of a day is

.. math:: (1-\gamma)\Big[(1-\varepsilon)\sum_g \pi_g\,f(\tilde p_g) + \varepsilon\,\tfrac1K\sum_{k\le K}\tilde p_k\Big] + \gamma\mu,

:math:`\tilde p_g` the decomposition of member g, f the filter, π the learned weights. The second sum is the floor: the
cold scales of Algorithm 1, unfiltered, with uniform weights; the decomposition lemma is about it. See ``docs/guarantee.md``.

May touch: ``arrays``, ``errors``, ``policy``, ``geometry``, ``actions.base``, everything of ``learners`` but ``presets``.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector, as_integer, frozen
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import DENSE_LIMIT, DenseSolver
from swapregret.kernels.pool_weights import variance
from swapregret.kernels.vectors import action_total, dot
from swapregret.kernels.weighted_sums import sum_of
from swapregret.learners.adaptive.accounts import enter_ended
from swapregret.learners.adaptive.calm import Calm
from swapregret.learners.adaptive.files import dump_state, load_state
from swapregret.learners.adaptive.filter import FilteredLaw, SwapFilter
from swapregret.learners.adaptive.floor import mixed, mixture_parts, recommended_shares
from swapregret.learners.adaptive.guard import Guard
from swapregret.learners.adaptive.listed_law import ListedLaw
from swapregret.learners.adaptive.pool import PoolMember, advance
from swapregret.learners.adaptive.pooling import PairMeans
from swapregret.learners.adaptive.state import AdaptiveState
from swapregret.learners.adaptive.vectors import ActionVectors
from swapregret.learners.adaptive.weights import PoolWeights
from swapregret.learners.calendar import Calendar
from swapregret.learners.estimator import BanditEstimator, Estimator
from swapregret.learners.lazy import LazyState
from swapregret.learners.lazy_arrays import load_lazy
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.schedule import Schedule
from swapregret.policy import Policy

__all__ = ["LEAST_WEIGHT", "AdaptiveMaster"]

LEAST_WEIGHT = 1e-3
"""Members whose recommendation is less likely have no law."""


@dataclass(frozen=True)
class AdaptiveMaster:
    """Swap-ComBCP or Swap-ComBand with a pool, learned weights, a filter and a guard.

    Parameters
    ----------
    members : sequence of PoolMember
        The K cold scales first (``build_pool``).
    schedule : Schedule
        Of the cold scales; the pool turns with its base window.
    horizon : int
        T, which sets the threshold of the guard.
    estimator : Estimator
    exploration : float
        γ.
    exploration_law : str, optional
        μ, a ``kind`` of ``actions.exploration_policy``.
    floor : float
        ε in (0, 1): the share of the unfiltered cold scales.
    variants : int
        Decompositions averaged for what a member recommends.
    swap_filter : SwapFilter or None
        None switches the filter off.
    pooling, learned_weights, guarded, random_offset : bool
        Each ingredient can be switched off.
    capacity : int
        Most actions with a vector of their own, in the filter and in the guard.
    guard_slack : float
        The guard trips when Ŝ exceeds ``guard_slack``·T/K.
    weight_step, weight_spread : float
        How fast the weights of the members move, and the share of weight that is dealt out evenly among them.
    calm : float
        Share of the expected swap regret that playing μ alone may cost before the pool takes over (``calm``); 0 for none.
    """

    members: tuple[PoolMember, ...]
    schedule: Schedule
    horizon: int
    estimator: Estimator = field(default_factory=BanditEstimator)
    exploration: float = 0.02
    exploration_law: str | None = None
    floor: float = 0.1
    variants: int = 8
    swap_filter: SwapFilter | None = field(default_factory=SwapFilter)
    pooling: bool = True
    learned_weights: bool = True
    guarded: bool = True
    random_offset: bool = True
    capacity: int = 8192
    guard_slack: float = 2.0
    weight_step: float = 0.5
    weight_spread: float = 0.2
    calm: float = 0.25

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        n_cold = sum(member.kind == "cold" for member in self.members[: self.n_scales])
        if n_cold != self.n_scales:
            raise InvalidInput(
                f"`members` must begin with one cold scale for each of the {self.n_scales} scales",
                f"{n_cold}",
                "Build the pool with build_pool(...).",
            )
        if not (0.0 < self.floor < 1.0 and 0.0 <= self.exploration < 1.0):
            raise InvalidInput(
                "`floor` must be in (0, 1) and `exploration` in [0, 1)",
                repr((self.floor, self.exploration)),
                "0.1 and 0.02 are usual.",
            )
        as_integer(self.capacity, "capacity", 256)
        if not self.guard_slack > 0.0:
            raise InvalidInput("`guard_slack` must be positive", repr(self.guard_slack), "2.0 is usual.")
        if not 0.0 <= self.calm <= 1.0:
            raise InvalidInput("`calm` must be in [0, 1]", repr(self.calm), "0.25 is usual; 0 switches it off.")

    @property
    def actions(self) -> ActionSet:
        """The set it plays on."""
        return self.members[0].learner.actions

    @property
    def feedback(self) -> Feedback:
        """What it expects to be shown after each day."""
        return self.estimator.feedback

    @property
    def n_scales(self) -> int:
        """Return K, the number of cold scales."""
        return self.schedule.n_scales

    @property
    def threshold(self) -> float:
        """Return the Ŝ above which the guard trips."""
        return self.guard_slack * self.horizon / self.n_scales

    @cached_property
    def mu(self) -> Policy:
        """The exploration law μ."""
        return self.actions.exploration_policy(self.exploration_law)

    @cached_property
    def calm_rule(self) -> Calm:
        """When μ alone has cost enough."""
        return Calm.for_set(self.actions, self.mu, self.horizon, self.calm, self.feedback)

    def start(self, rng: np.random.Generator) -> AdaptiveState:
        """Start every member; the only randomness is the offset of the calendar."""
        windows, d, n = self.schedule.windows, self.actions.dimension, len(self.members)
        offset = windows[0] * int(rng.integers(windows[-1] // windows[0])) if self.random_offset else 0
        zero = frozen(np.zeros(d))
        threshold = self.threshold if self.guarded else np.inf
        state = AdaptiveState(
            day=0,
            calendar=Calendar(self.schedule, offset),
            members=tuple(member.learner.start() for member in self.members),
            laws=(None,) * n,
            weights=PoolWeights.start(n),
            vectors=ActionVectors.start(d, self.capacity),
            pairs=PairMeans.start(d) if self.pooling else PairMeans.none(),
            guard=Guard.start(d, self.capacity, threshold),
            seen=frozen(np.zeros((n, d))),
            counts=frozen(np.zeros((n, 2))),
            adaptive=frozen(np.zeros((n, d))),
            mixture=self.mu,
            solver=None,
            prediction=zero,
            running=zero,
            total=zero,
            aggregates=frozen(np.zeros((n, d))),
            is_calm=self.calm > 0.0,
        )
        return self._ready(replace(state, laws=self._laws(state, [True] * n)))

    def policy(self, state: AdaptiveState) -> Policy:
        """Return the law of the next action."""
        return state.mixture

    def observe(
        self, state: AdaptiveState, decision: Decision, reward: float | Vector | None, *, owns: bool = False
    ) -> AdaptiveState:
        """Estimate; at the end of a base window let the pool turn (``owns``: see ``turn``)."""
        running, total, prediction, earned = state.running, state.total, state.prediction, state.earned
        n_recoveries = state.n_recoveries
        if reward is not None:
            law, solver = decision.policy, state.solver
            if law is not state.mixture:  # the reward of an earlier law comes late
                solver = self.estimator.prepare(law, self.actions.span)
            estimate = self.estimator.estimate(law, solver, decision.action, reward, prediction)
            n_recoveries += solver is not None and solver.has_recovered
            running, total = frozen(running + estimate), frozen(total + estimate)
            prediction = self.estimator.learn(prediction, decision.action, reward)
            if self.feedback == "bandit":
                earned += float(reward)
            else:
                earned += action_total(np.array(reward, dtype=np.float64), decision.action)
        after = replace(
            state,
            day=state.day + 1,
            prediction=prediction,
            running=running,
            total=total,
            earned=earned,
            n_recoveries=n_recoveries,
        )
        return after if state.calendar.days_left(state.day) > 1 else self.turn(after, state.day, owns=owns)

    @staticmethod
    def own(state: AdaptiveState) -> AdaptiveState:
        """Return a state with tables of its own."""
        return replace(state, vectors=state.vectors.copy(), pairs=state.pairs.copy(), guard=state.guard.copy())

    def turn(self, state: AdaptiveState, day: int, *, owns: bool = False) -> AdaptiveState:
        """End the base window: weigh the members, let them learn, account for the laws that end, make the new ones.

        Tables of what was seen are copied first, unless the caller ``owns`` them and will not look at ``state`` again.
        """
        aggregate = self._on_span(state)
        gains = np.array([dot(x, aggregate) for x in self._played_marginals(state)])
        weights = state.weights.absorb(
            gains,
            aggregate,
            step=self.weight_step,
            spread=self.weight_spread,
            is_learning=self.learned_weights,
        )
        shares = self._shares(state.weights)
        seen = frozen(state.seen + shares[:, None] * aggregate)
        counts = frozen(state.counts + np.stack([shares, shares**2], axis=1))
        active = np.array([law is not None for law in state.laws])
        played = active * state.weights.law
        played = played / sum_of(played) if played.any() else played
        adaptive = state.adaptive if state.is_calm else frozen(state.adaptive + played[:, None] * aggregate)
        noise = state.calm_noise + variance(aggregate) if state.is_calm else state.calm_noise
        members, changed, aggregates = advance(
            self.members, state.members, state.calendar, day, state.aggregates + aggregate, weights.n_windows
        )
        state = replace(
            state,
            members=members,
            weights=weights,
            seen=seen,
            counts=counts,
            adaptive=adaptive,
            aggregates=aggregates,
            running=frozen(np.zeros(self.actions.dimension)),
            is_calm=state.is_calm and not self.calm_rule.is_over(self.actions, self.mu.marginals(), state.total, noise),
            calm_noise=noise,
        )
        state = enter_ended(
            state if owns else self.own(state),
            changed,
            self.actions,
            is_filtering=self.swap_filter is not None,
            is_guarded=self.guarded,
        )
        if state.calendar.n_ending(day) > 1 and not state.guard.has_tripped:
            state = replace(state, guard=self._checked(state.guard, day))
        return self._ready(replace(state, laws=self._laws(state, changed)))

    def _checked(self, guard: Guard, day: int) -> Guard:
        """Evaluate the guard; seldom enough that it costs at most one oracle call a base window."""
        base = self.schedule.windows[0]
        every = max(self.schedule.windows[1], base * guard.played.n_rows)
        return (
            guard.check(self.actions) if (day + 1) // every > (day + 1 - self.schedule.windows[1]) // every else guard
        )

    def _laws(self, state: AdaptiveState, changed: list[bool]) -> tuple[FilteredLaw | None, ...]:
        """Make the laws of members that changed and carry weight; the others keep theirs, or have none."""
        shares = self._shares(state.weights)
        laws: list[FilteredLaw | None] = []
        for g, held in enumerate(state.laws):
            if not changed[g] and held is not None:
                laws.append(held)
            elif shares[g] <= LEAST_WEIGHT:
                laws.append(None)
            else:
                recommended = self.recommend(state.members[g])
                instead = recommended.words
                if self.swap_filter is not None and not state.guard.has_tripped:
                    noise = state.weights.noise
                    instead = self.swap_filter.apply(self.actions, recommended, state.vectors, state.pairs, noise)
                laws.append(FilteredLaw.make(recommended, instead))
        return tuple(laws)

    def recommend(self, member: LazyState) -> ListedLaw:
        """Return what a member recommends: the decomposition of its point."""
        return ListedLaw(*self.actions.decompose_packed(member.point, variants=self.variants), self.actions.dimension)

    def _ready(self, state: AdaptiveState) -> AdaptiveState:
        """Mix the laws into the one that is played, and prepare the estimator for it; in calm it is μ."""
        if state.is_calm:
            if state.mixture is self.mu and state.solver is not None:
                return state
            return replace(state, mixture=self.mu, solver=self.estimator.prepare(self.mu, self.actions.span))
        cold = [
            law.recommended if law is not None else self.recommend(member)
            for law, member in zip(state.laws[: self.n_scales], state.members, strict=False)
        ]
        parts, shares = mixture_parts(
            cold,
            state.laws,
            state.weights.law,
            self.mu,
            floor=1.0 if state.guard.has_tripped else self.floor,
            exploration=self.exploration,
        )
        mixture = mixed(parts, shares)
        return replace(state, mixture=mixture, solver=self.estimator.prepare(mixture, self.actions.span))

    def ready(self, state: AdaptiveState, changed: list[bool] | None = None) -> AdaptiveState:
        """Finish a turn that was made elsewhere: mix the laws, those that ``changed`` made first."""
        return self._ready(state if changed is None else replace(state, laws=self._laws(state, changed)))

    def _shares(self, weights: PoolWeights) -> Vector:
        return recommended_shares(weights.law, self.n_scales, self.floor)

    def _played_marginals(self, state: AdaptiveState) -> list[Vector]:
        return [
            member.point if law is None else law.played.marginals()
            for member, law in zip(state.members, state.laws, strict=True)
        ]

    def _on_span(self, state: AdaptiveState) -> Vector:
        span = self.actions.span
        is_large = span.rank > DENSE_LIMIT and not isinstance(state.solver, DenseSolver)
        if span.rank == self.actions.dimension or is_large:
            return state.running
        return span.project(state.running)

    def dump(self, state: AdaptiveState) -> Arrays:
        """Write the state as named arrays; laws are made again from the members' points and their replacements."""
        return dump_state(state)

    def load(self, arrays: Arrays) -> AdaptiveState:
        """Read a state written by ``dump`` of an equally configured master."""
        members = load_lazy([member.learner for member in self.members], arrays)
        state = load_state(arrays, self.schedule, members, self.recommend, self.capacity, self.mu)
        return replace(self._ready(state), n_recoveries=state.n_recoveries)
