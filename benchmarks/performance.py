"""Write the measured tables of `docs/performance.md`.

Run `python benchmarks/performance.py` to measure (some minutes), or give it what `swapregret bench --json` printed:
`python benchmarks/performance.py bench.json`. The prose around the tables is left as it is.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
_BEGIN, _END = "<!-- measured: begin -->", "<!-- measured: end -->"


def rate(value: float | None) -> str:
    """Return a number in three digits."""
    if value is None:
        return "–"
    if value >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value / 1e3:.3g} k" if value >= 1e3 else f"{value:.3g}"


def table(headings: str, rows: list[list[str]]) -> list[str]:
    """Return the lines of a table; all columns but the first are numbers."""
    columns = headings.split(" | ")
    lines = [f"| {headings} |", "| --- |" + " --: |" * (len(columns) - 1)]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def times(ours: float, theirs: float | None) -> str:
    """Return a ratio."""
    if theirs is None:
        return "–"
    ratio = ours / theirs
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.3g}×"


def page(numbers: dict[str, Any]) -> list[str]:
    """Return the measured part of the page."""
    machine = numbers["machine"]
    lines = [
        f"Measured on {machine['processor']}, one core, Python {machine['python']}, NumPy {machine['numpy']};",
        f"a bare NumPy Exp3 with ten arms plays {rate(numbers['exp3'])} rounds per second here.",
        "",
        "**Rounds per second**, K = 3, H = 10, γ = .3, measuring off. The first ratio is to the plain learner with the paper's",
        "pseudo-inverse, the second to the plain learner that solves on independent coordinates.",
        "",
    ]
    lines += table(
        "set | state | rounds/s | plain, `pinv` | ratio | asked | plain, `solve` | ratio",
        [
            [
                row["case"],
                row["state"],
                rate(row["ours"]),
                rate(row["reference"]),
                times(row["ours"], row["reference"]),
                "–" if row["wanted"] is None else f"{row['wanted']:,.0f}×",
                rate(row["tuned"]),
                times(row["ours"], row["tuned"]),
            ]
            for row in numbers["rounds"]
        ],
    )
    lines += ["**Learners** at their own schedules for T = 10⁶, measuring off, in a world where one action pays.", ""]
    lines += table(
        "set | learner | rounds/s | in bare Exp3 | asked | 10⁷ days take",
        [
            [
                row["case"],
                row["learner"],
                rate(row["ours"]),
                f"{row['in_exp3']:.2f}×",
                "–" if row["wanted"] is None else f"{row['wanted']:g}×",
                f"{1e7 / row['ours']:,.0f} s",
            ]
            for row in numbers["learners"]
        ],
    )
    lines += ["**Growth** of the time per round in the spread state, as a power of d, K, N or T.", ""]
    lines += table(
        "curve | against | exponent | asked | sizes | µs per round",
        [
            [
                row["name"],
                row["against"],
                f"{row['fit']['exponent']:.2f} ± {row['fit']['error']:.2f}",
                f"≤ {row['limit']:g}",
                ", ".join(f"{size:.3g}" for size in row["sizes"]),
                ", ".join(f"{value:.3g}" for value in row["microseconds"]),
            ]
            for row in numbers["growth"]
        ],
    )
    lines += [
        "**Memory**: bytes of all arrays a state reaches, in KiB and in units of K·d and of K·d + r² numbers.",
        "",
    ]
    lines += table(
        "learner | T | after days | KiB | K·d | K·d + r²",
        [
            [
                row["name"],
                f"{row['horizon']:,}",
                str(row["days"]),
                f"{row['bytes'] / 1024:,.0f}",
                f"{row['bytes'] / (8 * row['scales_by_dimension']):.1f}",
                f"{row['bytes'] / (8 * (row['scales_by_dimension'] + row['rank_squared'])):.2g}",
            ]
            for row in numbers["memory"]
        ],
    )
    lines += ["**Others**, where they are installed: microseconds per round by the number of actions N.", ""]
    rows = []
    for row in numbers["peers"]:
        rows += [[row["name"], f"{int(n):.2g}", f"{value:,.3g}"] for n, value in row["microseconds"].items()]
        rows += [[row["name"], "–", row["remark"]]] if row["remark"] else []
    return [*lines, *table("who | N | µs per round", rows)]


def main() -> None:
    """Measure or read, and rewrite the page between its marks."""
    if len(sys.argv) > 1:
        text = Path(sys.argv[1]).read_text(encoding="utf-8")
    else:
        command = [sys.executable, "-c", "from swapregret.cli import app; app()", "bench", "--json"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    before, _, rest = _PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    middle = "\n".join(["", "", *page(json.loads(text))])
    _PAGE.write_text(f"{before}{_BEGIN}{middle}{_END}{after}", encoding="utf-8")
    print(_PAGE)


if __name__ == "__main__":
    main()
