"""What is called: public constructors, functions and methods, each with arguments that are right."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.learners.ingredients import Ingredients
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule

__all__ = ["Target", "make_targets"]

EDGES = [("s", "a"), ("a", "t"), ("s", "b"), ("b", "t"), ("s", "t")]
GRAPH = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]


@dataclass(frozen=True)
class Target:
    """Something to call.

    Attributes
    ----------
    name : str
    call : callable
    arguments, keywords
        Right ones.
    state : callable
        What must not change when a call is refused.
    takes_nan : bool
        Whether NaN among the arguments may be accepted: as a label that is looked up, or in a file's name.
    """

    name: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    state: Callable[[], Any] = lambda: None
    takes_nan: bool = False


def _sets() -> dict[str, sr.ActionSet]:
    return {
        "MSets": sr.MSets(4, 2),
        "Permutations": sr.Permutations(2),
        "TruncatedPermutations": sr.TruncatedPermutations(1, 4),
        "SpanningTrees": sr.SpanningTrees(GRAPH),
        "Forests": sr.Forests(GRAPH, 2),
        "DagPaths": sr.DagPaths(EDGES, source="s", sink="t"),
        "Partitions": sr.Partitions(2, 2),
        "Plans": sr.Plans([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))]),
        "Explicit": sr.Explicit(np.eye(4, dtype=int)),
        "Product": sr.Product(sr.MSets(2, 1), sr.MSets(2, 1)),
    }


def make_targets(folder: Path) -> list[Target]:
    """Return all targets; files are written to ``folder``."""
    found = [
        Target("MSets", sr.MSets, (4, 2), {"labels": "abcd"}),
        Target("Permutations", sr.Permutations, (2,), {"row_labels": "ab", "column_labels": "xy"}),
        Target("TruncatedPermutations", sr.TruncatedPermutations, (2, 3)),
        Target("SpanningTrees", sr.SpanningTrees, (GRAPH,)),
        Target("Forests", sr.Forests, (GRAPH, 2)),
        Target("DagPaths", sr.DagPaths, (EDGES,), {"source": "s", "sink": "t"}, takes_nan=True),
        Target("Partitions", sr.Partitions, (3, 2), {"coordinates": "path"}),
        Target("Plans", sr.Plans, ([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))],)),
        Target("Explicit", sr.Explicit, (np.eye(3, dtype=int),), {"labels": "abc"}),
        Target("FinitePolicy", sr.FinitePolicy, ([[1, 0], [0, 1]], [0.5, 0.5])),
    ]
    for name, actions in _sets().items():
        point = np.asarray(actions.exploration_policy().marginals())
        d = actions.dimension
        policy = actions.exploration_policy()
        methods = {
            "argmax": (np.arange(d) / d,),
            "argmax_many": (np.zeros((2, d)),),
            "__contains__": (actions.argmax(np.zeros(d)),),
            "elements": (actions.argmax(np.zeros(d)),),
            "action_of": (actions.elements(actions.argmax(np.zeros(d))),),
            "enumerate": (100,),
            "kl_project": (np.zeros(d),),
            "decompose": (point,),
            "exploration_policy": ("spanner",),
        }
        if actions.has_gibbs:
            methods["gibbs"] = (np.zeros(d),)
        for method, arguments in methods.items():
            lax = method in ("__contains__", "action_of")
            found.append(Target(f"{name}.{method}", getattr(actions, method), arguments, takes_nan=lax))
        found.append(Target(f"{name} policy.variance", policy.variance, (np.ones(d),), state=policy.marginals))
    found += _worlds(folder) + _games(folder) + _networks(folder) + _sessions(folder)
    return found + _players() + _schedules() + _plays()


def _players() -> list[Target]:
    """Return the factories of players, with every argument they have."""
    actions = sr.MSets(4, 2)
    factories = {"swap_combcp": sr.swap_combcp, "swap_comband": sr.swap_comband}
    factories |= {name: getattr(sr.baselines, name) for name in sr.baselines.__all__}
    found = []
    for name, factory in factories.items():
        options = {
            each.name: each.default
            for each in inspect.signature(factory).parameters.values()
            if each.kind is inspect.Parameter.KEYWORD_ONLY
        }
        if name in ("swap_combcp", "swap_comband"):
            options |= {each.name: each.default for each in fields(Ingredients) if each.default is not MISSING}
        arguments = (actions,) if name == "uniform" else (actions, 100)
        found.append(Target(name, factory, arguments, options))
    anytime = {"first_epoch": 20, "preset": "multiscale"}
    return [*found, Target("anytime", sr.anytime, (sr.swap_combcp, actions), anytime)]


def _schedules() -> list[Target]:
    options = {"dimension": 3, "size": 1, "horizon": 10**40}
    return [
        Target("Schedule", Schedule, ([1, 4],)),
        Target("Schedule.uniform", Schedule.uniform, (3, 2)),
        Target("Schedule.single", Schedule.single, (100,), {"base": 3}),
        Target("Schedule.practical", Schedule.practical, (1000,), {"rank": 3, "size": 2}),
        Target("Schedule.from_theorem", Schedule.from_theorem, (), options),
        Target("Schedule.draw", Schedule([1, 4]).draw, (), {"width": 20}),
    ]


def _plays() -> list[Target]:
    actions = sr.MSets(4, 2)
    world, player = sr.environments.iid(actions, 10, rng=0), sr.baselines.uniform(actions)
    table, log = np.full((3, 4), 0.25), [[1, 1, 0, 0]] * 3
    policy = actions.exploration_policy()
    result = sr.play(player, world, rng=0)
    options: dict[str, Any] = {
        "rng": 0,
        "replications": 1,
        "n_jobs": 1,
        "measure": "ledger",
        "realised": False,
        "windows": (1,),
        "certificate": False,
        "capacity": None,
        "checkpoints": 0,
    }
    audited = {"rounds": [0, 1, 2], "probabilities": [1.0, 1.0, 1.0], "capacity": 10, "reward_range": (0.0, 1.0)}
    return [
        Target("play", sr.play, (player, world), options),
        Target("audit", sr.audit, (actions, log, table), audited),
        Target("audit costs", sr.audit, (actions, log, table), {"cost_range": (0.0, 1.0)}),
        Target("Product", sr.Product, (actions, sr.Permutations(2))),
        Target("mix", sr.mix, ([policy, policy], [0.5, 0.5])),
        Target("Mixture", sr.Mixture, ([policy, policy], [0.5, 0.5])),
        Target("PlayResult.curve", result.curve),
        Target(
            "evaluate", sr.evaluate, ([(row, 0.5) for row in log], policy), {"actions": actions, "policies": policy}
        ),
        Target("plot", sr.plot, ([result], ["uniform"])),
        Target("check_player", sr.testing.check_player, (player,), {"days": 2}),
        Target("check_policy", sr.testing.check_policy, (policy, actions), {"n_samples": 10}),
        Target("check_environment", sr.testing.check_environment, (world,), {"days": 2}),
    ]


def _worlds(folder: Path) -> list[Target]:
    actions = sr.MSets(4, 2)
    world = sr.environments.iid(actions, 10, rng=0)
    np.save(folder / "rewards.npy", np.full((3, 4), 0.25))
    table = sr.environments
    found = [
        Target(f"environments.{name}", getattr(table, name), (actions, 20), {"rng": 0} | more)
        for name, more in {
            "cyclic": {"phases": 3},
            "iid": {"high": 0.7, "low": 0.5},
            "piecewise": {"pieces": 2, "high": 0.8, "low": 0.3},
            "random_walk": {"steps": 3, "deviation": 0.03},
            "slots": {},
            "spiral": {},
            "tree": {"branching": 2, "depth": 2},
        }.items()
    ]
    return [
        *found,
        Target("environments.replay", table.replay, (actions, np.full((3, 4), 0.25)), {"reward_range": (0.0, 1.0)}),
        Target("environments.replay file", table.replay, (actions, str(folder / "rewards.npy")), {"horizon": 5}),
        Target("environments.shortcut_dag", table.shortcut_dag, (3, 10)),
        Target("environments.shortcut_partitions", table.shortcut_partitions, (3, 2, 10), {"part": 0}),
        Target("environments.extensive_form", table.extensive_form, (20,), {"rounds": 1, "branching": 2, "depth": 2}),
        Target("environments.by_context", table.by_context, ({"mobile": world, "desktop": world},), {"rng": 0}),
        Target("environments.mixture", table.mixture, ([world, world], [0.5, 0.5]), {"rng": 0}),
        Target("environments.concatenation", table.concatenation, ([world, world],), {"rng": 0}),
        Target("environments.decision_tree", table.decision_tree, (1, 2, 2)),
        Target("Environment.rewards", world.rewards, (0, 3)),
        Target("Environment.means", world.means, (0, 3)),
        Target("Environment.with_noise", world.with_noise, (7,)),
    ]


def _games(folder: Path) -> list[Target]:
    games, actions = sr.games, sr.MSets(4, 2)
    chicken = games.chicken()
    mixed = [each.uniform_policy() for each in chicken.action_sets]
    (folder / "game.nfg").write_text('NFG 1 R "x" { "a" "b" } { 2 2 }\n1 1 0 0 0 0 1 1')
    return [
        Target("MatrixGame", games.MatrixGame, ([np.eye(2), np.eye(2)],)),
        Target("CongestionGame", games.CongestionGame, ([actions, actions], np.ones((4, 2)))),
        Target("RoutingGame", games.RoutingGame, (EDGES, np.ones((5, 2)), [("s", "t"), ("s", "t")]), takes_nan=True),
        Target("BlottoGame", games.BlottoGame, ((2, 2), 2)),
        Target("SecurityGame", games.SecurityGame, (EDGES, "s", "t", 1), takes_nan=True),
        Target("RankingDuel", games.RankingDuel, ([0.5, 0.3, 0.2],)),
        Target("MatchingMarket", games.MatchingMarket, ([np.ones((2, 2)), np.ones((1, 2))], np.ones((2, 2)))),
        Target("ShapleyGame", games.ShapleyGame, (6, 2)),
        Target("SequentialGame", games.SequentialGame, (("move", 0, "a", [("x", ("pay", [1])), ("y", ("pay", [2]))]),)),
        Target("affine_costs", games.affine_costs, ([1.0, 0.0], [0.0, 2.0], 3)),
        Target("bpr_costs", games.bpr_costs, ([10.0], [2.0], [0.15], [4.0], 2), {"vehicles": 1.0}),
        Target("layered_edges", games.layered_edges, (2, 2)),
        Target("make_game", games.make_game, ({"kind": "shapley", "dimension": 6, "size": 2},)),
        Target("parse_nfg", games.parse_nfg, ((folder / "game.nfg").read_text(),), takes_nan=True),
        Target("read_nfg", games.read_nfg, (folder / "game.nfg",), takes_nan=True),
        Target("normal_form", games.normal_form, (games.chicken(),)),
        Target("certify", games.certify, (games.product_play(chicken, mixed),)),
        Target("product_play", games.product_play, (chicken, mixed)),
        Target("joint_policy", games.joint_policy, (games.product_play(chicken, mixed),)),
        Target("make_players", games.make_players, (chicken, 10, [{"learner": "exp3"}])),
        Target("equilibrium_payoffs", games.equilibrium_payoffs, (chicken,)),
        Target("nash_gaps", games.nash_gaps, (chicken, [[0.5, 0.5], [1.0, 0.0]])),
    ]


def _networks(folder: Path) -> list[Target]:
    (folder / "edges.csv").write_text("tail,head,km\ns,a,1\na,t,2\ns,t,4\n")
    (folder / "net_net.tntp").write_text("<END OF METADATA>\n~ init_node term_node ;\n1 2 ;\n2 3 ;\n")
    (folder / "g.gml").write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    return [
        Target("read_edges_csv", sr.networks.read_edges_csv, (folder / "edges.csv",), {"tail": 0, "head": 1}),
        Target("read_tntp", sr.networks.read_tntp, (folder / "net_net.tntp",)),
        Target("read_gml", sr.networks.read_gml, (folder / "g.gml",)),
        Target("read_graphml", sr.networks.read_graphml, (folder / "g.gml",)),
    ]


def _sessions(folder: Path) -> list[Target]:
    found = []
    actions = sr.MSets(4, 2)
    for feedback in ("bandit", "semi-bandit", "full"):
        player = swap_combcp(actions, 100, preset="multiscale", schedule=Schedule([2, 4]), feedback=feedback)
        session: sr.Session[Any] = sr.Session(player, rng=1)
        reward = 0.5 if feedback == "bandit" else np.full(4, 0.1)
        skips_some = feedback == "semi-bandit"  # of a whole vector what was not chosen is not read
        found += [
            Target(
                f"observe {feedback}", session.observe, (reward, None), state=_waiting(session), takes_nan=skips_some
            ),
            Target(f"skip {feedback}", session.skip, (None,), state=_waiting(session)),
        ]
    player = sr.baselines.uniform(actions)
    saved = sr.Session(player, rng=1)
    saved.save(folder / "x.session")
    options = {"rng": 3, "reward_range": (0.0, 1.0), "max_open": 2, "journal": None, "sync": False}
    return [
        *found,
        Target("Session", sr.Session, (player,), options),
        Target("Session.save", saved.save, (folder / "y.session",), state=saved.snapshot, takes_nan=True),
        Target("Session.load", sr.Session.load, (folder / "x.session", player), takes_nan=True),
        Target("load_results", sr.load_results, (folder,)),
        Target("load_cells", sr.load_cells, (folder,)),
        Target("load_experiment", sr.results.load_experiment, (folder,), takes_nan=True),
    ]


def _waiting(session: Any) -> Callable[[], Any]:
    """Return what makes sure that a decision waits, and returns the session as bytes."""

    def state() -> bytes:
        if not session.open_decisions:
            session.act()
        return bytes(session.snapshot())

    return state
