"""The tables of a benchmark, as words: what the command prints and what the page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measured_block import markdown, put_block

from speed.doors import MULTISCALE, DoorRow
from speed.run_bench import Bench
from swapregret.counts import count_in_words


@dataclass(frozen=True)
class Sheet:
    """A table: its title, its headings, which may be of two lines, and its rows; the first column is words."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def sheets(result: Bench) -> list[Sheet]:
    """Return every table: first what people meet first, then the rates of whole blocks."""
    found = [_doors(result), _starts(result), _learners(result), _rounds(result), _peers(result)]
    return [sheet for sheet in found if sheet.rows]


def describe_bench(result: Bench) -> str:
    """Return what the figures were measured on."""
    machine = result.machine
    return (
        f"{machine['processor']}, {machine['cpu_count']} cores, Python {machine['python']}, NumPy {machine['numpy']}; "
        f"a bare Exp3 with ten arms in NumPy plays {_rate(result.exp3)} rounds per second."
    )


def _doors(result: Bench) -> Sheet:
    """Return a row for each door; one that was played with both presets has the figures of both in it."""
    headings = ("what", "µs per\nround", "in bare\nExp3", "besides", "aim")
    rows = []
    for name in dict.fromkeys(row.name.removesuffix(MULTISCALE) for row in result.doors):
        both = [row for row in result.doors if row.name.removesuffix(MULTISCALE) == name]
        rows.append(
            (
                both[0].name,
                " / ".join(_number(row.microseconds) for row in both),
                " / ".join(_number(row.in_exp3) for row in both),
                _besides(both),
                both[0].aim or "–",
            )
        )
    return Sheet("What people meet first; two figures: adaptive / multiscale", headings, rows)


def _besides(rows: list[DoorRow]) -> str:
    first = rows[0]
    if first.p99 is not None:
        return f"p99 {_number(first.p99)}"
    if first.over is not None:
        return f"{_number(first.over)}× none"
    calls = [_number(row.calls) for row in rows if row.calls is not None]
    return f"{' / '.join(calls)} calls" if calls else "–"


def _starts(result: Bench) -> Sheet:
    rows = [(row.name, _number(row.seconds), row.aim or "–") for row in result.starts]
    return Sheet("Starting", ("what", "seconds", "aim"), rows)


def _learners(result: Bench) -> Sheet:
    names = list(dict.fromkeys(row.learner for row in result.learners))
    rows = []
    for case in dict.fromkeys(row.case for row in result.learners):
        those = {row.learner: row for row in result.learners if row.case == case}
        cells = [f"{_rate(those[name].ours)} ({_number(those[name].in_exp3)}×)" for name in names]
        aims = [f"{row.wanted:g}×" for row in those.values() if row.wanted is not None]
        rows.append((case, *cells, *(aims or ["–"])))
    title = "Rounds per second of learners at their own schedules over T = 10⁶ days, and in bare Exp3"
    return Sheet(title, ("set", *names, "aim"), rows)


def _rounds(result: Bench) -> Sheet:
    states, cases = (list(dict.fromkeys(getattr(row, name) for row in result.rounds)) for name in ("state", "case"))
    rates = {(row.case, row.state): _rate(row.ours) for row in result.rounds}
    rows = [(case, *(rates[case, state] for state in states)) for case in cases]
    return Sheet("Rounds per second with daily updates: K = 3, H = 10, γ = .3", ("set", *states), rows)


def _peers(result: Bench) -> Sheet:
    rows = [
        (
            row.name,
            "; ".join(map(count_in_words, row.microseconds)) or "–",
            "; ".join([*map(_number, row.microseconds.values()), *([row.remark] if row.remark else [])]),
        )
        for row in result.peers
    ]
    return Sheet(
        "Others, where installed: microseconds per round by the number of actions N", ("who", "N", "µs per round"), rows
    )


def _number(value: float) -> str:
    """Return two digits of a small number, other numbers as counts."""
    if value < 9.95:
        return f"{value:.2g}".removeprefix("0") or "0"
    return count_in_words(value)


def _rate(value: float) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g}"


def write_page(path: Path, result: Bench) -> None:
    """Rewrite the measured tables of a page, and leave what stands around them."""
    lines = [f"Measured on {describe_bench(result)}", ""]
    for sheet in sheets(result):
        lines += [f"**{sheet.title}**", "", *markdown(sheet.headings, sheet.rows), ""]
    put_block(path, "\n".join(["", *lines]))
