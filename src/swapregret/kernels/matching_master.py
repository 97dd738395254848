"""Whole runs of the multi-scale master on permutations and truncated permutations, compiled.

The same kernels in the same order as stepping a ``Session`` day by day, so both give the same bits; see
``learners.engines.matchings`` for the glue.

May touch: the kernels it is made of.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.master_arrays import NOT_PROJECTED, NOT_SOLVED, PLAYED, Explore, Log, Memory, Rule
from swapregret.kernels.master_steps import (
    begin_turn,
    draw_component,
    draw_listed,
    end_day,
    end_turn,
    grid_weights,
    mix_scales,
    places_of,
    solve_action,
    split_explorer,
)
from swapregret.kernels.matching_solve import Matchings, prepare_matchings, solve_matchings
from swapregret.kernels.matchings import draw_matching, matching_moment_on, matching_span_part
from swapregret.kernels.permutation_atoms import matching_marginals
from swapregret.kernels.permutation_decompose import decompose_matching_point
from swapregret.kernels.sinkhorn import ACCEPTED_GAP, FEASIBLE, WIDEST, project_matchings

__all__ = ["MatchingSetting", "run_matchings"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Columns = npt.NDArray[np.int32]

_UNITS = 2**44


class MatchingSetting(NamedTuple):
    """The set, and the exploration law on it.

    Attributes
    ----------
    n_rows, n_columns : int
    row_orders, column_orders : int64 arrays, shapes (variants, n_rows) and (variants, n_columns)
    coordinates : int64 array, shape (r,)
        Independent coordinates, on which Σ is inverted.
    is_iterative : bool
        Whether Σ⁺M is iterated for instead; then the set is square and the exploration law uniform.
    tolerance, limit, hopeless : float, int, float
        Of the iteration.
    must_project : bool
        Whether estimates have parts no action can see that must be taken off.
    explore : Explore
    """

    n_rows: int
    n_columns: int
    row_orders: Integers
    column_orders: Integers
    coordinates: Integers
    is_iterative: bool
    tolerance: float
    limit: int
    hopeless: float
    must_project: bool
    explore: Explore


class _Laws(NamedTuple):
    """The exploit law of every scale, and last that of a fresh one."""

    sizes: Integers
    chosen: Columns
    weights: Floats
    cumulative: Floats
    moments: Floats
    marginals: Floats


@kernel
def _make_law(setting: MatchingSetting, place: Integers, point: Floats, laws: _Laws, slot: int) -> None:
    """Decompose a point, and make what a day under its law needs."""
    n_rows, n_columns = setting.n_rows, setting.n_columns
    table = point.copy().reshape(n_rows, n_columns)
    chosen, mass = decompose_matching_point(table, _UNITS, setting.row_orders, setting.column_orders)
    count = len(setting.row_orders)
    weights = mass / (count * _UNITS)
    if count > 1:
        weights = grid_weights(weights)
    n = weights.size
    laws.sizes[slot] = n
    laws.chosen[slot, :n] = chosen
    laws.weights[slot, :n] = weights
    laws.cumulative[slot, :n] = np.cumsum(weights)
    if place.size:
        matching_moment_on(chosen, weights, n_columns, place, laws.moments[slot])
    elif not setting.is_iterative:
        laws.marginals[slot] = matching_marginals(chosen, weights, n_columns)


@kernel
def _draw(rng: np.random.Generator, setting: MatchingSetting, laws: _Laws, slot: int) -> Integers:
    """Draw from the law in a slot, or from the exploration law (slot −1)."""
    n_rows, n_columns = setting.n_rows, setting.n_columns
    if slot < 0:
        return (
            draw_listed(rng, setting.explore)
            if setting.explore.cumulative.size
            else draw_matching(rng, n_rows, n_columns)
        )
    cumulative = laws.cumulative[slot, : laws.sizes[slot]]
    chosen = laws.chosen[slot, np.searchsorted(cumulative, rng.random(), side="right")]
    action = np.zeros(n_rows * n_columns, dtype=np.int64)
    for i in range(n_rows):
        action[i * n_columns + chosen[i]] = 1
    return action


@kernel
def _mixture(setting: MatchingSetting, laws: _Laws, members: Integers, weights: Floats, counts: Integers) -> Matchings:
    """Put the lists of a mixture one after the other."""
    slots, shares, explore = split_explorer(members, weights, counts)
    n, total = setting.n_rows, 0
    for c in range(slots.size):
        total += laws.sizes[slots[c]]
    elements, mass = np.empty((total, n), dtype=np.uint32), np.empty(total)
    at = 0
    for c in range(slots.size):
        chosen, listed = laws.chosen[slots[c]], laws.weights[slots[c]]
        for a in range(laws.sizes[slots[c]]):
            row, target = chosen[a], elements[at]
            for i in range(n):
                target[i] = row[i] + i * n
            mass[at] = shares[c] * listed[a]
            at += 1
    return prepare_matchings(elements, mass, explore)


@kernel
def run_matchings(
    rng: np.random.Generator, rewards: Floats, rule: Rule, setting: MatchingSetting, memory: Memory, log: Log
) -> tuple[int, int, int]:
    """Play one day a row of ``rewards``.

    Returns the number of days played and of turns, and how it ended. Fewer days than rows mean that Σ was singular: the
    caller must go on by stepping. If a projection failed, ``log.tilted`` is what was projected; if an iteration did, it begins
    with the residual.
    """
    n_days, d = rewards.shape
    n_scales = rule.groups.size
    n_rows, n_columns = setting.n_rows, setting.n_columns
    is_bandit = rule.feedback == 0
    is_dense, is_iterative = is_bandit and not setting.is_iterative, is_bandit and setting.is_iterative
    rank = setting.coordinates.size if is_dense else 0
    place = places_of(setting.coordinates[:rank], d if rank else 0)
    limit = len(setting.row_orders) * (d - n_rows + 1)
    laws = _Laws(
        np.zeros(n_scales + 1, dtype=np.int64),
        np.empty((n_scales + 1, limit, n_rows), dtype=np.int32),
        np.empty((n_scales + 1, limit)),
        np.empty((n_scales + 1, limit)),
        np.zeros((n_scales + 1, rank, rank)),
        np.zeros((n_scales + 1, d)),
    )
    _make_law(setting, place, memory.first_point, laws, n_scales)
    for k in range(n_scales):
        if memory.counts[k, 0] > 0:
            _make_law(setting, place, memory.points[k], laws, k)
    factor = np.empty((rank, rank))
    aid = np.empty(d)
    members, cumulative = np.empty(0, dtype=np.int64), np.empty(0)
    mixture = prepare_matchings(np.empty((0, n_rows), dtype=np.uint32), np.empty(0), 1.0)
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
            if is_iterative:
                mixture = _mixture(setting, laws, members, weights, memory.counts)
            must_factor = False
        slot = draw_component(rng, members, cumulative)
        if slot >= 0 and memory.counts[slot, 0] == 0:
            slot = n_scales
        action = _draw(rng, setting, laws, slot)
        if is_dense:
            solve_action(rule, factor, setting.coordinates, action, aid)
        elif is_iterative:
            aid, ratio, _ = solve_matchings(mixture, action, setting.tolerance, setting.limit)
            if not ratio <= setting.hopeless:
                log.tilted[0] = ratio
                return row + 1, n_events, NOT_SOLVED
            memory.recoveries[0] += ratio > setting.tolerance
        n_ending = end_day(rule, memory, log, row, rewards[row], action, aid)
        if n_ending == 0:
            continue
        must_factor = True
        on_span = memory.running
        if setting.must_project:
            on_span = matching_span_part(memory.running, n_rows, n_columns)
        k = n_ending - 1
        tilted = begin_turn(rule, memory, on_span, k)
        point, log_point = tilted, tilted
        if k < n_scales:
            point, log_point, gap, residual, _, spread = project_matchings(tilted.reshape(n_rows, n_columns))
            if not (spread <= WIDEST and residual <= FEASIBLE and gap <= ACCEPTED_GAP * max(1.0, spread / 1e3)):
                log.tilted[:] = tilted
                return row + 1, n_events, NOT_PROJECTED
            _make_law(setting, place, point, laws, k)
        end_turn(memory, log, n_events, n_ending, point, log_point)
        n_events += 1
    return n_days, n_events, PLAYED
