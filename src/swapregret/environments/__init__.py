"""Who pays: oblivious reward sequences, one family a file."""

from swapregret.environments.base import Environment
from swapregret.environments.combine import concatenation, mixture
from swapregret.environments.cyclic import cyclic
from swapregret.environments.decision_tree import DecisionTree
from swapregret.environments.extensive_form import extensive_form
from swapregret.environments.function import from_function
from swapregret.environments.iid import iid
from swapregret.environments.interruptions import interruptions
from swapregret.environments.piecewise import piecewise
from swapregret.environments.random_walk import random_walk
from swapregret.environments.replay import replay
from swapregret.environments.shortcut import shortcut_dag, shortcut_partitions
from swapregret.environments.slots import slots
from swapregret.environments.spiral import spiral
from swapregret.environments.tree import tree

__all__ = [
    "DecisionTree",
    "Environment",
    "concatenation",
    "cyclic",
    "extensive_form",
    "from_function",
    "iid",
    "interruptions",
    "mixture",
    "piecewise",
    "random_walk",
    "replay",
    "shortcut_dag",
    "shortcut_partitions",
    "slots",
    "spiral",
    "tree",
]
