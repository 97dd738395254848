"""Who pays: oblivious reward sequences, one family a file.

May touch: ``errors``, ``arrays``, ``actions.base``. Never a learner.
"""

from swapregret.environments.base import Environment
from swapregret.environments.cyclic import cyclic

__all__ = ["Environment", "cyclic"]
