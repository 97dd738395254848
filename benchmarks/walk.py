"""How many files and functions of the package one call passes through, compiled code included.

    python benchmarks/walk.py            the three walks
    python benchmarks/walk.py --list     and the functions of each

Kernels run here as the Python they are written in, so that a profiler sees them. What a constructor does is not counted.
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.compiled import handle
from swapregret.compiled.address import Operation
from swapregret.compiled.kernel import Kernel
from swapregret.experiments.paper_table1 import layered_dag
from swapregret.learners.round import running
from swapregret.learners.round.running import Running
from swapregret.playing.course import Course

PACKAGE = Path(sr.__file__).parent
HORIZON = 100


def run_as_python() -> None:
    """Have every kernel run its source."""

    def call(self: Any, *args: Any) -> Any:
        return self._function(*args)

    def open_plain(self: Any, rng: Any, state: Any = None, tape: Any = None, family: Any = None) -> SimpleNamespace:
        return SimpleNamespace(
            family=self.family if family is None else family,
            rule=self.rule,
            state=self.state if state is None else state,
            tape=self._no_tape if tape is None else tape,
            rng=rng,
        )

    def hold_plain(data: Any, *_: Any) -> SimpleNamespace:
        held = SimpleNamespace(family=data)
        held.address = held
        return held

    patched: tuple[tuple[Any, str, Any], ...] = (
        (Kernel, "__call__", call),
        (Kernel, "dispatcher", property(lambda self: self._function)),
        (Running, "handle_on", open_plain),
        (running, "entry_address", lambda entry, *args: entry),
        (Operation, "address", lambda self, code, handle: code or 0),
        (handle, "open_handle", hold_plain),
    )
    for owner, name, value in patched:
        setattr(owner, name, value)


def walk(action: Callable[[], Any]) -> set[tuple[str, str]]:
    """Return the (file, function) pairs of the package that run during a call."""
    seen: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<"):
            seen.add((str(Path(code.co_filename).relative_to(PACKAGE)), code.co_qualname))

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return {each for each in seen if not each[0].startswith("compiled/kernel")}


def walks() -> dict[str, set[tuple[str, str]]]:
    """Run the three walks."""
    paths = layered_dag(5, 5)
    player = sr.swap_combcp(paths, HORIZON)
    world = sr.environments.iid(paths, HORIZON, rng=1)
    found = {f"play with a ledger, {paths.dimension}-edge paths": walk(lambda: sr.play(player, world, rng=1))}

    session = sr.Session(player, rng=1, warm=False)
    rewards = np.random.default_rng(0).random(HORIZON)
    first = player.schedule.windows[0]
    for day in range(3 * first - 1):
        session.act()
        session.observe(rewards[day])
    ends = [walk(lambda: (session.act(), session.observe(0.4))) for _ in range(first)]
    found["the end of a window of a session on them"] = max(ends, key=len)

    subsets = sr.MSets(10, 3)
    rounds = sr.swap_combcp(subsets, HORIZON)
    options = {"measure": "ledger", "realised": False, "windows": (), "certificate": False, "capacity": None}
    world = sr.environments.cyclic(subsets, HORIZON, rng=1)
    course = Course(rounds, world, np.random.SeedSequence(1), options)
    course.advance(HORIZON // 2)
    found["rounds of the demo, once it has started"] = walk(lambda: course.advance(HORIZON))
    return found


def main() -> None:
    """Print the number of files and functions of each walk."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the functions too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # words wrap around in hashes, as they do compiled
    run_as_python()
    for name, seen in walks().items():
        print(f"{name}: {len({file for file, _ in seen})} files, {len(seen)} functions")
        if arguments.list:
            for file in sorted({file for file, _ in seen}):
                print(f"  {file}: {', '.join(sorted(function for other, function in seen if other == file))}")


if __name__ == "__main__":
    main()
