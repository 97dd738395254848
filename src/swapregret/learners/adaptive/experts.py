r"""What to play instead, where all actions can be listed: an expert for each action, as Blum and Mansour (2007) have them.

Expert x says what to play in place of x: one of the N actions, or what the pool plays, p. It keeps exponential weights
:math:`q_x` over these N + 1 options. The policy is what the experts agree on,

.. math:: \pi(y) = \sum_x \pi(x)\,\bigl(q_x(y) + q_x(\mathrm{pool})\,p(y)\bigr).

After a base window in which X was seen, option j of expert x has gained :math:`z_{xj} = \pi(x)\,(a_j - p)\cdot X`, and

.. math:: q_x(j) \propto q_1(j)\,\exp\Bigl(2\,\frac{\sum z_{xj}}{\sqrt{\sum \tfrac1N \sum_y z_{xy}^2}}\Bigr),

:math:`q_1` with .97 for the pool and the rest even. So the swap regret of π is at most the sum of the regrets of the experts, and π
earns as much as the pool but for these, whatever the world does (``docs/guarantee.md``).
"""

from typing import NamedTuple

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.actions.policy_slots import Policies, put_policy
from swapregret.arrays import Floats, Words
from swapregret.compiled.bits import is_same_row, pack_rows
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.learners.round.day import Mix
from swapregret.learners.round.stationary import eliminate

MOST_ACTIONS = 64
"""Most actions that have an expert each."""
_TRUST = 0.97
"""The first weight of the pool. With less of it, much is lost until experts know that the pool is better: .002 to .02 in reward."""
_STEP = 2.0
_LEAST_EXPONENT = -60.0
_LEAST_CHANCE = 1e-9
"""What is played instead less often than this is left out of the list."""


class Listed(NamedTuple):
    """All N actions; N = 0 where there are no experts."""

    words: Words  # (N, W) packed
    rows: Floats  # (N, d)
    first: Floats  # (N + 1,) the first weights of the options, the pool last


class Experts(NamedTuple):
    """What the experts know."""

    scores: Floats  # (N, N + 1) Σz
    rows: Floats  # (N, N + 1) q
    squares: Floats  # (N,) the mean of Σz² over the actions
    policy: Floats  # (N,) π
    pool: Floats  # (d,) the marginals of p
    trust: Floats  # (1,) the weight of p in π


def list_actions(actions: ActionSet, *, has_experts: bool) -> Listed:
    """Return the actions of a small set; none of a larger one."""
    count = actions.n_actions
    is_small = has_experts and count is not None and count <= MOST_ACTIONS
    rows = actions.enumerate() if is_small else np.zeros((0, actions.dimension), dtype=np.int64)
    first = np.append(np.full(len(rows), (1.0 - _TRUST) / max(1, len(rows))), _TRUST)
    return Listed(pack_rows(rows), rows.astype(np.float64), first)


def start_experts(listed: Listed) -> Experts:
    """Return experts that know nothing yet."""
    n, d = listed.rows.shape
    return Experts(
        np.zeros((n, n + 1)), np.tile(listed.first, (n, 1)), np.zeros(n), np.zeros(n), np.zeros(d), np.ones(1)
    )


@kernel
def tell_experts(experts: Experts, listed: Listed, window_sum: Floats) -> None:
    """Tell every expert its share of a window."""
    n = experts.policy.size
    gains, square = np.zeros(n + 1), 0.0
    level = dot(experts.pool, window_sum)
    for a in range(n):
        gains[a] = dot(listed.rows[a], window_sum) - level
        square += gains[a] * gains[a] / n
    for x in range(n):
        scores, row, chance = experts.scores[x], experts.rows[x], experts.policy[x]
        experts.squares[x] += chance * chance * square
        if experts.squares[x] == 0.0:
            continue
        eta, top, total = _STEP / np.sqrt(experts.squares[x]), 0.0, 0.0
        for j in range(n + 1):
            scores[j] += chance * gains[j]
            top = max(top, scores[j])
        for j in range(n + 1):
            row[j] = listed.first[j] * np.exp(max(eta * (scores[j] - top), _LEAST_EXPONENT))
            total += row[j]
        for j in range(n + 1):
            row[j] /= total


@kernel
def let_agree(experts: Experts, listed: Listed, policies: Policies, weights: Floats) -> tuple[Words, Floats]:
    """Find π where the members are played with these weights; return what is played instead of the pool, with its chances."""
    n = listed.words.shape[0]
    pool = np.zeros(n)
    for g in range(weights.size):
        if weights[g] > 0.0:
            for a in range(policies.n_atoms[g]):
                x = 0
                while x < n - 1 and not is_same_row(listed.words[x], policies.words[g, a]):
                    x += 1
                pool[x] += weights[g] * policies.chances[g, a]
    pool /= pool.sum()
    experts.pool[:] = pool @ listed.rows
    experts.policy[:] = eliminate(experts.rows[:, :n] + np.outer(experts.rows[:, n].copy(), pool))
    played = experts.policy @ experts.rows
    experts.trust[0] = played[n]
    instead = np.flatnonzero(played[:n] > _LEAST_CHANCE)
    return listed.words[instead], played[instead] / max(played[instead].sum(), _LEAST_CHANCE)


@kernel
def mix_agreed(
    family: Family, listed: Listed, experts: Experts, policies: Policies, mix: Mix, exploration: float
) -> None:
    """Mix the members by the weights in ``mix``, what experts play instead, where there are any, and μ."""
    weights = mix.weights
    n = weights.size - 2
    mass, trust = 0.0, 1.0
    for g in range(n):
        mass += weights[g]
    if experts.policy.size:
        words, chances = let_agree(experts, listed, policies, weights[:n])
        put_policy(policies, n, words, chances, family.common.place)
        trust, mix.is_new[n] = experts.trust[0], 1
    for g in range(n):
        weights[g] *= trust * (1.0 - exploration) / mass
    weights[n] = (1.0 - trust) * (1.0 - exploration)
    weights[n + 1] = exploration
