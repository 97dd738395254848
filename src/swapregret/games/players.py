"""Players by name, for descriptions of self-plays."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from swapregret.actions.base import ActionSet
from swapregret.errors import InvalidInput
from swapregret.games.base import Game
from swapregret.learners import baselines
from swapregret.learners.lazy import AdaptiveRate
from swapregret.learners.player import Player
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule

__all__ = ["PLAYER_NAMES", "make_players"]


def _preset(name: str) -> Callable[..., Player[Any]]:
    def make(actions: ActionSet, horizon: int, **options: Any) -> Player[Any]:
        if "windows" in options:
            options["schedule"] = Schedule(windows=options.pop("windows"))
        if "step" in options:
            options["rate"] = AdaptiveRate(float(options.pop("step")))
        return swap_combcp(actions, horizon, preset=name, **options)

    return make


def _uniform(actions: ActionSet, horizon: int, **options: Any) -> Player[Any]:
    return baselines.uniform(actions)


_PLAYERS: dict[str, Callable[..., Player[Any]]] = {
    "adaptive": _preset("adaptive"),
    "multiscale": _preset("multiscale"),
    "paper": _preset("paper"),
    "single": baselines.combcp,
    "uniform": _uniform,
    "blum_mansour": baselines.blum_mansour,
    "exp3": baselines.exp3,
    "follow_the_leader": baselines.follow_the_leader,
    "regret_matching": baselines.regret_matching,
    "stoltz": baselines.stoltz,
    "treeswap": baselines.treeswap,
}
PLAYER_NAMES = tuple(_PLAYERS)
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
    >>> from swapregret.games.kinds.classics import chicken
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
        name = options.pop("learner", "adaptive")
        if name not in _PLAYERS:
            raise InvalidInput(f"`learner` must be one of {PLAYER_NAMES}", repr(name), "Check the name.")
        try:
            made.append(_PLAYERS[name](actions, horizon, **options))
        except TypeError as error:
            raise InvalidInput(f"options of {name!r} must be ones it has", str(error), "Check the names.") from None
    return made
