"""Games and players by description: tables of plain values, as TOML and JSON files hold them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from swapregret.arguments import call_by_name, checked
from swapregret.arrays import as_integer, as_number
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


@checked
def _matrix(
    folder: Path,
    payoffs: Any = None,
    labels: Any = None,
    names: Any = None,
    *,
    file: str | None = None,
    classic: str | None = None,
) -> Game:
    if file is not None:
        return read_nfg(folder / file)
    if classic is not None:
        game: Game = getattr(classics, check_name(classic, classics.__all__, "classic"))()
        return game
    return MatrixGame(_given("matrix", payoffs=payoffs), labels, names)


@checked
def _sequential(
    folder: Path, tree: Any = None, names: Any = None, *, file: str | None = None, openspiel: str | None = None
) -> Game:
    if file is not None:
        return read_efg(folder / file)
    if openspiel is not None:
        from swapregret.games.kinds.from_openspiel import (
            from_openspiel,  # plays, which it makes, are read by descriptions
        )

        return from_openspiel(openspiel)
    return SequentialGame(_given("sequential", tree=tree), names)


@checked
def _routing(
    folder: Path,
    commodities: Sequence[Any],
    *,
    vehicles: float = 1.0,
    file: str | None = None,
    edges: Sequence[Any] | None = None,
    layered: Sequence[int] | None = None,
    costs: Any = None,
    affine: Mapping[str, Any] | None = None,
    bpr: Mapping[str, Any] | None = None,
    seed: int = 0,
    allowed: Any = None,
) -> Game:
    if file is not None:
        return RoutingGame.from_tntp(folder / file, commodities, vehicles=vehicles)
    if edges is None:
        edges = call_by_name(layered_edges, "`layered` must be [layers, width]", *_given("routing", layered=layered))
    n, count = len(commodities), len(edges)
    if affine is not None:
        costs = call_by_name(affine_costs, "`affine` must have constant and slope", n_players=n, **affine)
    elif bpr is not None:
        must = "`bpr` must have free_flow, capacity, factor and power"
        costs = call_by_name(bpr_costs, must, n_players=n, vehicles=vehicles, **bpr)
    elif costs is None:
        source = np.random.default_rng(as_integer(seed, "seed", 0))
        costs = affine_costs(source.uniform(0.0, 1.0, count), source.uniform(0.0, 1.0, count), n)
    return RoutingGame(edges, costs, commodities, allowed)


def _given(kind: str, **argument: Any) -> Any:
    """Return the one argument, which a game of a kind must have."""
    ((name, value),) = argument.items()
    if value is None:
        raise InvalidInput(f"the description of a {kind} game must have `{name}`", "none", "Add it.")
    return value


_KINDS: dict[str, Callable[..., Game]] = {
    "blotto": BlottoGame,
    "matching": MatchingMarket,
    "matrix": _matrix,
    "ranking": RankingDuel,
    "routing": _routing,
    "security": SecurityGame,
    "sequential": _sequential,
    "shapley": ShapleyGame,
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
    options = dict(spec)
    kind = check_name(options.pop("kind", None), _KINDS, "kind")
    if kind == "blotto" and "fields" in options:
        options["values"] = as_integer(options.pop("fields"), "fields", 1)
    if "folder" in signature(_KINDS[kind]).parameters:
        options["folder"] = folder or Path()
    return call_by_name(_KINDS[kind], f"the description of a {kind} game must have what it is made of", **options)


_PRESETS = ("adaptive", "multiscale", "paper")
_PLAYERS: dict[str, Callable[..., Player[Any]]] = {
    **{preset: partial(swap_combcp, preset=preset) for preset in _PRESETS},
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


@checked
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
        if name in _PRESETS and "windows" in options:
            options["schedule"] = Schedule(windows=options.pop("windows"))
        if name in _PRESETS and "step" in options:
            options["rate"] = AdaptiveRate(as_number(options.pop("step"), "step"))
        made.append(
            call_by_name(_PLAYERS[name], f"options of {name!r} must be ones it has", actions, horizon, **options)
        )
    return made
