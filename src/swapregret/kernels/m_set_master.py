"""Whole runs of the multi-scale master on m-sets, compiled.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits; see
``learners.engines.m_sets`` for the glue and ``learners.master`` for the algorithm in words.

May touch: the kernels it is made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.capped_simplex import project_capped
from swapregret.kernels.master_arrays import NOT_SOLVED, PLAYED, Explore, Log, Memory, Rule
from swapregret.kernels.master_steps import (
    begin_turn,
    draw_component,
    draw_listed,
    end_day,
    end_turn,
    mix_scales,
    solve_action,
    split_explorer,
)
from swapregret.kernels.pivotal import pivotal_cooccurrence, pivotal_draw, pivotal_law
from swapregret.kernels.pivotal_solve import Pivots, empty_pivots, factor_pivots, finish_pivots, sift_action
from swapregret.kernels.subsets import (
    UNIT,
    round_to_units,
    systematic_cooccurrence,
    systematic_draw,
    systematic_starts,
)
from swapregret.kernels.systematic_solve import Arcs, empty_arcs, lay_arcs, precondition, solve_systematic

__all__ = ["SubsetSetting", "draw_uniform", "run_subsets"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class SubsetSetting(NamedTuple):
    """The set, and the exploration law on it.

    Attributes
    ----------
    size : int
    orders : int64 array, shape (n, d)
    coordinates : int64 array, shape (d,)
        All of them, in order.
    is_dense : bool
        Whether Σ is factored; otherwise Σ⁺M is found without a matrix.
    is_chain : bool
        Whether points are played by pivotal sampling; otherwise systematically.
    single, pair : float
        Probabilities of an element and of a pair under the uniform law.
    tolerance, limit, hopeless : float, int, float
        Of the iteration.
    explore : Explore
    """

    size: int
    orders: Integers
    coordinates: Integers
    is_dense: bool
    is_chain: bool
    single: float
    pair: float
    tolerance: float
    limit: int
    hopeless: float
    explore: Explore


class _Laws(NamedTuple):
    """The exploit law of every scale, and last that of a fresh one."""

    units: Integers
    starts: Integers
    marginals: Floats
    moments: Floats
    arcs: Arcs
    pivots: Pivots


@kernel
def _make_law(setting: SubsetSetting, feedback: int, point: Floats, laws: _Laws, slot: int) -> None:
    """Lay a point out as arcs, and make what a day under its law needs."""
    units = round_to_units(point, setting.size)
    laws.units[slot] = units
    if feedback == 1:
        for i in range(units.size):
            laws.marginals[slot, i] = units[i] / UNIT
    if setting.is_chain:
        pivots = laws.pivots
        pivotal_law(units, pivots.share[slot], pivots.noise[slot], pivots.point[slot])
        if feedback == 0 and setting.is_dense:
            laws.moments[slot] = pivotal_cooccurrence(pivots.share[slot], pivots.noise[slot], pivots.point[slot])
        return
    starts = systematic_starts(units, setting.orders)
    laws.starts[slot] = starts
    if feedback == 0 and setting.is_dense:
        laws.moments[slot] = systematic_cooccurrence(units, starts)
    elif feedback == 0:
        lay_arcs(laws.arcs, slot, units, starts, setting.orders)


@kernel
def draw_uniform(rng: np.random.Generator, dimension: int, size: int) -> Integers:
    """Draw an m-set by Floyd's rule (``UniformSubsets.sample``)."""
    action = np.zeros(dimension, dtype=np.int64)
    for top in range(dimension - size, dimension):
        element = int(rng.random() * (top + 1))
        if action[element]:
            action[top] = 1
        else:
            action[element] = 1
    return action


@kernel
def _draw(rng: np.random.Generator, setting: SubsetSetting, laws: _Laws, slot: int) -> Integers:
    """Draw from the law in a slot, or from the exploration law (slot −1)."""
    if slot >= 0 and setting.is_chain:
        return pivotal_draw(laws.units[slot], rng.random(setting.size))
    if slot >= 0:
        order = int(rng.random() * setting.orders.shape[0])
        return systematic_draw(laws.units[slot], laws.starts[slot, order], int(rng.random() * UNIT))
    if setting.explore.cumulative.size:
        return draw_listed(rng, setting.explore)
    return draw_uniform(rng, setting.orders.shape[1], setting.size)


@kernel
def _room(setting: SubsetSetting, n_slots: int, dimension: int, rank: int, is_free: bool) -> _Laws:
    """Return room for the laws."""
    n_orders = 0 if setting.is_chain else setting.orders.shape[0]
    return _Laws(
        np.empty((n_slots, dimension), dtype=np.int64),
        np.empty((n_slots, n_orders, dimension), dtype=np.int64),
        np.zeros((n_slots, dimension)),
        np.zeros((n_slots, rank, rank)),
        empty_arcs(n_slots if is_free and not setting.is_chain else 0, n_orders, dimension, setting.size),
        empty_pivots(n_slots if setting.is_chain else 0, dimension),
    )


@kernel
def run_subsets(
    rng: np.random.Generator, rewards: Floats, rule: Rule, setting: SubsetSetting, memory: Memory, log: Log
) -> tuple[int, int, int]:
    """Play one day a row of ``rewards``.

    Returns the number of days played and of turns, and how it ended. Fewer days than rows mean that Σ was singular: the
    caller must go on by stepping. If an iteration did not converge, ``log.tilted[0]`` is the residual it left.
    """
    n_days, d = rewards.shape
    n_scales = rule.groups.size
    is_bandit, is_chain = rule.feedback == 0, setting.is_chain
    is_dense = is_bandit and setting.is_dense
    is_free = is_bandit and not setting.is_dense
    rank = d if is_dense else 0
    laws = _room(setting, n_scales + 1, d, rank, is_free)
    _make_law(setting, rule.feedback, memory.first_point, laws, n_scales)
    for k in range(n_scales):
        if memory.counts[k, 0] > 0:
            _make_law(setting, rule.feedback, memory.points[k], laws, k)
    factor, columns = np.empty((rank, rank)), np.empty((0, 0))
    aid = np.empty(d)
    members, cumulative = np.empty(0, dtype=np.int64), np.empty(0)
    slots, shares, explore = np.empty(0, dtype=np.int64), np.empty(0), 0.0
    none = np.zeros(0, dtype=np.int64)
    sieve, sifted = factor_pivots(empty_pivots(1, 0), none, np.zeros(0), 1.0, 1.0, none, setting.size)
    is_sifted = False
    n_events = 0
    must_factor = True
    for row in range(n_days):
        if must_factor:
            members, weights, factor, is_definite = mix_scales(
                rule, memory, setting.explore, laws.moments, laws.marginals, is_dense, factor, aid
            )
            if not is_definite:
                return row, n_events, PLAYED
            cumulative = np.cumsum(weights)
            if is_free:
                slots, shares, explore = split_explorer(members, weights, memory.counts)
                alpha, beta = explore * (setting.single - setting.pair), explore * setting.pair
                is_sifted = False
                if not is_chain:
                    columns, factor = precondition(laws.arcs, slots, shares, alpha, beta)
            must_factor = False
        slot = draw_component(rng, members, cumulative)
        if slot >= 0 and memory.counts[slot, 0] == 0:
            slot = n_scales
        action = _draw(rng, setting, laws, slot)
        if is_dense:
            solve_action(rule, factor, setting.coordinates, action, aid)
        elif is_free:
            alpha, beta = explore * (setting.single - setting.pair), explore * setting.pair
            tolerance, limit = setting.tolerance, setting.limit
            if is_chain:
                if is_sifted:
                    sifted = sift_action(laws.pivots, sieve, action, setting.size)
                else:
                    sieve, sifted = factor_pivots(laws.pivots, slots, shares, alpha, explore, action, setting.size)
                is_sifted = True
                aid, ratio = finish_pivots(laws.pivots, sieve, sifted, setting.size), sieve.ratio[0]
            else:
                aid, ratio = solve_systematic(
                    laws.arcs, slots, shares, alpha, beta, columns, factor, action, tolerance, limit
                )
            if not ratio <= setting.hopeless:
                log.tilted[0] = ratio
                return row + 1, n_events, NOT_SOLVED
            memory.recoveries[0] += ratio > tolerance
        n_ending = end_day(rule, memory, log, row, rewards[row], action, aid)
        if n_ending == 0:
            continue
        must_factor = True
        k = n_ending - 1
        tilted = begin_turn(rule, memory, memory.running, k)
        point, log_point = tilted, tilted
        if k < n_scales:
            point, log_point, _ = project_capped(tilted, setting.size)
            _make_law(setting, rule.feedback, point, laws, k)
        end_turn(memory, log, n_events, n_ending, point, log_point)
        n_events += 1
    return n_days, n_events, PLAYED
