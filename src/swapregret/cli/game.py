"""``swapregret game``: players learn against each other in a game described by a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from swapregret.cli.console import console, emit_json, report_errors, status_console
from swapregret.cli.options import AsJson, count, days
from swapregret.counts import MOST_REPLICATIONS, read_count, read_days
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra

if TYPE_CHECKING:
    from swapregret.games.self_play import Checkpoint, SelfPlayResult

__all__ = ["game"]

_LAST_SEED = 2**63 - 1


def game(
    spec: Annotated[Path, typer.Argument(help="A TOML file with the tables game, play and players.")],
    rounds: Annotated[int | None, days("rounds", "Days to play, instead of the file's.")] = None,
    seed: Annotated[int | None, count("seed", "Seed, instead of the file's.", least=0, most=_LAST_SEED)] = None,
    seeds: Annotated[
        int, count("seeds", "How many seeds to play: the report shows the range.", most=MOST_REPLICATIONS)
    ] = 1,
    save: Annotated[Path | None, typer.Option(help="Where to write the correlated play.")] = None,
    report: Annotated[Path | None, typer.Option(help="Where to write the report, a page of HTML.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let learners find a correlated equilibrium of a game, and certify how close they came.

    Example: swapregret game examples/games/blotto.toml --report blotto.html
    """
    with report_errors():
        if report is not None:
            require_extra("experiments", "`--report`", only="plotly")
        from swapregret.games.players import make_players
        from swapregret.games.self_play import self_play
        from swapregret.games.spec import make_game

        content = _read(spec)
        play = content.get("play", {})
        played = make_game(content["game"], spec.parent)
        n_days = read_days(str(play.get("rounds", 10_000)), "play.rounds") if rounds is None else rounds
        first = _count(play, "seed", 0, least=0, most=_LAST_SEED) if seed is None else seed
        if not as_json:
            status_console.print(
                "day: swap gap of each player (in rewards); the first days compile the loops", style="dim"
            )
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
            from swapregret.experiments.runs.task import library_version

            facts = {"swapregret": library_version(), "seeds": ", ".join(map(str, range(first, first + seeds)))}
            facts |= {"days": f"{n_days:,}", "measured from": f"{result.measure} rewards"}
            options = f"--rounds {n_days} --seed {first}" + (f" --seeds {seeds}" if seeds > 1 else "")
            text = spec.read_text(encoding="utf-8")
            page = game_page(results, f"Self-play: {spec.stem}", spec=text, options=options, facts=facts)
            report.write_text(page, encoding="utf-8")
        if as_json:
            emit_json(_numbers(result))
        else:
            _print(result, spec.stem)


def _read(path: Path) -> dict[str, Any]:
    from swapregret.experiments.toml_file import parse_toml, read_toml

    content = parse_toml(read_toml(path, "Write one as in docs/games.md."), str(path))
    for name in ("game", "play"):
        if not isinstance(content.get(name, {}), dict):
            raise InvalidInput(f"`{name}` of {path} must be a table", type(content[name]).__name__, f"Write [{name}].")
    if "game" not in content:
        raise InvalidInput(f"{path} must have a table [game]", f"{sorted(content)}", "Add it, with a `kind`.")
    return content


def _count(table: dict[str, Any], name: str, default: int, least: int = 1, most: int = 10**6) -> int:
    return read_count(str(table.get(name, default)), f"play.{name}", least, most)


def _show(checkpoint: "Checkpoint") -> None:
    gaps = "  ".join(f"{gap:.4f}" for gap in checkpoint.swap)
    status_console.print(f"{checkpoint.day:>10,}: {gaps}")


def _numbers(result: "SelfPlayResult") -> dict[str, Any]:
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


def _print(result: "SelfPlayResult", title: str) -> None:
    found = result.certificate
    table = Table(title=f"{title}: {sum(result.play.days):,} days of self-play")
    table.add_column("player")
    for heading in ("expected\npayoff", "swap gap", "in\npayoffs", "external\ngap"):
        table.add_column(heading, justify="right")
    for name, paid, swap, external in zip(found.names, result.play.payoffs, found.swap, found.external, strict=True):
        table.add_row(name, f"{paid:.4f}", f"{swap.value:.4f}", f"{swap.in_payoffs:.4f}", f"{external.value:.4f}")
    console.print(table)
    console.print(f"{str(found).splitlines()[0]}; social welfare {result.play.welfare:.4f}")
    for player, name in enumerate(found.names):
        best = result.play.best_deviation(player, 1).exchanges
        if best and best[0].gain > 0.0:
            console.print(f"{name}: {best[0]}", style="dim")
