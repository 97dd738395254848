r"""The paper's Table 1 as measurements: swap regret and time of every competitor that can run, against N.

Instances go from 15 to 10⁹ actions: m-sets, and one family each of paths and permutations. Competitors that list all
actions are refused above their limit or beyond a budget of time, with what a run would take.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import swapregret as sr
from swapregret.arrays import as_integer
from swapregret.counts import duration_in_words
from swapregret.environments.environment import Environment
from swapregret.errors import InvalidInput, TooLarge, Unsupported
from swapregret.games.kinds.routing import layered_edges
from swapregret.learners.player import AnyPlayer
from swapregret.playing.workers import run_tasks
from swapregret.regret.bounds import Bound
from swapregret.regret.bounds import table1 as theory

_PILOT = 64


@dataclass(frozen=True)
class Contender:
    """Who plays, and the bound it has: the row of the paper's Table 1 only where that theorem is about this very player."""

    name: str
    make: Callable[[sr.ActionSet, int], AnyPlayer]
    theory: str | None  # the row of `regret.bounds.table1` it belongs to
    regret: str  # what is proved of its swap regret, with N = d^m; of what it is proved where that is another regret
    time: str  # the order of its time per round


@dataclass(frozen=True)
class Instance:
    """A family, what identifies its member, and how to make it."""

    family: str
    label: str
    make: Callable[[], sr.ActionSet]
    in_default: bool = True


def layered_dag(width: int, layers: int) -> sr.DagPaths:
    """Return the paths through complete layers: width^layers of them.

    Examples
    --------
    >>> layered_dag(3, 2).n_actions
    9
    """
    return sr.DagPaths(layered_edges(layers, width), source="s", sink="t")


def stoltz_factorised(actions: sr.ActionSet, horizon: int) -> AnyPlayer:
    """Return Stoltz's weights on all N^N functions with his step √(2 ln K/(N T)), K = N^N.

    The weights factorise into Blum and Mansour's experts with a common step, so no list of functions is needed
    (``tests/learners/baselines/test_stoltz.py``).
    """
    n_actions = actions.n_actions or 1
    return sr.baselines.blum_mansour(
        actions, horizon, learning_rate=math.sqrt(2.0 * math.log(max(2, n_actions)) / horizon)
    )


_EXTERNAL = "external regret only"
_INTERNAL = "N × internal regret"
_PAPERS = "T log(d log T)/log T with Schedule.from_theorem, not with these windows"
_POLY = "poly(d, m, log T)"
COMPETITORS = (
    Contender(
        "Swap-ComBCP adaptive (ours)", partial(sr.swap_combcp, preset="adaptive"), None, "T^(3/4), N ≤ 64", _POLY
    ),
    Contender(
        "Swap-ComBCP multiscale (ours)", partial(sr.swap_combcp, preset="multiscale"), None, "decomposition", _POLY
    ),
    Contender("Swap-ComBCP paper", partial(sr.swap_combcp, preset="paper"), "Swap-ComBCP", _PAPERS, _POLY),
    Contender("uniform play", sr.baselines.uniform, None, "", "O(m)"),
    Contender("Lazy-ComBCP, K = 1", sr.baselines.combcp, None, _EXTERNAL, "poly(d, m)"),
    Contender("LinUCB", sr.baselines.lin_ucb, None, _EXTERNAL, "poly(d) or O(N)"),
    Contender("ComBand", sr.baselines.comband, None, _EXTERNAL, "poly(d) or O(N)"),
    Contender("CombEXP", sr.baselines.combexp, None, _EXTERNAL, "poly(d)"),
    Contender("follow the leader", sr.baselines.follow_the_leader, None, "", "poly(d)"),
    Contender("Exp3", sr.baselines.exp3, None, _EXTERNAL, "O(N)"),
    Contender("Tsallis-INF", sr.baselines.tsallis_inf, None, _EXTERNAL, "O(N)"),
    Contender("Stoltz, all swaps", stoltz_factorised, "Stoltz (2005)", "N √(T log N)", "poly(N), factorised"),
    Contender("Stoltz, pairs", sr.baselines.stoltz, None, f"{_INTERNAL}, N √(T N log N)", "poly(N)"),
    Contender("Blum–Mansour", sr.baselines.blum_mansour, "Blum and Mansour (2007)", "N √(N T log N)", "poly(N)"),
    Contender("Ito", sr.baselines.ito, "Ito (2020)", "N √T", "poly(N)"),
    Contender(
        "TreeSwap",
        sr.baselines.treeswap,
        "Dagan et al. (2024)",
        "T log(m log T)/log(T/N) + √(N T log NT)",
        "poly(N, log T)",
    ),
    Contender("regret matching", sr.baselines.regret_matching, None, f"{_INTERNAL}, sublinear", "poly(N)"),
)

INSTANCES = (
    Instance("m-sets", "6 choose 2", lambda: sr.MSets(6, 2)),
    Instance("m-sets", "10 choose 3", lambda: sr.MSets(10, 3)),
    Instance("m-sets", "14 choose 4", lambda: sr.MSets(14, 4)),
    Instance("m-sets", "20 choose 5", lambda: sr.MSets(20, 5)),
    Instance("m-sets", "30 choose 8", lambda: sr.MSets(30, 8)),
    Instance("m-sets", "46 choose 9", lambda: sr.MSets(46, 9)),
    Instance("paths", "3 layers of 3", lambda: layered_dag(3, 3)),
    Instance("paths", "5 layers of 3", lambda: layered_dag(3, 5), in_default=False),
    Instance("paths", "8 layers of 4", lambda: layered_dag(4, 8)),
    Instance("paths", "15 layers of 4", lambda: layered_dag(4, 15), in_default=False),
    Instance("permutations", "of 4", lambda: sr.Permutations(4)),
    Instance("permutations", "of 5", lambda: sr.Permutations(5), in_default=False),
    Instance("permutations", "of 8", lambda: sr.Permutations(8)),
    Instance("permutations", "of 12", lambda: sr.Permutations(12), in_default=False),
)

WORLDS: dict[str, Callable[..., Environment]] = {
    name.replace("_", "-"): getattr(sr.environments, name)
    for name in ("cyclic", "spiral", "slots", "tree", "iid", "piecewise", "random_walk")
}


@dataclass(frozen=True)
class Cell:
    """One competitor on one instance."""

    family: str
    instance: str
    n_actions: int
    dimension: int
    size: int
    player: str
    swap_regret: float | None = None  # per day
    lower: float | None = None  # of its bracket, where it is not exact
    standard_error: float | None = None  # over replications
    microseconds: float | None = None  # processor time of a day: draw, learn and measure
    refused: str | None = None  # why there is no measurement
    bound: float | None = None  # the row of the paper's Table 1 divided by T, an order with constant 1


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
    budget: float = 25.0,
    seed: int = 0,
    is_full: bool = False,
    instances: Sequence[Instance] | None = None,
    competitors: Sequence[Contender] = COMPETITORS,
    n_jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Table1:
    """Measure every competitor on every instance, in a world of ``WORLDS``; regrets do not depend on ``n_jobs``.

    A competitor may take ``budget`` seconds of the processor on an instance; a pilot of some days decides. ``progress`` is called
    with the name of what was done last.
    """
    if world not in WORLDS:
        raise InvalidInput(f"`world` must be one of {sorted(WORLDS)}", repr(world), "'cyclic' is the default.")
    if not budget > 0.0:
        raise InvalidInput("`budget` must be a positive number of seconds", repr(budget), "25 is the default.")
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
    regret = sr.play(player, place, rng=seed, replications=replications).swap_regret
    elapsed = time.process_time() - started
    deviation = regret.standard_error
    return replace(
        cell,
        swap_regret=regret.per_round,
        lower=None if regret.is_exact else regret.lower / regret.n_days,
        standard_error=deviation / horizon if math.isfinite(deviation) else None,
        microseconds=1e6 * elapsed / (horizon * replications),
    )


def _pilot(competitor: Contender, actions: sr.ActionSet, world: str, horizon: int, seed: int) -> float:
    """Return the processor seconds of a day: the slope between two short plays, after one that compiles; 0 if T is as short."""
    place = WORLDS[world](actions, horizon, rng=seed)
    player = competitor.make(actions, horizon)
    if horizon <= 4 * _PILOT:
        return 0.0
    spent = {}
    for days in (_PILOT, _PILOT, 4 * _PILOT):
        started = time.process_time()
        sr.play(player, replace(place, horizon=days), rng=seed)
        spent[days] = time.process_time() - started
    return max(0.0, spent[4 * _PILOT] - spent[_PILOT]) / (3 * _PILOT)


def _bound(competitor: Contender, actions: sr.ActionSet, horizon: int) -> float | None:
    if competitor.theory is None or actions.dimension < 2:
        return None
    bound: Bound = theory(actions.dimension, max(1, actions.size), horizon)[competitor.theory]
    return bound.per_round if math.isfinite(bound.value) else None
