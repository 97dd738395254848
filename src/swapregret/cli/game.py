"""``swapregret game``: players learn against each other in a game described by a file.

May touch: the library, ``cli.console``, ``experiments.report``.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from swapregret.cli.console import console, emit_json, report_errors, status_console
from swapregret.errors import InvalidInput
from swapregret.experiments.report.game import game_page
from swapregret.experiments.task import library_version
from swapregret.games.players import make_players
from swapregret.games.self_play import Checkpoint, SelfPlayResult, self_play
from swapregret.games.spec import make_game

__all__ = ["game"]


def game(
    spec: Annotated[Path, typer.Argument(help="A TOML file with [game], [play] and [[players]].")],
    rounds: Annotated[int | None, typer.Option(help="Days to play, instead of the file's.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed, instead of the file's.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds to play: the report shows the range.")] = 1,
    save: Annotated[Path | None, typer.Option(help="Where to write the correlated play.")] = None,
    report: Annotated[Path | None, typer.Option(help="Where to write the report, a page of HTML.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Let learners find a correlated equilibrium of a game, and certify how close they came.

    Example: swapregret game examples/games/blotto.toml --report blotto.html
    """
    with report_errors():
        content = _read(spec)
        play = content.get("play", {})
        played = make_game(content["game"], spec.parent)
        days = int(play.get("rounds", 10_000)) if rounds is None else rounds
        first = int(play.get("seed", 0)) if seed is None else seed
        if not as_json:
            status_console.print("[dim]day: swap gap of each player (in rewards); the first days compile the loops[/]")
        results = [
            self_play(
                played,
                make_players(played, days, content.get("players", [{}])),
                days,
                rng=each,
                windows=int(play.get("windows", 200)),
                checkpoints=int(play.get("checkpoints", 10)),
                progress=None if as_json else _show,
            )
            for each in range(first, first + seeds)
        ]
        result = results[0]
        if save is not None:
            result.play.save(save)
        if report is not None:
            facts = {"swapregret": library_version(), "seeds": ", ".join(map(str, range(first, first + seeds)))}
            facts |= {"days": f"{days:,}", "measured from": f"{result.measure} rewards"}
            page = game_page(results, f"Self-play: {spec.stem}", spec=spec.read_text(encoding="utf-8"), facts=facts)
            report.write_text(page, encoding="utf-8")
        if as_json:
            emit_json(_numbers(result))
        else:
            _print(result, spec.stem)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput("the description must be a readable TOML file", f"{path}: {error}", "Correct it.") from None
    if not isinstance(content.get("game"), dict):
        raise InvalidInput("the description must have a table [game]", f"{sorted(content)}", "Add it, with a `kind`.")
    return content


def _show(checkpoint: Checkpoint) -> None:
    gaps = "  ".join(f"{gap:.4f}" for gap in checkpoint.swap)
    status_console.print(f"{checkpoint.day:>10,}: {gaps}", highlight=False)


def _numbers(result: SelfPlayResult) -> dict[str, Any]:
    found = result.certificate
    return {
        "days": sum(result.play.days),
        "measure": result.measure,
        "epsilon": found.epsilon,
        "epsilon_at_least": found.lower,
        "coarse_epsilon": found.coarse_epsilon,
        "is_exact": found.is_exact,
        "welfare": result.play.welfare,
        "players": [
            {
                "name": name,
                "payoff": float(paid),
                "swap_gap": swap.value,
                "swap_gap_in_payoffs": swap.in_payoffs,
                "external_gap": external.value,
            }
            for name, paid, swap, external in zip(
                found.names, result.play.payoffs, found.swap, found.external, strict=True
            )
        ],
        "history": [{"day": each.day, "swap": each.swap, "external": each.external} for each in result.history],
    }


def _print(result: SelfPlayResult, title: str) -> None:
    found = result.certificate
    table = Table(title=f"{title}: {sum(result.play.days):,} days of self-play")
    table.add_column("player")
    for heading in ("expected\npayoff", "swap gap", "in\npayoffs", "external\ngap"):
        table.add_column(heading, justify="right")
    for name, paid, swap, external in zip(found.names, result.play.payoffs, found.swap, found.external, strict=True):
        table.add_row(name, f"{paid:.4f}", f"{swap.value:.4f}", f"{swap.in_payoffs:.4f}", f"{external.value:.4f}")
    console.print(table)
    console.print(f"{str(found).splitlines()[0]}; social welfare {result.play.welfare:.4f}", highlight=False)
    for player, name in enumerate(found.names):
        best = result.play.best_deviation(player, 1).exchanges
        if best and best[0].gain > 0.0:
            console.print(f"[dim]{name}: {best[0]}[/]", highlight=False)
