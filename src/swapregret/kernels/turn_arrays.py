"""What compiled turns of the adaptive master work on: its configuration, what it knows, and its tables.

G members, K cold scales first; d elements, r of them independent; at most A actions a law, W words an action. Arrays of a
:class:`Pool` are changed in place.

May touch: nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "MUST_DRAW",
    "MUST_MAKE_LAWS",
    "MUST_MIX",
    "MUST_TURN",
    "NOT_PROJECTED",
    "PLAYED",
    "Pool",
    "PoolRule",
    "Table",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

PLAYED, MUST_DRAW, MUST_TURN, MUST_MAKE_LAWS, MUST_MIX, NOT_PROJECTED = 0, 1, 2, 3, 4, 5
"""How a run ended: all days played; an action of the exploration law is wanted; a turn is wanted that is none of the common
ones; its laws have no room; its Σ is singular; a projection failed."""


class PoolRule(NamedTuple):
    """What a master was configured with.

    ``rates``, ``retention``, ``update_every`` (G) of the members, 0 in the last for those that only turn with longer windows;
    ``coordinates`` (r), none unless Σ is needed, and ``places`` (d), the row of each element among them or −1.
    """

    windows: Integers
    n_cold: int
    feedback: int
    predictor_step: float
    has_inverse: bool
    exploration: float
    floor: float
    least_weight: float
    has_filter: bool
    is_guarded: bool
    learns: bool
    prior: float
    standard_errors: float
    weight_step: float
    weight_spread: float
    calm_budget: float
    calm_width: float
    diameter: float
    is_uniform: bool
    rates: Floats
    retention: Floats
    update_every: Integers
    coordinates: Integers
    places: Integers


class Table(NamedTuple):
    """Vectors by action, as of ``learners.adaptive.vectors``; ``size`` is (rows in use, most rows ever)."""

    slots: Integers
    keys: Words
    values: Floats
    squares: Floats
    size: Integers


class Pool(NamedTuple):
    """What a master knows.

    ``clock`` is (day, offset, windows seen, whether it is calm); ``numbers`` (typical, noise, earned, noise in calm). Of the
    members: ``points``,
    ``log_weights``, ``origins``, ``scores``, ``aggregates``, ``seen``, ``adaptive`` (G, d), ``scalars`` (G, 2: variation,
    memory sum), ``updates`` (G, 2: since the start, in memory), ``counts`` (G, 2). Of the weights: ``gain_scores``,
    ``transition`` (G, G), ``gain_spreads``, ``law`` (G).

    Laws: slot g is what member g recommends, slot G + g what is played for it, slot 2G exploration: ``words`` (2G, A, W),
    ``weights``, ``cumulative`` (2G, A), ``sizes`` (2G), ``moments`` (2G + 1, r, r), ``marginals`` (2G + 1, d); ``instead``
    (G, A, W) is what is played for each action recommended, ``is_same`` (G) where nothing is replaced, ``pairs`` (G, d, d)
    Σ of what is recommended where there is pooling. The mixture: its ``components`` (slots), their cumulative ``shares``, and
    how many there are; ``factor`` (r, r), ``chances`` (d). ``changed`` (G) are the laws the last turn had to make.
    """

    clock: Integers
    numbers: Floats
    prediction: Floats
    running: Floats
    total: Floats
    points: Floats
    log_weights: Floats
    origins: Floats
    scores: Floats
    aggregates: Floats
    seen: Floats
    adaptive: Floats
    scalars: Floats
    updates: Integers
    counts: Floats
    gain_scores: Floats
    gain_spreads: Floats
    transition: Floats
    law: Floats
    words: Words
    weights: Floats
    cumulative: Floats
    sizes: Integers
    instead: Words
    moments: Floats
    marginals: Floats
    pairs: Floats
    is_same: Integers
    components: Integers
    shares: Floats
    n_components: Integers
    factor: Floats
    chances: Floats
    changed: Integers
    pair_values: Floats
    pair_counts: Floats
    pair_squares: Floats
    table: Table
    guard: Table
