"""The command line: thin. Each command parses, calls the library, and prints through one console.

May touch: everything. Nothing imports it.
"""

import typer

from swapregret.cli.audit import audit
from swapregret.cli.counterexample import counterexample
from swapregret.cli.demo import demo
from swapregret.cli.game import game
from swapregret.cli.table1 import table1

__all__ = ["app"]

app = typer.Typer(
    name="swapregret",
    help="Repeated combinatorial decisions with no swap regret.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
)


@app.callback()
def main() -> None:
    """Repeated combinatorial decisions with no swap regret: learners, exact measurements, experiments."""


for command in (demo, audit, table1, counterexample, game):
    app.command()(command)
