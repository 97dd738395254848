"""``swapregret warm``: compile before it is needed."""

import time
from typing import Annotated

from swapregret.cli.console import console, emit_json, watch_compiling
from swapregret.cli.options import PRESET_NAMES, AsJson, SetSpec, choice, days, option, read_set
from swapregret.errors import InvalidInput

_FEEDBACK_WORDS = ("bandit", "semi-bandit", "full")
_WARM_PRESETS = (*PRESET_NAMES, "ladder")


def warm(
    set_spec: SetSpec = "",
    every: Annotated[bool, option("all", "Every kind of set, with and without a horizon: some minutes.")] = False,
    preset: Annotated[str, choice("preset", "Which player", _WARM_PRESETS)] = "adaptive",
    feedback: Annotated[str, choice("feedback", "What the player will be shown", _FEEDBACK_WORDS)] = "bandit",
    horizon: Annotated[int, days("horizon", "Days the player will be made for.", least=2)] = 100_000,
    as_json: AsJson = False,
) -> None:
    """Compile ahead of time what a player needs on a set, for sessions and for play; it stays on the disk.

    Run it once after installing or updating, for example while a container is built: the first day of a service is then as
    fast as the others. The set need not be the one that will be played, only one of its kind.

    Example: swapregret warm --set "msets 20 5" --preset adaptive
    """
    from swapregret.compiled.cache_place import cache_folder
    from swapregret.experiments.forecast import every_kind_of_set, warm_up
    from swapregret.learners.presets import swap_combcp

    if every == bool(set_spec):
        came = "both" if every else "neither"
        raise InvalidInput("warm must be given a set or --all", came, 'Write --set "msets 20 5", or --all.')
    sets = every_kind_of_set() if every else [read_set(set_spec)]
    shown = _FEEDBACK_WORDS if every else (feedback,)
    presets = tuple(dict.fromkeys((preset, "ladder"))) if every else (preset,)
    players = [
        swap_combcp(each, horizon, preset=kind, feedback=one) for kind in presets for one in shown for each in sets
    ]
    started = time.perf_counter()
    with watch_compiling() as n_new:
        for player in players:
            warm_up(player)
        n_compiled = n_new()
    taken, folder = time.perf_counter() - started, str(cache_folder().parent)
    if as_json:
        emit_json({"compiled": n_compiled, "seconds": taken, "folder": folder})
    else:
        what = f"{set_spec or 'every kind of set'}, {' and '.join(presets)}, {', '.join(shown)} feedback"
        console.print(
            f"{what}: {n_compiled} functions compiled in {taken:.1f} s, kept in {folder}",
            soft_wrap=True,
        )
