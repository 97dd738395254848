"""``swapregret demo``: the whole product in two seconds."""

import hashlib
import math
import os
import time
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any

from rich.progress import Progress, TaskID
from rich.table import Table

from swapregret.cli.compiling import watch_compiling
from swapregret.cli.console import console, emit_json, progress_bar, report_errors, status_console, styled
from swapregret.cli.options import AsJson, Seed, count, days

if TYPE_CHECKING:
    from swapregret.environments.base import Environment
    from swapregret.learners.player import Player

__all__ = ["demo"]

_PHASES = 7
_FUNCTIONS = 156
"""How many functions a first run compiles, one after the other at an even pace; it says how many there were."""
_loading = Lock()


def demo(
    dimension: Annotated[int, count("dimension", "Elements to choose from.", most=10_000)] = 10,
    size: Annotated[int, count("size", "Elements chosen each day.", most=10_000)] = 3,
    horizon: Annotated[int, days("horizon", "Days to play.", least=_PHASES)] = 100_000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Play Swap-ComBCP, a single learner and uniform play on a world that turns in cycles.

    Example: swapregret demo --horizon 20000 --seed 3
    """
    with report_errors():
        from swapregret.regret.bounds import swap_combcp_bound

        rows = _play(dimension, size, horizon, seed)
        bound = swap_combcp_bound(dimension, horizon)
        if as_json:
            emit_json(
                {
                    "environment": f"cyclic, {_PHASES} phases",
                    "set": {"dimension": dimension, "size": size},
                    "horizon": horizon,
                    "seed": seed,
                    "definition": rows[0]["definition"],
                    "theorem_bound_per_round": bound.value / horizon if math.isfinite(bound.value) else None,
                    "theorem_bound_is_vacuous": bound.is_vacuous,
                    "players": rows,
                }
            )
            return
        _print(rows, dimension, size, horizon, bound.value, bound.is_vacuous)


def _play(dimension: int, size: int, horizon: int, seed: int) -> list[dict[str, Any]]:
    import swapregret as sr
    from swapregret.workers import run_tasks

    actions = sr.MSets(dimension, size)
    world = sr.environments.cyclic(actions, horizon, phases=_PHASES, rng=seed)
    players: dict[str, Player[Any]] = {
        "Swap-ComBCP (ours)": sr.swap_combcp(actions, horizon),
        "single Lazy-ComBCP": sr.baselines.combcp(actions, horizon),
        "uniform play": sr.baselines.uniform(actions),
    }
    short = sr.environments.cyclic(actions, max(_PHASES, min(horizon, 200)), phases=_PHASES, rng=seed)
    mark = _mark()
    if not mark.is_file():  # side by side, in processes that leave what they compiled on the disk
        with watch_compiling(_FUNCTIONS):
            list(run_tasks(_play_short, [(player, short, seed) for player in players.values()], os.cpu_count() or 1))
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    status_console.print("Loading the compiled inner loops ...", style="dim")
    with progress_bar() as bar:
        tasks = [
            (name, player, short, world, seed, bar, bar.add_task(name, total=horizon))
            for name, player in players.items()
        ]
        return list(run_tasks(_play_one, tasks, os.cpu_count() or 1, threads=True))


def _mark() -> Path:
    """Return the file that says that an earlier run has left the inner loops of the demo on the disk, as they stand now."""
    from swapregret.actions.m_sets import m_set_family
    from swapregret.compiled.kernel import cache_folder
    from swapregret.learners.adaptive import phases as adaptive_phases
    from swapregret.learners.multiscale import phases as multiscale_phases
    from swapregret.learners.round import running

    folder = cache_folder(Path(str(running.__file__)).with_name("entries.py"))
    parts = (cache_folder(str(each.__file__)).name for each in (m_set_family, adaptive_phases, multiscale_phases))
    return folder / hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def _play_short(player: "Player[Any]", world: "Environment", seed: int) -> float:
    import swapregret as sr

    return sr.play(player, world, rng=seed).swap_regret.per_round  # measured too: that takes inner loops of its own


def _play_one(
    name: str, player: "Player[Any]", short: "Environment", world: "Environment", seed: int, bar: Progress, task: TaskID
) -> dict[str, Any]:
    import swapregret as sr

    with _loading:  # one after the other, while those that are loaded play; the seconds are of playing alone
        _play_short(player, short, seed)
    started = time.thread_time()
    result = sr.play(player, world, rng=seed, progress=partial(bar.advance, task))
    return {
        "player": name,
        "reward": result.reward,
        "external_regret_per_round": result.external_regret.per_round,
        "swap_regret_per_round": result.swap_regret.per_round,
        "definition": result.swap_regret.definition,
        "seconds": time.thread_time() - started,
    }


def _print(rows: list[dict[str, Any]], dimension: int, size: int, horizon: int, bound: float, vacuous: bool) -> None:
    table = Table(title=f"Choose {size} of {dimension}, {horizon:,} days, in a world that turns in cycles")
    table.add_column("player")
    for heading in ("reward\nper day", "external\nregret / T", "swap\nregret / T", "seconds"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row["player"],
            f"{row['reward']:.3f}",
            f"{row['external_regret_per_round']:+.3f}",
            f"{row['swap_regret_per_round']:.3f}",
            f"{row['seconds']:.1f}",
        )
    table.add_section()
    verdict = " (vacuous)" if vacuous else ""
    table.add_row(
        styled(("the theorem's bound", "dim")), "", "", styled((f"{bound / horizon:.1f}{verdict}", "dim")), ""
    )
    console.print(table)
    console.print(f"Swap regret as measured: {rows[0]['definition']}.", style="dim")
    console.print(
        "What you see: the single learner regrets no fixed choice, and yet a rule “whenever you chose X, choose Y” would "
        "have earned it the swap regret in its row, every day; Swap-ComBCP plays on several time scales at once and "
        "leaves almost nothing to such rules."
    )
