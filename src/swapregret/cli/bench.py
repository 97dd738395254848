"""``swapregret bench``: how fast it is, here."""

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from swapregret.cli.console import console, emit_json, report_errors, status_console, styled
from swapregret.cli.options import AsJson

if TYPE_CHECKING:
    from swapregret.experiments.bench.table import Bench

__all__ = ["bench"]

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the largest sets: under a minute.")] = False,
    seconds: Annotated[float | None, typer.Option(help="Processor time for each figure.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure rounds per second, growth, memory and peers on this machine.

    Everything is processor time of one core, with one thread of linear algebra; ratios are to a plain NumPy
    version of the same learner, run in the same process.

    Example: swapregret bench --quick
    """
    if os.environ.get("OMP_NUM_THREADS") != "1":  # read when NumPy is loaded, so it takes a process of its own
        options = [*(["--quick"] if quick else []), *(["--json"] if as_json else [])]
        options += ["--seconds", str(seconds)] if seconds is not None else []
        command = [sys.executable, "-c", "from swapregret.cli import app; app()", "bench", *options]
        raise typer.Exit(subprocess.run(command, env=os.environ | _ONE_THREAD, check=False).returncode)
    with report_errors():
        from swapregret.experiments.bench.table import run_bench

        if status_console.is_terminal:
            with status_console.status("measuring ...") as status:
                result = run_bench(quick=quick, seconds=seconds, progress=lambda what: status.update(styled(what)))
        else:
            result = run_bench(quick=quick, seconds=seconds)
    if as_json:
        emit_json(result.as_dict())
    else:
        _print(result)


def _print(result: "Bench") -> None:
    machine = result.machine
    console.print(
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, NumPy {machine['numpy']}; "
        f"bare Exp3 with ten arms: {_rate(result.exp3)} rounds/s."
    )
    _print_rounds(result)
    _print_learners(result)
    _print_growth(result)
    _print_memory(result)
    _print_peers(result)


def _rate(value: float | None) -> str:
    if value is None:
        return "–"
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    return f"{value / 1e3:.3g}k" if value >= 1e3 else f"{value:.3g}"


def _table(title: str, left: str, *right: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(left, no_wrap=True)
    for heading in right:
        table.add_column(heading, justify="right", overflow="fold")
    return table


def _print_rounds(result: "Bench") -> None:
    table = _table(
        "Rounds per second: K = 3, H = 10, γ = .3, measuring off",
        "set, and state:\n(s)pread, (c)oncentrated",
        "ours",
        "plain\n(pinv)",
        "\nratio",
        "\nasked",
        "plain\n(solve)",
        "proto-\ntype",
    )
    for row in result.rounds:
        table.add_row(
            f"{row.case} ({row.state[0]})",
            _rate(row.ours),
            _rate(row.reference),
            _times(row.ours, row.reference),
            "–" if row.wanted is None else f"{row.wanted:,.0f}×",
            _rate(row.tuned),
            "–" if row.reached is None else _range(*row.reached),
        )
    console.print(table)


def _times(ours: float, theirs: float | None) -> str:
    if theirs is None:
        return "–"
    ratio = ours / theirs
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.3g}×"


def _range(low: float, high: float) -> str:
    """Return two rates in two digits each, with one unit where they share it."""
    if low >= 1e3:
        return f"{low / 1e3:.2g}–{high / 1e3:.2g}k"
    return f"{low:.0f}–{high / 1e3:.2g}k" if high >= 1e3 else f"{low:.0f}–{high:.0f}"


def _print_learners(result: "Bench") -> None:
    table = _table(
        "Learners at their own schedules, T = 10⁶", "set", "learner", "rounds/s", "in Exp3", "asked", "10⁷ days"
    )
    for row in result.learners:
        asked = "–" if row.wanted is None else f"{row.wanted:g}×"
        table.add_row(row.case, row.learner, _rate(row.ours), f"{row.in_exp3:.2f}×", asked, f"{1e7 / row.ours:,.0f} s")
    console.print(table)


def _print_growth(result: "Bench") -> None:
    table = _table(
        "Time per round grows like a power of", "curve", "of", "exponent", "asked", "off the line", "µs per round"
    )
    for curve in result.growth:
        table.add_row(
            curve.name,
            curve.against,
            f"{curve.fit.exponent:.2f} ± {curve.fit.error:.2f}",
            f"≤ {curve.limit:g}",
            f"{curve.fit.spread:.2f}×",
            ", ".join(f"{value:.3g}" for value in curve.microseconds),
        )
    console.print(table)


def _print_memory(result: "Bench") -> None:
    table = _table("What a state holds", "learner", "T", "day", "KiB", "in K·d", "in K·d + r²")
    for row in result.memory:
        both = row.bytes / (8 * (row.scales_by_dimension + row.rank_squared))
        table.add_row(
            row.name,
            f"{row.horizon:,}",
            str(row.days),
            f"{row.bytes / 1024:,.0f}",
            f"{row.in_vectors:.1f}",
            f"{both:.2f}",
        )
    console.print(table)


def _print_peers(result: "Bench") -> None:
    table = _table("Microseconds per round, by the number of actions N", "who", "N", "µs per round")
    for row in result.peers:
        for n, value in row.microseconds.items():
            table.add_row(row.name, f"{n:.2g}", f"{value:,.3g}")
        if row.remark:
            table.add_row(row.name, "–", row.remark)
    console.print(table)
