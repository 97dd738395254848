"""The adaptive master on m-sets of up to 63 elements: the algorithm of ``master``, compiled.

Days are estimated and windows turned by kernels that write into arrays this file copies first, so that a state stays a
value. The plain version is ``master.AdaptiveMaster``; the tests hold the two together.

May touch: ``arrays``, ``errors``, ``policy``, ``actions.m_sets``, ``kernels``, everything of ``learners`` but ``presets``.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets import MSets
from swapregret.arrays import Actions, Matrix, Vector
from swapregret.errors import NotConverged
from swapregret.kernels.pool_arrays import ActionTable, LawTape, PoolArrays, PoolConfig, empty_table, empty_tape
from swapregret.kernels.pool_draw import mix_laws
from swapregret.kernels.pool_laws import make_law
from swapregret.kernels.pool_run import absorb_day, run_days, turn_pool
from swapregret.kernels.pool_tape import close_tape
from swapregret.learners.adaptive.master import AdaptiveMaster
from swapregret.learners.adaptive.pool_policy import PackedLaw, PoolPolicy
from swapregret.learners.estimator import BanditEstimator, SemiBanditEstimator
from swapregret.learners.lazy import AdaptiveRate
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.schedule import Schedule
from swapregret.policy import Policy

__all__ = ["LARGEST_DIMENSION", "MSetAdaptiveMaster", "MSetPoolState"]

LARGEST_DIMENSION = 63
Words = npt.NDArray[np.uint64]

_FEEDBACK = {"bandit": 0, "semi-bandit": 1, "full": 2}
_NO_TAPE = empty_tape(0, 0, 1, 1)
_DAILY = ("clock", "numbers", "prediction", "running", "total")


@dataclass(frozen=True, eq=False)
class MSetPoolState:
    """The arrays of the pool and its tables, and the laws of its members as objects."""

    pool: PoolArrays
    table: ActionTable
    guard: ActionTable
    played: tuple[PackedLaw | None, ...]
    recommended: tuple[PackedLaw | None, ...]
    explorer: Policy
    size: int

    @cached_property
    def law(self) -> PoolPolicy:
        """The law of the next action: played laws, floor and exploration, made once."""
        laws = (*self.played, *self.recommended, self.explorer)
        pairs = zip(laws, self.pool.shares, strict=True)
        return PoolPolicy(self.pool, self.size, [law for law, share in pairs if share > 0.0 and law is not None])


@dataclass(frozen=True)
class MSetAdaptiveMaster:
    """An :class:`AdaptiveMaster` on m-sets, run by kernels.

    Parameters
    ----------
    plain : AdaptiveMaster
        The configuration; its members must be Lazy-ComBCP learners on one ``MSets``.
    """

    plain: AdaptiveMaster

    @property
    def actions(self) -> MSets:
        """The set it plays on."""
        actions = self.plain.actions
        assert isinstance(actions, MSets)
        return actions

    @property
    def feedback(self) -> Feedback:
        """What it expects to be shown after each day."""
        return self.plain.feedback

    @property
    def schedule(self) -> Schedule:
        """The windows of the cold scales."""
        return self.plain.schedule

    @property
    def n_scales(self) -> int:
        """Return K, the number of cold scales."""
        return self.plain.n_scales

    @staticmethod
    def can_run(plain: AdaptiveMaster) -> bool:
        """Tell whether the kernels cover a configuration."""
        actions, estimator = plain.actions, plain.estimator
        return (
            type(actions) is MSets
            and 2 <= actions.dimension <= LARGEST_DIMENSION
            and actions.size < actions.dimension
            and plain.exploration_law in (None, "uniform")
            and not (isinstance(estimator, BanditEstimator) and estimator.solver == "iterative")
            and all(
                isinstance(member.learner, LazyComBCP) and isinstance(member.learner.rate, AdaptiveRate)
                for member in plain.members
            )
        )

    @cached_property
    def config(self) -> PoolConfig:
        """What the kernels must know and never change."""
        plain, actions = self.plain, self.actions
        learners = [member.learner for member in plain.members]
        first = learners[0].start()
        rates = [learner.rate.scale for learner in learners]  # type: ignore[attr-defined]
        estimator = plain.estimator
        step = estimator.predictor_step if isinstance(estimator, BanditEstimator | SemiBanditEstimator) else 0.0
        switches = (plain.swap_filter is not None, plain.pooling, plain.learned_weights, plain.guarded)
        return PoolConfig(
            size=actions.size,
            feedback=_FEEDBACK[self.feedback],
            exploration=plain.exploration,
            floor=plain.floor,
            diameter=learners[0].diameter,  # type: ignore[attr-defined]
            predictor_step=step,
            prior=plain.swap_filter.prior if plain.swap_filter is not None else 0.0,
            standard_errors=plain.swap_filter.standard_errors if plain.swap_filter is not None else 0.0,
            weight_step=plain.weight_step,
            weight_spread=plain.weight_spread,
            budget=plain.calm_rule.budget,
            width=plain.calm_rule.width,
            threshold=plain.threshold,
            windows=np.array(plain.schedule.windows, dtype=np.int64),
            orders=actions.orders(plain.variants).copy(),
            retention=np.array([member.retention for member in plain.members]),
            rates=np.array(rates, dtype=np.float64),
            update_every=np.array([member.update_every for member in plain.members], dtype=np.int64),
            switches=np.array(switches, dtype=np.int64),
            first_point=first.point.copy(),
            first_log=first.log_weights.copy(),
        )

    def start(self, rng: np.random.Generator) -> MSetPoolState:
        """Start every member; the only randomness is the offset of the calendar."""
        plain, config, d = self.plain, self.config, self.actions.dimension
        base, longest = int(config.windows[0]), int(config.windows[-1])
        offset = base * int(rng.integers(longest // base)) if plain.random_offset else 0
        n, n_cold, n_atoms = len(plain.members), plain.n_scales, config.orders.size
        room = 2 ** int(np.ceil(np.log2(max(2 * plain.capacity, 16 * n_atoms))))
        pairs = d if plain.pooling else 0
        pool = PoolArrays(
            clock=np.array([0, offset, 0, 0, plain.calm > 0.0], dtype=np.int64),
            numbers=np.zeros(6),
            points=np.tile(config.first_point, (n, 1)),
            scores=np.zeros((n, d)),
            spreads=np.zeros((n, 3)),
            aggregates=np.zeros((n, d)),
            recommended=np.zeros((n, n_atoms), dtype=np.uint64),
            played=np.zeros((n, n_atoms), dtype=np.uint64),
            chances=np.zeros((n, n_atoms)),
            n_atoms=np.zeros(n, dtype=np.int64),
            recommended_pairs=np.zeros((n, d, d)),
            played_pairs=np.zeros((n, d, d)),
            gain_scores=np.zeros((n, n)),
            gain_spreads=np.zeros(n),
            transition=np.full((n, n), 0.5 / n) + 0.5 * np.eye(n),
            law=np.full(n, 1.0 / n),
            seen=np.zeros((n, d)),
            adaptive=np.zeros((n, d)),
            counts=np.zeros((n, 2)),
            pair_values=np.zeros((pairs, pairs, pairs)),
            pair_counts=np.zeros((pairs, pairs)),
            pair_squares=np.zeros((pairs, pairs)),
            prediction=np.zeros(d),
            running=np.zeros(d),
            total=np.zeros(d),
            shares=np.zeros(n + n_cold + 1),
            cumulative=np.zeros(n + n_cold + 1),
            factor=np.zeros((d, d)),
        )
        table, guard = empty_table(room, d), empty_table(room, d)
        for g in range(n):
            make_law(pool, table, config, g)
        self._check(mix_laws(pool, config))
        return self._state(pool, table, guard, (None,) * n, (None,) * n_cold, np.ones(n, dtype=np.int64))

    def policy(self, state: MSetPoolState) -> Policy:
        """Return the law of the next action."""
        return state.law

    def observe(self, state: MSetPoolState, decision: Decision, reward: float | Vector | None) -> MSetPoolState:
        """Estimate; at the end of a base window let the pool turn."""
        held = state.pool
        pool = held._replace(**{name: getattr(held, name).copy() for name in _DAILY})
        if reward is not None:
            vector = np.zeros(self.actions.dimension)
            total = 0.0
            if self.feedback == "bandit":
                total = float(np.asarray(reward))
            else:
                vector[:] = reward
                total = float(vector @ decision.action)
            law = decision.policy
            seen = pool
            if law is not state.law and isinstance(law, PoolPolicy):
                seen = law.estimating(pool)
            absorb_day(seen, self.config, decision.action.copy(), vector, total)
        pool.clock[0] += 1
        if (pool.clock[0] + pool.clock[1]) % self.config.windows[0]:
            after = replace(state, pool=pool)
            after.__dict__["law"] = state.law  # the law stays the same object while nothing changes
            return after
        pool = PoolArrays._make(array.copy() for array in pool)
        table = ActionTable._make(array.copy() for array in state.table)
        guard = ActionTable._make(array.copy() for array in state.guard)
        changed = self._turn(pool, table, guard)
        return self._state(pool, table, guard, state.played, state.recommended, changed)

    def run_days(
        self,
        state: MSetPoolState,
        rng: np.random.Generator,
        rewards: Matrix,
        received: Vector,
        plays: Actions,
        tape: LawTape,
    ) -> int:
        """Play days until the rows run out or the tape is full, in compiled code, as stepping would; return how many.

        The arrays of ``state`` are changed in place: hand over one that nobody else holds (``own``), and go on with
        ``remade``. ``plays`` takes the actions if it has rows.
        """
        n_days, _ = self._run(state, rng, rewards, received, plays, tape)
        if tape.stops.size:
            close_tape(state.pool, tape, n_days)
        return n_days

    def days_left(self, state: MSetPoolState) -> int:
        """Return how many days are left of the base window."""
        day, base = int(state.pool.clock[0] + state.pool.clock[1]), int(self.config.windows[0])
        return base - day % base

    def run_window(
        self, state: MSetPoolState, rng: np.random.Generator, rewards: Matrix, received: Vector, plays: Actions
    ) -> MSetPoolState:
        """Play days that lie in one base window, with the turn if it ends with them; return the state to go on from.

        As ``run_days``, but laws that stay are the same objects before and after.
        """
        is_over = self.days_left(state) == len(rewards)
        _, changed = self._run(state, rng, rewards, received, plays, _NO_TAPE)
        if not is_over:
            return state
        return self._state(state.pool, state.table, state.guard, state.played, state.recommended, changed)

    def _run(
        self,
        state: MSetPoolState,
        rng: np.random.Generator,
        rewards: Matrix,
        received: Vector,
        plays: Actions,
        tape: LawTape,
    ) -> tuple[int, npt.NDArray[np.int64]]:
        """Play days; return how many, and which laws the last turn changed."""
        pool, changed = state.pool, np.zeros(len(state.pool.points), dtype=np.int64)
        n_days, is_definite = run_days(
            rng, pool, state.table, state.guard, self.config, rewards, received, plays, changed, tape
        )
        self._check(is_definite)
        return n_days, changed

    def remade(self, state: MSetPoolState) -> MSetPoolState:
        """Return a state on the same arrays, with laws read from them."""
        n, n_cold = len(state.pool.points), self.n_scales
        changed = np.ones(n, dtype=np.int64)
        return self._state(state.pool, state.table, state.guard, (None,) * n, (None,) * n_cold, changed)

    @staticmethod
    def own(state: MSetPoolState) -> MSetPoolState:
        """Return a state with arrays of its own."""
        return replace(
            state,
            pool=PoolArrays._make(array.copy() for array in state.pool),
            table=ActionTable._make(array.copy() for array in state.table),
            guard=ActionTable._make(array.copy() for array in state.guard),
        )

    def _turn(self, pool: PoolArrays, table: ActionTable, guard: ActionTable) -> npt.NDArray[np.int64]:
        changed = np.zeros(len(pool.points), dtype=np.int64)
        self._check(turn_pool(pool, table, guard, self.config, changed, _NO_TAPE))
        return changed

    def _state(
        self,
        pool: PoolArrays,
        table: ActionTable,
        guard: ActionTable,
        played: tuple[PackedLaw | None, ...],
        recommended: tuple[PackedLaw | None, ...],
        changed: npt.NDArray[np.int64],
    ) -> MSetPoolState:
        """Make the laws that changed into objects, and mix them with those that stayed."""
        n_cold = len(recommended)
        new_played, new_recommended = list(played), list(recommended)
        for g in np.flatnonzero(changed).tolist():
            count = int(pool.n_atoms[g])
            new_played[g] = None if count == 0 else _packed(pool.played, pool, pool.played_pairs, g, count)
            if g < n_cold:
                new_recommended[g] = _packed(pool.recommended, pool, pool.recommended_pairs, g, count)
        explorer = self.actions.uniform_policy()
        return MSetPoolState(pool, table, guard, tuple(new_played), tuple(new_recommended), explorer, self.actions.size)

    @staticmethod
    def _check(is_definite: bool) -> None:
        if not is_definite:
            raise NotConverged(
                "Σ of the played law must be positive definite on m-sets",
                "a singular matrix",
                "Use more exploration: exploration=0.02.",
            )

    def dump(self, state: MSetPoolState) -> Arrays:
        """Write all arrays."""
        arrays: Arrays = {f"pool.{name}": array for name, array in state.pool._asdict().items()}
        for prefix, table in (("table", state.table), ("guard", state.guard)):
            arrays |= {f"{prefix}.{name}": array for name, array in table._asdict().items()}
        return arrays

    def load(self, arrays: Arrays) -> MSetPoolState:
        """Read all arrays."""
        pool = PoolArrays._make(arrays[f"pool.{name}"].copy() for name in PoolArrays._fields)
        tables = [
            ActionTable._make(arrays[f"{prefix}.{name}"].copy() for name in ActionTable._fields)
            for prefix in ("table", "guard")
        ]
        n, n_cold = len(pool.points), self.n_scales
        fresh = np.ones(n, dtype=np.int64)
        return self._state(pool, tables[0], tables[1], (None,) * n, (None,) * n_cold, fresh)


def _packed(words: Words, pool: PoolArrays, pairs: Matrix, g: int, count: int) -> PackedLaw:
    return PackedLaw(words[g, :count].copy(), pool.chances[g, :count].copy(), pairs[g].copy())
