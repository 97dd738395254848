"""The loop: a player meets an environment, and the play is measured.

May touch: everything but ``experiments`` and ``cli``. Learners, environments and regrets meet here and nowhere below.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapregret.arrays import as_integer
from swapregret.environments.base import Environment
from swapregret.errors import InvalidInput
from swapregret.learners.player import Player
from swapregret.regret.external import external_regret
from swapregret.regret.ledger import Ledger, SwapLedger
from swapregret.regret.measure import Regret
from swapregret.regret.swap import swap_regret
from swapregret.session import Session

__all__ = ["PlayResult", "play"]

_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class PlayResult:
    """What came of a play: rewards and regrets over all replications.

    Attributes
    ----------
    reward : float
        Mean reward a day, as received.
    external_regret, swap_regret : Regret
        From the policies and the mean rewards of the environment.
    ledgers : tuple of Ledger
        One a replication.
    entropy : int
        What seeded the play.
    """

    reward: float
    external_regret: Regret
    swap_regret: Regret
    ledgers: tuple[Ledger, ...]
    entropy: int


def play(
    player: Player[Any],
    environment: Environment,
    *,
    rng: int | None = None,
    replications: int = 1,
    progress: Callable[[int], None] | None = None,
) -> PlayResult:
    """Play an environment to its horizon, and measure.

    Replication i of two players under the same ``rng`` meets the same rewards. Means are the same in all replications,
    the noise is drawn anew; the ledger averages them before the maximum over φ is taken.

    Parameters
    ----------
    player : Player
    environment : Environment
    rng : int or None
        Seed; None draws entropy, recorded in the result.
    replications : int
    progress : callable, optional
        Called with the number of days just played.

    Examples
    --------
    >>> import swapregret as sr
    >>> actions = sr.MSets(6, 2)
    >>> world = sr.environments.cyclic(actions, 700, rng=0)
    >>> result = play(sr.baselines.uniform(actions), world, rng=0)
    >>> result.swap_regret.value == result.external_regret.value
    True
    """
    if player.actions is not environment.actions and repr(player.actions) != repr(environment.actions):
        raise InvalidInput(
            "`player` and `environment` must be made for the same action set",
            f"{player.actions!r} and {environment.actions!r}",
            "Make both from one object.",
        )
    count = as_integer(replications, "replications", 1)
    root = np.random.SeedSequence(rng)
    entropy = root.entropy
    assert isinstance(entropy, int)
    ledgers, rewards = [], []
    for index in range(count):
        noise, seed = np.random.SeedSequence([entropy, index]).spawn(2)
        world = environment if index == 0 and count == 1 else environment.with_noise(int(noise.generate_state(1)[0]))
        ledger, reward = _play_once(player, world, seed, progress)
        ledgers.append(ledger)
        rewards.append(reward)
    actions = environment.actions
    return PlayResult(
        float(np.mean(rewards)),
        external_regret(actions, ledgers),
        swap_regret(actions, ledgers),
        tuple(ledgers),
        entropy,
    )


def _play_once(
    player: Player[Any], environment: Environment, seed: np.random.SeedSequence, progress: Callable[[int], None] | None
) -> tuple[Ledger, float]:
    session = Session(player, rng=seed)
    ledger = SwapLedger(environment.actions.dimension)
    received = 0.0
    for start in range(0, environment.horizon, _BLOCK):
        stop = min(start + _BLOCK, environment.horizon)
        rewards, means = environment.rewards(start, stop), environment.means(start, stop)
        for reward_vector, mean_vector in zip(rewards, means, strict=True):
            decision = session.act()
            reward = float(reward_vector @ decision.action)
            session.observe(reward)
            ledger.record(decision.policy, mean_vector)
            received += reward
        if progress is not None:
            progress(stop - start)
    return ledger.close(), received / environment.horizon
