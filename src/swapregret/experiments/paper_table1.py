r"""The paper's Table 1 as measurements: swap regret and time of every competitor that can run, against N.

Instances go from 15 to 10⁹ actions: m-sets, and one family each of paths and permutations. Competitors that list all
actions are refused above their limit or beyond a budget of time, with what a run would take.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from swapregret import environments
from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.arrays import as_integer
from swapregret.counts import duration_in_words
from swapregret.environments.environment import Environment
from swapregret.errors import InvalidInput, TooLarge, Unsupported
from swapregret.games.kinds.routing import layered_edges
from swapregret.learners import baselines
from swapregret.learners.presets import swap_combcp
from swapregret.playing.play import play
from swapregret.playing.workers import run_tasks
from swapregret.regret.bounds import Bound
from swapregret.regret.bounds import table1 as theory

_PILOT = 64


@dataclass(frozen=True)
class Contender:
    """Who plays, and what the paper's Table 1 says of it.

    Attributes
    ----------
    theory : str or None
        The row of ``regret.bounds.table1`` it belongs to.
    regret, time : str
        The orders of its swap regret (with N = d^m) and of its time per round; empty where nothing is proved.
    """

    name: str
    make: Callable[[ActionSet, int], Any]
    theory: str | None
    regret: str
    time: str


@dataclass(frozen=True)
class Instance:
    """A family, what identifies its member, and how to make it."""

    family: str
    label: str
    make: Callable[[], ActionSet]
    in_default: bool = True


def layered_dag(width: int, layers: int) -> DagPaths:
    """Return the paths through complete layers: width^layers of them.

    Examples
    --------
    >>> layered_dag(3, 2).n_actions
    9
    """
    return DagPaths(layered_edges(layers, width), source="s", sink="t")


_OURS = ("Swap-ComBCP", "T log(d log T)/log T", "poly(d, m, log T)")
COMPETITORS = (
    Contender("Swap-ComBCP adaptive (ours)", partial(swap_combcp, preset="adaptive"), *_OURS),
    Contender("Swap-ComBCP multiscale (ours)", partial(swap_combcp, preset="multiscale"), *_OURS),
    Contender("uniform play", baselines.uniform, None, "", "O(m)"),
    Contender("Lazy-ComBCP, K = 1", baselines.combcp, None, "", "poly(d, m)"),
    Contender("ComBand", baselines.comband, None, "", "poly(d) or O(N)"),
    Contender("CombEXP", baselines.combexp, None, "", "poly(d)"),
    Contender("follow the leader", baselines.follow_the_leader, None, "", "poly(d)"),
    Contender("Exp3", baselines.exp3, None, "", "O(N)"),
    Contender("Tsallis-INF", baselines.tsallis_inf, None, "", "O(N)"),
    Contender("Stoltz, all swaps", partial(baselines.stoltz, rules="swap"), "Stoltz (2005)", "N √(T log N)", "exp(N)"),
    Contender("Stoltz, pairs", baselines.stoltz, None, "", "poly(N)"),
    Contender("Blum–Mansour", baselines.blum_mansour, "Blum and Mansour (2007)", "N √(N T log N)", "poly(N)"),
    Contender("Ito", baselines.ito, "Ito (2020)", "N √T", "poly(N)"),
    Contender(
        "TreeSwap",
        baselines.treeswap,
        "Dagan et al. (2024)",
        "T log(m log T)/log(T/N) + √(N T log NT)",
        "poly(N, log T)",
    ),
    Contender("regret matching", baselines.regret_matching, None, "", "poly(N)"),
)

INSTANCES = (
    Instance("m-sets", "6 choose 2", lambda: MSets(6, 2)),
    Instance("m-sets", "10 choose 3", lambda: MSets(10, 3)),
    Instance("m-sets", "14 choose 4", lambda: MSets(14, 4)),
    Instance("m-sets", "20 choose 5", lambda: MSets(20, 5)),
    Instance("m-sets", "30 choose 8", lambda: MSets(30, 8)),
    Instance("m-sets", "46 choose 9", lambda: MSets(46, 9)),
    Instance("paths", "3 layers of 3", lambda: layered_dag(3, 3)),
    Instance("paths", "5 layers of 3", lambda: layered_dag(3, 5), in_default=False),
    Instance("paths", "8 layers of 4", lambda: layered_dag(4, 8)),
    Instance("paths", "15 layers of 4", lambda: layered_dag(4, 15), in_default=False),
    Instance("permutations", "of 4", lambda: Permutations(4)),
    Instance("permutations", "of 5", lambda: Permutations(5), in_default=False),
    Instance("permutations", "of 8", lambda: Permutations(8)),
    Instance("permutations", "of 12", lambda: Permutations(12), in_default=False),
)

WORLDS: dict[str, Callable[..., Environment]] = {
    name.replace("_", "-"): getattr(environments, name)
    for name in ("cyclic", "spiral", "slots", "tree", "iid", "piecewise", "random_walk")
}


@dataclass(frozen=True)
class Cell:
    """One competitor on one instance.

    Attributes
    ----------
    swap_regret, lower : float or None
        Swap regret per day, and the lower end of its bracket where it is not exact.
    standard_error : float or None
        Over replications.
    microseconds : float or None
        Processor time of a day: draw, learn and measure.
    refused : str or None
        Why there is no measurement.
    bound : float or None
        The row of the paper's Table 1 divided by T, an order with constant 1.
    """

    family: str
    instance: str
    n_actions: int
    dimension: int
    size: int
    player: str
    swap_regret: float | None = None
    lower: float | None = None
    standard_error: float | None = None
    microseconds: float | None = None
    refused: str | None = None
    bound: float | None = None


@dataclass(frozen=True)
class Table1:
    """All cells, and what they were made with."""

    world: str
    horizon: int
    replications: int
    budget: float
    seed: int
    cells: tuple[Cell, ...]


def measure_table1(
    *,
    world: str = "cyclic",
    horizon: int = 50_000,
    replications: int = 1,
    budget: float = 75.0,
    seed: int = 0,
    is_full: bool = False,
    instances: Sequence[Instance] | None = None,
    competitors: Sequence[Contender] = COMPETITORS,
    n_jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Table1:
    """Measure every competitor on every instance.

    Parameters
    ----------
    world : str
        A name of ``WORLDS``.
    budget : float
        Processor seconds a competitor may take on an instance; a pilot of some days decides.
    is_full : bool
        Whether to take all instances, and not only those of the default.
    n_jobs : int
        Processes; regrets do not depend on their number.
    progress : callable, optional
        Called with the name of what was done last.

    Examples
    --------
    >>> table = measure_table1(horizon=60, instances=INSTANCES[:1], competitors=COMPETITORS[:2])
    >>> [(cell.player, cell.n_actions) for cell in table.cells]
    [('Swap-ComBCP adaptive (ours)', 15), ('Swap-ComBCP multiscale (ours)', 15)]
    """
    if world not in WORLDS:
        raise InvalidInput(f"`world` must be one of {sorted(WORLDS)}", repr(world), "'cyclic' is the default.")
    if not budget > 0.0:
        raise InvalidInput("`budget` must be a positive number of seconds", repr(budget), "75 is the default.")
    days, count = as_integer(horizon, "horizon", 3), as_integer(replications, "replications", 1)
    chosen = instances or [instance for instance in INSTANCES if is_full or instance.in_default]
    tasks = [(instance, rival, world, days, count, float(budget), seed) for instance in chosen for rival in competitors]
    cells = []
    for task, cell in zip(tasks, run_tasks(measure_cell, tasks, as_integer(n_jobs, "n_jobs", 1)), strict=True):
        cells.append(cell)
        if progress is not None:
            progress(f"{task[1].name}, {task[0].family} {task[0].label}")
    return Table1(world, days, count, float(budget), seed, tuple(cells))


def measure_cell(
    instance: Instance, competitor: Contender, world: str, horizon: int, replications: int, budget: float, seed: int
) -> Cell:
    """Measure one competitor on one instance, or say why not."""
    actions = instance.make()
    assert actions.n_actions is not None
    about = instance.family, instance.label, actions.n_actions, actions.dimension, actions.size, competitor.name
    cell = Cell(*about, bound=_bound(competitor, actions, horizon))
    try:
        expected = _pilot(competitor, actions, world, horizon, seed) * horizon * replications
        player = competitor.make(actions, horizon)
    except (TooLarge, Unsupported) as error:
        return replace(cell, refused=f"refused: {error.came}")
    if expected > budget:
        return replace(cell, refused=f"refused: would take {duration_in_words(expected)}")
    place = WORLDS[world](actions, horizon, rng=seed)
    started = time.process_time()
    regret = play(player, place, rng=seed, replications=replications).swap_regret
    elapsed = time.process_time() - started
    deviation = regret.standard_error
    return replace(
        cell,
        swap_regret=regret.per_round,
        lower=None if regret.is_exact else regret.lower / regret.n_days,
        standard_error=deviation / horizon if math.isfinite(deviation) else None,
        microseconds=1e6 * elapsed / (horizon * replications),
    )


def _pilot(competitor: Contender, actions: ActionSet, world: str, horizon: int, seed: int) -> float:
    """Return the processor seconds of a day: the slope between two short plays, after one that compiles; 0 if T is as short."""
    place = WORLDS[world](actions, horizon, rng=seed)
    player = competitor.make(actions, horizon)
    if horizon <= 4 * _PILOT:
        return 0.0
    spent = {}
    for days in (_PILOT, _PILOT, 4 * _PILOT):
        started = time.process_time()
        play(player, replace(place, horizon=days), rng=seed)
        spent[days] = time.process_time() - started
    return max(0.0, spent[4 * _PILOT] - spent[_PILOT]) / (3 * _PILOT)


def _bound(competitor: Contender, actions: ActionSet, horizon: int) -> float | None:
    if competitor.theory is None or actions.dimension < 2:
        return None
    bound: Bound = theory(actions.dimension, max(1, actions.size), horizon)[competitor.theory]
    return bound.per_round if math.isfinite(bound.value) else None
