"""The adaptive master as arrays and back, for compiled turns on the sets that have a driver.

May touch: ``arrays``, ``policy``, ``geometry.solve``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets import MSets
from swapregret.arrays import Vector, frozen
from swapregret.geometry.solve import DENSE_LIMIT, DenseSolver
from swapregret.kernels.hulls import SubsetHull
from swapregret.kernels.turn_arrays import Pool, PoolRule, Table
from swapregret.learners.adaptive.filter import FilteredLaw
from swapregret.learners.adaptive.listed_law import ListedLaw
from swapregret.learners.adaptive.master import LEAST_WEIGHT, AdaptiveMaster
from swapregret.learners.adaptive.state import AdaptiveState
from swapregret.learners.adaptive.vectors import ActionVectors
from swapregret.learners.adaptive.weights import PoolWeights
from swapregret.learners.hulls import hulls_of
from swapregret.learners.lazy import AdaptiveRate, LazyState
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.policy import Mixture

__all__ = ["Turns", "find_turns"]

_FEEDBACK = {"bandit": 0, "semi-bandit": 1, "full": 2}
_SPARE = 32


@dataclass(frozen=True, eq=False)
class Turns:
    """Compiled turns of one master.

    Attributes
    ----------
    master : AdaptiveMaster
    hulls : tuple
        The set, as ``kernels.turn_run`` takes it.
    rule : PoolRule
    """

    master: AdaptiveMaster
    hulls: tuple[Any, ...]
    rule: PoolRule

    def can_take(self, state: AdaptiveState) -> bool:
        """Tell whether a state is a common one: every member has a law, mixed or in calm, Σ is factored, the guard rests."""
        solver = state.solver
        return (
            not state.guard.has_tripped
            and all(law is not None for law in state.laws)
            and (state.is_calm or isinstance(state.mixture, Mixture))
            and (solver is None or (isinstance(solver, DenseSolver) and solver.factored is not None))
        )

    def pack(self, state: AdaptiveState) -> Pool:
        """Write a state into arrays; its tables are handed over as they are."""
        rule, d, n = self.rule, self.master.actions.dimension, len(state.members)
        members, weights, r = state.members, state.weights, self.rule.coordinates.size
        laws = [law for law in state.laws if law is not None]
        slots = [law.recommended for law in laws] + [law.played for law in laws]
        room, width = max(len(law.words) for law in slots) * 2 + _SPARE, (d + 63) // 64
        words = np.zeros((2 * n, room, width), dtype=np.uint64)
        masses, reached = np.zeros((2 * n, room)), np.zeros((2 * n, room))
        instead = np.zeros((n, room, width), dtype=np.uint64)
        for slot, law in enumerate(slots):
            size = len(law.words)
            words[slot, :size], masses[slot, :size] = law.words, law.weights
            reached[slot, :size] = law.cumulative
        for g, filtered in enumerate(laws):
            instead[g, : len(filtered.instead)] = filtered.instead
        mu, pairs = self.master.mu, state.pairs
        moments = np.zeros((2 * n + 1, r, r))
        if r:
            coordinates = self.master.actions.span.coordinates
            for slot, part in enumerate([*slots, mu]):
                moments[slot] = part.cooccurrence_on(coordinates)
        has_pairs = pairs.counts.size > 0
        together = np.stack([law.recommended.cooccurrence() for law in laws]) if has_pairs else np.zeros((n, 0, 0))
        components, shares, count = self._mixture(state, slots)
        solver = state.solver
        factored = solver.factored if isinstance(solver, DenseSolver) else None
        return Pool(
            clock=np.array([state.day, state.calendar.offset, weights.n_windows, state.is_calm], dtype=np.int64),
            numbers=np.array([weights.typical, weights.noise, state.earned, state.calm_noise]),
            prediction=state.prediction.copy(),
            running=state.running.copy(),
            total=state.total.copy(),
            points=np.stack([member.point for member in members]),
            log_weights=np.stack([member.log_weights for member in members]),
            origins=np.stack([member.origin for member in members]),
            scores=np.stack([member.score for member in members]),
            aggregates=state.aggregates.copy(),
            seen=state.seen.copy(),
            adaptive=state.adaptive.copy(),
            scalars=np.array([[member.variation, member.memory_sum] for member in members]),
            updates=np.array([[member.n_updates, member.memory_count] for member in members], dtype=np.int64),
            counts=state.counts.copy(),
            gain_scores=weights.scores.copy(),
            gain_spreads=weights.variances.copy(),
            transition=weights.transition.copy(),
            law=weights.law.copy(),
            words=words,
            weights=masses,
            cumulative=reached,
            sizes=np.array([len(law.words) for law in slots], dtype=np.int64),
            instead=instead,
            moments=moments,
            marginals=np.stack([law.marginals() for law in slots] + [mu.marginals()]),
            pairs=together,
            is_same=np.array([law.played is law.recommended for law in laws], dtype=np.int64),
            components=components,
            shares=shares,
            n_components=np.array([count], dtype=np.int64),
            factor=np.zeros((r, r)) if factored is None else factored[0].copy(),
            chances=np.array(state.mixture.marginals()) if rule.feedback == 1 else np.zeros(d),
            changed=np.zeros(n, dtype=np.int64),
            pair_values=pairs.values,
            pair_counts=pairs.counts,
            pair_squares=pairs.squares,
            table=_table(state.vectors),
            guard=_table(state.guard.played),
        )

    def _mixture(self, state: AdaptiveState, slots: list[ListedLaw]) -> tuple[npt.NDArray[np.int64], Vector, int]:
        """Return the slots of the components of the mixture and their cumulative weights, with room for all."""
        room = len(state.members) + self.rule.n_cold + 1
        components, shares = np.zeros(room, dtype=np.int64), np.zeros(room)
        if not isinstance(state.mixture, Mixture):
            return components, shares, 0
        place = {id(law): slot for slot, law in reversed(list(enumerate(slots)))}
        parts = [place.get(id(part), len(slots)) for part in state.mixture.components]
        components[: len(parts)] = parts
        shares[: len(parts)] = np.cumsum(state.mixture.component_weights)
        return components, shares, len(parts)

    def unpack(self, pool: Pool, before: AdaptiveState) -> AdaptiveState:
        """Return the state of the arrays, without its mixture; ``before`` is the one they were made from."""
        typical, noise, earned, calm_noise = pool.numbers.tolist()
        laws = tuple(self._law(pool, g) for g in range(len(pool.law)))
        guard = before.guard
        return replace(
            before,
            day=int(pool.clock[0]),
            members=tuple(self._member(pool, g, before.members[g]) for g in range(len(pool.law))),
            laws=laws,
            weights=PoolWeights(
                frozen(pool.gain_scores.copy()),
                frozen(pool.gain_spreads.copy()),
                frozen(pool.transition.copy()),
                frozen(pool.law.copy()),
                typical,
                noise,
                int(pool.clock[2]),
            ),
            vectors=_vectors(pool.table),
            guard=replace(guard, played=_vectors(pool.guard)),
            seen=frozen(pool.seen.copy()),
            counts=frozen(pool.counts.copy()),
            adaptive=frozen(pool.adaptive.copy()),
            prediction=frozen(pool.prediction.copy()),
            running=frozen(pool.running.copy()),
            total=frozen(pool.total.copy()),
            aggregates=frozen(pool.aggregates.copy()),
            earned=earned,
            is_calm=bool(pool.clock[3]),
            calm_noise=calm_noise,
        )

    @staticmethod
    def _member(pool: Pool, g: int, before: LazyState) -> LazyState:
        variation, memory_sum = pool.scalars[g].tolist()
        n_updates, memory_count = pool.updates[g].tolist()
        if memory_count == before.memory_count:
            return before
        return replace(
            before,
            n_updates=n_updates,
            log_weights=frozen(pool.log_weights[g].copy()),
            score=frozen(pool.scores[g].copy()),
            variation=variation,
            point=frozen(pool.points[g].copy()),
            memory_sum=memory_sum,
            memory_count=memory_count,
        )

    def _law(self, pool: Pool, g: int) -> FilteredLaw:
        recommended, n = self._listed(pool, g), len(pool.law)
        if pool.is_same[g]:
            return FilteredLaw(recommended, recommended.words, recommended)
        return FilteredLaw(recommended, pool.instead[g, : pool.sizes[g]].copy(), self._listed(pool, n + g))

    def _listed(self, pool: Pool, slot: int) -> ListedLaw:
        """Return the law of a slot, with the moments that were made of it."""
        size = int(pool.sizes[slot])
        law = ListedLaw(pool.words[slot, :size].copy(), pool.weights[slot, :size].copy(), pool.prediction.size)
        moment = pool.moments[slot].copy() if self.rule.coordinates.size else None
        law.remember(pool.marginals[slot].copy(), self.master.actions.span.coordinates, moment)
        return law


def _table(vectors: ActionVectors) -> Table:
    size = np.array([vectors.n_rows, vectors.capacity], dtype=np.int64)
    return Table(vectors.slots, vectors.keys, vectors.values, vectors.squares, size)


def _vectors(table: Table) -> ActionVectors:
    n_rows, capacity = table.size.tolist()
    return ActionVectors(table.keys, table.slots, table.values, table.squares, n_rows, capacity)


def find_turns(master: AdaptiveMaster) -> Turns | None:
    """Return the compiled turns of a master, or None if its set has no driver or its members are of another kind."""
    learners: list[Any] = [member.learner for member in master.members]
    if not all(isinstance(each, LazyComBCP) and isinstance(each.rate, AdaptiveRate) for each in learners):
        return None
    actions: Any = master.actions
    if len(master.schedule.windows) < 2:
        return None
    if type(actions) is MSets and actions.size < actions.dimension:
        subsets = SubsetHull(actions.size, actions.orders(master.variants), actions.tolerance)
        return Turns(master, (subsets, None, None, None), _rule(master))
    if hulls_of(actions, master.variants) is None:
        return None
    hulls = hulls_of(actions, master.variants, is_projected=_must_project(master))
    assert hulls is not None
    return Turns(master, (None, *hulls), _rule(master))


def _must_project(master: AdaptiveMaster) -> bool:
    """Tell what ``AdaptiveMaster`` does with estimates where Σ is factored or not needed."""
    span = master.actions.span
    is_large = span.rank > DENSE_LIMIT and master.feedback != "bandit"
    return span.rank < master.actions.dimension and not is_large


def _rule(master: AdaptiveMaster) -> PoolRule:
    learners: list[Any] = [member.learner for member in master.members]
    estimator: Any = master.estimator
    actions, span = master.actions, master.actions.span
    chosen = master.swap_filter
    coordinates = np.array(span.coordinates if master.feedback == "bandit" else [], dtype=np.int64)
    places = np.full(actions.dimension, -1, dtype=np.int64)
    places[coordinates] = np.arange(len(coordinates))
    return PoolRule(
        windows=np.array(master.schedule.windows, dtype=np.int64),
        n_cold=master.n_scales,
        feedback=_FEEDBACK[master.feedback],
        predictor_step=float(getattr(estimator, "predictor_step", 0.0)),
        has_inverse=getattr(estimator, "solver", "") == "inverse",
        exploration=master.exploration,
        floor=master.floor,
        least_weight=LEAST_WEIGHT,
        has_filter=chosen is not None,
        is_guarded=master.guarded,
        learns=master.learned_weights,
        prior=chosen.prior if chosen is not None else 0.0,
        standard_errors=chosen.standard_errors if chosen is not None else 0.0,
        weight_step=master.weight_step,
        weight_spread=master.weight_spread,
        calm_budget=master.calm_rule.budget,
        calm_width=master.calm_rule.width,
        diameter=float(learners[0].diameter),
        is_uniform=actions.is_uniform,
        rates=np.array([learner.rate.scale for learner in learners]),
        retention=np.array([member.retention for member in master.members]),
        update_every=np.array(
            [0 if member.kind in ("cold", "uniform") else member.update_every for member in master.members],
            dtype=np.int64,
        ),
        coordinates=coordinates,
        places=places,
    )
