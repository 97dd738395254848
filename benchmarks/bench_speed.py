"""Sessions, games, own sets, starts, rounds per second and peers, on this machine.

    python benchmarks/bench_speed.py                              the tables of docs/performance.md (some minutes)
    python benchmarks/bench_speed.py --quick                      fewer rounds, without the largest sets (a minute or two)
    python benchmarks/bench_speed.py --write docs/performance.md  rewrites the tables of the page

Everything but sessions and starts is processor time of one core, with one thread of linear algebra.
"""

import argparse
import os
from dataclasses import asdict
from pathlib import Path

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))  # NumPy reads it

from measured_block import around
from rich import box
from speed.run_bench import run_bench
from speed.sheets import describe_bench, sheets, write_page

from swapregret.cli.console import console, emit_json, status_console, styled, table_of


def main(words: list[str] | None = None) -> None:
    """Measure, and print or write what was measured."""
    parser = argparse.ArgumentParser(description="How fast everything is on this machine.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, without the largest sets: a minute or two")
    parser.add_argument("--seconds", type=float, help="processor time for each figure that is no door")
    parser.add_argument("--write", type=Path, help="a page whose tables are rewritten: docs/performance.md")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    asked = parser.parse_args(words)
    if asked.write is not None:
        around(asked.write)  # a page that cannot be written is found before the minutes of measuring
    if status_console.is_terminal:
        with status_console.status("measuring ...") as status:
            told = lambda what: status.update(styled(what))  # noqa: E731
            result = run_bench(quick=asked.quick, seconds=asked.seconds, progress=told)
    else:
        result = run_bench(quick=asked.quick, seconds=asked.seconds)
    if asked.write is not None:
        write_page(asked.write, result)
    if asked.json:
        emit_json(asdict(result))
        return
    console.print(describe_bench(result))
    for sheet in sheets(result):
        table = table_of(sheet.title, sheet.headings, sheet.rows, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.columns[0].no_wrap = True
        console.print(table)


if __name__ == "__main__":
    main()
