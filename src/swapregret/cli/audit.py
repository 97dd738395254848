"""``swapregret audit``: all regrets of a log, whoever made it."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from swapregret.cli.console import console, emit_json, report_errors
from swapregret.cli.options import AsJson, SetSpec, count, read_set
from swapregret.extras import require_extra

if TYPE_CHECKING:
    from swapregret.regret.audit import Audit
    from swapregret.regret.measure import Regret

__all__ = ["audit"]

_NAMES = ("external", "internal", "swap", "dynamic")


def audit(
    log: Annotated[Path, typer.Argument(help="CSV or Parquet file: one action and one reward vector per row.")],
    set_spec: SetSpec,
    limit: Annotated[int, count("limit", "Exchanges to show.", least=0)] = 20,
    picture: Annotated[Path | None, typer.Option(help="Write a page with the gains to this HTML file.")] = None,
    capacity: Annotated[int | None, count("capacity", "Most actions to keep an entry for.")] = None,
    cost_range: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Columns are cost:LABEL, between these two numbers: regrets say what could have been saved."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure external, internal, swap and dynamic regret of a log, and show the best swap function.

    The header names the columns: `action` (labels separated by ;) or `indices` or `action:LABEL` (0/1), `reward:LABEL`
    for each element, optionally `probability` and `round`.

    Example: swapregret audit plays.csv --set "msets 20 5" --picture gains.html
    """
    with report_errors():
        from swapregret.regret.audit import audit as audit_plays
        from swapregret.regret.log_file import read_log

        if picture is not None:
            require_extra("experiments", "`--picture`", only="plotly")
        actions = read_set(set_spec)
        logged = read_log(log, actions, is_cost=cost_range is not None)
        result = audit_plays(
            actions,
            logged.plays,
            logged.rewards,
            rounds=logged.rounds,
            probabilities=logged.probabilities,
            capacity=capacity,
            cost_range=cost_range,
        )
        if picture is not None:
            from swapregret.experiments.report.lines import gains_page

            title = f"{log.name}: swap regret {result.swap_regret.value:.4g}"
            picture.write_text(gains_page(result.best_swap, title, limit=limit), encoding="utf-8")
        if as_json:
            emit_json(_plain(result, limit))
            return
        _print(result, limit, logged.ignored)
        if picture is not None:
            console.print(f"Picture written to {picture}.", style="dim")


def _plain(result: "Audit", limit: int) -> dict[str, Any]:
    def regret(value: "Regret") -> dict[str, Any]:
        return {
            "value": value.value,
            "lower": value.lower,
            "upper": value.upper,
            "per_round": value.per_round,
            "standard_error": None if math.isnan(value.standard_error) else value.standard_error,
            "definition": value.definition,
        }

    return {
        "days": result.n_days,
        **({"cost_per_day": result.cost} if result.is_cost else {"reward_per_day": result.reward}),
        **{f"{name}_regret": regret(value) for name, value in zip(_NAMES, result.regrets, strict=True)},
        "best_swap": [
            {
                "played": list(map(str, exchange.played_elements)),
                "better": list(map(str, exchange.better_elements)),
                "days": exchange.days,
                "gain": exchange.gain,
                "gain_per_day": exchange.gain_per_day,
            }
            for exchange in result.best_swap.exchanges[:limit]
        ],
    }


def _print(result: "Audit", limit: int, ignored: tuple[str, ...]) -> None:
    earned = f"cost {result.cost:.6g}" if result.is_cost else f"reward {result.reward:.6g}"
    table = Table(title=f"{result.n_days:,} days, {earned} per day")
    table.add_column("regret")
    for heading in ("total", "per day", "between"):
        table.add_column(heading, justify="right")
    for name, value in zip(_NAMES, result.regrets, strict=True):
        bracket = "exact" if value.is_exact else f"{value.lower:.6g} … {value.upper:.6g}"
        table.add_row(name, f"{value.value:.6g}", f"{value.per_round:+.6g}", bracket)
    console.print(table)
    for value in result.regrets:
        console.print(f"{value.definition}.", style="dim")
    if ignored:
        console.print(f"Columns left alone: {', '.join(ignored)}.", style="dim")
    for exchange in result.best_swap.exchanges[:limit]:
        console.print(f"{exchange}.")
    hidden = result.best_swap.n_played - min(limit, len(result.best_swap))
    if hidden > 0:
        console.print(f"… and {hidden:,} more actions (--limit).", style="dim")
