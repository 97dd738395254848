"""Who pays: oblivious reward sequences, families of them in one file each."""

from swapregret.environments.combine import concatenation, mixture
from swapregret.environments.cycles import cyclic, slots, spiral
from swapregret.environments.environment import Environment
from swapregret.environments.phase_trees import decision_tree, extensive_form, tree
from swapregret.environments.replay import from_function, replay
from swapregret.environments.shortcut import shortcut_dag, shortcut_partitions
from swapregret.environments.stochastic import iid, interruptions, piecewise, random_walk

__all__ = [
    "Environment",
    "concatenation",
    "cyclic",
    "decision_tree",
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
