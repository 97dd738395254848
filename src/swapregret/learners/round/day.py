r"""A day of any master: draw an action from the mixture, estimate the reward vector, count the day.

*Notation*: :math:`\hat p = \sum_s w_s p_s` the mixture, M the action, r its reward, R̂ the ``prediction``, R̃ the estimate:

========================  ==========================================================================
bandit (the paper's)      :math:`\widetilde R = \widehat R + (r - \widehat R\cdot M)\,\Sigma^+ M`
semi-bandit               :math:`\widetilde R_i = \widehat R_i + (R_i - \widehat R_i)\,M_i / \mathbb E[M_i]`
full                      :math:`\widetilde R = R`
========================  ==========================================================================

All are unbiased for every action in span(A). R̂ is fixed before the day; 0 is the paper's (Algorithm 1, line 6), a learnt one
lowers the noise and leaves the expectation alone (deviation D19). The learners only ask for the sum of the estimates of a window,
in which Σ stays the same, and Σ⁺ is linear: so days add up :math:`(r - \widehat R\cdot M)\,M`, and one system is solved when the
window ends.

A player is a rule, a named tuple whose class decides which code runs, and a state, a :class:`RoundState` or a named tuple with
its fields and others. It brings :func:`end_windows`, and :func:`learn_day` or :func:`remember` where the estimate is
not all it learns from. Projections and decompositions are linked into the end of a window alone, which keeps compiling short.
"""

from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.policy_slots import Policies, draw, put_mean, solve
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.methods import method
from swapregret.compiled.vectors import action_total
from swapregret.errors import NotConverged
from swapregret.learners.round.scale import Learners, Rule
from swapregret.learners.schedule import count_ending

BANDIT, SEMI_BANDIT, FULL_VECTOR = 0, 1, 2
FEEDBACKS = {"bandit": BANDIT, "semi-bandit": SEMI_BANDIT, "full": FULL_VECTOR}
"""What is seen of a day, as compiled code knows it."""
HOPELESS = 1e-2
"""A relative residual of Σ⁺v above which there is no estimate."""
_FORGET = 0.002


class Tally(NamedTuple):
    """What changes every day; d coordinates."""

    day: Integers  # (1,) days so far
    offset: Integers  # (1,) where in its windows day 0 was
    base: Integers  # (1,) which window is the base window: shorter ones end in silence
    earned: Floats  # (1,) sum of the rewards
    # (1,) windows whose estimates were made although Σ was singular to working precision, or an iteration ended early
    n_recoveries: Integers
    prediction: Floats  # (d,) R̂
    # (d,) of the days since the last window ended: Σ (r − R̂·M) M, which Σ⁺ turns into estimates when it ends
    pending: Floats
    running: Floats  # (d,) and what else their estimates sum up to, ΣR̂
    total: Floats  # (d,) the sum of all estimates before
    # (1,) σ̂², the running mean of what R̂ misses, squared: (r − R̂·M)² with bandit feedback, the mean over the chosen elements with
    # semi-bandit
    noise: Floats
    n_seen: Floats  # (1,) how many days were seen with less than full feedback


class Mix(NamedTuple):
    """The mixture that is played; S slots, d coordinates."""

    weights: Floats  # (S,)
    cumulative: Floats  # (S,)
    mean: Floats  # (d,) E[M]
    is_new: Integers  # (S,) which slots have a policy that was not written down yet


class State(Protocol):
    """What changes, as far as every player has it: the fields of :class:`RoundState`, a named tuple."""

    def _replace(self, *args: Any, **parts: Any) -> Self:
        """Return it with other parts."""

    @property
    def tally(self) -> Tally:
        """What changes every day."""

    @property
    def undo(self) -> Tally:
        """The tally before the last day of a window."""

    @property
    def learners(self) -> Learners:
        """What learners know."""

    @property
    def policies(self) -> Policies:
        """The policies of the slots."""

    @property
    def mix(self) -> Mix:
        """The mixture that is played."""


class RoundState(NamedTuple):
    """What changes: the days' ``tally``, what ``learners`` know, their policies in ``policies``, and the ``mix`` that is played.

    ``undo`` is the tally before the last day of a window.
    """

    tally: Tally
    undo: Tally
    learners: Learners
    policies: Policies
    mix: Mix


def empty_tally(dimension: int, offset: int) -> Tally:
    """Return the tally before day 0."""
    one, d = np.zeros(1), np.zeros(dimension)
    count = np.zeros(1, dtype=np.int64)
    start = np.array([offset], dtype=np.int64)
    return Tally(count, start, count.copy(), one, count.copy(), d, d.copy(), d.copy(), d.copy(), one.copy(), one.copy())


def begin_round(dimension: int, offset: int, learners: Learners, policies: Policies, n_slots: int) -> RoundState:
    """Return the state before day 0."""
    before = empty_tally(dimension, 0)
    mix = Mix(np.zeros(n_slots), np.zeros(n_slots), np.zeros(dimension), np.zeros(n_slots, dtype=np.int64))
    return RoundState(empty_tally(dimension, offset), before, learners, policies, mix)


@kernel
def mix_slots(state: State) -> None:
    """Make ready to play with the weights of ``mix``, which must add up to 1 within rounding."""
    mix = state.mix
    total = 0.0
    for s in range(mix.weights.size):
        total += mix.weights[s]
    reached = 0.0
    for s in range(mix.weights.size):
        mix.weights[s] /= total
        reached += mix.weights[s]
        mix.cumulative[s] = reached
    put_mean(mix.weights, state.policies.marginals, mix.mean)


@kernel
def act(family: Family, state: State, rng: np.random.Generator) -> Integers:
    """Draw the action of the day (Algorithm 1, line 5)."""
    cumulative = state.mix.cumulative
    last = cumulative.size - 1
    needle = rng.random() * cumulative[last]
    slot = 0
    while slot < last and not cumulative[slot] > needle:
        slot += 1
    return draw(family, state.policies, slot, rng)


@kernel
def note_total(tally: Tally, step: float, action: Integers, reward: float) -> None:
    """Add what the estimate is made of to the sums, and let the prediction learn (Algorithm 1, line 6)."""
    prediction, pending, running = tally.prediction, tally.pending, tally.running
    surprise = reward - action_total(prediction, action)
    count = 0
    for i in range(action.size):
        pending[i] += surprise * action[i]
        running[i] += prediction[i]
        count += action[i]
    tally.n_seen[0] += 1.0
    tally.noise[0] += max(_FORGET, 1.0 / tally.n_seen[0]) * (surprise * surprise - tally.noise[0])
    if step != 0.0 and count > 0:  # R̂ + step · (r − R̂·M) M / ‖M‖²
        change = step * surprise / count
        for i in range(action.size):
            if action[i]:
                prediction[i] += change


@kernel
def estimate_elements(tally: Tally, mean: Floats, step: float, action: Integers, seen: Floats) -> None:
    """Add the estimate from the rewards of the chosen elements to the sum, and let the prediction learn."""
    prediction, running = tally.prediction, tally.running
    tally.n_seen[0] += 1.0
    squares, count = 0.0, 0
    for i in range(action.size):
        value = prediction[i]
        if action[i]:
            surprise = seen[i] - prediction[i]
            value += surprise / mean[i]
            prediction[i] += step * surprise
            squares += surprise * surprise
            count += 1
        running[i] += value
    if count > 0:
        tally.noise[0] += max(_FORGET, 1.0 / tally.n_seen[0]) * (squares / count - tally.noise[0])


@kernel
def estimate(rule: Rule, state: State, action: Integers, seen: Floats, reward: float) -> None:
    """Add R̃ of a day to the sums; ``seen`` is the reward vector as far as it is seen, ``reward`` the total of the action."""
    tally = state.tally
    if rule.feedback == BANDIT:
        note_total(tally, rule.predictor_step, action, reward)
    elif rule.feedback == SEMI_BANDIT:
        estimate_elements(tally, state.mix.mean, rule.predictor_step, action, seen)
    else:
        for i in range(action.size):
            tally.running[i] += seen[i]
    tally.earned[0] += reward


@kernel
def solve_pending(family: Family, state: State) -> bool:
    """Make estimates of what is pending, all drawn from the mixture as it is; tell whether that could be done."""
    tally = state.tally
    if not np.any(tally.pending):
        return True
    found, ratio = solve(family, state.policies, state.mix.weights, tally.pending)
    if not ratio <= HOPELESS:
        return False
    if ratio > 0.0:
        tally.n_recoveries[0] += 1
    for i in range(found.size):
        tally.running[i] += found[i]
        tally.pending[i] = 0.0
    return True


@kernel
def count_day(rule: Rule, tally: Tally) -> int:
    """Count a day; return how many of the windows L_0, L_1, … end with it."""
    tally.day[0] += 1
    return windows_ending(rule, tally, 0)


@kernel
def windows_ending(rule: Rule, tally: Tally, ahead: int) -> int:
    """Return how many windows end, so many days ahead: 0 where the base window goes on."""
    count = count_ending(rule.windows, tally.day[0] + tally.offset[0] + ahead)
    return count if count > tally.base[0] else 0


@kernel
def copy_tally(source: Tally, target: Tally) -> None:
    """Write one tally over another."""
    target.day[0] = source.day[0]
    target.offset[0] = source.offset[0]
    target.base[0] = source.base[0]
    target.earned[0] = source.earned[0]
    target.n_recoveries[0] = source.n_recoveries[0]
    target.noise[0] = source.noise[0]
    target.n_seen[0] = source.n_seen[0]
    for i in range(source.running.size):
        target.prediction[i] = source.prediction[i]
        target.pending[i] = source.pending[i]
        target.running[i] = source.running[i]
        target.total[i] = source.total[i]


@kernel
def keep_for_undo(rule: Rule, state: State) -> None:
    """Keep the tally before a day that ends a window: if the window cannot end, the day has not been."""
    if windows_ending(rule, state.tally, 1) > 0:
        copy_tally(state.tally, state.undo)


# the bodies of stubs are never run
# mypy: disable-error-code="empty-body"


PLAYED, NOT_PROJECTED, NOT_SOLVED, OUT_OF_ROOM = 0, 1, -1, 2
"""How a call ended: well; a projection was not good enough; Σ⁺v was not to be had; there is no room for a list of actions."""


@method
def learn_day(rule: Rule, family: Family, state: State, action: Integers, seen: Floats, reward: float) -> None:
    """Take in what a day paid. The code of each class of rules is found by searching for ``@learn_day.of``."""


@learn_day.default
def learn_estimate(rule: Rule, family: Family, state: State, action: Integers, seen: Floats, reward: float) -> None:
    """Estimate the reward vector, and take note of the day."""
    estimate(rule, state, action, seen, reward)
    remember(state, rule, action, seen, reward, 1.0)


@method
def end_windows(rule: Rule, family: Family, state: State, n_ending: int) -> int:
    """Move on at the end of the ``n_ending`` shortest windows; return PLAYED, or change nothing and say why.

    The code of each class of rules is found by searching for ``@end_windows.of``; the default's is in ``adaptive/pool_phases.py``.
    ``running`` has the sum of the estimates of the window, ``total`` of all days. After OUT_OF_ROOM it is called again with
    −``n_ending``, and goes on. With 0 it makes all that is derived from the state: the policies of a new one, what solves with Σ
    of a restored one.
    """


@method
def remember(state: State, rule: Rule, action: Integers, seen: Floats, reward: float, times: float) -> None:
    """Take note of a day beside its estimate; ``times`` −1 takes it back. Search for ``@remember.of``."""


@remember.default
def note_nothing(state: State, rule: Rule, action: Integers, seen: Floats, reward: float, times: float) -> None:
    """Take no note: the estimate is all there is to learn."""


def refuse(code: int) -> None:
    """Raise what a call that did not end well has to say."""
    if code == PLAYED:
        return
    if code == NOT_PROJECTED:
        raise NotConverged(
            "a projection onto the convex hull of the actions must be exact to working precision",
            "weights too far apart for it",
            "Use a smaller step, rate=AdaptiveRate(1.0), or a smaller learning rate or scale; the state is as it was.",
        )
    raise NotConverged(
        "Σ of the played policy must be invertible on the span of the actions",
        "an iteration that left more than a hundredth of the right side",
        "Use more exploration: exploration=0.05; the state is as it was.",
    )
