r"""Linear swap regret, against the best affine map of conv(A) into itself.

.. math:: \mathrm{LinReg}_T = \max_{\phi \text{ affine},\ \phi(\mathrm{conv}\mathcal A) \subseteq \mathrm{conv}\mathcal A}
    \sum_t R_t\cdot(\phi(x_t) - x_t), \qquad x_t = \mathbb E_{p_t}[M]

An affine map commutes with the expectation, so Σ_t R_t x_tᵀ is all it depends on: d² numbers for policies of any kind. A constant
is affine, and an affine map of a point is a rule for actions that are drawn from any list of it, so external ≤ linear ≤ swap.
It is what an opponent in a game with linear rewards can take from a player whose marginals are known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Label, Matrix, Vector, frozen
from swapregret.errors import InvalidInput
from swapregret.geometry.hull_equations import equations_of
from swapregret.notebook import html_table
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.measure import Regret, standard_error
from swapregret.units import Units

if TYPE_CHECKING:
    from swapregret.regret.laziness import LazyTotals

_SHOWN, _SEEN = 20, 1e-6


@dataclass(frozen=True, eq=False)
class Move:
    """What the best affine rule does whenever an element was chosen.

    Attributes
    ----------
    element : label
    change : tuple of (label, amount)
        How much more of each element there would be; a negative amount is less.
    gain : float
        What that would have added over the run, or saved where costs are counted.
    """

    element: Label
    change: tuple[tuple[Label, float], ...]
    gain: float

    def __str__(self) -> str:
        words = ", ".join(f"{amount:+.3g} {label}" for label, amount in self.change)
        return f"whenever you chose {self.element}: {words} ({self.gain:+.6g} in total)"


@dataclass(frozen=True, eq=False)
class AffineRule:
    """The best affine map of conv(A) into itself, element by element, largest gain first.

    Attributes
    ----------
    matrix : Matrix, shape (d, d)
        The map is x ↦ matrix·x; on conv(A) every affine map can be written so.
    moves : tuple of Move
        The elements for which it changes something. The gains add up to the linear swap regret.
    gains : tuple of float
        What the map would have gained in each replication.
    """

    matrix: Matrix
    moves: tuple[Move, ...]
    gains: tuple[float, ...]

    def __call__(self, point: Vector) -> Vector:
        """Return what the rule makes of a point of conv(A), or of an action: the marginals to play instead."""
        return np.asarray(self.matrix @ np.asarray(point, dtype=np.float64))

    def in_units(self, units: Units) -> "AffineRule":
        """Return the same rule with gains in what people count, of gains on the scale [0, 1]."""
        moves = tuple(replace(move, gain=units.scale * move.gain) for move in self.moves)
        return AffineRule(self.matrix, moves, tuple(units.scale * gain for gain in self.gains))

    def __repr__(self) -> str:
        return f"AffineRule({len(self.moves)} elements changed, gain {sum(move.gain for move in self.moves):.6g})"

    def __str__(self) -> str:
        return "\n".join(map(str, self.moves)) or "no affine rule would have been better"

    def _repr_html_(self) -> str:
        rows = [
            [
                str(move.element),
                ", ".join(f"{amount:+.3g} {label}" for label, amount in move.change),
                f"{move.gain:.6g}",
            ]
            for move in self.moves[:_SHOWN]
        ]
        return html_table("the best affine rule", ["whenever you chose", "change", "gain"], rows)


def best_affine_rule(actions: ActionSet, ledgers: "Sequence[Ledger | LazyTotals]") -> AffineRule:
    """Find the best affine rule for one run, or for the mean of several replications: one linear program with d² unknowns.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.regret.ledgers.ledger import SwapLedger
    >>> actions, ledger = MSets(3, 1, labels="abc"), SwapLedger(MSets(3, 1))
    >>> ledger.record_plays([[1, 0, 0], [0, 1, 0]], [[0., 1., 0.], [0., .5, 0.]])
    >>> print(best_affine_rule(actions, [ledger.close()]))
    whenever you chose a: -1 a, +1 b (+1 in total)
    """
    each = [_products_of(actions, part) for part in ledgers]
    mean = np.mean(each, axis=0)
    rule = equations_of(actions).best_map(mean)
    change = rule - np.eye(len(rule))
    gains = (change * mean).sum(axis=0)
    moves = []
    for j in np.argsort(-gains, kind="stable"):
        here = np.flatnonzero(np.abs(change[:, j]) > _SEEN)
        if here.size and abs(gains[j]) > _SEEN * np.abs(mean[:, j]).sum():
            listed = tuple((actions.labels[i], float(change[i, j])) for i in here)
            moves.append(Move(actions.labels[j], listed, float(gains[j])))
    return AffineRule(frozen(rule), tuple(moves), tuple(float((change * part).sum()) for part in each))


def linear_swap_regret(actions: ActionSet, ledgers: "Sequence[Ledger | LazyTotals]", rule: AffineRule) -> Regret:
    """Return the linear swap regret of one run, or of the mean of several replications, given their best affine rule."""
    parts = list(ledgers)
    words = "linear swap regret: best affine map of the convex hull into itself, maximum outside the expectation, from "
    value = max(float(np.mean(rule.gains)), 0.0)  # below 0 is rounding, since the map may change nothing
    error = standard_error(rule.gains) if len(parts) > 1 else math.nan
    return Regret.point(value, error, float(np.mean([part.n_days for part in parts])), words + parts[0].source)


def _products_of(actions: ActionSet, part: "Ledger | LazyTotals") -> Matrix:
    if part.products is None:
        raise InvalidInput(
            "linear swap regret must be asked of a ledger that holds Σ R xᵀ, as those of sets of at most 512 elements do",
            f"one of {actions!r}",
            "Use swap_regret.",
        )
    return part.products
