"""Play what ``swapregret plan`` and the page ``docs/which_one.md`` advise from, and write both.

    python benchmarks/which_one.py --cells cells.jsonl            play what is not in the file, and write (an hour)
    python benchmarks/which_one.py --cells cells.jsonl --known    play nothing; what was not played is left out

Nothing is chosen in hindsight here: each memory of a player is a player of its own. Worlds, sets, seeds and replications are those
of the table of what people would pick instead (``quality_tables.practice``).
"""

import argparse
import json
from itertools import product
from pathlib import Path

from measured_block import markdown, put_block
from quality_tables import MOVING, PRACTICE_RUNS, PRACTICE_SETS, STILL, Cells, NotPlayedError

import swapregret as sr
from swapregret.experiments import which_one

FILE = Path(sr.__file__).parent / "experiments" / "which_one.json"
PAGE = Path(__file__).parents[1] / "docs" / "which_one.md"


def measured(cells: Cells) -> list[list[object]]:
    """Return a row for every player, set and horizon, and for worlds that stand still and that move."""
    rows: list[list[object]] = []
    for feedback, (horizon, times), place, (word, worlds) in product(
        which_one.PLAYERS, PRACTICE_RUNS.items(), PRACTICE_SETS, (("still", STILL), ("moving", MOVING))
    ):
        for player in which_one.PLAYERS[feedback]:
            try:
                found = cells.row(place, horizon, times, player, worlds)
            except NotPlayedError:
                continue
            means = [round(sum(cell[key] for cell in found) / len(found), 4) for key in ("reward", "swap")]
            rows.append([feedback, horizon, place, word, player, *means])
    return rows


def table() -> str:
    """Return the table of the page: a row for what is seen and how long, a column for how the world moves."""
    headings = ["you see", "T", *(f"it {word}" for word in which_one.WORLDS)]
    rows = [
        [seen, f"{horizon:,}", *which_one.cells(which_one.advise(feedback, horizon))]
        for feedback, seen in which_one.SEEN.items()
        for horizon in sorted({row.horizon for row in which_one.measured() if row.feedback == feedback})
    ]
    return "\n".join(markdown(headings, rows))


def main() -> None:
    """Parse, play, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=Path, required=True, help="a file of cells, made or continued")
    parser.add_argument("--known", action="store_true", help="play nothing")
    given = parser.parse_args()
    rows = measured(Cells(given.cells, plays=not given.known))
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    FILE.write_text(f'{{"by": "python benchmarks/which_one.py", "rows": [\n{lines}\n]}}\n', "utf-8")
    which_one.measured.cache_clear()
    put_block(PAGE, table(), "which")


if __name__ == "__main__":
    main()
