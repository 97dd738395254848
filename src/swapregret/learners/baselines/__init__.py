"""Published competitors, one a file, all players.

May touch: everything of ``learners``; ``actions.base``.
"""

from swapregret.learners.baselines.combcp import combcp
from swapregret.learners.baselines.uniform import uniform

__all__ = ["combcp", "uniform"]
