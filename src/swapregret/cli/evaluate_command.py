"""``swapregret evaluate``: what another policy would have earned on the days of a log."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapregret.cli.console import console, emit_json, table_of
from swapregret.cli.log_commands import Pair
from swapregret.cli.options import AsJson, SetSpec, option, read_set
from swapregret.errors import InvalidInput

if TYPE_CHECKING:
    from swapregret.arrays import Label
    from swapregret.learners.player import AnyPlayer
    from swapregret.policy import Policy

_PLAYERS = ("swap_combcp", "swap_comband")


def evaluate(
    log: Annotated[
        Path, typer.Argument(help="CSV or Parquet file: action, reward or cost, and policy if it is known.")
    ],
    set_spec: SetSpec,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            metavar="WHAT",
            help="What to value: labels separated by ;, uniform, swap_combcp or swap_comband.",
        ),
    ],
    policies: Annotated[
        str | None,
        typer.Option("--policies", metavar="WHO", help="Who drew the log, where it does not say: uniform or constant."),
    ] = None,
    reward_range: Annotated[
        Pair, typer.Option("--reward-range", metavar="LOW HIGH", help="Least and largest total reward.")
    ] = None,
    cost_range: Annotated[
        Pair, typer.Option("--cost-range", metavar="LOW HIGH", help="The same of costs; the column is then cost.")
    ] = None,
    confidence: Annotated[float, option("confidence", "How often the intervals hold.")] = 0.95,
    as_json: AsJson = False,
) -> None:
    """Estimate what another policy would have earned on the days of a log, from actions, totals and who drew them.

    Two estimates, pseudo-inverse and doubly robust, each with an interval; how many days of its own the log is worth; and the
    share of days that say nothing about it.

    Example: swapregret evaluate log.csv --set "msets 20 5" --policy "0;3;4;7;9" --policies uniform
    """
    from swapregret.learners import presets
    from swapregret.logs.evaluating import evaluate as value_of
    from swapregret.logs.log import read_past

    actions = read_set(set_spec)
    past = read_past(log, actions, policies=policies, reward_range=reward_range, cost_range=cost_range)
    if policy == "uniform":
        target: Policy | AnyPlayer | list[Label] = actions.uniform_policy()
    elif policy in _PLAYERS:
        target = getattr(presets, policy)(actions, len(past))
    else:
        target = [_label(actions.labels, name.strip()) for name in policy.split(";")]
    found = value_of(past, target, confidence=confidence)
    if as_json:
        names = ("logged", "n_days", "effective_days", "without_support", "told", "confidence")
        estimates = {name: vars(getattr(found, name)) for name in ("doubly_robust", "pseudo_inverse")}
        emit_json(estimates | {name: getattr(found, name) for name in names})
        return
    console.print(table_of(*found.table()))
    console.print(f"{found.definition}.", style="dim")


def _label(labels: "tuple[Label, ...]", name: str) -> "Label":
    """Return the label that is written like this."""
    for label in labels:
        if str(label) == name:
            return label
    must = "`--policy` must be uniform, swap_combcp, swap_comband, or labels of the set separated by ;"
    raise InvalidInput(must, repr(name), f"Labels are e.g. {[str(each) for each in labels[:5]]}.")
