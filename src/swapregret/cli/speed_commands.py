"""``swapregret warm`` and ``bench``: compile before it is needed, and how fast it is, here."""

import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from rich import box

from swapregret.cli.console import console, emit_json, status_console, styled, table_of, watch_compiling
from swapregret.cli.options import AsJson, Preset, SetSpec, choice, days, option, read_set, seconds
from swapregret.errors import InvalidInput

_FEEDBACK_WORDS = ("bandit", "semi-bandit", "full")
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def warm(
    set_spec: SetSpec = "",
    every: Annotated[bool, option("all", "Every kind of set and every feedback, for an image: some minutes.")] = False,
    preset: Preset = "adaptive",
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
    players = [swap_combcp(each, horizon, preset=preset, feedback=one) for one in shown for each in sets]
    started = time.perf_counter()
    with watch_compiling() as n_new:
        for player in players:
            warm_up(player)
        n_compiled = n_new()
    taken, folder = time.perf_counter() - started, str(cache_folder().parent)
    if as_json:
        emit_json({"compiled": n_compiled, "seconds": taken, "folder": folder})
    else:
        what = f"{set_spec or 'every kind of set'}, {preset}, {', '.join(shown)} feedback"
        console.print(
            f"{what}: {n_compiled} functions compiled in {taken:.1f} s, kept in {folder}",
            soft_wrap=True,
        )


def bench(
    quick: Annotated[bool, option("quick", "Fewer rounds, without the largest sets: a minute or two.")] = False,
    each: Annotated[float | None, seconds("seconds", "Processor time for each figure that is no door.")] = None,
    write: Annotated[Path | None, option("write", "A page whose tables are rewritten: docs/performance.md.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure sessions, games, own sets, starts, rounds per second and peers on this machine.

    Everything but sessions and starts is processor time of one core, with one thread of linear algebra.

    Example: swapregret bench --quick
    """
    os.environ.update(_ONE_THREAD)  # read when NumPy is loaded, below
    from swapregret.experiments.bench.run_bench import run_bench
    from swapregret.experiments.bench.sheets import describe_bench, sheets, write_page
    from swapregret.experiments.measured_block import around

    if write is not None:
        around(write)  # a page that cannot be written is found before the minutes of measuring
    if status_console.is_terminal:
        with status_console.status("measuring ...") as status:
            result = run_bench(quick=quick, seconds=each, progress=lambda what: status.update(styled(what)))
    else:
        result = run_bench(quick=quick, seconds=each)
    if write is not None:
        write_page(write, result)
    if as_json:
        emit_json(asdict(result))
        return
    console.print(describe_bench(result))
    for sheet in sheets(result):
        table = table_of(sheet.title, sheet.headings, sheet.rows, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.columns[0].no_wrap = True
        console.print(table)
