"""Repeated combinatorial decisions with no swap regret.

>>> import swapregret as sr
>>> actions = sr.MSets(10, 3)
>>> session = sr.Session(sr.swap_combcp(actions, horizon=100_000), rng=7)
>>> decision = session.act()
>>> session.observe(0.5)

The public names are listed in ``__all__`` and described in ``docs/api.md``. ``games``, ``networks`` and ``testing`` are loaded
when they are first asked for, Numba when the first compiled function is called.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from swapregret import environments, errors, results
from swapregret.actions.base import ActionSet
from swapregret.actions.dag_paths import DagPaths
from swapregret.actions.explicit import Explicit
from swapregret.actions.forests import Forests
from swapregret.actions.m_sets import MSets
from swapregret.actions.oracle_set import OracleSet
from swapregret.actions.partitions import Partitions
from swapregret.actions.permutations import Permutations
from swapregret.actions.product import Product
from swapregret.actions.spanning_trees import SpanningTrees
from swapregret.actions.truncated_permutations import TruncatedPermutations
from swapregret.learners import baselines
from swapregret.learners.doubling import anytime
from swapregret.learners.player import Decision
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.play import PlayResult, play
from swapregret.policy import FinitePolicy, Mixture, Policy, mix
from swapregret.regret.audit import audit
from swapregret.regret.measure import Regret
from swapregret.results import load_cells, load_results
from swapregret.session import Session

if TYPE_CHECKING:
    from swapregret import games, networks, testing

__all__ = [
    "ActionSet",
    "DagPaths",
    "Decision",
    "Explicit",
    "FinitePolicy",
    "Forests",
    "MSets",
    "Mixture",
    "OracleSet",
    "Partitions",
    "Permutations",
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
    "games",
    "load_cells",
    "load_results",
    "mix",
    "networks",
    "play",
    "results",
    "swap_comband",
    "swap_combcp",
    "testing",
]

__version__ = "0.1.0"

_LATER = ("games", "networks", "testing")


def __getattr__(name: str) -> ModuleType:
    if name in _LATER:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
