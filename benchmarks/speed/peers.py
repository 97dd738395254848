"""What others take for a round, where they are installed: they list every action, so their N is at most a thousand.

Nothing of theirs is needed or bundled; a peer whose interface has changed is reported as such.
"""

import contextlib
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

import swapregret as sr
from speed.cases import rounds_of
from swapregret.experiments.timing import measure

_ARMS = (10, 100, 1000)
_OURS = (45, 8), (60, 8)
"""m-sets with 2·10⁸ and 2.6·10⁹ actions."""


@dataclass(frozen=True)
class Peer:
    """Another library: the module to look for, and what plays one round with n arms."""

    name: str
    module: str
    start: Callable[[int], Callable[[], object]]


@dataclass(frozen=True)
class PeerTime:
    """Microseconds per round at each number of actions; none, and why, if it could not be timed."""

    name: str
    microseconds: dict[int, float]
    remark: str = ""


def _river(n_arms: int) -> Callable[[], object]:
    policy, arms = import_module("river.bandit").Exp3(gamma=0.1, seed=0), list(range(n_arms))
    return lambda: policy.update(policy.pull(arms), 0.5)


def _smpybandits(n_arms: int) -> Callable[[], object]:
    policy = import_module("SMPyBandits.Policies").Exp3(n_arms, gamma=0.1)
    policy.startGame()
    return lambda: policy.getReward(policy.choice(), 0.5)


def _noregret(n_arms: int) -> Callable[[], object]:
    theirs = import_module("noregret.regret_minimizers")
    learner, utility = theirs.BlumMansour(n_arms, theirs.RegretMatching), np.linspace(0.2, 0.8, n_arms)

    def step() -> None:
        learner.next_strategy()
        learner.observe_utility(utility)

    return step


PEERS = (
    Peer("river, Exp3", "river", _river),
    Peer("SMPyBandits, Exp3", "SMPyBandits", _smpybandits),
    Peer("noregret, Blum–Mansour (full information)", "noregret", _noregret),
)
"""Libraries that are timed where they are installed."""


def _repeated(step: Callable[[], object]) -> Callable[[int], object]:
    return lambda rounds: [step() for _ in range(rounds)]


def measure_peer(peer: Peer, seconds: float, arms: tuple[int, ...] = _ARMS) -> PeerTime:
    """Time a peer at several numbers of arms, as long as a round stays below a tenth of a second."""
    found: dict[int, float] = {}
    try:
        for n_arms in arms:
            with contextlib.redirect_stdout(io.StringIO()):
                found[n_arms] = measure(_repeated(peer.start(n_arms)), seconds, least=1).microseconds
            if found[n_arms] > 1e5:
                break
    except Exception as error:  # whatever another library raises is a remark, not a failure of ours
        message = re.sub(r"\s*\(.*\)", "", str(error))  # paths of this machine are of no use elsewhere
        return PeerTime(peer.name, found, f"installed, but: {type(error).__name__}: {message}")
    return PeerTime(peer.name, found)


def measure_ours(seconds: float) -> list[PeerTime]:
    """Time the multi-scale preset where no list of actions fits into memory."""
    times: dict[int, float] = {}
    for dimension, size in _OURS:
        actions = sr.MSets(dimension, size)
        player = sr.swap_combcp(actions, 1_000_000, preset="multiscale")
        times[actions.n_actions] = measure(rounds_of(player, "concentrated"), seconds).microseconds
    return [PeerTime("swapregret, multiscale (bandit)", times)]
