r"""What Lazy-ComBCP and Lazy-ComBand share: the step, the state, and the protocol the master relies on.

*Notation*: d ``dimension``, m ``size``, X̃ the ``aggregate`` of the estimates of one meta-day, η ``learning_rate``,
γ ``exploration``, μ ``mu``, p̃ ``exploit``, p = (1−γ)p̃ + γμ ``policy``.

May touch: ``arrays``, ``errors``, ``policy``, ``actions.base``, ``learners.player``.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.policy import Policy

__all__ = ["AdaptiveRate", "FixedRate", "LazyLearner", "LazyState", "Rate"]


@dataclass(frozen=True)
class FixedRate:
    """The paper's step: a constant η.

    Parameters
    ----------
    learning_rate : float
        η > 0.
    """

    learning_rate: float

    def __post_init__(self) -> None:
        _check_positive(self.learning_rate, "learning_rate")


@dataclass(frozen=True)
class AdaptiveRate:
    r"""A step that measures the noise: follow the regularised leader within the interval (deviation D17).

    .. math:: \eta_h = c \sqrt{\frac{D}{\bar V + \sum_{h' \le h} v_{h'}}}

    D bounds the divergence of any action from the start (m log(d/m) for marginals, log N for the Gibbs law), v is the
    local variance of a meta-day's aggregate, and the memory V̄, the mean of v over all meta-days of the scale so far,
    survives restarts.

    Parameters
    ----------
    scale : float
        c > 0.
    """

    scale: float = 3.0

    def __post_init__(self) -> None:
        _check_positive(self.scale, "scale")


Rate = FixedRate | AdaptiveRate


def _check_positive(value: float, name: str) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise InvalidInput(f"`{name}` must be a positive finite number", repr(value), "Pass a float above 0.")


@dataclass(frozen=True, eq=False)
class LazyState:
    """What a lazy learner knows in a meta-day of its interval.

    Attributes
    ----------
    n_updates : int
        Meta-days of the interval that have ended.
    log_weights : Vector
        log mq for Lazy-ComBCP (an entry that underflows must be able to recover, deviation D14), the exponents of the
        Gibbs law for Lazy-ComBand.
    origin : Vector
        The log-weights the interval began with.
    score : Vector
        Σ X̃ over the interval.
    variation : float
        Σ v over the interval, v the local variance of X̃.
    point : Vector
        The marginals of ``exploit``, mq in the paper.
    exploit, policy : Policy
        p̃ and p = (1−γ)p̃ + γμ.
    memory_sum, memory_count : float, int
        Sum and number of all v of this scale, across restarts.
    """

    n_updates: int
    log_weights: Vector
    origin: Vector
    score: Vector
    variation: float
    point: Vector
    exploit: Policy
    policy: Policy
    memory_sum: float = 0.0
    memory_count: int = 0


class LazyLearner(Protocol):
    """Lazy-CombAlg of the paper: holds a policy, absorbs broadcast estimates, never samples."""

    @property
    def actions(self) -> ActionSet:
        """The set it learns on."""

    @property
    def mu(self) -> Policy:
        """The exploration law μ."""

    def start(self, previous: LazyState | None = None, prior: Vector | None = None) -> LazyState:
        """Begin an interval, cold or from a prior point of conv(A)."""

    def update(self, state: LazyState, aggregate: Vector) -> LazyState:
        """End a meta-day."""

    def resume(self, state: LazyState) -> LazyState:
        """Rebuild the policies of a state whose numbers were read from a file."""


def step_size(rate: AdaptiveRate, diameter: float, noise: float) -> float:
    """Return η = c·√(D / noise), or 0 where there is nothing to learn."""
    if noise <= 0.0 or diameter <= 0.0:
        return 0.0
    return rate.scale * math.sqrt(diameter / noise)


def check_exploration(exploration: float) -> None:
    """Refuse a γ outside [0, 1)."""
    if not 0.0 <= exploration < 1.0:
        raise InvalidInput("`exploration` must be in [0, 1)", repr(exploration), "0.02 is a usual choice.")
