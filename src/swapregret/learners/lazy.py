r"""How far a lazy learner moves at the end of a meta-day."""

from dataclasses import dataclass

from swapregret.errors import InvalidInput
from swapregret.learners.settings import check_settings

__all__ = ["AdaptiveRate", "FixedRate", "Rate", "check_exploration"]


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
        check_settings(self)
        if self.learning_rate == 0.0:
            raise InvalidInput("`learning_rate` of FixedRate must be positive", "0", "Pass a float above 0.")


@dataclass(frozen=True)
class AdaptiveRate:
    """A step that measures the noise (deviation D17); the formula is in ``learners.round.scale``.

    Parameters
    ----------
    scale : float
        c > 0.
    """

    scale: float = 3.0

    def __post_init__(self) -> None:
        check_settings(self)


Rate = FixedRate | AdaptiveRate


def check_exploration(exploration: float) -> None:
    """Refuse a γ outside [0, 1)."""
    if not 0.0 <= exploration < 1.0:
        raise InvalidInput("`exploration` must be in [0, 1)", repr(exploration), "0.02 is usual.")
