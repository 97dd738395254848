r"""Check a lazy learner: the policy it holds is what its point and its exploration say.

May touch: everything but ``experiments`` and ``cli``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.arrays import Matrix, Vector, frozen
from swapregret.errors import InvalidInput, TooLarge
from swapregret.geometry.caratheodory import decompose
from swapregret.learners.lazy import LazyLearner, LazyState
from swapregret.testing.policies import check_law
from swapregret.testing.report import Report, require, run

__all__ = ["POLICY_LEARNER_CHECKS", "check_policy_learner"]

_TOLERANCE = 1e-10
_INSIDE = 1e-8


@dataclass(frozen=True, eq=False)
class LearnerCase:
    """A lazy learner, its γ, and how many meta-days to feed it."""

    learner: LazyLearner
    exploration: float
    meta_days: int
    seed: int

    @cached_property
    def aggregates(self) -> Matrix:
        """Sums of estimates: of both signs, from small to large, one of them zero."""
        rng = np.random.default_rng([self.seed, 1])
        table = rng.standard_normal((self.meta_days, self.learner.actions.dimension))
        table *= np.exp(rng.uniform(-3.0, 3.0, (self.meta_days, 1)))
        table[self.meta_days // 2] = 0.0
        return frozen(table)

    @cached_property
    def states(self) -> list[LazyState]:
        """All states of one interval."""
        states = [self.learner.start()]
        for aggregate in self.aggregates:
            states.append(self.learner.update(states[-1], aggregate.copy()))
        return states


def check_policy_learner(
    learner: LazyLearner, exploration: float | None = None, *, meta_days: int = 12, seed: int = 0
) -> Report:
    r"""Check a lazy scale learner over one interval of random aggregates.

    In every state the point x is in conv(A) and equals the marginals of p̃; the policy is p = (1−γ)p̃ + γμ in its first two
    moments; updating twice from one state gives the same state and leaves the old one alone; a restart
    forgets everything but the memory of the noise.

    Parameters
    ----------
    learner : LazyLearner
        With ``start``, ``update`` and ``resume``.
    exploration : float, optional
        γ, the share of ``learner.mu`` its policies must have; ``learner.exploration`` if not given.
    meta_days : int
        Updates to make.
    seed : int
        Where the aggregates come from: the same seed, the same verdict.

    Returns
    -------
    Report
        What was checked.

    Raises
    ------
    ConformanceError
        Naming the first fault found.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> from swapregret.learners.lazy import FixedRate
    >>> from swapregret.learners.lazy_combcp import LazyComBCP
    >>> learner = LazyComBCP(MSets(4, 2), exploration=0.1, rate=FixedRate(0.5))
    >>> check_policy_learner(learner).passed
    ('point', 'policy', 'state', 'repeatability', 'restart')
    """
    gamma = getattr(learner, "exploration", None) if exploration is None else exploration
    require(
        isinstance(gamma, float) and 0.0 <= gamma < 1.0,
        "the exploration γ of a lazy learner must be a float in [0, 1)",
        repr(gamma),
        "Give the learner an attribute `exploration`, or pass it to check_policy_learner.",
    )
    case = LearnerCase(learner, float(gamma), meta_days, seed)  # type: ignore[arg-type]
    return run(f"{type(learner).__name__} on {learner.actions!r}", case, POLICY_LEARNER_CHECKS)


def _check_point(case: LearnerCase) -> str | None:
    """Check that the point is in the convex hull, by a decomposition that reproduces it."""
    for index, state in enumerate(case.states):
        came = ""
        try:
            law = decompose(case.learner.actions, np.array(state.point))
            gap = float(np.abs(law.marginals() - state.point).max())
            came = f"a point at distance {gap:.3g} from it" if gap > _INSIDE else ""
        except InvalidInput as error:
            came = error.came
        require(
            came == "",
            "the point of a lazy learner must be in the convex hull of the actions",
            f"{came}, after {index} updates",
            "Project it with kl_project.",
        )
    return None


def _check_policy(case: LearnerCase) -> str | None:
    """Check p̃ and p = (1−γ)p̃ + γμ by their first two moments, and the policies themselves in some states."""
    learner, gamma = case.learner, case.exploration
    try:
        reference = learner.actions.enumerate(2000)
    except TooLarge:
        reference = None
    for index, state in enumerate(case.states):
        _near(state.exploit.marginals(), state.point, "the marginals of `exploit` must be the point", index)
        x = (1.0 - gamma) * state.point + gamma * learner.mu.marginals()
        _near(state.policy.marginals(), x, "the marginals of `policy` must be (1−γ)·point + γ·marginals of mu", index)
        both = (1.0 - gamma) * state.exploit.cooccurrence() + gamma * learner.mu.cooccurrence()
        _near(state.policy.cooccurrence(), both, "the second moment of `policy` must be that of (1−γ)p̃ + γμ", index)
        if index in (0, len(case.states) - 1):
            check_law(state.policy, learner.actions, reference, n_samples=400, seed=case.seed)
    return None


def _near(found: Vector, want: Vector, must: str, index: int) -> None:
    gap = float(np.abs(found - want).max())
    require(
        gap <= _TOLERANCE,
        f"{must}, within {_TOLERANCE}",
        f"a difference of {gap:.3g} after {index} updates",
        "Mix with swapregret.policy.mix, from the decomposition of the point.",
    )


def _check_repeatability(case: LearnerCase) -> str | None:
    """Check that updating twice from one state gives the same state, and that resume rebuilds it."""
    for index, aggregate in enumerate(case.aggregates):
        want = case.states[index + 1]
        found = case.learner.update(case.states[index], aggregate.copy())
        require(
            _same(found, want),
            "`update` must give the same state from the same state and aggregate",
            f"another one after {index} updates",
            "Keep randomness and memory out of update.",
        )
        require(
            _same(case.learner.resume(want), want),
            "`resume(state)` must give back the state",
            f"another one after {index + 1} updates",
            "Rebuild the policies in the same way as update.",
        )
    return None


def _check_state(case: LearnerCase) -> str | None:
    """Check that states are read-only values which neither updates nor the caller's arrays can change."""
    for index, aggregate in enumerate(case.aggregates):
        old = case.states[index]
        before = _numbers(old)
        handed = aggregate.copy()
        new = case.learner.update(old, handed)
        require(
            np.array_equal(handed, aggregate),
            "`update` must leave the aggregate alone",
            f"a change, update {index}",
            "Copy it.",
        )
        after = _numbers(new)
        handed[...] = 7.0
        unchanged = all(np.array_equal(a, b) for a, b in zip(before, _numbers(old), strict=True))
        require(
            unchanged and all(np.array_equal(a, b) for a, b in zip(after, _numbers(new), strict=True)),
            "a state must not change once it is made",
            f"a state that changed, update {index}",
            "Make states frozen values, and copy what is kept of the aggregate.",
        )
        for name in ("point", "log_weights", "origin", "score"):
            require(
                not getattr(new, name).flags.writeable,
                f"`{name}` of a state must be read-only",
                f"a writable array after {index + 1} updates",
                "Mark it with swapregret.arrays.frozen.",
            )
    return None


def _check_restart(case: LearnerCase) -> str | None:
    """Check that a new interval starts where the first one did."""
    first, again = case.states[0], case.learner.start(case.states[-1])
    same = np.array_equal(first.point, again.point) and np.array_equal(first.score, again.score)
    require(
        same and first.n_updates == again.n_updates == 0 and not first.score.any(),
        "`start(previous)` must begin at the point of `start()`, with score 0",
        f"a point off by {np.abs(first.point - again.point).max():.3g}, {again.n_updates} updates",
        "Keep nothing of the interval before but the memory of the noise.",
    )
    return None


def _numbers(state: LazyState) -> list[Vector]:
    return [np.array(state.point), np.array(state.log_weights), np.array(state.score), state.policy.marginals().copy()]


def _same(first: LazyState, second: LazyState) -> bool:
    pairs = zip(
        [*_numbers(first), first.policy.cooccurrence()], [*_numbers(second), second.policy.cooccurrence()], strict=True
    )
    return first.n_updates == second.n_updates and all(np.array_equal(a, b) for a, b in pairs)


POLICY_LEARNER_CHECKS: dict[str, Callable[[LearnerCase], str | None]] = {
    "point": _check_point,
    "policy": _check_policy,
    "state": _check_state,
    "repeatability": _check_repeatability,
    "restart": _check_restart,
}
"""The checks of a lazy learner, in the order in which they run."""
