"""What the adaptive master knows before a day.

May touch: ``arrays``, ``policy``, ``geometry.solve``, the other files of ``learners.adaptive``.
"""

from dataclasses import dataclass

from swapregret.arrays import Matrix, Vector
from swapregret.geometry.solve import Solver
from swapregret.learners.adaptive.filter import FilteredLaw
from swapregret.learners.adaptive.guard import Guard
from swapregret.learners.adaptive.pooling import PairMeans
from swapregret.learners.adaptive.vectors import ActionVectors
from swapregret.learners.adaptive.weights import PoolWeights
from swapregret.learners.calendar import Calendar
from swapregret.learners.lazy import LazyState
from swapregret.policy import Policy

__all__ = ["AdaptiveState"]


@dataclass(frozen=True, eq=False)
class AdaptiveState:
    """A value; ``AdaptiveMaster.observe`` makes the next one.

    Attributes
    ----------
    day : int
        Days observed or skipped so far.
    calendar : Calendar
    members : tuple of LazyState
        One a member of the pool, cold scales first.
    laws : tuple of FilteredLaw or None
        What each member recommends and what is played for it; None for members that carry no weight.
    weights : PoolWeights
    vectors : ActionVectors
    pairs : PairMeans
    guard : Guard
    seen : Matrix, shape (G, dimension)
        Σ w X of each member since its law last changed.
    counts : Matrix, shape (G, 2)
        Σ w and Σ w² alike.
    adaptive : Matrix, shape (G, dimension)
        Σ π X alike: the adaptive part alone, for the guard.
    mixture : Policy
        The law of the next action.
    solver : Solver or None
    prediction, running, total : Vector
        R̂; Σ R̃ of the base window; Σ R̃ of the run.
    aggregates : Matrix, shape (G, dimension)
        Σ R̃ of each member's meta-day.
    earned : float
    n_recoveries : int
    is_calm : bool
        Whether μ is played alone (``calm``).
    calm_noise : float
        Variances of the entries of X, summed over the windows in calm.
    """

    day: int
    calendar: Calendar
    members: tuple[LazyState, ...]
    laws: tuple[FilteredLaw | None, ...]
    weights: PoolWeights
    vectors: ActionVectors
    pairs: PairMeans
    guard: Guard
    seen: Matrix
    counts: Matrix
    adaptive: Matrix
    mixture: Policy
    solver: Solver | None
    prediction: Vector
    running: Vector
    total: Vector
    aggregates: Matrix
    earned: float = 0.0
    n_recoveries: int = 0
    is_calm: bool = False
    calm_noise: float = 0.0
