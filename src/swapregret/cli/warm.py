"""``swapregret warm``: compile what a player needs before it is needed."""

import time
from typing import Annotated

import typer

from swapregret.cli.compiling import watch_compiling
from swapregret.cli.console import console, emit_json, report_errors
from swapregret.cli.options import AsJson, Preset, SetSpec, days, read_preset, read_set

__all__ = ["warm"]

_FEEDBACKS = ("bandit", "semi-bandit", "full")


def warm(
    set_spec: SetSpec,
    preset: Preset = "adaptive",
    feedback: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"What the player will be shown: {', '.join(_FEEDBACKS)}.",
            autocompletion=lambda: list(_FEEDBACKS),
        ),
    ] = "bandit",
    horizon: Annotated[int, days("horizon", "Days the player will be made for.", least=2)] = 100_000,
    as_json: AsJson = False,
) -> None:
    """Compile ahead of time what a player needs on a set, for sessions and for play; it stays on the disk.

    Run it once after installing or updating, for example while a container is built: the first day of a service is then as
    fast as the others. The set need not be the one that will be played, only one of its kind.

    Example: swapregret warm --set "msets 20 5" --preset adaptive
    """
    with report_errors():
        from swapregret.compiled.kernel import cache_folder
        from swapregret.experiments.forecast import warm_up
        from swapregret.names import check_name
        from swapregret.learners.presets import swap_combcp
        from swapregret.names import check_name

        shown = check_name(feedback, _FEEDBACKS, "feedback")
        player = swap_combcp(read_set(set_spec), horizon, preset=read_preset(preset), feedback=shown)
        started = time.perf_counter()
        with watch_compiling() as n_new:
            warm_up(player)
            n_compiled = n_new()
        seconds, folder = time.perf_counter() - started, str(cache_folder().parent)
        if as_json:
            emit_json({"compiled": n_compiled, "seconds": seconds, "folder": folder})
        else:
            console.print(
                f"{set_spec}, {preset}, {shown} feedback: {n_compiled} functions compiled in {seconds:.1f} s, kept in {folder}",
                soft_wrap=True,
            )
