"""The public names, where they come from: loaded when the first of them is asked for.

So a command that only prints its help does not wait for NumPy. ``swapregret.NAME`` and ``from swapregret import NAME`` find
it here.
"""

from typing import TYPE_CHECKING

from swapregret import environments, errors, results
from swapregret.actions.action_set import ActionSet
from swapregret.actions.graphs.forests import Forests
from swapregret.actions.graphs.spanning_trees import SpanningTrees
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.matchings.truncated_permutations import TruncatedPermutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.partitions import Partitions
from swapregret.actions.plans.plans import Plans
from swapregret.actions.products.product import Product
from swapregret.learners import baselines
from swapregret.learners.doubling import anytime
from swapregret.learners.player import Decision
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.logs.auditing import audit
from swapregret.logs.evaluating import Evaluation, evaluate
from swapregret.logs.log import Log
from swapregret.playing.overlay import plot
from swapregret.playing.play import play
from swapregret.playing.play_result import PlayResult
from swapregret.policy import FinitePolicy, Mixture, Policy, mix
from swapregret.regret.measure import Regret
from swapregret.results import load_cells, load_results
from swapregret.sessions.session import Session

if TYPE_CHECKING:
    from swapregret import games, networks, testing

__all__ = [
    "ActionSet",
    "DagPaths",
    "Decision",
    "Evaluation",
    "Explicit",
    "FinitePolicy",
    "Forests",
    "Log",
    "MSets",
    "Mixture",
    "OracleSet",
    "Partitions",
    "Permutations",
    "Plans",
    "PlayResult",
    "Policy",
    "Product",
    "Regret",
    "Schedule",
    "Session",
    "SpanningTrees",
    "TruncatedPermutations",
    "anytime",
    "audit",
    "baselines",
    "environments",
    "errors",
    "evaluate",
    "games",
    "load_cells",
    "load_results",
    "mix",
    "networks",
    "play",
    "plot",
    "results",
    "swap_comband",
    "swap_combcp",
    "testing",
]

BY_NAME = {
    "actions.hull": "Hull basis_of part_of_basis",
    "arrays": "Floats Integers as_vector",
    "client": "AsyncClient Client ServiceError",
    "compiled.address": "set_of",
    "compiled.bits": "set_bit",
    "compiled.kernel": "kernel",
    "experiments.runs.runner": "read_plan run_plan",
    "regret.bounds": "Bound lazy_comband_bound lazy_combcp_bound lower_bound swap_comband_bound swap_combcp_bound table1",
    "sessions.journal_log": "read_journal_log",
}
"""Public names that are imported by the name of their module: what most programs do not need, nor wait for."""
