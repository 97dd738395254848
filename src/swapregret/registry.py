"""What a file may name: the only classes and functions that are ever made or called because a file says so.

A file names each by the short name on the left. A new player or policy needs one line here, a new set two; a test fails if an
exported one has none. Nothing else of the package, and nothing outside it, can be reached from a file: a player with a function of
one's own is made again by its owner and handed over.
"""

from importlib import import_module
from typing import Any

from swapregret.errors import InvalidInput

SETS = {
    "MSets": "actions.m_sets.m_sets:MSets",
    "Permutations": "actions.matchings.permutations:Permutations",
    "TruncatedPermutations": "actions.matchings.truncated_permutations:TruncatedPermutations",
    "SpanningTrees": "actions.graphs.spanning_trees:SpanningTrees",
    "Forests": "actions.graphs.forests:Forests",
    "DagPaths": "actions.paths.dag_paths:DagPaths",
    "Partitions": "actions.paths.partitions:Partitions",
    "Plans": "actions.plans.plans:Plans",
    "Explicit": "actions.own_sets.explicit:Explicit",
    "Product": "actions.products.product:Product",
}
"""Action sets: made from plain values alone. ``OracleSet`` is missing because it holds a function."""

FORMS = {
    "msets": ("MSets", "DIMENSION SIZE"),
    "permutations": ("Permutations", "N"),
    "truncated": ("TruncatedPermutations", "ROWS COLUMNS"),
    "partitions": ("Partitions", "TOTAL PARTS"),
    "trees": ("SpanningTrees", "EDGES.csv"),
    "forests": ("Forests", "EDGES.csv SIZE"),
    "paths": ("DagPaths", "EDGES.csv SOURCE SINK"),
    "plans": ("Plans", "TREE.csv"),
    "explicit": ("Explicit", "ACTIONS.csv"),
    "product": ("Product", '"SET" "SET" ...'),
}
"""How a set is written in a line of text: its word, its class, and the arguments that follow the word (``actions.set_specs``)."""
SPEC_FORMS = tuple(f"{word} {arguments}" for word, (_, arguments) in FORMS.items())
"""What a line may look like, for help texts."""

PLAYERS = {
    "AdaptiveMaster": "learners.adaptive.adaptive_master:AdaptiveMaster",
    "LadderMaster": "learners.ladder.ladder_master:LadderMaster",
    "AdaptiveRate": "learners.lazy:AdaptiveRate",
    "BlumMansour": "learners.baselines.blum_mansour:BlumMansour",
    "ComBand": "learners.baselines.comband:ComBand",
    "CombTS": "learners.baselines.posterior.comb_ts:CombTS",
    "CombUCB": "learners.baselines.posterior.comb_ucb:CombUCB",
    "CombEXP": "learners.baselines.combexp:CombEXP",
    "DoublingPlayer": "learners.doubling:DoublingPlayer",
    "EpsilonGreedy": "learners.baselines.posterior.epsilon_greedy:EpsilonGreedy",
    "Exp3": "learners.baselines.exp3:Exp3",
    "FixedRate": "learners.lazy:FixedRate",
    "FollowTheLeader": "learners.baselines.follow_the_leader:FollowTheLeader",
    "Ito": "learners.baselines.ito:Ito",
    "LazyComBCP": "learners.lazy:LazyComBCP",
    "LazyComBand": "learners.lazy:LazyComBand",
    "PolicyPlan": "learners.policy_plan:PolicyPlan",
    "LinTS": "learners.baselines.posterior.lin_ts:LinTS",
    "LinUCB": "learners.baselines.posterior.lin_ucb:LinUCB",
    "LinearSwap": "learners.baselines.linear_swap:LinearSwap",
    "RegretMatching": "learners.baselines.regret_matching:RegretMatching",
    "Schedule": "learners.schedule:Schedule",
    "Stoltz": "learners.baselines.stoltz:Stoltz",
    "SwapMaster": "learners.multiscale.swap_master:SwapMaster",
    "TreeSwap": "learners.baselines.treeswap:TreeSwap",
    "TsallisINF": "learners.baselines.tsallis_inf:TsallisINF",
    "UniformPlayer": "learners.baselines.uniform:UniformPlayer",
}
"""Players and the parts they are configured with: frozen dataclasses whose fields are checked against their types."""

FACTORIES = {name: f"learners.presets:{name}" for name in ("swap_comband", "swap_combcp")}
FACTORIES |= {"combcp": "learners.baselines.combcp:combcp"}
FACTORIES |= {
    place.partition(":")[0].rpartition(".")[2]: place for place in PLAYERS.values() if ".baselines." in place
}  # each player's file has the name of its factory
"""What makes the player of an epoch of ``anytime``."""

POLICIES = {
    "BehaviouralPlans": "actions.plans.plan_policies:BehaviouralPlans",
    "FinitePolicy": "policy.finite:FinitePolicy",
    "GibbsPermutations": "actions.matchings.permutation_policies:GibbsPermutations",
    "GibbsSubsets": "actions.m_sets.m_set_policies:GibbsSubsets",
    "GibbsTrees": "actions.graphs.tree_policies:GibbsTrees",
    "ImagePolicy": "actions.paths.path_policies:ImagePolicy",
    "ListedPolicy": "actions.listed_policy:ListedPolicy",
    "MarkovPaths": "actions.paths.path_policies:MarkovPaths",
    "Mixture": "policy.compound:Mixture",
    "ProductPolicy": "policy.compound:ProductPolicy",
    "PivotalSubsets": "actions.m_sets.m_set_policies:PivotalSubsets",
    "UniformMatchings": "actions.matchings.permutation_policies:UniformMatchings",
    "UniformSubsets": "actions.m_sets.m_set_policies:UniformSubsets",
}
"""Policies that a file keeps whole; each names what it is ``made_of``, of which ``of_held`` makes it again."""

GRAPHS = {
    "Digraph": "actions.paths.directed:Digraph",
    "PlanTree": "actions.plans.plan_tree:PlanTree",
    "UndirectedGraph": "actions.graphs.undirected:UndirectedGraph",
}
"""Graphs that policies are over. They are not made of a file: they must be those of the action set."""

_Table = dict[str, str]


def name_of(thing: object, *tables: _Table) -> str | None:
    """Return the name of a class or function in the tables, or None."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    place = f"{module}:{name}"
    return next((short for table in tables for short, found in table.items() if place == f"swapregret.{found}"), None)


def find(name: object, source: str, *tables: _Table) -> Any:
    """Return the class or function that a file names in one of the tables; anything else is refused, as ``source``."""
    place = next((table[name] for table in tables if isinstance(name, str) and name in table), None)
    if place is None:
        raise InvalidInput(
            f"{source} in a file must be named in swapregret.registry",
            f"{name!r:.80}",
            "Open the file with the version of the library that wrote it; functions of your own go with `player`.",
        )
    module, _, attribute = place.partition(":")
    return getattr(import_module(f"swapregret.{module}"), attribute)
