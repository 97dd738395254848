r"""No linear swap regret with full feedback: a learner over the affine maps of conv(A), at whose fixed point it plays.

Gordon, Greenwald and Marks (2008) reduce regret against a set Φ of maps to one online problem over Φ: play the
:math:`x_t = \phi_t(x_t)`. Then

.. math:: \sum_t R_t \cdot (\phi(x_t) - x_t) = \sum_t \langle R_t x_t^\top,\ \phi - \phi_t \rangle,

so the swap regret against Φ is the external regret of the learner over Φ. Here Φ has all affine maps of conv(A) into itself, in
equations for sets whose hull has few (``geometry.hull_equations``; for plans that is the set of Farina and Pipis 2023). The
learner is online Frank–Wolfe (Hazan and Kale 2012): after every window it takes one step towards

.. math:: \max_{\phi \in \Phi}\ \eta \sum_t \langle R_t x_t^\top, \phi \rangle - \tfrac12 \lVert \phi - \phi_1 \rVert^2, \qquad
    \eta = D \Big/ \sqrt{\textstyle\sum_w \lVert G_w \rVert^2},

by one linear program over Φ and an exact line search; :math:`G_w` is the sum of the :math:`R_t x_t^\top` of window w, and
:math:`\phi_1` the map onto one point.

**Bound.** With Hazan and Kale's fixed steps linear swap regret is of order :math:`T^{3/4}` for windows of one day, whatever the
world does. The line search is never worse in a step; it has no bound of its own. Swap regret against other rules may be linear.

References: Gordon, Greenwald and Marks (2008), No-regret learning in convex games; Hazan and Kale (2012), Projection-free online
learning; Farina and Pipis (2023), Polynomial-time linear-swap regret minimization in imperfect-information sequential games.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import Count, Days, OneOf
from swapregret.arrays import Matrix, Vector, frozen
from swapregret.geometry.hull_equations import HullEquations, equations_of
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.settings import Positive, check_settings
from swapregret.policy import Policy

_UPDATES = 500
_LEAK = 1e-6
"""The share of φ₁ in the map whose fixed point is played: it makes the point unique."""


class MapState(NamedTuple):
    """What was learnt: φ as a matrix, Σ R xᵀ of ended windows and of this one, Σ‖G_w‖², and the fixed point with its policy."""

    day: int
    map: Matrix
    products: Matrix
    recent: Matrix
    square: float
    point: Vector
    played: Policy


@dataclass(frozen=True)
class LinearSwap:
    """The learner over affine maps above.

    Parameters
    ----------
    actions : ActionSet
        With a described hull: m-sets, permutations, paths, plans, and products of these.
    horizon : int
    window : int, optional
        Days between two steps; such that there are 500 if not given. A step is a linear program with d² unknowns.
    scale : float
        D, in units of √m. Theory's is about 1; larger ones learn faster over the horizons people have.
    feedback : {"full"}

    Examples
    --------
    >>> from swapregret import MSets
    >>> player = linear_swap(MSets(4, 2), 6000)
    >>> player.window, player.policy(player.start(np.random.default_rng(0))).marginals().tolist()
    (12, [0.5, 0.5, 0.5, 0.5])
    """

    actions: ActionSet
    horizon: Days
    window: Count | None = None
    scale: Positive = 16.0
    feedback: Annotated[Feedback, OneOf("full")] = "full"

    def __post_init__(self) -> None:
        check_settings(self)
        equations_of(self.actions)
        if self.window is None:
            object.__setattr__(self, "window", max(1, math.ceil(self.horizon / _UPDATES)))

    @cached_property
    def _equations(self) -> HullEquations:
        return equations_of(self.actions)

    @cached_property
    def _onto_span(self) -> Matrix:
        """The projection onto span(A): maps that agree on it are one matrix after it."""
        basis = self.actions.span.orthonormal
        return frozen(basis @ basis.T)

    @cached_property
    def _first(self) -> Matrix:
        """φ₁, as a matrix."""
        middle = self.actions.exploration_policy().marginals()
        return frozen(np.outer(middle, self.actions.constant_vector()) @ self._onto_span)

    def start(self, rng: np.random.Generator) -> MapState:
        """Begin with the map onto one point, the mean of the exploration policy."""
        none = np.zeros_like(self._first)
        return self._at(0, self._first, none, none, 0.0)

    def policy(self, state: MapState) -> Policy:
        """Return a list of actions whose mean is the fixed point."""
        return state.played

    def observe(self, state: MapState, decision: Decision, reward: float | Vector | None) -> MapState:
        """Add R xᵀ; at the end of a window take a step towards the best map."""
        assert self.window is not None
        day, recent = state.day + 1, state.recent
        if reward is not None:
            recent = recent + np.outer(reward, state.point)
        if day % self.window:
            return state._replace(day=day, recent=recent)
        square = state.square + float((recent * recent).sum())
        products, now = state.products + recent, state.map
        if square > 0.0:
            rate = self.scale * math.sqrt(max(1, self.actions.size) / square)
            slope = rate * products - (now - self._first)
            change = self._equations.best_map(slope, is_shortest=False) @ self._onto_span - now
            length = float((change * change).sum())
            if length > 0.0:
                now = now + min(max(float((slope * change).sum()) / length, 0.0), 1.0) * change
        return self._at(day, now, products, np.zeros_like(recent), square)

    def _at(self, day: int, now: Matrix, products: Matrix, recent: Matrix, square: float) -> MapState:
        """Return the state at the fixed point of (1 − ε)φ + εφ₁."""
        middle = self.actions.exploration_policy().marginals()
        point = np.linalg.solve(np.eye(len(now)) - (1.0 - _LEAK) * now, _LEAK * middle)
        point = np.maximum(point, 0.0)
        return MapState(day, now, products, recent, square, point, self.actions.decompose(point))

    def dump(self, state: MapState) -> Arrays:
        """Write all but the policy, which the point makes again."""
        return {
            "tally.day": np.array([state.day], dtype=np.int64),
            "map": state.map,
            "products": state.products,
            "recent": state.recent,
            "square": np.array([state.square]),
        }

    def load(self, arrays: Arrays) -> MapState:
        """Read a state written by ``dump``."""
        day, square = int(arrays["tally.day"][0]), float(arrays["square"][0])
        now, products, recent = (np.array(arrays[name]) for name in ("map", "products", "recent"))
        return self._at(day, now, products, recent, square)


linear_swap = LinearSwap
