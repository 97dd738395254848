"""Which player? An answer from what was measured, for what you see, how long you play, and whether the world moves.

The numbers are in ``which_one.json``, written by ``benchmarks/which_one.py`` and never by hand: means over worlds that stand still,
and over worlds that move. A player is *dominated* if another has at least its reward less .003 and a swap regret lower by .005 and
by a fifth; the answer is the one of most reward among those that are not.
"""

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple

from swapregret.actions.action_set import ActionSet
from swapregret.actions.set_specs import make_set
from swapregret.arrays import as_integer
from swapregret.experiments.measured import NEAR_SET, distance

_MEMORIES = {f"/{share}": f", memory={horizon}" for share, horizon in ((10, "T/10"), (30, "T/30"), (100, "T/100"))}
PLAYERS: dict[str, dict[str, str]] = {
    "bandit": {"adaptive": "swap_combcp(A, T)", "lin-ucb/None": "baselines.lin_ucb(A, T)"}
    | {f"lin-ucb{name}": f"baselines.lin_ucb(A, T{memory})" for name, memory in _MEMORIES.items()},
    "semi-bandit": {
        "semi-bandit": 'swap_combcp(A, T, feedback="semi-bandit")',
        "comb-ucb/None": "baselines.comb_ucb(A, T)",
    }
    | {f"comb-ucb{name}": f"baselines.comb_ucb(A, T{memory})" for name, memory in _MEMORIES.items()},
    "full": {
        "full": 'swap_combcp(A, T, feedback="full")',
        "leader-full": 'baselines.follow_the_leader(A, T, feedback="full")',
    },
}
"""By what is seen: the name of each player in the file, and how it is made; the first of each is the default."""
SEEN = {"bandit": "the total", "semi-bandit": "each chosen element", "full": "every element"}
WORLDS = {"stands still": ("still",), "moves": ("moving",), "may do either": ("still", "moving")}
_SPECS = {"6,2": "msets 6 2", "10,3": "msets 10 3", "20,5": "msets 20 5"}


class Row(NamedTuple):
    """Means over the worlds of a kind; the set by its name in the benchmarks."""

    feedback: str
    horizon: int
    place: str
    kind: str
    player: str
    reward: float
    swap_regret: float


@dataclass(frozen=True)
class Answer:
    """The player for worlds of a kind, beside the default, with reward and swap regret per day of both."""

    world: str
    player: str
    reward: float
    swap_regret: float
    default_reward: float
    default_swap_regret: float


@dataclass(frozen=True)
class Advice:
    """Answers for a feedback, and the sets and the horizon they were measured on."""

    feedback: str
    horizon: int
    sets: tuple[str, ...]
    answers: tuple[Answer, ...]


@cache
def measured() -> tuple[Row, ...]:
    """Return all that was measured."""
    text = (resources.files("swapregret.experiments") / "which_one.json").read_text(encoding="utf-8")
    return tuple(Row(*row) for row in json.loads(text)["rows"])


def is_dominated(mine: tuple[float, float], other: tuple[float, float]) -> bool:
    """Tell whether another is as good in reward and clearly better in swap regret.

    Examples
    --------
    >>> is_dominated((.6, .1), (.598, .07)), is_dominated((.6, .1), (.59, .07))
    (True, False)
    """
    is_lower = other[1] <= mine[1] - 0.005 and other[1] <= mine[1] / 1.25
    return other[0] >= mine[0] - 0.003 and is_lower


def advise(feedback: str, horizon: int, actions: ActionSet | None = None) -> Advice:
    """Return what to play, from the measured horizon nearest to T and the nearest set, or the mean over all sets.

    Examples
    --------
    >>> [answer.world for answer in advise("bandit", 1000).answers]
    ['stands still', 'moves', 'may do either']
    """
    days = as_integer(horizon, "horizon", 1)
    rows = [row for row in measured() if row.feedback == feedback]
    near = min({row.horizon for row in rows}, key=lambda each: abs(math.log(each / days)))
    rows = [row for row in rows if row.horizon == near]
    names = tuple(dict.fromkeys(row.place for row in rows))
    nearest = [] if actions is None else sorted((_from(name, actions), name) for name in names)[:1]
    sets = tuple(name for distance, name in nearest if distance <= NEAR_SET) or names
    rows = [row for row in rows if row.place in sets]
    answers = []
    for word, kinds in WORLDS.items():
        means = {player: _mean(rows, player, kinds) for player in PLAYERS[feedback]}
        good = [name for name, mine in means.items() if not any(is_dominated(mine, other) for other in means.values())]
        best, default = max(good, key=lambda name: means[name][0]), next(iter(means))
        answers.append(Answer(word, PLAYERS[feedback][best], *means[best], *means[default]))
    return Advice(feedback, near, sets, tuple(answers))


def _mean(rows: list[Row], player: str, kinds: tuple[str, ...]) -> tuple[float, float]:
    """Return reward and swap regret of a player over sets and kinds of worlds, which count alike."""
    found = [row for row in rows if row.player == player and row.kind in kinds]
    return sum(row.reward for row in found) / len(found), sum(row.swap_regret for row in found) / len(found)


def _from(name: str, actions: ActionSet) -> float:
    other = make_set(_SPECS.get(name, name))
    return distance(actions, type(other).__name__, other.dimension, other.size)


def short(reward: float, swap_regret: float) -> str:
    """Return reward and swap regret as tables have them.

    Examples
    --------
    >>> short(.6123, .0456)
    '.612 / .046'
    """
    return f"{reward:.3f} / {swap_regret:.3f}".replace("0.", ".")


def cells(advice: Advice) -> list[str]:
    """Return each answer as tables have it: the player, its numbers, and those of the default beside them."""
    found = []
    for answer in advice.answers:
        ours = short(answer.default_reward, answer.default_swap_regret)
        if answer.player == next(iter(PLAYERS[advice.feedback].values())):
            found.append(f"the default {ours}")
        else:
            name = answer.player.removeprefix("baselines.")
            found.append(f"`{name}` {short(answer.reward, answer.swap_regret)}; the default {ours}")
    return found
