"""``swapregret demo`` and ``game``: a world that moves in cycles, and players against each other."""

import hashlib
import math
import os
import time
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress, TaskID

from swapregret import __version__
from swapregret.cli.console import (
    console,
    emit_json,
    progress_bar,
    status_console,
    styled,
    table_of,
    watch_compiling,
)
from swapregret.cli.options import LARGEST_SEED, AsJson, SeedOption, count, days, option, page, runs
from swapregret.counts import check_name, read_count, read_days
from swapregret.errors import InvalidInput

if TYPE_CHECKING:
    from swapregret.environments.environment import Environment
    from swapregret.files.storage import Json
    from swapregret.games.self_play import Checkpoint, SelfPlayResult
    from swapregret.learners.player import AnyPlayer

_PHASES = 7
_MOST_LINEAR = 64
"""Elements of a set up to which linear swap gaps are shown unasked: they take seconds above."""
_loading = Lock()


def demo(
    dimension: Annotated[int, count("dimension", "Elements to choose from.", most=10_000)] = 10,
    size: Annotated[int, count("size", "Elements chosen each day.", most=10_000)] = 3,
    horizon: Annotated[int, days("horizon", "Days to play.", least=_PHASES)] = 100_000,
    seed: SeedOption = 0,
    as_json: AsJson = False,
) -> None:
    """Play Swap-ComBCP, a single learner and uniform play in a world that moves in cycles.

    Example: swapregret demo --horizon 20000 --seed 3
    """
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
    _print_demo(rows, dimension, size, horizon, bound.value, bound.is_vacuous)


def _play(dimension: int, size: int, horizon: int, seed: int) -> list[dict[str, object]]:
    import swapregret as sr
    from swapregret.playing.workers import run_tasks

    mark = _mark()
    with nullcontext() if mark.is_file() else watch_compiling():  # the first lines below compile, too
        actions = sr.MSets(dimension, size)
        world = sr.environments.cyclic(actions, horizon, phases=_PHASES, rng=seed)
        short = sr.environments.cyclic(actions, max(_PHASES, min(horizon, 200)), phases=_PHASES, rng=seed)
        players: dict[str, AnyPlayer] = {
            "Swap-ComBCP (ours)": sr.swap_combcp(actions, horizon),
            "single Lazy-ComBCP": sr.baselines.combcp(actions, horizon),
            "uniform play": sr.baselines.uniform(actions),
        }
        if not mark.is_file():  # side by side, in processes that leave what they compiled on the disk
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
    from swapregret.actions.m_sets import m_set_hull
    from swapregret.compiled.cache_place import cache_folder
    from swapregret.learners.adaptive import pool_phases as adaptive_phases
    from swapregret.learners.multiscale import scale_phases as multiscale_phases
    from swapregret.learners.round import running

    folder = cache_folder(Path(str(running.__file__)).with_name("entries.py"))
    parts = (cache_folder(str(each.__file__)).name for each in (m_set_hull, adaptive_phases, multiscale_phases))
    return folder / hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


def _play_short(player: "AnyPlayer", world: "Environment", seed: int) -> float:
    import swapregret as sr

    return sr.play(player, world, rng=seed).swap_regret.per_round  # measured too: that takes inner loops of its own


def _play_one(
    name: str, player: "AnyPlayer", short: "Environment", world: "Environment", seed: int, bar: Progress, task: TaskID
) -> dict[str, object]:
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


def _print_demo(
    rows: list[dict[str, object]], dimension: int, size: int, horizon: int, bound: float, vacuous: bool
) -> None:
    formats = {
        "player": "",
        "reward": ".3f",
        "external_regret_per_round": "+.3f",
        "swap_regret_per_round": ".3f",
        "seconds": ".1f",
    }
    table = table_of(
        f"Choose {size} of {dimension}, {horizon:,} days, in a world that moves in cycles",
        ("player", "reward\nper day", "external\nregret / T", "swap\nregret / T", "seconds"),
        [[format(row[name], form) for name, form in formats.items()] for row in rows],
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


def game(
    spec: Annotated[Path, typer.Argument(help="A TOML file with the tables game, play and players.")],
    rounds: Annotated[int | None, days("rounds", "Days to play, instead of the file's.")] = None,
    seed: Annotated[int | None, count("seed", "Seed, instead of the file's.", least=0, most=LARGEST_SEED)] = None,
    seeds: Annotated[int, runs("seeds", "How many seeds to play: the report shows the range.")] = 1,
    save: Annotated[Path | None, option("save", "Where to write the correlated play.")] = None,
    report: Annotated[Path | None, page("report", "Where to write the report, a page of HTML.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let learners find a correlated equilibrium of a game, and certify how close they came.

    Example: swapregret game examples/games/blotto.toml --report blotto.html
    """
    from swapregret.games.descriptions import make_game, make_players
    from swapregret.games.self_play import self_play

    content = _read(spec)
    play = content.get("play", {})
    played = make_game(content["game"], spec.parent)
    n_days = read_days(str(play.get("rounds", 10_000)), "play.rounds") if rounds is None else rounds
    first = _count(play, "seed", 0, least=0, most=LARGEST_SEED) if seed is None else seed
    if not as_json:
        status_console.print("day: swap gap of each player (in rewards); the first days compile the loops", style="dim")
    results = [
        self_play(
            played,
            make_players(played, n_days, content.get("players", [{}])),
            n_days,
            rng=each,
            windows=_count(play, "windows", 200),
            checkpoints=_count(play, "checkpoints", 10),
            progress=None if as_json else _show,
        )
        for each in range(first, first + seeds)
    ]
    result = results[0]
    if save is not None:
        result.play.save(save)
    if report is not None:
        from swapregret.experiments.report.game_page import game_page

        facts = {"swapregret": __version__, "seeds": ", ".join(map(str, range(first, first + seeds)))}
        facts |= {"days": f"{n_days:,}", "measured from": f"{result.measure} rewards"}
        options = f"--rounds {n_days} --seed {first}" + (f" --seeds {seeds}" if seeds > 1 else "")
        text = spec.read_text(encoding="utf-8")
        made = game_page(results, f"Self-play: {spec.stem}", spec=text, options=options, facts=facts)
        report.write_text(made, encoding="utf-8")
    if as_json:
        emit_json(_numbers(result))
    else:
        _print(result, spec.stem)


def _read(path: Path) -> "Json":
    from swapregret.experiments.toml_file import parse_toml, read_toml

    content = parse_toml(read_toml(path, "Write one as in docs/games.md."), str(path))
    for name in ("game", "play"):
        if not isinstance(content.get(name, {}), dict):
            raise InvalidInput(f"`{name}` of {path} must be a table", type(content[name]).__name__, f"Write [{name}].")
    for name in content.get("play", {}):
        check_name(name, ("rounds", "seed", "windows", "checkpoints"), "play", "have no fields but")
    if "game" not in content:
        raise InvalidInput(f"{path} must have a table [game]", f"{sorted(content)}", "Add it, with a `kind`.")
    return content


def _count(table: "Json", name: str, default: int, least: int = 1, most: int = 10**6) -> int:
    return read_count(str(table.get(name, default)), f"play.{name}", least, most)


def _show(checkpoint: "Checkpoint") -> None:
    gaps = "  ".join(f"{gap:.4f}" for gap in checkpoint.swap)
    status_console.print(f"{checkpoint.day:>10,}: {gaps}")


def _numbers(result: "SelfPlayResult") -> dict[str, object]:
    found = result.certificate
    return {
        "days": sum(result.play.days),
        "measure": result.measure,
        "epsilon": found.epsilon,
        "epsilon_at_least": found.lower,
        "coarse_epsilon": found.coarse_epsilon,
        "linear_gaps": _linear(result),
        "is_exact": found.is_exact,
        "welfare": result.play.welfare,
        "players": _gaps(result),
        "history": [{"day": each.day, "swap": each.swap, "external": each.external} for each in result.history],
    }


def _linear(result: "SelfPlayResult") -> list[float] | None:
    """Return the linear swap gaps, where the linear programs of all players are small."""
    from swapregret.geometry.hull_equations import Described

    if all(isinstance(own, Described) and own.dimension <= _MOST_LINEAR for own in result.game.action_sets):
        return [gap.value for gap in result.linear_gaps]
    return None


def _gaps(result: "SelfPlayResult") -> "list[Json]":
    """Return what each player was paid, and by how much it could have done better."""
    found = result.certificate
    return [
        {
            "name": name,
            "payoff": float(paid),
            "swap_gap": swap.value,
            "swap_gap_in_payoffs": swap.in_payoffs,
            "external_gap": external.value,
        }
        for name, paid, swap, external in zip(found.names, result.play.payoffs, found.swap, found.external, strict=True)
    ]


def _print(result: "SelfPlayResult", title: str) -> None:
    found = result.certificate
    keys = ("payoff", "swap_gap", "swap_gap_in_payoffs", "external_gap")
    rows = [[each["name"], *(f"{each[key]:.4f}" for key in keys)] for each in _gaps(result)]
    headings = ("player", "expected\npayoff", "swap gap", "in\npayoffs", "external\ngap")
    console.print(table_of(f"{title}: {sum(result.play.days):,} days of self-play", headings, rows))
    console.print(f"{str(found).splitlines()[0]}; social welfare {result.play.welfare:.4f}")
    if (linear := _linear(result)) is not None:
        gaps = ", ".join(f"{gap:.4g}" for gap in linear)
        console.print(f"Linear swap gaps, of those who know marginals alone: {gaps}.", style="dim")
    for player, name in enumerate(found.names):
        best = result.play.best_deviation(player, 1).exchanges
        if best and best[0].gain > 0.0:
            console.print(f"{name}: {best[0]}", style="dim")
