"""Telling whether two policies whose support is not listed are the same law.

The exploration law of two replications is one law, although two processes hold two copies of it.
"""

from typing import Any

import numpy as np

from swapregret.policy import Policy

__all__ = ["is_same_law"]

_DEPTH = 6


def is_same_law(first: Policy, second: Policy) -> bool:
    """Tell whether two policies are one object, or of one class with the same contents.

    Contents are what both objects hold; what only one holds is a value computed on demand and kept, which follows from
    the rest. False means "not known to be the same".

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_set_laws import UniformSubsets
    >>> is_same_law(UniformSubsets(40, 8), UniformSubsets(40, 8)), is_same_law(UniformSubsets(40, 8), UniformSubsets(40, 7))
    (True, False)
    """
    return _is_same(first, second, _DEPTH)


def _is_same(first: Any, second: Any, depth: int) -> bool:
    if first is second:
        return True
    if type(first) is not type(second) or depth == 0:
        return False
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(
            _is_same(one, other, depth - 1) for one, other in zip(first, second, strict=True)
        )
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_is_same(first[key], second[key], depth - 1) for key in first)
    if hasattr(first, "__dict__") and not callable(first):
        one, other = vars(first), vars(second)
        shared = one.keys() & other.keys()
        return bool(shared) and all(_is_same(one[key], other[key], depth - 1) for key in shared)
    return bool(first == second)
