"""``swapregret serve``: the decision service, and the keys of its clients."""

import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from swapregret.cli.console import console, emit_json, status_console, table_of
from swapregret.cli.options import AsJson, choice, count, seconds
from swapregret.counts import check_name
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra
from swapregret.serve import LIMITS, SCOPES, Settings

if TYPE_CHECKING:
    from swapregret.files.storage import Json
    from swapregret.serve.database import Store

_DAY = 86_400.0
_LEASE, _EVERY = Settings.lease_seconds, Settings.snapshot_every
Database = Annotated[
    str,
    typer.Option(
        envvar="SWAPREGRET_DATABASE",
        help="sqlite:///FILE or a postgresql:// address; the file swapregret.db if not given.",
        show_envvar=True,
        show_default=False,
    ),
]

serve = typer.Typer(
    name="serve",
    add_completion=False,
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
)
key = typer.Typer(no_args_is_help=True, help="Make, list and revoke the keys of clients.")
serve.add_typer(key, name="key")


@serve.callback()
def start(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on; others than loopback need a key.")] = Settings.host,
    port: Annotated[int, count("port", "Port to listen on.", least=0, most=65_535)] = Settings.port,
    database: Database = Settings.database,
    allow_host: Annotated[list[str] | None, typer.Option(help="A further name the server is called by.")] = None,
    allow_origin: Annotated[list[str] | None, typer.Option(help="A page of another origin that may call it.")] = None,
    lease: Annotated[float, seconds("lease", "Silence after which another process takes over.", least=0.1)] = _LEASE,
    limit: Annotated[
        list[str] | None, typer.Option(help="NAME=NUMBER, one of docs/service.md; may be repeated.")
    ] = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not read the whole database for damage first.")
    ] = False,
    snapshot_every: Annotated[int, count("snapshot-every", "Events between two snapshots of a problem.")] = _EVERY,
    as_json: AsJson = False,
) -> None:
    """Serve decisions over HTTP: durable, with a dashboard, on this machine alone unless told otherwise.

    Example: swapregret serve --port 8000, then open http://127.0.0.1:8000
    """
    if context.invoked_subcommand is not None:
        return
    _check_extra()
    from swapregret.serve.app import run_server

    settings = Settings(
        database=database,
        host=host,
        port=port,
        hosts=tuple(allow_host or ()),
        origins=tuple(allow_origin or ()),
        lease_seconds=lease,
        check=not no_check,
        snapshot_every=snapshot_every,
        **_limits(limit or []),
    )

    def tell(port: int) -> None:
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        if as_json:
            emit_json({"dashboard": f"{url}/", "api": f"{url}/docs"})
        else:
            status_console.print(f"Dashboard at {url}/, API at {url}/docs")

    run_server(settings, tell)


@serve.command("check")
def check_all(database: Database = Settings.database, as_json: AsJson = False) -> None:
    """Read a whole database and say what is not as it was written; status 1 if something is.

    Example: swapregret serve check
    """
    store = _open(database)
    from swapregret.serve.data.upkeep import check as find_faults

    faults = find_faults(store)
    if as_json:
        emit_json({"faults": [each._asdict() for each in faults]})
    else:
        for each in faults:
            console.print(f"{f'problem {each.problem}' if each.problem else 'the database'}: {each.what}")
        status_console.print("Restore a backup." if faults else "All is as it was written.")
    raise typer.Exit(1 if faults else 0)


@serve.command("compact")
def compact(
    events: Annotated[
        float, typer.Option(min=0.0, help="Drop events older than so many days that a snapshot follows.")
    ] = 0.0,
    archived: Annotated[float, typer.Option(min=0.0, help="Drop problems archived more than so many days ago.")] = 0.0,
    database: Database = Settings.database,
) -> None:
    """Drop what is old, and give the room back to the disk; 0 drops nothing.

    Example: swapregret serve compact --events 90 --archived 30
    """
    store = _open(database)
    from swapregret.serve.data.upkeep import give_back, retire

    dropped = retire(store, time.time(), _DAY * events, _DAY * archived)
    give_back(store)
    status_console.print(f"Dropped {dropped['events']:,} events and {dropped['problems']:,} archived problems.")


@serve.command("backup")
def backup(file: Annotated[str, typer.Argument(help="The new file.")], database: Database = Settings.database) -> None:
    """Copy an SQLite database, which may be in use, into a new file. For PostgreSQL there is pg_dump.

    Example: swapregret serve backup copy.db
    """
    store = _open(database)
    from swapregret.serve.data.upkeep import back_up

    back_up(store, file)
    status_console.print(f"The copy is in {file}. To restore it, start a server on it.")


@key.command("create")
def create(
    scope: Annotated[str, choice("scope", "What it may do, each including those before", SCOPES)],
    name: Annotated[str, typer.Option(help="Whom it is for.")] = "",
    database: Database = Settings.database,
) -> None:
    """Make a key, and show it this once: the database keeps a digest.

    Example: swapregret serve key create --scope decide --name shop
    """
    store = _open(database, may_be_new=True)
    from swapregret.serve.keys import create_key

    typer.echo(create_key(store, scope, name))
    status_console.print("Keep it: it is not shown again. From now on every request needs a key.")


@key.command("list")
def show(database: Database = Settings.database) -> None:
    """List the keys: their ids, scopes and names, never the keys themselves.

    Example: swapregret serve key list
    """
    store = _open(database)
    from swapregret.serve.keys import list_keys

    rows = [(row.id, row.scope, row.name, _day(row.created), _day(row.revoked)) for row in list_keys(store)]
    console.print(table_of("", ("id", "scope", "name", "made", "revoked"), rows, left=5))


@key.command("revoke")
def revoke(
    id: Annotated[str, typer.Argument(help="The id of the key, the part after srk_.")],
    database: Database = Settings.database,
) -> None:
    """Make a key useless, within a second.

    Example: swapregret serve key revoke 1f2e3d4c
    """
    store = _open(database)
    from swapregret.serve.keys import revoke_key

    revoke_key(store, id)
    status_console.print(f"Key {id} is revoked.")


def _limits(given: list[str]) -> "Json":
    """Read limits: each is a number, and whole where its default is."""
    found: Json = {}
    for each in given:
        name, _, text = each.partition("=")
        check_name(name, LIMITS, "limit")
        default = getattr(Settings, name)
        try:
            found[name] = type(default)(text.replace("_", ""))
        except ValueError:
            found[name] = -1
        if not (found[name] > 0 or (found[name] == 0 and default == 0)):
            raise InvalidInput(
                f"`--limit {name}` must be a {'whole ' if type(default) is int else ''}number above 0",
                repr(text[:40]),
                f"The default is --limit {name}={default:g}.",
            )
    return found


def _check_extra() -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: threads of BLAS only get in each other's way
    require_extra("serve", "`swapregret serve`")


def _open(database: str, *, may_be_new: bool = False) -> "Store":
    _check_extra()
    from swapregret.serve.database import open_store

    return open_store(database, may_be_new=may_be_new)


def _day(stamp: float | None) -> str:
    return "" if stamp is None else datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%d %H:%M")
