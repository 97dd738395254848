r"""The floor: the cold scales of Algorithm 1, unfiltered, with uniform weights and a share ε that never falls.

.. math:: f_t = \frac1K \sum_{k \le K} \tilde p_{k,t}

It is what the paper's lemma is about, so it is what remains of the guarantee whatever the rest does, and all that is played
once the guard has tripped (``docs/guarantee.md``).

May touch: ``arrays``, ``policy``, ``kernels``, ``learners.adaptive.filter``.
"""

from collections.abc import Sequence

import numpy as np

from swapregret.arrays import Vector
from swapregret.kernels.master_steps import grid_weights
from swapregret.kernels.weighted_sums import mixture_shares
from swapregret.learners.adaptive.filter import FilteredLaw
from swapregret.policy import Mixture, Policy

__all__ = ["mixed", "mixture_parts", "recommended_shares"]


def recommended_shares(weights: Vector, n_cold: int, floor: float) -> Vector:
    """Return how likely each member's recommendation is: its learned weight, and for cold scales their part of the floor.

    Examples
    --------
    >>> recommended_shares(np.array([.5, .25, .25]), 2, .2).tolist()
    [0.5, 0.30000000000000004, 0.2]
    """
    shares = (1.0 - floor) * weights
    shares[:n_cold] += floor / n_cold
    return np.asarray(shares)


def mixed(parts: Sequence[Policy], shares: Sequence[float]) -> Policy:
    """Return what :func:`~swapregret.policy.mix` returns for listed laws and one law of exploration, without its checks.

    Examples
    --------
    >>> from swapregret.policy import FinitePolicy
    >>> a, b = FinitePolicy([[1, 0]], [1.0]), FinitePolicy([[0, 1]], [1.0])
    >>> mixed([a, b, a], [.25, .5, .25]).marginals()
    array([0.5, 0.5])
    """
    total: dict[int, float] = {}
    kept: list[Policy] = []
    for part, share in zip(parts, shares, strict=True):
        if share > 0.0:
            key = id(part)
            if key in total:
                total[key] += share
            else:
                total[key] = share
                kept.append(part)
    return kept[0] if len(kept) == 1 else Mixture.trusted(kept, grid_weights(np.array(list(total.values()))))


def mixture_parts(
    cold: Sequence[Policy],
    laws: Sequence[FilteredLaw | None],
    weights: Vector,
    explorer: Policy,
    *,
    floor: float,
    exploration: float,
) -> tuple[list[Policy], list[float]]:
    """Return the laws that are mixed into the one that is played, and their shares, which add up to 1 within rounding.

    ``cold`` are the unfiltered laws of the cold scales, ``laws`` those of all members, None for members without weight;
    ``floor`` is ε, or 1 after the guard has tripped.
    """
    followed = np.array([0.0 if law is None else weights[g] for g, law in enumerate(laws)])
    shares = mixture_shares(followed, len(cold), floor, exploration)
    played = [explorer if law is None else law.played for law in laws]  # a member without a law has no share
    return [*cold, *played, explorer], shares.tolist()
