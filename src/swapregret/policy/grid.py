r"""The grid of weights: multiples of :math:`2^{-52}` that add up to 1 in integers, and one order for the atoms of a law.

Every partial sum of such weights is a float without rounding, so ``weights.sum() == 1.0`` exactly and in any order.
"""

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Vector, real_numbers
from swapregret.errors import InvalidInput

__all__ = ["GRID", "canonical_order", "on_grid"]

GRID = 2**52
_SUM_TOLERANCE = 1e-9
_FEW = 12


def on_grid(weights: npt.ArrayLike) -> Vector:
    """Round a probability vector to multiples of 2⁻⁵² whose sum is exactly 1.

    Each weight moves by less than 2⁻⁵²; what is left over goes to the largest weight, the first of them on a tie.

    Examples
    --------
    >>> on_grid([1/3, 1/3, 1/3]).sum() == 1.0
    np.True_
    """
    try:
        array = real_numbers(weights)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.ndim == 1 and 0 < array.size < _FEW:
        few = _few_on_grid(array.tolist())
        if few is not None:
            return few
    total = float(array.sum()) if array.size else 0.0
    if array.ndim != 1 or not np.isfinite(array).all() or (array < 0).any() or abs(total - 1.0) > _SUM_TOLERANCE:
        raise InvalidInput(
            "`weights` must be a vector of non-negative numbers that add up to 1",
            f"shape {array.shape}, sum {total!r}, least {array.min(initial=0.0)!r}",
            "Divide the weights by their sum.",
        )
    units = np.floor(array * GRID).astype(np.int64)
    if abs(GRID - int(units.sum())) > 4 * array.size:  # off by more than rounding: the sum is not quite 1
        units = np.floor(array * (GRID / total)).astype(np.int64)
    units[int(np.argmax(units))] += GRID - int(units.sum())
    return units / GRID


def _few_on_grid(weights: list[float]) -> Vector | None:
    """Do what ``on_grid`` does for some weights, faster; None if they are not a law up to rounding."""
    if not all(0.0 <= weight <= 2.0 for weight in weights):
        return None
    units = [int(weight * GRID) for weight in weights]
    missing = GRID - sum(units)
    if abs(missing) > 4 * len(units):
        return None
    units[units.index(max(units))] += missing
    return np.array([unit / GRID for unit in units])


def canonical_order(rows: Actions) -> npt.NDArray[np.int64]:
    """Return what sorts 0/1 rows canonically: by their packed bits, the last coordinate most significant.

    Examples
    --------
    >>> canonical_order(np.array([[0, 1], [1, 0]])).tolist()
    [1, 0]
    """
    packed = np.packbits(rows.astype(np.uint8), axis=1, bitorder="little")
    keys = np.ascontiguousarray(packed[:, ::-1])
    return np.argsort(keys.view(f"V{keys.shape[1]}").ravel(), kind="stable")
