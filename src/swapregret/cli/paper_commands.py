"""``swapregret table1``, ``counterexample`` and ``exploit``: what the paper says, and what opponents take, as measurements."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from rich.text import Text

from swapregret.cli.console import console, emit_json, progress_bar, status_console, styled, table_of
from swapregret.cli.options import AsJson, Jobs, SeedOption, choice, count, days, option, page, runs, seconds
from swapregret.counts import count_in_words, plural

if TYPE_CHECKING:
    from swapregret.experiments.exploit import Exploit
    from swapregret.experiments.paper_table1 import Cell, Table1
    from swapregret.experiments.shortcut_counterexample import Counterexample

WORLD_NAMES = ("cyclic", "iid", "piecewise", "random-walk", "slots", "spiral", "tree")
"""For the help, which must not wait for the library; a test compares them."""
_Result = TypeVar("_Result", "Table1", "Counterexample", "Exploit")
_Html = Annotated[Path | None, page("html", "Write the figures to this HTML file.")]
_LEAST = 7
"""Days of a run: the cyclic world has as many phases."""


def _tell(
    html: Path | None,
    as_json: bool,
    n_steps: int,
    measure: Callable[..., _Result],
    figures: Callable[[_Result], str],
    show: Callable[[_Result], None],
) -> None:
    """Measure with a bar of ``n_steps``, and tell it: figures in HTML, JSON, or on the terminal."""
    with progress_bar() as bar:
        task = bar.add_task("", total=n_steps)
        result = measure(progress=lambda name: bar.update(task, advance=1, description=name))
    if html is not None:
        html.write_text(figures(result), encoding="utf-8")
    if as_json:
        emit_json(asdict(result))
        return
    show(result)
    if html is not None:
        console.print(f"Figures written to {html}.")


def _say_loading() -> None:
    status_console.print("Loading the compiled inner loops (the first run compiles them) ...", style="dim")


def table1(
    full: Annotated[bool, option("full", "All instances, T = 100,000, 4 runs, half an hour per cell.")] = False,
    world: Annotated[str, choice("world", "The reward sequence", WORLD_NAMES)] = "cyclic",
    horizon: Annotated[int | None, days("horizon", "Days to play; 50,000 if not given.", least=_LEAST)] = None,
    replications: Annotated[int | None, runs("replications", "Runs of each cell; 1 if not given.")] = None,
    budget: Annotated[float | None, seconds("budget", "Seconds a cell may take; 25 if not given.")] = None,
    seed: SeedOption = 0,
    jobs: Jobs = 2,
    html: _Html = None,
    as_json: AsJson = False,
) -> None:
    """Measure swap regret and time of every competitor, from 15 actions to a thousand million.

    Example: swapregret table1 --html table1.html
    """
    _say_loading()
    from swapregret.experiments.paper_table1 import COMPETITORS, INSTANCES, measure_table1
    from swapregret.experiments.report.small_pages import table1_page

    n_days, n_runs, limit = (100_000, 4, 1800.0) if full else (50_000, 1, 25.0)

    measure = partial(
        measure_table1,
        world=world,
        horizon=horizon or n_days,
        replications=replications or n_runs,
        budget=budget or limit,
        seed=seed,
        is_full=full,
        n_jobs=jobs,
    )
    n_cells = sum(full or instance.in_default for instance in INSTANCES) * len(COMPETITORS)
    _tell(html, as_json, n_cells, measure, table1_page, _print_table1)


def _print_table1(result: "Table1") -> None:
    for family in dict.fromkeys(cell.family for cell in result.cells):
        _print_family(result, family)
    console.print(
        "In each cell: swap regret / T (maximum over φ outside the expectation, from policies), and below it processor "
        "time per day; for a refused player, what it would take. Proved: the orders of the paper's Table 1 stand with the "
        "players they are theorems about, evaluated with constant 1 and N = d^m on the smallest and on the largest "
        "instance; above 1 they say nothing."
    )


def _print_family(result: "Table1", family: str) -> None:
    from swapregret.experiments.paper_table1 import COMPETITORS

    cells = [cell for cell in result.cells if cell.family == family]
    columns = list(dict.fromkeys((cell.instance, cell.n_actions) for cell in cells))
    title = f"{family}, {result.world} world, T = {result.horizon:,}, {plural(result.replications, 'run')}"
    measured, theory = [], []
    for competitor in COMPETITORS:
        row = [cell for cell in cells if cell.player == competitor.name]
        if row:
            measured.append((competitor.name, *map(_text, row)))
            theory.append((competitor.name, competitor.regret, _theory(row), competitor.time))
    headings = ["player", *(f"{label}\nN = {count_in_words(n_actions)}" for label, n_actions in columns)]
    table = table_of(title, headings, measured, show_lines=True)
    table.columns[0].min_width = 11
    console.print(table)
    headings = ["player", "swap regret", "of it / T", "time per day"]
    console.print(table_of(f"{family}: what is proved", headings, theory, left=4, show_lines=True))


def _text(cell: "Cell") -> str | Text:
    if cell.swap_regret is None or cell.microseconds is None:
        return _short(cell.refused or "")
    error = f"±{cell.standard_error:.3f}" if cell.standard_error is not None else ""
    least = f"{cell.lower:.3f}–" if cell.lower is not None else ""
    spent = cell.microseconds
    return f"{least}{cell.swap_regret:.3f}{error}\n" + (f"{spent:.0f} µs" if spent < 1e4 else f"{spent / 1e3:.0f} ms")


def _short(refused: str) -> Text:
    """Keep of a refusal what a run would take."""
    _, found, rest = refused.partition("would take ")
    if found:
        return styled(("refused:\n" + rest.replace(" and ", "\n"), "dim"))
    _, found, rest = refused.partition("and so ")
    return styled(("refused:\n" + rest.partition(",")[0].replace(" functions", " φ") if found else refused, "dim"))


def _theory(row: "list[Cell]") -> str:
    values = [f"{cell.bound:.2g}" if cell.bound is not None else "∞" for cell in (row[0], row[-1])]
    return " … ".join(values) if any(cell.bound is not None for cell in row) else ""


def counterexample(
    lengths: Annotated[list[int] | None, count("length", "Layers of the DAG; repeat for several.", most=1000)] = None,
    horizon: Annotated[int, days("horizon", "Days to play.")] = 10_000,
    replications: Annotated[int, runs("replications", "Runs of each player on each DAG.")] = 8,
    seed: SeedOption = 0,
    jobs: Jobs = 2,
    html: _Html = None,
    as_json: AsJson = False,
) -> None:
    """Play CombEXP and Lazy-ComBCP, with our constants and the paper's, on the shortcut DAG of the appendix, n = 4, 6, …, 14.

    Example: swapregret counterexample --length 10 --replications 4
    """
    _say_loading()
    from swapregret.experiments.report.small_pages import counterexample_page
    from swapregret.experiments.shortcut_counterexample import LENGTHS, PLAYERS, measure_counterexample

    sizes = lengths or list(LENGTHS)
    n_runs = len(sizes) * len(PLAYERS) * replications
    measure = partial(measure_counterexample, sizes, horizon=horizon, replications=replications, seed=seed, n_jobs=jobs)
    _tell(html, as_json, n_runs, measure, counterexample_page, _print_counterexample)


def _print_counterexample(result: "Counterexample") -> None:
    from swapregret.experiments.shortcut_counterexample import PLAYERS

    shown = []
    for length in dict.fromkeys(row.length for row in result.rows):
        rows = {row.player: row for row in result.rows if row.length == length}
        cells = [f"{row.regret:.3f} [{row.low:.3f}, {row.high:.3f}]" for row in rows.values()]
        promised = rows["CombEXP"].promised or 0.0
        shown.append((str(length), count_in_words(rows["CombEXP"].n_paths), *cells, f"≥ {promised:.3f}"))
    title = (
        f"Realised regret / T on the shortcut DAG, T = {result.horizon:,}, {plural(result.replications, 'run')} each "
    )
    headings = ("n", "paths", *PLAYERS, "CombEXP never finds it with probability")
    console.print(table_of(title + "(mean, 95 % interval)", headings, shown, left=0))
    console.print(
        "What you see: one edge pays everything and lies on one path of 2ⁿ + 1. CombEXP explores by the marginals of the "
        "uniform policy, which a decomposition can have without that path, and almost never takes it. Lazy-ComBCP mixes in a "
        "policy that shows every direction, so it sees the path; with baselines.combcp's step it then stays there. With the "
        "paper's constants it explores in the same way, but its step is too small to learn from what it sees in these days: "
        "its regret is as large as CombEXP's. The example separates the two by their exploration, not by the paper's step."
    )


def exploit(
    horizon: Annotated[int, days("horizon", "Days to play.", least=2)] = 20_000,
    replications: Annotated[int, runs("replications", "Runs of each player against each opponent.")] = 8,
    seed: SeedOption = 0,
    jobs: Jobs = 2,
    html: _Html = None,
    as_json: AsJson = False,
) -> None:
    """Let opponents exploit learners: an optimiser with a schedule, and one who knows today's policy.

    Example: swapregret exploit --horizon 20000
    """
    _say_loading()
    from swapregret.experiments.exploit import OPPONENTS, PLAYERS, measure_exploit
    from swapregret.experiments.report.small_pages import exploit_page

    n_runs = len(OPPONENTS) * len(PLAYERS) * replications
    measure = partial(measure_exploit, horizon=horizon, replications=replications, seed=seed, n_jobs=jobs)
    _tell(html, as_json, n_runs, measure, exploit_page, _print_exploit)


def _print_exploit(result: "Exploit") -> None:
    from swapregret.experiments.exploit import EXPLOIT_HEADINGS, exploit_rows

    many = plural(result.replications, "run")
    title = f"What the opponent takes per day ± standard error, T = {result.horizon:,}, {many} each"
    console.print(table_of(title, EXPLOIT_HEADINGS, exploit_rows(result)))
    console.print(
        "What you see: an opponent that commits in advance takes the value in the last line from a player that "
        "plays well, and no more. The optimiser trains the learner for half of the days, and then is paid for it by those that "
        "follow sums. "
        "The last two games are fair: an opponent who knows today's policy takes what the player falls short of the value."
    )
