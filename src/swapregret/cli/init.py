"""``swapregret init``: a commented spec to start from."""

from pathlib import Path
from typing import Annotated

import typer

from swapregret.cli.console import console, emit_json, report_errors, styled
from swapregret.errors import InvalidInput

__all__ = ["STARTER", "init"]

STARTER = """\
# An experiment: every player meets every environment on every set, for every horizon, `replications` times.
# swapregret run spec.toml      makes the runs (again after a crash: only what is missing)
# swapregret results DIR        prints the table
# swapregret report DIR         writes the page
name = "first"
seed = 0                         # same seed, same bytes, whatever the number of workers
replications = 4                 # ledgers are averaged over them before the maximum over rules is taken
horizons = [1000, 4000]          # days; any list is a grid

# Sets: a line of text, or a table. msets D M, permutations N, truncated ROWS COLUMNS, partitions TOTAL PARTS,
# trees EDGES.csv, forests EDGES.csv SIZE, paths EDGES.csv SOURCE SINK, explicit ACTIONS.csv
sets = ["msets 8 2"]

# Environments: cyclic, spiral, slots, tree, iid, interruptions, piecewise, random_walk, replay (file = "rewards.csv"), and more.
[[environments]]
kind = "cyclic"
phases = [7, 31]                 # two environments

[[environments]]
kind = "iid"

# Players: swap_combcp, swap_comband, anytime (of = "swap_combcp"), and every competitor of docs/baselines.md.
[[players]]
kind = "swap_combcp"
preset = ["multiscale", "adaptive"]

[[players]]
kind = "combcp"                  # a single learner: small external regret, large swap regret
name = "single learner"

[[players]]
kind = "uniform"

[measure]
regrets = "ledger"               # "bound": a bracket without a ledger; "none": only play
certificate = true               # the terms of the decomposition lemma, for players that mix scales uniformly
# windows = [1, 100]             # interval regrets; 1 is dynamic regret
# realised = true                # also the swap regret of the actions drawn

[checkpoints]
ratio = 2.0                      # measured at T, T/2, T/4, … down to `first`; or days = [100, 1000]
first = 50
"""


def init(
    file: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("spec.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the path as JSON.")] = False,
) -> None:
    """Write a commented spec to start from; it runs in under half a minute.

    Example: swapregret init spec.toml && swapregret run spec.toml
    """
    with report_errors():
        if file.exists() and not force:
            raise InvalidInput("the file must not be there yet", f"{str(file)!r}", "Choose another, or use --force.")
        file.write_text(STARTER, encoding="utf-8")
        if as_json:
            emit_json({"file": str(file)})
        else:
            console.print(styled(f"{file} written. ", (f"swapregret run {file}", "dim")), soft_wrap=True)
