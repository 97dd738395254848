"""``swapregret audit``, ``evaluate`` and ``journal``: regrets of a log, the worth of another policy on it, what a journal holds."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapregret.cli.console import console, emit_json, plain, table_of
from swapregret.cli.options import AsJson, SetSpec, count, days, option, page, read_set
from swapregret.counts import check_name
from swapregret.errors import InvalidInput
from swapregret.registry import SPEC_FORMS

if TYPE_CHECKING:
    from swapregret.arrays import Label
    from swapregret.files.storage import Json
    from swapregret.learners.player import AnyPlayer
    from swapregret.policy import Policy
    from swapregret.regret.measure import AuditTable, Regret
    from swapregret.sessions.journal_check import JournalReport

Pair = tuple[float, float] | None
DeclaredPolicies = Annotated[
    str | None,
    typer.Option("--policies", metavar="WHO", help="Who drew the log, where it does not say: uniform or constant."),
]
_PLAYERS = ("swap_combcp", "swap_comband")


def audit(
    log: Annotated[Path, typer.Argument(help="CSV or Parquet file, or the journal of a session.")],
    set_spec: Annotated[
        str | None,
        typer.Option(
            "--set", metavar="SET", help="The action set: " + "; ".join(SPEC_FORMS) + ". A journal knows its own."
        ),
    ] = None,
    limit: Annotated[int, count("limit", "Exchanges to show.", least=0)] = 20,
    picture: Annotated[Path | None, page("picture", "Write a page with the gains to this HTML file.")] = None,
    capacity: Annotated[
        int | None, count("capacity", "Most reward vectors to keep; past it regrets come as brackets.")
    ] = None,
    window: Annotated[int | None, days("window", "Days per window: show external regret window by window too.")] = None,
    confidence: Annotated[
        float, option("confidence", "How surely the ends of external regret hold, from totals.")
    ] = 0.95,
    reward_range: Annotated[
        Pair, option("reward-range", "Least and largest reward of an element, or of totals.")
    ] = None,
    cost_range: Annotated[Pair, option("cost-range", "The same of costs: columns are cost:LABEL or cost.")] = None,
    policies: DeclaredPolicies = None,
    linear: Annotated[bool, typer.Option("--linear", help="Add linear swap regret and the best affine rule.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure external, internal, swap and dynamic regret of a log, and show the best swap function.

    The header names the columns: `action` (labels separated by ;) or `indices` or `action:LABEL` (0/1), `reward:LABEL`
    for each element, optionally `probability`, `round`, `context` and `available`. Where only totals were seen: `reward`,
    and the policy in `policy` or in `round` and `probability`; external and swap regret then come between two ends.

    Example: swapregret audit plays.csv --set "msets 20 5" --picture gains.html
    """
    from swapregret.logs.auditing import Audit
    from swapregret.sessions.journal_log import is_journal_file

    read = _audit_journal if is_journal_file(log) else _audit_table
    options: Json = {"capacity": capacity, "window": window, "confidence": confidence}
    result, notes = read(
        log, set_spec, {"reward_range": reward_range, "cost_range": cost_range, "policies": policies}, options
    )
    if picture is not None:
        if not isinstance(result, Audit):
            raise InvalidInput(
                "`--picture` must have the reward of every element", "totals alone", "Leave out `--picture`."
            )
        from swapregret.experiments.report.small_pages import gains_page

        title = f"{log.name}: swap regret {result.swap_regret.value:.4g}"
        picture.write_text(gains_page(result.best_swap, title, limit=limit), encoding="utf-8")
    if linear and not isinstance(result, Audit):
        raise InvalidInput("`--linear` must have the reward of every element", "totals alone", "Leave out `--linear`.")
    if as_json:
        emit_json(_plain(result, limit, linear))
        return
    _print(result, limit, notes, linear)
    if picture is not None:
        console.print(f"Picture written to {picture}.", style="dim")


def _audit_table(log: Path, set_spec: str | None, told: "Json", options: "Json") -> "tuple[AuditTable, list[str]]":
    from swapregret.logs.auditing import audit as audit_plays
    from swapregret.logs.log_file import read_log

    if set_spec is None:
        raise InvalidInput("a table must come with its action set", "no `--set`", 'Add e.g. --set "msets 20 5".')
    actions = read_set(set_spec)
    declared = told["policies"]
    logged = read_log(log, actions, is_cost=told["cost_range"] is not None, needs_policies=declared is None)
    if declared is not None and logged.policies is not None:
        raise InvalidInput(
            "the policies of a log must be given once", "a log that has them, and `--policies`", "Leave out one."
        )
    options |= told | {"policies": declared or logged.policies, "rounds": None if logged.policies else logged.rounds}
    options |= {"probabilities": logged.probabilities}
    options |= {"contexts": logged.contexts, "available": logged.available}
    notes = [f"Columns left alone: {', '.join(logged.ignored)}."] if logged.ignored else []
    return audit_plays(actions, logged.plays, logged.rewards, **options), notes


def _audit_journal(log: Path, set_spec: str | None, told: "Json", options: "Json") -> "tuple[AuditTable, list[str]]":
    from swapregret.logs.auditing import audit as audit_plays
    from swapregret.sessions.journal_log import read_journal_log

    given = [name for name, value in {"set": set_spec, **told}.items() if value is not None]
    if given:
        must = "a journal must be audited by its own set, range and policies"
        raise InvalidInput(must, f"`--{given[0].replace('_', '-')}`", "Leave the option out.")
    held = read_journal_log(log)
    notes = [f"{held.n_before:,} days before the last snapshot are not in the journal."] if held.n_before else []
    notes += [f"{held.n_skipped:,} days without a reward are left out."] if held.n_skipped else []
    options |= {"policies": held.policies, "reward_range": held.reward_range, "cost_range": held.cost_range}
    options |= {"available": held.available, "contexts": held.contexts}
    return audit_plays(held.actions, held.plays, held.rewards, **options), notes


def _named(result: "AuditTable", linear: bool) -> "dict[str, Regret]":
    names = ("external", "internal", "swap", "dynamic") if len(result.regrets) == 4 else ("external", "swap")
    more = {"linear_swap": getattr(result, "linear_swap_regret")} if linear else {}  # noqa: B009
    return dict(zip(names, result.regrets, strict=True)) | more


def _plain(result: "AuditTable", limit: int, linear: bool) -> dict[str, object]:
    def regret(value: "Regret") -> dict[str, object]:
        return {
            "value": value.value,
            "lower": value.lower,
            "upper": value.upper,
            "per_round": value.per_round,
            "standard_error": None if math.isnan(value.standard_error) else value.standard_error,
            "definition": value.definition,
        }

    best_swap = getattr(result, "best_swap", None)
    return {
        "days": result.n_days,
        **({"cost_per_day": result.cost} if result.is_cost else {"reward_per_day": result.reward}),
        **{f"{name}_regret": regret(value) for name, value in _named(result, linear).items()},
        "windows": [regret(value) for value in result.windows],
        "best_swap": [
            {
                "played": list(map(str, exchange.played_elements)),
                "better": list(map(str, exchange.better_elements)),
                "days": exchange.days,
                "gain": exchange.gain,
                "gain_per_day": exchange.gain_per_day,
            }
            for exchange in (() if best_swap is None else best_swap.exchanges[:limit])
        ],
    }


def _print(result: "AuditTable", limit: int, notes: list[str], linear: bool) -> None:
    from swapregret.logs.auditing import Audit
    from swapregret.regret.measure import regret_rows

    earned = f"cost {result.cost:.6g}" if result.is_cost else f"reward {result.reward:.6g}"
    named = _named(result, linear)
    rows = regret_rows(tuple(named), tuple(named.values()), result.windows)
    headings = ("regret", "total", "per day", "between")
    console.print(table_of(f"{result.n_days:,} days, {earned} per day", headings, rows))
    for value in named.values():
        console.print(f"{value.definition}.", style="dim")
    for note in notes:
        console.print(note, style="dim")
    if not isinstance(result, Audit):
        return
    for exchange in result.best_swap.exchanges[:limit]:
        console.print(f"{exchange}.")
    hidden = result.best_swap.n_played - min(limit, len(result.best_swap))
    if hidden > 0:
        console.print(f"… and {hidden:,} more actions (--limit).", style="dim")
    if linear:
        console.print("The best affine rule:", style="dim")
        typer.echo(plain(str(result.best_affine_rule())))


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
    policies: DeclaredPolicies = None,
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
    from swapregret.logs.log import Log

    actions = read_set(set_spec)
    past = Log.read(log, actions, policies=policies, reward_range=reward_range, cost_range=cost_range)
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
    for label in labels:
        if str(label) == name:
            return label
    must = "`--policy` must be uniform, swap_combcp, swap_comband, or labels of the set separated by ;"
    raise InvalidInput(must, repr(name), f"Labels are e.g. {[str(each) for each in labels[:5]]}.")


def journal(
    what: Annotated[
        str,
        typer.Argument(
            help="`check` says what it holds, `repair` writes the exact part of it anew, `renew` only where it ends."
        ),
    ],
    path: Annotated[Path, typer.Argument(help="The journal: what Session(journal=…) writes.", metavar="PATH")],
    out: Annotated[
        Path | None, option("out", "Where it is written; PATH.repaired or PATH.renewed if not given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a journal, or write it to a new file: its longest exact part, or a snapshot of its end; the old one stays.

    `check` ends with status 1 if the journal is damaged. Example: swapregret journal check campaign.journal
    """
    from swapregret.sessions.journal_check import check_journal, renew_journal, repair_journal

    check_name(what, ("check", "repair", "renew"), "what")
    if what == "check":
        if out is not None:
            raise InvalidInput("`--out` must be left out of `check`", str(out), "`check` writes nothing.")
        found = check_journal(path)
        _tell(found, {"path": str(path)}, as_json)
        raise typer.Exit(1 if found.damage else 0)
    done = f"{what}ed"
    target = out if out is not None else path.with_name(f"{path.name}.{done}")
    kept = (repair_journal if what == "repair" else renew_journal)(path, target)
    _tell(kept, {"path": str(path), done: str(target)}, as_json)


def _tell(found: "JournalReport", files: dict[str, str], as_json: bool) -> None:
    fields: Json = files | found._asdict()
    if as_json:
        emit_json(fields | {"open_days": list(found.open_days)})
        return
    lines = {
        "journal": files["path"],
        "snapshot": f"after day {found.snapshot_day:,}, {found.snapshot_bytes:,} bytes",
        "events": f"{found.n_events:,} after it",
        "days closed": f"{found.n_days:,}, {found.n_skipped:,} of them skipped",
        "open": ", ".join(f"day {day}" for day in found.open_days) or "nothing",
        "torn tail": f"{found.tail:,} bytes that were never acknowledged"
        if found.tail and not found.damage
        else "none",
        "damage": found.damage or "none",
        "replay": found.replay,
    }
    if len(files) > 1:
        lines["written"] = f"{[*files.values()][1]}: everything above, to its last exact event"
    for name, text in lines.items():
        typer.echo(f"{name:<12} {plain(text)}")
