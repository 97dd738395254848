"""The operations of products: those of two sets side by side, either of which may be a product again."""

from typing import NamedTuple

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import best, list_policy, project, span_part
from swapregret.actions.policy_slots import draw_mu
from swapregret.actions.products.coupling import couple
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Handle, set_of
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot, joined


class Pair(NamedTuple):
    """Pairs of an action of the ``first`` family, the coordinates before ``split``, and one of the ``second``.

    ``levels`` are the vectors u of the two spans with u·M = 1 for all actions (``product_span``), one after the other;
    empty where one of the two has none.
    """

    first: Family
    second: Family
    split: int
    levels: Floats


@kernel
def _pair(first: Integers, second: Integers) -> Integers:
    """Return two actions as one; nothing if one of them is missing."""
    return joined(first, second) if first.size and second.size else np.empty(0, dtype=np.int64)


@kernel
def share_level(vector: Floats, levels: Floats, split: int) -> None:
    """Project a pair of vectors, in place, so that u·x = v·y: both have the same level."""
    u, v = levels[:split], levels[split:]
    left, right = dot(u, u), dot(v, v)
    a, b = dot(u, vector[:split]), dot(v, vector[split:])
    level = (a * right + b * left) / (left + right)
    for i in range(split):
        vector[i] += (level - a) / left * u[i]
    for i in range(v.size):
        vector[split + i] += (level - b) / right * v[i]


@kernel
def best_pair(h: Handle[Pair], weights: Floats) -> Integers:
    """Ask each part."""
    pair, split = set_of(h), set_of(h).split
    return _pair(best(pair.first, weights[:split].copy()), best(pair.second, weights[split:].copy()))


@kernel
def project_pair(h: Handle[Pair], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project each part: the divergence is a sum, and so is the gap."""
    pair, split = set_of(h), set_of(h).split
    x, log_x, gap = project(pair.first, tilted[:split].copy(), near[:split].copy())
    y, log_y, other_gap = project(pair.second, tilted[split:].copy(), near[split:].copy())
    return joined(x, y), joined(log_x, log_y), gap + other_gap


@kernel
def list_pairs(h: Handle[Pair], point: Floats) -> tuple[Words, Floats, bool]:
    """Couple the lists of the two parts."""
    pair, split = set_of(h), set_of(h).split
    words, chances, is_inside = list_policy(pair.first, point[:split].copy())
    other_words, other_chances, is_inside_too = list_policy(pair.second, point[split:].copy())
    if not (is_inside and is_inside_too):
        return np.zeros((0, (point.size + 63) // 64), dtype=np.uint64), np.zeros(0), False
    pairs, lengths = couple(words, chances, other_words, other_chances, split, point.size)
    return pairs, lengths, True


@kernel
def part_of_pair(h: Handle[Pair], vector: Floats) -> Floats:
    """Project onto the span of each part, and then so that both have the same level."""
    pair, split, levels = set_of(h), set_of(h).split, set_of(h).levels
    x, y = span_part(pair.first, vector[:split].copy()), span_part(pair.second, vector[split:].copy())
    result = joined(x, y)
    if levels.size:
        share_level(result, levels, split)
    return result


@kernel
def draw_pair(h: Handle[Pair], rng: np.random.Generator) -> Integers:
    """Draw from the exploration policy of each part."""
    pair = set_of(h)
    return _pair(draw_mu(pair.first, rng), draw_mu(pair.second, rng))
