"""``swapregret journal``: what a journal holds, and the longest exact part of a damaged one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapregret.cli.console import emit_json, plain, report_errors
from swapregret.errors import InvalidInput

if TYPE_CHECKING:
    from swapregret.sessions.journal_check import JournalReport

__all__ = ["journal"]


def journal(
    what: Annotated[str, typer.Argument(help="`check` says what it holds, `repair` writes the exact part of it anew.")],
    path: Annotated[Path, typer.Argument(help="The journal: what Session(journal=…) writes.", metavar="PATH")],
    out: Annotated[Path | None, typer.Option(help="Where `repair` writes; PATH.repaired if not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check a journal, or write the longest exact part of it to a new file; the old file is never changed.

    `check` ends with status 1 if the journal is damaged. Example: swapregret journal check campaign.journal
    """
    with report_errors():
        from swapregret.names import check_name
        from swapregret.sessions.journal_check import check_journal, repair_journal

        check_name(what, ("check", "repair"), "what")
        if what == "check" and out is not None:
            raise InvalidInput("`--out` must be given to `repair` alone", str(out), "`check` writes nothing.")
        if what == "check":
            found = check_journal(path)
            _tell(found, {"path": str(path)}, as_json)
            raise typer.Exit(1 if found.damage else 0)
        target = out if out is not None else path.with_name(f"{path.name}.repaired")
        kept = repair_journal(path, target)
        _tell(kept, {"path": str(path), "repaired": str(target)}, as_json)


def _tell(found: "JournalReport", files: dict[str, str], as_json: bool) -> None:
    fields: dict[str, Any] = files | found._asdict()
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
    if "repaired" in files:
        lines["written"] = f"{files['repaired']}: everything above, to its last exact event"
    for name, text in lines.items():
        typer.echo(f"{name:<12} {plain(text)}")
