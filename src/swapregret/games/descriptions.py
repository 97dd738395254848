"""Games and players by description: tables of plain values, as TOML and JSON files hold them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.counts import check_name
from swapregret.errors import InvalidInput
from swapregret.games.kinds import classics
from swapregret.games.kinds.blotto import BlottoGame
from swapregret.games.kinds.matching import MatchingMarket
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.kinds.nfg import read_nfg
from swapregret.games.kinds.ranking import RankingDuel
from swapregret.games.kinds.routing import RoutingGame, affine_costs, bpr_costs, layered_edges
from swapregret.games.kinds.security import SecurityGame
from swapregret.games.kinds.shapley import ShapleyGame
from swapregret.games.payoffs import Game
from swapregret.games.trees.efg import read_efg
from swapregret.games.trees.sequential_game import SequentialGame
from swapregret.learners import baselines
from swapregret.learners.lazy import AdaptiveRate
from swapregret.learners.player import Player
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule

Description = Mapping[str, Any]


def _matrix(spec: Description, folder: Path) -> Game:
    if "file" in spec:
        return read_nfg(folder / str(spec["file"]))
    if "classic" in spec:
        game: Game = getattr(classics, check_name(spec["classic"], classics.__all__, "classic"))()
        return game
    return MatrixGame(spec["payoffs"], spec.get("labels"), spec.get("names"))


def _sequential(spec: Description, folder: Path) -> Game:
    if "file" in spec:
        return read_efg(folder / str(spec["file"]))
    if "openspiel" in spec:
        from swapregret.games.kinds.from_openspiel import (
            from_openspiel,  # plays, which it makes, are read by descriptions
        )

        return from_openspiel(str(spec["openspiel"]))
    return SequentialGame(spec["tree"], spec.get("names"))


def _routing(spec: Description, folder: Path) -> Game:
    commodities, vehicles = spec["commodities"], float(spec.get("vehicles", 1.0))
    if "file" in spec:
        return RoutingGame.from_tntp(folder / str(spec["file"]), commodities, vehicles=vehicles)
    edges = spec["edges"] if "edges" in spec else layered_edges(*spec["layered"])
    n, count = len(commodities), len(edges)
    if "costs" in spec:
        costs = spec["costs"]
    elif "affine" in spec:
        costs = affine_costs(spec["affine"]["constant"], spec["affine"]["slope"], n)
    elif "bpr" in spec:
        time, capacity, factor, power = (spec["bpr"][key] for key in ("free_flow", "capacity", "factor", "power"))
        costs = bpr_costs(time, capacity, factor, power, n, vehicles=vehicles)
    else:
        source = np.random.default_rng(int(spec.get("seed", 0)))
        costs = affine_costs(source.uniform(0.0, 1.0, count), source.uniform(0.0, 1.0, count), n)
    return RoutingGame(edges, costs, commodities, spec.get("allowed"))


def _blotto(spec: Description, folder: Path) -> Game:
    return _by_name(BlottoGame, {**spec, "values": int(spec["fields"])} if "fields" in spec else spec)


def _by_name(kind: type[Game], spec: Description, folder: Path | None = None) -> Game:
    """Make a game whose description has the arguments of its class by their names."""
    wanted = list(signature(kind.__init__).parameters.values())[1:]
    return kind(**{each.name: spec[each.name] for each in wanted if each.name in spec or each.default is each.empty})


_KINDS: dict[str, Callable[[Description, Path], Game]] = {
    "blotto": _blotto,
    "matching": partial(_by_name, MatchingMarket),
    "matrix": _matrix,
    "ranking": partial(_by_name, RankingDuel),
    "routing": _routing,
    "security": partial(_by_name, SecurityGame),
    "sequential": _sequential,
    "shapley": partial(_by_name, ShapleyGame),
}


@checked
def make_game(spec: Description, folder: Path | None = None) -> Game:
    """Make the game a description tells of.

    Parameters
    ----------
    spec : mapping
        ``kind`` and what the game of that kind is made of; see ``docs/games.md``.
    folder : Path, optional
        Where files named in the description are looked for; the current one if not given.

    Examples
    --------
    >>> make_game({"kind": "blotto", "troops": [4, 3], "fields": 3}).action_sets[0].n_actions
    15
    """
    kind = check_name(spec.get("kind"), _KINDS, "kind")
    try:
        return _KINDS[kind](spec, folder or Path())
    except KeyError as error:
        raise InvalidInput(
            f"the description of a {kind} game must have `{error.args[0]}`", f"only {sorted(spec)}", "Add it."
        ) from None


def _preset(actions: ActionSet, horizon: int, **options: Any) -> Player[Any]:
    if "windows" in options:
        options["schedule"] = Schedule(windows=options.pop("windows"))
    if "step" in options:
        options["rate"] = AdaptiveRate(float(options.pop("step")))
    return swap_combcp(actions, horizon, **options)


_PLAYERS: dict[str, Callable[..., Player[Any]]] = {
    **{preset: partial(_preset, preset=preset) for preset in ("adaptive", "multiscale", "paper")},
    "single": baselines.combcp,
    "uniform": lambda actions, horizon: baselines.uniform(actions),
    "blum_mansour": baselines.blum_mansour,
    "exp3": baselines.exp3,
    "follow_the_leader": baselines.follow_the_leader,
    "regret_matching": baselines.regret_matching,
    "stoltz": baselines.stoltz,
    "treeswap": baselines.treeswap,
}
"""The learners a description can name: presets of Swap-ComBCP, the single learner, and competitors."""


def make_players(game: Game, horizon: int, specs: Sequence[Mapping[str, Any]]) -> list[Player[Any]]:
    """Make the players of a game.

    Parameters
    ----------
    game : Game
    horizon : int
        Days they will play.
    specs : sequence of mappings
        One for everybody, or one per player: ``learner``, a name; anything else, such as ``feedback``, is handed to it. For
        the presets ``windows`` is a schedule and ``step`` the constant of an adaptive rate.

    Examples
    --------
    >>> from swapregret.games import chicken
    >>> [player.feedback for player in make_players(chicken(), 100, [{"learner": "single", "feedback": "full"}])]
    ['full', 'full']
    """
    given = list(specs) * game.n_players if len(specs) == 1 else list(specs)
    if len(given) != game.n_players:
        raise InvalidInput(
            f"`players` must describe one player for all, or each of {game.n_players}", str(len(given)), "Complete it."
        )
    made = []
    for spec, actions in zip(given, game.action_sets, strict=True):
        options = dict(spec)
        name = check_name(options.pop("learner", "adaptive"), _PLAYERS, "learner")
        try:
            made.append(_PLAYERS[name](actions, horizon, **options))
        except TypeError as error:
            raise InvalidInput(f"options of {name!r} must be ones it has", str(error), "Check the names.") from None
    return made
