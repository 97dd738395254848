r"""CombEXP against Lazy-ComBCP on the shortcut DAG: the paper's appendix as a measurement.

Lazy-ComBCP is played twice: as ``baselines.combcp``, with our constants, and with the paper's, whose step is about 10⁻⁷ here. Both
explore by the same policy.

For each n all play the real path polytope of ``environments.shortcut_dag(n, T)``. The realised regret of a run is
:math:`1 - \frac1T\sum_t r_t`, since the shortcut pays 1 every day. The appendix says that CombEXP's is T with probability at least
:math:`1 - T/(2^n+1)`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import as_integer
from swapregret.environments.shortcut import shortcut_dag
from swapregret.errors import InvalidInput
from swapregret.learners.baselines.combcp import combcp
from swapregret.learners.baselines.combexp import combexp
from swapregret.learners.player import AnyPlayer
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.playing.play import play
from swapregret.playing.workers import run_tasks
from swapregret.regret.measure import standard_error, student_factor

LENGTHS = (4, 6, 8, 10, 12, 14)


def combcp_of_the_paper(actions: ActionSet, horizon: int) -> AnyPlayer:
    """Return one Lazy-ComBCP that updates every day and never restarts, with the paper's exploration and step."""
    return swap_combcp(actions, horizon, preset="paper", schedule=Schedule.single(horizon, base=1))


PLAYERS: dict[str, Callable[..., AnyPlayer]] = {
    "CombEXP": combexp,
    "Lazy-ComBCP (combcp)": combcp,
    "Lazy-ComBCP, the paper's constants": combcp_of_the_paper,
}


@dataclass(frozen=True)
class CounterexampleRow:
    """One player on the DAG of n = ``length`` layers and 2ⁿ + 1 paths: its mean realised regret per day."""

    length: int
    n_paths: int
    player: str
    regret: float
    low: float  # Student's 95 % interval, within [0, 1]
    high: float
    runs: tuple[float, ...]
    promised: float | None  # for CombEXP, the probability of regret T that the appendix guarantees


@dataclass(frozen=True)
class Counterexample:
    """All rows, and what they were made with."""

    horizon: int
    replications: int
    seed: int
    rows: tuple[CounterexampleRow, ...]


def measure_counterexample(
    lengths: Sequence[int] = LENGTHS,
    *,
    horizon: int = 10_000,
    replications: int = 8,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Counterexample:
    """Play all on every DAG; ``progress`` gets the name of every run. The rows are the same for any number of processes."""
    sizes = [as_integer(length, "lengths", 1) for length in lengths]
    if not sizes:
        raise InvalidInput("`lengths` must not be empty", "none", "The paper's figure has 4..14.")
    days, count = as_integer(horizon, "horizon", 1), as_integer(replications, "replications", 1)
    tasks = [(n, days, name, seed, run) for n in sizes for name in PLAYERS for run in range(count)]
    regrets: dict[tuple[int, str], list[float]] = {}
    for task, regret in zip(tasks, run_tasks(realised_regret, tasks, as_integer(n_jobs, "n_jobs", 1)), strict=True):
        regrets.setdefault((task[0], task[2]), []).append(regret)
        if progress is not None:
            progress(f"{task[2]}, n = {task[0]}")
    rows = tuple(_row(n, name, days, values) for (n, name), values in regrets.items())
    return Counterexample(days, count, seed, rows)


def realised_regret(length: int, horizon: int, player: str, seed: int, run: int) -> float:
    """Play one run and return its realised regret per day."""
    world = shortcut_dag(length, horizon)
    entropy = int(np.random.SeedSequence([seed, length, run]).generate_state(1, np.uint64)[0])
    result = play(PLAYERS[player](world.actions, horizon), world, rng=entropy, measure="none")
    return 1.0 - result.reward


def _row(length: int, player: str, horizon: int, values: list[float]) -> CounterexampleRow:
    mean = float(np.mean(values))
    half = student_factor(len(values)) * standard_error(values) if len(values) > 1 else 0.0
    n_paths = 2**length + 1
    promised = max(0.0, 1.0 - horizon / n_paths) if player == "CombEXP" else None
    return CounterexampleRow(
        length, n_paths, player, mean, max(0.0, mean - half), min(1.0, mean + half), tuple(values), promised
    )
