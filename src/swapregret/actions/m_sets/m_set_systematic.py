"""Systematic policies of m-sets without their lists: for players that move every day, when most lists would never be looked at."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, OUTSIDE, draw, law_of, make_law, room, show_law
from swapregret.actions.listed_laws import draw_mu, put_mu
from swapregret.actions.m_sets.kernels.subsets import (
    INSIDE,
    UNIT,
    distance_outside,
    round_to_units,
    systematic_cooccurrence,
    systematic_draw,
    systematic_starts,
)
from swapregret.actions.m_sets.kernels.systematic_words import systematic_words
from swapregret.actions.m_sets.m_set_family import SubsetFamily
from swapregret.actions.m_sets.m_set_laws import SystematicPolicy
from swapregret.arrays import Floats, Integers, Words
from swapregret.policy import Policy


class SystematicFamily(SubsetFamily):
    """All m-sets, drawn by a needle on a circle of arcs."""

    __slots__ = ()


class SystematicLaws(NamedTuple):
    """S policies: their arcs, E[M], Σ, and room for the chances of their lists, which are made when they are shown."""

    units: Integers
    starts: Integers
    marginals: Floats
    moments: Floats
    chances: Floats


@room.of(SystematicFamily)
def systematic_room(family: Any, n_slots: int, n_atoms: int) -> SystematicLaws:
    """Return room for arcs; of μ its marginals and Σ."""
    common, n_orders = family.common, family.orders.shape[0]
    d, r = common.dimension, common.coordinates.size
    laws = SystematicLaws(
        np.zeros((n_slots, d), dtype=np.int64),
        np.zeros((n_slots, n_orders, d), dtype=np.int64),
        np.zeros((n_slots, d)),
        np.zeros((n_slots, r, r)),
        np.zeros((n_slots, n_orders * d)),
    )
    put_mu(common, laws.marginals, laws.moments)
    return laws


@make_law.of(SystematicFamily)
def make_systematic(family: Any, laws: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Lay the arcs of a point; all coordinates are independent."""
    size = family.common.size
    if not distance_outside(point, size) <= INSIDE:
        return OUTSIDE
    units = round_to_units(point, size)
    laws.units[slot] = units
    laws.starts[slot] = systematic_starts(units, family.orders)
    for i in range(units.size):
        laws.marginals[slot, i] = units[i] / float(UNIT)
    if laws.moments.shape[1]:
        laws.moments[slot] = systematic_cooccurrence(units, laws.starts[slot])
    return MADE


@draw.of(SystematicFamily)
def draw_systematic(family: Any, laws: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw an order and a needle."""
    if slot == laws.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    order = int(rng.random() * family.orders.shape[0])
    return systematic_draw(laws.units[slot], laws.starts[slot, order], int(rng.random() * UNIT))


@show_law.of(SystematicFamily)
def show_systematic(family: Any, laws: Any, slot: int) -> tuple[Words, Floats]:
    """List the sets the needle can draw."""
    words, lengths = systematic_words(laws.units[slot], laws.starts[slot], family.orders, UNIT)
    scale = float(UNIT * family.orders.shape[0])
    for a in range(lengths.size):
        laws.chances[slot, a] = lengths[a] / scale
    return words, laws.chances[slot, : lengths.size]


@law_of.register(SystematicFamily)
def law_of_arcs(family: SystematicFamily, laws: Any, slot: int, actions: Any) -> Policy:
    """Return the policy as a value."""
    return SystematicPolicy(laws.units[slot].copy(), family.orders, family.common.size)
