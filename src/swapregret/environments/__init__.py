"""Who pays: oblivious reward sequences, families of them in one file each."""

from swapregret.environments.combine import concatenation, mixture
from swapregret.environments.cycles import cyclic, slots, spiral
from swapregret.environments.environment import Environment
from swapregret.environments.known_before import by_context, on_days, shortages
from swapregret.environments.phase_trees import decision_tree, extensive_form, tree
from swapregret.environments.replay import from_function, replay
from swapregret.environments.shortcut import shortcut_dag, shortcut_partitions
from swapregret.environments.stochastic import iid, interruptions, piecewise, random_walk

__all__ = [
    "Environment",
    "by_context",
    "concatenation",
    "cyclic",
    "decision_tree",
    "extensive_form",
    "from_function",
    "iid",
    "interruptions",
    "mixture",
    "on_days",
    "piecewise",
    "random_walk",
    "replay",
    "shortages",
    "shortcut_dag",
    "shortcut_partitions",
    "slots",
    "spiral",
    "tree",
]
