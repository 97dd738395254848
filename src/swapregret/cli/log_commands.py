"""``swapregret audit``, ``evaluate`` and ``journal``: regrets of a log, the worth of another policy on it, what a journal holds."""

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapregret.cli.console import console, emit_json, plain, table_of
from swapregret.cli.options import AsJson, count, days, option, page, read_set
from swapregret.counts import check_name
from swapregret.errors import InvalidInput
from swapregret.registry import SPEC_FORMS

if TYPE_CHECKING:
    from swapregret.arrays import Label
    from swapregret.files.storage import Json
    from swapregret.learners.player import AnyPlayer
    from swapregret.logs.auditing import Audit
    from swapregret.logs.log import Log
    from swapregret.policy import Policy
    from swapregret.regret.measure import AuditTable, Regret
    from swapregret.sessions.journal_check import JournalReport

Pair = tuple[float, float] | None
_ends = partial(typer.Option, metavar="LOW HIGH")
RewardRange = Annotated[Pair, _ends("--reward-range", help="Least and largest total, or reward of an element.")]
CostRange = Annotated[Pair, _ends("--cost-range", help="The same of costs: columns are cost:LABEL or cost.")]
DeclaredPolicies = Annotated[
    str | None,
    typer.Option("--policies", metavar="WHO", help="Who drew the log, where it does not say: uniform or constant."),
]
LogSet = Annotated[
    str | None,
    typer.Option(
        "--set", metavar="SET", help="The action set: " + "; ".join(SPEC_FORMS) + ". A journal knows its own."
    ),
]
_PLAYERS = ("swap_combcp", "swap_comband")


def audit(
    log: Annotated[Path, typer.Argument(help="CSV or Parquet file, or the journal of a session.")],
    set_spec: LogSet = None,
    limit: Annotated[int, count("limit", "Exchanges to show.", least=0)] = 20,
    picture: Annotated[Path | None, page("picture", "Write a page with the gains to this HTML file.")] = None,
    capacity: Annotated[
        int | None, count("capacity", "Most reward vectors to keep; past it regrets come as brackets.")
    ] = None,
    window: Annotated[int | None, days("window", "Days per window: show external regret window by window too.")] = None,
    confidence: Annotated[
        float, option("confidence", "How surely the ends of external regret hold, from totals.")
    ] = 0.95,
    reward_range: RewardRange = None,
    cost_range: CostRange = None,
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
    from swapregret.logs.auditing import Audit as OfOneKind
    from swapregret.logs.auditing import audit as audit_plays

    told: Json = {"reward_range": reward_range, "cost_range": cost_range, "policies": policies}
    past = _read(log, set_spec, told)
    options = past.options | {name: value for name, value in told.items() if value is not None}
    options |= {"capacity": capacity, "window": window, "confidence": confidence}
    result: AuditTable = audit_plays(past.actions, past.plays, past.rewards, **options)
    is_of_totals = not isinstance(result, OfOneKind) and getattr(result, "is_of_totals", True)
    for name, is_wanted in {"--picture": picture is not None, "--linear": linear}.items():
        if is_wanted and is_of_totals:
            must = f"`{name}` must have the reward of every element"
            raise InvalidInput(must, "totals alone", f"Leave out `{name}`.")
    if picture is not None:
        if not isinstance(result, OfOneKind):
            must = "`--picture` must be of days of one kind"
            raise InvalidInput(must, "a log with contexts or missing elements", "Leave out `--picture`.")
        from swapregret.experiments.report.small_pages import gains_page

        title = f"{log.name}: swap regret {result.swap_regret.value:.4g}"
        picture.write_text(gains_page(result.best_swap, title, limit=limit), encoding="utf-8")
    if as_json:
        emit_json(_plain(result, limit, linear))
        return
    _print(result, limit, past.notes, linear)
    if picture is not None:
        console.print(f"Picture written to {picture}.", style="dim")


def _read(path: Path, set_spec: str | None, told: "Json") -> "Log":
    """Read a table, or a journal, which knows its set, range and policies itself."""
    from swapregret.logs.log_file import read_log
    from swapregret.sessions.journal_log import is_journal_file, read_journal_log
    from swapregret.units import read_units

    if is_journal_file(path):
        given = [name for name, value in {"set": set_spec, **told}.items() if value is not None]
        if given:
            must = "a journal must be read with its own set, range and policies"
            raise InvalidInput(must, f"`--{given[0].replace('_', '-')}`", "Leave the option out.")
        return read_journal_log(path)
    if set_spec is None:
        raise InvalidInput("a table must come with its action set", "no `--set`", 'Add e.g. --set "msets 20 5".')
    log = read_log(path, read_set(set_spec), read_units(told["reward_range"], told["cost_range"]))
    if told["policies"] is not None and log.policies is not None:
        raise InvalidInput(
            "the policies of a log must be given once", "a log that has them, and `--policies`", "Leave out one."
        )
    return log


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

    return {
        "days": result.n_days,
        **({"cost_per_day": result.cost} if result.is_cost else {"reward_per_day": result.reward}),
        **{f"{name}_regret": regret(value) for name, value in _named(result, linear).items()},
        "windows": [regret(value) for value in result.windows],
        "best_swap": [
            {
                **said,
                "played": list(map(str, exchange.played_elements)),
                "better": list(map(str, exchange.better_elements)),
                "days": exchange.days,
                "gain": exchange.gain,
                "gain_per_day": exchange.gain_per_day,
            }
            for said, part in _parts(result)
            for exchange in part.best_swap.exchanges[:limit]
        ],
    }


def _print(result: "AuditTable", limit: int, notes: tuple[str, ...], linear: bool) -> None:
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
    for said, part in _parts(result):
        if said:
            missing = ", ".join(said["missing"]) or "nothing"
            console.print(plain(f"Context {said['context']}, {missing} missing, {part.n_days:,} days:"), style="dim")
        for exchange in part.best_swap.exchanges[:limit]:
            console.print(f"{exchange}.")
        hidden = part.best_swap.n_played - min(limit, len(part.best_swap))
        if hidden > 0:
            console.print(f"… and {hidden:,} more actions (--limit).", style="dim")
        if linear:
            console.print("The best affine rule:", style="dim")
            typer.echo(plain(str(part.best_affine_rule())))


def _parts(result: "AuditTable") -> "list[tuple[Json, Audit]]":
    """Return the audit of the days of each kind whose rules are known, and what is known of these days."""
    from swapregret.logs.auditing import Audit

    parts = getattr(result, "parts", None) or {None: result}
    names = [{} if kind is None else {"context": kind[0], "missing": [*map(str, kind[1])]} for kind in parts]
    return [(name, part) for name, part in zip(names, parts.values(), strict=True) if isinstance(part, Audit)]


def evaluate(
    log: Annotated[
        Path,
        typer.Argument(
            help="CSV or Parquet file: action, reward or cost, policy if it is known; or a session's journal."
        ),
    ],
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            metavar="WHAT",
            help="What to value: labels separated by ;, uniform, swap_combcp or swap_comband.",
        ),
    ],
    set_spec: LogSet = None,
    policies: DeclaredPolicies = None,
    reward_range: RewardRange = None,
    cost_range: CostRange = None,
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

    told: Json = {"reward_range": reward_range, "cost_range": cost_range, "policies": policies}
    past = _read(log, set_spec, told)
    actions = past.actions
    if policy == "uniform":
        target: Policy | AnyPlayer | list[Label] = actions.uniform_policy()
    elif policy in _PLAYERS:
        target = getattr(presets, policy)(actions, len(past))
    else:
        target = [_label(actions.labels, name.strip()) for name in policy.split(";")]
    found = value_of(past, target, **told, confidence=confidence)
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
