r"""The paper's counterexample to CombEXP: one element that hardly any action has pays everything.

The DAG of the appendix has two rows of n vertices between S and D, all :math:`2^n` ways through them, and a shortcut
(S, D). Every day the shortcut pays 1 and nothing else pays. A learner that explores by mixing the *marginals* of the
uniform policy plays the shortcut with probability :math:`1/(2^n+1)` until it has seen it once. (The appendix ends edges
in ``t``; they go to D, deviation D16.) The same happens with partitions of a total where only "all of it to one part"
pays.
"""

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.partitions import Coordinates, Partitions
from swapregret.arguments import Count, Days, checked
from swapregret.arrays import Label, as_integer, check_memory
from swapregret.environments.environment import Environment, rows_of


@checked
def shortcut_edges(length: Count) -> list[tuple[str, str]]:
    """Return the 4n + 1 edges of the shortcut DAG, the shortcut (S, D) first."""
    check_memory(4 * length + 1, "a shortcut DAG", 2000)
    edges = [("S", "D"), ("S", "A1"), ("S", "B1")]
    for i in range(1, length):
        edges += [(f"{x}{i}", f"{y}{i + 1}") for x in "AB" for y in "AB"]
    return [*edges, (f"A{length}", "D"), (f"B{length}", "D")]


@checked
def shortcut_dag(length: Count, horizon: Days) -> Environment:
    """Return the shortcut DAG with ``length`` = n layers, 2ⁿ + 1 paths, on its own action set (``.actions``, a ``DagPaths``).

    Examples
    --------
    >>> world = shortcut_dag(4, 1000)
    >>> world.actions.n_actions, world.actions.dimension, float(world.reward_vector(0).sum())
    (17, 17, 1.0)
    """
    actions = DagPaths(shortcut_edges(length), source="S", sink="D")
    return _one_pays(f"shortcut-dag-{length}", actions, horizon, ("S", "D"))


@checked
def shortcut_partitions(
    total: int, parts: int, horizon: Days, *, part: int = 0, coordinates: Coordinates = "path"
) -> Environment:
    """Return the partitions of which only "all to one part" pays, on its own action set (a ``Partitions``).

    Parameters
    ----------
    total, parts : int
        There are C(total + parts − 1, parts − 1) partitions.
    horizon : int
    part : int
        The part that must get everything.
    coordinates : {"path", "compact"}

    Examples
    --------
    >>> world = shortcut_partitions(5, 3, 1000)
    >>> world.actions.elements(world.actions.argmax(world.reward_vector(0)))
    ((0, 0, 5), (1, 5, 5), (2, 5, 5))
    """
    actions = Partitions(total, parts, coordinates=coordinates)
    total, parts = actions.total, actions.parts
    chosen = as_integer(part, "part", 0, parts - 1)
    label = (chosen, total) if coordinates == "compact" else (chosen, 0, total)
    return _one_pays(f"shortcut-partitions-{total}-{parts}", actions, horizon, label)


def _one_pays(name: str, actions: ActionSet, horizon: int, label: Label) -> Environment:
    row = np.zeros(actions.dimension)
    row[actions.labels.index(label)] = 1.0
    levels = rows_of(row[None, :], np.zeros_like)
    return Environment(name, actions, horizon, levels, 0, payment=1.0)
