"""Who pays: oblivious reward sequences, one family a file.

May touch: ``errors``, ``arrays``, ``actions``. Never a learner.
"""

from swapregret.environments.base import Environment
from swapregret.environments.cyclic import cyclic
from swapregret.environments.iid import iid
from swapregret.environments.piecewise import piecewise
from swapregret.environments.random_walk import random_walk
from swapregret.environments.slots import slots
from swapregret.environments.spiral import spiral
from swapregret.environments.tree import tree

__all__ = ["Environment", "cyclic", "iid", "piecewise", "random_walk", "slots", "spiral", "tree"]
